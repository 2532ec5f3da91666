/* SPDX-License-Identifier: Apache-2.0 */
#include "relay.h"

#include <stdlib.h>
#include <string.h>

#include "failure.h"

enum { PIECE_BYTES = 1 << 22 };

eh_status relay_open(relay *r, const relay_slots *slots, eh_device *device, eh_device *other,
                     eh_error *error)
{
	eh_status status = EH_OK;

	*r = (relay){ .slots = slots, .devices = { device, other } };
	r->piece = malloc(PIECE_BYTES);
	if (r->piece == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "peer connect",
		                   "No memory is left to copy through.");
	/* Its pages are there before anything is timed. */
	memset(r->piece, 0, PIECE_BYTES);
	for (int i = 0; i < 2 && status == EH_OK; i++)
		status = slots->queue_create(r->devices[i], 0, &r->queues[i], error);
	if (status != EH_OK)
		relay_close(r);
	return status;
}

eh_status relay_copy(const relay *r, eh_queue *behind, eh_buffer *to, uint64_t to_offset,
                     eh_buffer *from, const eh_device *from_device, uint64_t from_offset,
                     uint64_t bytes, eh_error *error)
{
	const int reads = from_device == r->devices[0] ? 0 : 1;
	eh_queue *reader = r->queues[reads], *writer = r->queues[1 - reads];
	eh_status status = r->slots->queue_wait(behind, error);

	for (uint64_t done = 0; status == EH_OK && done < bytes;) {
		const uint64_t size = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;

		status = r->slots->download(reader, r->piece, from, from_offset + done, size, error);
		if (status == EH_OK)
			status = r->slots->queue_wait(reader, error);
		if (status == EH_OK)
			status = r->slots->upload(writer, to, to_offset + done, r->piece, size, error);
		if (status == EH_OK)
			status = r->slots->queue_wait(writer, error);
		done += size;
	}
	return status;
}

void relay_close(relay *r)
{
	for (int i = 0; i < 2; i++)
		if (r->queues[i] != NULL)
			r->slots->queue_destroy(r->queues[i]);
	free(r->piece);
	*r = (relay){ 0 };
}
