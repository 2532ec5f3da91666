/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend calls in cuBLASLt, declared here, so that it is built without a toolkit.  Names,
 * values and layouts are those of cublasLt.h, cublas_api.h and library_types.h of CUDA 11.8 to 13;
 * tests/abi/vendor.sh compares each with them, and reads this file in the forms that
 * tests/abi/vendor/facts.awk lists.  It stands alone: the test library is built from it as well.
 */
#ifndef CUBLASLT_ABI_H
#define CUBLASLT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum cublasStatus {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16,
} cublasStatus_t;

typedef enum cublasComputeType {
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_64F = 70,
	CUBLAS_COMPUTE_32I = 72,
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
} cublasComputeType_t;

typedef enum cublasOperation {
	CUBLAS_OP_N = 0,
	CUBLAS_OP_T = 1,
} cublasOperation_t;

typedef enum cudaDataType_enum {
	CUDA_R_32F = 0,
	CUDA_R_64F = 1,
	CUDA_R_16F = 2,
	CUDA_R_8I = 3,
	CUDA_R_32I = 10,
	CUDA_R_16BF = 14,
	CUDA_R_8F_E4M3 = 28,
	CUDA_R_8F_E5M2 = 29,
} cudaDataType_t;

typedef enum libraryPropertyType_enum {
	MAJOR_VERSION = 0,
	MINOR_VERSION = 1,
	PATCH_LEVEL = 2,
} libraryPropertyType;

typedef struct CUstream_st *cudaStream_t;
typedef struct cublasLtContext *cublasLtHandle_t;
typedef struct cublasLtMatmulDesc *cublasLtMatmulDesc_t;
typedef struct cublasLtMatrixLayout *cublasLtMatrixLayout_t;
typedef struct cublasLtMatmulPreference *cublasLtMatmulPreference_t;

typedef struct cublasLtMatmulAlgo {
	uint64_t data[8];
} cublasLtMatmulAlgo_t;

typedef struct cublasLtMatmulHeuristicResult {
	cublasLtMatmulAlgo_t algo;
	size_t workspaceSize;
	cublasStatus_t state;
	float wavesCount;
	int reserved[4];
} cublasLtMatmulHeuristicResult_t;

typedef enum cublasLtMatmulDescAttributes {
	CUBLASLT_MATMUL_DESC_TRANSA = 3,
	CUBLASLT_MATMUL_DESC_TRANSB = 4,
} cublasLtMatmulDescAttributes_t;

typedef enum cublasLtMatrixLayoutAttribute {
	CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
	CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6,
} cublasLtMatrixLayoutAttribute_t;

typedef enum cublasLtMatmulPreferenceAttributes {
	CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
	CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
	CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
	CUBLASLT_MATMUL_PREF_IMPL_MASK = 12,
} cublasLtMatmulPreferenceAttributes_t;

/* How the parts of a product that was split along k are put together. */
typedef enum cublasLtReductionScheme {
	CUBLASLT_REDUCTION_SCHEME_INPLACE = 1,
	CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
	CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4,
} cublasLtReductionScheme_t;

typedef enum cublasLtMatmulAlgoCapAttributes {
	CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS = 15,
} cublasLtMatmulAlgoCapAttributes_t;

typedef enum cublasLtMatmulAlgoConfigAttributes {
	CUBLASLT_ALGO_CONFIG_ID = 0,
	CUBLASLT_ALGO_CONFIG_TILE_ID = 1,
	CUBLASLT_ALGO_CONFIG_SPLITK_NUM = 2,
	CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME = 3,
	CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING = 4,
	CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION = 5,
	CUBLASLT_ALGO_CONFIG_STAGES_ID = 6,
	CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID = 7,
	CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID = 8,
} cublasLtMatmulAlgoConfigAttributes_t;

/* Of an algorithm: its instruction, where it adds up, what it multiplies. */
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_FMA 0x1
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_HMMA 0x2
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_IMMA 0x4
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_DMMA 0x8
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_TYPE_MASK 0xff
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_16F 0x100
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32F 0x200
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_64F 0x400
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_32I 0x800
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_TYPE_MASK 0xff00
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F 0x10000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF 0x20000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32 0x40000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F 0x80000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_64F 0x100000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8I 0x200000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8F_E4M3 0x400000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_8F_E5M2 0x800000
#define CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_INPUT_TYPE_MASK 0xff0000

#endif

/* The functions: X(field, "name", (arguments)).  A stream is the driver's. */
#define CUBLASLT_FUNCTIONS(X) \
	X(create, "cublasLtCreate", (cublasLtHandle_t *handle)) \
	X(destroy, "cublasLtDestroy", (cublasLtHandle_t handle)) \
	X(property, "cublasLtGetProperty", (libraryPropertyType property, int *value)) \
	X(desc_create, "cublasLtMatmulDescCreate", \
	  (cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, cudaDataType_t scale)) \
	X(desc_destroy, "cublasLtMatmulDescDestroy", (cublasLtMatmulDesc_t desc)) \
	X(desc_set, "cublasLtMatmulDescSetAttribute", \
	  (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, const void *value, \
	   size_t size)) \
	X(layout_create, "cublasLtMatrixLayoutCreate", \
	  (cublasLtMatrixLayout_t *layout, cudaDataType_t type, uint64_t rows, uint64_t columns, \
	   int64_t leading)) \
	X(layout_destroy, "cublasLtMatrixLayoutDestroy", (cublasLtMatrixLayout_t layout)) \
	X(layout_set, "cublasLtMatrixLayoutSetAttribute", \
	  (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, \
	   const void *value, size_t size)) \
	X(preference_create, "cublasLtMatmulPreferenceCreate", \
	  (cublasLtMatmulPreference_t *preference)) \
	X(preference_destroy, "cublasLtMatmulPreferenceDestroy", \
	  (cublasLtMatmulPreference_t preference)) \
	X(preference_set, "cublasLtMatmulPreferenceSetAttribute", \
	  (cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute, \
	   const void *value, size_t size)) \
	X(heuristic, "cublasLtMatmulAlgoGetHeuristic", \
	  (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a, \
	   cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, \
	   cublasLtMatmulPreference_t preference, int room, \
	   cublasLtMatmulHeuristicResult_t *results, int *count)) \
	X(capability, "cublasLtMatmulAlgoCapGetAttribute", \
	  (const cublasLtMatmulAlgo_t *algorithm, cublasLtMatmulAlgoCapAttributes_t attribute, \
	   void *value, size_t size, size_t *written)) \
	X(configuration, "cublasLtMatmulAlgoConfigGetAttribute", \
	  (const cublasLtMatmulAlgo_t *algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute, \
	   void *value, size_t size, size_t *written)) \
	X(matmul, "cublasLtMatmul", \
	  (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, const void *a, \
	   cublasLtMatrixLayout_t a_layout, const void *b, cublasLtMatrixLayout_t b_layout, \
	   const void *beta, const void *c, cublasLtMatrixLayout_t c_layout, void *d, \
	   cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t *algorithm, \
	   void *workspace, size_t workspace_size, cudaStream_t stream))

#endif
