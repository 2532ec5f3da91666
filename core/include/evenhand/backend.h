/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evenhand/backend.h - the binary contract between the evenhand core and a backend, version 1.
 *
 * A backend is a shared object that makes one accelerator API usable.  It exports exactly one
 * symbol, eh_backend_entry_v1, links against nothing of evenhand's, and is written from this
 * header alone: the functions that it may call are in an eh_host table.
 *
 * Growth rules (they never change):
 *   - every struct that crosses the boundary begins with struct_size, set by the side that
 *     allocates it; fields are appended, never moved, resized or removed.  A callee writes
 *     nothing beyond the struct_size it was given;
 *   - structs that are elements of arrays (eh_arg, eh_macro) are frozen instead;
 *   - an optional slot that lies beyond the table's struct_size, or is NULL, is "not provided":
 *     test it with EH_HAS;
 *   - any other change is a new major version: a new entry symbol and a new header.
 *
 * Threads: the core calls start, stop, device_* and everything reached through one eh_device
 * from one thread at a time, not always the same one.  eh_host functions may be called from any
 * thread at any time.
 *
 * Units: bytes, nanoseconds, work-items.  Text is UTF-8, NUL-terminated, without newlines
 * unless noted.  Outputs are written only when EH_OK is returned; destroy functions accept NULL,
 * return nothing, and may log.  An object is destroyed before the object that created it.
 *
 * The core destroys a buffer, program or mark only when no pending command uses it; waits for a
 * mark and compares marks only after recording them and before their queue is destroyed;
 * enqueues no command of 0 bytes or beyond a buffer's end, and fills at multiples of 4.
 */
#ifndef EVENHAND_BACKEND_H
#define EVENHAND_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EH_BACKEND_MAGIC UINT32_C(0x42484531) /* "1EHB" in memory on a little-endian machine */
#define EH_ABI_MAJOR 1
#define EH_ABI_MINOR 3
#define EH_ABI_FROZEN_MINOR 2 /* headers with a smaller one are from before the freeze */
#define EH_MOST_DEVICES 4096u /* of a backend */

/* The one symbol a backend exports. */
#define EH_BACKEND_ENTRY_NAME "eh_backend_entry_v1"

#if defined(__GNUC__)
#define EH_EXPORT __attribute__((visibility("default")))
#else
#define EH_EXPORT
#endif

/* True when `table` (of type `type`) is large enough to hold `slot`, and the slot is filled. */
#define EH_HAS(table, type, slot)                                                            \
	((table) != NULL &&                                                                  \
	 (size_t)(table)->struct_size >= offsetof(type, slot) + sizeof((table)->slot) &&     \
	 (table)->slot != NULL)

/* True when a struct of `size` bytes has room for `field`. */
#define EH_ROOM(size, type, field)                                                           \
	((size_t)(size) >= offsetof(type, field) + sizeof(((type *)0)->field))

/* ---- status and errors --------------------------------------------------------------- */

typedef int32_t eh_status;
enum {
	EH_OK = 0,
	EH_E_INVALID_ARGUMENT = -1, /* the caller's bug                                      */
	EH_E_NO_MEMORY = -2,        /* host or device memory is exhausted                    */
	EH_E_UNSUPPORTED = -3,      /* permanently not offered here: skipped with the reason */
	EH_E_UNAVAILABLE = -4,      /* no driver, device or rights now: advice in message    */
	EH_E_INCOMPATIBLE = -5,     /* wrong ABI, driver or binary version                   */
	EH_E_BUILD = -6,            /* the kernel did not compile: see the build log         */
	EH_E_TIMEOUT = -7,
	EH_E_DEVICE = -8,           /* the device failed; later results are invalid          */
	EH_E_DEVICE_LOST = -9,      /* the context is dead: close it, do not retry           */
	EH_E_INTERNAL = -10         /* the backend's own bug                                 */
};

/*
 * Owned by the caller and of fixed size, so there is nothing to free.  The caller sets
 * struct_size; the callee fills the rest, and only when it returns something other than EH_OK.
 * A NULL eh_error * is allowed everywhere.
 */
typedef struct eh_error {
	uint32_t struct_size;
	eh_status code;
	int64_t native_code;   /* CUresult, cl_int, ze_result_t, errno; 0 if none              */
	char native_name[48];  /* "CUDA_ERROR_OUT_OF_MEMORY"                                   */
	char where[48];        /* the vendor call that failed, "clEnqueueNDRangeKernel"        */
	char message[360];     /* one sentence that names the remedy where there is one        */
} eh_error;

/* ---- the host table: functions that a backend may call ---------------------------------- */

enum { EH_LOG_ERROR = 0, EH_LOG_WARN = 1, EH_LOG_INFO = 2, EH_LOG_DEBUG = 3 };

/*
 * Valid from start() until stop() returns.  The first argument of every function is ctx.
 * option(): a setting for this backend, or NULL.  Keys that are always answered:
 *   "cache-dir"    a private writable folder for compiled kernels, or NULL when caching is off
 *   "library-dir"  where evenhand's own plugins are installed (prebuilt kernels live under it)
 * Other keys are the backend's own, set by the user as --set BACKEND.KEY=VALUE.
 * The returned text stays valid until stop() returns.
 * may_load(): whether this user may run code from the file at path: EH_OK, or EH_E_UNAVAILABLE with
 * a sentence that says who else can change it.  The rule is that of plugins.  For files in folders
 * that the environment names, and for kernels compiled ahead in library-dir; a library or program
 * that the user names in a setting, or the system's loader finds, needs no permission.
 */
typedef struct eh_host {
	uint32_t struct_size;
	uint16_t abi_major, abi_minor;
	void *ctx;
	void (*log)(void *ctx, int level, const char *message);
	uint64_t (*now_ns)(void *ctx); /* CLOCK_MONOTONIC_RAW: the clock of every host time */
	const char *(*option)(void *ctx, const char *key);
	void (*sha256)(void *ctx, const void *data, size_t size, char hex[65]);
	eh_status (*may_load)(void *ctx, const char *path, eh_error *error);
} eh_host;

/* ---- descriptions ----------------------------------------------------------------------- */

enum { EH_DEVICE_CPU = 1, EH_DEVICE_GPU = 2, EH_DEVICE_ACCELERATOR = 3, EH_DEVICE_OTHER = 4 };

#define EH_CAP_ASYNC       (UINT64_C(1) << 0) /* enqueueing returns before the work is done  */
#define EH_CAP_DEVICE_TIME (UINT64_C(1) << 1) /* marks carry the device's own time           */
#define EH_CAP_PINNED      (UINT64_C(1) << 2) /* EH_MEMORY_PINNED can be allocated           */
#define EH_CAP_SHARED      (UINT64_C(1) << 3) /* EH_MEMORY_SHARED can be allocated           */
#define EH_CAP_FP64        (UINT64_C(1) << 4) /* double arithmetic in kernels                */
#define EH_CAP_FP16        (UINT64_C(1) << 5) /* native half arithmetic in kernels           */
#define EH_CAP_FP16_STORE  (UINT64_C(1) << 6) /* half loads and stores in kernels            */
#define EH_CAP_BF16_STORE  (UINT64_C(1) << 7) /* 16-bit integer loads and stores in kernels  */
#define EH_CAP_ATOMIC64    (UINT64_C(1) << 8) /* 64-bit atomic add in kernels                */
/* Since 1.3: the device says that its double or half arithmetic is done in software. */
#define EH_CAP_FP64_SOFT   (UINT64_C(1) << 9)
#define EH_CAP_FP16_SOFT   (UINT64_C(1) << 10)
#define EH_CAP_SIMULATED   (UINT64_C(1) << 63) /* not real hardware: results never compare   */

typedef struct eh_device_info {
	uint32_t struct_size;
	uint32_t type;                 /* EH_DEVICE_*                                         */
	uint64_t caps;                 /* EH_CAP_*                                            */
	uint64_t memory_bytes;         /* 0 = unknown, as for every number here               */
	uint64_t max_alloc_bytes;
	uint64_t last_level_cache_bytes;
	uint64_t timer_resolution_ns;  /* as claimed by the API; the core measures its own    */
	uint32_t compute_units;        /* SMs, CUs, Xe cores, CPU threads used                */
	uint32_t max_group_items;      /* work-items in one work-group                        */
	uint32_t max_group_size[3];
	uint32_t local_memory_bytes;   /* per work-group, for arrays of EH_LOCAL_AT           */
	uint32_t clock_mhz;            /* highest, as claimed                                 */
	int32_t numa_node;             /* -1 = unknown or all                                 */
	char id[64];                   /* stable and unique in the backend: a selector matches it;
	                                  [A-Za-z0-9._-]+                                       */
	char name[128];                /* the vendor's name of the device                     */
	char vendor[64];
	char platform[128];            /* the stack it is reached through, with version       */
	char pci[16];                  /* "0000:3b:00.0", empty = not a PCI device            */
	char uuid[40];                 /* "GPU-..." or 8-4-4-4-12, empty = none               */
} eh_device_info;

/* One layer of the executor's stack, below or above the device, as the backend knows it. */
enum {
	EH_LAYER_HARDWARE = 1,
	EH_LAYER_FIRMWARE = 2,
	EH_LAYER_DRIVER = 3,
	EH_LAYER_RUNTIME = 4,  /* the API's library and its loader                            */
	EH_LAYER_COMPILER = 5,
	EH_LAYER_LIBRARY = 6,
	EH_LAYER_FRAMEWORK = 7, /* what calls the libraries: PyTorch, JAX                     */
	EH_LAYER_SERVING = 8,   /* what batches requests and schedules them                   */
	EH_LAYER_MODEL = 9,
	EH_LAYER_CONFIGURATION = 10, /* a setting: its version is the value, or its path a file */
	EH_LAYER_DEMAND = 11    /* the requests: their mix, sizes and rate                    */
};
enum { /* where a fact came from */
	EH_SOURCE_MEASURED = 1,
	EH_SOURCE_QUERIED = 2,
	EH_SOURCE_DECLARED = 3,
	EH_SOURCE_UNAVAILABLE = 4
};

typedef struct eh_layer {
	uint32_t struct_size;
	uint32_t kind;      /* EH_LAYER_*  */
	uint32_t source;    /* EH_SOURCE_* */
	uint32_t reserved;
	char name[96];
	char version[128];  /* empty = unknown */
	char path[1024];    /* of the file, empty = none; the core computes its digest */
	char detail[512];   /* "key=value" pairs separated by "; ", for other known facts */
	char maker[64];     /* the vendor or project that makes it; empty = by the core's table */
} eh_layer;

/* ---- objects: opaque to the core, owned by the backend ---------------------------------- */

typedef struct eh_device eh_device;
typedef struct eh_queue eh_queue;     /* in order: commands take effect in program order     */
typedef struct eh_buffer eh_buffer;
typedef struct eh_program eh_program;
typedef struct eh_kernel eh_kernel;   /* lives as long as its program                        */
typedef struct eh_mark eh_mark;       /* a point in a queue, with a time                     */

enum {
	EH_MEMORY_DEVICE = 1, /* the device's own memory                                       */
	EH_MEMORY_PINNED = 2, /* host memory the device can copy from at full speed; has a
	                         host pointer                                                  */
	EH_MEMORY_SHARED = 3  /* one address for both sides                                    */
};

enum { /* flags of queues and marks */
	EH_TIMED = 1, /* mark_elapsed tells times: between two timed marks in a timed queue.
	                 Without it nothing is spent on times                                 */
	EH_COPIES = 2 /* a queue that takes fill, copy, upload and download only: it may be
	                 on engines that only copy, or the driver chooses                     */
};

typedef struct eh_macro { /* frozen */
	const char *name;
	const char *value;
} eh_macro;

/*
 * A program's source: the text to compile is prelude, then body, with the macros defined
 * before both.  The prelude (evenhand's dialect.h) maps the kernel dialect to CUDA C, HIP,
 * OpenCL C and C by the compiler's own predefined macros; a backend for another language may
 * use its own prelude instead, and then says so in eh_program_info.flags.
 * Floating-point contraction is allowed, other value-changing optimisation is not.
 */
typedef struct eh_source {
	uint32_t struct_size;
	uint32_t macro_count;
	const char *name;       /* for messages, "stream"                                      */
	const char *prelude;
	const char *body;
	const eh_macro *macros;
	const char *digest;     /* 64 hex digits over macros, prelude and body: a cache key    */
} eh_source;

/* Pointers stay valid until the program is destroyed. */
typedef struct eh_program_info {
	uint32_t struct_size;
	uint32_t from_cache;         /* 1 = the binary was taken from a cache                  */
	char compiler[64];           /* "gcc", "NVRTC", "pocl"                                 */
	char compiler_version[128];
	char flags[512];
	char target[64];             /* "sm_90", "x86_64 native"                               */
	char binary_kind[32];        /* "elf", "cubin", "spirv"; empty = cannot be had         */
	char ir_kind[32];            /* "ptx", "llvm-bc"; empty = cannot be had                */
	const void *binary;
	uint64_t binary_size;
	const void *ir;
	uint64_t ir_size;
} eh_program_info;

typedef struct eh_kernel_info {
	uint32_t struct_size;
	uint32_t max_group_items;     /* 0 = unknown, as for all of these                      */
	uint32_t registers;           /* per work-item                                         */
	uint32_t reserved;
	uint64_t local_bytes;         /* work-group memory that the code takes at any launch,
	                                 without eh_launch.local_bytes                         */
	uint64_t private_bytes;       /* spills and private arrays, per work-item              */
} eh_kernel_info;

/* A kernel argument: a buffer if `buffer` is set, else a scalar: `size` bytes (1, 2, 4 or 8)
 * copied from `data`.  A kernel has at most 20.  Frozen. */
typedef struct eh_arg {
	eh_buffer *buffer;
	const void *data;
	uint32_t size;
	uint32_t reserved;       /* 0 */
	uint64_t reserved2;      /* 0 */
} eh_arg;

typedef struct eh_launch {
	uint32_t struct_size;
	uint32_t arg_count;
	uint32_t groups[3];      /* work-groups per dimension, each >= 1                       */
	uint32_t group_size[3];  /* work-items per group, as in KERNEL(x,y,z) of the text      */
	const eh_arg *args;      /* read before the call returns                               */
	uint64_t local_bytes;    /* of a group, for arrays that the text has at run time (CUDA C:
	                            EH_LOCAL_AT).  Where the prelude makes them static (host C,
	                            OpenCL C, HIP) a backend need not read it                  */
} eh_launch;

/* ---- the table --------------------------------------------------------------------------- */
/*
 * [R] = required, [O] = optional.  How CUDA, HIP, OpenCL and Level Zero implement each slot is
 * written down in docs/backend-abi.md.
 */
typedef struct eh_backend_ops {
	uint32_t struct_size;
	uint32_t reserved;

	/* [R] Opens the vendor's library.  EH_E_UNAVAILABLE with advice when it is not there.
	 * `host` is valid until stop() returns.  *self is handed to the slots below. */
	eh_status (*start)(const eh_host *host, void **self, eh_error *error);
	/* [R] Called once, after everything else was closed; start() is not called again. */
	void (*stop)(void *self);
	/* [O] Things found but not usable, one sentence a line, written to text (size bytes,
	 * always terminated).  "Platform Clover has no devices."  Asked for after the devices
	 * were described. */
	void (*notes)(void *self, char *text, size_t size);

	/* [R] Number of devices present, at most EH_MOST_DEVICES.  Cheap: makes no context. */
	eh_status (*device_count)(void *self, uint32_t *count, eh_error *error);
	/* [R] Fills the known fields.  EH_E_UNAVAILABLE for a device that is present but not
	 * usable; id and name are filled then, too. */
	eh_status (*device_info)(void *self, uint32_t index, eh_device_info *info, eh_error *error);
	/* [R] Makes the device usable.  Here and above, EH_E_INVALID_ARGUMENT for an index beyond
	 * the last. */
	eh_status (*device_open)(void *self, uint32_t index, eh_device **device, eh_error *error);
	void (*device_close)(eh_device *device); /* [R] */
	/* [O] The stack, layer by layer: index 0, 1, ... until EH_E_INVALID_ARGUMENT. */
	eh_status (*device_layer)(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

	/* [R] kind is EH_MEMORY_*; EH_E_UNSUPPORTED for one that caps does not list,
	 * EH_E_INVALID_ARGUMENT for 0 bytes.  Contents are undefined.  Aligned for every type and
	 * to a cache line at least. */
	eh_status (*buffer_alloc)(eh_device *device, uint32_t kind, uint64_t bytes,
	                          eh_buffer **buffer, eh_error *error);
	void (*buffer_free)(eh_buffer *buffer); /* [R] no command may still use it */
	/* [O] Host address of pinned and shared memory, NULL for device memory. */
	void *(*buffer_host_pointer)(eh_buffer *buffer);

	/* [R] flags are EH_TIMED and EH_COPIES; others are EH_E_INVALID_ARGUMENT. */
	eh_status (*queue_create)(eh_device *device, uint32_t flags, eh_queue **queue,
	                          eh_error *error);
	void (*queue_destroy)(eh_queue *queue); /* [R] waits for the enqueued commands */
	/* [O] Makes sure that the enqueued commands run without a further call.  Not provided:
	 * commands always do. */
	eh_status (*queue_flush)(eh_queue *queue, eh_error *error);
	/* [R] Returns when every command enqueued before has completed and its effects are
	 * visible to the host.  Errors of asynchronous commands surface here at the latest. */
	eh_status (*queue_wait)(eh_queue *queue, eh_error *error);

	/* [R] Enqueue.  fill: `bytes` is a multiple of 4, the 32-bit pattern repeats.
	 * copy: between buffers of one device, not overlapping; pinned memory is a buffer too.
	 * upload and download: host memory that stays valid and unchanged until the queue was
	 * waited for; may block. */
	eh_status (*fill)(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
	                  uint32_t pattern, eh_error *error);
	eh_status (*copy)(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
	                  uint64_t from_offset, uint64_t bytes, eh_error *error);
	eh_status (*upload)(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
	                    uint64_t bytes, eh_error *error);
	eh_status (*download)(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
	                      uint64_t bytes, eh_error *error);

	/* [R] log (log_size bytes, may be NULL) receives the compiler's messages, terminated,
	 * with newlines, also on EH_OK. */
	eh_status (*program_build)(eh_device *device, const eh_source *source, eh_program **program,
	                           char *log, size_t log_size, eh_error *error);
	void (*program_destroy)(eh_program *program); /* [R] destroys its kernels, too */
	/* [O] The compiler, its flags, and the binary. */
	eh_status (*program_info)(eh_program *program, eh_program_info *info, eh_error *error);
	/* [R] EH_E_INVALID_ARGUMENT when there is no such kernel. */
	eh_status (*kernel_get)(eh_program *program, const char *name, eh_kernel **kernel,
	                        eh_error *error);
	eh_status (*kernel_info)(eh_kernel *kernel, eh_kernel_info *info, eh_error *error); /* [O] */
	/* [R] Enqueue one execution of the kernel.  All arguments are passed each time: repeated
	 * ones must not cost less than new ones. */
	eh_status (*launch)(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
	                    eh_error *error);

	/* [R] Points in a queue.  flags is EH_TIMED or 0.  record enqueues the mark: it passes
	 * when every command before it has completed.  A mark may be recorded again once it has
	 * passed.  wait returns when the mark has passed, with the error of an earlier command if
	 * there was one; the effects before a timed mark are visible to the host only after
	 * queue_wait.  elapsed is the time between two timed marks of one timed queue that have
	 * passed, on the clock that caps announce (EH_CAP_DEVICE_TIME: the device's, else the
	 * host's); EH_E_INVALID_ARGUMENT when queue or mark is not timed, EH_E_UNSUPPORTED when
	 * that clock turns out to be unusable. */
	eh_status (*mark_create)(eh_device *device, uint32_t flags, eh_mark **mark,
	                         eh_error *error);
	void (*mark_destroy)(eh_mark *mark);
	eh_status (*mark_record)(eh_queue *queue, eh_mark *mark, eh_error *error);
	eh_status (*mark_wait)(eh_mark *mark, eh_error *error);
	eh_status (*mark_elapsed)(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

	/* [O] A table of further functions by name ("eh.graph.1"), beginning with its own
	 * struct_size; NULL = not offered.  Static, the same at every call. */
	const void *(*extension)(void *self, const char *name);

	/* [O] Whether the mark has passed, without waiting: *passed is 1 or 0; the error of an
	 * earlier command if there was one.  Not provided: a mark can only be waited for. */
	eh_status (*mark_passed)(eh_mark *mark, uint32_t *passed, eh_error *error);
	/* [O] Commands enqueued after this start when the mark, recorded in another queue of the
	 * device, has passed.  The host does not wait.  It is for the recording before the call:
	 * the mark may be recorded again at once.  Not provided: queues are ordered by waits of
	 * the host alone. */
	eh_status (*queue_wait_mark)(eh_queue *queue, eh_mark *mark, eh_error *error);
} eh_backend_ops;

/* ---- the identity block ------------------------------------------------------------------- */
/* Static and constant in the plugin; checked field by field before ops is touched. */
typedef struct eh_backend {
	uint32_t magic;          /* EH_BACKEND_MAGIC                                          */
	uint32_t struct_size;
	uint16_t abi_major;      /* of the header it was built with                           */
	uint16_t abi_minor;
	uint16_t pointer_bytes;  /* sizeof(void *)                                            */
	uint16_t reserved;
	const char *name;        /* [a-z][a-z0-9_]*, unique, equal to the file's: NAME.so     */
	const char *title;       /* "OpenCL through the ICD loader"                           */
	const char *version;     /* the plugin's own                                          */
	const char *license;     /* SPDX identifier                                           */
	const eh_backend_ops *ops;
} eh_backend;

/*
 * Pure: touches no driver, allocates nothing, may be called often, from any thread.
 *
 *   EH_EXPORT const eh_backend *eh_backend_entry_v1(void);
 */
typedef const eh_backend *(*eh_backend_entry)(void);
EH_EXPORT const eh_backend *eh_backend_entry_v1(void);

#ifdef __cplusplus
}
#endif
#endif /* EVENHAND_BACKEND_H */
