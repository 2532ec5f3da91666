/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithms a product has, and the product: a command in the stream, as late as all others.  The list
 * begins with one that must not be taken. */
#include <string.h>

#include "thl_state.h"

enum { WORKSPACE = 8192, LARGE = 128 /* columns of D */ };

/* As the documentation of the real library lists them. */
static bool has_types(const thl_context *handle, hipblasComputeType_t compute, const product *p)
{
	const bool z = handle->generation >= 0x940 && handle->generation <= 0x942;
	const bool ocp = handle->generation == 0x950 || handle->generation >= 0x1200;
	const bool a_z = p->a.type == PRODUCT_E4M3Z || p->a.type == PRODUCT_E5M2Z;
	const bool b_z = p->b.type == PRODUCT_E4M3Z || p->b.type == PRODUCT_E5M2Z;
	const bool a_ocp = p->a.type == PRODUCT_E4M3 || p->a.type == PRODUCT_E5M2;
	const bool b_ocp = p->b.type == PRODUCT_E4M3 || p->b.type == PRODUCT_E5M2;
	const bool floats = p->d.type == PRODUCT_BF16 || p->d.type == PRODUCT_F16 || p->d.type == PRODUCT_F32;

	switch (compute) {
	case HIPBLAS_COMPUTE_32I:
		return p->a.type == PRODUCT_I8 && p->b.type == PRODUCT_I8 && p->d.type == PRODUCT_I32;
	case HIPBLAS_COMPUTE_32F_FAST_TF32:
		return z && p->a.type == PRODUCT_F32 && p->b.type == PRODUCT_F32 && p->d.type == PRODUCT_F32;
	default:
		if (a_z || a_ocp)
			return floats && ((z && a_z && b_z) || (ocp && a_ocp && b_ocp));
		return p->a.type == p->b.type && floats && p->a.type != PRODUCT_I8 &&
		       (p->d.type == p->a.type || p->d.type == PRODUCT_F32);
	}
}

/* Writes up to `room` and counts them. */
static void offer(hipblasLtMatmulHeuristicResult_t *results, int room, int *count, int32_t index,
                  uint32_t workspace, hipblasStatus_t state)
{
	const thl_algorithm x = { index, workspace, 0 };
	hipblasLtMatmulHeuristicResult_t *r = &results[*count];

	if (*count == room)
		return;
	memset(r, 0, sizeof(*r));
	memcpy(r->algo.data, &x, sizeof(x));
	r->workspaceSize = workspace;
	r->state = state;
	r->wavesCount = 1;
	(*count)++;
}

THL_API hipblasLtMatmulAlgoGetHeuristic(hipblasLtHandle_t handle, hipblasLtMatmulDesc_t desc,
                                        hipblasLtMatrixLayout_t a, hipblasLtMatrixLayout_t b,
                                        hipblasLtMatrixLayout_t c, hipblasLtMatrixLayout_t d,
                                        hipblasLtMatmulPreference_t preference, int room,
                                        hipblasLtMatmulHeuristicResult_t *results, int *count)
{
	product p;
	THL_ENTER("hipblasLtMatmulAlgoGetHeuristic");

	if (!thl_is_here(handle))
		return HIPBLAS_STATUS_NOT_INITIALIZED;
	if (!thl_is(desc, THL_DESC) || !thl_is(a, THL_LAYOUT) || !thl_is(b, THL_LAYOUT) ||
	    !thl_is(c, THL_LAYOUT) || !thl_is(d, THL_LAYOUT) || !thl_is(preference, THL_PREFERENCE) ||
	    room <= 0 || results == NULL || count == NULL || c->type != d->type || !thl_product(desc, a, b, d, &p))
		return HIPBLAS_STATUS_INVALID_VALUE;
	*count = 0;
	if (!has_types(handle, desc->compute, &p))
		return HIPBLAS_STATUS_NOT_SUPPORTED;
	if (planned_ == THL_NONE)
		return HIPBLAS_STATUS_SUCCESS;
	offer(results, room, count, 7, 0, HIPBLAS_STATUS_NOT_SUPPORTED);
	if (planned_ == THL_REFUSED)
		return HIPBLAS_STATUS_SUCCESS;
	if (preference->workspace >= WORKSPACE)
		offer(results, room, count, 4711, WORKSPACE, HIPBLAS_STATUS_SUCCESS);
	offer(results, room, count, p.n >= LARGE || p.m >= LARGE ? 70000 : 42, 0, HIPBLAS_STATUS_SUCCESS);
	return HIPBLAS_STATUS_SUCCESS;
}

static bool alike(const struct hipblasLtMatrixLayoutOpaque *c, const struct hipblasLtMatrixLayoutOpaque *d)
{
	return c->type == d->type && c->rows == d->rows && c->columns == d->columns &&
	       c->leading == d->leading && c->offset == d->offset && c->batch == d->batch;
}

static thl_context *handle_of(hipblasLtHandle_t handle)
{
	return handle;
}

THL_API hipblasLtMatmul(hipblasLtHandle_t handle, hipblasLtMatmulDesc_t desc, const void *alpha, const void *a,
                        hipblasLtMatrixLayout_t a_layout, const void *b, hipblasLtMatrixLayout_t b_layout,
                        const void *beta, const void *c, hipblasLtMatrixLayout_t c_layout, void *d,
                        hipblasLtMatrixLayout_t d_layout, const hipblasLtMatmulAlgo_t *algorithm,
                        void *workspace, size_t workspace_size, hipStream_t stream)
{
	thl_algorithm x;
	product p;
	THL_ENTER("hipblasLtMatmul");

	if (!thl_is_here(handle))
		return HIPBLAS_STATUS_NOT_INITIALIZED;
	if (!thl_is(desc, THL_DESC) || !thl_is(a_layout, THL_LAYOUT) || !thl_is(b_layout, THL_LAYOUT) ||
	    !thl_is(c_layout, THL_LAYOUT) || !thl_is(d_layout, THL_LAYOUT) || algorithm == NULL ||
	    !alike(c_layout, d_layout) || !thl_product(desc, a_layout, b_layout, d_layout, &p) ||
	    !has_types(handle, desc->compute, &p))
		return HIPBLAS_STATUS_INVALID_VALUE;
	/* Products of two streams would clear each other's flags. */
	if (handle_of(handle)->stream == NULL)
		handle_of(handle)->stream = stream;
	if (handle_of(handle)->stream != stream)
		return HIPBLAS_STATUS_INVALID_VALUE;
	memcpy(&x, algorithm->data, sizeof(x));
	if (x.index < 42 || workspace_size < x.workspace || (uintptr_t)workspace % 16 != 0)
		return HIPBLAS_STATUS_INVALID_VALUE;
	p.a.at = (uintptr_t)a;
	p.b.at = (uintptr_t)b;
	p.at_c = (uintptr_t)c;
	p.d.at = (uintptr_t)d;
	p.workspace = (uintptr_t)workspace;
	p.workspace_bytes = x.workspace;
	p.alpha = product_get(alpha, thl_type(desc->scale), 0);
	p.beta = product_get(beta, thl_type(desc->scale), 0);
	p.tf32 = desc->compute == HIPBLAS_COMPUTE_32F_FAST_TF32 || planned_ == THL_NARROW;
	p.wrong = planned_ == THL_WRONG;
	if (planned_ == THL_STALE)
		return HIPBLAS_STATUS_SUCCESS;
	return product_enqueue(stream, &p) == 0 ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_EXECUTION_FAILED;
}
