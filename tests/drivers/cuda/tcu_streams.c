/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and graphs: thin, over shared/streams.h. */
#include <stdlib.h>

#include "tcu_state.h"

static CUresult create_stream(tcu_device *device, CUstream *out, unsigned flags)
{
	streams_stream *stream;

	if ((flags & ~(unsigned)CU_STREAM_NON_BLOCKING) != 0)
		return CUDA_ERROR_INVALID_VALUE;
	stream = streams_new(device->streams, !(flags & CU_STREAM_NON_BLOCKING));
	tcu_note(TCU_STREAM, stream);
	*out = (CUstream)stream;
	return CUDA_SUCCESS;
}

TCU_API cuStreamCreate(CUstream *out, unsigned flags)
{
	TCU_ENTER_CONTEXT("cuStreamCreate");

	return create_stream(device, out, flags);
}

TCU_API cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
	TCU_ENTER_CONTEXT("cuStreamCreateWithPriority");

	(void)priority;
	return create_stream(device, out, flags);
}

TCU_API cuStreamDestroy_v2(CUstream stream)
{
	TCU_ENTER("cuStreamDestroy_v2");

	if (!tcu_known(TCU_STREAM, stream))
		return CUDA_ERROR_INVALID_HANDLE;
	tcu_forget(TCU_STREAM, stream);
	streams_free((streams_stream *)stream);
	return CUDA_SUCCESS;
}

TCU_API cuStreamSynchronize(CUstream handle)
{
	streams_stream *stream;
	TCU_ENTER_CONTEXT("cuStreamSynchronize");

	stream = tcu_stream_of(device, handle);
	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (streams_capturing(stream))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return (CUresult)streams_wait(stream);
}

TCU_API cuStreamQuery(CUstream handle)
{
	streams_stream *stream;
	bool done = false;
	CUresult rc;
	TCU_ENTER_CONTEXT("cuStreamQuery");

	stream = tcu_stream_of(device, handle);
	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	rc = (CUresult)streams_query(stream, &done);
	return rc != CUDA_SUCCESS || done ? rc : CUDA_ERROR_NOT_READY;
}

TCU_API cuEventCreate(CUevent *out, unsigned flags)
{
	streams_event *event;
	TCU_ENTER_CONTEXT("cuEventCreate");

	(void)device;
	event = streams_event_new(!(flags & CU_EVENT_DISABLE_TIMING));
	tcu_note(TCU_EVENT, event);
	*out = (CUevent)event;
	return CUDA_SUCCESS;
}

TCU_API cuEventDestroy_v2(CUevent event)
{
	TCU_ENTER("cuEventDestroy_v2");

	if (!tcu_known(TCU_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	tcu_forget(TCU_EVENT, event);
	streams_event_free((streams_event *)event);
	return CUDA_SUCCESS;
}

TCU_API cuEventRecord(CUevent event, CUstream handle)
{
	streams_stream *stream;
	TCU_ENTER_CONTEXT("cuEventRecord");

	stream = tcu_stream_of(device, handle);
	if (stream == NULL || !tcu_known(TCU_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	return (CUresult)streams_event_record((streams_event *)event, stream);
}

TCU_API cuEventSynchronize(CUevent event)
{
	TCU_ENTER_CONTEXT("cuEventSynchronize");

	(void)device;
	if (!tcu_known(TCU_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	return (CUresult)streams_event_wait((streams_event *)event);
}

TCU_API cuEventQuery(CUevent event)
{
	bool done = false;
	CUresult rc;
	TCU_ENTER_CONTEXT("cuEventQuery");

	(void)device;
	if (!tcu_known(TCU_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	rc = (CUresult)streams_event_query((streams_event *)event, &done);
	return rc != CUDA_SUCCESS || done ? rc : CUDA_ERROR_NOT_READY;
}

static CUresult elapsed(float *ms, CUevent from, CUevent to)
{
	const streams_event *a = (const streams_event *)from, *b = (const streams_event *)to;
	uint64_t begin = 0, end = 0;

	if (!tcu_known(TCU_EVENT, from) || !tcu_known(TCU_EVENT, to) ||
	    !streams_event_recorded(a) || !streams_event_recorded(b) || !streams_event_timed(a) ||
	    !streams_event_timed(b))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!streams_event_time(a, &begin) || !streams_event_time(b, &end))
		return CUDA_ERROR_NOT_READY;
	/* Backwards is negative, as the API allows for events of two streams. */
	*ms = (float)((double)(int64_t)faults_elapsed(begin, end) * 1e-6);
	return CUDA_SUCCESS;
}

TCU_API cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
	TCU_ENTER_CONTEXT("cuEventElapsedTime");

	(void)device;
	return elapsed(ms, from, to);
}

TCU_API cuEventElapsedTime_v2(float *ms, CUevent from, CUevent to)
{
	TCU_ENTER_CONTEXT("cuEventElapsedTime_v2");

	(void)device;
	return elapsed(ms, from, to);
}

TCU_API cuStreamWaitEvent(CUstream handle, CUevent event, unsigned flags)
{
	streams_stream *stream;
	TCU_ENTER_CONTEXT("cuStreamWaitEvent");

	(void)flags;
	stream = tcu_stream_of(device, handle);
	if (stream == NULL || !tcu_known(TCU_EVENT, event))
		return CUDA_ERROR_INVALID_HANDLE;
	return (CUresult)streams_wait_for(stream, (streams_event *)event);
}

TCU_API cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
	streams_stream *stream;
	TCU_ENTER_CONTEXT("cuStreamBeginCapture_v2");

	(void)mode;
	stream = tcu_stream_of(device, handle);
	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (stream == streams_device_legacy(device->streams))
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	return streams_capture_begin(stream) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
}

TCU_API cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
	streams_stream *stream;
	TCU_ENTER_CONTEXT("cuStreamIsCapturing");

	stream = tcu_stream_of(device, handle);
	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	*status = streams_capturing(stream) ? CU_STREAM_CAPTURE_STATUS_ACTIVE
	                                    : CU_STREAM_CAPTURE_STATUS_NONE;
	return CUDA_SUCCESS;
}

TCU_API cuStreamEndCapture(CUstream handle, CUgraph *out)
{
	streams_stream *stream;
	streams_graph *graph;
	TCU_ENTER_CONTEXT("cuStreamEndCapture");

	stream = tcu_stream_of(device, handle);
	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	graph = streams_capture_end(stream);
	if (graph == NULL)
		return CUDA_ERROR_ILLEGAL_STATE;
	tcu_note(TCU_GRAPH, graph);
	*out = (CUgraph)graph;
	return CUDA_SUCCESS;
}

TCU_API cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	TCU_ENTER_CONTEXT("cuGraphGetNodes");

	(void)device;
	if (!tcu_known(TCU_GRAPH, graph))
		return CUDA_ERROR_INVALID_VALUE;
	if (nodes != NULL)
		return CUDA_ERROR_NOT_SUPPORTED;
	*count = streams_graph_size((streams_graph *)graph);
	return CUDA_SUCCESS;
}

/* An executable graph is a box around the graph, which it keeps. */
static CUresult instantiate(CUgraphExec *out, CUgraph graph)
{
	streams_graph **box;

	if (!tcu_known(TCU_GRAPH, graph))
		return CUDA_ERROR_INVALID_VALUE;
	box = malloc(sizeof(*box));
	if (box == NULL)
		abort();
	*box = (streams_graph *)graph;
	streams_graph_hold(*box);
	tcu_note(TCU_GRAPH_EXEC, box);
	*out = (CUgraphExec)box;
	return CUDA_SUCCESS;
}

TCU_API cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
	TCU_ENTER_CONTEXT("cuGraphInstantiateWithFlags");

	(void)device;
	(void)flags;
	return instantiate(out, graph);
}

TCU_API cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph, CUgraphNode *at, char *log,
                              size_t size)
{
	TCU_ENTER_CONTEXT("cuGraphInstantiate_v2");

	(void)device;
	if (at != NULL)
		*at = NULL;
	if (log != NULL && size > 0)
		log[0] = '\0';
	return instantiate(out, graph);
}

TCU_API cuGraphLaunch(CUgraphExec exec, CUstream handle)
{
	streams_stream *stream;
	TCU_ENTER_CONTEXT("cuGraphLaunch");

	stream = tcu_stream_of(device, handle);
	if (stream == NULL || !tcu_known(TCU_GRAPH_EXEC, exec))
		return CUDA_ERROR_INVALID_HANDLE;
	return (CUresult)streams_graph_launch(*(streams_graph **)exec, stream);
}

TCU_API cuGraphExecDestroy(CUgraphExec exec)
{
	TCU_ENTER("cuGraphExecDestroy");

	if (!tcu_known(TCU_GRAPH_EXEC, exec))
		return CUDA_ERROR_INVALID_VALUE;
	tcu_forget(TCU_GRAPH_EXEC, exec);
	streams_graph_drop(*(streams_graph **)exec);
	free(exec);
	return CUDA_SUCCESS;
}

TCU_API cuGraphDestroy(CUgraph graph)
{
	TCU_ENTER("cuGraphDestroy");

	if (!tcu_known(TCU_GRAPH, graph))
		return CUDA_ERROR_INVALID_VALUE;
	tcu_forget(TCU_GRAPH, graph);
	streams_graph_drop((streams_graph *)graph);
	return CUDA_SUCCESS;
}
