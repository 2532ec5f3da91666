/* SPDX-License-Identifier: Apache-2.0 */
/* Which algorithms a product has.  The list begins with some that must not be taken. */
#include <string.h>

#include "tlt_state.h"

#define INPUT(type) CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_##type
#define ACCUMULATOR(type) CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_##type
#define BY(instruction) CUBLASLT_NUMERICAL_IMPL_FLAGS_##instruction

enum { WORKSPACE = 8192, MANY = 16, LARGE = 128 /* columns of D */ };

static bool is_float_8(cudaDataType_t type)
{
	return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

/* As the documentation of cublasLtMatmul lists them. */
static bool has_types(const struct cublasLtMatmulDesc *desc, cudaDataType_t a, cudaDataType_t b,
                      cudaDataType_t d)
{
	switch (desc->compute) {
	case CUBLAS_COMPUTE_64F:
		return a == CUDA_R_64F && b == a && d == a;
	case CUBLAS_COMPUTE_32I:
		return a == CUDA_R_8I && b == a && d == CUDA_R_32I;
	case CUBLAS_COMPUTE_32F_FAST_TF32:
		return a == CUDA_R_32F && b == a && d == a;
	default:
		if (is_float_8(a) || is_float_8(b))
			return is_float_8(a) && is_float_8(b) && (a == CUDA_R_8F_E4M3 || b == CUDA_R_8F_E4M3) &&
			       (d == CUDA_R_16BF || d == CUDA_R_16F || d == CUDA_R_32F);
		return a == b && (a == CUDA_R_32F || a == CUDA_R_16F || a == CUDA_R_16BF) &&
		       (d == a || d == CUDA_R_32F);
	}
}

static bool has_layout(const struct cublasLtContext *handle, const struct cublasLtMatmulDesc *desc,
                       const struct cublasLtMatrixLayout *const matrices[3])
{
	const bool floats = is_float_8(matrices[0]->type), whole = matrices[0]->type == CUDA_R_8I;

	const bool any = handle->compute >= 100 && (handle->compute < 120 || handle->compute >= 130);

	if (floats && (handle->compute < 89 ||
	               (!any && (desc->turn_a != CUBLAS_OP_T || desc->turn_b != CUBLAS_OP_N))))
		return false;
	for (int i = 0; i < 3; i++) {
		const uint64_t leading = (uint64_t)matrices[i]->leading * product_bytes(tlt_type(matrices[i]->type));

		if ((floats && leading % 16 != 0) || (whole && leading % 4 != 0))
			return false;
	}
	return true;
}

/* On an H100 cuBLASLt 13.1 tells of all its products of 16 bits and of 8-bit floats that their inputs are
 * f16, and of those in tf32 that they are made by FMA. */
static uint64_t as_hopper_tells(uint64_t flags)
{
	const uint64_t narrow = INPUT(16BF) | INPUT(8F_E4M3) | INPUT(8F_E5M2);

	if ((flags & narrow) != 0)
		return (flags & ~narrow) | INPUT(16F);
	return (flags & INPUT(TF32)) != 0 ? (flags & ~(uint64_t)BY(HMMA)) | BY(FMA) : flags;
}

static uint64_t flags_of(const struct cublasLtMatmulDesc *desc, cudaDataType_t a, cudaDataType_t b)
{
	static const struct {
		cudaDataType_t type;
		uint64_t flags;
	} inputs[] = {
		{ CUDA_R_64F, INPUT(64F) | BY(DMMA) },  { CUDA_R_32F, INPUT(32F) | BY(FMA) },
		{ CUDA_R_16F, INPUT(16F) | BY(HMMA) },  { CUDA_R_16BF, INPUT(16BF) | BY(HMMA) },
		{ CUDA_R_8I, INPUT(8I) | BY(IMMA) },    { CUDA_R_8F_E4M3, INPUT(8F_E4M3) | BY(HMMA) },
		{ CUDA_R_8F_E5M2, INPUT(8F_E5M2) | BY(HMMA) },
	};
	const uint64_t accumulator = desc->compute == CUBLAS_COMPUTE_64F   ? ACCUMULATOR(64F)
	                             : desc->compute == CUBLAS_COMPUTE_32I ? ACCUMULATOR(32I)
	                                                                   : ACCUMULATOR(32F);
	uint64_t flags = accumulator;

	if (desc->compute == CUBLAS_COMPUTE_32F_FAST_TF32)
		return INPUT(TF32) | accumulator | BY(HMMA);
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++)
		if (inputs[i].type == a || inputs[i].type == b)
			flags |= inputs[i].flags;
	return flags;
}

/* The same with a narrower input or accumulator: nothing that was asked for. */
static uint64_t narrow(uint64_t flags)
{
	if ((flags & (INPUT(16F) | INPUT(16BF) | INPUT(8F_E4M3) | INPUT(8F_E5M2))) != 0)
		return (flags & ~(uint64_t)CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_TYPE_MASK) |
		       ACCUMULATOR(16F);
	return BY(HMMA) | ACCUMULATOR(32F) | (flags & INPUT(32F) ? INPUT(TF32) : INPUT(16F));
}

/* Writes up to `room` and counts them. */
static void offer(cublasLtMatmulHeuristicResult_t *results, int room, int *count,
                  const tlt_algorithm *algorithm, cublasStatus_t state)
{
	cublasLtMatmulHeuristicResult_t *r = &results[*count];

	if (*count == room)
		return;
	memset(r, 0, sizeof(*r));
	memcpy(&r->algo, algorithm, sizeof(r->algo));
	r->workspaceSize = algorithm->workspace;
	r->state = state;
	r->wavesCount = 0.25f;
	(*count)++;
}

static void offer_all(int compute, const struct cublasLtMatmulDesc *desc, const struct cublasLtMatrixLayout *a,
                      const struct cublasLtMatrixLayout *b, const struct cublasLtMatrixLayout *d,
                      const struct cublasLtMatmulPreference *p, int64_t planned,
                      cublasLtMatmulHeuristicResult_t *results, int room, int *count)
{
	const uint64_t meant = flags_of(desc, a->type, b->type);
	const uint64_t flags = compute >= 90 && compute < 100 ? as_hopper_tells(meant) : meant;
	const uint32_t in_d = CUBLASLT_REDUCTION_SCHEME_INPLACE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;
	tlt_algorithm x = { .kind = TLT_ALGORITHM, .id = 7, .tile = 11, .stages = 8, .split = 1,
		            .flags = flags, .alignment = 1 };
	bool strict = true;

	offer(results, room, count, &x, CUBLAS_STATUS_NOT_SUPPORTED);
	x.id = 13;
	x.flags = planned == TLT_BOTH ? flags | narrow(flags) : narrow(flags);
	offer(results, room, count, &x, CUBLAS_STATUS_SUCCESS);
	if (planned == TLT_NARROW || planned == TLT_BOTH)
		return;
	x.id = 14;
	for (int i = 0; i < MANY && (x.flags & ~p->kinds) == 0; i++)
		offer(results, room, count, &x, CUBLAS_STATUS_SUCCESS);
	x.flags = flags;
	for (int i = 0; i < 4; i++)
		strict = strict && p->alignment[i] >= 256;
	if (strict) {
		x.id = 17;
		x.alignment = 256;
		offer(results, room, count, &x, CUBLAS_STATUS_SUCCESS);
	}
	x = (tlt_algorithm){ .kind = TLT_ALGORITHM, .id = 19, .tile = 20, .stages = 14, .split = 2,
		             .workspace = WORKSPACE, .flags = flags, .alignment = 16,
		             .reduction = p->reduction & in_d, .swizzling = 1, .option = 3, .inner = 4,
		             .cluster = 5 };
	if (p->workspace >= WORKSPACE && product_bytes(tlt_type(d->type)) < product_bytes(tlt_type(desc->scale)) && x.reduction != 0)
		offer(results, room, count, &x, CUBLAS_STATUS_SUCCESS);
	x.id = 21;
	x.reduction = p->reduction & CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
	if (p->workspace >= WORKSPACE && x.reduction != 0)
		offer(results, room, count, &x, CUBLAS_STATUS_SUCCESS);
	x = (tlt_algorithm){ .kind = TLT_ALGORITHM, .id = 24, .tile = 15, .stages = 8, .split = 1,
		             .flags = flags, .alignment = 16, .cluster = d->columns >= LARGE ? 3 : 0 };
	offer(results, room, count, &x, CUBLAS_STATUS_SUCCESS);
}

TLT_API cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       cublasLtMatmulPreference_t preference, int room,
                                       cublasLtMatmulHeuristicResult_t *results, int *count)
{
	product sizes;
	int compute;
	TLT_ENTER("cublasLtMatmulAlgoGetHeuristic");

	if (!tlt_is(handle, TLT_HANDLE) || evenhand_test_device(&compute) != handle->device)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	if (!tlt_is(desc, TLT_DESC) || !tlt_is(a, TLT_LAYOUT) || !tlt_is(b, TLT_LAYOUT) ||
	    !tlt_is(c, TLT_LAYOUT) || !tlt_is(d, TLT_LAYOUT) || !tlt_is(preference, TLT_PREFERENCE) ||
	    room <= 0 || results == NULL || count == NULL || !tlt_product(desc, a, b, d, &sizes))
		return CUBLAS_STATUS_INVALID_VALUE;
	*count = 0;
	if (!has_types(desc, a->type, b->type, d->type) || c->type != d->type ||
	    !has_layout(handle, desc, (const struct cublasLtMatrixLayout *const[]){ a, b, d }))
		return CUBLAS_STATUS_NOT_SUPPORTED;
	if (planned_ != TLT_NONE)
		offer_all(handle->compute, desc, a, b, d, preference, planned_, results, room, count);
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
                                          cublasLtMatmulAlgoCapAttributes_t attribute, void *value,
                                          size_t size, size_t *written)
{
	const tlt_algorithm *x = (const void *)algorithm;
	TLT_ENTER("cublasLtMatmulAlgoCapGetAttribute");

	if (x->kind != TLT_ALGORITHM || attribute != CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS ||
	    size != sizeof(x->flags))
		return CUBLAS_STATUS_INVALID_VALUE;
	memset(value, 0, size);
	if (planned_ != TLT_UNTOLD)
		memcpy(value, &x->flags, size);
	if (written != NULL)
		*written = size;
	return CUBLAS_STATUS_SUCCESS;
}

TLT_API cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
                                             cublasLtMatmulAlgoConfigAttributes_t attribute,
                                             void *value, size_t size, size_t *written)
{
	const tlt_algorithm *x = (const void *)algorithm;
	const void *from = NULL;
	size_t bytes = 0;
	TLT_ENTER("cublasLtMatmulAlgoConfigGetAttribute");

	switch (attribute) {
#define FACT(name, member) case CUBLASLT_ALGO_CONFIG_##name: from = &x->member; bytes = sizeof(x->member); break
	FACT(ID, id);
	FACT(TILE_ID, tile);
	FACT(STAGES_ID, stages);
	FACT(SPLITK_NUM, split);
	FACT(REDUCTION_SCHEME, reduction);
	FACT(CTA_SWIZZLING, swizzling);
	FACT(CUSTOM_OPTION, option);
	FACT(INNER_SHAPE_ID, inner);
	FACT(CLUSTER_SHAPE_ID, cluster);
#undef FACT
	}
	if (x->kind != TLT_ALGORITHM || from == NULL || size != bytes)
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(value, from, size);
	if (written != NULL)
		*written = size;
	return CUBLAS_STATUS_SUCCESS;
}
