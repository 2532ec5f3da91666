/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithm of a product: the library's own order decides, and what it would make in other types is
 * passed over. */
#include <stdio.h>
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
                                     const eh_gemm *g)
{
	static const uint32_t alignment = ALIGNMENT, reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
	const uint64_t limit = g->workspace_limit;
	const wish wishes[] = {
		{ CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit, sizeof(limit) },
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

static eh_status no_algorithm(const eh_device *d, const eh_gemm *g, cublasStatus_t rc, eh_error *error)
{
	const char *remedy = "";
	char text[48];

	products_text(g, text, sizeof(text));
	if (g->type_a[0] == 'e')
		remedy = "8-bit floats need rows and strides of multiples of 16 elements.";
	else if (strcmp(g->type_a, "i8") == 0)
		remedy = "i8 needs rows of multiples of 4 elements, and for tensor cores transpose=b.";
	return failure_native(error, EH_E_UNSUPPORTED, "cublasLtMatmulAlgoGetHeuristic", (int64_t)rc,
	                      cuda_cublaslt_name(rc), remedy,
	                      "cuBLASLt %s has no algorithm for a product of %s of %llu x %llu x %llu on %s",
	                      d->self->cublaslt->version, text, (unsigned long long)g->m,
	                      (unsigned long long)g->n, (unsigned long long)g->k, d->info.name);
}

static eh_status ask(const eh_device *d, const eh_gemm *g, const cuda_matmul *m,
                     cublasLtMatmulHeuristicResult_t results[CANDIDATES], int *count, eh_error *error)
{
	const cublaslt_api *api = &d->self->cublaslt->api;
	cublasLtMatmulPreference_t preference = NULL;
	const char *where = "cublasLtMatmulPreferenceCreate";
	cublasStatus_t rc = api->preference_create(&preference);

	if (rc == CUBLAS_STATUS_SUCCESS) {
		where = "cublasLtMatmulPreferenceSetAttribute";
		rc = set_preference(api, preference, g);
		if (rc == CUBLAS_STATUS_SUCCESS) {
			where = "cublasLtMatmulAlgoGetHeuristic";
			rc = api->heuristic(d->gemm.handle, m->desc, m->a, m->b, m->c, m->c, preference,
			                    CANDIDATES, results, count);
			/* A product that it cannot make may be one that it calls impossible. */
			if (rc == CUBLAS_STATUS_NOT_SUPPORTED || rc == CUBLAS_STATUS_INVALID_VALUE) {
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

static void numerics_text(uint64_t flags, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < COUNT(flag_names) && used < size; i++)
		if ((flags & flag_names[i].flag) != 0) {
			snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", flag_names[i].name);
			used += strlen(out + used);
		}
}

/* What the library does not say is taken to be as it was asked for. */
static bool in_these_types(uint64_t flags, const cuda_matmul_types *types)
{
	const uint64_t inputs = flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_OP_INPUT_TYPE_MASK;
	const uint64_t accumulators = flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_ACCUMULATOR_TYPE_MASK;

	return (inputs == 0 || (inputs & types->inputs) != 0) &&
	       (accumulators == 0 || (accumulators & types->accumulators) != 0);
}

/* False for an algorithm in other types than these; numerics are filled in any case. */
static bool suits(const cublaslt_api *api, const cublasLtMatmulAlgo_t *algorithm,
                  const cuda_matmul_types *types, cuda_matmul *m)
{
	uint64_t flags = 0;
	const cublasStatus_t rc = api->capability(algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags,
	                                          sizeof(flags), NULL);

	if (rc != CUBLAS_STATUS_SUCCESS) {
		flags = 0;
		wording_gap(&m->gaps, "numerics", "cublasLtMatmulAlgoCapGetAttribute",
		            cuda_cublaslt_name(rc), (int64_t)rc);
	}
	numerics_text(flags, m->numerics, sizeof(m->numerics));
	return in_these_types(flags, types);
}

/* "algorithm 24, tile 15, stages 8, split-k 1": numbers, for the library has no names. */
static void name_kernel(const cublaslt_api *api, cuda_matmul *m)
{
	static const struct {
		cublasLtMatmulAlgoConfigAttributes_t attribute;
		const char *name;
	} facts[] = {
		{ CUBLASLT_ALGO_CONFIG_ID, "algorithm" },
		{ CUBLASLT_ALGO_CONFIG_TILE_ID, "tile" },
		{ CUBLASLT_ALGO_CONFIG_STAGES_ID, "stages" },
		{ CUBLASLT_ALGO_CONFIG_SPLITK_NUM, "split-k" },
	};
	size_t used = 0;

	for (size_t i = 0; i < COUNT(facts); i++) {
		char number[16] = "unknown";
		int32_t value = 0;
		const cublasStatus_t rc = api->configuration(&m->algorithm, facts[i].attribute, &value,
		                                             sizeof(value), NULL);

		if (rc == CUBLAS_STATUS_SUCCESS)
			snprintf(number, sizeof(number), "%d", value);
		else
			wording_gap(&m->gaps, facts[i].name, "cublasLtMatmulAlgoConfigGetAttribute",
			            cuda_cublaslt_name(rc), (int64_t)rc);
		snprintf(m->kernel + used, sizeof(m->kernel) - used, "%s%s %s", i > 0 ? ", " : "",
		         facts[i].name, number);
		used += strlen(m->kernel + used);
	}
}

eh_status cuda_matmul_choose(eh_device *d, const eh_gemm *g, const cuda_matmul_types *types,
                             cuda_matmul *m, eh_error *error)
{
	cublasLtMatmulHeuristicResult_t results[CANDIDATES];
	cublasStatus_t first = CUBLAS_STATUS_SUCCESS;
	int count = 0;
	eh_status status;

	memset(results, 0, sizeof(results));
	status = ask(d, g, m, results, &count, error);
	if (status != EH_OK)
		return status;
	m->count = count < CANDIDATES ? count : CANDIDATES;
	for (int i = 0; i < m->count; i++) {
		if (results[i].state != CUBLAS_STATUS_SUCCESS || results[i].workspaceSize > g->workspace_limit) {
			first = first == CUBLAS_STATUS_SUCCESS ? results[i].state : first;
			continue;
		}
		if (!suits(&d->self->cublaslt->api, &results[i].algo, types, m))
			continue;
		m->algorithm = results[i].algo;
		name_kernel(&d->self->cublaslt->api, m);
		m->workspace = results[i].workspaceSize;
		m->waves = results[i].wavesCount;
		m->rank = i + 1;
		return EH_OK;
	}
	if (m->numerics[0] == '\0')
		return no_algorithm(d, g, first != CUBLAS_STATUS_SUCCESS ? first : CUBLAS_STATUS_NOT_SUPPORTED,
		                    error);
	return failure_set(error, EH_E_UNSUPPORTED, "cublasLtMatmulAlgoGetHeuristic", "cuBLASLt %s would "
	                   "make a product of %s into %s on %s in other types: %s.",
	                   d->self->cublaslt->version, g->type_a, g->type_c, d->info.name, m->numerics);
}
