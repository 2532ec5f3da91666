/* SPDX-License-Identifier: Apache-2.0 */
/* Which types cuBLASLt multiplies, and what it asks of products in some of them. */
#include <string.h>

#include "cuda_matmul.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define INPUT(type) CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_##type
#define ACCUMULATOR(type) CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_##type
#define COMPUTE(type) CUBLAS_COMPUTE_##type, "CUBLAS_COMPUTE_" #type

/* With what the library may tell of an algorithm's inputs.  Of its fast kernels for bf16 and 8-bit floats
 * cuBLASLt 13.1 tells INPUT_16F on an H100.  Whether a kernel read them rightly, the numbers show. */
static const struct {
	const char *name;
	cudaDataType_t type;
	uint32_t input;
} elements[] = {
	{ "f64", CUDA_R_64F, INPUT(64F) },         { "f32", CUDA_R_32F, INPUT(32F) },
	{ "tf32", CUDA_R_32F, INPUT(TF32) },       { "f16", CUDA_R_16F, INPUT(16F) },
	{ "i8", CUDA_R_8I, INPUT(8I) },            { "i32", CUDA_R_32I, 0 },
	{ "bf16", CUDA_R_16BF, INPUT(16BF) | INPUT(16F) },
	{ "e4m3", CUDA_R_8F_E4M3, INPUT(8F_E4M3) | INPUT(16F) },
	{ "e5m2", CUDA_R_8F_E5M2, INPUT(8F_E5M2) | INPUT(16F) },
};

/* The types of A and B, those that C may have with them, and where products are added up. */
static const struct {
	const char *a, *b, *c[3], *accumulate;
	cublasComputeType_t compute;
	const char *compute_name;
	cudaDataType_t scale;
	uint32_t accumulators;
} products[] = {
	{ "f64", "f64", { "f64" }, "f64", COMPUTE(64F), CUDA_R_64F, ACCUMULATOR(64F) },
	{ "f32", "f32", { "f32" }, "f32", COMPUTE(32F), CUDA_R_32F, ACCUMULATOR(32F) },
	{ "tf32", "tf32", { "f32" }, "f32", COMPUTE(32F_FAST_TF32), CUDA_R_32F, ACCUMULATOR(32F) },
	{ "f16", "f16", { "f16", "f32" }, "f32", COMPUTE(32F), CUDA_R_32F, ACCUMULATOR(32F) },
	{ "bf16", "bf16", { "bf16", "f32" }, "f32", COMPUTE(32F), CUDA_R_32F, ACCUMULATOR(32F) },
	{ "e4m3", "e4m3", { "bf16", "f16", "f32" }, "f32", COMPUTE(32F), CUDA_R_32F, ACCUMULATOR(32F) },
	{ "e4m3", "e5m2", { "bf16", "f16", "f32" }, "f32", COMPUTE(32F), CUDA_R_32F, ACCUMULATOR(32F) },
	{ "e5m2", "e4m3", { "bf16", "f16", "f32" }, "f32", COMPUTE(32F), CUDA_R_32F, ACCUMULATOR(32F) },
	{ "i8", "i8", { "i32" }, "i32", COMPUTE(32I), CUDA_R_32I, ACCUMULATOR(32I) },
};

static size_t element_of(const char *name)
{
	size_t i = 0;

	while (i < COUNT(elements) && strcmp(elements[i].name, name) != 0)
		i++;
	return i;
}

static bool find(const eh_gemm *g, cuda_matmul_types *types)
{
	const size_t a = element_of(g->type_a), b = element_of(g->type_b), c = element_of(g->type_c);

	for (size_t i = 0; i < COUNT(products); i++)
		for (size_t out = 0; out < COUNT(products[i].c) && products[i].c[out] != NULL; out++) {
			if (!products_types(g, products[i].a, products[i].b, products[i].c[out],
			                    products[i].accumulate))
				continue;
			*types = (cuda_matmul_types){
				.types = { .compute = products[i].compute, .scale = products[i].scale,
				           .a = elements[b].type, .b = elements[a].type,
				           .c = elements[c].type },
				.compute_name = products[i].compute_name, .inputs = elements[a].input | elements[b].input,
				.accumulators = products[i].accumulators };
			return true;
		}
	return false;
}

static bool is_fnuz(const char *type)
{
	return type[0] == 'e' && strchr(type, 'z') != NULL;
}

/* The tensor cores of most devices read 8-bit floats along k alone: all but 10.x and 11.x, and perhaps
 * those that come after 12.x. */
static eh_status check_floats_8(const eh_device *d, const eh_gemm *g, const char *types, eh_error *error)
{
	const bool any_layout = d->compute >= 100 && (d->compute < 120 || d->compute >= 130);

	if (d->compute < 89)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "cuBLASLt has no product of %s on %s, whose "
		                   "compute capability is %d.%d; 8-bit floats begin with 8.9.", types,
		                   d->info.name, d->compute / 10, d->compute % 10);
	if (any_layout || g->flags == EH_GEMM_TRANSPOSE_B)
		return EH_OK;
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "cuBLASLt makes a product of %s on %s, whose "
	                   "compute capability is %d.%d, only with transpose=b, where both factors lie along "
	                   "k.", types, d->info.name, d->compute / 10, d->compute % 10);
}

eh_status cuda_matmul_check(const eh_device *d, const eh_gemm *g, cuda_matmul_types *types, eh_error *error)
{
	char text[48];
	eh_status status;

	products_text(g, text, sizeof(text));
	if (is_fnuz(g->type_a) || is_fnuz(g->type_b))
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "cuBLASLt has no product of %s: its 8-bit "
		                   "floats are e4m3 and e5m2, and those with a z are of other vendors.", text);
	if (strcmp(g->type_a, "e5m2") == 0 && strcmp(g->type_b, "e5m2") == 0)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "cuBLASLt has no product of %s: one of the "
		                   "factors must be e4m3.", text);
	if (!find(g, types))
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "cuBLASLt has no product of %s.", text);
	status = products_fit(g, "cuBLASLt", error);
	if (status == EH_OK)
		status = products_whole(g, "cuBLASLt", error);
	if (status != EH_OK)
		return status;
	return g->type_a[0] == 'e' ? check_floats_8(d, g, text, error) : EH_OK;
}
