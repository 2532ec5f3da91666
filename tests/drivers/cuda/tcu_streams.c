/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and graphs: the entries of shared/calls.h under the vendor's names. */
#include "../shared/calls.h"
#include "tcu_state.h"

_Static_assert(CUDA_ERROR_INVALID_VALUE == (int)CALLS_INVALID_VALUE &&
               CUDA_ERROR_INVALID_HANDLE == (int)CALLS_INVALID_HANDLE &&
               CUDA_ERROR_ILLEGAL_STATE == (int)CALLS_ILLEGAL_STATE &&
               CUDA_ERROR_NOT_READY == (int)CALLS_NOT_READY &&
               CUDA_ERROR_NOT_SUPPORTED == (int)CALLS_NOT_SUPPORTED &&
               CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED == (int)CALLS_CAPTURE_UNSUPPORTED,
               "shared/calls.h answers with these codes");

TCU_API cuStreamCreate(CUstream *out, unsigned flags)
{
	TCU_ENTER_CONTEXT("cuStreamCreate");

	return (CUresult)calls_stream_create(device->streams, flags, CU_STREAM_NON_BLOCKING,
	                                     (void **)out);
}

TCU_API cuStreamCreateWithPriority(CUstream *out, unsigned flags, int priority)
{
	TCU_ENTER_CONTEXT("cuStreamCreateWithPriority");

	(void)priority;
	return (CUresult)calls_stream_create(device->streams, flags, CU_STREAM_NON_BLOCKING,
	                                     (void **)out);
}

TCU_API cuStreamDestroy_v2(CUstream stream)
{
	TCU_ENTER("cuStreamDestroy_v2");

	return (CUresult)calls_stream_destroy(stream);
}

TCU_API cuStreamSynchronize(CUstream stream)
{
	TCU_ENTER_CONTEXT("cuStreamSynchronize");

	return (CUresult)calls_stream_wait(tcu_stream_of(device, stream));
}

TCU_API cuStreamQuery(CUstream stream)
{
	TCU_ENTER_CONTEXT("cuStreamQuery");

	return (CUresult)calls_stream_query(tcu_stream_of(device, stream));
}

TCU_API cuEventCreate(CUevent *out, unsigned flags)
{
	TCU_ENTER_CONTEXT("cuEventCreate");

	(void)device;
	return (CUresult)calls_event_create(!(flags & CU_EVENT_DISABLE_TIMING), (void **)out);
}

TCU_API cuEventDestroy_v2(CUevent event)
{
	TCU_ENTER("cuEventDestroy_v2");

	return (CUresult)calls_event_destroy(event);
}

TCU_API cuEventRecord(CUevent event, CUstream stream)
{
	TCU_ENTER_CONTEXT("cuEventRecord");

	return (CUresult)calls_event_record(event, tcu_stream_of(device, stream));
}

TCU_API cuEventSynchronize(CUevent event)
{
	TCU_ENTER_CONTEXT("cuEventSynchronize");

	(void)device;
	return (CUresult)calls_event_wait(event);
}

TCU_API cuEventQuery(CUevent event)
{
	TCU_ENTER_CONTEXT("cuEventQuery");

	(void)device;
	return (CUresult)calls_event_query(event);
}

TCU_API cuEventElapsedTime(float *ms, CUevent from, CUevent to)
{
	TCU_ENTER_CONTEXT("cuEventElapsedTime");

	(void)device;
	return (CUresult)calls_event_elapsed(ms, from, to);
}

TCU_API cuEventElapsedTime_v2(float *ms, CUevent from, CUevent to)
{
	TCU_ENTER_CONTEXT("cuEventElapsedTime_v2");

	(void)device;
	return (CUresult)calls_event_elapsed(ms, from, to);
}

TCU_API cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
	TCU_ENTER_CONTEXT("cuStreamWaitEvent");

	(void)flags;
	return (CUresult)calls_stream_wait_event(tcu_stream_of(device, stream), event);
}

TCU_API cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode)
{
	TCU_ENTER_CONTEXT("cuStreamBeginCapture_v2");

	(void)mode;
	return (CUresult)calls_capture_begin(tcu_stream_of(device, stream), device->streams);
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

TCU_API cuStreamEndCapture(CUstream stream, CUgraph *out)
{
	TCU_ENTER_CONTEXT("cuStreamEndCapture");

	return (CUresult)calls_capture_end(tcu_stream_of(device, stream), (void **)out);
}

TCU_API cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	TCU_ENTER_CONTEXT("cuGraphGetNodes");

	(void)device;
	return (CUresult)calls_graph_nodes(graph, nodes != NULL, count);
}

TCU_API cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags)
{
	TCU_ENTER_CONTEXT("cuGraphInstantiateWithFlags");

	(void)device;
	(void)flags;
	return (CUresult)calls_graph_make(graph, (void **)out);
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
	return (CUresult)calls_graph_make(graph, (void **)out);
}

TCU_API cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
	TCU_ENTER_CONTEXT("cuGraphLaunch");

	return (CUresult)calls_graph_launch(exec, tcu_stream_of(device, stream));
}

TCU_API cuGraphExecDestroy(CUgraphExec exec)
{
	TCU_ENTER("cuGraphExecDestroy");

	return (CUresult)calls_graph_exec_destroy(exec);
}

TCU_API cuGraphDestroy(CUgraph graph)
{
	TCU_ENTER("cuGraphDestroy");

	return (CUresult)calls_graph_destroy(graph);
}
