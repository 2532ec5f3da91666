/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of a stream API: events with times.  See shared/streamapi.h. */
#include <math.h>
#include <stdlib.h>

/* The flags of an event.  A waiting thread sleeps where the device's schedule is to block. */
static unsigned event_flags(const eh_device *d, bool timed)
{
	return (timed ? STREAM_EVENT_TIMED(d) : (unsigned)STREAM_EVENT_UNTIMED) |
	       (d->self->schedule == STREAM_SCHEDULE_BLOCKS ? (unsigned)STREAM_EVENT_BLOCKS : 0);
}

eh_status stream_marks_create(eh_device *d, uint32_t flags, eh_mark **out, eh_error *error)
{
	eh_mark *m;
	stream_rc rc;
	eh_status status = checks_flags("mark_create", flags, EH_TIMED, error);

	if (status == EH_OK)
		status = stream_devices_enter(d, "mark_create", error);
	if (status != EH_OK)
		return status;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "mark_create",
		                   "No memory is left for a mark.");
	m->device = d;
	m->timed = (flags & EH_TIMED) != 0;
	rc = d->api->event_create(&m->event, event_flags(d, m->timed));
	if (rc != STREAM_OK) {
		free(m);
		return stream_devices_failed(d, error, rc, STREAM_CALLS.event_create, "%s gives no event",
		                             d->info.name);
	}
	*out = m;
	return EH_OK;
}

void stream_marks_destroy(eh_mark *m)
{
	if (m == NULL)
		return;
	stream_devices_enter_quietly(m->device);
	(void)m->device->api->event_destroy(m->event);
	free(m);
}

eh_status stream_marks_record(eh_queue *q, eh_mark *m, eh_error *error)
{
	stream_rc rc;
	const eh_status status = stream_devices_enter(q->device, "mark_record", error);

	if (status != EH_OK)
		return status;
	rc = q->device->api->event_record(m->event, q->stream);
	if (rc != STREAM_OK)
		return stream_devices_failed(q->device, error, rc, STREAM_CALLS.event_record,
		                             "%s does not take a mark", q->device->info.name);
	m->queue = q;
	return EH_OK;
}

eh_status stream_marks_wait(eh_mark *m, eh_error *error)
{
	stream_rc rc;
	eh_status status;

	if (m->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_wait",
		                   "The mark was not recorded.");
	status = stream_devices_enter(m->device, "mark_wait", error);
	if (status != EH_OK)
		return status;
	rc = m->device->api->event_wait(m->event);
	if (rc != STREAM_OK)
		return stream_devices_failed(m->device, error, rc, STREAM_CALLS.event_wait,
		                             "A command on %s failed", m->device->info.name);
	return EH_OK;
}

eh_status stream_marks_passed(eh_mark *m, uint32_t *passed, eh_error *error)
{
	stream_rc rc;
	eh_status status;

	if (m->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_passed",
		                   "The mark was not recorded.");
	status = stream_devices_enter(m->device, "mark_passed", error);
	if (status != EH_OK)
		return status;
	rc = m->device->api->event_query(m->event);
	if (rc != STREAM_OK && rc != STREAM_NOT_READY)
		return stream_devices_failed(m->device, error, rc, STREAM_CALLS.event_query,
		                             "A command on %s failed", m->device->info.name);
	*passed = rc == STREAM_OK;
	return EH_OK;
}

eh_status stream_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	eh_device *d = from->device;
	float milliseconds = 0;
	stream_rc rc;
	eh_status status = checks_elapsed(from->queue, to->queue, from->timed && to->timed &&
	                                  from->queue != NULL && from->queue->timed, error);

	if (status == EH_OK)
		status = stream_devices_enter(d, "mark_elapsed", error);
	if (status != EH_OK)
		return status;
	rc = d->api->event_elapsed(&milliseconds, from->event, to->event);
	if (rc == STREAM_NOT_READY)
		return stream_error_as(d->api, error, EH_E_INVALID_ARGUMENT, rc, STREAM_CALLS.event_elapsed,
		                       "A mark has not passed");
	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.event_elapsed, "%s tells no times",
		                             d->info.name);
	if (!isfinite(milliseconds) || milliseconds < 0)
		return failure_set(error, EH_E_DEVICE, "mark_elapsed",
		                   "%s puts the later mark %g ms after the earlier one: its times are "
		                   "void.", d->info.name, (double)milliseconds);
	*ns = (uint64_t)((double)milliseconds * 1e6 + 0.5);
	return EH_OK;
}
