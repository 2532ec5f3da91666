/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: events with times. */
#include <math.h>
#include <stdlib.h>

#include "cuda_state.h"

eh_status cuda_marks_create(eh_device *d, eh_mark **out, eh_error *error)
{
	eh_mark *m;
	CUresult rc;
	const eh_status status = cuda_devices_enter(d, "mark_create", error);

	if (status != EH_OK)
		return status;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "mark_create",
		                   "No memory is left for a mark.");
	m->device = d;
	rc = d->api->event_create(&m->event, d->self->schedule == CU_CTX_SCHED_BLOCKING_SYNC ?
	                          CU_EVENT_BLOCKING_SYNC : CU_EVENT_DEFAULT);
	if (rc != CUDA_SUCCESS) {
		free(m);
		return cuda_devices_failed(d, error, rc, "cuEventCreate", "%s gives no event",
		                           d->info.name);
	}
	*out = m;
	return EH_OK;
}

void cuda_marks_destroy(eh_mark *m)
{
	if (m == NULL)
		return;
	cuda_devices_enter_quietly(m->device);
	(void)m->device->api->event_destroy(m->event);
	free(m);
}

eh_status cuda_marks_record(eh_queue *q, eh_mark *m, eh_error *error)
{
	CUresult rc;
	const eh_status status = cuda_devices_enter(q->device, "mark_record", error);

	if (status != EH_OK)
		return status;
	rc = q->device->api->event_record(m->event, q->stream);
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(q->device, error, rc, "cuEventRecord",
		                           "%s does not take a mark", q->device->info.name);
	m->queue = q;
	return EH_OK;
}

eh_status cuda_marks_wait(eh_mark *m, eh_error *error)
{
	CUresult rc;
	eh_status status;

	if (m->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_wait",
		                   "The mark was not recorded.");
	status = cuda_devices_enter(m->device, "mark_wait", error);
	if (status != EH_OK)
		return status;
	rc = m->device->api->event_wait(m->event);
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(m->device, error, rc, "cuEventSynchronize",
		                           "A command on %s failed", m->device->info.name);
	return EH_OK;
}

eh_status cuda_marks_passed(eh_mark *m, uint32_t *passed, eh_error *error)
{
	CUresult rc;
	eh_status status;

	if (m->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_passed",
		                   "The mark was not recorded.");
	status = cuda_devices_enter(m->device, "mark_passed", error);
	if (status != EH_OK)
		return status;
	rc = m->device->api->event_query(m->event);
	if (rc != CUDA_SUCCESS && rc != CUDA_ERROR_NOT_READY)
		return cuda_devices_failed(m->device, error, rc, "cuEventQuery",
		                           "A command on %s failed", m->device->info.name);
	*passed = rc == CUDA_SUCCESS;
	return EH_OK;
}

eh_status cuda_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	eh_device *d = from->device;
	float milliseconds = 0;
	CUresult rc;
	eh_status status;

	if (from->queue == NULL || to->queue != from->queue)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		                   "The two marks were not recorded in one queue.");
	status = cuda_devices_enter(d, "mark_elapsed", error);
	if (status != EH_OK)
		return status;
	rc = d->api->event_elapsed(&milliseconds, from->event, to->event);
	if (rc == CUDA_ERROR_NOT_READY)
		return cuda_error_as(d->api, error, EH_E_INVALID_ARGUMENT, rc, "cuEventElapsedTime",
		                     "A mark has not passed");
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(d, error, rc, "cuEventElapsedTime", "%s tells no times",
		                           d->info.name);
	if (!isfinite(milliseconds) || milliseconds < 0)
		return failure_set(error, EH_E_DEVICE, "cuEventElapsedTime",
		                   "%s puts the later mark %g ms after the earlier one: its times are void.",
		                   d->info.name, (double)milliseconds);
	*ns = (uint64_t)((double)milliseconds * 1e6 + 0.5);
	return EH_OK;
}
