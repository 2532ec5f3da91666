/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: streams that do not wait for the default one. */
#include <stdlib.h>

#include "cuda_state.h"
#include "shared/wording.h"

eh_status cuda_queue_create(eh_device *d, eh_queue **out, eh_error *error)
{
	eh_queue *q;
	CUresult rc;
	const eh_status status = cuda_devices_enter(d, "queue_create", error);

	if (status != EH_OK)
		return status;
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "queue_create",
		                   "No memory is left for a queue.");
	q->device = d;
	rc = d->api->stream_create(&q->stream, CU_STREAM_NON_BLOCKING);
	if (rc != CUDA_SUCCESS) {
		free(q);
		return cuda_devices_failed(d, error, rc, "cuStreamCreate", "%s gives no stream",
		                           d->info.name);
	}
	*out = q;
	return EH_OK;
}

eh_status cuda_queue_wait(eh_queue *q, eh_error *error)
{
	CUresult rc;
	const eh_status status = cuda_devices_enter(q->device, "queue_wait", error);

	if (status != EH_OK) {
		/* Commands from before the device was lost may still use the caller's memory. */
		cuda_devices_enter_quietly(q->device);
		(void)q->device->api->stream_wait(q->stream);
		return status;
	}
	rc = q->device->api->stream_wait(q->stream);
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(q->device, error, rc, "cuStreamSynchronize",
		                           "A command on %s failed", q->device->info.name);
	return EH_OK;
}

void cuda_queue_destroy(eh_queue *q)
{
	eh_error error = { .struct_size = sizeof(error) };

	if (q == NULL)
		return;
	if (q->device->lost == CUDA_SUCCESS && cuda_queue_wait(q, &error) != EH_OK)
		wording_say(q->device->self->host, EH_LOG_WARN, "%s", error.message);
	cuda_devices_enter_quietly(q->device);
	(void)q->device->api->stream_destroy(q->stream);
	free(q);
}
