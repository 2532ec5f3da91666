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

static void destroy(eh_gemm_plan *plan)
{
	if (plan == NULL)
		return;
	stream_devices_enter_quietly(plan->device);
	lt_products_free(&plan->device->self->cublaslt->api, &plan->matmul.product);
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
	products_kernel_add(&device->gemm.kernels, plan->matmul.kernel);
	*out = plan;
	*workspace_bytes = plan->matmul.workspace;
	return EH_OK;
}

/* ---- the command ------------------------------------------------------------------------- */

/* The workspace is the caller's, so that the library allocates nothing while a stream records. */
static eh_status enqueue(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, eh_error *error)
{
	const eh_device *d = plan->device;
	const cuda_cublaslt *l = d->self->cublaslt;
	const cuda_matmul *m = &plan->matmul;
	cublasStatus_t rc;
	eh_status status = stream_products_check(queue, d, &plan->bytes, m->workspace, o, error);

	if (status == EH_OK)
		status = stream_devices_enter(queue->device, "gemm", error);
	if (status != EH_OK)
		return status;
	rc = lt_products_enqueue(&l->api, d->gemm.handle, &m->product, stream_products_at(o->a, o->offset_a),
	                         stream_products_at(o->b, o->offset_b), stream_products_at(o->c, o->offset_c),
	                         m->workspace > 0 ? stream_products_at(o->workspace, 0) : NULL,
	                         (size_t)m->workspace, queue->stream);
	if (rc == CUBLAS_STATUS_SUCCESS)
		return EH_OK;
	return cuda_cublaslt_failed(error, rc, "cublasLtMatmul", "cuBLASLt %s does not make the product on %s",
	                            l->version, d->info.name);
}

/* ---- layers ------------------------------------------------------------------------------ */

static const char *const variables[] = { "NVIDIA_TF32_OVERRIDE", "CUBLAS_EMULATION_STRATEGY",
	                                 "CUBLAS_EMULATE_SINGLE_PRECISION",
	                                 "CUBLAS_EMULATE_DOUBLE_PRECISION", NULL };

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
	products_picked_detail(&full, text, NULL, variables);
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

	if (!state->used)
		return false;
	begin_layer(device->self->cublaslt, out);
	/* First, for many kernels are cut at the end of the layer's room. */
	products_picked_detail(out, "cublasLtMatmulAlgoGetHeuristic", NULL, variables);
	products_kernels_detail(out, &state->kernels);
	return true;
}

const eh_gemm_ops cuda_gemm_table = {
	.struct_size = sizeof(cuda_gemm_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};
