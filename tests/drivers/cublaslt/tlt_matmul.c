/* SPDX-License-Identifier: Apache-2.0 */
/* The product: a command in the stream, which runs as late as all others. */
#include <stdlib.h>
#include <string.h>

#include "tlt_state.h"

enum { ILLEGAL_ADDRESS = 700 /* CUDA_ERROR_ILLEGAL_ADDRESS */ };

typedef struct product {
	struct cublasLtMatmulDesc desc;
	struct cublasLtMatrixLayout a, b, d;
	uint64_t m, n, k;
	uint64_t at_a, at_b, at_c, at_d, workspace, workspace_bytes;
	double alpha, beta; /* as they were when the call was made                            */
	uint64_t part;      /* of k, after which a sum is rounded to the type of D            */
	bool wrong;
} product;

static uint64_t bytes_of(const struct cublasLtMatrixLayout *x)
{
	return ((uint64_t)(x->batch - 1) * (uint64_t)x->offset + (x->columns - 1) * (uint64_t)x->leading +
	        x->rows) * tlt_bytes(x->type);
}

static uint64_t place(const struct cublasLtMatrixLayout *x, int32_t turned, uint64_t i, uint64_t j,
                      uint64_t of)
{
	const uint64_t row = turned == CUBLAS_OP_T ? j : i, column = turned == CUBLAS_OP_T ? i : j;

	return of * (uint64_t)x->offset + column * (uint64_t)x->leading + row;
}

static double rounded(double value, cudaDataType_t type)
{
	char at[sizeof(double)];

	tlt_put(at, type, 0, value);
	return tlt_get(at, type, 0);
}

static void one_product(const product *p, const char *a, const char *b, const char *c, char *d, uint64_t of)
{
	const bool tf32 = p->desc.compute == CUBLAS_COMPUTE_32F_FAST_TF32;

	for (uint64_t j = 0; j < p->n; j++)
		for (uint64_t i = 0; i < p->m; i++) {
			const uint64_t at = place(&p->d, CUBLAS_OP_N, i, j, of);
			double sum = 0;

			for (uint64_t l = 0; l < p->k; l++) {
				const double x = tlt_get(a, p->a.type, place(&p->a, p->desc.turn_a, i, l, of));
				const double y = tlt_get(b, p->b.type, place(&p->b, p->desc.turn_b, l, j, of));

				sum += tf32 ? tlt_tf32(x) * tlt_tf32(y) : x * y;
				if ((l + 1) % p->part == 0)
					sum = rounded(sum, p->d.type);
			}
			sum *= p->alpha;
			if (p->beta != 0)
				sum += p->beta * tlt_get(c, p->d.type, at);
			tlt_put(d, p->d.type, at, sum);
		}
}

/* A bit of an element in the middle. */
static void spoil(void *data)
{
	const product *p = data;
	const uint64_t bytes = tlt_bytes(p->d.type);
	char *d = evenhand_test_view(p->at_d, bytes_of(&p->d));
	const uint64_t at = place(&p->d, CUBLAS_OP_N, p->m / 2, p->n / 3, 0) * bytes + bytes - 1;

	if (d != NULL)
		d[at] = (char)(d[at] ^ 0x40);
}

static int64_t run(void *data)
{
	product *p = data;
	const char *a = evenhand_test_view(p->at_a, bytes_of(&p->a));
	const char *b = evenhand_test_view(p->at_b, bytes_of(&p->b));
	const char *c = evenhand_test_view(p->at_c, bytes_of(&p->d));
	char *d = evenhand_test_view(p->at_d, bytes_of(&p->d)), *workspace = NULL;

	if (a == NULL || b == NULL || c == NULL || d == NULL)
		return ILLEGAL_ADDRESS;
	if (p->workspace_bytes > 0) {
		workspace = evenhand_test_view(p->workspace, p->workspace_bytes);
		if (workspace == NULL)
			return ILLEGAL_ADDRESS;
		memset(workspace, 0xff, p->workspace_bytes);
	}
	for (int32_t of = 0; of < p->d.batch; of++)
		one_product(p, a, b, c, d, (uint64_t)of);
	if (p->wrong)
		spoil(p);
	return 0;
}

static double factor_of(const void *from, cudaDataType_t type)
{
	return tlt_get(from, type, 0);
}

static bool alike(const struct cublasLtMatrixLayout *c, const struct cublasLtMatrixLayout *d)
{
	return c->type == d->type && c->rows == d->rows && c->columns == d->columns &&
	       c->leading == d->leading && c->offset == d->offset && c->batch == d->batch;
}

static bool aligned(const product *p, uint64_t to)
{
	return p->at_a % to == 0 && p->at_b % to == 0 && p->at_c % to == 0 && p->at_d % to == 0 &&
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
	product *p;
	TLT_ENTER("cublasLtMatmul");

	if (!tlt_is(handle, TLT_HANDLE) || evenhand_test_device(&compute) != handle->device)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!tlt_is(desc, TLT_DESC) || !tlt_is(a_layout, TLT_LAYOUT) || !tlt_is(b_layout, TLT_LAYOUT) ||
	    !tlt_is(c_layout, TLT_LAYOUT) || !tlt_is(d_layout, TLT_LAYOUT) || x == NULL ||
	    x->kind != TLT_ALGORITHM || workspace_size < x->workspace ||
	    !alike(c_layout, d_layout))
		return CUBLAS_STATUS_INVALID_VALUE;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		abort();
	*p = (product){ .desc = *desc, .a = *a_layout, .b = *b_layout, .d = *d_layout,
		        .at_a = (uintptr_t)a, .at_b = (uintptr_t)b, .at_c = (uintptr_t)c,
		        .at_d = (uintptr_t)d, .workspace = (uintptr_t)workspace,
		        .workspace_bytes = x->workspace, .alpha = factor_of(alpha, desc->scale),
		        .beta = factor_of(beta, desc->scale), .wrong = planned_ == TLT_WRONG };
	if (!tlt_sizes(desc, &p->a, &p->b, &p->d, &p->m, &p->n, &p->k) || !aligned(p, x->alignment)) {
		free(p);
		return CUBLAS_STATUS_INVALID_VALUE;
	}
	p->part = UINT64_MAX;
	if ((x->reduction & ~(uint32_t)CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE) != 0)
		p->part = (p->k + (uint64_t)x->split - 1) / (uint64_t)x->split;
	if (planned_ == TLT_STALE) {
		free(p);
		return CUBLAS_STATUS_SUCCESS;
	}
	return evenhand_test_enqueue(stream, (streams_work){ run, spoil, free, p }) == 0
	       ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
