/* SPDX-License-Identifier: Apache-2.0 */
/* The table of eh.gemm.1: which library makes a product, and its command in the queue. */
#include "gemmplans.h"

#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "gemmlibrary.h"
#include "queue.h"
#include "recording.h"

/* The library that makes the product, opened; the plan is filled by it. */
static eh_status try_library(eh_gemm_plan *plan, gemm_library *library, eh_error *error)
{
	char types[48], label[96];
	eh_status status;

	if (!library->vendor->has_types(&plan->gemm)) {
		products_text(&plan->gemm, types, sizeof(types));
		gemm_label(library, label, sizeof(label));
		return faults_set(error, EH_E_UNSUPPORTED, "%s has no product of %s", label, types);
	}
	status = gemmlibrary_open(plan->device, library, error);
	plan->library = library;
	return status == EH_OK ? library->vendor->prepare(plan, error) : status;
}

/* The first that can, in the backend's order; else the reasons of all.  The code is that of the first
 * library that has such products, but a library that is here and cannot decides. */
static eh_status choose(eh_gemm_plan *plan, gemm_library *libraries, eh_error *error)
{
	eh_status answer = EH_OK;
	char reasons[360] = "";
	size_t used = 0;

	for (unsigned i = 0; i < GEMMLIBRARY_COUNT; i++) {
		eh_error own = { .struct_size = sizeof(own) };
		const eh_status status = try_library(plan, &libraries[i], &own);

		/* A file that the user named is used or complained about. */
		if (status == EH_OK || (libraries[i].chosen && libraries[i].status != EH_OK)) {
			if (status != EH_OK && error != NULL)
				eh_give(error, &own, sizeof(own));
			return status;
		}
		if (libraries[i].vendor->has_types(&plan->gemm) &&
		    (answer == EH_OK || status == EH_E_UNSUPPORTED))
			answer = status;
		faults_text(reasons + used, sizeof(reasons) - used, "%s%s", i > 0 ? "; " : "", own.message);
		used = strlen(reasons);
	}
	return faults_set(error, answer != EH_OK ? answer : EH_E_UNSUPPORTED, "%s", reasons);
}

static eh_status choose_named(eh_gemm_plan *plan, gemm_library *libraries, const char *name,
                              eh_error *error)
{
	for (unsigned i = 0; i < GEMMLIBRARY_COUNT; i++)
		if (strcmp(libraries[i].vendor->setting, name) == 0)
			return try_library(plan, &libraries[i], error);
	return faults_set(error, EH_E_INTERNAL, "host.gemm=%.40s was not refused at the start", name);
}

static void destroy(eh_gemm_plan *plan)
{
	if (plan == NULL)
		return;
	if (plan->library != NULL && plan->library->vendor->release != NULL && plan->own != NULL)
		plan->library->vendor->release(plan);
	free(plan);
}

static eh_status prepare(eh_device *device, const eh_gemm *gemm, eh_gemm_plan **out,
                         uint64_t *workspace_bytes, eh_error *error)
{
	const eh_host *host = device->state->host;
	const char *name = host->option(host->ctx, "gemm");
	gemm_library *libraries = gemmlibrary_all(device->state);
	products_bytes bytes;
	eh_status status = products_check(gemm, &bytes, error);
	eh_gemm_plan *plan = status == EH_OK ? calloc(1, sizeof(*plan)) : NULL;
	gemmlibrary_cpus was;

	if (status != EH_OK)
		return status;
	if (plan == NULL || libraries == NULL) {
		free(plan);
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	}
	plan->device = device;
	plan->gemm = *gemm;
	plan->bytes = bytes;
	/* A library counts the CPUs of the thread that opens it, and its threads inherit them. */
	gemmlibrary_widen(device->state, &was);
	status = name != NULL ? choose_named(plan, libraries, name, error)
	                      : choose(plan, libraries, error);
	gemmlibrary_narrow(&was);
	if (status != EH_OK) {
		plan->own = NULL;
		destroy(plan);
		return status;
	}
	gemmlibrary_keep(plan->library, plan->kernel, plan->interface);
	*out = plan;
	*workspace_bytes = 0;
	return EH_OK;
}

/* ---- the command ------------------------------------------------------------------------------- */

typedef struct product {
	eh_gemm_plan *plan;
	const unsigned char *a, *b;
	unsigned char *c;
} product;

static eh_status make(const void *context, eh_error *error)
{
	const product *p = context;

	return p->plan->library->vendor->run(p->plan, p->a, p->b, p->c, error);
}

static eh_status run(const product *p, eh_error *error)
{
	return gemmlibrary_call(p->plan->device->state, p->plan->library, make, p, error);
}

static void run_recorded(const eh_queue *queue, void *context)
{
	eh_error error = { .struct_size = sizeof(error) };

	if (run(context, &error) != EH_OK)
		state_log(queue->device->state, EH_LOG_ERROR, "%s", error.message);
}

static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *operands,
                         eh_error *error)
{
	const eh_gemm_operands *o = operands;
	eh_status status = EH_OK;
	product p = { .plan = plan };

	if (queue->device != plan->device || o->a == NULL || o->b == NULL || o->c == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "A product needs three matrices, and the queue "
		                  "of the device that it was prepared for");
	if (o->offset_a % 16 != 0 || o->offset_b % 16 != 0 || o->offset_c % 16 != 0)
		status = faults_set(error, EH_E_INVALID_ARGUMENT, "The offsets of matrices are multiples of 16 "
		                    "bytes");
	if (status == EH_OK)
		status = buffer_check(o->a, o->offset_a, plan->bytes.a, error);
	if (status == EH_OK)
		status = buffer_check(o->b, o->offset_b, plan->bytes.b, error);
	if (status == EH_OK)
		status = buffer_check(o->c, o->offset_c, plan->bytes.c, error);
	if (status != EH_OK)
		return status;
	p.a = o->a->data + o->offset_a;
	p.b = o->b->data + o->offset_b;
	p.c = o->c->data + o->offset_c;
	if (queue->recording != NULL)
		return recording_add(queue, run_recorded, &p, sizeof(p), error);
	return run(&p, error);
}

/* ---- layers ------------------------------------------------------------------------------------ */

static eh_status layer(eh_gemm_plan *plan, eh_layer *out, eh_error *error)
{
	eh_layer full = { 0 };

	(void)error;
	gemmlibrary_layer(plan->library, plan->kernel, plan->interface,
	                  plan->device->state->threads, &full);
	eh_give(out, &full, sizeof(full));
	return EH_OK;
}

bool gemm_device_layer(const host_state *state, unsigned threads, uint32_t index, eh_layer *out)
{
	char kernels[GEMM_NAMES * (GEMM_NAME + 2)], interfaces[sizeof(kernels)];

	for (unsigned i = 0; state->gemm != NULL && i < GEMMLIBRARY_COUNT; i++) {
		const gemm_library *library = &state->gemm[i];

		if (library->file.handle == NULL || library->status != EH_OK || index-- != 0)
			continue;
		gemmlibrary_names(&library->kernels, kernels, sizeof(kernels));
		gemmlibrary_names(&library->interfaces, interfaces, sizeof(interfaces));
		gemmlibrary_layer(library, kernels, interfaces, threads, out);
		return true;
	}
	return false;
}

const eh_gemm_ops gemm_table = {
	.struct_size = sizeof(gemm_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};
