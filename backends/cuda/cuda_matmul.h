/* SPDX-License-Identifier: Apache-2.0 */
/* One product as cuBLASLt describes it, and the algorithm that it takes. */
#ifndef CUDA_MATMUL_H
#define CUDA_MATMUL_H

#include "cuda_cublaslt.h"
#include "shared/products.h"

/* A factor in the type in which the product is scaled; the calls take its address. */
typedef union cuda_factor {
	double f64;
	float f32;
	int32_t i32;
} cuda_factor;

/*
 * cuBLASLt's fast kernels are those for matrices by columns.  A matrix by rows is its transpose by
 * columns, so the product is asked for as C' = op(B)' * op(A)': the library's first factor, `a` here, is
 * the caller's B, and its transposes are the caller's own.
 */
typedef struct cuda_matmul {
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t a, b, c;
	cublasLtMatmulAlgo_t algorithm;
	uint64_t workspace;           /* bytes                                                 */
	float waves;                  /* of groups over the device, as the library says        */
	int rank, count;              /* of the algorithm among those that it offered          */
	cuda_factor alpha, beta;
	char kernel[CUDA_GEMM_KERNEL];
	char numerics[128];           /* "HMMA, ACCUMULATOR_32F, INPUT_16F", "" = unknown      */
	wording_gaps gaps;
} cuda_matmul;

/* What a product is for the library. */
typedef struct cuda_matmul_types {
	cublasComputeType_t compute;
	const char *compute_name;
	cudaDataType_t scale, a, b, c;
	uint32_t inputs;              /* CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_* that are right  */
	uint32_t accumulators;        /* ..._ACCUMULATOR_* that are right                      */
} cuda_matmul_types;

/* cuda_matmul_types.c: EH_E_UNSUPPORTED with the reason where the library has no such product on the
 * device, whatever its size; the library need not be open. */
eh_status cuda_matmul_check(const eh_device *device, const eh_gemm *gemm, cuda_matmul_types *types,
                            eh_error *error);

/* cuda_algorithm.c: fills algorithm and all that is known of it. */
eh_status cuda_matmul_choose(eh_device *device, const eh_gemm *gemm, const cuda_matmul_types *types,
                             cuda_matmul *m, eh_error *error);

/* Fills a zeroed *m; after a failure too it is freed with cuda_matmul_free.  The calling thread is in the
 * device's context. */
eh_status cuda_matmul_make(eh_device *device, const eh_gemm *gemm, const cuda_matmul_types *types,
                           cuda_matmul *m, eh_error *error);
void cuda_matmul_free(const cublaslt_api *api, cuda_matmul *m);

#endif
