/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues.  Commands go to an immediate command list, which the device begins to execute at once.
 * Where a driver has none, they go to regular lists that are closed and executed at a flush.
 * Commands of a list may overlap: a barrier stands before every command but the first, unless the
 * list keeps order by itself.
 */
#include <stdlib.h>

#include "lz_state.h"
#include "shared/wording.h"

static ze_command_queue_desc_t describe(const eh_queue *q, uint32_t flags)
{
	const ze_command_queue_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
		.ordinal = q->device->engine,
		.index = q->index,
		.flags = flags,
		.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
		.priority = ZE_COMMAND_QUEUE_PRIORITY_NORMAL,
	};

	return desc;
}

static ze_result_t make_immediate(eh_queue *q)
{
	const eh_device *d = q->device;
	const bool ordered = d->self->in_order && d->place.driver->api >= LZ_API_IN_ORDER;
	const uint32_t order = ordered ? ZE_COMMAND_QUEUE_FLAG_IN_ORDER : 0;
	const uint32_t copies = d->copy_engines > 0 ? ZE_COMMAND_QUEUE_FLAG_COPY_OFFLOAD_HINT : 0;
	const uint32_t tries[] = { order | copies, order, 0 };
	ze_result_t rc = ZE_RESULT_SUCCESS;

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		const ze_command_queue_desc_t desc = describe(q, tries[i]);

		if (i > 0 && tries[i] == tries[i - 1])
			continue;
		rc = d->api->list_immediate(d->context, d->place.device, &desc, &q->immediate);
		q->in_order = rc == ZE_RESULT_SUCCESS && (tries[i] & ZE_COMMAND_QUEUE_FLAG_IN_ORDER) != 0;
		/* An older driver, or a loader that is older than the driver, refuses a flag. */
		if (rc != ZE_RESULT_ERROR_INVALID_ENUMERATION &&
		    rc != ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION)
			return rc;
	}
	return rc;
}

eh_status lz_queue_executor(eh_queue *q, eh_error *error)
{
	eh_device *d = q->device;
	const ze_command_queue_desc_t desc = describe(q, 0);
	ze_result_t rc;

	if (q->queue != NULL)
		return EH_OK;
	rc = d->api->queue_create(d->context, d->place.device, &desc, &q->queue);
	if (rc == ZE_RESULT_SUCCESS)
		return EH_OK;
	q->queue = NULL;
	return lz_devices_failed(d, error, rc, "zeCommandQueueCreate", "%s gives no queue",
	                         d->info.name);
}

eh_status lz_queue_create(eh_device *d, uint32_t flags, eh_queue **out, eh_error *error)
{
	eh_queue *q;
	ze_result_t rc = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
	eh_status status = checks_flags("queue_create", flags, EH_TIMED | EH_COPIES, error);

	if (status == EH_OK)
		status = lz_devices_enter(d, "queue_create", error);
	if (status != EH_OK)
		return status;
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "queue_create",
		                   "No memory is left for a queue.");
	q->device = d;
	q->timed = (flags & EH_TIMED) != 0;
	q->index = d->engine_next[q->timed];
	if (!d->self->regular)
		rc = make_immediate(q);
	if (rc == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE) {
		q->immediate = NULL;
		status = lz_queue_executor(q, error);
	} else if (rc != ZE_RESULT_SUCCESS) {
		q->immediate = NULL;
		status = lz_devices_failed(d, error, rc, "zeCommandListCreateImmediate",
		                           "%s gives no immediate command list", d->info.name);
	}
	if (status == EH_OK)
		status = lz_events_take(d, &q->waiter, error);
	if (status != EH_OK) {
		if (q->immediate != NULL)
			(void)d->api->list_destroy(q->immediate);
		if (q->queue != NULL)
			(void)d->api->queue_destroy(q->queue);
		free(q);
		return status;
	}
	/* The next queue gets the next engine of the group. */
	d->engine_next[q->timed] = (d->engine_next[q->timed] + 1) % d->engine_queues;
	*out = q;
	return EH_OK;
}

eh_status lz_queue_new_list(eh_queue *q, ze_command_list_handle_t *list, eh_error *error)
{
	eh_device *d = q->device;
	const ze_command_list_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
		.commandQueueGroupOrdinal = d->engine,
	};
	const ze_result_t rc = d->api->list_create(d->context, d->place.device, &desc, list);

	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeCommandListCreate", "%s gives no command list",
		                         d->info.name);
	return EH_OK;
}

/* Makes q->open a regular list that takes commands. */
static eh_status open_list(eh_queue *q, eh_error *error)
{
	lz_list *list = q->idle;
	eh_status status;

	if (q->open != NULL)
		return EH_OK;
	if (list != NULL) {
		q->idle = list->next;
		q->open = list;
		return EH_OK;
	}
	list = calloc(1, sizeof(*list));
	if (list == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "zeCommandListCreate",
		                   "No memory is left for a command list.");
	status = lz_queue_new_list(q, &list->handle, error);
	if (status != EH_OK) {
		free(list);
		return status;
	}
	q->open = list;
	return EH_OK;
}

/* The list that takes commands now, empty or not. */
static eh_status current(eh_queue *q, ze_command_list_handle_t *list, eh_error *error)
{
	eh_status status;

	*list = q->recording != NULL ? q->record : q->immediate;
	if (*list != NULL)
		return EH_OK;
	status = open_list(q, error);
	if (status == EH_OK)
		*list = q->open->handle;
	return status;
}

eh_status lz_queue_list(eh_queue *q, ze_command_list_handle_t *list, eh_error *error)
{
	eh_device *d = q->device;
	eh_status status = lz_devices_enter(d, "enqueue", error);
	ze_result_t rc;

	if (status == EH_OK)
		status = current(q, list, error);
	if (status != EH_OK || !q->behind || (q->in_order && q->recording == NULL))
		return status;
	rc = d->api->append_barrier(*list, NULL, 0, NULL);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeCommandListAppendBarrier",
		                         "%s does not take a barrier", d->info.name);
	q->behind = false;
	return EH_OK;
}

void lz_queue_appended(eh_queue *q)
{
	q->behind = true;
	q->recorded = q->recorded || q->recording != NULL;
}

eh_status lz_queue_flush(eh_queue *q, eh_error *error)
{
	eh_device *d = q->device;
	lz_list *list = q->open;
	ze_result_t rc;
	const char *where = "zeCommandListClose";

	if (list == NULL)
		return EH_OK;
	q->open = NULL;
	/* Kept with the executing lists even after a failure: a wait resets them all. */
	list->next = q->submitted;
	q->submitted = list;
	rc = d->api->list_close(list->handle);
	if (rc == ZE_RESULT_SUCCESS) {
		where = "zeCommandQueueExecuteCommandLists";
		rc = d->api->queue_execute(q->queue, 1, &list->handle, NULL);
	}
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, where, "%s does not take a list of commands",
		                         d->info.name);
	return EH_OK;
}

/* After a wait nothing executes: the lists can be used again. */
static eh_status recycle(eh_queue *q, eh_error *error)
{
	eh_device *d = q->device;

	while (q->submitted != NULL) {
		lz_list *list = q->submitted;
		const ze_result_t rc = d->api->list_reset(list->handle);

		if (rc != ZE_RESULT_SUCCESS)
			return lz_devices_failed(d, error, rc, "zeCommandListReset",
			                         "%s does not reset a command list", d->info.name);
		q->submitted = list->next;
		list->next = q->idle;
		q->idle = list;
	}
	return EH_OK;
}

/* Waits for an immediate list without a command more.  A driver without it leaves the loader's
 * function unsupported. */
static eh_status wait_immediate(const eh_queue *q, bool *done, eh_error *error)
{
	eh_device *d = q->device;
	ze_result_t rc;

	*done = false;
	if (d->api->list_wait == NULL || q->immediate == NULL || q->recording != NULL)
		return EH_OK;
	do
		rc = d->api->list_wait(q->immediate, UINT64_MAX);
	while (rc == ZE_RESULT_NOT_READY);
	if (rc == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || rc == ZE_RESULT_ERROR_UNINITIALIZED)
		return EH_OK;
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeCommandListHostSynchronize",
		                         "A command on %s failed", d->info.name);
	*done = true;
	return EH_OK;
}

/* A barrier that signals waits for everything before it, in a list of any kind. */
static eh_status wait_barrier(eh_queue *q, eh_error *error)
{
	eh_device *d = q->device;
	ze_command_list_handle_t list = NULL;
	eh_status status = current(q, &list, error);
	ze_result_t rc;

	if (status != EH_OK)
		return status;
	rc = d->api->append_barrier(list, q->waiter.handle, 0, NULL);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(d, error, rc, "zeCommandListAppendBarrier",
		                         "%s does not take a barrier", d->info.name);
	status = lz_queue_flush(q, error);
	if (status == EH_OK)
		status = lz_events_wait(d, &q->waiter, error);
	return status == EH_OK ? lz_events_reset(d, &q->waiter, error) : status;
}

eh_status lz_queue_wait(eh_queue *q, eh_error *error)
{
	bool done = false;
	eh_status status = lz_devices_enter(q->device, "queue_wait", error);

	if (status == EH_OK)
		status = wait_immediate(q, &done, error);
	if (status == EH_OK && !done)
		status = wait_barrier(q, error);
	if (status == EH_OK)
		status = recycle(q, error);
	if (status != EH_OK)
		return status;
	q->behind = false;
	lz_events_settle(q->device, q, q->device->waits);
	if (q->follows != NULL)
		lz_events_settle(q->device, q->follows, q->follows_wait);
	return EH_OK;
}

/* One queue of the mark's device settles the event when it was waited for, itself or by way of a queue
 * that waits for it; a graph waits again. */
static void note_waiter(eh_queue *q, eh_mark *mark)
{
	const bool here = q->device == mark->device && q->recording == NULL;
	const bool one = here && (!mark->awaited || mark->waiter == q);

	mark->awaited = true;
	mark->waiter = one ? q : NULL;
	mark->wait = ++q->device->waits;
	if (here) {
		q->follows = mark->queue;
		q->follows_wait = mark->waits;
	}
}

eh_status lz_queue_wait_mark(eh_queue *q, eh_mark *mark, eh_error *error)
{
	ze_command_list_handle_t list = NULL;
	ze_result_t rc;
	eh_status status;

	if (mark->queue == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "queue_wait_mark",
		                   "The mark was not recorded.");
	if (mark->device->place.driver != q->device->place.driver)
		return failure_set(error, EH_E_UNSUPPORTED, "queue_wait_mark",
		                   "%s and %s have two drivers, which know nothing of each other's events.",
		                   q->device->info.name, mark->device->info.name);
	status = lz_queue_flush(mark->queue, error);
	if (status == EH_OK)
		status = lz_queue_list(q, &list, error);
	if (status != EH_OK)
		return status;
	rc = q->device->api->append_wait(list, 1, &mark->event.handle);
	if (rc != ZE_RESULT_SUCCESS)
		return lz_devices_failed(q->device, error, rc, "zeCommandListAppendWaitOnEvents",
		                         "%s does not wait for a mark of another queue",
		                         q->device->info.name);
	note_waiter(q, mark);
	lz_queue_appended(q);
	return EH_OK;
}

static void free_lists(eh_queue *q, lz_list *list)
{
	while (list != NULL) {
		lz_list *next = list->next;

		(void)q->device->api->list_destroy(list->handle);
		free(list);
		list = next;
	}
}

void lz_queue_destroy(eh_queue *q)
{
	eh_error error = { .struct_size = sizeof(error) };
	eh_device *d;

	if (q == NULL)
		return;
	d = q->device;
	lz_graphs_give_up(q);
	if (d->lost == ZE_RESULT_SUCCESS && lz_queue_wait(q, &error) != EH_OK)
		wording_say(d->self->host, EH_LOG_WARN, "%s", error.message);
	lz_gemm_forget(q);
	if (q->immediate != NULL)
		(void)d->api->list_destroy(q->immediate);
	free_lists(q, q->open);
	free_lists(q, q->submitted);
	free_lists(q, q->idle);
	if (q->queue != NULL)
		(void)d->api->queue_destroy(q->queue);
	lz_events_return(d, &q->waiter);
	free(q);
}
