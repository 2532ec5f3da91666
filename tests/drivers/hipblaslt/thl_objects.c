/* SPDX-License-Identifier: Apache-2.0 */
/* Handles, descriptions, layouts and preferences. */
#include <stdlib.h>
#include <string.h>

#include "thl_state.h"

bool thl_is(const void *object, thl_kind kind)
{
	return object != NULL && *(const uint32_t *)object == (uint32_t)kind;
}

bool thl_is_here(const void *handle)
{
	int generation;

	return thl_is(handle, THL_HANDLE) &&
	       evenhand_test_device(&generation) == ((const thl_context *)handle)->device;
}

bool thl_word(const char *word, int64_t *code)
{
	static const struct {
		const char *word;
		int code;
	} words[] = {
		{ "oom", HIPBLAS_STATUS_ALLOC_FAILED },      { "lost", HIPBLAS_STATUS_EXECUTION_FAILED },
		{ "invalid", HIPBLAS_STATUS_INVALID_VALUE }, { "notready", HIPBLAS_STATUS_NOT_INITIALIZED },
		{ "unknown", HIPBLAS_STATUS_UNKNOWN },       { "unsupported", HIPBLAS_STATUS_NOT_SUPPORTED },
		{ "wrong", THL_WRONG },                      { "stale", THL_STALE },
		{ "narrow", THL_NARROW },                    { "none", THL_NONE },
		{ "refused", THL_REFUSED },                  { "old", THL_OLD },
		{ "untold", THL_UNTOLD },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0) {
			*code = words[i].code;
			return true;
		}
	return false;
}

product_type thl_type(hipDataType type)
{
	switch (type) {
	case HIP_R_32F:
		return PRODUCT_F32;
	case HIP_R_32I:
		return PRODUCT_I32;
	case HIP_R_16F:
		return PRODUCT_F16;
	case HIP_R_16BF:
		return PRODUCT_BF16;
	case HIP_R_8I:
		return PRODUCT_I8;
	case HIP_R_8F_E4M3:
		return PRODUCT_E4M3;
	case HIP_R_8F_E5M2:
		return PRODUCT_E5M2;
	case HIP_R_8F_E4M3_FNUZ:
		return PRODUCT_E4M3Z;
	case HIP_R_8F_E5M2_FNUZ:
		return PRODUCT_E5M2Z;
	case HIP_R_64F:
		break;
	}
	return PRODUCT_NONE;
}

static product_matrix matrix_of(const struct hipblasLtMatrixLayoutOpaque *x, int32_t turn)
{
	return (product_matrix){ thl_type(x->type), x->rows, x->columns, x->leading, x->offset, x->batch,
		                 turn == HIPBLAS_OP_T, 0 };
}

bool thl_product(const struct hipblasLtMatmulDescOpaque *desc, const struct hipblasLtMatrixLayoutOpaque *a,
                 const struct hipblasLtMatrixLayoutOpaque *b, const struct hipblasLtMatrixLayoutOpaque *d,
                 product *p)
{
	*p = (product){ .a = matrix_of(a, desc->turn_a), .b = matrix_of(b, desc->turn_b),
		        .d = matrix_of(d, HIPBLAS_OP_N) };
	return product_sizes(p);
}

static void *new_object(size_t size, thl_kind kind)
{
	void *object = calloc(1, size);

	if (object == NULL)
		abort();
	*(uint32_t *)object = (uint32_t)kind;
	evenhand_test_objects(1);
	return object;
}

static hipblasStatus_t end_object(void *object, thl_kind kind)
{
	if (!thl_is(object, kind))
		return HIPBLAS_STATUS_INVALID_VALUE;
	*(uint32_t *)object = 0;
	free(object);
	evenhand_test_objects(-1);
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtCreate(hipblasLtHandle_t *handle)
{
	thl_context *context;
	int device, generation = 0;
	THL_ENTER("hipblasLtCreate");

	device = evenhand_test_device(&generation);
	if (device < 0)
		return HIPBLAS_STATUS_NOT_INITIALIZED;
	context = new_object(sizeof(*context), THL_HANDLE);
	context->device = device;
	context->generation = generation;
	*handle = context;
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtDestroy(hipblasLtHandle_t handle)
{
	THL_ENTER("hipblasLtDestroy");

	if (!thl_is_here(handle))
		return HIPBLAS_STATUS_NOT_INITIALIZED;
	return end_object(handle, THL_HANDLE);
}

THL_API hipblasLtGetVersion(hipblasLtHandle_t handle, int *version)
{
	THL_ENTER("hipblasLtGetVersion");

	if (!thl_is(handle, THL_HANDLE))
		return HIPBLAS_STATUS_NOT_INITIALIZED;
	*version = planned_ == THL_OLD ? 500 : 100102;
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtGetGitRevision(hipblasLtHandle_t handle, char *revision)
{
	THL_ENTER("hipblasLtGetGitRevision");

	if (!thl_is(handle, THL_HANDLE))
		return HIPBLAS_STATUS_NOT_INITIALIZED;
	strcpy(revision, planned_ == THL_UNTOLD ? "" : "7e57ab1e");
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtMatmulDescCreate(hipblasLtMatmulDesc_t *desc, hipblasComputeType_t compute, hipDataType scale)
{
	THL_ENTER("hipblasLtMatmulDescCreate");

	if (scale != (compute == HIPBLAS_COMPUTE_32I ? HIP_R_32I : HIP_R_32F))
		return HIPBLAS_STATUS_INVALID_VALUE;
	*desc = new_object(sizeof(**desc), THL_DESC);
	(*desc)->compute = compute;
	(*desc)->scale = scale;
	(*desc)->turn_a = (*desc)->turn_b = HIPBLAS_OP_N;
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtMatmulDescDestroy(hipblasLtMatmulDesc_t desc)
{
	THL_ENTER("hipblasLtMatmulDescDestroy");
	return end_object(desc, THL_DESC);
}

THL_API hipblasLtMatmulDescSetAttribute(hipblasLtMatmulDesc_t desc, hipblasLtMatmulDescAttributes_t attribute,
                                        const void *value, size_t size)
{
	int32_t turn;
	THL_ENTER("hipblasLtMatmulDescSetAttribute");

	if (!thl_is(desc, THL_DESC) || value == NULL || size != sizeof(turn))
		return HIPBLAS_STATUS_INVALID_VALUE;
	memcpy(&turn, value, sizeof(turn));
	if (turn != HIPBLAS_OP_N && turn != HIPBLAS_OP_T)
		return HIPBLAS_STATUS_INVALID_VALUE;
	if (attribute == HIPBLASLT_MATMUL_DESC_TRANSA)
		desc->turn_a = turn;
	else if (attribute == HIPBLASLT_MATMUL_DESC_TRANSB)
		desc->turn_b = turn;
	else
		return HIPBLAS_STATUS_INVALID_VALUE;
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtMatrixLayoutCreate(hipblasLtMatrixLayout_t *layout, hipDataType type, uint64_t rows,
                                    uint64_t columns, int64_t leading)
{
	THL_ENTER("hipblasLtMatrixLayoutCreate");

	if (rows == 0 || columns == 0 || leading < (int64_t)rows || thl_type(type) == PRODUCT_NONE)
		return HIPBLAS_STATUS_INVALID_VALUE;
	*layout = new_object(sizeof(**layout), THL_LAYOUT);
	(*layout)->type = type;
	(*layout)->rows = rows;
	(*layout)->columns = columns;
	(*layout)->leading = leading;
	(*layout)->batch = 1;
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtMatrixLayoutDestroy(hipblasLtMatrixLayout_t layout)
{
	THL_ENTER("hipblasLtMatrixLayoutDestroy");
	return end_object(layout, THL_LAYOUT);
}

THL_API hipblasLtMatrixLayoutSetAttribute(hipblasLtMatrixLayout_t layout,
                                          hipblasLtMatrixLayoutAttribute_t attribute, const void *value,
                                          size_t size)
{
	THL_ENTER("hipblasLtMatrixLayoutSetAttribute");

	if (!thl_is(layout, THL_LAYOUT) || value == NULL)
		return HIPBLAS_STATUS_INVALID_VALUE;
	if (attribute == HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT && size == sizeof(layout->batch))
		memcpy(&layout->batch, value, size);
	else if (attribute == HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && size == sizeof(layout->offset))
		memcpy(&layout->offset, value, size);
	else
		return HIPBLAS_STATUS_INVALID_VALUE;
	return layout->batch > 0 ? HIPBLAS_STATUS_SUCCESS : HIPBLAS_STATUS_INVALID_VALUE;
}

THL_API hipblasLtMatmulPreferenceCreate(hipblasLtMatmulPreference_t *preference)
{
	THL_ENTER("hipblasLtMatmulPreferenceCreate");

	*preference = new_object(sizeof(**preference), THL_PREFERENCE);
	return HIPBLAS_STATUS_SUCCESS;
}

THL_API hipblasLtMatmulPreferenceDestroy(hipblasLtMatmulPreference_t preference)
{
	THL_ENTER("hipblasLtMatmulPreferenceDestroy");
	return end_object(preference, THL_PREFERENCE);
}

THL_API hipblasLtMatmulPreferenceSetAttribute(hipblasLtMatmulPreference_t preference,
                                              hipblasLtMatmulPreferenceAttributes_t attribute,
                                              const void *value, size_t size)
{
	THL_ENTER("hipblasLtMatmulPreferenceSetAttribute");

	if (!thl_is(preference, THL_PREFERENCE) || value == NULL || size != sizeof(preference->workspace) ||
	    attribute != HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
		return HIPBLAS_STATUS_INVALID_VALUE;
	memcpy(&preference->workspace, value, size);
	return HIPBLAS_STATUS_SUCCESS;
}
