/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_matmul.h"

#include <string.h>

/* The calls that describe a product, up to the first that fails. */
typedef struct description {
	const cublaslt_api *api;
	cublasStatus_t rc;
	const char *where;          /* it failed                                               */
} description;

static bool good(description *d, cublasStatus_t rc, const char *where)
{
	if (d->rc == CUBLAS_STATUS_SUCCESS && rc != CUBLAS_STATUS_SUCCESS) {
		d->rc = rc;
		d->where = where;
	}
	return d->rc == CUBLAS_STATUS_SUCCESS;
}

/* A stored matrix of rows x columns by rows is one of columns x rows by columns. */
static void describe_matrix(description *d, cublasLtMatrixLayout_t *layout, cudaDataType_t type,
                            uint64_t rows, uint64_t columns, uint64_t leading, uint64_t batch,
                            uint64_t stride)
{
	const int32_t count = (int32_t)batch;
	const int64_t offset = (int64_t)stride;

	if (d->rc != CUBLAS_STATUS_SUCCESS ||
	    !good(d, d->api->layout_create(layout, type, columns, rows, (int64_t)leading),
	          "cublasLtMatrixLayoutCreate")) {
		*layout = NULL;
		return;
	}
	if (batch > 1 &&
	    good(d, d->api->layout_set(*layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count)),
	         "cublasLtMatrixLayoutSetAttribute"))
		(void)good(d, d->api->layout_set(*layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
		                                 &offset, sizeof(offset)),
		           "cublasLtMatrixLayoutSetAttribute");
}

static void describe_operation(description *d, const eh_gemm *g, const cuda_matmul_types *types,
                               cublasLtMatmulDesc_t *desc)
{
	const int32_t turn_a = g->flags & EH_GEMM_TRANSPOSE_B ? CUBLAS_OP_T : CUBLAS_OP_N;
	const int32_t turn_b = g->flags & EH_GEMM_TRANSPOSE_A ? CUBLAS_OP_T : CUBLAS_OP_N;

	if (!good(d, d->api->desc_create(desc, types->compute, types->scale), "cublasLtMatmulDescCreate")) {
		*desc = NULL;
		return;
	}
	if (good(d, d->api->desc_set(*desc, CUBLASLT_MATMUL_DESC_TRANSA, &turn_a, sizeof(turn_a)),
	         "cublasLtMatmulDescSetAttribute"))
		(void)good(d, d->api->desc_set(*desc, CUBLASLT_MATMUL_DESC_TRANSB, &turn_b, sizeof(turn_b)),
		           "cublasLtMatmulDescSetAttribute");
}

static cuda_factor factor_of(double value, cudaDataType_t scale)
{
	cuda_factor factor;

	memset(&factor, 0, sizeof(factor));
	if (scale == CUDA_R_64F)
		factor.f64 = value;
	else if (scale == CUDA_R_32I)
		factor.i32 = (int32_t)value;
	else
		factor.f32 = (float)value;
	return factor;
}

eh_status cuda_matmul_make(eh_device *device, const eh_gemm *g, const cuda_matmul_types *types,
                           cuda_matmul *m, eh_error *error)
{
	const cuda_cublaslt *l = device->self->cublaslt;
	const bool turn_a = (g->flags & EH_GEMM_TRANSPOSE_A) != 0;
	const bool turn_b = (g->flags & EH_GEMM_TRANSPOSE_B) != 0;
	description d = { &l->api, CUBLAS_STATUS_SUCCESS, "" };
	char text[48];

	describe_operation(&d, g, types, &m->desc);
	describe_matrix(&d, &m->a, types->a, turn_b ? g->n : g->k, turn_b ? g->k : g->n, g->ldb, g->batch,
	                g->stride_b);
	describe_matrix(&d, &m->b, types->b, turn_a ? g->k : g->m, turn_a ? g->m : g->k, g->lda, g->batch,
	                g->stride_a);
	describe_matrix(&d, &m->c, types->c, g->m, g->n, g->ldc, g->batch, g->stride_c);
	if (d.rc != CUBLAS_STATUS_SUCCESS) {
		products_text(g, text, sizeof(text));
		return cuda_cublaslt_failed(error, d.rc, d.where, "cuBLASLt %s does not take a product of %s",
		                            l->version, text);
	}
	m->alpha = factor_of(g->alpha, types->scale);
	m->beta = factor_of(g->beta, types->scale);
	return cuda_matmul_choose(device, g, types, m, error);
}

void cuda_matmul_free(const cublaslt_api *api, cuda_matmul *m)
{
	if (m->c != NULL)
		(void)api->layout_destroy(m->c);
	if (m->b != NULL)
		(void)api->layout_destroy(m->b);
	if (m->a != NULL)
		(void)api->layout_destroy(m->a);
	if (m->desc != NULL)
		(void)api->desc_destroy(m->desc);
}
