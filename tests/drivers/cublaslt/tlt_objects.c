/* SPDX-License-Identifier: Apache-2.0 */
/* Handles, descriptions, layouts and preferences. */
#include <stdlib.h>
#include <string.h>

#include "tlt_state.h"

bool tlt_is(const void *object, tlt_kind kind)
{
	return object != NULL && *(const uint32_t *)object == (uint32_t)kind;
}

bool tlt_word(const char *word, int64_t *code)
{
	static const struct {
		const char *word;
		int code;
	} words[] = {
		{ "oom", CUBLAS_STATUS_ALLOC_FAILED },     { "lost", CUBLAS_STATUS_EXECUTION_FAILED },
		{ "invalid", CUBLAS_STATUS_INVALID_VALUE }, { "notready", CUBLAS_STATUS_NOT_INITIALIZED },
		{ "unknown", CUBLAS_STATUS_INTERNAL_ERROR }, { "unsupported", CUBLAS_STATUS_NOT_SUPPORTED },
		{ "wrong", TLT_WRONG },                     { "stale", TLT_STALE },
		{ "none", TLT_NONE },                       { "narrow", TLT_NARROW },
		{ "both", TLT_BOTH },                       { "untold", TLT_UNTOLD },
		{ "old", TLT_OLD },                         { "tf32", TLT_TF32 },
		{ "flush", TLT_FLUSH },                     { "short", TLT_SHORT },
		{ "half", TLT_HALF },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0) {
			*code = words[i].code;
			return true;
		}
	return false;
}

product_type tlt_type(cudaDataType_t type)
{
	switch (type) {
	case CUDA_R_64F:
		return PRODUCT_F64;
	case CUDA_R_32F:
		return PRODUCT_F32;
	case CUDA_R_32I:
		return PRODUCT_I32;
	case CUDA_R_16F:
		return PRODUCT_F16;
	case CUDA_R_16BF:
		return PRODUCT_BF16;
	case CUDA_R_8I:
		return PRODUCT_I8;
	case CUDA_R_8F_E4M3:
		return PRODUCT_E4M3;
	case CUDA_R_8F_E5M2:
		return PRODUCT_E5M2;
	}
	return PRODUCT_NONE;
}

static product_matrix matrix_of(const struct cublasLtMatrixLayout *x, int32_t turn)
{
	return (product_matrix){ tlt_type(x->type), x->rows, x->columns, x->leading, x->offset, x->batch,
		                 turn == CUBLAS_OP_T, 0 };
}

bool tlt_product(const struct cublasLtMatmulDesc *desc, const struct cublasLtMatrixLayout *a,
                 const struct cublasLtMatrixLayout *b, const struct cublasLtMatrixLayout *d, product *p)
{
	*p = (product){ .a = matrix_of(a, desc->turn_a), .b = matrix_of(b, desc->turn_b),
		        .d = matrix_of(d, CUBLAS_OP_N) };
	return product_sizes(p);
}

static void *new_object(size_t size, tlt_kind kind)
{
	void *object = calloc(1, size);

	if (object == NULL)
		abort();
	*(uint32_t *)object = (uint32_t)kind;
	evenhand_test_objects(1);
	return object;
}

static cublasStatus_t end_object(void *object, tlt_kind kind, cublasStatus_t otherwise)
{
	if (!tlt_is(object, kind))
		return otherwise;
	*(uint32_t *)object = 0;
	free(object);
	evenhand_test_objects(-1);
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtGetProperty(libraryPropertyType property, int *value)
{
	static const int version[] = { 12, 9, 1 }, old[] = { 11, 10, 3 };
	TLT_ENTER("cublasLtGetProperty");

	if (value == NULL || (unsigned)property > PATCH_LEVEL)
		return CUBLAS_STATUS_INVALID_VALUE;
	*value = planned_ == TLT_OLD ? old[property] : version[property];
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtCreate(cublasLtHandle_t *handle)
{
	int device, compute = 0;
	TLT_ENTER("cublasLtCreate");

	device = evenhand_test_device(&compute);
	if (device < 0)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	*handle = new_object(sizeof(**handle), TLT_HANDLE);
	(*handle)->device = device;
	(*handle)->compute = compute;
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtDestroy(cublasLtHandle_t handle)
{
	int compute;
	TLT_ENTER("cublasLtDestroy");

	/* The context must still be there. */
	if (tlt_is(handle, TLT_HANDLE) && evenhand_test_device(&compute) != handle->device)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	return end_object(handle, TLT_HANDLE, CUBLAS_STATUS_NOT_INITIALIZED);
}

TLT_API cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *desc, cublasComputeType_t compute,
                                 cudaDataType_t scale)
{
	const cudaDataType_t right = compute == CUBLAS_COMPUTE_64F   ? CUDA_R_64F
	                             : compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I
	                                                             : CUDA_R_32F;
	TLT_ENTER("cublasLtMatmulDescCreate");

	if (scale != right)
		return CUBLAS_STATUS_INVALID_VALUE;
	*desc = new_object(sizeof(**desc), TLT_DESC);
	(*desc)->compute = compute;
	(*desc)->scale = scale;
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t desc)
{
	TLT_ENTER("cublasLtMatmulDescDestroy");
	return end_object(desc, TLT_DESC, CUBLAS_STATUS_INVALID_VALUE);
}

TLT_API cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                       cublasLtMatmulDescAttributes_t attribute, const void *value,
                                       size_t size)
{
	int32_t turn;
	TLT_ENTER("cublasLtMatmulDescSetAttribute");

	if (!tlt_is(desc, TLT_DESC) || value == NULL || size != sizeof(turn))
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(&turn, value, sizeof(turn));
	if (turn != CUBLAS_OP_N && turn != CUBLAS_OP_T)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (attribute == CUBLASLT_MATMUL_DESC_TRANSA)
		desc->turn_a = turn;
	else if (attribute == CUBLASLT_MATMUL_DESC_TRANSB)
		desc->turn_b = turn;
	else
		return CUBLAS_STATUS_INVALID_VALUE;
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType_t type, uint64_t rows,
                                   uint64_t columns, int64_t leading)
{
	TLT_ENTER("cublasLtMatrixLayoutCreate");

	if (rows == 0 || columns == 0 || leading < (int64_t)rows || tlt_type(type) == PRODUCT_NONE)
		return CUBLAS_STATUS_INVALID_VALUE;
	*layout = new_object(sizeof(**layout), TLT_LAYOUT);
	(*layout)->type = type;
	(*layout)->rows = rows;
	(*layout)->columns = columns;
	(*layout)->leading = leading;
	(*layout)->batch = 1;
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout)
{
	TLT_ENTER("cublasLtMatrixLayoutDestroy");
	return end_object(layout, TLT_LAYOUT, CUBLAS_STATUS_INVALID_VALUE);
}

TLT_API cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                         cublasLtMatrixLayoutAttribute_t attribute, const void *value,
                                         size_t size)
{
	TLT_ENTER("cublasLtMatrixLayoutSetAttribute");

	if (!tlt_is(layout, TLT_LAYOUT) || value == NULL)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && size == sizeof(layout->batch))
		memcpy(&layout->batch, value, size);
	else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && size == sizeof(layout->offset))
		memcpy(&layout->offset, value, size);
	else
		return CUBLAS_STATUS_INVALID_VALUE;
	return layout->batch > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

TLT_API cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference)
{
	TLT_ENTER("cublasLtMatmulPreferenceCreate");

	*preference = new_object(sizeof(**preference), TLT_PREFERENCE);
	(*preference)->reduction = 7;
	(*preference)->kinds = UINT64_MAX;
	for (int i = 0; i < 4; i++)
		(*preference)->alignment[i] = 256;
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference)
{
	TLT_ENTER("cublasLtMatmulPreferenceDestroy");
	return end_object(preference, TLT_PREFERENCE, CUBLAS_STATUS_INVALID_VALUE);
}

TLT_API cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                             cublasLtMatmulPreferenceAttributes_t attribute,
                                             const void *value, size_t size)
{
	void *to = NULL;
	TLT_ENTER("cublasLtMatmulPreferenceSetAttribute");

	if (!tlt_is(preference, TLT_PREFERENCE) || value == NULL)
		return CUBLAS_STATUS_INVALID_VALUE;
	if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES && size == sizeof(uint64_t))
		to = &preference->workspace;
	else if (attribute == CUBLASLT_MATMUL_PREF_IMPL_MASK && size == sizeof(uint64_t))
		to = &preference->kinds;
	else if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK && size == sizeof(uint32_t))
		to = &preference->reduction;
	else if (attribute >= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES &&
	         attribute <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES && size == sizeof(uint32_t))
		to = &preference->alignment[attribute - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES];
	if (to == NULL)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(to, value, size);
	return CUBLAS_STATUS_SUCCESS;
}
