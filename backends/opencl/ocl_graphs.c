/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh.graph.1 through cl_khr_command_buffer.  Each command waits for the one before it by a sync
 * point.
 */
#include <stdlib.h>
#include <string.h>

#include "ocl_state.h"

#define VERSION(major, minor, patch) ((major) << 22 | (minor) << 12 | (patch))

typedef struct functions {
#define FIELD(field, name, result, arguments) result(CL_API_CALL *field) arguments;
	OCL_COMMANDS(FIELD)
	OCL_COMMANDS_BEFORE(FIELD)
	OCL_COMMANDS_SINCE(FIELD)
#undef FIELD
	bool pending_twice;
} functions;

/* A kernel object with the arguments of one command or several in a row.  PoCL 3.1 reads the
 * arguments from the kernel object when the commands run, although it should keep those of their
 * recording; so each set of arguments gets a kernel object of its own. */
typedef struct copied_kernel {
	struct copied_kernel *next;
	const eh_kernel *source;
	cl_kernel kernel;
	ocl_argument arguments[];
} copied_kernel;

struct eh_graph {
	eh_queue *queue;
	copied_kernel *kernels;    /* newest first                                          */
	functions f;
	cl_command_buffer_khr commands;
	cl_sync_point_khr last;           /* of the newest command                                 */
	uint32_t count;
	eh_status status;          /* of the first command that failed                      */
	cl_event running;          /* of the newest launch; kept where launches may not overlap */
};

/* The version of an extension in *version, 0 when the device does not list it. */
static cl_int version_of(const eh_device *d, const char *name, cl_uint *version)
{
	const ocl_api *api = d->api;
	size_t size = 0;
	cl_name_version *list;
	cl_int rc;
	*version = 0;
	if (d->listing->version < 300)
		return CL_SUCCESS;
	rc = api->clGetDeviceInfo(d->listing->id, CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &size);
	if (rc != CL_SUCCESS || size < sizeof(*list))
		return rc;
	list = calloc(1, size);
	if (list == NULL)
		return CL_OUT_OF_HOST_MEMORY;
	rc = api->clGetDeviceInfo(d->listing->id, CL_DEVICE_EXTENSIONS_WITH_VERSION, size, list, NULL);
	for (size_t i = 0; rc == CL_SUCCESS && i < size / sizeof(*list); i++)
		if (strncmp(list[i].name, name, sizeof(list[i].name)) == 0)
			*version = list[i].version;
	free(list);
	return rc;
}

static eh_status refuse(const eh_device *d, cl_int rc, const char *what, eh_error *error)
{
	return ocl_error_call_as(error, EH_E_UNSUPPORTED, rc, "clGetDeviceInfo",
	    "%s does not tell %s, so it has no graphs", d->listing->selector, what);
}

static eh_status find(const eh_device *d, functions *f, eh_error *error)
{
	const ocl_api *api = d->api;
	const cl_platform_id platform = d->listing->platform->id;
	cl_uint version = 0;
	cl_ulong required = 0, capabilities = 0;
	bool missing = false;
	cl_int rc = version_of(d, "cl_khr_command_buffer", &version);
	if (rc != CL_SUCCESS)
		return refuse(d, rc, "its extensions with their versions", error);
	if (version == 0 || api->clGetExtensionFunctionAddressForPlatform == NULL)
		return failure_set(error, EH_E_UNSUPPORTED, "graph",
		    "%s does not list cl_khr_command_buffer.", d->listing->selector);
	memset(f, 0, sizeof(*f));
	rc = api->clGetDeviceInfo(d->listing->id, CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR,
	    sizeof(required), &required, NULL);
	if (rc != CL_SUCCESS)
		return refuse(d, rc, "which queues record", error);
	if ((required & ~(cl_ulong)CL_QUEUE_PROFILING_ENABLE) != 0)
		return failure_set(error, EH_E_UNSUPPORTED, "graph",
		    "%s records commands only for queues of another kind than evenhand's.",
		    d->listing->selector);
	rc = api->clGetDeviceInfo(d->listing->id, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR,
	    sizeof(capabilities), &capabilities, NULL);
	if (rc != CL_SUCCESS)
		return refuse(d, rc, "what its command buffers can", error);
	f->pending_twice = (capabilities & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR) != 0;
#define FIND(field, name, result, arguments) \
	*(void **)&f->field = api->clGetExtensionFunctionAddressForPlatform(platform, name); \
	missing = missing || f->field == NULL;
	OCL_COMMANDS(FIND)
	if (version < VERSION(0u, 9u, 5u)) {
		OCL_COMMANDS_BEFORE(FIND)
	} else {
		OCL_COMMANDS_SINCE(FIND)
	}
#undef FIND
	if (missing)
		return failure_set(error, EH_E_UNSUPPORTED, "graph",
		    "%s lists cl_khr_command_buffer and lacks a function of it.", d->listing->selector);
	return EH_OK;
}

static eh_status available(eh_device *d, eh_error *error)
{
	functions f;
	return find(d, &f, error);
}

static void destroy(eh_graph *g)
{
	if (g == NULL)
		return;
	if (g->running != NULL)
		(void)g->queue->device->api->clReleaseEvent(g->running);
	if (g->commands != NULL)
		(void)g->f.release(g->commands);
	while (g->kernels != NULL) {
		copied_kernel *next = g->kernels->next;
		(void)g->queue->device->api->clReleaseKernel(g->kernels->kernel);
		free(g->kernels);
		g->kernels = next;
	}
	free(g);
}

static eh_status begin(eh_queue *q, eh_error *error)
{
	cl_ulong properties[] = { CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0 };
	cl_int rc = CL_SUCCESS;
	eh_status status;
	eh_graph *g;
	if (q->recording != NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "graph begin",
		    "The queue is recording already.");
	g = calloc(1, sizeof(*g));
	if (g == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "graph begin", "No memory is left for a graph.");
	g->queue = q;
	status = find(q->device, &g->f, error);
	if (status != EH_OK || g->f.create == NULL) {
		free(g);
		return status != EH_OK ? status : EH_E_UNSUPPORTED;
	}
	g->commands = g->f.create(1, &q->queue, g->f.pending_twice ? properties : NULL, &rc);
	if (rc != CL_SUCCESS || g->commands == NULL) {
		free(g);
		return ocl_error_call(error, rc, "clCreateCommandBufferKHR", "%s does not record",
		    q->device->listing->selector);
	}
	q->recording = g;
	return EH_OK;
}

static eh_status end(eh_queue *q, eh_graph **out, eh_error *error)
{
	eh_graph *g = q->recording;
	eh_status status = EH_OK;
	cl_int rc;
	if (g == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "graph end", "The queue is not recording.");
	q->recording = NULL;
	if (out == NULL) {
		destroy(g);
		return EH_OK;
	}
	if (g->status != EH_OK)
		status = failure_set(error, g->status, "graph end", "A command of the graph failed before.");
	else if (g->count == 0)
		status = failure_set(error, EH_E_INVALID_ARGUMENT, "graph end", "Nothing was recorded.");
	if (status != EH_OK) {
		destroy(g);
		return status;
	}
	rc = g->f.finalize(g->commands);
	if (rc != CL_SUCCESS) {
		status = ocl_error_call(error, rc, "clFinalizeCommandBufferKHR",
		    "A graph of %u commands cannot be made", (unsigned)g->count);
		destroy(g);
		return status;
	}
	*out = g;
	return EH_OK;
}

static eh_status launch(eh_queue *q, eh_graph *g, eh_error *error)
{
	const ocl_api *api = q->device->api;
	cl_event event = NULL;
	cl_int rc;
	if (q != g->queue || q->recording != NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "graph launch",
		    "A graph runs in the queue where it was recorded, when that does not record.");
	if (g->running != NULL) {
		const eh_status status = ocl_queue_wait_events(q->device, &g->running, 1, error);
		(void)api->clReleaseEvent(g->running);
		g->running = NULL;
		if (status != EH_OK)
			return status;
	}
	rc = g->f.enqueue(1, &q->queue, g->commands, 0, NULL, &event);
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, "clEnqueueCommandBufferKHR", "%s does not take a graph",
		    q->device->listing->selector);
	ocl_queue_note(q, event);
	if (g->f.pending_twice)
		return EH_OK;
	rc = api->clRetainEvent(event);
	/* Without the event the next launch could not wait for this one, and the two may not
	 * overlap. */
	if (rc != CL_SUCCESS)
		return ocl_error_call(error, rc, "clRetainEvent", "A graph of %s cannot be waited for",
		    q->device->listing->selector);
	g->running = event;
	return EH_OK;
}

/* Ends the recording of one command. */
static eh_status note(eh_graph *g, cl_int rc, cl_sync_point_khr point, const char *where,
                      eh_error *error)
{
	if (rc == CL_SUCCESS) {
		g->last = point;
		g->count++;
		return EH_OK;
	}
	g->status = ocl_error_call(error, rc, where, "%s does not record a command",
	    g->queue->device->listing->selector);
	return g->status;
}

static eh_status refuse_mapped(eh_graph *g, eh_error *error)
{
	g->status = failure_set(error, EH_E_UNSUPPORTED, "graph",
	    "A graph on OpenCL takes device memory only.");
	return g->status;
}

/* The newest copy when it has the kernel object's current arguments, else another. */
static cl_int copy_kernel(eh_graph *g, const eh_kernel *k, const eh_launch *launch, cl_kernel *out,
                          const char **where)
{
	const ocl_api *api = g->queue->device->api;
	const size_t size = k->argument_count * sizeof(k->arguments[0]);
	copied_kernel *c = g->kernels;
	cl_int rc = CL_SUCCESS;
	if (c != NULL && c->source == k && memcmp(c->arguments, k->arguments, size) == 0) {
		*out = c->kernel;
		return CL_SUCCESS;
	}
	*where = "clCreateKernel";
	c = calloc(1, sizeof(*c) + size);
	if (c == NULL)
		return CL_OUT_OF_HOST_MEMORY;
	c->source = k;
	memcpy(c->arguments, k->arguments, size);
	c->kernel = api->clCreateKernel(k->program->program, k->name, &rc);
	if (rc != CL_SUCCESS || c->kernel == NULL) {
		free(c);
		return rc != CL_SUCCESS ? rc : CL_OUT_OF_HOST_MEMORY;
	}
	*where = "clSetKernelArg";
	for (cl_uint i = 0; i < launch->arg_count && rc == CL_SUCCESS; i++) {
		const eh_arg *a = &launch->args[i];
		rc = a->buffer != NULL ?
		    api->clSetKernelArg(c->kernel, i, sizeof(cl_mem), &a->buffer->mem) :
		    api->clSetKernelArg(c->kernel, i, a->size, a->data);
	}
	c->next = g->kernels;
	g->kernels = c;
	*out = c->kernel;
	return rc;
}

eh_status ocl_graphs_kernel(eh_queue *q, const eh_kernel *k, const eh_launch *launch,
                            cl_uint dimensions, const size_t global[3], const size_t local[3],
                            eh_error *error)
{
	eh_graph *g = q->recording;
	cl_sync_point_khr point = 0;
	cl_kernel kernel = NULL;
	const char *where = "";
	cl_int rc;
	if (k->mapped_count > 0)
		return refuse_mapped(g, error);
	rc = copy_kernel(g, k, launch, &kernel, &where);
	if (rc != CL_SUCCESS)
		return note(g, rc, 0, where, error);
	rc = g->f.kernel(g->commands, NULL, NULL, kernel, dimensions, NULL, global, local,
	    g->count > 0, g->count > 0 ? &g->last : NULL, &point, NULL);
	return note(g, rc, point, "clCommandNDRangeKernelKHR", error);
}

eh_status ocl_graphs_fill(eh_queue *q, const eh_buffer *b, uint64_t offset, uint64_t bytes,
                          uint32_t pattern, eh_error *error)
{
	eh_graph *g = q->recording;
	const cl_sync_point_khr *after = g->count > 0 ? &g->last : NULL;
	cl_sync_point_khr point = 0;
	cl_int rc;
	if (b->host != NULL)
		return refuse_mapped(g, error);
	rc = g->f.fill_before != NULL ?
	    g->f.fill_before(g->commands, NULL, b->mem, &pattern, sizeof(pattern), (size_t)offset,
	        (size_t)bytes, g->count > 0, after, &point, NULL) :
	    g->f.fill(g->commands, NULL, NULL, b->mem, &pattern, sizeof(pattern), (size_t)offset,
	        (size_t)bytes, g->count > 0, after, &point, NULL);
	return note(g, rc, point, "clCommandFillBufferKHR", error);
}

eh_status ocl_graphs_copy(eh_queue *q, const eh_buffer *to, uint64_t to_offset,
                          const eh_buffer *from, uint64_t from_offset, uint64_t bytes,
                          eh_error *error)
{
	eh_graph *g = q->recording;
	const cl_sync_point_khr *after = g->count > 0 ? &g->last : NULL;
	cl_sync_point_khr point = 0;
	cl_int rc;
	if (to->host != NULL || from->host != NULL)
		return refuse_mapped(g, error);
	rc = g->f.copy_before != NULL ?
	    g->f.copy_before(g->commands, NULL, from->mem, to->mem, (size_t)from_offset,
	        (size_t)to_offset, (size_t)bytes, g->count > 0, after, &point, NULL) :
	    g->f.copy(g->commands, NULL, NULL, from->mem, to->mem, (size_t)from_offset,
	        (size_t)to_offset, (size_t)bytes, g->count > 0, after, &point, NULL);
	return note(g, rc, point, "clCommandCopyBufferKHR", error);
}

void ocl_graphs_drop(eh_queue *q)
{
	destroy(q->recording);
	q->recording = NULL;
}

const eh_graph_ops ocl_graphs_table = {
	.struct_size = sizeof(ocl_graphs_table),
	.available = available,
	.begin = begin,
	.end = end,
	.launch = launch,
	.destroy = destroy,
};
