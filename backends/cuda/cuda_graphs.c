/* SPDX-License-Identifier: Apache-2.0 */
/* eh.graph.1: what a stream captures becomes a CUDA graph. */
#include <stdlib.h>

#include "cuda_state.h"
#include "evenhand/extensions.h"

struct eh_graph {
	eh_device *device;
	CUgraphExec exec;
};

static bool offered(const cuda_api *api)
{
	return api->capture_begin != NULL && api->capture_end != NULL && api->graph_nodes != NULL &&
	       (api->graph_make != NULL || api->graph_make_11 != NULL) && api->graph_launch != NULL &&
	       api->graph_exec_destroy != NULL && api->graph_destroy != NULL;
}

static eh_status available(eh_device *d, eh_error *error)
{
	(void)d;
	(void)error;
	return EH_OK;
}

static eh_status begin(eh_queue *q, eh_error *error)
{
	CUresult rc;
	const eh_status status = cuda_devices_enter(q->device, "graph begin", error);

	if (status != EH_OK)
		return status;
	/* Relaxed: other threads, and this one on other streams, go on as usual. */
	rc = q->device->api->capture_begin(q->stream, CU_STREAM_CAPTURE_MODE_RELAXED);
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(q->device, error, rc, "cuStreamBeginCapture",
		                           "%s does not record", q->device->info.name);
	return EH_OK;
}

static CUresult instantiate(const cuda_api *api, CUgraph captured, CUgraphExec *exec)
{
	return api->graph_make != NULL ? api->graph_make(exec, captured, 0)
	                               : api->graph_make_11(exec, captured, NULL, NULL, 0);
}

static eh_status end(eh_queue *q, eh_graph **out, eh_error *error)
{
	eh_device *d = q->device;
	const cuda_api *api = d->api;
	CUgraph captured = NULL;
	CUgraphExec exec = NULL;
	eh_graph *graph;
	size_t nodes = 0;
	CUresult rc;
	eh_status status = cuda_devices_enter(d, "graph end", error);

	if (status != EH_OK)
		return status;
	rc = api->capture_end(q->stream, &captured);
	if (rc != CUDA_SUCCESS || captured == NULL) {
		if (out == NULL)
			return EH_OK;
		return cuda_devices_failed(d, error, rc != CUDA_SUCCESS ? rc :
		    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "cuStreamEndCapture",
		    "The recording on %s failed", d->info.name);
	}
	if (out == NULL)
		goto undo_captured;
	rc = api->graph_nodes(captured, NULL, &nodes);
	if (rc != CUDA_SUCCESS) {
		status = cuda_devices_failed(d, error, rc, "cuGraphGetNodes",
		                             "A recording cannot be looked at");
		goto undo_captured;
	}
	if (nodes == 0) {
		status = failure_set(error, EH_E_INVALID_ARGUMENT, "graph end", "Nothing was recorded.");
		goto undo_captured;
	}
	rc = instantiate(api, captured, &exec);
	if (rc != CUDA_SUCCESS) {
		status = cuda_devices_failed(d, error, rc, "cuGraphInstantiate",
		                             "A graph of %zu nodes cannot be made", nodes);
		goto undo_captured;
	}
	graph = calloc(1, sizeof(*graph));
	if (graph == NULL) {
		(void)api->graph_exec_destroy(exec);
		status = failure_set(error, EH_E_NO_MEMORY, "graph end", "No memory is left for a graph.");
		goto undo_captured;
	}
	graph->device = d;
	graph->exec = exec;
	*out = graph;
undo_captured:
	(void)api->graph_destroy(captured);
	return status;
}

static eh_status launch(eh_queue *q, eh_graph *graph, eh_error *error)
{
	CUresult rc;
	const eh_status status = cuda_devices_enter(q->device, "graph launch", error);

	if (status != EH_OK)
		return status;
	rc = q->device->api->graph_launch(graph->exec, q->stream);
	if (rc != CUDA_SUCCESS)
		return cuda_devices_failed(q->device, error, rc, "cuGraphLaunch",
		                           "%s does not take a graph", q->device->info.name);
	return EH_OK;
}

static void destroy(eh_graph *graph)
{
	if (graph == NULL)
		return;
	cuda_devices_enter_quietly(graph->device);
	(void)graph->device->api->graph_exec_destroy(graph->exec);
	free(graph);
}

const void *cuda_graphs_table(const cuda_api *api)
{
	static const eh_graph_ops table = {
		.struct_size = sizeof(table),
		.available = available,
		.begin = begin,
		.end = end,
		.launch = launch,
		.destroy = destroy,
	};

	return offered(api) ? &table : NULL;
}
