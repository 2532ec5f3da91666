/* SPDX-License-Identifier: Apache-2.0 */
/* The backend's objects, and the slots of eh_backend_ops that each file fills. */
#ifndef HIP_STATE_H
#define HIP_STATE_H

#include "hip_error.h"
#include "shared/checks.h"

typedef struct hip_self {
	const eh_host *host;
	hip_api api;
	hiprtc_api hiprtc;         /* library.handle NULL = not there                       */
	eh_error hiprtc_error;     /* then why                                              */
	bool compile_apart;        /* in a child process                                    */
	uint32_t device_count;
	unsigned schedule;         /* flag of devices: how a wait waits                     */
	const char *schedule_word;
	char notes[2048];          /* lines, each with its newline                          */
} hip_self;

struct eh_device {
	hip_self *self;
	const hip_api *api;
	int device;
	hipError_t lost;           /* the error after which nothing works, or hipSuccess    */
	char architecture[96];     /* "gfx90a:sramecc+:xnack-"                              */
	hipError_t schedule_rc;    /* of asking that waits wait as set                      */
	wording_gaps gaps;         /* what the runtime did not tell of the hardware         */
	checks_limits limits;
	eh_device_info info;
};

/* A device being asked what it is, and where what it does not tell is noted. */
typedef struct hip_query {
	const hip_api *api;
	int device;
	wording_gaps *gaps;
} hip_query;

struct eh_buffer {
	eh_device *device;
	char *address;             /* as the device sees it                                 */
	void *host;                /* NULL = device memory                                  */
	uint64_t bytes;
	uint32_t kind;
};

struct eh_queue {
	eh_device *device;
	hipStream_t stream;
};

struct eh_mark {
	eh_device *device;
	hipEvent_t event;
	eh_queue *queue;           /* where it was recorded last, NULL = nowhere            */
};

struct eh_program {
	eh_device *device;
	hipModule_t module;
	eh_kernel *kernels;        /* a list, one per name                                  */
	bool from_cache;
	char flags[512];
	void *code;                /* the code object, an ELF file or a bundle with one     */
	size_t code_size;
};

struct eh_kernel {
	eh_program *program;
	eh_kernel *next;
	hipFunction_t function;
	char *name;
	int64_t argument_count;    /* CHECKS_ANY_COUNT = not known                          */
	checks_limits limits;      /* the device's, and the kernel's own group size         */
};

/* hip_start.c */
eh_status hip_start(const eh_host *host, void **self, eh_error *error);
void hip_start_stop(void *self);
void hip_start_notes(void *self, char *text, size_t size);
const void *hip_start_extension(void *self, const char *name);

/* hip_devices.c */
eh_status hip_devices_count(void *self, uint32_t *count, eh_error *error);
eh_status hip_devices_info(void *self, uint32_t index, eh_device_info *info, eh_error *error);
eh_status hip_devices_open(void *self, uint32_t index, eh_device **device, eh_error *error);
void hip_devices_close(eh_device *device);
/* False, with the fact among the gaps and 0 in *value, for what the runtime does not tell. */
bool hip_devices_attribute(const hip_query *query, hipDeviceAttribute_t attribute,
                           const char *fact, int *value);
/* Makes the device the calling thread's, and refuses one that was lost. */
eh_status hip_devices_enter(eh_device *device, const char *slot, eh_error *error);
/* The same where nothing can be reported: to free what was made. */
void hip_devices_enter_quietly(eh_device *device);
/* hip_error_call for a call on the device: remembers a loss. */
__attribute__((format(printf, 5, 6)))
eh_status hip_devices_failed(eh_device *device, eh_error *error, hipError_t rc, const char *where,
                             const char *format, ...);
/* "6.2.41133", "" = unknown. */
void hip_devices_version(int version, char *text, size_t size);

/* hip_layers.c */
eh_status hip_layers_get(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

/* hip_memory.c */
eh_status hip_memory_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                           eh_error *error);
void hip_memory_free(eh_buffer *buffer);
void *hip_memory_host_pointer(eh_buffer *buffer);

/* hip_copies.c */
eh_status hip_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                          uint32_t pattern, eh_error *error);
eh_status hip_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                          uint64_t from_offset, uint64_t bytes, eh_error *error);
eh_status hip_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                            uint64_t bytes, eh_error *error);
eh_status hip_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                              uint64_t bytes, eh_error *error);

/* hip_queue.c */
eh_status hip_queue_create(eh_device *device, eh_queue **queue, eh_error *error);
void hip_queue_destroy(eh_queue *queue);
eh_status hip_queue_wait(eh_queue *queue, eh_error *error);

/* hip_marks.c */
eh_status hip_marks_create(eh_device *device, eh_mark **mark, eh_error *error);
void hip_marks_destroy(eh_mark *mark);
eh_status hip_marks_record(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status hip_marks_wait(eh_mark *mark, eh_error *error);
eh_status hip_marks_passed(eh_mark *mark, uint32_t *passed, eh_error *error);
eh_status hip_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

/* hip_compile.c */
/* Compiles source for the device and fills code and flags of *program. */
eh_status hip_compile(const eh_device *device, const eh_source *source, eh_program *program,
                      char *log, size_t log_size, eh_error *error);
/* "9.0 of HIP 5.2.21153", or "" without hiprtc. */
void hip_compile_version(const hip_self *self, char *text, size_t size);
#define HIP_COMPILE_FLAGS "-O3"

/* hip_metadata.c */
/* How many arguments the kernel takes, as the code object's metadata says; CHECKS_ANY_COUNT when
 * they cannot be read. */
int64_t hip_metadata_arguments(const void *code, size_t size, const char *kernel);

/* hip_programs.c */
eh_status hip_programs_build(eh_device *device, const eh_source *source, eh_program **program,
                             char *log, size_t log_size, eh_error *error);
void hip_programs_destroy(eh_program *program);
eh_status hip_programs_info(eh_program *program, eh_program_info *info, eh_error *error);

/* hip_kernels.c */
eh_status hip_kernels_get(eh_program *program, const char *name, eh_kernel **kernel,
                          eh_error *error);
void hip_kernels_free(eh_kernel *kernel);
eh_status hip_kernels_info(eh_kernel *kernel, eh_kernel_info *info, eh_error *error);
eh_status hip_kernels_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                             eh_error *error);

/* hip_graphs.c, hip_peers.c: the tables of the extensions. */
const void *hip_graphs_table(const hip_api *api);
const void *hip_peers_table(const hip_api *api);

#endif
