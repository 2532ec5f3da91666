/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 by cuBLASLt, which is opened by the first product and never before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_matmul.h"

struct eh_gemm_plan {
	eh_device *device;
	products_bytes bytes;
	cuda_matmul_types types;
	cuda_matmul matmul;
};

static eh_status check(const eh_device *device, const eh_gemm *gemm, products_bytes *bytes,
                       cuda_matmul_types *types, eh_error *error)
{
	const eh_host *host = device->self->host;
	const char *name = host->option(host->ctx, "gemm");
	const eh_status status = products_check(gemm, bytes, error);

	if (status != EH_OK)
		return status;
	if (name != NULL && strcmp(name, "cublaslt") != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "cuda.gemm=%.40s is not cublaslt.", name);
	return cuda_matmul_check(device, gemm, types, error);
}

static eh_status check_version(const cuda_cublaslt *l, const eh_gemm *gemm, eh_error *error)
{
	if (gemm->type_a[0] != 'e' || l->major > 11 || (l->major == 11 && l->minor >= 11))
		return EH_OK;
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "cuBLASLt %s has no 8-bit floats, which begin with "
	                   "11.11, that of CUDA 11.8.", l->version);
}

/* Keeps the kernels sorted, so that their order is not that of the cases. */
static void keep(cuda_gemm_state *state, const char *kernel)
{
	unsigned at = 0;

	while (at < state->kernel_count && strcmp(state->kernels[at], kernel) < 0)
		at++;
	if (at < state->kernel_count && strcmp(state->kernels[at], kernel) == 0)
		return;
	if (state->kernel_count == CUDA_GEMM_KERNELS) {
		state->more = true;
		return;
	}
	memmove(state->kernels[at + 1], state->kernels[at],
	        (state->kernel_count - at) * sizeof(state->kernels[0]));
	snprintf(state->kernels[at], sizeof(state->kernels[at]), "%s", kernel);
	state->kernel_count++;
}

static void destroy(eh_gemm_plan *plan)
{
	if (plan == NULL)
		return;
	stream_devices_enter_quietly(plan->device);
	cuda_matmul_free(&plan->device->self->cublaslt->api, &plan->matmul);
	free(plan);
}

static eh_status prepare(eh_device *device, const eh_gemm *gemm, eh_gemm_plan **out,
                         uint64_t *workspace_bytes, eh_error *error)
{
	products_bytes bytes;
	cuda_matmul_types types;
	eh_gemm_plan *plan;
	eh_status status = check(device, gemm, &bytes, &types, error);

	if (status == EH_OK)
		status = stream_devices_enter(device, "gemm", error);
	if (status == EH_OK)
		status = cuda_cublaslt_open(device, error);
	if (status == EH_OK)
		status = check_version(device->self->cublaslt, gemm, error);
	if (status == EH_OK)
		status = cuda_cublaslt_handle(device, error);
	if (status != EH_OK)
		return status;
	plan = calloc(1, sizeof(*plan));
	if (plan == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for a product.");
	plan->device = device;
	plan->bytes = bytes;
	plan->types = types;
	status = cuda_matmul_make(device, gemm, &types, &plan->matmul, error);
	if (status != EH_OK) {
		destroy(plan);
		return status;
	}
	device->gemm.used = true;
	keep(&device->gemm, plan->matmul.kernel);
	*out = plan;
	*workspace_bytes = plan->matmul.workspace;
	return EH_OK;
}

/* ---- the command ------------------------------------------------------------------------- */

static eh_status check_operand(const char *what, const eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                               eh_error *error)
{
	if (buffer->kind != EH_MEMORY_DEVICE)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "%s of a product lies in device memory.",
		                   what);
	if (offset % 16 != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The offsets of matrices are multiples "
		                   "of 16 bytes.");
	return checks_range("gemm", buffer->bytes, offset, bytes, error);
}

static eh_status check_operands(const eh_queue *queue, const eh_gemm_plan *plan,
                                const eh_gemm_operands *o, eh_error *error)
{
	eh_status status;

	if (queue->device != plan->device || o->a == NULL || o->b == NULL || o->c == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "A product needs three matrices, and "
		                   "the queue of the device that it was prepared for.");
	status = check_operand("A matrix", o->a, o->offset_a, plan->bytes.a, error);
	if (status == EH_OK)
		status = check_operand("A matrix", o->b, o->offset_b, plan->bytes.b, error);
	if (status == EH_OK)
		status = check_operand("A matrix", o->c, o->offset_c, plan->bytes.c, error);
	if (status != EH_OK || plan->matmul.workspace == 0)
		return status;
	if (o->workspace == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The product was prepared with a "
		                   "workspace of %llu bytes, and none is given.",
		                   (unsigned long long)plan->matmul.workspace);
	return check_operand("The workspace", o->workspace, 0, plan->matmul.workspace, error);
}

static void *at(const eh_buffer *buffer, uint64_t offset)
{
	const uint64_t address = buffer->address + offset;
	void *pointer;

	memcpy(&pointer, &address, sizeof(pointer));
	return pointer;
}

/* A stream that records takes it as it takes a launch: the factors are read now, and the library
 * allocates nothing, as its workspace is the caller's. */
static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, eh_error *error)
{
	const eh_device *d = plan->device;
	const cuda_cublaslt *l = d->self->cublaslt;
	cuda_matmul *m = &plan->matmul;
	cublasStatus_t rc;
	eh_status status = check_operands(queue, plan, o, error);
	void *c;

	if (status == EH_OK)
		status = stream_devices_enter(queue->device, "gemm", error);
	if (status != EH_OK)
		return status;
	c = at(o->c, o->offset_c);
	rc = l->api.matmul(d->gemm.handle, m->desc, &m->alpha, at(o->b, o->offset_b), m->a,
	                   at(o->a, o->offset_a), m->b, &m->beta, c, m->c, c, m->c, &m->algorithm,
	                   m->workspace > 0 ? at(o->workspace, 0) : NULL, (size_t)m->workspace,
	                   queue->stream);
	if (rc == CUBLAS_STATUS_SUCCESS)
		return EH_OK;
	return cuda_cublaslt_failed(error, rc, "cublasLtMatmul", "cuBLASLt %s does not make the product on %s",
	                            l->version, d->info.name);
}

/* ---- layers ------------------------------------------------------------------------------ */

/* "picked=HOW (WHO)": WHO are the variables that are set and can decide, without the parentheses when none
 * is. */
static void add_picked(eh_layer *out, const char *how)
{
	static const char *const variables[] = { "NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATION_STRATEGY",
	                                         "CUBLAS_EMULATE_SINGLE_PRECISION",
	                                         "CUBLAS_EMULATE_DOUBLE_PRECISION" };
	char text[256];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s", how);
	const size_t before = used;

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (getenv(variables[i]) != NULL)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
			                         used == before ? " (" : ", ", variables[i]);
	snprintf(text + used, sizeof(text) - used, "%s", used > before ? ")" : "");
	wording_detail(out, "picked", text);
}

static void begin_layer(const cuda_cublaslt *l, eh_layer *out)
{
	memset(out, 0, sizeof(*out));
	out->kind = EH_LAYER_LIBRARY;
	out->source = EH_SOURCE_QUERIED;
	snprintf(out->name, sizeof(out->name), "cuBLASLt");
	snprintf(out->version, sizeof(out->version), "%s", l->version);
	wording_path(out, l->file.path);
}

static eh_status layer(eh_gemm_plan *plan, eh_layer *out, eh_error *error)
{
	const cuda_matmul *m = &plan->matmul;
	eh_layer full;
	char text[96];

	(void)error;
	begin_layer(plan->device->self->cublaslt, &full);
	wording_detail(&full, "kernel", m->kernel);
	snprintf(text, sizeof(text), "cublasLtMatmulAlgoGetHeuristic, rank %d of %d", m->rank, m->count);
	add_picked(&full, text);
	snprintf(text, sizeof(text), "%.3g", (double)m->waves);
	wording_detail(&full, "waves", text);
	wording_detail_number(&full, "workspace", m->workspace);
	wording_detail(&full, "compute", plan->types.compute_name);
	wording_detail(&full, "numerics", m->numerics);
	wording_detail(&full, "interface", "cublasLtMatmul");
	wording_detail_gaps(&full, &m->gaps);
	eh_give(out, &full, sizeof(full));
	return EH_OK;
}

bool cuda_gemm_layer(const eh_device *device, eh_layer *out)
{
	const cuda_gemm_state *state = &device->gemm;
	char kernels[CUDA_GEMM_KERNELS * (CUDA_GEMM_KERNEL + 3) + 16];
	size_t used = 0;

	if (!state->used)
		return false;
	kernels[0] = '\0';
	for (unsigned i = 0; i < state->kernel_count; i++) {
		snprintf(kernels + used, sizeof(kernels) - used, "%s%s", i > 0 ? " | " : "", state->kernels[i]);
		used += strlen(kernels + used);
	}
	if (state->more)
		snprintf(kernels + used, sizeof(kernels) - used, " | others");
	begin_layer(device->self->cublaslt, out);
	/* First, for many kernels are cut at the end of the layer's room. */
	add_picked(out, "cublasLtMatmulAlgoGetHeuristic");
	wording_detail(out, "kernel", kernels);
	return true;
}

const eh_gemm_ops cuda_gemm_table = {
	.struct_size = sizeof(cuda_gemm_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};
