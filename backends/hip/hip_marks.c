/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: events with times. */
#include <math.h>
#include <stdlib.h>

#include "hip_state.h"

eh_status hip_marks_create(eh_device *d, eh_mark **out, eh_error *error)
{
	eh_mark *m;
	hipError_t rc;
	const eh_status status = hip_devices_enter(d, "mark_create", error);

	if (status != EH_OK)
		return status;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "mark_create",
		                   "No memory is left for a mark.");
	m->device = d;
	rc = d->api->event_create(&m->event, d->self->schedule == hipDeviceScheduleBlockingSync ?
	                          hipEventBlockingSync : hipEventDefault);
	if (rc != hipSuccess) {
		free(m);
		return hip_devices_failed(d, error, rc, "hipEventCreateWithFlags", "%s gives no event",
		                          d->info.name);
	}
	*out = m;
	return EH_OK;
}

void hip_marks_destroy(eh_mark *m)
{
	if (m == NULL)
		return;
	hip_devices_enter_quietly(m->device);
	(void)m->device->api->event_destroy(m->event);
	free(m);
}

eh_status hip_marks_record(eh_queue *q, eh_mark *m, eh_error *error)
{
	hipError_t rc;
	const eh_status status = hip_devices_enter(q->device, "mark_record", error);

	if (status != EH_OK)
		return status;
	rc = q->device->api->event_record(m->event, q->stream);
	if (rc != hipSuccess)
		return hip_devices_failed(q->device, error, rc, "hipEventRecord",
		                          "%s does not take a mark", q->device->info.name);
	m->queue = q;
	return EH_OK;
}

eh_status hip_marks_wait(eh_mark *m, eh_error *error)
{
	hipError_t rc;
	eh_status status;

	if (m->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_wait",
		                   "The mark was not recorded.");
	status = hip_devices_enter(m->device, "mark_wait", error);
	if (status != EH_OK)
		return status;
	rc = m->device->api->event_wait(m->event);
	if (rc != hipSuccess)
		return hip_devices_failed(m->device, error, rc, "hipEventSynchronize",
		                          "A command on %s failed", m->device->info.name);
	return EH_OK;
}

eh_status hip_marks_passed(eh_mark *m, uint32_t *passed, eh_error *error)
{
	hipError_t rc;
	eh_status status;

	if (m->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_passed",
		                   "The mark was not recorded.");
	status = hip_devices_enter(m->device, "mark_passed", error);
	if (status != EH_OK)
		return status;
	rc = m->device->api->event_query(m->event);
	if (rc != hipSuccess && rc != hipErrorNotReady)
		return hip_devices_failed(m->device, error, rc, "hipEventQuery",
		                          "A command on %s failed", m->device->info.name);
	*passed = rc == hipSuccess;
	return EH_OK;
}

eh_status hip_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	eh_device *d = from->device;
	float milliseconds = 0;
	hipError_t rc;
	eh_status status;

	if (from->queue == NULL || to->queue != from->queue)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		                   "The two marks were not recorded in one queue.");
	status = hip_devices_enter(d, "mark_elapsed", error);
	if (status != EH_OK)
		return status;
	rc = d->api->event_elapsed(&milliseconds, from->event, to->event);
	if (rc == hipErrorNotReady)
		return hip_error_as(d->api, error, EH_E_INVALID_ARGUMENT, rc, "hipEventElapsedTime",
		                    "A mark has not passed");
	if (rc != hipSuccess)
		return hip_devices_failed(d, error, rc, "hipEventElapsedTime", "%s tells no times",
		                          d->info.name);
	if (!isfinite(milliseconds) || milliseconds < 0)
		return failure_set(error, EH_E_DEVICE, "hipEventElapsedTime",
		                   "%s puts the later mark %g ms after the earlier one: its times are void.",
		                   d->info.name, (double)milliseconds);
	*ns = (uint64_t)((double)milliseconds * 1e6 + 0.5);
	return EH_OK;
}
