/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the backends of stream APIs share.  The CUDA driver API and HIP have the same contexts,
 * streams, events, modules and graphs under names and types of their own.  What is done with them
 * is written once, in shared/stream_*.h, and compiled into each such backend against the vendor's
 * types: the compiler checks every call, and no handle becomes a void *.  A backend defines these
 * words, then includes this file, and in one source file each stream_errors.h (behind its table
 * `codes`) and the others.
 *
 *   types     stream_api       its functions; those that are called here have one name in all
 *             stream_rc stream_handle stream_event stream_module stream_function stream_attribute
 *             stream_graph stream_graph_exec stream_peer_attribute   the vendor's
 *             stream_address   of memory, as the device sees it
 *             stream_place     what a thread enters to work on a device: a context, a number
 *             stream_pattern   of a fill
 *   texts     STREAM_VENDOR, "CUDA"       STREAM_CALLS, a struct with each function's names
 *   codes     STREAM_OK STREAM_NOT_READY STREAM_NOT_FOUND STREAM_NOT_CAPTURED STREAM_ALREADY_PEERS
 *   flags     STREAM_HANDLE_FLAGS STREAM_EVENT_TIMED(device) STREAM_EVENT_UNTIMED
 *             STREAM_EVENT_BLOCKS STREAM_SCHEDULE_BLOCKS
 *             STREAM_CAPTURE_MODE STREAM_HOST_FLAGS STREAM_MANAGED_FLAGS
 *   others    STREAM_MOST_ITEMS            work-items in one dimension, 0 = any number
 *             STREAM_ATTRIBUTE(NAME)       of a function
 *             STREAM_PEER_RANK STREAM_PEER_ATOMICS   facts of two devices
 *             STREAM_AT(address, offset)   the address behind another
 *
 * and struct eh_device and struct eh_program, with these members among others:
 *
 *   eh_device   self (with host, schedule) api device place opening lost limits gaps info
 *   eh_program  device module kernels
 *
 * and the functions that are called the vendor's below.
 */
#ifndef SHARED_STREAMAPI_H
#define SHARED_STREAMAPI_H

#include "evenhand/extensions.h"

#include "checks.h"
#include "failure.h"
#include "products.h"
#include "vendorlib.h"
#include "wording.h"

struct eh_buffer {
	eh_device *device;
	stream_address address;
	void *host;                /* NULL for device memory                                */
	uint64_t bytes;
	uint32_t kind;
};

struct eh_queue {
	eh_device *device;
	stream_handle stream;
	bool timed;
};

struct eh_mark {
	eh_device *device;
	stream_event event;
	eh_queue *queue;           /* where it was recorded last, NULL = nowhere            */
	bool timed;
};

struct eh_graph {
	eh_device *device;
	stream_graph_exec exec;
};

struct eh_kernel {
	eh_program *program;
	eh_kernel *next;
	stream_function function;
	char *name;
	int64_t argument_count;    /* CHECKS_ANY_COUNT = not known                          */
	checks_limits limits;      /* the device's, and the kernel's own group size         */
	unsigned local_most;       /* of a launch's local memory that the driver was told   */
};

/* One code of the vendor's. */
typedef struct stream_code {
	failure_code code;
	bool sticky;               /* after it only a new process helps                     */
	const char *remedy;
} stream_code;

/* ---- stream_errors.h ---- */

/* The vendor's own name of a code that is not in the table, or NULL. */
const char *stream_vendor_name(const stream_api *api, stream_rc rc);

/* The name from the table, else the vendor's, else "unknown CUDA error". */
const char *stream_error_name(const stream_api *api, stream_rc rc);
bool stream_error_is_sticky(stream_rc rc);
eh_status stream_error_status(stream_rc rc);

/* Fills *error for a failed call and returns its status, which follows from rc.  The message ends
 * with the call, the code's name and, where one is known, the remedy.  `where` is the function's
 * name, or its names as STREAM_CALLS has them. */
__attribute__((format(printf, 5, 6)))
eh_status stream_error_call(const stream_api *api, eh_error *error, stream_rc rc, const char *where,
                            const char *format, ...);

/* The same with the status given, for calls after which rc has a special meaning. */
__attribute__((format(printf, 6, 7)))
eh_status stream_error_as(const stream_api *api, eh_error *error, eh_status code, stream_rc rc,
                          const char *where, const char *format, ...);

/* Notes a fact that was not reported. */
void stream_error_gap(const stream_api *api, wording_gaps *gaps, const char *fact, stream_rc rc,
                      const char *where);

/* ---- stream_devices.h ---- */

/* Makes the device's place the calling thread's, and refuses a device that was lost. */
eh_status stream_devices_enter(eh_device *device, const char *slot, eh_error *error);
/* The same where nothing can be reported: for freeing. */
void stream_devices_enter_quietly(eh_device *device);
/* The calling thread has no device's place any more. */
void stream_devices_leave(void);
/* Gives the device its opening, a number of its own in this process. */
void stream_devices_open(eh_device *device);
/* stream_error_call for a call on the device: remembers a loss. */
__attribute__((format(printf, 5, 6)))
eh_status stream_devices_failed(eh_device *device, eh_error *error, stream_rc rc, const char *where,
                                const char *format, ...);

/* ---- the slots of eh_backend_ops that the other files fill ---- */

eh_status stream_memory_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                              eh_error *error);
void stream_memory_free(eh_buffer *buffer);
void *stream_memory_host_pointer(eh_buffer *buffer);

eh_status stream_copies_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                             uint32_t pattern, eh_error *error);
eh_status stream_copies_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                             uint64_t from_offset, uint64_t bytes, eh_error *error);
eh_status stream_copies_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                               uint64_t bytes, eh_error *error);
eh_status stream_copies_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                                 uint64_t bytes, eh_error *error);
/* Provided by the vendor's part: a copy with at least one side outside the device's own memory. */
stream_rc stream_vendor_copy(const stream_api *api, stream_address to, stream_address from,
                             size_t bytes, stream_handle stream);

eh_status stream_queue_create(eh_device *device, uint32_t flags, eh_queue **queue,
                              eh_error *error);
void stream_queue_destroy(eh_queue *queue);
eh_status stream_queue_wait(eh_queue *queue, eh_error *error);
eh_status stream_queue_wait_mark(eh_queue *queue, eh_mark *mark, eh_error *error);

eh_status stream_marks_create(eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error);
void stream_marks_destroy(eh_mark *mark);
eh_status stream_marks_record(eh_queue *queue, eh_mark *mark, eh_error *error);
eh_status stream_marks_wait(eh_mark *mark, eh_error *error);
eh_status stream_marks_passed(eh_mark *mark, uint32_t *passed, eh_error *error);
eh_status stream_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error);

eh_status stream_kernels_get(eh_program *program, const char *name, eh_kernel **kernel,
                             eh_error *error);
/* Frees all of a program. */
void stream_kernels_free(eh_program *program);
eh_status stream_kernels_info(eh_kernel *kernel, eh_kernel_info *info, eh_error *error);
eh_status stream_kernels_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                                eh_error *error);
/* Provided by the vendor's part: the kernel's number of arguments, CHECKS_ANY_COUNT when it is
 * unknown. */
int64_t stream_vendor_arguments(const eh_program *program, const char *kernel);
/* Provided by the vendor's part: the local memory of a group that the launch asks the driver for, 0
 * where all of it is static.  Tells the driver first, where it must know the most. */
eh_status stream_vendor_local(eh_kernel *kernel, const eh_launch *launch, unsigned *bytes,
                              eh_error *error);

/* ---- stream_products.h ---- */

/* EH_E_INVALID_ARGUMENT for operands that do not fit a product prepared for the device. */
eh_status stream_products_check(const eh_queue *queue, const eh_device *device, const products_bytes *bytes,
                                uint64_t workspace, const eh_gemm_operands *operands, eh_error *error);
/* The address as the libraries of products take it. */
void *stream_products_at(const eh_buffer *buffer, uint64_t offset);

/* The tables of eh.graph.1 and eh.peer.1, NULL where the driver lacks a function of theirs. */
const void *stream_graphs_table(const stream_api *api);
const void *stream_peers_table(const stream_api *api);
/* Provided by the vendor's part: whether graphs can be launched, and making one; *where is the
 * call. */
bool stream_vendor_can_graph(const stream_api *api);
stream_rc stream_vendor_graph(const stream_api *api, stream_graph captured,
                              stream_graph_exec *exec, const char **where);

#endif
