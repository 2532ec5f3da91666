/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and graphs: thin, over shared/streams.h. */
#include <stdlib.h>

#include "thip_state.h"

static hipError_t create_stream(thip_device *device, hipStream_t *out, unsigned flags)
{
	streams_stream *stream;

	if ((flags & ~(unsigned)hipStreamNonBlocking) != 0)
		return hipErrorInvalidValue;
	stream = streams_new(device->streams, !(flags & hipStreamNonBlocking));
	thip_note(THIP_STREAM, stream);
	*out = (hipStream_t)stream;
	return hipSuccess;
}

THIP_API hipStreamCreate(hipStream_t *out)
{
	THIP_ENTER_DEVICE("hipStreamCreate");

	return create_stream(device, out, hipStreamDefault);
}

THIP_API hipStreamCreateWithFlags(hipStream_t *out, unsigned flags)
{
	THIP_ENTER_DEVICE("hipStreamCreateWithFlags");

	return create_stream(device, out, flags);
}

THIP_API hipStreamDestroy(hipStream_t stream)
{
	THIP_ENTER("hipStreamDestroy");

	if (!thip_known(THIP_STREAM, stream))
		return hipErrorInvalidHandle;
	thip_forget(THIP_STREAM, stream);
	streams_free((streams_stream *)stream);
	return hipSuccess;
}

THIP_API hipStreamSynchronize(hipStream_t handle)
{
	streams_stream *stream;
	THIP_ENTER_DEVICE("hipStreamSynchronize");

	stream = thip_stream_of(device, handle);
	if (stream == NULL)
		return hipErrorInvalidHandle;
	if (streams_capturing(stream))
		return hipErrorStreamCaptureUnsupported;
	return (hipError_t)streams_wait(stream);
}

THIP_API hipStreamQuery(hipStream_t handle)
{
	streams_stream *stream;
	bool done = false;
	hipError_t rc;
	THIP_ENTER_DEVICE("hipStreamQuery");

	stream = thip_stream_of(device, handle);
	if (stream == NULL)
		return hipErrorInvalidHandle;
	rc = (hipError_t)streams_query(stream, &done);
	return rc != hipSuccess || done ? rc : hipErrorNotReady;
}

THIP_API hipEventCreateWithFlags(hipEvent_t *out, unsigned flags)
{
	streams_event *event;
	THIP_ENTER_DEVICE("hipEventCreateWithFlags");

	(void)device;
	event = streams_event_new(!(flags & hipEventDisableTiming));
	thip_note(THIP_EVENT, event);
	*out = (hipEvent_t)event;
	return hipSuccess;
}

THIP_API hipEventDestroy(hipEvent_t event)
{
	THIP_ENTER("hipEventDestroy");

	if (!thip_known(THIP_EVENT, event))
		return hipErrorInvalidHandle;
	thip_forget(THIP_EVENT, event);
	streams_event_free((streams_event *)event);
	return hipSuccess;
}

THIP_API hipEventRecord(hipEvent_t event, hipStream_t handle)
{
	streams_stream *stream;
	THIP_ENTER_DEVICE("hipEventRecord");

	stream = thip_stream_of(device, handle);
	if (stream == NULL || !thip_known(THIP_EVENT, event))
		return hipErrorInvalidHandle;
	return (hipError_t)streams_event_record((streams_event *)event, stream);
}

THIP_API hipEventSynchronize(hipEvent_t event)
{
	THIP_ENTER_DEVICE("hipEventSynchronize");

	(void)device;
	if (!thip_known(THIP_EVENT, event))
		return hipErrorInvalidHandle;
	return (hipError_t)streams_event_wait((streams_event *)event);
}

THIP_API hipEventQuery(hipEvent_t event)
{
	bool done = false;
	hipError_t rc;
	THIP_ENTER_DEVICE("hipEventQuery");

	(void)device;
	if (!thip_known(THIP_EVENT, event))
		return hipErrorInvalidHandle;
	rc = (hipError_t)streams_event_query((streams_event *)event, &done);
	return rc != hipSuccess || done ? rc : hipErrorNotReady;
}

THIP_API hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to)
{
	const streams_event *a = (const streams_event *)from, *b = (const streams_event *)to;
	uint64_t begin = 0, end = 0;
	THIP_ENTER_DEVICE("hipEventElapsedTime");

	(void)device;
	if (!thip_known(THIP_EVENT, from) || !thip_known(THIP_EVENT, to) ||
	    !streams_event_recorded(a) || !streams_event_recorded(b) || !streams_event_timed(a) ||
	    !streams_event_timed(b))
		return hipErrorInvalidHandle;
	if (!streams_event_time(a, &begin) || !streams_event_time(b, &end))
		return hipErrorNotReady;
	/* Backwards is negative, as the API allows for events of two streams. */
	*ms = (float)((double)(int64_t)faults_elapsed(begin, end) * 1e-6);
	return hipSuccess;
}

THIP_API hipStreamWaitEvent(hipStream_t handle, hipEvent_t event, unsigned flags)
{
	streams_stream *stream;
	THIP_ENTER_DEVICE("hipStreamWaitEvent");

	(void)flags;
	stream = thip_stream_of(device, handle);
	if (stream == NULL || !thip_known(THIP_EVENT, event))
		return hipErrorInvalidHandle;
	return (hipError_t)streams_wait_for(stream, (streams_event *)event);
}

THIP_API hipStreamBeginCapture(hipStream_t handle, hipStreamCaptureMode mode)
{
	streams_stream *stream;
	THIP_ENTER_DEVICE("hipStreamBeginCapture");

	(void)mode;
	stream = thip_stream_of(device, handle);
	if (stream == NULL)
		return hipErrorInvalidHandle;
	if (stream == streams_device_legacy(device->streams))
		return hipErrorStreamCaptureUnsupported;
	return streams_capture_begin(stream) ? hipSuccess : hipErrorIllegalState;
}

THIP_API hipStreamIsCapturing(hipStream_t handle, hipStreamCaptureStatus *status)
{
	streams_stream *stream;
	THIP_ENTER_DEVICE("hipStreamIsCapturing");

	stream = thip_stream_of(device, handle);
	if (stream == NULL)
		return hipErrorInvalidHandle;
	*status = streams_capturing(stream) ? hipStreamCaptureStatusActive
	                                    : hipStreamCaptureStatusNone;
	return hipSuccess;
}

THIP_API hipStreamEndCapture(hipStream_t handle, hipGraph_t *out)
{
	streams_stream *stream;
	streams_graph *graph;
	THIP_ENTER_DEVICE("hipStreamEndCapture");

	stream = thip_stream_of(device, handle);
	if (stream == NULL)
		return hipErrorInvalidHandle;
	graph = streams_capture_end(stream);
	if (graph == NULL)
		return hipErrorIllegalState;
	thip_note(THIP_GRAPH, graph);
	*out = (hipGraph_t)graph;
	return hipSuccess;
}

THIP_API hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
	THIP_ENTER_DEVICE("hipGraphGetNodes");

	(void)device;
	if (!thip_known(THIP_GRAPH, graph))
		return hipErrorInvalidValue;
	if (nodes != NULL)
		return hipErrorNotSupported;
	*count = streams_graph_size((streams_graph *)graph);
	return hipSuccess;
}

/* An executable graph is a box around the graph, which it keeps. */
static hipError_t instantiate(hipGraphExec_t *out, hipGraph_t graph)
{
	streams_graph **box;

	if (!thip_known(THIP_GRAPH, graph))
		return hipErrorInvalidValue;
	box = malloc(sizeof(*box));
	if (box == NULL)
		abort();
	*box = (streams_graph *)graph;
	streams_graph_hold(*box);
	thip_note(THIP_GRAPH_EXEC, box);
	*out = (hipGraphExec_t)box;
	return hipSuccess;
}

THIP_API hipGraphInstantiateWithFlags(hipGraphExec_t *out, hipGraph_t graph,
                                      unsigned long long flags)
{
	THIP_ENTER_DEVICE("hipGraphInstantiateWithFlags");

	(void)device;
	(void)flags;
	return instantiate(out, graph);
}

THIP_API hipGraphInstantiate(hipGraphExec_t *out, hipGraph_t graph, hipGraphNode_t *at, char *log,
                              size_t size)
{
	THIP_ENTER_DEVICE("hipGraphInstantiate");

	(void)device;
	if (at != NULL)
		*at = NULL;
	if (log != NULL && size > 0)
		log[0] = '\0';
	return instantiate(out, graph);
}

THIP_API hipGraphLaunch(hipGraphExec_t exec, hipStream_t handle)
{
	streams_stream *stream;
	THIP_ENTER_DEVICE("hipGraphLaunch");

	stream = thip_stream_of(device, handle);
	if (stream == NULL || !thip_known(THIP_GRAPH_EXEC, exec))
		return hipErrorInvalidHandle;
	return (hipError_t)streams_graph_launch(*(streams_graph **)exec, stream);
}

THIP_API hipGraphExecDestroy(hipGraphExec_t exec)
{
	THIP_ENTER("hipGraphExecDestroy");

	if (!thip_known(THIP_GRAPH_EXEC, exec))
		return hipErrorInvalidValue;
	thip_forget(THIP_GRAPH_EXEC, exec);
	streams_graph_drop(*(streams_graph **)exec);
	free(exec);
	return hipSuccess;
}

THIP_API hipGraphDestroy(hipGraph_t graph)
{
	THIP_ENTER("hipGraphDestroy");

	if (!thip_known(THIP_GRAPH, graph))
		return hipErrorInvalidValue;
	thip_forget(THIP_GRAPH, graph);
	streams_graph_drop((streams_graph *)graph);
	return hipSuccess;
}
