/* SPDX-License-Identifier: Apache-2.0 */
/* The backend's objects, and the slots of eh_backend_ops that each file fills. */
#ifndef CUDA_STATE_H
#define CUDA_STATE_H

#include "cuda_error.h"
#include "shared/checks.h"

typedef struct cuda_self {
	const eh_host *host;
	cuda_api api;
	nvrtc_api nvrtc;           /* library.handle NULL = not there                       */
	eh_error nvrtc_error;      /* then why                                              */
	uint32_t device_count;
	unsigned schedule;         /* flag of contexts: how a wait waits                    */
	const char *schedule_word;
	const char *jit_cache;     /* whose folder the driver's compiler keeps kernels in   */
	char notes[2048];          /* lines, each with its newline                          */
} cuda_self;

struct eh_device {
	cuda_self *self;
	const cuda_api *api;
	CUdevice device;
	CUcontext context;         /* the primary one                                       */
	uint64_t opening;          /* number of this opening in the process                 */
	CUresult lost;             /* the error after which nothing works, or CUDA_SUCCESS  */
	int compute;               /* compute capability, 90 = 9.0                          */
	int mode;                  /* of computing, CU_COMPUTEMODE_*                        */
	CUresult schedule_rc;      /* of asking that waits wait as set                      */
	wording_gaps gaps;         /* what the driver did not tell of the hardware          */
	checks_limits limits;
	eh_device_info info;
};

/* A device being asked what it is, and where what it does not tell is noted. */
typedef struct cuda_query {
	const cuda_api *api;
	CUdevice device;
	wording_gaps *gaps;
} cuda_query;

struct eh_buffer {
	eh_device *device;
	CUdeviceptr address;
	void *host;                /* NULL for device memory                                */
	uint64_t bytes;
	uint32_t kind;
};

struct eh_queue {
	eh_device *device;
	CUstream stream;
};

struct eh_mark {
	eh_device *device;
	CUevent event;
	eh_queue *queue;           /* where it was recorded last, NULL = nowhere            */
};

struct eh_program {
	eh_device *device;
	CUmodule module;
	eh_kernel *kernels;        /* a list, one per name                                  */
	bool from_cache;
	bool loaded_ptx;           /* the driver compiled the PTX, not NVRTC                 */
	char target[64];
	char flags[512];
	char *ptx;                 /* terminated                                            */
	size_t ptx_size;           /* without the terminator                                */
	void *cubin;               /* NULL = none                                           */
	size_t cubin_size;
};

struct eh_kernel {
	eh_program *program;
	eh_kernel *next;
	CUfunction function;
	char *name;
	int64_t argument_count;    /* CHECKS_ANY_COUNT = not known                          */
	checks_limits limits;      /* the device's, and the kernel's own group size         */
};

/* cuda_start.c */
eh_status cuda_start(const eh_host *host, void **self, eh_error *error);
void cuda_start_stop(void *self);
void cuda_start_notes(void *self, char *text, size_t size);
const void *cuda_start_extension(void *self, const char *name);

/* cuda_devices.c */
eh_status cuda_devices_count(void *self, uint32_t *count, eh_error *error);
eh_status cuda_devices_info(void *self, uint32_t index, eh_device_info *info, eh_error *error);
eh_status cuda_devices_open(void *self, uint32_t index, eh_device **device, eh_error *error);
void cuda_devices_close(eh_device *device);
/* False, with the fact among the gaps and 0 in *value, for what the driver does not tell. */
bool cuda_devices_attribute(const cuda_query *query, int attribute, const char *fact, int *value);
/* Makes the device's context the calling thread's, and refuses a device that was lost. */
eh_status cuda_devices_enter(eh_device *device, const char *slot, eh_error *error);
/* The same where nothing can be reported: to free what was made. */
void cuda_devices_enter_quietly(eh_device *device);
/* cuda_error_call for a call on the device: remembers a loss. */
__attribute__((format(printf, 5, 6)))
eh_status cuda_devices_failed(eh_device *device, eh_error *error, CUresult rc, const char *where,
                              const char *format, ...);

/* cuda_layers.c */
eh_status cuda_layers_get(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

/* cuda_memory.c */
eh_status cuda_memory_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                            eh_error *error);
void cuda_memory_free(eh_buffer *buffer);
void *cuda_memory_host_pointer(eh_buffer *buffer);

/* cuda_copies.c */
eh_status cuda_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                           uint32_t pattern, eh_error *error);
eh_status cuda_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                           uint64_t from_offset, uint64_t bytes, eh_error *error);
eh_status cuda_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                             uint64_t bytes, eh_error *error);
eh_status cuda_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                               uint64_t bytes, eh_error *error);

/* cuda_queue.c */
eh_status cuda_queue_create(eh_device *device, eh_queue **queue, eh_error *error);
void cuda_queue_destroy(eh_queue *queue);
eh_status cuda_queue_wait(eh_queue *queue, eh_error *error);

/* cuda_marks.c */
eh_status cuda_marks_create(eh_device *device, eh_mark **mark, eh_error *error);
void cuda_marks_destroy(eh_mark *mark);
eh_status cuda_marks_record(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status cuda_marks_wait(eh_mark *mark, eh_error *error);
eh_status cuda_marks_passed(eh_mark *mark, uint32_t *passed, eh_error *error);
eh_status cuda_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

/* cuda_compile.c */
/* Compiles source for the device and fills ptx, cubin, target and flags of *program. */
eh_status cuda_compile(eh_device *device, const eh_source *source, eh_program *program, char *log,
                       size_t log_size, eh_error *error);
/* "13.0", or "" without NVRTC. */
void cuda_compile_version(const cuda_self *self, char *text, size_t size);
#define CUDA_COMPILE_FLAGS "--fmad=true"

/* cuda_programs.c */
eh_status cuda_programs_build(eh_device *device, const eh_source *source, eh_program **program,
                              char *log, size_t log_size, eh_error *error);
void cuda_programs_destroy(eh_program *program);
eh_status cuda_programs_info(eh_program *program, eh_program_info *info, eh_error *error);

/* cuda_kernels.c */
eh_status cuda_kernels_get(eh_program *program, const char *name, eh_kernel **kernel,
                           eh_error *error);
void cuda_kernels_free(eh_kernel *kernel);
eh_status cuda_kernels_info(eh_kernel *kernel, eh_kernel_info *info, eh_error *error);
eh_status cuda_kernels_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                              eh_error *error);

/* cuda_graphs.c, cuda_peers.c: the tables of the extensions. */
const void *cuda_graphs_table(const cuda_api *api);
const void *cuda_peers_table(const cuda_api *api);

#endif
