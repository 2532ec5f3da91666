/* SPDX-License-Identifier: Apache-2.0 */
/* eh.graph.1 of a stream API: a stream's captured commands become a graph.  See
 * shared/streamapi.h. */
#include <stdlib.h>

static bool graphs_offered(const stream_api *api)
{
	return api->capture_begin != NULL && api->capture_end != NULL && api->graph_nodes != NULL &&
	       stream_vendor_can_graph(api) && api->graph_launch != NULL &&
	       api->graph_exec_destroy != NULL && api->graph_destroy != NULL;
}

static eh_status graph_available(eh_device *d, eh_error *error)
{
	(void)d;
	(void)error;
	return EH_OK;
}

static eh_status graph_begin(eh_queue *q, eh_error *error)
{
	stream_rc rc;
	const eh_status status = stream_devices_enter(q->device, "graph begin", error);

	if (status != EH_OK)
		return status;
	/* Relaxed: other threads, and this one on other streams, go on as usual. */
	rc = q->device->api->capture_begin(q->stream, STREAM_CAPTURE_MODE);
	if (rc != STREAM_OK)
		return stream_devices_failed(q->device, error, rc, STREAM_CALLS.capture_begin,
		                             "%s does not record", q->device->info.name);
	return EH_OK;
}

static eh_status graph_make(eh_device *d, stream_graph captured, eh_graph **out, eh_error *error)
{
	const stream_api *api = d->api;
	stream_graph_exec exec = NULL;
	const char *where = "";
	eh_graph *graph;
	size_t nodes = 0;
	stream_rc rc = api->graph_nodes(captured, NULL, &nodes);

	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.graph_nodes,
		                             "A recording cannot be looked at");
	if (nodes == 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "graph end", "Nothing was recorded.");
	rc = stream_vendor_graph(api, captured, &exec, &where);
	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, where, "A graph of %zu nodes cannot be made",
		                             nodes);
	graph = calloc(1, sizeof(*graph));
	if (graph == NULL) {
		(void)api->graph_exec_destroy(exec);
		return failure_set(error, EH_E_NO_MEMORY, "graph end", "No memory is left for a graph.");
	}
	graph->device = d;
	graph->exec = exec;
	*out = graph;
	return EH_OK;
}

static eh_status graph_end(eh_queue *q, eh_graph **out, eh_error *error)
{
	eh_device *d = q->device;
	stream_graph captured = NULL;
	stream_rc rc;
	eh_status status = stream_devices_enter(d, "graph end", error);

	if (status != EH_OK)
		return status;
	rc = d->api->capture_end(q->stream, &captured);
	if (rc != STREAM_OK || captured == NULL) {
		if (out == NULL)
			return EH_OK;
		return stream_devices_failed(d, error, rc != STREAM_OK ? rc : STREAM_NOT_CAPTURED,
		                             STREAM_CALLS.capture_end, "The recording on %s failed",
		                             d->info.name);
	}
	if (out == NULL)
		goto undo_captured;
	status = graph_make(d, captured, out, error);
undo_captured:
	(void)d->api->graph_destroy(captured);
	return status;
}

static eh_status graph_launch(eh_queue *q, eh_graph *graph, eh_error *error)
{
	stream_rc rc;
	const eh_status status = stream_devices_enter(q->device, "graph launch", error);

	if (status != EH_OK)
		return status;
	rc = q->device->api->graph_launch(graph->exec, q->stream);
	if (rc != STREAM_OK)
		return stream_devices_failed(q->device, error, rc, STREAM_CALLS.graph_launch,
		                             "%s does not take a graph", q->device->info.name);
	return EH_OK;
}

static void graph_destroy(eh_graph *graph)
{
	if (graph == NULL)
		return;
	stream_devices_enter_quietly(graph->device);
	(void)graph->device->api->graph_exec_destroy(graph->exec);
	free(graph);
}

const void *stream_graphs_table(const stream_api *api)
{
	static const eh_graph_ops table = {
		.struct_size = sizeof(table),
		.available = graph_available,
		.begin = graph_begin,
		.end = graph_end,
		.launch = graph_launch,
		.destroy = graph_destroy,
	};

	return graphs_offered(api) ? &table : NULL;
}
