/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host backend calls in OpenBLAS and in BLIS, declared here, so that it is built without
 * them.  Values and prototypes are those of their cblas.h with an int of 32 bits;
 * tests/abi/vendor.sh compares each with it, and reads this file in the forms that
 * tests/abi/vendor/facts.awk lists.
 */
#ifndef BLAS_ABI_H
#define BLAS_ABI_H

#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum CBLAS_ORDER {
	CblasRowMajor = 101,
} CBLAS_ORDER;

typedef enum CBLAS_TRANSPOSE {
	CblasNoTrans = 111,
	CblasTrans = 112,
} CBLAS_TRANSPOSE;

#endif

/* The functions: X(field, "name", (arguments)), all of no result.  A bfloat16 is passed as its bits. */
#define BLAS_PRODUCTS(X) \
	X(sgemm, "cblas_sgemm", (enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE a_turned, \
	  enum CBLAS_TRANSPOSE b_turned, int m, int n, int k, float alpha, const float *a, int lda, \
	  const float *b, int ldb, float beta, float *c, int ldc)) \
	X(dgemm, "cblas_dgemm", (enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE a_turned, \
	  enum CBLAS_TRANSPOSE b_turned, int m, int n, int k, double alpha, const double *a, int lda, \
	  const double *b, int ldb, double beta, double *c, int ldc))

#define BLAS_HALF_PRODUCTS(X) \
	X(sbgemm, "cblas_sbgemm", (enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE a_turned, \
	  enum CBLAS_TRANSPOSE b_turned, int m, int n, int k, float alpha, const uint16_t *a, int lda, \
	  const uint16_t *b, int ldb, float beta, float *c, int ldc))

#endif
