/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of a stream API: streams that do not wait for the default one.  See shared/streamapi.h. */
#include <stdlib.h>

/* One kind of stream serves all flags: the driver finds a copy engine by itself. */
eh_status stream_queue_create(eh_device *d, uint32_t flags, eh_queue **out, eh_error *error)
{
	eh_queue *q;
	stream_rc rc;
	eh_status status = checks_flags("queue_create", flags, EH_TIMED | EH_COPIES, error);

	if (status == EH_OK)
		status = stream_devices_enter(d, "queue_create", error);
	if (status != EH_OK)
		return status;
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "queue_create",
		                   "No memory is left for a queue.");
	q->device = d;
	q->timed = (flags & EH_TIMED) != 0;
	rc = d->api->stream_create(&q->stream, STREAM_HANDLE_FLAGS);
	if (rc != STREAM_OK) {
		free(q);
		return stream_devices_failed(d, error, rc, STREAM_CALLS.stream_create, "%s gives no stream",
		                             d->info.name);
	}
	*out = q;
	return EH_OK;
}

eh_status stream_queue_wait(eh_queue *q, eh_error *error)
{
	stream_rc rc;
	const eh_status status = stream_devices_enter(q->device, "queue_wait", error);

	if (status != EH_OK) {
		/* Commands from before the device was lost may still use the caller's memory. */
		stream_devices_enter_quietly(q->device);
		(void)q->device->api->stream_wait(q->stream);
		return status;
	}
	rc = q->device->api->stream_wait(q->stream);
	if (rc != STREAM_OK)
		return stream_devices_failed(q->device, error, rc, STREAM_CALLS.stream_wait,
		                             "A command on %s failed", q->device->info.name);
	return EH_OK;
}

eh_status stream_queue_wait_mark(eh_queue *q, eh_mark *mark, eh_error *error)
{
	stream_rc rc;
	eh_status status;

	if (mark->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "queue_wait_mark",
		                   "The mark was not recorded.");
	status = stream_devices_enter(q->device, "queue_wait_mark", error);
	if (status != EH_OK)
		return status;
	rc = q->device->api->stream_wait_event(q->stream, mark->event, 0);
	if (rc != STREAM_OK)
		return stream_devices_failed(q->device, error, rc, STREAM_CALLS.stream_wait_event,
		                             "%s does not wait for a mark of another queue",
		                             q->device->info.name);
	return EH_OK;
}

void stream_queue_destroy(eh_queue *q)
{
	eh_error error = { .struct_size = sizeof(error) };

	if (q == NULL)
		return;
	if (q->device->lost == STREAM_OK && stream_queue_wait(q, &error) != EH_OK)
		wording_say(q->device->self->host, EH_LOG_WARN, "%s", error.message);
	stream_devices_enter_quietly(q->device);
	(void)q->device->api->stream_destroy(q->stream);
	free(q);
}
