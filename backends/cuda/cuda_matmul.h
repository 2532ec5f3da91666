/* SPDX-License-Identifier: Apache-2.0 */
/* One product as cuBLASLt describes it, and the algorithm that it takes. */
#ifndef CUDA_MATMUL_H
#define CUDA_MATMUL_H

#include "cuda_cublaslt.h"

/* The words of shared/lt_products.h. */
typedef cublaslt_api lt_api;
typedef cublasStatus_t lt_rc;
typedef cudaDataType_t lt_type;
typedef cublasComputeType_t lt_compute;
typedef cublasLtMatmulDesc_t lt_desc;
typedef cublasLtMatrixLayout_t lt_layout;
typedef cublasLtMatmulAlgo_t lt_algorithm;
typedef cublasLtHandle_t lt_handle;
typedef CUstream lt_stream;
#define LT_OK CUBLAS_STATUS_SUCCESS
#define LT_NAME(name) "cublasLt" name
#define LT_TURN(turn) CUBLAS_OP_##turn
#define LT_DESC(name) CUBLASLT_MATMUL_DESC_##name
#define LT_LAYOUT(name) CUBLASLT_MATRIX_LAYOUT_##name
#include "shared/lt_products.h"

typedef struct cuda_matmul {
	lt_product product;
	uint64_t workspace;           /* bytes                                                 */
	float waves;                  /* of groups over the device, as the library says        */
	int rank, count;              /* of the algorithm among those that it offered          */
	char kernel[PRODUCTS_KERNEL];
	char numerics[128];           /* "HMMA, ACCUMULATOR_32F, INPUT_16F", "" = unknown      */
	wording_gaps gaps;
} cuda_matmul;

/* What a product is for the library. */
typedef struct cuda_matmul_types {
	lt_types types;
	const char *compute_name;
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

/* Fills a zeroed *m; after a failure too its product is freed with lt_products_free.  The calling thread is
 * in the device's context. */
eh_status cuda_matmul_make(eh_device *device, const eh_gemm *gemm, const cuda_matmul_types *types,
                           cuda_matmul *m, eh_error *error);

#endif
