/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend calls in rocBLAS, declared here, so that it is built without ROCm.  Names and values
 * are those of rocblas-types.h, rocblas-auxiliary.h and rocblas-functions.h of ROCm 5.5 to 7.2;
 * tests/abi/vendor.sh compares each with them, and reads this file in the forms that
 * tests/abi/vendor/facts.awk lists.  It stands alone: the test library is built from it as well.
 */
#ifndef ROCBLAS_ABI_H
#define ROCBLAS_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum rocblas_status_ {
	rocblas_status_success = 0,
	rocblas_status_invalid_handle = 1,
	rocblas_status_not_implemented = 2,
	rocblas_status_invalid_pointer = 3,
	rocblas_status_invalid_size = 4,
	rocblas_status_memory_error = 5,
	rocblas_status_internal_error = 6,
	rocblas_status_perf_degraded = 7,
	rocblas_status_size_query_mismatch = 8,
	rocblas_status_size_increased = 9,
	rocblas_status_size_unchanged = 10,
	rocblas_status_invalid_value = 11,
	rocblas_status_continue = 12,
	rocblas_status_check_numerics_fail = 13,
	rocblas_status_excluded_from_build = 14,
	rocblas_status_arch_mismatch = 15,
} rocblas_status;

typedef enum rocblas_operation_ {
	rocblas_operation_none = 111,
	rocblas_operation_transpose = 112,
} rocblas_operation;

typedef enum rocblas_datatype_ {
	rocblas_datatype_f16_r = 150,
	rocblas_datatype_f32_r = 151,
	rocblas_datatype_f64_r = 152,
	rocblas_datatype_i8_r = 160,
	rocblas_datatype_i32_r = 162,
	rocblas_datatype_bf16_r = 168,
} rocblas_datatype;

typedef enum rocblas_gemm_algo_ {
	rocblas_gemm_algo_standard = 0,
} rocblas_gemm_algo;

typedef enum rocblas_gemm_flags_ {
	rocblas_gemm_flags_none = 0,
} rocblas_gemm_flags;

typedef struct ihipStream_t *hipStream_t;
typedef struct _rocblas_handle *rocblas_handle;
typedef int32_t rocblas_int;
typedef int64_t rocblas_stride;

#endif

/* The functions: X(field, "name", (arguments)). */
#define ROCBLAS_FUNCTIONS(X) \
	X(create, "rocblas_create_handle", (rocblas_handle *handle)) \
	X(destroy, "rocblas_destroy_handle", (rocblas_handle handle)) \
	X(version, "rocblas_get_version_string", (char *text, size_t size)) \
	X(set_stream, "rocblas_set_stream", (rocblas_handle handle, hipStream_t stream)) \
	X(set_workspace, "rocblas_set_workspace", (rocblas_handle handle, void *address, size_t size)) \
	X(begin_query, "rocblas_start_device_memory_size_query", (rocblas_handle handle)) \
	X(end_query, "rocblas_stop_device_memory_size_query", (rocblas_handle handle, size_t *size)) \
	X(gemm, "rocblas_gemm_strided_batched_ex", \
	  (rocblas_handle handle, rocblas_operation turn_a, rocblas_operation turn_b, rocblas_int m, \
	   rocblas_int n, rocblas_int k, const void *alpha, const void *a, rocblas_datatype a_type, \
	   rocblas_int lda, rocblas_stride stride_a, const void *b, rocblas_datatype b_type, \
	   rocblas_int ldb, rocblas_stride stride_b, const void *beta, const void *c, \
	   rocblas_datatype c_type, rocblas_int ldc, rocblas_stride stride_c, void *d, \
	   rocblas_datatype d_type, rocblas_int ldd, rocblas_stride stride_d, rocblas_int batch, \
	   rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags))

#endif
