/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library named librocblas.so.N that makes right products in the memory and the streams of the test
 * runtime.  It is strict where the real one is undefined: the device, the stream that a handle had before,
 * and a workspace of the library's own are checked.  EVENHAND_TEST_FAULT knows its functions, with these
 * words besides statuses:
 *
 *   rocblas_gemm_strided_batched_ex=wrong   one element has a wrong bit
 *   rocblas_gemm_strided_batched_ex=stale   it says that it ran, and does nothing
 *   rocblas_gemm_strided_batched_ex=narrow  factors of f32 are multiplied as xf32
 *   rocblas_get_version_string=untold       an empty text
 */
#include <stdlib.h>
#include <string.h>

#include "../../../backends/hip/rocblas_abi.h"
#include "../products/products.h"
#include "../shared/faults.h"
#include "../shared/library.h"

#define TRB_VISIBLE __attribute__((visibility("default")))
#define TRB_API TRB_VISIBLE rocblas_status

/* Each has the type by which the backend calls it. */
#define X(field, names, arguments) typedef rocblas_status trb_##field arguments;
ROCBLAS_FUNCTIONS(X)
#undef X
TRB_VISIBLE trb_create rocblas_create_handle;
TRB_VISIBLE trb_destroy rocblas_destroy_handle;
TRB_VISIBLE trb_version rocblas_get_version_string;
TRB_VISIBLE trb_set_stream rocblas_set_stream;
TRB_VISIBLE trb_set_workspace rocblas_set_workspace;
TRB_VISIBLE trb_begin_query rocblas_start_device_memory_size_query;
TRB_VISIBLE trb_end_query rocblas_stop_device_memory_size_query;
TRB_VISIBLE trb_gemm rocblas_gemm_strided_batched_ex;

enum { KIND = 0x7e57c001, WORKSPACE = 8192, GRANULE = 256, TRB_WRONG = -1, TRB_STALE = -2, TRB_NARROW = -3,
       TRB_UNTOLD = -4 };

struct _rocblas_handle {
	uint32_t kind;
	int device;
	hipStream_t stream;
	void *workspace;    /* the user's; NULL = the library's own                            */
	size_t bytes, asked;
	bool query;
};

static bool word(const char *text, int64_t *code)
{
	static const struct {
		const char *text;
		int code;
	} words[] = {
		{ "oom", rocblas_status_memory_error },      { "lost", rocblas_status_internal_error },
		{ "invalid", rocblas_status_invalid_value }, { "notready", rocblas_status_invalid_handle },
		{ "unknown", rocblas_status_internal_error }, { "unsupported", rocblas_status_not_implemented },
		{ "wrong", TRB_WRONG },                      { "stale", TRB_STALE },
		{ "narrow", TRB_NARROW },                    { "untold", TRB_UNTOLD },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].text, text) == 0) {
			*code = words[i].code;
			return true;
		}
	return false;
}

/* Counts the call, and makes a planned one fail. */
#define TRB_ENTER(name)                                       \
	int64_t planned_ = 0;                                 \
	if (faults_call(name, word, &planned_) && planned_ >= 0) \
		return (rocblas_status)planned_

static bool is_here(rocblas_handle handle)
{
	int generation;

	return handle != NULL && handle->kind == KIND && evenhand_test_device(&generation) == handle->device;
}

TRB_API rocblas_create_handle(rocblas_handle *handle)
{
	int device, generation;
	TRB_ENTER("rocblas_create_handle");

	device = evenhand_test_device(&generation);
	if (device < 0)
		return rocblas_status_internal_error;
	*handle = calloc(1, sizeof(**handle));
	if (*handle == NULL)
		abort();
	(*handle)->kind = KIND;
	(*handle)->device = device;
	evenhand_test_objects(1);
	return rocblas_status_success;
}

TRB_API rocblas_destroy_handle(rocblas_handle handle)
{
	TRB_ENTER("rocblas_destroy_handle");

	if (!is_here(handle))
		return rocblas_status_invalid_handle;
	handle->kind = 0;
	free(handle);
	evenhand_test_objects(-1);
	return rocblas_status_success;
}

TRB_API rocblas_get_version_string(char *text, size_t size)
{
	static const char version[] = "5.1.2.7e57ab1e";
	TRB_ENTER("rocblas_get_version_string");

	if (size < sizeof(version))
		return rocblas_status_invalid_size;
	strcpy(text, planned_ == TRB_UNTOLD ? "" : version);
	return rocblas_status_success;
}

/* The real one asks the runtime whether the stream that it has now is recorded. */
TRB_API rocblas_set_stream(rocblas_handle handle, hipStream_t stream)
{
	TRB_ENTER("rocblas_set_stream");

	if (!is_here(handle))
		return rocblas_status_invalid_handle;
	if (!evenhand_test_stream(handle->stream))
		return rocblas_status_internal_error;
	if (!evenhand_test_stream(stream))
		return rocblas_status_invalid_value;
	handle->stream = stream;
	return rocblas_status_success;
}

TRB_API rocblas_set_workspace(rocblas_handle handle, void *address, size_t size)
{
	TRB_ENTER("rocblas_set_workspace");

	if (!is_here(handle))
		return rocblas_status_invalid_handle;
	handle->workspace = size > 0 ? address : NULL;
	handle->bytes = handle->workspace != NULL ? size : 0;
	return rocblas_status_success;
}

TRB_API rocblas_start_device_memory_size_query(rocblas_handle handle)
{
	TRB_ENTER("rocblas_start_device_memory_size_query");

	if (!is_here(handle))
		return rocblas_status_invalid_handle;
	if (handle->query)
		return rocblas_status_size_query_mismatch;
	handle->query = true;
	handle->asked = 0;
	return rocblas_status_success;
}

TRB_API rocblas_stop_device_memory_size_query(rocblas_handle handle, size_t *size)
{
	TRB_ENTER("rocblas_stop_device_memory_size_query");

	if (!is_here(handle))
		return rocblas_status_invalid_handle;
	if (!handle->query)
		return rocblas_status_size_query_mismatch;
	handle->query = false;
	*size = handle->asked;
	return rocblas_status_success;
}

static product_type type_of(rocblas_datatype type)
{
	switch (type) {
	case rocblas_datatype_f64_r:
		return PRODUCT_F64;
	case rocblas_datatype_f32_r:
		return PRODUCT_F32;
	case rocblas_datatype_f16_r:
		return PRODUCT_F16;
	case rocblas_datatype_bf16_r:
		return PRODUCT_BF16;
	case rocblas_datatype_i8_r:
		return PRODUCT_I8;
	case rocblas_datatype_i32_r:
		return PRODUCT_I32;
	}
	return PRODUCT_NONE;
}

/* As the documentation of rocblas_gemm_ex lists them. */
static bool has_types(rocblas_datatype a, rocblas_datatype b, rocblas_datatype d, rocblas_datatype compute)
{
	const bool halves = a == rocblas_datatype_f16_r || a == rocblas_datatype_bf16_r;

	if (halves)
		return b == a && (d == a || d == rocblas_datatype_f32_r) && compute == rocblas_datatype_f32_r;
	if (a == rocblas_datatype_i8_r)
		return b == a && d == rocblas_datatype_i32_r && compute == d;
	return (a == rocblas_datatype_f32_r || a == rocblas_datatype_f64_r) && b == a && d == a && compute == a;
}

static product_matrix matrix_of(rocblas_datatype type, rocblas_operation turn, rocblas_int rows,
                                rocblas_int columns, rocblas_int leading, rocblas_stride stride,
                                rocblas_int batch, const void *at)
{
	const bool turned = turn == rocblas_operation_transpose;

	return (product_matrix){ type_of(type), (uint64_t)(turned ? columns : rows),
		                 (uint64_t)(turned ? rows : columns), leading, stride, batch, turned,
		                 (uintptr_t)at };
}

/* Halves take a workspace where there is room for it. */
TRB_API rocblas_gemm_strided_batched_ex(
	rocblas_handle handle, rocblas_operation turn_a, rocblas_operation turn_b, rocblas_int m, rocblas_int n,
	rocblas_int k, const void *alpha, const void *a, rocblas_datatype a_type, rocblas_int lda,
	rocblas_stride stride_a, const void *b, rocblas_datatype b_type, rocblas_int ldb, rocblas_stride stride_b,
	const void *beta, const void *c, rocblas_datatype c_type, rocblas_int ldc, rocblas_stride stride_c, void *d,
	rocblas_datatype d_type, rocblas_int ldd, rocblas_stride stride_d, rocblas_int batch,
	rocblas_datatype compute, rocblas_gemm_algo algorithm, int32_t solution, uint32_t flags)
{
	const size_t need = compute == rocblas_datatype_f32_r && a_type != compute ? WORKSPACE : 0;
	product p;
	TRB_ENTER("rocblas_gemm_strided_batched_ex");

	if (!is_here(handle))
		return rocblas_status_invalid_handle;
	if (c_type != d_type || !has_types(a_type, b_type, d_type, compute))
		return rocblas_status_not_implemented;
	if (handle->query) {
		handle->asked = need > handle->asked ? need : handle->asked;
		return need > 0 ? rocblas_status_size_increased : rocblas_status_size_unchanged;
	}
	if (handle->workspace == NULL) /* it would allocate one */
		return rocblas_status_memory_error;
	p = (product){ .a = matrix_of(a_type, turn_a, m, k, lda, stride_a, batch, a),
		       .b = matrix_of(b_type, turn_b, k, n, ldb, stride_b, batch, b),
		       .d = matrix_of(d_type, rocblas_operation_none, m, n, ldd, stride_d, batch, d),
		       .at_c = (uintptr_t)c };
	if (!product_sizes(&p) || ldc != ldd || stride_c != stride_d || algorithm != rocblas_gemm_algo_standard ||
	    solution != 0 || flags != rocblas_gemm_flags_none)
		return rocblas_status_invalid_value;
	p.alpha = product_get(alpha, type_of(compute), 0);
	p.beta = product_get(beta, type_of(compute), 0);
	p.workspace = (uintptr_t)handle->workspace;
	p.workspace_bytes = handle->bytes / GRANULE * GRANULE >= need ? need : 0;
	p.tf32 = planned_ == TRB_NARROW;
	p.wrong = planned_ == TRB_WRONG;
	if (planned_ == TRB_STALE)
		return rocblas_status_success;
	return product_enqueue(handle->stream, &p) == 0 ? rocblas_status_success : rocblas_status_internal_error;
}
