/* SPDX-License-Identifier: Apache-2.0 */
/* Events, command lists, queues. */
#include <stdlib.h>
#include <string.h>

#include "../shared/faults.h"
#include "tze_state.h"

enum { QUEUE_FLAG_IN_ORDER = 1 << 1, QUEUE_FLAG_COPY_OFFLOAD = 1 << 2, COPY_ENGINE = 0, COMPUTE_ENGINE = 1 };

#define WAITS ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits

/* ---- events ---- */

TZE_FUNCTION(EventPoolCreate,
             (ze_context_handle_t context, const ze_event_pool_desc_t *desc, uint32_t count,
              ze_device_handle_t *devices, ze_event_pool_handle_t *out),
             (context, desc, count, devices, out))
{
	tze_pool *pool = tze_new(sizeof(*pool));

	(void)context;
	(void)count;
	(void)devices;
	pool->count = desc->count;
	pool->events = tze_new(desc->count * sizeof(*pool->events));
	*out = (ze_event_pool_handle_t)pool;
	tze_live("event pools", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(EventPoolDestroy, (ze_event_pool_handle_t handle), (handle))
{
	tze_pool *pool = (tze_pool *)handle;

	if (pool->live > 0)
		return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
	free(pool->events);
	free(pool);
	tze_live("event pools", -1);
	return ZE_RESULT_SUCCESS;
}

/* An event keeps the state of the one that had its place before: the API promises nothing else. */
TZE_FUNCTION(EventCreate,
             (ze_event_pool_handle_t handle, const ze_event_desc_t *desc, ze_event_handle_t *out),
             (handle, desc, out))
{
	tze_pool *pool = (tze_pool *)handle;
	tze_event *event = &pool->events[desc->index];

	if (desc->index >= pool->count || event->live)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	event->pool = pool;
	event->live = true;
	pool->live++;
	*out = (ze_event_handle_t)event;
	tze_live("events", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(EventDestroy, (ze_event_handle_t handle), (handle))
{
	tze_event *event = (tze_event *)handle;

	if (!event->live)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	event->live = false;
	event->pool->live--;
	tze_live("events", -1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(EventHostSynchronize, (ze_event_handle_t event, uint64_t timeout), (event, timeout))
{
	(void)timeout;
	return tze_engine_wait((const tze_event *)event, NULL);
}

TZE_FUNCTION(EventQueryStatus, (ze_event_handle_t event), (event))
{
	const ze_result_t rc = tze_engine_step();

	if (rc != ZE_RESULT_SUCCESS)
		return rc;
	return ((const tze_event *)event)->signalled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

TZE_FUNCTION(EventHostReset, (ze_event_handle_t event), (event))
{
	((tze_event *)event)->signalled = false;
	return ZE_RESULT_SUCCESS;
}

/* ---- lists ---- */

static void drop_commands(tze_list *list)
{
	while (list->first != NULL) {
		tze_command *next = list->first->next;

		free(list->first);
		list->first = next;
	}
	list->last = &list->first;
}

TZE_FUNCTION(CommandListCreate,
             (ze_context_handle_t context, ze_device_handle_t device,
              const ze_command_list_desc_t *desc, ze_command_list_handle_t *out),
             (context, device, desc, out))
{
	tze_list *list;

	(void)context;
	if (desc->commandQueueGroupOrdinal != COMPUTE_ENGINE)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	list = tze_new(sizeof(*list));
	list->device = (tze_device *)device;
	list->last = &list->first;
	*out = (ze_command_list_handle_t)list;
	tze_live("command lists", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandListCreateImmediate,
             (ze_context_handle_t context, ze_device_handle_t device,
              const ze_command_queue_desc_t *desc, ze_command_list_handle_t *out),
             (context, device, desc, out))
{
	const bool in_order = (desc->flags & QUEUE_FLAG_IN_ORDER) != 0;
	const bool offloads = (desc->flags & QUEUE_FLAG_COPY_OFFLOAD) != 0;
	tze_list *list;

	(void)context;
	if (desc->ordinal != COMPUTE_ENGINE || desc->index >= 4)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if ((in_order && tze_setting("api", 104) < 107) || (offloads && tze_setting("api", 104) < 115))
		return ZE_RESULT_ERROR_INVALID_ENUMERATION;
	list = tze_new(sizeof(*list));
	list->device = (tze_device *)device;
	list->last = &list->first;
	list->stream = tze_engine_new(list->device, in_order, offloads);
	*out = (ze_command_list_handle_t)list;
	tze_live("command lists", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandListDestroy, (ze_command_list_handle_t handle), (handle))
{
	tze_list *list = (tze_list *)handle;

	if (list->in_flight > 0 && !list->device->lost)
		return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
	if (list->stream != NULL)
		tze_engine_free(list->stream);
	drop_commands(list);
	free(list);
	tze_live("command lists", -1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandListClose, (ze_command_list_handle_t list), (list))
{
	((tze_list *)list)->closed = true;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandListReset, (ze_command_list_handle_t handle), (handle))
{
	tze_list *list = (tze_list *)handle;

	if (list->stream != NULL)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (list->in_flight > 0)
		return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
	drop_commands(list);
	list->closed = false;
	return ZE_RESULT_SUCCESS;
}

static ze_result_t add(ze_command_list_handle_t handle, tze_command c, WAITS)
{
	tze_list *list = (tze_list *)handle;
	tze_command *copy;

	if (list->closed || count > TZE_MOST_WAITS)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (list->device->lost)
		return ZE_RESULT_ERROR_DEVICE_LOST;
	c.signal = (tze_event *)signal;
	c.wait_count = count;
	for (uint32_t i = 0; i < count; i++)
		c.waits[i] = (tze_event *)waits[i];
	copy = tze_new(sizeof(*copy));
	*copy = c;
	if (list->stream != NULL) {
		tze_engine_put(list->stream, copy);
		return ZE_RESULT_SUCCESS;
	}
	*list->last = copy;
	list->last = &copy->next;
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandListAppendBarrier, (ze_command_list_handle_t list, WAITS),
             (list, signal, count, waits))
{
	return add(list, (tze_command){ .kind = TZE_BARRIER }, signal, count, waits);
}

TZE_FUNCTION(CommandListAppendSignalEvent,
             (ze_command_list_handle_t list, ze_event_handle_t event), (list, event))
{
	return add(list, (tze_command){ .kind = TZE_WAIT }, event, 0, NULL);
}

TZE_FUNCTION(CommandListAppendWaitOnEvents,
             (ze_command_list_handle_t list, uint32_t count, ze_event_handle_t *waits),
             (list, count, waits))
{
	return add(list, (tze_command){ .kind = TZE_WAIT }, NULL, count, waits);
}

TZE_FUNCTION(CommandListAppendEventReset,
             (ze_command_list_handle_t list, ze_event_handle_t event), (list, event))
{
	return add(list, (tze_command){ .kind = TZE_RESET, .event = (tze_event *)event }, NULL, 0, NULL);
}

TZE_FUNCTION(CommandListAppendWriteGlobalTimestamp,
             (ze_command_list_handle_t list, uint64_t *to, WAITS), (list, to, signal, count, waits))
{
	if (((uintptr_t)to & 7) != 0)
		return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
	return add(list, (tze_command){ .kind = TZE_TIME, .to = (uint64_t)(uintptr_t)to }, signal, count,
	           waits);
}

TZE_FUNCTION(CommandListAppendMemoryCopy,
             (ze_command_list_handle_t list, void *to, const void *from, size_t bytes, WAITS),
             (list, to, from, bytes, signal, count, waits))
{
	return add(list, (tze_command){ .kind = TZE_COPY, .to = (uint64_t)(uintptr_t)to,
	           .from = (uint64_t)(uintptr_t)from, .bytes = bytes }, signal, count, waits);
}

TZE_FUNCTION(CommandListAppendMemoryFill,
             (ze_command_list_handle_t list, void *to, const void *pattern, size_t pattern_size,
              size_t bytes, WAITS),
             (list, to, pattern, pattern_size, bytes, signal, count, waits))
{
	tze_command c = { .kind = TZE_FILL, .to = (uint64_t)(uintptr_t)to, .bytes = bytes,
	                  .pattern_size = pattern_size };

	if (pattern_size == 0 || pattern_size > sizeof(c.pattern) || bytes % pattern_size != 0)
		return ZE_RESULT_ERROR_INVALID_SIZE;
	memcpy(c.pattern, pattern, pattern_size);
	return add(list, c, signal, count, waits);
}

TZE_FUNCTION(CommandListAppendLaunchKernel,
             (ze_command_list_handle_t list, ze_kernel_handle_t handle,
              const ze_group_count_t *groups, WAITS),
             (list, handle, groups, signal, count, waits))
{
	tze_kernel *k = (tze_kernel *)handle;
	tze_command c = { .kind = TZE_LAUNCH, .kernel = k,
	                  .groups = { groups->groupCountX, groups->groupCountY, groups->groupCountZ } };

	if (k->group[0] == 0)
		return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
	for (uint32_t i = 0; i < k->count; i++)
		if (!k->arguments[i].set)
			return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	if (k->given != (UINT32_C(1) << k->count) - 1)
		faults_note("launch with an argument of an earlier one");
	k->given = 0;
	memcpy(c.arguments, k->arguments, sizeof(c.arguments));
	memcpy(c.group, k->group, sizeof(c.group));
	return add(list, c, signal, count, waits);
}

/* ---- queues ---- */

TZE_FUNCTION(CommandQueueCreate,
             (ze_context_handle_t context, ze_device_handle_t device,
              const ze_command_queue_desc_t *desc, ze_command_queue_handle_t *out),
             (context, device, desc, out))
{
	(void)context;
	if (desc->ordinal != COMPUTE_ENGINE)
		return ZE_RESULT_ERROR_INVALID_ARGUMENT;
	*out = (ze_command_queue_handle_t)tze_engine_new((tze_device *)device, false, false);
	tze_live("command queues", 1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandQueueDestroy, (ze_command_queue_handle_t queue), (queue))
{
	tze_engine_free((tze_stream *)queue);
	tze_live("command queues", -1);
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandQueueExecuteCommandLists,
             (ze_command_queue_handle_t queue, uint32_t count, ze_command_list_handle_t *lists,
              ze_fence_handle_t fence),
             (queue, count, lists, fence))
{
	tze_stream *s = (tze_stream *)queue;

	if (fence != NULL)
		return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
	if (s->device->lost)
		return ZE_RESULT_ERROR_DEVICE_LOST;
	for (uint32_t i = 0; i < count; i++) {
		tze_list *list = (tze_list *)lists[i];

		if (!list->closed || list->stream != NULL)
			return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
		for (const tze_command *c = list->first; c != NULL; c = c->next) {
			tze_command *copy = tze_new(sizeof(*copy));

			*copy = *c;
			copy->list = list;
			tze_engine_put(s, copy);
		}
	}
	return ZE_RESULT_SUCCESS;
}

TZE_FUNCTION(CommandQueueSynchronize, (ze_command_queue_handle_t queue, uint64_t timeout),
             (queue, timeout))
{
	(void)timeout;
	return tze_engine_wait(NULL, (const tze_stream *)queue);
}

/* ---- tables ---- */

TZE_TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t)
{
	(void)version;
	t->pfnCreate = tze_EventPoolCreate;
	t->pfnDestroy = tze_EventPoolDestroy;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetEventProcAddrTable, ze_event_dditable_t)
{
	(void)version;
	t->pfnCreate = tze_EventCreate;
	t->pfnDestroy = tze_EventDestroy;
	t->pfnHostSynchronize = tze_EventHostSynchronize;
	t->pfnQueryStatus = tze_EventQueryStatus;
	t->pfnHostReset = tze_EventHostReset;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t)
{
	(void)version;
	t->pfnCreate = tze_CommandListCreate;
	t->pfnCreateImmediate = tze_CommandListCreateImmediate;
	t->pfnDestroy = tze_CommandListDestroy;
	t->pfnClose = tze_CommandListClose;
	t->pfnReset = tze_CommandListReset;
	t->pfnAppendBarrier = tze_CommandListAppendBarrier;
	t->pfnAppendSignalEvent = tze_CommandListAppendSignalEvent;
	t->pfnAppendWaitOnEvents = tze_CommandListAppendWaitOnEvents;
	t->pfnAppendEventReset = tze_CommandListAppendEventReset;
	t->pfnAppendWriteGlobalTimestamp = tze_CommandListAppendWriteGlobalTimestamp;
	t->pfnAppendMemoryCopy = tze_CommandListAppendMemoryCopy;
	t->pfnAppendMemoryFill = tze_CommandListAppendMemoryFill;
	t->pfnAppendLaunchKernel = tze_CommandListAppendLaunchKernel;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
{
	(void)version;
	t->pfnCreate = tze_CommandQueueCreate;
	t->pfnDestroy = tze_CommandQueueDestroy;
	t->pfnExecuteCommandLists = tze_CommandQueueExecuteCommandLists;
	t->pfnSynchronize = tze_CommandQueueSynchronize;
	return ZE_RESULT_SUCCESS;
}
