/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, events and graphs: the entries of shared/calls.h under the vendor's names. */
#include "../shared/calls.h"
#include "thip_state.h"

_Static_assert((int)hipErrorInvalidValue == (int)CALLS_INVALID_VALUE &&
               (int)hipErrorInvalidHandle == (int)CALLS_INVALID_HANDLE &&
               (int)hipErrorIllegalState == (int)CALLS_ILLEGAL_STATE &&
               (int)hipErrorNotReady == (int)CALLS_NOT_READY &&
               (int)hipErrorNotSupported == (int)CALLS_NOT_SUPPORTED &&
               (int)hipErrorStreamCaptureUnsupported == (int)CALLS_CAPTURE_UNSUPPORTED,
               "shared/calls.h answers with these codes");

THIP_API hipStreamCreate(hipStream_t *out)
{
	THIP_ENTER_DEVICE("hipStreamCreate");

	return (hipError_t)calls_stream_create(device->streams, hipStreamDefault, hipStreamNonBlocking,
	                                       (void **)out);
}

THIP_API hipStreamCreateWithFlags(hipStream_t *out, unsigned flags)
{
	THIP_ENTER_DEVICE("hipStreamCreateWithFlags");

	return (hipError_t)calls_stream_create(device->streams, flags, hipStreamNonBlocking,
	                                       (void **)out);
}

THIP_API hipStreamDestroy(hipStream_t stream)
{
	THIP_ENTER("hipStreamDestroy");

	return (hipError_t)calls_stream_destroy(stream);
}

THIP_API hipStreamSynchronize(hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipStreamSynchronize");

	return (hipError_t)calls_stream_wait(thip_stream_of(device, stream));
}

THIP_API hipStreamQuery(hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipStreamQuery");

	return (hipError_t)calls_stream_query(thip_stream_of(device, stream));
}

THIP_API hipEventCreateWithFlags(hipEvent_t *out, unsigned flags)
{
	THIP_ENTER_DEVICE("hipEventCreateWithFlags");

	(void)device;
	return (hipError_t)calls_event_create(!(flags & hipEventDisableTiming), (void **)out);
}

THIP_API hipEventDestroy(hipEvent_t event)
{
	THIP_ENTER("hipEventDestroy");

	return (hipError_t)calls_event_destroy(event);
}

THIP_API hipEventRecord(hipEvent_t event, hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipEventRecord");

	return (hipError_t)calls_event_record(event, thip_stream_of(device, stream));
}

THIP_API hipEventSynchronize(hipEvent_t event)
{
	THIP_ENTER_DEVICE("hipEventSynchronize");

	(void)device;
	return (hipError_t)calls_event_wait(event);
}

THIP_API hipEventQuery(hipEvent_t event)
{
	THIP_ENTER_DEVICE("hipEventQuery");

	(void)device;
	return (hipError_t)calls_event_query(event);
}

THIP_API hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to)
{
	THIP_ENTER_DEVICE("hipEventElapsedTime");

	(void)device;
	return (hipError_t)calls_event_elapsed(ms, from, to);
}

THIP_API hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags)
{
	THIP_ENTER_DEVICE("hipStreamWaitEvent");

	(void)flags;
	return (hipError_t)calls_stream_wait_event(thip_stream_of(device, stream), event);
}

THIP_API hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode)
{
	THIP_ENTER_DEVICE("hipStreamBeginCapture");

	(void)mode;
	return (hipError_t)calls_capture_begin(thip_stream_of(device, stream), device->streams);
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

THIP_API hipStreamEndCapture(hipStream_t stream, hipGraph_t *out)
{
	THIP_ENTER_DEVICE("hipStreamEndCapture");

	return (hipError_t)calls_capture_end(thip_stream_of(device, stream), (void **)out);
}

THIP_API hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count)
{
	THIP_ENTER_DEVICE("hipGraphGetNodes");

	(void)device;
	return (hipError_t)calls_graph_nodes(graph, nodes != NULL, count);
}

THIP_API hipGraphInstantiateWithFlags(hipGraphExec_t *out, hipGraph_t graph, unsigned long long flags)
{
	THIP_ENTER_DEVICE("hipGraphInstantiateWithFlags");

	(void)device;
	(void)flags;
	return (hipError_t)calls_graph_make(graph, (void **)out);
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
	return (hipError_t)calls_graph_make(graph, (void **)out);
}

THIP_API hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipGraphLaunch");

	return (hipError_t)calls_graph_launch(exec, thip_stream_of(device, stream));
}

THIP_API hipGraphExecDestroy(hipGraphExec_t exec)
{
	THIP_ENTER("hipGraphExecDestroy");

	return (hipError_t)calls_graph_exec_destroy(exec);
}

THIP_API hipGraphDestroy(hipGraph_t graph)
{
	THIP_ENTER("hipGraphDestroy");

	return (hipError_t)calls_graph_destroy(graph);
}
