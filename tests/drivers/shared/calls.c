/* SPDX-License-Identifier: Apache-2.0 */
#include "calls.h"

#include <stdlib.h>

#include "driver.h"
#include "faults.h"

int64_t calls_stream_create(streams_device *device, unsigned flags, unsigned nonblocking, void **out)
{
	streams_stream *stream;

	if ((flags & ~nonblocking) != 0)
		return CALLS_INVALID_VALUE;
	stream = streams_new(device, (flags & nonblocking) == 0);
	driver_note(DRIVER_STREAM, stream);
	*out = stream;
	return CALLS_OK;
}

int64_t calls_stream_destroy(void *stream)
{
	if (!driver_known(DRIVER_STREAM, stream))
		return CALLS_INVALID_HANDLE;
	driver_forget(DRIVER_STREAM, stream);
	streams_free(stream);
	return CALLS_OK;
}

int64_t calls_stream_wait(streams_stream *stream)
{
	if (stream == NULL)
		return CALLS_INVALID_HANDLE;
	if (streams_capturing(stream))
		return CALLS_CAPTURE_UNSUPPORTED;
	return streams_wait(stream);
}

int64_t calls_stream_query(streams_stream *stream)
{
	bool done = false;
	int64_t rc;

	if (stream == NULL)
		return CALLS_INVALID_HANDLE;
	rc = streams_query(stream, &done);
	return rc != CALLS_OK || done ? rc : CALLS_NOT_READY;
}

int64_t calls_stream_wait_event(streams_stream *stream, void *event)
{
	if (stream == NULL || !driver_known(DRIVER_EVENT, event))
		return CALLS_INVALID_HANDLE;
	return streams_wait_for(stream, event);
}

int64_t calls_event_create(bool timed, void **out)
{
	streams_event *event = streams_event_new(timed);

	driver_note(DRIVER_EVENT, event);
	*out = event;
	return CALLS_OK;
}

int64_t calls_event_destroy(void *event)
{
	if (!driver_known(DRIVER_EVENT, event))
		return CALLS_INVALID_HANDLE;
	driver_forget(DRIVER_EVENT, event);
	streams_event_free(event);
	return CALLS_OK;
}

int64_t calls_event_record(void *event, streams_stream *stream)
{
	if (stream == NULL || !driver_known(DRIVER_EVENT, event))
		return CALLS_INVALID_HANDLE;
	return streams_event_record(event, stream);
}

int64_t calls_event_wait(void *event)
{
	return driver_known(DRIVER_EVENT, event) ? streams_event_wait(event) : CALLS_INVALID_HANDLE;
}

int64_t calls_event_query(void *event)
{
	bool done = false;
	int64_t rc;

	if (!driver_known(DRIVER_EVENT, event))
		return CALLS_INVALID_HANDLE;
	rc = streams_event_query(event, &done);
	return rc != CALLS_OK || done ? rc : CALLS_NOT_READY;
}

int64_t calls_event_elapsed(float *ms, const void *from, const void *to)
{
	uint64_t begin = 0, end = 0;

	if (!driver_known(DRIVER_EVENT, from) || !driver_known(DRIVER_EVENT, to) ||
	    !streams_event_recorded(from) || !streams_event_recorded(to) ||
	    !streams_event_timed(from) || !streams_event_timed(to))
		return CALLS_INVALID_HANDLE;
	if (!streams_event_time(from, &begin) || !streams_event_time(to, &end))
		return CALLS_NOT_READY;
	/* Backwards is negative, as the API allows for events of two streams. */
	*ms = (float)((double)(int64_t)faults_elapsed(begin, end) * 1e-6);
	return CALLS_OK;
}

int64_t calls_capture_begin(streams_stream *stream, streams_device *device)
{
	if (stream == NULL)
		return CALLS_INVALID_HANDLE;
	if (stream == streams_device_legacy(device))
		return CALLS_CAPTURE_UNSUPPORTED;
	return streams_capture_begin(stream) ? CALLS_OK : CALLS_ILLEGAL_STATE;
}

int64_t calls_capture_end(streams_stream *stream, void **out)
{
	streams_graph *graph;

	if (stream == NULL)
		return CALLS_INVALID_HANDLE;
	graph = streams_capture_end(stream);
	if (graph == NULL)
		return CALLS_ILLEGAL_STATE;
	driver_note(DRIVER_GRAPH, graph);
	*out = graph;
	return CALLS_OK;
}

int64_t calls_graph_nodes(const void *graph, bool nodes, size_t *count)
{
	if (!driver_known(DRIVER_GRAPH, graph))
		return CALLS_INVALID_VALUE;
	if (nodes)
		return CALLS_NOT_SUPPORTED;
	*count = streams_graph_size(graph);
	return CALLS_OK;
}

/* An executable graph is a box around the graph, which it keeps. */
int64_t calls_graph_make(void *graph, void **exec)
{
	streams_graph **box;

	if (!driver_known(DRIVER_GRAPH, graph))
		return CALLS_INVALID_VALUE;
	box = malloc(sizeof(*box));
	if (box == NULL)
		abort();
	*box = graph;
	streams_graph_hold(*box);
	driver_note(DRIVER_GRAPH_EXEC, box);
	*exec = box;
	return CALLS_OK;
}

int64_t calls_graph_launch(void *exec, streams_stream *stream)
{
	if (stream == NULL || !driver_known(DRIVER_GRAPH_EXEC, exec))
		return CALLS_INVALID_HANDLE;
	return streams_graph_launch(*(streams_graph **)exec, stream);
}

int64_t calls_graph_exec_destroy(void *exec)
{
	if (!driver_known(DRIVER_GRAPH_EXEC, exec))
		return CALLS_INVALID_VALUE;
	driver_forget(DRIVER_GRAPH_EXEC, exec);
	streams_graph_drop(*(streams_graph **)exec);
	free(exec);
	return CALLS_OK;
}

int64_t calls_graph_destroy(void *graph)
{
	if (!driver_known(DRIVER_GRAPH, graph))
		return CALLS_INVALID_VALUE;
	driver_forget(DRIVER_GRAPH, graph);
	streams_graph_drop(graph);
	return CALLS_OK;
}
