/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_cblas.h"

#include <string.h>

bool cblas_has_types(const eh_gemm *gemm)
{
	return products_types(gemm, "f32", "f32", "f32", "f32") ||
	       products_types(gemm, "f64", "f64", "f64", "f64");
}

bool cblas_is_half(const eh_gemm *gemm)
{
	return products_types(gemm, "bf16", "bf16", "f32", "f32");
}

const char *cblas_interface(const eh_gemm *gemm)
{
	if (cblas_is_half(gemm))
		return "cblas_sbgemm";
	return strcmp(gemm->type_c, "f64") == 0 ? "cblas_dgemm" : "cblas_sgemm";
}

void cblas_run(const cblas_api *api, const eh_gemm *gemm, const void *a, const void *b, void *c)
{
	const enum CBLAS_TRANSPOSE turn_a = gemm->flags & EH_GEMM_TRANSPOSE_A ? CblasTrans : CblasNoTrans;
	const enum CBLAS_TRANSPOSE turn_b = gemm->flags & EH_GEMM_TRANSPOSE_B ? CblasTrans : CblasNoTrans;
	const int m = (int)gemm->m, n = (int)gemm->n, k = (int)gemm->k;
	const int lda = (int)gemm->lda, ldb = (int)gemm->ldb, ldc = (int)gemm->ldc;
	const bool half = cblas_is_half(gemm), wide = strcmp(gemm->type_c, "f64") == 0;

	for (uint64_t i = 0; i < gemm->batch; i++) {
		const uint64_t at_a = i * gemm->stride_a, at_b = i * gemm->stride_b;
		const uint64_t at_c = i * gemm->stride_c;

		if (wide)
			api->dgemm(CblasRowMajor, turn_a, turn_b, m, n, k, gemm->alpha,
			           (const double *)a + at_a, lda, (const double *)b + at_b, ldb,
			           gemm->beta, (double *)c + at_c, ldc);
		else if (half)
			api->sbgemm(CblasRowMajor, turn_a, turn_b, m, n, k, (float)gemm->alpha,
			            (const uint16_t *)a + at_a, lda, (const uint16_t *)b + at_b, ldb,
			            (float)gemm->beta, (float *)c + at_c, ldc);
		else
			api->sgemm(CblasRowMajor, turn_a, turn_b, m, n, k, (float)gemm->alpha,
			           (const float *)a + at_a, lda, (const float *)b + at_b, ldb,
			           (float)gemm->beta, (float *)c + at_c, ldc);
	}
}
