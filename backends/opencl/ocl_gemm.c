/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1: which library makes a product. */
#include "ocl_gemm.h"

#include <stdlib.h>
#include <string.h>

static const ocl_maker *const makers[OCL_MAKERS] = { [OCL_CLBLAST] = &ocl_clblast_maker,
	                                             [OCL_ONEDNN] = &ocl_onednn_maker };

static const char *option(const eh_device *d, const char *key)
{
	return d->self->host->option(d->self->host->ctx, key);
}

/* ---- the choice -------------------------------------------------------------------------- */

static eh_status make(eh_gemm_plan *plan, int maker, eh_error *error)
{
	const eh_status status = makers[maker]->check(plan->device, &plan->gemm, error);

	plan->maker = maker;
	return status == EH_OK ? makers[maker]->prepare(plan, error) : status;
}

static eh_status choose_named(eh_gemm_plan *plan, const char *name, eh_error *error)
{
	for (int i = 0; i < OCL_MAKERS; i++)
		if (strcmp(makers[i]->name, name) == 0) {
			plan->by_setting = true;
			return make(plan, i, error);
		}
	return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "opencl.gemm=%.40s is neither clblast nor "
	    "onednn.", name);
}

/* oneDNN comes first where it is made for the device or the user named its file, and is not asked elsewhere: it
 * has programs for Intel's GPUs alone. */
static eh_status choose(eh_gemm_plan *plan, eh_error *error)
{
	const char *name = option(plan->device, "gemm");
	const bool named = option(plan->device, "onednn") != NULL;
	eh_error first = { .struct_size = sizeof(first) }, second = { .struct_size = sizeof(second) };
	eh_status status, why;

	if (name != NULL)
		return choose_named(plan, name, error);
	if (!named && !ocl_onednn_is_for(plan->device))
		return make(plan, OCL_CLBLAST, error);
	why = make(plan, OCL_ONEDNN, &first);
	if (why == EH_OK || (why != EH_E_UNSUPPORTED && (why != EH_E_UNAVAILABLE || named))) {
		if (why != EH_OK && error != NULL)
			eh_give(error, &first, sizeof(first));
		return why;
	}
	products_passed(&first, plan->passed, sizeof(plan->passed));
	status = make(plan, OCL_CLBLAST, &second);
	if (status == EH_E_UNSUPPORTED || status == EH_E_UNAVAILABLE)
		return products_give_both(why == EH_E_UNAVAILABLE ? why : status, &first, &second, error);
	if (status != EH_OK && error != NULL)
		eh_give(error, &second, sizeof(second));
	return status;
}

/* ---- the table --------------------------------------------------------------------------- */

static eh_status prepare(eh_device *device, const eh_gemm *gemm, eh_gemm_plan **out,
                         uint64_t *workspace_bytes, eh_error *error)
{
	products_bytes bytes = { 0 };
	eh_gemm_plan *plan;
	eh_status status = products_check(gemm, &bytes, error);

	if (status != EH_OK)
		return status;
	plan = calloc(1, sizeof(*plan));
	if (plan == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for a product.");
	plan->device = device;
	plan->gemm = *gemm;
	plan->bytes = bytes;
	status = choose(plan, error);
	if (status != EH_OK) {
		free(plan);
		return status;
	}
	device->products[plan->maker].used = true;
	products_kernel_add(&device->products[plan->maker].kernels, plan->kernel);
	*out = plan;
	*workspace_bytes = 0;
	return EH_OK;
}

static eh_status check_operands(const eh_queue *queue, const eh_gemm_plan *plan, const eh_gemm_operands *o,
                                eh_error *error)
{
	eh_status status;

	if (queue->device != plan->device || o->a == NULL || o->b == NULL || o->c == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "A product needs three matrices, and "
		    "the queue of the device that it was prepared for.");
	if (queue->recording != NULL)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "A product of a library cannot be recorded: "
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
	return status;
}

static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, eh_error *error)
{
	cl_event event = NULL;
	eh_status status = check_operands(queue, plan, o, error);

	if (status == EH_OK)
		status = makers[plan->maker]->enqueue(queue, plan, o, &event, error);
	/* The event of its last command; those before it are in the same queue, which is in order. */
	if (status == EH_OK)
		ocl_queue_note(queue, event);
	return status;
}

static eh_status layer(eh_gemm_plan *plan, eh_layer *out, eh_error *error)
{
	eh_layer full;

	(void)error;
	makers[plan->maker]->begin_layer(plan->device, plan, &full);
	wording_detail(&full, "kernel", plan->kernel);
	wording_detail(&full, "passed-over", plan->passed);
	makers[plan->maker]->end_layer(plan, &full);
	eh_give(out, &full, sizeof(full));
	return EH_OK;
}

static void destroy(eh_gemm_plan *plan)
{
	if (plan == NULL)
		return;
	if (makers[plan->maker]->free != NULL)
		makers[plan->maker]->free(plan);
	free(plan);
}

bool ocl_gemm_layer(const eh_device *device, uint32_t index, eh_layer *out)
{
	uint32_t before = 0;

	for (int i = 0; i < OCL_MAKERS; i++) {
		if (!device->products[i].used || before++ != index)
			continue;
		makers[i]->begin_layer(device, NULL, out);
		products_kernels_detail(out, &device->products[i].kernels);
		makers[i]->end_layer(NULL, out);
		return true;
	}
	return false;
}

void ocl_gemm_close(eh_device *device)
{
	for (int i = 0; i < OCL_MAKERS; i++)
		if (makers[i]->close != NULL)
			makers[i]->close(device);
}

const eh_gemm_ops ocl_gemm_table = {
	.struct_size = sizeof(ocl_gemm_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};
