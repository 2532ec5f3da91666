/* SPDX-License-Identifier: Apache-2.0 */
/* The product: a command in the stream, which runs as late as all others. */
#include "tlt_state.h"

static bool alike(const struct cublasLtMatrixLayout *c, const struct cublasLtMatrixLayout *d)
{
	return c->type == d->type && c->rows == d->rows && c->columns == d->columns &&
	       c->leading == d->leading && c->offset == d->offset && c->batch == d->batch;
}

static bool aligned(const product *p, uint64_t to)
{
	return p->a.at % to == 0 && p->b.at % to == 0 && p->at_c % to == 0 && p->d.at % to == 0 &&
	       p->workspace % 256 == 0;
}

TLT_API cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha,
                       const void *a, cublasLtMatrixLayout_t a_layout, const void *b,
                       cublasLtMatrixLayout_t b_layout, const void *beta, const void *c,
                       cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout,
                       const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t workspace_size,
                       cudaStream_t stream)
{
	const tlt_algorithm *x = (const void *)algorithm;
	int compute;
	product p;
	TLT_ENTER("cublasLtMatmul");

	if (!tlt_is(handle, TLT_HANDLE) || evenhand_test_device(&compute) != handle->device)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!tlt_is(desc, TLT_DESC) || !tlt_is(a_layout, TLT_LAYOUT) || !tlt_is(b_layout, TLT_LAYOUT) ||
	    !tlt_is(c_layout, TLT_LAYOUT) || !tlt_is(d_layout, TLT_LAYOUT) || x == NULL ||
	    x->kind != TLT_ALGORITHM || workspace_size < x->workspace ||
	    !alike(c_layout, d_layout))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!tlt_product(desc, a_layout, b_layout, d_layout, &p))
		return CUBLAS_STATUS_INVALID_VALUE;
	p.a.at = (uintptr_t)a;
	p.b.at = (uintptr_t)b;
	p.at_c = (uintptr_t)c;
	p.d.at = (uintptr_t)d;
	p.workspace = (uintptr_t)workspace;
	p.workspace_bytes = x->workspace;
	p.alpha = product_get(alpha, tlt_type(desc->scale), 0);
	p.beta = product_get(beta, tlt_type(desc->scale), 0);
	p.tf32 = desc->compute == CUBLAS_COMPUTE_32F_FAST_TF32 || planned_ == TLT_TF32;
	p.flush = planned_ == TLT_FLUSH;
	p.bits = planned_ == TLT_SHORT ? 14 : planned_ == TLT_HALF ? 11 : 0;
	p.wrong = planned_ == TLT_WRONG;
	if (!aligned(&p, x->alignment))
		return CUBLAS_STATUS_INVALID_VALUE;
	if ((x->reduction & ~(uint32_t)CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) != 0)
		p.part = (p.k + (uint64_t)x->split - 1) / (uint64_t)x->split;
	if (planned_ == TLT_STALE)
		return CUBLAS_STATUS_SUCCESS;
	return product_enqueue(stream, &p) == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
