/* SPDX-License-Identifier: Apache-2.0 */
/* eh.peer.1: copies from one device's memory to another's. */
#include "hip_state.h"
#include "evenhand/extensions.h"

static eh_status can_access(eh_device *d, eh_device *other, uint32_t *how, eh_error *error)
{
	int can = 0;
	hipError_t rc;
	eh_status status = hip_devices_enter(d, "peer can_access", error);

	if (status != EH_OK)
		return status;
	if (d->device == other->device) {
		*how = EH_PEER_DIRECT;
		return EH_OK;
	}
	rc = d->api->peer_can(&can, d->device, other->device);
	if (rc != hipSuccess)
		return hip_devices_failed(d, error, rc, "hipDeviceCanAccessPeer",
		                          "%s does not tell whether it reaches %s", d->info.name,
		                          other->info.name);
	if (can != 0) {
		rc = d->api->peer_enable(other->device, 0);
		if (rc != hipSuccess && rc != hipErrorPeerAccessAlreadyEnabled)
			return hip_devices_failed(d, error, rc, "hipDeviceEnablePeerAccess",
			                          "%s is not let into the memory of %s", d->info.name,
			                          other->info.name);
	}
	*how = can != 0 ? EH_PEER_DIRECT : EH_PEER_STAGED;
	return EH_OK;
}

static eh_status copy(eh_queue *q, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                      uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	hipError_t rc;
	eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);

	if (status == EH_OK && (to->kind != EH_MEMORY_DEVICE || from->kind != EH_MEMORY_DEVICE))
		status = failure_set(error, EH_E_INVALID_ARGUMENT, "peer copy",
		                     "A copy between devices is one of device memory.");
	if (status == EH_OK && bytes > 0)
		status = hip_devices_enter(q->device, "peer copy", error);
	if (status != EH_OK || bytes == 0)
		return status;
	rc = q->device->api->peer_copy(to->address + to_offset, to->device->device,
	    from->address + from_offset, from->device->device, (size_t)bytes, q->stream);
	if (rc != hipSuccess)
		return hip_devices_failed(q->device, error, rc, "hipMemcpyPeerAsync",
		                          "%s does not take a copy of %llu bytes to another device",
		                          q->device->info.name, (unsigned long long)bytes);
	return EH_OK;
}

static eh_status wait_mark(eh_queue *q, eh_mark *mark, eh_error *error)
{
	hipError_t rc;
	eh_status status;

	if (mark->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "queue_wait_mark",
		                   "The mark was not recorded.");
	status = hip_devices_enter(q->device, "queue_wait_mark", error);
	if (status != EH_OK)
		return status;
	rc = q->device->api->stream_wait_event(q->stream, mark->event, 0);
	if (rc != hipSuccess)
		return hip_devices_failed(q->device, error, rc, "hipStreamWaitEvent",
		                          "%s does not wait for a mark of another queue",
		                          q->device->info.name);
	return EH_OK;
}

const void *hip_peers_table(const hip_api *api)
{
	static const eh_peer_ops table = {
		.struct_size = sizeof(table),
		.can_access = can_access,
		.copy = copy,
		.queue_wait_mark = wait_mark,
	};

	return api->peer_can != NULL && api->peer_enable != NULL && api->peer_copy != NULL &&
	       api->stream_wait_event != NULL ? &table : NULL;
}
