/* SPDX-License-Identifier: Apache-2.0 */
/* Marks: the device writes its clock to host memory and signals an event. */
#include <stdlib.h>

#include "lz_state.h"

eh_status lz_marks_create(eh_device *d, uint32_t flags, eh_mark **out, eh_error *error)
{
	const ze_host_mem_alloc_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC };
	void *ticks = NULL;
	eh_mark *m;
	ze_result_t rc;
	eh_status status = checks_flags("mark_create", flags, EH_TIMED, error);

	if (status == EH_OK)
		status = lz_devices_enter(d, "mark_create", error);
	if (status != EH_OK)
		return status;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "mark_create", "No memory is left for a mark.");
	m->device = d;
	m->timed = (flags & EH_TIMED) != 0;
	if (m->timed && d->clock.hertz != 0) {
		rc = d->api->mem_host(d->context, &desc, sizeof(uint64_t), 64, &ticks);
		if (rc != ZE_RESULT_SUCCESS) {
			status = lz_devices_failed(d, error, rc, "zeMemAllocHost",
			                           "%s gives no memory for a mark", d->info.name);
			goto undo_struct;
		}
		m->ticks = ticks;
	}
	status = lz_events_take(d, &m->event, error);
	if (status != EH_OK)
		goto undo_ticks;
	*out = m;
	return EH_OK;
undo_ticks:
	if (ticks != NULL)
		(void)d->api->mem_free(d->context, ticks);
undo_struct:
	free(m);
	return status;
}

void lz_marks_destroy(eh_mark *m)
{
	if (m == NULL)
		return;
	if (m->awaited)
		lz_events_park(m->device, &m->event, m->waiter, m->wait);
	else
		lz_events_return(m->device, &m->event);
	if (m->ticks != NULL)
		(void)m->device->api->mem_free(m->device->context, m->ticks);
	free(m);
}

/* An event that nothing has signalled yet. */
static eh_status renew(eh_mark *m, eh_error *error)
{
	lz_event fresh;
	eh_status status;

	if (m->queue == NULL)
		return EH_OK;
	if (!m->awaited)
		return lz_events_reset(m->device, &m->event, error);
	/* Another queue may not have seen it yet. */
	status = lz_events_take(m->device, &fresh, error);
	if (status != EH_OK)
		return status;
	lz_events_park(m->device, &m->event, m->waiter, m->wait);
	m->event = fresh;
	m->awaited = false;
	return EH_OK;
}

eh_status lz_marks_record(eh_queue *q, eh_mark *m, eh_error *error)
{
	const eh_host *host = q->device->self->host;
	const lz_api *api = q->device->api;
	ze_command_list_handle_t list = NULL;
	eh_status status = lz_queue_list(q, &list, error);
	uint64_t before;
	ze_result_t rc;

	if (status == EH_OK)
		status = renew(m, error);
	if (status != EH_OK)
		return status;
	/* Before the call: the device may execute the mark before the call returns. */
	before = host->now_ns(host->ctx);
	rc = m->ticks != NULL ? api->append_time(list, m->ticks, m->event.handle, 0, NULL)
	                      : api->append_barrier(list, m->event.handle, 0, NULL);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(q->device, error, rc, m->ticks != NULL ?
		                         "zeCommandListAppendWriteGlobalTimestamp" :
		                         "zeCommandListAppendBarrier", "%s does not take a mark",
		                         q->device->info.name);
	lz_queue_appended(q);
	m->queue = q;
	m->waits = q->device->waits;
	m->passed = false;
	m->recorded_ns = before;
	return EH_OK;
}

static void note_passed(eh_mark *m)
{
	const eh_host *host = m->device->self->host;

	if (!m->passed)
		m->passed_ns = host->now_ns(host->ctx);
	m->passed = true;
}

static eh_status reach(const eh_mark *m, const char *slot, eh_error *error)
{
	const eh_status status = lz_devices_enter(m->device, slot, error);

	if (status != EH_OK)
		return status;
	if (m->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, slot, "The mark was not recorded.");
	return lz_queue_flush(m->queue, error);
}

eh_status lz_marks_wait(eh_mark *m, eh_error *error)
{
	eh_status status = reach(m, "mark_wait", error);

	if (status == EH_OK)
		status = lz_events_wait(m->device, &m->event, error);
	if (status == EH_OK)
		note_passed(m);
	return status;
}

eh_status lz_marks_passed(eh_mark *m, uint32_t *passed, eh_error *error)
{
	const eh_status status = reach(m, "mark_passed", error);
	ze_result_t rc;

	if (status != EH_OK)
		return status;
	rc = m->device->api->event_query(m->event.handle);
	if (rc != ZE_RESULT_SUCCESS && rc != ZE_RESULT_NOT_READY)
		return lz_devices_failed(m->device, error, rc, "zeEventQueryStatus",
		                         "A command on %s failed", m->device->info.name);
	if (rc == ZE_RESULT_SUCCESS)
		note_passed(m);
	*passed = rc == ZE_RESULT_SUCCESS;
	return EH_OK;
}

eh_status lz_marks_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	eh_device *d = from->device;
	eh_mark *const both[] = { from, to };
	const lz_clock clock = d->clock;
	const eh_status usable = checks_elapsed(from->queue, to->queue, from->timed && to->timed &&
	                                        from->queue != NULL && from->queue->timed, error);

	if (usable != EH_OK)
		return usable;
	for (size_t i = 0; i < 2; i++) {
		uint32_t passed = 1;
		/* After a wait for the queue, the mark itself was not asked yet. */
		const eh_status status = both[i]->passed ? EH_OK : lz_marks_passed(both[i], &passed, error);

		if (status != EH_OK)
			return status;
		if (passed == 0)
			return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
			                   "A mark has not passed.");
	}
	/* The host sees when a mark has passed, not when it passed. */
	if (clock.hertz == 0)
		return failure_set(error, EH_E_UNSUPPORTED, "mark_elapsed", "%s has no clock.",
		                   d->info.name);
	/* The host's clock gives an upper limit of the time.  When that is longer than a period,
	 * the counter may have begun again unseen. */
	if (to->passed_ns - from->recorded_ns >= lz_clock_period_ns(clock))
		return failure_set(error, EH_E_UNSUPPORTED, "mark_elapsed",
		                   "The clock of %s begins again every %.3g s, and the two marks may lie "
		                   "further apart.", d->info.name,
		                   (double)lz_clock_period_ns(clock) / 1e9);
	*ns = lz_clock_ns(clock, *from->ticks, *to->ticks);
	/* A later mark that reads earlier looks like nearly a whole period. */
	if (lz_clock_exceeds(clock, *ns, to->passed_ns - from->recorded_ns))
		return failure_set(error, EH_E_DEVICE, "zeCommandListAppendWriteGlobalTimestamp",
		                   "%s puts its marks %.6g s apart, which is longer than the host saw "
		                   "pass: its times are void.", d->info.name, (double)*ns / 1e9);
	return EH_OK;
}
