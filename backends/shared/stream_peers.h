/* SPDX-License-Identifier: Apache-2.0 */
/* eh.peer.0 of a stream API: copies from one device's memory to another's.  See
 * shared/streamapi.h. */

static eh_status peer_can_access(eh_device *d, eh_device *other, uint32_t *how, eh_error *error)
{
	int can = 0;
	stream_rc rc;
	eh_status status = stream_devices_enter(d, "peer can_access", error);

	if (status != EH_OK)
		return status;
	if (d->device == other->device) {
		*how = EH_PEER_DIRECT;
		return EH_OK;
	}
	rc = d->api->peer_can(&can, d->device, other->device);
	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.peer_can,
		                             "%s does not tell whether it reaches %s", d->info.name,
		                             other->info.name);
	if (can != 0) {
		rc = d->api->peer_enable(other->place, 0);
		if (rc != STREAM_OK && rc != STREAM_ALREADY_PEERS)
			return stream_devices_failed(d, error, rc, STREAM_CALLS.peer_enable,
			                             "%s is not let into the memory of %s", d->info.name,
			                             other->info.name);
	}
	*how = can != 0 ? EH_PEER_DIRECT : EH_PEER_STAGED;
	return EH_OK;
}

static eh_status peer_copy(eh_queue *q, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                           uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	stream_rc rc;
	eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);

	if (status == EH_OK && (to->kind != EH_MEMORY_DEVICE || from->kind != EH_MEMORY_DEVICE))
		status = failure_set(error, EH_E_INVALID_ARGUMENT, "peer copy",
		                     "A copy between devices is one of device memory.");
	if (status == EH_OK && bytes > 0)
		status = stream_devices_enter(q->device, "peer copy", error);
	if (status != EH_OK || bytes == 0)
		return status;
	rc = q->device->api->peer_copy(STREAM_AT(to->address, to_offset), to->device->place,
	    STREAM_AT(from->address, from_offset), from->device->place, (size_t)bytes, q->stream);
	if (rc != STREAM_OK)
		return stream_devices_failed(q->device, error, rc, STREAM_CALLS.peer_copy,
		                             "%s does not take a copy of %llu bytes to another device",
		                             q->device->info.name, (unsigned long long)bytes);
	return EH_OK;
}

const void *stream_peers_table(const stream_api *api)
{
	static const eh_peer_ops table = {
		.struct_size = sizeof(table),
		.can_access = peer_can_access,
		.copy = peer_copy,
		.queue_wait_mark = stream_queue_wait_mark,
	};

	return api->peer_can != NULL && api->peer_enable != NULL && api->peer_copy != NULL ? &table
	                                                                                   : NULL;
}
