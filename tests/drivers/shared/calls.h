/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of a stream API behind their entries: handles checked, then shared/streams.h.
 * Codes are those of the CUDA driver API, which HIP took over with their numbers.  Under the
 * driver's lock.  A stream is NULL where its handle is none.
 */
#ifndef DRIVERS_CALLS_H
#define DRIVERS_CALLS_H

#include <stddef.h>

#include "streams.h"

enum {
	CALLS_OK = 0,
	CALLS_INVALID_VALUE = 1,
	CALLS_INVALID_HANDLE = 400,
	CALLS_ILLEGAL_STATE = 401,
	CALLS_NOT_READY = 600,
	CALLS_NOT_SUPPORTED = 801,
	CALLS_CAPTURE_UNSUPPORTED = 900
};

/* nonblocking: the flag that says so, of the flags that were given. */
int64_t calls_stream_create(streams_device *device, unsigned flags, unsigned nonblocking, void **out);
int64_t calls_stream_destroy(void *stream);
int64_t calls_stream_wait(streams_stream *stream);
int64_t calls_stream_query(streams_stream *stream);
int64_t calls_stream_wait_event(streams_stream *stream, void *event);

int64_t calls_event_create(bool timed, void **out);
int64_t calls_event_destroy(void *event);
int64_t calls_event_record(void *event, streams_stream *stream);
int64_t calls_event_wait(void *event);
int64_t calls_event_query(void *event);
int64_t calls_event_elapsed(float *ms, const void *from, const void *to);

int64_t calls_capture_begin(streams_stream *stream, streams_device *device);
int64_t calls_capture_end(streams_stream *stream, void **graph);
/* nodes: whether they are wanted themselves. */
int64_t calls_graph_nodes(const void *graph, bool nodes, size_t *count);
int64_t calls_graph_make(void *graph, void **exec);
int64_t calls_graph_launch(void *exec, streams_stream *stream);
int64_t calls_graph_exec_destroy(void *exec);
int64_t calls_graph_destroy(void *graph);

#endif
