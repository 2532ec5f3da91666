/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend calls in hipBLASLt, declared here, so that it is built without ROCm.  Names, values
 * and layouts are those of hipblaslt.h, hipblas-common.h (hipblas.h in ROCm 6.0 and 6.1) and
 * library_types.h of ROCm 6.0 to 7.2; tests/abi/vendor.sh compares each with them, and reads this file in
 * the forms that tests/abi/vendor/facts.awk lists.  It stands alone: the test library is built from it as
 * well.  hipblaslt-ext is an interface for C++ and not used.
 */
#ifndef HIPBLASLT_ABI_H
#define HIPBLASLT_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum hipblasStatus_t {
	HIPBLAS_STATUS_SUCCESS = 0,
	HIPBLAS_STATUS_NOT_INITIALIZED = 1,
	HIPBLAS_STATUS_ALLOC_FAILED = 2,
	HIPBLAS_STATUS_INVALID_VALUE = 3,
	HIPBLAS_STATUS_MAPPING_ERROR = 4,
	HIPBLAS_STATUS_EXECUTION_FAILED = 5,
	HIPBLAS_STATUS_INTERNAL_ERROR = 6,
	HIPBLAS_STATUS_NOT_SUPPORTED = 7,
	HIPBLAS_STATUS_ARCH_MISMATCH = 8,
	HIPBLAS_STATUS_HANDLE_IS_NULLPTR = 9,
	HIPBLAS_STATUS_INVALID_ENUM = 10,
	HIPBLAS_STATUS_UNKNOWN = 11,
} hipblasStatus_t;

typedef enum hipblasComputeType_t {
	HIPBLAS_COMPUTE_32F = 2,
	HIPBLAS_COMPUTE_32F_FAST_TF32 = 6,
	HIPBLAS_COMPUTE_32I = 9,
} hipblasComputeType_t;

typedef enum hipblasOperation_t {
	HIPBLAS_OP_N = 111,
	HIPBLAS_OP_T = 112,
} hipblasOperation_t;

typedef enum hipDataType {
	HIP_R_32F = 0,
	HIP_R_64F = 1,
	HIP_R_16F = 2,
	HIP_R_8I = 3,
	HIP_R_32I = 10,
	HIP_R_16BF = 14,
	HIP_R_8F_E4M3 = 28,
	HIP_R_8F_E5M2 = 29,
	HIP_R_8F_E4M3_FNUZ = 1000,
	HIP_R_8F_E5M2_FNUZ = 1001,
} hipDataType;

typedef struct ihipStream_t *hipStream_t;
typedef void *hipblasLtHandle_t;
typedef struct hipblasLtMatmulDescOpaque *hipblasLtMatmulDesc_t;
typedef struct hipblasLtMatrixLayoutOpaque *hipblasLtMatrixLayout_t;
typedef struct hipblasLtMatmulPreferenceOpaque *hipblasLtMatmulPreference_t;

typedef struct hipblasLtMatmulAlgo {
	uint8_t data[16];
	size_t max_workspace_bytes;
} hipblasLtMatmulAlgo_t;

typedef struct hipblasLtMatmulHeuristicResult {
	hipblasLtMatmulAlgo_t algo;
	size_t workspaceSize;
	hipblasStatus_t state;
	float wavesCount;
	int reserved[4];
} hipblasLtMatmulHeuristicResult_t;

typedef enum hipblasLtMatmulDescAttributes_t {
	HIPBLASLT_MATMUL_DESC_TRANSA = 0,
	HIPBLASLT_MATMUL_DESC_TRANSB = 1,
} hipblasLtMatmulDescAttributes_t;

typedef enum hipblasLtMatrixLayoutAttribute_t {
	HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 0,
	HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 1,
} hipblasLtMatrixLayoutAttribute_t;

typedef enum hipblasLtMatmulPreferenceAttributes_t {
	HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
} hipblasLtMatmulPreferenceAttributes_t;

#endif

/* The functions: X(field, "name", (arguments)). */
#define HIPBLASLT_FUNCTIONS(X) \
	X(create, "hipblasLtCreate", (hipblasLtHandle_t *handle)) \
	X(destroy, "hipblasLtDestroy", (hipblasLtHandle_t handle)) \
	X(version, "hipblasLtGetVersion", (hipblasLtHandle_t handle, int *version)) \
	X(revision, "hipblasLtGetGitRevision", (hipblasLtHandle_t handle, char *revision)) \
	X(desc_create, "hipblasLtMatmulDescCreate", \
	  (hipblasLtMatmulDesc_t *desc, hipblasComputeType_t compute, hipDataType scale)) \
	X(desc_destroy, "hipblasLtMatmulDescDestroy", (hipblasLtMatmulDesc_t desc)) \
	X(desc_set, "hipblasLtMatmulDescSetAttribute", \
	  (hipblasLtMatmulDesc_t desc, hipblasLtMatmulDescAttributes_t attribute, const void *value, \
	   size_t size)) \
	X(layout_create, "hipblasLtMatrixLayoutCreate", \
	  (hipblasLtMatrixLayout_t *layout, hipDataType type, uint64_t rows, uint64_t columns, \
	   int64_t leading)) \
	X(layout_destroy, "hipblasLtMatrixLayoutDestroy", (hipblasLtMatrixLayout_t layout)) \
	X(layout_set, "hipblasLtMatrixLayoutSetAttribute", \
	  (hipblasLtMatrixLayout_t layout, hipblasLtMatrixLayoutAttribute_t attribute, \
	   const void *value, size_t size)) \
	X(preference_create, "hipblasLtMatmulPreferenceCreate", \
	  (hipblasLtMatmulPreference_t *preference)) \
	X(preference_destroy, "hipblasLtMatmulPreferenceDestroy", \
	  (hipblasLtMatmulPreference_t preference)) \
	X(preference_set, "hipblasLtMatmulPreferenceSetAttribute", \
	  (hipblasLtMatmulPreference_t preference, hipblasLtMatmulPreferenceAttributes_t attribute, \
	   const void *value, size_t size)) \
	X(heuristic, "hipblasLtMatmulAlgoGetHeuristic", \
	  (hipblasLtHandle_t handle, hipblasLtMatmulDesc_t desc, hipblasLtMatrixLayout_t a, \
	   hipblasLtMatrixLayout_t b, hipblasLtMatrixLayout_t c, hipblasLtMatrixLayout_t d, \
	   hipblasLtMatmulPreference_t preference, int room, \
	   hipblasLtMatmulHeuristicResult_t *results, int *count)) \
	X(matmul, "hipblasLtMatmul", \
	  (hipblasLtHandle_t handle, hipblasLtMatmulDesc_t desc, const void *alpha, const void *a, \
	   hipblasLtMatrixLayout_t a_layout, const void *b, hipblasLtMatrixLayout_t b_layout, \
	   const void *beta, const void *c, hipblasLtMatrixLayout_t c_layout, void *d, \
	   hipblasLtMatrixLayout_t d_layout, const hipblasLtMatmulAlgo_t *algorithm, \
	   void *workspace, size_t workspace_size, hipStream_t stream))

#endif
