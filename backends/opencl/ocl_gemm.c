/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 by CLBlast, which is opened by the first product and never before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_clblast.h"
#include "shared/products.h"

struct eh_gemm_plan {
	eh_device *device;
	eh_gemm gemm;
	products_bytes bytes;
	const char *kernel;
};

static eh_status failed(const eh_device *device, const eh_gemm *gemm, CLBlastStatusCode rc,
                        eh_error *error)
{
	const ocl_clblast *l = device->self->clblast;
	char types[48];

	products_text(gemm, types, sizeof(types));
	switch ((int)rc) {
	case CLBlastNoHalfPrecision:
	case CLBlastNoDoublePrecision:
	case CLBlastNotImplemented:
	case CLBlastInvalidLocalMemUsage:
	case CLBlastDatabaseError:
		return failure_set(error, EH_E_UNSUPPORTED, ocl_clblast_interface(gemm),
		    "CLBlast %s has no product of %s on %s (status %d).", l->version, types,
		    device->listing->selector, (int)rc);
	case CLBlastOpenCLBuildProgramFailure:
		return failure_set(error, EH_E_UNSUPPORTED, ocl_clblast_interface(gemm),
		    "The driver of %s does not compile the product of %s of CLBlast %s.",
		    device->listing->selector, types, l->version);
	case CLBlastTempBufferAllocFailure:
	case CLBlastOpenCLOutOfResources:
	case CLBlastOpenCLOutOfHostMemory:
		return failure_set(error, EH_E_NO_MEMORY, ocl_clblast_interface(gemm),
		    "No memory is left on %s for a product of CLBlast.", device->listing->selector);
	default:
		return failure_set(error, EH_E_DEVICE, ocl_clblast_interface(gemm),
		    "CLBlast %s did not make the product on %s: status %d.", l->version,
		    device->listing->selector, (int)rc);
	}
}

/* Has CLBlast compile its program of these types, as it does for the first product: one of 1 x 1 x 1
 * in the device's own queue. */
static eh_status compile(eh_device *device, const eh_gemm *gemm, eh_error *error)
{
	const ocl_api *api = device->api;
	eh_gemm one = *gemm;
	clblast_place p = { 0 };
	cl_event event = NULL;
	cl_int rc = CL_SUCCESS;
	eh_status status = EH_OK;
	CLBlastStatusCode made;

	one.m = one.n = one.k = one.lda = one.ldb = one.ldc = 1;
	one.stride_a = one.stride_b = one.stride_c = 1;
	one.batch = gemm->batch > 1 ? 2 : 1;
	one.beta = 0;
	p.a = p.b = api->clCreateBuffer(device->context, CL_MEM_READ_WRITE, 64, NULL, &rc);
	if (rc == CL_SUCCESS)
		p.c = api->clCreateBuffer(device->context, CL_MEM_READ_WRITE, 64, NULL, &rc);
	if (rc != CL_SUCCESS) {
		status = ocl_error_call(error, rc, "clCreateBuffer", "%s gives no buffer",
		    device->listing->selector);
		goto undo;
	}
	made = ocl_clblast_run(&device->self->clblast->api, &one, &p, device->service, &event);
	if (made != CLBlastSuccess)
		status = failed(device, gemm, made, error);
	else
		status = ocl_queue_wait_events(device, &event, 1, error);
undo:
	if (event != NULL)
		(void)api->clReleaseEvent(event);
	if (p.a != NULL)
		(void)api->clReleaseMemObject(p.a);
	if (p.c != NULL)
		(void)api->clReleaseMemObject(p.c);
	return status;
}

static eh_status check(eh_device *device, const eh_gemm *gemm, products_bytes *bytes, eh_error *error)
{
	const eh_host *host = device->self->host;
	const char *name = host->option(host->ctx, "gemm");
	const eh_status status = products_check(gemm, bytes, error);
	char types[48];

	if (status != EH_OK)
		return status;
	if (name != NULL && strcmp(name, "clblast") != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "opencl.gemm=%.40s is not clblast.",
		    name);
	products_text(gemm, types, sizeof(types));
	/* CLBlast would say so on the standard error too. */
	if ((strcmp(gemm->type_c, "f64") == 0 && (device->caps & EH_CAP_FP64) == 0) ||
	    (strcmp(gemm->type_c, "f16") == 0 && (device->caps & EH_CAP_FP16) == 0))
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "CLBlast has no product of %s on %s, which "
		    "does not calculate in it.", types, device->listing->selector);
	if (ocl_clblast_has_types(gemm) && ocl_clblast_has_factors(gemm))
		return EH_OK;
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "CLBlast has no product of %s%s.", types,
	    ocl_clblast_has_types(gemm) ? " with these factors" : "");
}

static eh_status prepare(eh_device *device, const eh_gemm *gemm, eh_gemm_plan **out,
                         uint64_t *workspace_bytes, eh_error *error)
{
	products_bytes bytes = { 0 };
	eh_gemm_plan *plan;
	eh_status status = check(device, gemm, &bytes, error);

	if (status == EH_OK)
		status = ocl_clblast_open(device->self, error);
	if (status == EH_OK)
		status = compile(device, gemm, error);
	if (status != EH_OK)
		return status;
	plan = calloc(1, sizeof(*plan));
	if (plan == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for a product.");
	plan->device = device;
	plan->gemm = *gemm;
	plan->bytes = bytes;
	plan->kernel = ocl_clblast_kernel(&device->self->clblast->api, gemm, device->service);
	if (strcmp(plan->kernel, "Xgemm") == 0)
		device->gemm_indirect = true;
	else if (strcmp(plan->kernel, "XgemmDirect") == 0)
		device->gemm_direct = true;
	device->gemm_used = true;
	*out = plan;
	*workspace_bytes = 0;
	return EH_OK;
}

static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, eh_error *error)
{
	cl_event event = NULL;
	CLBlastStatusCode rc;
	clblast_place p;
	eh_status status;

	if (queue->device != plan->device || o->a == NULL || o->b == NULL || o->c == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "A product needs three matrices, and "
		    "the queue of the device that it was prepared for.");
	if (queue->recording != NULL)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "A product of CLBlast cannot be recorded: "
		    "it enqueues kernels by itself.");
	if (o->a->mapped || o->b->mapped || o->c->mapped)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The matrices of a product lie in "
		    "device memory.");
	if (o->offset_a % 16 != 0 || o->offset_b % 16 != 0 || o->offset_c % 16 != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The offsets of matrices are multiples "
		    "of 16 bytes.");
	status = checks_range("gemm", o->a->bytes, o->offset_a, plan->bytes.a, error);
	if (status == EH_OK)
		status = checks_range("gemm", o->b->bytes, o->offset_b, plan->bytes.b, error);
	if (status == EH_OK)
		status = checks_range("gemm", o->c->bytes, o->offset_c, plan->bytes.c, error);
	if (status != EH_OK)
		return status;
	p = (clblast_place){ o->a->mem, o->b->mem, o->c->mem, o->offset_a, o->offset_b, o->offset_c };
	rc = ocl_clblast_run(&plan->device->self->clblast->api, &plan->gemm, &p, queue->queue, &event);
	if (rc != CLBlastSuccess)
		return failed(plan->device, &plan->gemm, rc, error);
	/* The event of its last kernel; those before it are in the same queue, which is in order. */
	ocl_queue_note(queue, event);
	return EH_OK;
}

static void fill_layer(const ocl_clblast *l, const char *kernel, const char *interface, eh_layer *out)
{
	memset(out, 0, sizeof(*out));
	out->kind = EH_LAYER_LIBRARY;
	out->source = EH_SOURCE_QUERIED;
	snprintf(out->name, sizeof(out->name), "CLBlast");
	snprintf(out->version, sizeof(out->version), "%s", l->version);
	snprintf(out->path, sizeof(out->path), "%.1023s", l->file.path);
	wording_detail(out, "kernel", kernel);
	wording_detail(out, "picked", strcmp(kernel, "unknown") == 0 ? "by CLBlast, which does not tell"
	    : "CLBlastGemmTempBufferSize (size threshold in CLBlast's tuning of the device)");
	wording_detail(out, "parameters", "of CLBlast's database, which does not tell them");
	wording_detail(out, "version-from", "the file's name");
	if (interface != NULL)
		wording_detail(out, "interface", interface);
}

static eh_status layer(eh_gemm_plan *plan, eh_layer *out, eh_error *error)
{
	eh_layer full;

	(void)error;
	fill_layer(plan->device->self->clblast, plan->kernel, ocl_clblast_interface(&plan->gemm), &full);
	eh_give(out, &full, sizeof(full));
	return EH_OK;
}

static void destroy(eh_gemm_plan *plan)
{
	free(plan);
}

bool ocl_gemm_layer(const eh_device *device, eh_layer *out)
{
	if (!device->gemm_used)
		return false;
	fill_layer(device->self->clblast, device->gemm_direct && device->gemm_indirect ?
	    "Xgemm, XgemmDirect" : device->gemm_direct ? "XgemmDirect" :
	    device->gemm_indirect ? "Xgemm" : "unknown", NULL, out);
	return true;
}

/* CLBlast keeps the programs of a context, and so the context. */
void ocl_gemm_close(const eh_device *device)
{
	if (device->gemm_used)
		(void)device->self->clblast->api.clear_cache();
}

const eh_gemm_ops ocl_gemm_table = {
	.struct_size = sizeof(ocl_gemm_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};
