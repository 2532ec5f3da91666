/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between two devices through the host's memory, for a backend whose driver makes none. */
#ifndef SHARED_RELAY_H
#define SHARED_RELAY_H

#include <stdbool.h>

#include "evenhand/backend_helper.h"

/* The backend's own slots of eh_backend_ops. */
typedef struct relay_slots {
	eh_status (*queue_create)(eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error);
	void (*queue_destroy)(eh_queue *queue);
	eh_status (*queue_wait)(eh_queue *queue, eh_error *error);
	eh_status (*upload)(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
	                    uint64_t bytes, eh_error *error);
	eh_status (*download)(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
	                      uint64_t bytes, eh_error *error);
} relay_slots;

/* Zeroed: closed. */
typedef struct relay {
	const relay_slots *slots;
	eh_device *devices[2];
	eh_queue *queues[2];       /* of the relay's own, one of each device                */
	void *piece;               /* what passes through the host at a time                */
} relay;

/* *r is closed when it fails. */
eh_status relay_open(relay *r, const relay_slots *slots, eh_device *device, eh_device *other,
                     eh_error *error);
/* Whether the two are its devices, in any order. */
static inline bool relay_joins(const relay *r, const eh_device *a, const eh_device *b)
{
	return (a == r->devices[0] && b == r->devices[1]) || (a == r->devices[1] && b == r->devices[0]);
}
/* Waits for `behind`, then copies piece by piece; all is done when it returns.  `from` is a buffer
 * of from_device, `to` of the other device. */
eh_status relay_copy(const relay *r, eh_queue *behind, eh_buffer *to, uint64_t to_offset,
                     eh_buffer *from, const eh_device *from_device, uint64_t from_offset,
                     uint64_t bytes, eh_error *error);
/* Also of a closed one. */
void relay_close(relay *r);

#endif
