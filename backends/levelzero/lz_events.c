/* SPDX-License-Identifier: Apache-2.0 */
/* Events, taken from pools that grow: the host sees them, and so do all devices of the driver. */
#include <stdlib.h>

#include "lz_state.h"

enum { EVENTS_PER_POOL = 64 };

/* An unused event for which an enqueued command may still wait. */
struct lz_parked {
	struct lz_parked *next;
	lz_event event;
	const eh_queue *waiter;  /* whose; NULL = not one queue's of this device             */
	uint64_t wait;           /* the number of the command                                */
};

/* Adds a pool to d->pools; NULL when that fails. */
static lz_pool *grow(eh_device *d, eh_status *status, eh_error *error)
{
	const ze_event_pool_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
		.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
		.count = EVENTS_PER_POOL,
	};
	lz_pool *pool = calloc(1, sizeof(*pool));
	ze_result_t rc;

	if (pool == NULL) {
		*status = failure_set(error, EH_E_NO_MEMORY, "zeEventPoolCreate",
		                      "No memory is left for events.");
		return NULL;
	}
	rc = d->api->pool_create(d->context, &desc, 0, NULL, &pool->handle);
	if (rc != ZE_RESULT_SUCCESS) {
		free(pool);
		*status = lz_devices_failed(d, error, rc, "zeEventPoolCreate", "%s gives no events",
		                            d->info.name);
		return NULL;
	}
	pool->next = d->pools;
	d->pools = pool;
	return pool;
}

eh_status lz_events_take(eh_device *d, lz_event *out, eh_error *error)
{
	/* Signalled to the host, because the host waits for events. */
	ze_event_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
		.signal = ZE_EVENT_SCOPE_FLAG_HOST,
		.wait = ZE_EVENT_SCOPE_FLAG_HOST,
	};
	lz_pool *pool = d->pools;
	eh_status status = EH_OK;
	ze_result_t rc;

	while (pool != NULL && pool->used == UINT64_MAX)
		pool = pool->next;
	if (pool == NULL)
		pool = grow(d, &status, error);
	if (pool == NULL)
		return status;
	while ((pool->used >> desc.index & 1) != 0)
		desc.index++;
	rc = d->api->event_create(pool->handle, &desc, &out->handle);
	if (rc != ZE_RESULT_SUCCESS) {
		out->handle = NULL;
		return lz_devices_failed(d, error, rc, "zeEventCreate", "%s gives no event",
		                         d->info.name);
	}
	out->pool = pool;
	out->index = desc.index;
	pool->used |= UINT64_C(1) << desc.index;
	/* A driver may hand out the memory of an earlier event, with its state. */
	status = lz_events_reset(d, out, error);
	if (status != EH_OK)
		lz_events_return(d, out);
	return status;
}

void lz_events_return(eh_device *d, lz_event *event)
{
	if (event->handle == NULL)
		return;
	(void)d->api->event_destroy(event->handle);
	event->pool->used &= ~(UINT64_C(1) << event->index);
	event->handle = NULL;
}

void lz_events_park(eh_device *d, lz_event *event, const eh_queue *waiter, uint64_t wait)
{
	struct lz_parked *parked = event->handle != NULL ? calloc(1, sizeof(*parked)) : NULL;

	/* Without memory for the note the event's place in the pool is lost until the close. */
	if (parked != NULL) {
		parked->event = *event;
		parked->waiter = waiter;
		parked->wait = wait;
		parked->next = d->parked;
		d->parked = parked;
	}
	event->handle = NULL;
}

void lz_events_settle(eh_device *d, const eh_queue *waiter, uint64_t wait)
{
	struct lz_parked **at = &d->parked;

	while (*at != NULL) {
		struct lz_parked *each = *at;

		if (each->waiter != waiter || each->wait > wait) {
			at = &each->next;
			continue;
		}
		*at = each->next;
		lz_events_return(d, &each->event);
		free(each);
	}
}

void lz_events_free(eh_device *d)
{
	while (d->parked != NULL) {
		struct lz_parked *next = d->parked->next;

		lz_events_return(d, &d->parked->event);
		free(d->parked);
		d->parked = next;
	}
	while (d->pools != NULL) {
		lz_pool *next = d->pools->next;

		(void)d->api->pool_destroy(d->pools->handle);
		free(d->pools);
		d->pools = next;
	}
}

eh_status lz_events_wait(eh_device *d, const lz_event *event, eh_error *error)
{
	ze_result_t rc;

	/* Some drivers treat the longest time as a finite one and return before the event. */
	do
		rc = d->api->event_wait(event->handle, UINT64_MAX);
	while (rc == ZE_RESULT_NOT_READY);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeEventHostSynchronize",
		                         "A command on %s failed", d->info.name);
	return EH_OK;
}

eh_status lz_events_reset(eh_device *d, const lz_event *event, eh_error *error)
{
	const ze_result_t rc = d->api->event_reset(event->handle);

	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeEventHostReset", "%s does not reset an event",
		                         d->info.name);
	return EH_OK;
}
