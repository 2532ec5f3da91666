/* SPDX-License-Identifier: Apache-2.0 */
/* eh.peer.1: copies from one device's memory to another's, both in the context of one driver, or through
 * the host's memory. */
#include <stdlib.h>
#include <stdio.h>

#include "evenhand/extensions.h"
#include "lz_state.h"
#include "shared/relay.h"

struct eh_peer_link {
	eh_device *device, *other;
	relay relay;               /* of staged copies                                      */
	uint32_t how;
	char text[128];
};

static const relay_slots slots = {
	.queue_create = lz_queue_create,
	.queue_destroy = lz_queue_destroy,
	.queue_wait = lz_queue_wait,
	.upload = lz_copies_upload,
	.download = lz_copies_download,
};

static eh_status reaches(eh_device *d, eh_device *other, bool *direct, eh_error *error)
{
	ze_bool_t can = 0;
	ze_result_t rc;

	*direct = false;
	if (d->place.driver != other->place.driver)
		return EH_OK;
	rc = d->api->device_peer(d->place.device, other->place.device, &can);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeDeviceCanAccessPeer",
		                         "%s does not tell whether it reaches %s", d->info.name,
		                         other->info.name);
	*direct = can != 0;
	return EH_OK;
}

/* Whether each of the two reaches the other's memory. */
static eh_status both_reach(eh_device *d, eh_device *other, bool *direct, eh_error *error)
{
	bool back = false;
	eh_status status = reaches(d, other, direct, error);

	if (status == EH_OK)
		status = reaches(other, d, &back, error);
	*direct = *direct && back;
	return status;
}

static void put_text(eh_peer_link *link, bool direct)
{
	ze_device_p2p_properties_t p2p = { .stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES };
	const char *atomics = "not told";
	eh_device *d = link->device;

	if (d->place.driver == link->other->place.driver &&
	    d->api->device_p2p(d->place.device, link->other->place.device, &p2p) == ZE_RESULT_SUCCESS)
		atomics = (p2p.flags & ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS) != 0 ? "yes" : "no";
	(void)snprintf(link->text, sizeof(link->text), "%speer access %soffered, atomics %s",
	               link->how == EH_PEER_STAGED ? "pieces of 4 MiB in turn, " : "", direct ? "" : "not ",
	               atomics);
}

static eh_status connect(eh_device *d, eh_device *other, uint32_t how, eh_peer_link **out,
                         eh_error *error)
{
	bool direct = false;
	eh_peer_link *link;
	eh_status status = checks_peers(d->place.device == other->place.device, how, error);

	if (status == EH_OK)
		status = lz_devices_enter(d, "peer connect", error);
	if (status == EH_OK)
		status = both_reach(d, other, &direct, error);
	if (status != EH_OK)
		return status;
	if (how == EH_PEER_DIRECT && !direct)
		return failure_set(error, EH_E_UNSUPPORTED, "peer connect",
		                   "%s and %s do not reach each other's memory: take a staged copy.",
		                   d->info.id, other->info.id);
	link = calloc(1, sizeof(*link));
	if (link == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "peer connect",
		                   "No memory is left to connect two devices.");
	*link = (eh_peer_link){ .device = d, .other = other, .how = how };
	put_text(link, direct);
	if (how == EH_PEER_STAGED)
		status = relay_open(&link->relay, &slots, d, other, error);
	if (status != EH_OK) {
		free(link);
		return status;
	}
	*out = link;
	return EH_OK;
}

static const char *describe(const eh_peer_link *link)
{
	return link->text;
}

static eh_status copy(eh_queue *q, eh_peer_link *link, eh_buffer *to, uint64_t to_offset,
                      eh_buffer *from, uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	ze_command_list_handle_t list = NULL;
	ze_result_t rc;
	eh_status status = checks_peer_copy((to->device == link->device && from->device == link->other) ||
	    (to->device == link->other && from->device == link->device),
	    to->kind == EH_MEMORY_DEVICE && from->kind == EH_MEMORY_DEVICE, to->bytes, to_offset,
	    from->bytes, from_offset, bytes, error);

	if (status != EH_OK || bytes == 0)
		return status;
	if (link->how == EH_PEER_STAGED)
		return relay_copy(&link->relay, q, to, to_offset, from, from->device, from_offset, bytes, error);
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

/* An event of one driver is none in another, so there the host waits. */
static eh_status wait_mark(eh_queue *q, eh_mark *mark, eh_error *error)
{
	return q->device->place.driver == mark->device->place.driver ? lz_queue_wait_mark(q, mark, error) :
	                                                               lz_marks_wait(mark, error);
}

static void disconnect(eh_peer_link *link)
{
	if (link == NULL)
		return;
	relay_close(&link->relay);
	free(link);
}

const void *lz_peers_table(void)
{
	static const eh_peer_ops table = {
		.struct_size = sizeof(table),
		.connect = connect,
		.describe = describe,
		.copy = copy,
		.queue_wait_mark = wait_mark,
		.disconnect = disconnect,
	};

	return &table;
}
