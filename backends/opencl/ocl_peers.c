/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh.peer.1: copies from one device's memory to another's, through the host's.
 *
 * OpenCL has no direct copy that could be measured.  Two devices see one buffer in a context of both,
 * where the driver alone decides on which of them its content is: it may copy at the first use, or
 * leave a copy where it is, so that the next operation moves nothing.
 */
#include <stdlib.h>

#include "ocl_state.h"
#include "shared/relay.h"

struct eh_peer_link {
	relay relay;               /* with the two devices                                  */
};

static const relay_slots slots = {
	.queue_create = ocl_queue_create,
	.queue_destroy = ocl_queue_destroy,
	.queue_wait = ocl_queue_wait,
	.upload = ocl_copies_upload,
	.download = ocl_copies_download,
};

static eh_status connect(eh_device *device, eh_device *other, uint32_t how, eh_peer_link **out,
                         eh_error *error)
{
	eh_peer_link *link;
	eh_status status = checks_peers(device == other || device->listing == other->listing, how, error);

	if (status != EH_OK)
		return status;
	if (how == EH_PEER_DIRECT)
		return failure_set(error, EH_E_UNSUPPORTED, "peer connect",
		                   "OpenCL has no copy that surely goes from device to device, because in a "
		                   "context of both the driver decides where a buffer is: take a staged copy.");
	link = calloc(1, sizeof(*link));
	if (link == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "peer connect",
		                   "No memory is left to connect two devices.");
	status = relay_open(&link->relay, &slots, device, other, error);
	if (status != EH_OK) {
		free(link);
		return status;
	}
	*out = link;
	return EH_OK;
}

static const char *describe(const eh_peer_link *link)
{
	(void)link;
	return "through the host's memory by the backend, one piece of 4 MiB after the other; OpenCL does "
	       "not tell of links";
}

static eh_status copy(eh_queue *q, eh_peer_link *link, eh_buffer *to, uint64_t to_offset,
                      eh_buffer *from, uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	const eh_status status = checks_peer_copy(relay_joins(&link->relay, to->device, from->device),
	    to->kind == EH_MEMORY_DEVICE && from->kind == EH_MEMORY_DEVICE, to->bytes, to_offset,
	    from->bytes, from_offset, bytes, error);

	if (status != EH_OK || bytes == 0)
		return status;
	return relay_copy(&link->relay, q, to, to_offset, from, from->device, from_offset, bytes,
	    error);
}

/* An event of one context is none in another, so there the host waits. */
static eh_status wait_mark(eh_queue *q, eh_mark *mark, eh_error *error)
{
	return q->device == mark->device ? ocl_queue_wait_mark(q, mark, error) : ocl_marks_wait(mark, error);
}

static void disconnect(eh_peer_link *link)
{
	if (link == NULL)
		return;
	relay_close(&link->relay);
	free(link);
}

const eh_peer_ops ocl_peers_table = {
	.struct_size = sizeof(ocl_peers_table),
	.connect = connect,
	.describe = describe,
	.copy = copy,
	.queue_wait_mark = wait_mark,
	.disconnect = disconnect,
};
