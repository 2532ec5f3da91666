/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: streams that do not wait for the default one. */
#include <stdlib.h>

#include "hip_state.h"
#include "shared/wording.h"

eh_status hip_queue_create(eh_device *d, eh_queue **out, eh_error *error)
{
	eh_queue *q;
	hipError_t rc;
	const eh_status status = hip_devices_enter(d, "queue_create", error);

	if (status != EH_OK)
		return status;
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "queue_create",
		                   "No memory is left for a queue.");
	q->device = d;
	rc = d->api->stream_create(&q->stream, hipStreamNonBlocking);
	if (rc != hipSuccess) {
		free(q);
		return hip_devices_failed(d, error, rc, "hipStreamCreateWithFlags", "%s gives no stream",
		                          d->info.name);
	}
	*out = q;
	return EH_OK;
}

eh_status hip_queue_wait(eh_queue *q, eh_error *error)
{
	hipError_t rc;
	const eh_status status = hip_devices_enter(q->device, "queue_wait", error);

	if (status != EH_OK) {
		/* Commands from before the device was lost may still use the caller's memory. */
		hip_devices_enter_quietly(q->device);
		(void)q->device->api->stream_wait(q->stream);
		return status;
	}
	rc = q->device->api->stream_wait(q->stream);
	if (rc != hipSuccess)
		return hip_devices_failed(q->device, error, rc, "hipStreamSynchronize",
		                          "A command on %s failed", q->device->info.name);
	return EH_OK;
}

void hip_queue_destroy(eh_queue *q)
{
	eh_error error = { .struct_size = sizeof(error) };

	if (q == NULL)
		return;
	if (q->device->lost == hipSuccess && hip_queue_wait(q, &error) != EH_OK)
		wording_say(q->device->self->host, EH_LOG_WARN, "%s", error.message);
	hip_devices_enter_quietly(q->device);
	(void)q->device->api->stream_destroy(q->stream);
	free(q);
}
