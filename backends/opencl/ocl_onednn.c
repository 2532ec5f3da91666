/* SPDX-License-Identifier: Apache-2.0 */
/* Products by oneDNN: an engine for each device, a stream for each queue, a primitive for each product. */
#include <stdlib.h>

#include "ocl_gemm.h"
#include "onednn_ocl_abi.h"

enum { INTEL = 0x8086 };

typedef struct interop {
#define X(field, names, arguments) dnnl_status_t (*field) arguments;
	ONEDNN_OCL_FUNCTIONS(X)
#undef X
} interop;

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(interop, field, names)
	ONEDNN_OCL_FUNCTIONS(X)
#undef X
};

static const onednngpu_way way = { .api = "OpenCL", .backend = "opencl", .runtime = DNNL_RUNTIME_OCL,
	                           .symbols = symbols, .symbol_count = sizeof(symbols) / sizeof(symbols[0]) };

/* Of a started backend, from the first product on. */
struct ocl_onednn {
	onednngpu library;
	interop calls;
};

bool ocl_onednn_is_for(const eh_device *device)
{
	const ocl_api *api = device->api;
	const cl_device_id id = device->listing->id;
	cl_device_type type = 0;
	cl_uint vendor = 0;

	return api->clGetDeviceInfo(id, CL_DEVICE_VENDOR_ID, sizeof(vendor), &vendor, NULL) == CL_SUCCESS &&
	       api->clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof(type), &type, NULL) == CL_SUCCESS &&
	       vendor == INTEL && (type & CL_DEVICE_TYPE_GPU) != 0;
}

static eh_status check(const eh_device *device, const eh_gemm *gemm, eh_error *error)
{
	(void)device;
	return onednngpu_check(gemm, error);
}

static eh_status open_library(ocl_self *self, eh_error *error)
{
	struct ocl_onednn *l = self->onednn;
	void *own_loader;
	eh_status status;

	if (l == NULL) {
		l = calloc(1, sizeof(*l));
		if (l == NULL)
			return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for oneDNN.");
		self->onednn = l;
	}
	status = onednngpu_open(&l->library, &way, self->host, &l->calls, error);
	if (status != EH_OK)
		return status;
	/* Its calls go to the loader that it is linked with, which knows no other loader's objects. */
	own_loader = vendorlib_find(&l->library.file, "clGetPlatformIDs");
	if (own_loader != NULL && own_loader != *(void *const *)&self->api.clGetPlatformIDs)
		return failure_set(error, EH_E_INCOMPATIBLE, "dlsym", "%.150s calls another OpenCL loader than "
		    "%.100s; leave out --set opencl.library.", l->library.file.path, self->api.path);
	return EH_OK;
}

/* It knows Intel's devices alone, and calls others a wrong argument. */
static eh_status open_engine(eh_device *device, const eh_gemm *gemm, eh_error *error)
{
	const struct ocl_onednn *l = device->self->onednn;
	dnnl_status_t rc;

	if (device->engine != NULL)
		return EH_OK;
	rc = l->calls.engine_create(&device->engine, device->listing->id, device->context);
	if (rc == dnnl_success)
		return EH_OK;
	device->engine = NULL;
	if (rc == dnnl_invalid_arguments)
		return failure_set(error, EH_E_UNSUPPORTED, "dnnl_ocl_interop_engine_create", "oneDNN %s does not "
		    "know %s.", l->library.api.version_text, device->listing->selector);
	return onednngpu_failed(&l->library, gemm, device->listing->selector, "dnnl_ocl_interop_engine_create",
	    rc, error);
}

static eh_status prepare(eh_gemm_plan *plan, eh_error *error)
{
	eh_device *device = plan->device;
	eh_status status = open_library(device->self, error);

	if (status == EH_OK)
		status = open_engine(device, &plan->gemm, error);
	if (status == EH_OK)
		status = onednngpu_build(&device->self->onednn->library, device->engine, &plan->gemm,
		    device->listing->selector, &plan->product, &plan->kernel, error);
	return status;
}

static eh_status open_stream(eh_queue *queue, const eh_gemm *gemm, eh_error *error)
{
	const eh_device *device = queue->device;
	const struct ocl_onednn *l = device->self->onednn;
	dnnl_status_t rc;

	if (queue->stream != NULL)
		return EH_OK;
	rc = l->calls.stream_create(&queue->stream, device->engine, queue->queue);
	if (rc == dnnl_success)
		return EH_OK;
	queue->stream = NULL;
	return onednngpu_failed(&l->library, gemm, device->listing->selector, "dnnl_ocl_interop_stream_create",
	    rc, error);
}

/* Gives a matrix its buffer.  Its memory has no offset, so a matrix that does not begin with the buffer has a
 * part of it as a buffer of its own, *part, to be released after the product was enqueued. */
static eh_status set_matrix(const eh_gemm_plan *plan, int which, const eh_buffer *buffer, uint64_t offset,
                            uint64_t bytes, cl_mem *part, eh_error *error)
{
	const eh_device *device = plan->device;
	const struct ocl_onednn *l = device->self->onednn;
	const cl_buffer_region region = { offset, bytes };
	cl_int made = CL_SUCCESS;
	dnnl_status_t rc;

	if (offset != 0) {
		*part = device->api->clCreateSubBuffer(buffer->mem, 0, CL_BUFFER_CREATE_TYPE_REGION, &region,
		    &made);
		if (made != CL_SUCCESS || *part == NULL)
			return ocl_error_call_as(error, made == CL_MISALIGNED_SUB_BUFFER_OFFSET ?
			    EH_E_UNSUPPORTED : ocl_error_status(made), made, "clCreateSubBuffer", "%s gives oneDNN "
			    "no matrix that begins %llu bytes behind a buffer's start", device->listing->selector,
			    (unsigned long long)offset);
	}
	rc = l->calls.memory_set_object(plan->product.memory[which], *part != NULL ? *part : buffer->mem);
	if (rc == dnnl_success)
		return EH_OK;
	return onednngpu_failed(&l->library, &plan->gemm, device->listing->selector,
	    "dnnl_ocl_interop_memory_set_mem_object", rc, error);
}

static eh_status execute(eh_queue *queue, const eh_gemm_plan *plan, cl_event *event, eh_error *error)
{
	const eh_device *device = queue->device;
	const onednngpu *l = &device->self->onednn->library;
	const dnnl_status_t rc = onednn_execute(&l->api, &plan->product, queue->stream);
	cl_int marked;

	if (rc != dnnl_success)
		return onednngpu_failed(l, &plan->gemm, device->listing->selector, "dnnl_primitive_execute", rc,
		    error);
	/* It gives no event of its last kernel in a queue that is in order. */
	marked = device->api->clEnqueueMarkerWithWaitList(queue->queue, 0, NULL, event);
	if (marked != CL_SUCCESS)
		return ocl_error_call(error, marked, "clEnqueueMarkerWithWaitList", "%s does not mark the end of "
		    "a product", device->listing->selector);
	return EH_OK;
}

static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, cl_event *event,
                         eh_error *error)
{
	cl_mem parts[ONEDNN_MATRICES] = { NULL };
	eh_status status = open_stream(queue, &plan->gemm, error);

	if (status == EH_OK)
		status = set_matrix(plan, ONEDNN_A, o->a, o->offset_a, plan->bytes.a, &parts[ONEDNN_A], error);
	if (status == EH_OK)
		status = set_matrix(plan, ONEDNN_B, o->b, o->offset_b, plan->bytes.b, &parts[ONEDNN_B], error);
	if (status == EH_OK)
		status = set_matrix(plan, ONEDNN_C, o->c, o->offset_c, plan->bytes.c, &parts[ONEDNN_C], error);
	if (status == EH_OK)
		status = execute(queue, plan, event, error);
	/* The commands keep what they need. */
	for (int i = 0; i < ONEDNN_MATRICES; i++)
		if (parts[i] != NULL)
			(void)queue->device->api->clReleaseMemObject(parts[i]);
	return status;
}

static void free_product(eh_gemm_plan *plan)
{
	onednn_release(&plan->device->self->onednn->library.api, &plan->product);
}

static void begin_layer(const eh_device *device, const eh_gemm_plan *plan, eh_layer *layer)
{
	const bool by_setting = plan != NULL ? plan->by_setting :
	    device->self->host->option(device->self->host->ctx, "gemm") != NULL;

	onednngpu_layer(&device->self->onednn->library, by_setting ? "opencl.gemm" : NULL, layer);
}

static void end_layer(const eh_gemm_plan *plan, eh_layer *layer)
{
	if (plan != NULL)
		wording_detail(layer, "interface", "matmul");
}

void ocl_onednn_forget(eh_queue *queue)
{
	if (queue->stream != NULL)
		(void)queue->device->self->onednn->library.api.stream_destroy(queue->stream);
	queue->stream = NULL;
}

static void close(eh_device *device)
{
	if (device->engine != NULL)
		(void)device->self->onednn->library.api.engine_destroy(device->engine);
	device->engine = NULL;
}

const ocl_maker ocl_onednn_maker = {
	.name = "onednn",
	.check = check,
	.prepare = prepare,
	.enqueue = enqueue,
	.free = free_product,
	.begin_layer = begin_layer,
	.end_layer = end_layer,
	.close = close,
};
