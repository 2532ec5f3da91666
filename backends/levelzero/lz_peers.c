/* SPDX-License-Identifier: Apache-2.0 */
/* eh.peer.0: copies from one device's memory to another's, both in the context of one driver. */
#include <stdlib.h>

#include "evenhand/extensions.h"
#include "lz_state.h"

enum { PIECE_BYTES = 1 << 22 };

static eh_status reaches(eh_device *d, eh_device *other, bool *direct, eh_error *error)
{
	ze_bool_t can = 0;
	ze_result_t rc;

	*direct = d->place.device == other->place.device;
	if (*direct || d->place.driver != other->place.driver)
		return EH_OK;
	rc = d->api->device_peer(d->place.device, other->place.device, &can);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeDeviceCanAccessPeer",
		                         "%s does not tell whether it reaches %s", d->info.name,
		                         other->info.name);
	*direct = can != 0;
	return EH_OK;
}

static eh_status can_access(eh_device *d, eh_device *other, uint32_t *how, eh_error *error)
{
	bool direct = false;
	eh_status status = lz_devices_enter(d, "peer can_access", error);

	if (status == EH_OK)
		status = reaches(d, other, &direct, error);
	if (status == EH_OK)
		*how = direct ? EH_PEER_DIRECT : EH_PEER_STAGED;
	return status;
}

/* The queue that reads or writes memory of `d`: the caller's, or one of d's own. */
static eh_status queue_for(eh_queue *q, eh_device *d, eh_queue **out, eh_error *error)
{
	eh_status status = EH_OK;

	*out = q;
	if (q->device == d)
		return EH_OK;
	if (d->relay == NULL)
		status = lz_queue_create(d, 0, &d->relay, error);
	*out = d->relay;
	return status;
}

/* Through the host's memory; returns when it is done. */
static eh_status staged(eh_queue *q, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                        uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	char *piece = malloc(PIECE_BYTES);
	eh_queue *reader = NULL, *writer = NULL;
	eh_status status = EH_OK;

	if (piece == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "peer copy", "No memory is left to copy through.");
	status = queue_for(q, from->device, &reader, error);
	if (status == EH_OK)
		status = queue_for(q, to->device, &writer, error);
	/* The other device's queue does not know the commands that are enqueued here. */
	if (status == EH_OK)
		status = lz_queue_wait(q, error);
	for (uint64_t done = 0; status == EH_OK && done < bytes;) {
		const uint64_t size = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;

		status = lz_copies_download(reader, piece, from, from_offset + done, size, error);
		if (status == EH_OK)
			status = lz_queue_wait(reader, error);
		if (status == EH_OK)
			status = lz_copies_upload(writer, to, to_offset + done, piece, size, error);
		if (status == EH_OK)
			status = lz_queue_wait(writer, error);
		done += size;
	}
	free(piece);
	return status;
}

static eh_status copy(eh_queue *q, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                      uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	eh_device *other = to->device == q->device ? from->device : to->device;
	ze_command_list_handle_t list = NULL;
	bool direct = false;
	ze_result_t rc;
	eh_status status = checks_copy(to == from, to->bytes, to_offset, from->bytes, from_offset,
	    bytes, error);

	if (status == EH_OK && (to->kind != EH_MEMORY_DEVICE || from->kind != EH_MEMORY_DEVICE))
		status = failure_set(error, EH_E_INVALID_ARGUMENT, "peer copy",
		                     "A copy between devices is one of device memory.");
	if (status == EH_OK && bytes > 0)
		status = reaches(q->device, other, &direct, error);
	if (status != EH_OK || bytes == 0)
		return status;
	if (!direct)
		return staged(q, to, to_offset, from, from_offset, bytes, error);
	status = lz_queue_list(q, &list, error);
	if (status != EH_OK)
		return status;
	rc = q->device->api->append_copy(list, to->address + to_offset, from->address + from_offset,
	                                 (size_t)bytes, NULL, 0, NULL);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(q->device, error, rc, "zeCommandListAppendMemoryCopy",
		                         "%s does not take a copy of %llu bytes to another device",
		                         q->device->info.name, (unsigned long long)bytes);
	lz_queue_appended(q);
	return EH_OK;
}

const void *lz_peers_table(void)
{
	static const eh_peer_ops table = {
		.struct_size = sizeof(table),
		.can_access = can_access,
		.copy = copy,
		.queue_wait_mark = lz_queue_wait_mark,
	};

	return &table;
}
