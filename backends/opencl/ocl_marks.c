/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks.  A mark holds the event of the newest command before it and a marker of its own; it has
 * passed when both are complete.  Its time is the end of the marker.  The end of the command would
 * include the time that the queue idled after it, and times of both kinds would not add up.  The
 * marker names no event to wait for: then it waits for all before it, and NVIDIA's driver gives
 * times to such a marker only.
 */
#include <stdlib.h>

#include "ocl_state.h"

/* A device's clock is never so near to its beginning when a program runs.  A driver without a clock
 * counts states instead (rusticl: 0, 1, 2, 3). */
enum { NOT_A_CLOCK_NS = 1000 };

static void forget(eh_mark *mark)
{
	if (mark->command != NULL)
		(void)mark->device->api->clReleaseEvent(mark->command);
	if (mark->marker != NULL)
		(void)mark->device->api->clReleaseEvent(mark->marker);
	mark->command = NULL;
	mark->marker = NULL;
	mark->queue = NULL;
}

eh_status ocl_marks_create(eh_device *device, uint32_t flags, eh_mark **out, eh_error *error)
{
	const eh_status status = checks_flags("mark_create", flags, EH_TIMED, error);
	eh_mark *mark;
	if (status != EH_OK)
		return status;
	mark = calloc(1, sizeof(*mark));
	if (mark == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "mark_create",
		    "No memory is left for a mark.");
	mark->device = device;
	mark->timed = (flags & EH_TIMED) != 0;
	*out = mark;
	return EH_OK;
}

void ocl_marks_destroy(eh_mark *mark)
{
	if (mark == NULL)
		return;
	forget(mark);
	free(mark);
}

eh_status ocl_marks_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	const ocl_api *api = queue->device->api;
	cl_event marker = NULL;
	cl_int rc;
	forget(mark);
	rc = api->clEnqueueMarkerWithWaitList(queue->queue, 0, NULL, &marker);
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, "clEnqueueMarkerWithWaitList",
		    "%s does not take a mark", queue->device->listing->selector);
	if (queue->last != NULL) {
		rc = api->clRetainEvent(queue->last);
		if (rc != CL_SUCCESS) {
			(void)api->clReleaseEvent(marker);
			return ocl_error_call(error, rc, "clRetainEvent", "A mark cannot be kept");
		}
	}
	mark->queue = queue;
	mark->command = queue->last;
	mark->marker = marker;
	return EH_OK;
}

eh_status ocl_marks_wait(eh_mark *mark, eh_error *error)
{
	cl_event events[2];
	cl_uint count = 0;
	if (mark->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_wait",
		    "The mark was not recorded.");
	if (mark->command != NULL)
		events[count++] = mark->command;
	events[count++] = mark->marker;
	return ocl_queue_wait_events(mark->device, events, count, error);
}

eh_status ocl_marks_passed(eh_mark *mark, uint32_t *passed, eh_error *error)
{
	const ocl_api *api = mark->device->api;
	cl_event events[2];
	cl_uint count = 0;
	bool complete = true;
	if (mark->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_passed",
		    "The mark was not recorded.");
	if (mark->command != NULL)
		events[count++] = mark->command;
	events[count++] = mark->marker;
	for (cl_uint i = 0; i < count; i++) {
		cl_int state = CL_COMPLETE;
		cl_int rc = api->clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS,
		    sizeof(state), &state, NULL);
		if (rc != CL_SUCCESS)
			return ocl_error_call_as(error, EH_E_DEVICE, rc, "clGetEventInfo",
			    "%s does not tell the state of a command", mark->device->listing->selector);
		if (state < 0)
			return ocl_error_call_as(error, ocl_error_status(state) == EH_E_DEVICE_LOST ?
			    EH_E_DEVICE_LOST : EH_E_DEVICE, state, "the command",
			    "A command on %s failed", mark->device->listing->selector);
		complete = complete && state == CL_COMPLETE;
	}
	*passed = complete ? 1 : 0;
	return EH_OK;
}

/* When the command ended, by the device's clock. */
static eh_status end_of(eh_device *device, cl_event event, cl_ulong *end, eh_error *error)
{
	cl_ulong start = 0;
	cl_int rc = device->api->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START,
	    sizeof(start), &start, NULL);
	if (rc == CL_SUCCESS)
		rc = device->api->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END,
		    sizeof(*end), end, NULL);
	if (rc == CL_PROFILING_INFO_NOT_AVAILABLE)
		return ocl_error_call_as(error, EH_E_INVALID_ARGUMENT, rc, "clGetEventProfilingInfo",
		    "The mark has not passed, or its queue keeps no times");
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, "clGetEventProfilingInfo", "%s tells no times",
		    device->listing->selector);
	if (*end < start)
		return failure_set(error, EH_E_DEVICE, "clGetEventProfilingInfo",
		    "%s says that a command ended %llu ns before it began: its times are void.",
		    device->listing->selector, (unsigned long long)(start - *end));
	if (*end < NOT_A_CLOCK_NS)
		return failure_set(error, EH_E_UNSUPPORTED, "clGetEventProfilingInfo",
		    "%s says that a command ended at %llu ns: that is no clock, so it has no device time.",
		    device->listing->selector, (unsigned long long)*end);
	return EH_OK;
}

eh_status ocl_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	cl_ulong began = 0, ended = 0;
	eh_status status = checks_elapsed(from->queue, to->queue, from->timed && to->timed &&
	    from->queue != NULL && from->queue->timed, error);
	if (status != EH_OK)
		return status;
	status = end_of(from->device, from->marker, &began, error);
	if (status != EH_OK)
		return status;
	status = end_of(to->device, to->marker, &ended, error);
	if (status != EH_OK)
		return status;
	if (ended < began)
		return failure_set(error, EH_E_DEVICE, "mark_elapsed",
		    "%s puts the later mark %llu ns before the earlier one: its times are void.",
		    from->device->listing->selector, (unsigned long long)(began - ended));
	*ns = ended - began;
	return EH_OK;
}
