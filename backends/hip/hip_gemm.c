/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1: which library makes a product.  Each is opened by the first product that it is asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_state.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const hip_maker *const makers[HIP_MAKERS] = { [HIP_HIPBLASLT] = &hip_hipblaslt,
	                                             [HIP_ROCBLAS] = &hip_rocblas };

struct eh_gemm_plan {
	eh_device *device;
	int maker;
	bool by_setting;           /* the user chose the library                            */
	products_bytes bytes;
	hip_product product;
	char passed[200];          /* why the library before it was passed over, "" = none was */
};

static const char *option(const eh_device *d, const char *key)
{
	return d->self->host->option(d->self->host->ctx, key);
}

/* ---- the choice -------------------------------------------------------------------------- */

static eh_status make(eh_gemm_plan *plan, int maker, eh_error *error)
{
	eh_device *d = plan->device;
	hip_product *p = &plan->product;
	eh_status status = makers[maker]->check(d, &p->gemm, &p->types, error);

	plan->maker = maker;
	if (status == EH_OK)
		status = hip_libraries_open(d, maker, error);
	if (status != EH_OK)
		return status;
	status = makers[maker]->prepare(d, p, error);
	if (status == EH_OK)
		return EH_OK;
	makers[maker]->free(&d->self->libraries.all[maker], p);
	*p = (hip_product){ .gemm = p->gemm };
	return status;
}

/* A library that the user chose, or whose file the user named, is not passed over because it cannot be had. */
static bool passes(const eh_gemm_plan *plan, eh_status status)
{
	return status == EH_E_UNSUPPORTED ||
	       (status == EH_E_UNAVAILABLE && option(plan->device, makers[plan->maker]->name) == NULL);
}

static eh_status choose(eh_gemm_plan *plan, eh_error *error)
{
	const char *name = option(plan->device, "gemm");
	eh_error first = { .struct_size = sizeof(first) }, second = { .struct_size = sizeof(second) };
	eh_status status;

	for (int i = 0; name != NULL && i < HIP_MAKERS; i++)
		if (strcmp(makers[i]->name, name) == 0) {
			plan->by_setting = true;
			return make(plan, i, error);
		}
	if (name != NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "hip.gemm is %.40s, and it can be "
		                   "hipblaslt or rocblas.", name);
	status = make(plan, HIP_HIPBLASLT, &first);
	if (status == EH_OK || !passes(plan, status)) {
		if (status != EH_OK && error != NULL)
			eh_give(error, &first, sizeof(first));
		return status;
	}
	products_passed(&first, plan->passed, sizeof(plan->passed));
	status = make(plan, HIP_ROCBLAS, &second);
	if (status == EH_OK)
		return EH_OK;
	/* Where the library that may have such products is not here, it can be installed. */
	if (passes(plan, status))
		return products_give_both(first.code == EH_E_UNAVAILABLE ? EH_E_UNAVAILABLE : status, &first,
		                          &second, error);
	if (error != NULL)
		eh_give(error, &second, sizeof(second));
	return status;
}

/* ---- the table --------------------------------------------------------------------------- */

static eh_status prepare(eh_device *device, const eh_gemm *gemm, eh_gemm_plan **out,
                         uint64_t *workspace_bytes, eh_error *error)
{
	products_bytes bytes;
	eh_gemm_plan *plan;
	eh_status status = products_check(gemm, &bytes, error);

	if (status == EH_OK)
		status = stream_devices_enter(device, "gemm", error);
	if (status != EH_OK)
		return status;
	plan = calloc(1, sizeof(*plan));
	if (plan == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for a product.");
	plan->device = device;
	plan->bytes = bytes;
	plan->product.gemm = *gemm;
	status = choose(plan, error);
	if (status != EH_OK) {
		free(plan);
		return status;
	}
	device->gemm.used[plan->maker] = true;
	products_kernel_add(&device->gemm.kernels[plan->maker], plan->product.kernel);
	*out = plan;
	*workspace_bytes = plan->product.workspace;
	return EH_OK;
}

static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, eh_error *error)
{
	eh_status status = stream_products_check(queue, plan->device, &plan->bytes, plan->product.workspace, o,
	                                         error);

	if (status == EH_OK)
		status = stream_devices_enter(queue->device, "gemm", error);
	return status != EH_OK ? status : makers[plan->maker]->enqueue(queue, &plan->product, o, error);
}

/* What it frees is the host's: it is no matter to a stream that records. */
static void destroy(eh_gemm_plan *plan)
{
	if (plan == NULL)
		return;
	stream_devices_enter_quietly(plan->device);
	makers[plan->maker]->free(&plan->device->self->libraries.all[plan->maker], &plan->product);
	free(plan);
}

static void begin_layer(const eh_device *d, int maker, eh_layer *out)
{
	const hip_library *l = &d->self->libraries.all[maker];

	memset(out, 0, sizeof(*out));
	out->kind = EH_LAYER_LIBRARY;
	out->source = EH_SOURCE_QUERIED;
	snprintf(out->name, sizeof(out->name), "%s", makers[maker]->title);
	snprintf(out->version, sizeof(out->version), "%s", l->version);
	wording_path(out, l->file.path);
}

static eh_status layer(eh_gemm_plan *plan, eh_layer *out, eh_error *error)
{
	const hip_library *l = &plan->device->self->libraries.all[plan->maker];
	const hip_maker *maker = makers[plan->maker];
	const hip_product *p = &plan->product;
	char picked[96];
	eh_layer full;

	(void)error;
	begin_layer(plan->device, plan->maker, &full);
	wording_detail(&full, "kernel", p->kernel);
	if (p->rank > 0)
		snprintf(picked, sizeof(picked), "%s, rank %d of %d", maker->picked, p->rank, p->count);
	else
		snprintf(picked, sizeof(picked), "%s", maker->picked);
	products_picked_detail(&full, picked, plan->by_setting ? "hip.gemm" : NULL, maker->variables);
	wording_detail_number(&full, "workspace", p->workspace);
	wording_detail(&full, "passed-over", plan->passed);
	maker->facts(l, p, &full);
	wording_detail_gaps(&full, &l->gaps);
	eh_give(out, &full, sizeof(full));
	return EH_OK;
}

bool hip_gemm_layer(const eh_device *d, uint32_t index, eh_layer *out)
{
	uint32_t before = 0;

	for (int i = 0; i < HIP_MAKERS; i++) {
		if (!d->gemm.used[i] || before++ != index)
			continue;
		begin_layer(d, i, out);
		/* First, for many kernels are cut at the end of the layer's room. */
		products_picked_detail(out, makers[i]->picked, option(d, "gemm") != NULL ? "hip.gemm" : NULL,
		                       makers[i]->variables);
		products_kernels_detail(out, &d->gemm.kernels[i]);
		return true;
	}
	return false;
}

/* The libraries end the process when they cannot free memory, so those of a lost device keep it: only a new
 * process helps anyway. */
void hip_gemm_release(eh_device *d)
{
	if (d->lost != hipSuccess || (d->gemm.lt == NULL && d->gemm.roc == NULL))
		return;
	stream_devices_enter_quietly(d);
	for (int i = 0; i < HIP_MAKERS; i++)
		makers[i]->release(d);
}

const eh_gemm_ops hip_gemm_table = {
	.struct_size = sizeof(hip_gemm_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};
