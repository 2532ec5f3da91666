/* SPDX-License-Identifier: Apache-2.0 */
/* The backend's objects, and the slots of eh_backend_ops that each file fills. */
#ifndef OCL_STATE_H
#define OCL_STATE_H

#include <stdbool.h>

#include "evenhand/extensions.h"
#include "ocl_error.h"
#include "shared/checks.h"
#include "shared/products.h"

struct ocl_clblast;
struct ocl_onednn;

/* The libraries of products. */
enum { OCL_CLBLAST, OCL_ONEDNN, OCL_MAKERS };

typedef struct ocl_platform {
	cl_platform_id id;
	unsigned version;          /* 100 * major + 10 * minor                              */
	char name[128];
	char version_text[160];
	char slug[32];             /* first part of its devices' ids                        */
	char library[256];         /* the vendor's, "" = unknown                            */
} ocl_platform;

typedef struct ocl_listing {   /* one device of one platform                                */
	cl_device_id id;
	const ocl_platform *platform;
	unsigned version;          /* the smaller of device's and platform's                */
	bool usable;
	char selector[64];         /* "pocl-0"                                              */
	char name[128];
	char reason[400];          /* why it is not usable                                  */
} ocl_listing;

typedef struct ocl_self {
	const eh_host *host;
	ocl_api api;
	ocl_platform *platforms;
	ocl_listing *devices;
	uint32_t platform_count, device_count;
	const char *root;          /* of sys, "" = this machine's                           */
	char notes[4096];          /* lines, each with its newline                          */
	struct ocl_clblast *clblast; /* NULL until a product is asked for                    */
	struct ocl_onednn *onednn; /* the same                                              */
	char settings[32768];      /* environment that the backend set, "NAME=VALUE; ...": paths */
} ocl_self;

struct eh_device {
	ocl_self *self;
	const ocl_api *api;
	const ocl_listing *listing;
	cl_context context;
	cl_command_queue service;  /* maps and unmaps outside of the caller's queues        */
	uint64_t caps, max_alloc;
	uint64_t cache_bytes;      /* of the last level, 0 = unknown                        */
	const char *cache_source;
	bool shared_needs_map;     /* coarse-grained shared memory only                     */
	wording_gaps gaps;         /* facts that the device did not report                  */
	uint64_t next_serial;      /* of buffers                                            */
	struct {
		bool used;
		products_kernels kernels;
	} products[OCL_MAKERS];
	struct dnnl_engine *engine; /* oneDNN's, NULL until it makes a product               */
};

struct eh_buffer {
	eh_device *device;
	cl_mem mem;
	uint64_t serial;           /* unique in the device; the address mem may be reused */
	uint64_t bytes;
	uint32_t kind;
	void *host;                /* NULL for device memory                                */
	void *svm;                 /* what to free after mem, NULL = none                   */
	void *own;                 /* the same, allocated by us                             */
	bool mapped;               /* must be unmapped around a command that uses mem       */
};

struct eh_queue {
	eh_device *device;
	cl_command_queue queue;
	bool timed;                /* it keeps profiling times                              */
	cl_event last;             /* of the newest command, NULL = nothing to wait for     */
	eh_graph *recording;       /* NULL = commands are enqueued                          */
	struct dnnl_stream *stream; /* oneDNN's, NULL until it makes a product               */
};

struct eh_mark {
	eh_device *device;
	bool timed;
	eh_queue *queue;           /* where it was recorded last, NULL = nowhere            */
	cl_event command;          /* the newest command before it, NULL = none             */
	cl_event marker;
};

/* ocl_platforms.c */
eh_status ocl_platforms_start(const eh_host *host, void **self, eh_error *error);
void ocl_platforms_stop(void *self);
void ocl_platforms_notes(void *self, char *text, size_t size);
/* True when list, of words separated by blanks, has this one. */
bool ocl_platforms_has_word(const char *list, const char *word);
/* malloc'd and terminated.  A fact that the device does not report is "" and among the gaps; NULL
 * when memory is out. */
char *ocl_platforms_device_text(const ocl_api *api, cl_device_id device, cl_device_info what,
                                const char *fact, wording_gaps *gaps);
/* The owner of the platform's cache of compiled kernels: "evenhand's", "the user's", "the
 * driver's", or "off", or "" when nothing is known.  The path is no part of the stack. */
const char *ocl_platforms_cache(const ocl_self *self, const ocl_platform *p);

/* ocl_devices.c */
eh_status ocl_devices_count(void *self, uint32_t *count, eh_error *error);
eh_status ocl_devices_info(void *self, uint32_t index, eh_device_info *info, eh_error *error);
eh_status ocl_devices_open(void *self, uint32_t index, eh_device **device, eh_error *error);
void ocl_devices_close(eh_device *device);

/* ocl_layers.c */
eh_status ocl_layers_get(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

/* ocl_memory.c */
eh_status ocl_memory_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                           eh_error *error);
void ocl_memory_free(eh_buffer *buffer);
void *ocl_memory_host_pointer(eh_buffer *buffer);
/* Enqueue what a command on a mapped buffer needs before and after it; nothing for others. */
eh_status ocl_memory_lend(eh_queue *queue, eh_buffer *buffer, eh_error *error);
eh_status ocl_memory_take_back(eh_queue *queue, eh_buffer *buffer, eh_error *error);

/* ocl_queue.c */
eh_status ocl_queue_create(eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error);
void ocl_queue_destroy(eh_queue *queue);
eh_status ocl_queue_flush(eh_queue *queue, eh_error *error);
eh_status ocl_queue_wait(eh_queue *queue, eh_error *error);
eh_status ocl_queue_wait_mark(eh_queue *queue, eh_mark *mark, eh_error *error);
/* Waits for events (their own, in order); EH_E_DEVICE with the command's own code on failure. */
eh_status ocl_queue_wait_events(eh_device *device, const cl_event *events, cl_uint count,
                                eh_error *error);
/* Takes the event of a command just enqueued. */
static inline void ocl_queue_note(eh_queue *queue, cl_event event)
{
	if (queue->last != NULL)
		(void)queue->device->api->clReleaseEvent(queue->last);
	queue->last = event;
}

/* ocl_copies.c */
eh_status ocl_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                          uint32_t pattern, eh_error *error);
eh_status ocl_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                          uint64_t from_offset, uint64_t bytes, eh_error *error);
eh_status ocl_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                            uint64_t bytes, eh_error *error);
eh_status ocl_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                              uint64_t bytes, eh_error *error);

/* ocl_programs.c */
#define OCL_PROGRAMS_FLAGS "-cl-std=CL1.2"
/* The layer of the device's compiler: the driver's, with the platform's own description. */
void ocl_programs_compiler_version(const eh_device *device, char *text, size_t size,
                                   wording_gaps *gaps);
eh_status ocl_programs_build(eh_device *device, const eh_source *source, eh_program **program,
                             char *log, size_t log_size, eh_error *error);
void ocl_programs_destroy(eh_program *program);
eh_status ocl_programs_info(eh_program *program, eh_program_info *info, eh_error *error);

/* ocl_kernels.c */
eh_status ocl_kernels_get(eh_program *program, const char *name, eh_kernel **kernel,
                          eh_error *error);
void ocl_kernels_free(eh_kernel *kernel);
eh_status ocl_kernels_info(eh_kernel *kernel, eh_kernel_info *info, eh_error *error);
eh_status ocl_kernels_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                             eh_error *error);

struct eh_program {
	eh_device *device;
	cl_program program;
	eh_kernel *kernels;        /* a list, one per name                                  */
	unsigned char *binary;     /* fetched on first use                                  */
	size_t binary_size;
};

/* The argument that was set last. */
typedef struct ocl_argument {
	uint64_t serial;           /* of the buffer, 0 = no buffer                          */
	uint32_t size;             /* of the value, 0 = unknown                             */
	bool mapped;               /* the buffer must be lent around each launch            */
	unsigned char value[32];
} ocl_argument;

struct eh_kernel {
	eh_program *program;
	eh_kernel *next;
	cl_kernel kernel;
	char *name;
	uint32_t argument_count;
	uint32_t mapped_count;     /* of the arguments                                      */
	ocl_argument arguments[];
};

/* ocl_graphs.c: take a command into the graph that the queue records. */
eh_status ocl_graphs_kernel(eh_queue *queue, const eh_kernel *kernel, const eh_launch *launch,
                            cl_uint dimensions, const size_t global[3], const size_t local[3],
                            eh_error *error);
eh_status ocl_graphs_fill(eh_queue *queue, const eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                          uint32_t pattern, eh_error *error);
eh_status ocl_graphs_copy(eh_queue *queue, const eh_buffer *to, uint64_t to_offset,
                          const eh_buffer *from, uint64_t from_offset, uint64_t bytes,
                          eh_error *error);
/* Drops the queue's recording. */
void ocl_graphs_drop(eh_queue *queue);
extern const eh_graph_ops ocl_graphs_table;

/* ocl_peers.c */
extern const eh_peer_ops ocl_peers_table;

/* ocl_gemm.c */
extern const eh_gemm_ops ocl_gemm_table;
/* The layer of the library number `index` that made a product, else false. */
bool ocl_gemm_layer(const eh_device *device, uint32_t index, eh_layer *layer);
void ocl_gemm_close(eh_device *device);

/* ocl_onednn.c: before the queue goes. */
void ocl_onednn_forget(eh_queue *queue);

/* ocl_marks.c */
eh_status ocl_marks_create(eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error);
void ocl_marks_destroy(eh_mark *mark);
eh_status ocl_marks_record(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status ocl_marks_wait(eh_mark *mark, eh_error *error);
eh_status ocl_marks_passed(eh_mark *mark, uint32_t *passed, eh_error *error);
eh_status ocl_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

#endif
