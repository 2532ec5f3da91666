/* SPDX-License-Identifier: Apache-2.0 */
/* Products by the C interface of BLAS, which OpenBLAS and BLIS have in common. */
#ifndef HOST_GEMM_CBLAS_H
#define HOST_GEMM_CBLAS_H

#include "blas_abi.h"
#include "gemmplans.h"

typedef struct cblas_api {
#define X(field, names, arguments) void (*field) arguments;
	BLAS_PRODUCTS(X)
	BLAS_HALF_PRODUCTS(X)
#undef X
} cblas_api;

/* f32 and f64. */
bool cblas_has_types(const eh_gemm *gemm);
/* bf16 added up in f32, and stored so. */
bool cblas_is_half(const eh_gemm *gemm);
/* The name of the function that makes the product. */
const char *cblas_interface(const eh_gemm *gemm);
/* The matrices of a batch one after the other. */
void cblas_run(const cblas_api *api, const eh_gemm *gemm, const void *a, const void *b, void *c);

#endif
