/* SPDX-License-Identifier: Apache-2.0 */
/* eh.peer.1 of a stream API: copies from one device's memory to another's.  See
 * shared/streamapi.h. */

struct eh_peer_link {
	eh_device *device, *other;
	uint32_t how;
	char text[128];
};

/* Whether d reaches the other's memory. */
static eh_status peer_reaches(eh_device *d, eh_device *other, bool *direct, eh_error *error)
{
	int can = 0;
	const stream_rc rc = d->api->peer_can(&can, d->device, other->device);

	*direct = can != 0;
	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.peer_can,
		                             "%s does not tell whether it reaches %s", d->info.name,
		                             other->info.name);
	return EH_OK;
}

/* Lets d into the other's memory. */
static eh_status peer_enable(eh_device *d, eh_device *other, eh_error *error)
{
	stream_rc rc;
	const eh_status status = stream_devices_enter(d, "peer connect", error);

	if (status != EH_OK)
		return status;
	rc = d->api->peer_enable(other->place, 0);
	if (rc != STREAM_OK && rc != STREAM_ALREADY_PEERS)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.peer_enable,
		                             "%s is not let into the memory of %s", d->info.name,
		                             other->info.name);
	return EH_OK;
}

/* Access that is not there, or a device that was lost: nothing is left to be undone. */
static void peer_disable(const eh_peer_link *link)
{
	stream_devices_enter_quietly(link->device);
	(void)link->device->api->peer_disable(link->other->place);
	stream_devices_enter_quietly(link->other);
	(void)link->other->api->peer_disable(link->device->place);
}

/* A fact of the two, or "not told". */
static void peer_fact(const eh_peer_link *link, stream_peer_attribute attribute, char *out, size_t size)
{
	int value = 0;

	if (link->device->api->peer_attribute != NULL &&
	    link->device->api->peer_attribute(&value, attribute, link->device->device,
	                                      link->other->device) == STREAM_OK)
		(void)snprintf(out, size, "%d", value);
	else
		(void)snprintf(out, size, "not told");
}

static void peer_text(eh_peer_link *link, bool direct)
{
	char rank[16], atomics[16];

	peer_fact(link, STREAM_PEER_RANK, rank, sizeof(rank));
	peer_fact(link, STREAM_PEER_ATOMICS, atomics, sizeof(atomics));
	(void)snprintf(link->text, sizeof(link->text),
	               "peer access %s, performance rank %s, native atomics %s",
	               !direct ? "not offered" : link->how == EH_PEER_DIRECT ? "on" : "off", rank, atomics);
}

static eh_status peer_connect(eh_device *d, eh_device *other, uint32_t how, eh_peer_link **out,
                              eh_error *error)
{
	bool direct = false, back = false;
	eh_peer_link *link;
	eh_status status = checks_peers(d->device == other->device, how, error);

	if (status == EH_OK)
		status = stream_devices_enter(d, "peer connect", error);
	if (status == EH_OK)
		status = peer_reaches(d, other, &direct, error);
	if (status == EH_OK)
		status = peer_reaches(other, d, &back, error);
	if (status != EH_OK)
		return status;
	direct = direct && back;
	if (how == EH_PEER_DIRECT && !direct)
		return failure_set(error, EH_E_UNSUPPORTED, "peer connect",
		                   "%s and %s do not reach each other's memory: take a staged copy.",
		                   d->info.id, other->info.id);
	link = calloc(1, sizeof(*link));
	if (link == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "peer connect",
		                   "No memory is left to connect two devices.");
	*link = (eh_peer_link){ .device = d, .other = other, .how = how };
	if (how == EH_PEER_DIRECT) {
		status = peer_enable(d, other, error);
		if (status == EH_OK)
			status = peer_enable(other, d, error);
	}
	if (status != EH_OK) {
		peer_disable(link);
		free(link);
		return status;
	}
	peer_text(link, direct);
	*out = link;
	return EH_OK;
}

static const char *peer_describe(const eh_peer_link *link)
{
	return link->text;
}

static void peer_disconnect(eh_peer_link *link)
{
	if (link == NULL)
		return;
	if (link->how == EH_PEER_DIRECT)
		peer_disable(link);
	free(link);
}

static eh_status peer_copy(eh_queue *q, eh_peer_link *link, eh_buffer *to, uint64_t to_offset,
                           eh_buffer *from, uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	stream_rc rc;
	eh_status status = checks_peer_copy((to->device == link->device && from->device == link->other) ||
	    (to->device == link->other && from->device == link->device),
	    to->kind == EH_MEMORY_DEVICE && from->kind == EH_MEMORY_DEVICE, to->bytes, to_offset,
	    from->bytes, from_offset, bytes, error);

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
		.connect = peer_connect,
		.describe = peer_describe,
		.copy = peer_copy,
		.queue_wait_mark = stream_queue_wait_mark,
		.disconnect = peer_disconnect,
	};

	return api->peer_can != NULL && api->peer_enable != NULL && api->peer_disable != NULL &&
	       api->peer_copy != NULL ? &table : NULL;
}
