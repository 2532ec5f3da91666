/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues.  The event of the newest command is kept, because a wait is for that event: clFinish
 * alone cannot be trusted (docs/opencl-backend.md).
 */
#include <stdlib.h>

#include "ocl_state.h"

eh_status ocl_queue_create(eh_device *device, uint32_t flags, eh_queue **out, eh_error *error)
{
	cl_int rc = CL_SUCCESS;
	const eh_status status = checks_flags("queue_create", flags, EH_TIMED | EH_COPIES, error);
	eh_queue *q;
	if (status != EH_OK)
		return status;
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "queue_create",
		    "No memory is left for a queue.");
	q->device = device;
	q->timed = (flags & EH_TIMED) != 0;
	q->queue = device->api->clCreateCommandQueue(device->context, device->listing->id,
	    q->timed ? CL_QUEUE_PROFILING_ENABLE : 0, &rc);
	if (rc != CL_SUCCESS || q->queue == NULL) {
		free(q);
		return ocl_error_call(error, rc, "clCreateCommandQueue", "%s gives no queue",
		    device->listing->selector);
	}
	*out = q;
	return EH_OK;
}

void ocl_queue_destroy(eh_queue *q)
{
	eh_error error = { .struct_size = sizeof(error) };
	if (q == NULL)
		return;
	ocl_graphs_drop(q);
	if (ocl_queue_wait(q, &error) != EH_OK)
		q->device->self->host->log(q->device->self->host->ctx, EH_LOG_WARN, error.message);
	if (q->last != NULL)
		(void)q->device->api->clReleaseEvent(q->last);
	ocl_onednn_forget(q);
	(void)q->device->api->clReleaseCommandQueue(q->queue);
	free(q);
}

eh_status ocl_queue_flush(eh_queue *q, eh_error *error)
{
	const cl_int rc = q->device->api->clFlush(q->queue);
	if (rc != CL_SUCCESS)
		return ocl_error_call_as(error, EH_E_DEVICE, rc, "clFlush", "%s does not take commands",
		    q->device->listing->selector);
	return EH_OK;
}

eh_status ocl_queue_wait_events(eh_device *device, const cl_event *events, cl_uint count,
                                eh_error *error)
{
	const ocl_api *api = device->api;
	cl_int rc = api->clWaitForEvents(count, events);
	for (cl_uint i = 0; i < count; i++) {
		cl_int state = CL_COMPLETE;
		const cl_int asked = api->clGetEventInfo(events[i], CL_EVENT_COMMAND_EXECUTION_STATUS,
		    sizeof(state), &state, NULL);
		if (asked != CL_SUCCESS)
			return ocl_error_call_as(error, EH_E_DEVICE, asked, "clGetEventInfo",
			    "%s does not tell the state of a command", device->listing->selector);
		if (state < 0)
			return ocl_error_call_as(error, ocl_error_status(state) == EH_E_DEVICE_LOST ?
			    EH_E_DEVICE_LOST : EH_E_DEVICE, state, "the command",
			    "A command on %s failed", device->listing->selector);
		if (state != CL_COMPLETE && rc == CL_SUCCESS)
			return failure_set(error, EH_E_DEVICE, "clWaitForEvents",
			    "%s ended the wait for a command that is not complete (state %d).",
			    device->listing->selector, (int)state);
	}
	if (rc != CL_SUCCESS)
		return ocl_error_call_as(error, ocl_error_status(rc) == EH_E_DEVICE_LOST ?
		    EH_E_DEVICE_LOST : EH_E_DEVICE, rc, "clWaitForEvents", "Waiting for %s failed",
		    device->listing->selector);
	return EH_OK;
}

eh_status ocl_queue_wait(eh_queue *q, eh_error *error)
{
	eh_status status = EH_OK;
	cl_int rc;
	if (q->last != NULL) {
		status = ocl_queue_wait_events(q->device, &q->last, 1, error);
		(void)q->device->api->clReleaseEvent(q->last);
		q->last = NULL;
	}
	rc = q->device->api->clFinish(q->queue);
	if (status == EH_OK && rc != CL_SUCCESS)
		return ocl_error_call_as(error, EH_E_DEVICE, rc, "clFinish", "Waiting for %s failed",
		    q->device->listing->selector);
	return status;
}

eh_status ocl_queue_wait_mark(eh_queue *q, eh_mark *mark, eh_error *error)
{
	const ocl_api *api = q->device->api;
	const cl_event events[2] = { mark->marker, mark->command };
	cl_event event = NULL;
	cl_int rc;
	if (mark->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "queue_wait_mark",
		    "The mark was not recorded.");
	/* A command that another queue waits for must have been handed to the device. */
	rc = api->clFlush(mark->queue->queue);
	if (rc != CL_SUCCESS)
		return ocl_error_call_as(error, EH_E_DEVICE, rc, "clFlush", "%s does not take commands",
		    q->device->listing->selector);
	rc = api->clEnqueueBarrierWithWaitList(q->queue, mark->command != NULL ? 2 : 1, events, &event);
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, "clEnqueueBarrierWithWaitList",
		    "%s does not wait for a mark of another queue", q->device->listing->selector);
	ocl_queue_note(q, event);
	return EH_OK;
}
