/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithm of a product: the library's own order decides, and what it would make in other types is
 * passed over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_matmul.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum { CANDIDATES = 16, ALIGNMENT = 16 /* bytes, of every operand of eh.gemm.1 */ };

/* ---- what is asked for ------------------------------------------------------------------- */

typedef struct wish {
	cublasLtMatmulPreferenceAttributes_t attribute;
	const void *value;
	size_t size;
} wish;

static cublasStatus_t set_preference(const cublaslt_api *api, cublasLtMatmulPreference_t preference,
                                     const eh_gemm *g, const cuda_matmul_types *types)
{
	static const uint32_t alignment = ALIGNMENT, reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
	const uint64_t limit = g->workspace_limit;
	const uint64_t kinds = CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_TYPE_MASK | types->inputs | types->accumulators;
	const wish wishes[] = {
		{ CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit, sizeof(limit) },
		/* Others would take the places of those that can be used. */
		{ CUBLASLT_MATMUL_PREF_IMPL_MASK, &kinds, sizeof(kinds) },
		/* It takes 256 bytes for granted. */
		{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &alignment, sizeof(alignment) },
		{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &alignment, sizeof(alignment) },
		{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &alignment, sizeof(alignment) },
		{ CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &alignment, sizeof(alignment) },
		/* Last.  Parts along k are added up as all is, and not in the type of C. */
		{ CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reduction, sizeof(reduction) },
	};
	const size_t count = COUNT(wishes) - (strcmp(g->type_c, g->accumulate) == 0);
	cublasStatus_t rc = CUBLAS_STATUS_SUCCESS;

	for (size_t i = 0; i < count && rc == CUBLAS_STATUS_SUCCESS; i++)
		rc = api->preference_set(preference, wishes[i].attribute, wishes[i].value, wishes[i].size);
	return rc;
}

/* These two: a sentence after a space, or "". */
static const char *variable(const eh_gemm *g)
{
	if (strcmp(g->type_a, "tf32") == 0 && getenv("NVIDIA_TF32_OVERRIDE") != NULL)
		return " NVIDIA_TF32_OVERRIDE is set, and can forbid tf32.";
	return "";
}

static const char *advice(const eh_gemm *g)
{
	if (g->type_a[0] == 'e')
		return " 8-bit floats need rows and strides of multiples of 16 elements.";
	if (strcmp(g->type_a, "i8") == 0)
		return " i8 needs rows of multiples of 4 elements, and for tensor cores transpose=b.";
	return variable(g);
}

/* Of the library's own status; with success it offered none. */
static eh_status no_algorithm(const eh_device *d, const eh_gemm *g, cublasStatus_t rc, eh_error *error)
{
	static const char where[] = "cublasLtMatmulAlgoGetHeuristic";
	char text[48], what[320];

	products_text(g, text, sizeof(text));
	snprintf(what, sizeof(what), "cuBLASLt %s offers no algorithm for a product of %s of %llu x %llu x "
	         "%llu on %s", d->self->cublaslt->version, text, (unsigned long long)g->m,
	         (unsigned long long)g->n, (unsigned long long)g->k, d->info.name);
	if (rc == CUBLAS_STATUS_SUCCESS)
		return failure_set(error, EH_E_UNSUPPORTED, where, "%s.%s", what, advice(g));
	return failure_native(error, EH_E_UNSUPPORTED, where, (int64_t)rc, cuda_cublaslt_name(rc),
	                      advice(g) + (advice(g)[0] == ' '), "%s", what);
}

static eh_status ask(const eh_device *d, const eh_gemm *g, const cuda_matmul_types *types,
                     const cuda_matmul *m, cublasLtMatmulHeuristicResult_t results[CANDIDATES],
                     int *count, eh_error *error)
{
	const cublaslt_api *api = &d->self->cublaslt->api;
	const lt_product *p = &m->product;
	cublasLtMatmulPreference_t preference = NULL;
	const char *where = "cublasLtMatmulPreferenceCreate";
	cublasStatus_t rc = api->preference_create(&preference);

	if (rc == CUBLAS_STATUS_SUCCESS) {
		where = "cublasLtMatmulPreferenceSetAttribute";
		rc = set_preference(api, preference, g, types);
		if (rc == CUBLAS_STATUS_SUCCESS) {
			where = "cublasLtMatmulAlgoGetHeuristic";
			rc = api->heuristic(d->gemm.handle, p->desc, p->a, p->b, p->c, p->c, preference,
			                    CANDIDATES, results, count);
			if (rc == CUBLAS_STATUS_NOT_SUPPORTED) {
				(void)api->preference_destroy(preference);
				return no_algorithm(d, g, rc, error);
			}
		}
		(void)api->preference_destroy(preference);
	}
	if (rc == CUBLAS_STATUS_SUCCESS)
		return EH_OK;
	return cuda_cublaslt_failed(error, rc, where, "cuBLASLt %s picks no algorithm on %s",
	                            d->self->cublaslt->version, d->info.name);
}

/* ---- what is known of one ---------------------------------------------------------------- */

#define FLAG(name) { CUBLASLT_NUMERICAL_IMPL_FLAGS_##name, #name }
static const struct {
	uint64_t flag;
	const char *name;
} flag_names[] = {
	FLAG(FMA),             FLAG(HMMA),            FLAG(IMMA),            FLAG(DMMA),
	FLAG(ACCUMULATOR_16F), FLAG(ACCUMULATOR_32F), FLAG(ACCUMULATOR_64F), FLAG(ACCUMULATOR_32I),
	FLAG(INPUT_16F),       FLAG(INPUT_16BF),      FLAG(INPUT_TF32),      FLAG(INPUT_32F),
	FLAG(INPUT_64F),       FLAG(INPUT_8I),        FLAG(INPUT_8F_E4M3),   FLAG(INPUT_8F_E5M2),
};
#undef FLAG

static void add(char *out, size_t size, const char *word)
{
	const size_t used = strlen(out);

	snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

static void numerics_text(uint64_t flags, char *out, size_t size)
{
	out[0] = '\0';
	for (size_t i = 0; i < COUNT(flag_names); i++)
		if ((flags & flag_names[i].flag) != 0)
			add(out, size, flag_names[i].name);
	if ((flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_TYPE_MASK) == 0)
		add(out, size, "accumulator not told");
	if ((flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_INPUT_TYPE_MASK) == 0)
		add(out, size, "inputs not told");
}

/* One that names another type beside the right one can be in either.  What the library does not say is
 * taken to be as it was asked for. */
static bool in_these_types(uint64_t flags, const cuda_matmul_types *types)
{
	const uint64_t inputs = flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_INPUT_TYPE_MASK;
	const uint64_t accumulators = flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_TYPE_MASK;

	return (inputs & ~(uint64_t)types->inputs) == 0 &&
	       (accumulators & ~(uint64_t)types->accumulators) == 0;
}

/* False for an algorithm in other types than these; numerics are filled in any case. */
static bool suits(const cublaslt_api *api, const cublasLtMatmulAlgo_t *algorithm,
                  const cuda_matmul_types *types, cuda_matmul *m)
{
	uint64_t flags = 0;
	const cublasStatus_t rc = api->capability(algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags,
	                                          sizeof(flags), NULL);

	if (rc != CUBLAS_STATUS_SUCCESS) {
		m->numerics[0] = '\0';
		wording_gap(&m->gaps, "numerics", "cublasLtMatmulAlgoCapGetAttribute",
		            cuda_cublaslt_name(rc), (int64_t)rc);
		return true;
	}
	numerics_text(flags, m->numerics, sizeof(m->numerics));
	return in_these_types(flags, types);
}

/* "algorithm 24, tile 15, stages 8, split-k 1, cluster 3": numbers, for the library has no names.  Some are
 * left out when they are 0, as the library sets them by itself. */
static void name_kernel(const cublaslt_api *api, cuda_matmul *m)
{
	static const struct {
		const char *name;
		cublasLtMatmulAlgoConfigAttributes_t attribute;
		uint8_t size;
		bool always;
	} facts[] = {
		{ "algorithm", CUBLASLT_ALGO_CONFIG_ID, 4, true },
		{ "tile", CUBLASLT_ALGO_CONFIG_TILE_ID, 4, true },
		{ "stages", CUBLASLT_ALGO_CONFIG_STAGES_ID, 4, true },
		{ "split-k", CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 4, true },
		{ "reduction", CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, 4, false },
		{ "swizzling", CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, 4, false },
		{ "option", CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, 4, false },
		{ "inner", CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, 2, false },
		{ "cluster", CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2, false },
	};

	for (size_t i = 0; i < COUNT(facts); i++) {
		union { uint32_t four; uint16_t two; } value = { 0 };
		const cublasStatus_t rc = api->configuration(&m->product.algorithm, facts[i].attribute, &value,
		                                             facts[i].size, NULL);
		const unsigned number = facts[i].size == 2 ? value.two : value.four;
		char fact[32];

		if (rc == CUBLAS_STATUS_SUCCESS && number == 0 && !facts[i].always)
			continue;
		if (rc == CUBLAS_STATUS_SUCCESS) {
			snprintf(fact, sizeof(fact), "%s %u", facts[i].name, number);
		} else {
			snprintf(fact, sizeof(fact), "%s unknown", facts[i].name);
			wording_gap(&m->gaps, facts[i].name, "cublasLtMatmulAlgoConfigGetAttribute",
			            cuda_cublaslt_name(rc), (int64_t)rc);
		}
		add(m->kernel, sizeof(m->kernel), fact);
	}
}

/* `passed` algorithms are in other types; numerics are those of the first. */
static eh_status other_types(const eh_device *d, const eh_gemm *g, int passed, const char *numerics,
                             eh_error *error)
{
	char text[48];

	products_text(g, text, sizeof(text));
	return failure_set(error, EH_E_UNSUPPORTED, "cublasLtMatmulAlgoGetHeuristic", "Each of the %d "
	                   "algorithms that cuBLASLt %s offers for a product of %s on %s is in other types: "
	                   "%s.%s", passed, d->self->cublaslt->version, text, d->info.name, numerics,
	                   variable(g));
}

eh_status cuda_matmul_choose(eh_device *d, const eh_gemm *g, const cuda_matmul_types *types,
                             cuda_matmul *m, eh_error *error)
{
	cublasLtMatmulHeuristicResult_t results[CANDIDATES];
	cublasStatus_t refusal = CUBLAS_STATUS_SUCCESS;
	char others[sizeof(m->numerics)] = "";
	int count = 0, passed = 0;
	eh_status status;

	memset(results, 0, sizeof(results));
	status = ask(d, g, types, m, results, &count, error);
	if (status != EH_OK)
		return status;
	m->count = count < CANDIDATES ? count : CANDIDATES;
	for (int i = 0; i < m->count; i++) {
		if (results[i].state != CUBLAS_STATUS_SUCCESS || results[i].workspaceSize > g->workspace_limit) {
			refusal = refusal == CUBLAS_STATUS_SUCCESS ? results[i].state : refusal;
			continue;
		}
		if (!suits(&d->self->cublaslt->api, &results[i].algo, types, m)) {
			if (passed++ == 0)
				memcpy(others, m->numerics, sizeof(others));
			continue;
		}
		m->product.algorithm = results[i].algo;
		name_kernel(&d->self->cublaslt->api, m);
		m->workspace = results[i].workspaceSize;
		m->waves = results[i].wavesCount;
		m->rank = i + 1;
		return EH_OK;
	}
	return passed == 0 ? no_algorithm(d, g, refusal, error) : other_types(d, g, passed, others, error);
}
