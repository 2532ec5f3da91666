/* SPDX-License-Identifier: Apache-2.0 */
/* Products by CLBlast. */
#include <stdio.h>
#include <string.h>

#include "ocl_clblast.h"
#include "ocl_gemm.h"

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

static eh_status check(const eh_device *device, const eh_gemm *gemm, eh_error *error)
{
	char types[48];

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

static eh_status prepare(eh_gemm_plan *plan, eh_error *error)
{
	eh_device *device = plan->device;
	eh_status status = ocl_clblast_open(device->self, error);

	if (status == EH_OK)
		status = compile(device, &plan->gemm, error);
	if (status == EH_OK)
		plan->kernel = ocl_clblast_kernel(&device->self->clblast->api, &plan->gemm, device->service);
	return status;
}

static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, cl_event *event,
                         eh_error *error)
{
	const clblast_place p = { o->a->mem, o->b->mem, o->c->mem, o->offset_a, o->offset_b, o->offset_c };
	const CLBlastStatusCode rc = ocl_clblast_run(&plan->device->self->clblast->api, &plan->gemm, &p,
	    queue->queue, event);

	return rc == CLBlastSuccess ? EH_OK : failed(plan->device, &plan->gemm, rc, error);
}

static void begin_layer(const eh_device *device, const eh_gemm_plan *plan, eh_layer *out)
{
	const ocl_clblast *l = device->self->clblast;

	(void)plan;
	memset(out, 0, sizeof(*out));
	out->kind = EH_LAYER_LIBRARY;
	out->source = EH_SOURCE_QUERIED;
	snprintf(out->name, sizeof(out->name), "CLBlast");
	snprintf(out->version, sizeof(out->version), "%s", l->version);
	snprintf(out->path, sizeof(out->path), "%.1023s", l->file.path);
}

static void end_layer(const eh_gemm_plan *plan, eh_layer *out)
{
	wording_detail(out, "picked", strstr(out->detail, "kernel=unknown") != NULL ?
	    "by CLBlast, which does not tell"
	    : "CLBlastGemmTempBufferSize (size threshold in CLBlast's tuning of the device)");
	wording_detail(out, "parameters", "of CLBlast's database, which does not tell them");
	wording_detail(out, "version-from", "the file's name");
	if (plan != NULL)
		wording_detail(out, "interface", ocl_clblast_interface(&plan->gemm));
}

/* CLBlast keeps the programs of a context, and so the context. */
static void close(eh_device *device)
{
	if (device->products[OCL_CLBLAST].used)
		(void)device->self->clblast->api.clear_cache();
}

const ocl_maker ocl_clblast_maker = {
	.name = "clblast",
	.check = check,
	.prepare = prepare,
	.enqueue = enqueue,
	.begin_layer = begin_layer,
	.end_layer = end_layer,
	.close = close,
};
