/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh.graph.1: a regular command list, closed and executed again.  It begins by waiting for an event
 * that the queue signals at each launch, and ends by signalling one that the queue waits for; each
 * event is reset by the device behind the wait, so that launches can follow each other.
 */
#include <stdlib.h>

#include "evenhand/extensions.h"
#include "lz_state.h"

struct eh_graph {
	eh_device *device;
	ze_command_list_handle_t list;
	lz_event enter, leave;
};

static eh_status available(eh_device *d, eh_error *error)
{
	(void)d;
	(void)error;
	return EH_OK;
}

static void destroy(eh_graph *graph)
{
	if (graph == NULL)
		return;
	if (graph->list != NULL)
		(void)graph->device->api->list_destroy(graph->list);
	lz_events_return(graph->device, &graph->leave);
	lz_events_return(graph->device, &graph->enter);
	free(graph);
}

void lz_graphs_give_up(eh_queue *q)
{
	destroy(q->recording);
	q->recording = NULL;
}

/* Waits for `event`, and resets it for the next time. */
static ze_result_t append_gate(eh_queue *q, ze_command_list_handle_t list, const lz_event *event,
                               const char **where)
{
	const lz_api *api = q->device->api;
	ze_result_t rc;

	*where = "zeCommandListAppendWaitOnEvents";
	rc = api->append_wait(list, 1, (ze_event_handle_t[]){ event->handle });
	if (rc == ZE_RESULT_SUCCESS) {
		*where = "zeCommandListAppendBarrier";
		rc = api->append_barrier(list, NULL, 0, NULL);
	}
	if (rc == ZE_RESULT_SUCCESS) {
		*where = "zeCommandListAppendEventReset";
		rc = api->append_reset(list, event->handle);
	}
	return rc;
}

static eh_status begin(eh_queue *q, eh_error *error)
{
	eh_device *d = q->device;
	const char *where = "";
	eh_graph *graph;
	ze_result_t rc;
	eh_status status = lz_devices_enter(d, "graph begin", error);

	if (status == EH_OK && q->recording != NULL)
		status = failure_set(error, EH_E_INVALID_ARGUMENT, "graph begin",
		                     "The queue records already.");
	if (status == EH_OK)
		status = lz_queue_executor(q, error);
	if (status != EH_OK)
		return status;
	graph = calloc(1, sizeof(*graph));
	if (graph == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "graph begin", "No memory is left for a graph.");
	graph->device = d;
	status = lz_queue_new_list(q, &graph->list, error);
	if (status == EH_OK)
		status = lz_events_take(d, &graph->enter, error);
	if (status == EH_OK)
		status = lz_events_take(d, &graph->leave, error);
	if (status != EH_OK)
		goto undo;
	rc = append_gate(q, graph->list, &graph->enter, &where);
	if (rc != ZE_RESULT_SUCCESS) {
		status = lz_devices_failed(d, error, rc, where, "%s does not record", d->info.name);
		goto undo;
	}
	q->recording = graph;
	q->record = graph->list;
	q->recorded = false;
	q->behind = true;
	return EH_OK;
undo:
	destroy(graph);
	return status;
}

static eh_status end(eh_queue *q, eh_graph **out, eh_error *error)
{
	eh_device *d = q->device;
	eh_graph *graph = q->recording;
	ze_result_t rc;
	const char *where = "zeCommandListAppendBarrier";
	eh_status status = lz_devices_enter(d, "graph end", error);

	q->recording = NULL;
	q->record = NULL;
	/* Commands enqueued before it may still run. */
	q->behind = true;
	if (graph == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "graph end", "The queue does not record.");
	if (out == NULL) {
		destroy(graph);
		return EH_OK;
	}
	if (status == EH_OK && !q->recorded)
		status = failure_set(error, EH_E_INVALID_ARGUMENT, "graph end", "Nothing was recorded.");
	if (status != EH_OK)
		goto undo;
	rc = d->api->append_barrier(graph->list, graph->leave.handle, 0, NULL);
	if (rc == ZE_RESULT_SUCCESS) {
		where = "zeCommandListClose";
		rc = d->api->list_close(graph->list);
	}
	if (rc != ZE_RESULT_SUCCESS) {
		status = lz_devices_failed(d, error, rc, where, "The recording on %s failed",
		                           d->info.name);
		goto undo;
	}
	*out = graph;
	return EH_OK;
undo:
	destroy(graph);
	return status;
}

static eh_status launch(eh_queue *q, eh_graph *graph, eh_error *error)
{
	eh_device *d = q->device;
	ze_command_list_handle_t list = NULL;
	const char *where = "zeCommandListAppendBarrier";
	bool executing = false;
	eh_status status = lz_queue_list(q, &list, error);
	ze_result_t rc;

	if (status != EH_OK)
		return status;
	/* Everything before it in the queue, then the graph, then everything behind. */
	rc = d->api->append_barrier(list, graph->enter.handle, 0, NULL);
	if (rc == ZE_RESULT_SUCCESS) {
		status = lz_queue_flush(q, error);
		if (status != EH_OK)
			return status;
		where = "zeCommandQueueExecuteCommandLists";
		rc = d->api->queue_execute(q->queue, 1, &graph->list, NULL);
		executing = rc == ZE_RESULT_SUCCESS;
	}
	if (executing)
		status = lz_queue_list(q, &list, error);
	if (executing && status == EH_OK)
		rc = append_gate(q, list, &graph->leave, &where);
	if (rc != ZE_RESULT_SUCCESS)
		status = lz_devices_failed(d, error, rc, where, "%s does not take a graph", d->info.name);
	/* Nothing in the queue would wait for it any more. */
	if (status != EH_OK && executing)
		(void)lz_events_wait(d, &graph->leave, NULL);
	lz_queue_appended(q);
	return status;
}

const void *lz_graphs_table(void)
{
	static const eh_graph_ops table = {
		.struct_size = sizeof(table),
		.available = available,
		.begin = begin,
		.end = end,
		.launch = launch,
		.destroy = destroy,
	};

	return &table;
}
