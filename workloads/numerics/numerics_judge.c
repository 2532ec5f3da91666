/* SPDX-License-Identifier: Apache-2.0 */
/* What the results of crafted dot products say: one answer that explains them all, or none. */
#include "numerics.h"

/* The outcomes that the dot products of each test have in common, as bits. */
typedef uint32_t answers[TESTS_MOST];

static int through_gemm(const numerics_state *s)
{
	return s->product.m > 0;
}

static int test_count(const numerics_state *s)
{
	return through_gemm(s) ? product_tests(s) : rows_tests(s);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static void compare_one(const row *r, double got, uint64_t index, answers common, eh_check *check)
{
	uint32_t agree = 0;
	int o;

	for (o = 0; o < r->count; o++)
		if (got == r->want[o])
			agree |= UINT32_C(1) << o;
	common[r->test] &= agree;
	check->checked++;
	if (agree == 0 && check->failed++ == 0)
		snprintf(check->detail, sizeof check->detail,
		         "dot product %" PRIu64 " is %.17g, which no answer allows (%.17g would be one)",
		         index, got, r->want[0]);
}

static double sum_at(const numerics_state *s, uint64_t i)
{
	const char *precision = through_gemm(s) ? s->product.output
	                        : s->wide       ? "f64"
	                        : s->integer    ? "i32"
	                                        : "f32";

	return support_value_of(s->bench, s->sums + i * support_element_bytes(precision), precision);
}

static void compare_rows(const numerics_state *s, answers common, eh_check *check)
{
	uint64_t i;

	for (i = 0; i < s->rows; i++) {
		row r;
		rows_craft(s, i, &r);
		compare_one(&r, sum_at(s, i), i, common, check);
	}
}

static void compare_product(const numerics_state *s, answers common, eh_check *check)
{
	const uint64_t n = s->product.n;
	uint64_t i, j;

	for (i = 0; i < s->product.m; i++) {
		row above, below;
		product_craft(s, i, 1, &above);
		product_craft(s, i, -1, &below);
		for (j = 0; j < n; j++)
			compare_one(product_column_sign(j) > 0 ? &above : &below, sum_at(s, i * n + j),
			            i * n + j, common, check);
	}
}

/* ---- judging --------------------------------------------------------------------------------- */

static void refuse(eh_check *check, const char *why)
{
	check->failed = 1;
	snprintf(check->detail, sizeof check->detail, "%s", why);
}

/* How many tests from `first` on, `stride` apart, kept what was asked for; -1 when one behind the first
 * that did not kept it, too. */
static int kept_in(const uint32_t *common, int first, int stride, int tests, uint32_t lost)
{
	int kept = 0, i;

	for (i = first; i < tests && common[i] == 1u << KEPT; i += stride)
		kept++;
	for (; i < tests; i += stride)
		if (common[i] == 0 || (common[i] & ~lost) != 0)
			return -1;
	return kept;
}

/* Matrix units add up products of 8 bits in fewer bits than 24, which is an answer; the kernel has none. */
static int may_be_narrow(const numerics_state *s)
{
	return s->library.plan != NULL && s->format->bytes == 1 && !s->integer;
}

static void judge_accumulator(const numerics_state *s, const answers common, eh_check *check)
{
	const int first = !s->integer ? FIRST_STEP : through_gemm(s) ? product_first_whole() : 1;
	/* Neighbours and terms that are far apart take turns. */
	const int stride = through_gemm(s) && !s->integer ? 2 : 1;
	const int tests = test_count(s), all = tests / stride;
	const int promised = s->integer && through_gemm(s) ? first + all : numerics_promised_bits(s->format);
	const int near = kept_in(common, 0, stride, tests, 1u << LOST);
	const int far = kept_in(common, stride - 1, stride, tests, 1u << LOST);
	const int kept = far < near ? far : near;

	if (kept < 0) {
		refuse(check, "the bits that a sum keeps differ between dot products");
		return;
	}
	/* 2^k + 1 has k + 1 bits. */
	if (first + kept < promised && !may_be_narrow(s))
		check->failed = 1;
	if (near != far)
		snprintf(check->detail, sizeof check->detail,
		         "the accumulator has %d bits for neighbours, and %d for terms %" PRIu64 " apart",
		         first + near, first + far, product_distance(s));
	else
		snprintf(check->detail, sizeof check->detail, "the accumulator has %s%d bits%s",
		         s->integer && !through_gemm(s) ? "" : kept == all ? "at least " :
		         kept == 0 ? "at most " : "", first + kept, s->integer ? " and a sign" : "");
}

static const char *word_of(uint32_t common)
{
	return common == 1u << KEPT ? "kept" : common == 1u << LOST ? "flushed to 0" : "now kept, now flushed";
}

static void judge_subnormals(const numerics_state *s, const answers common, eh_check *check)
{
	const int tests = test_count(s);
	/* Loading 16 and 8 bits is exact; what computes with f32 may flush it, and matrix units what they
	 * multiply. */
	const int may_flush = (s->library.plan != NULL || numerics_has_range_of_sums(s->format)) && !s->wide;
	int i;

	for (i = 0; i < tests; i++)
		if (common[i] != 1u << KEPT && !(may_flush && i != CONTROL && common[i] == 1u << LOST))
			check->failed = 1;
	if (tests > SUMS)
		snprintf(check->detail, sizeof check->detail,
		         "subnormal inputs are %s, products %s, sums %s", word_of(common[INPUTS]),
		         word_of(common[PRODUCTS]), word_of(common[SUMS]));
	else
		snprintf(check->detail, sizeof check->detail, "subnormal inputs are %s",
		         word_of(common[INPUTS]));
}

static void judge_rounding(const numerics_state *s, const answers common, eh_check *check)
{
	static const char *const names[] = {"to nearest, ties to even", "toward zero", "up", "down",
	                                    "to nearest, ties away from zero"};
	const char *what = s->property == OUTPUT ? "outputs" : "sums";
	uint32_t all = (1u << OUTCOMES) - 1;
	int i;

	for (i = 0; i < test_count(s); i++)
		all &= common[i];
	for (i = 0; i < OUTCOMES && all != 1u << i; i++)
		;
	if (i == OUTCOMES) {
		refuse(check, "no one way of rounding explains all dot products");
		return;
	}
	if (i == TOO_NARROW) {
		check->failed = !may_be_narrow(s);
		snprintf(check->detail, sizeof check->detail,
		         "sums have fewer than %d bits, and no last one to be seen",
		         numerics_promised_bits(s->format));
		return;
	}
	/* IEEE's default, or what embedded profiles of f32, and matrix units, may do. */
	if (i != NEAREST_EVEN && (i != TO_ZERO || s->wide || s->property == OUTPUT))
		check->failed = 1;
	snprintf(check->detail, sizeof check->detail, "%s are rounded %s", what, names[i]);
}

static void judge_contraction(const answers common, eh_check *check)
{
	if (common[0] != 1u << FUSED && common[0] != 1u << SEPARATE)
		refuse(check, "some multiply-adds are fused and some are not");
	else
		snprintf(check->detail, sizeof check->detail, "multiply-adds are %s",
		         common[0] == 1u << FUSED ? "fused" : "separate");
}

static void judge_factors(const numerics_state *s, const answers common, eh_check *check)
{
	const int tests = test_count(s), kept = kept_in(common, 0, 1, tests, 1u << LOST | 1u << RAISED);
	const int bits = 1 + kept, own = numerics_factor_bits(s->format);

	if (kept < 0) {
		refuse(check, "the bits that a product takes of its factors differ between dot products");
		return;
	}
	if (bits < own)
		check->failed = 1;
	if (kept == tests)
		snprintf(check->detail, sizeof check->detail, "factors have all %d bits", bits);
	else
		snprintf(check->detail, sizeof check->detail, "factors are cut to %d bits%s", bits,
		         bits >= own ? "" : bits == 11 ? ": the product is one of tf32"
		                        : bits == 8  ? ": the product is one of bf16"
		                                     : "");
}

void numerics_judge(const numerics_state *s, eh_check *check)
{
	answers common;
	int t;

	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance,
	         "each dot product exactly one of the allowed answers, the same in all");
	for (t = 0; t < TESTS_MOST; t++)
		common[t] = UINT32_MAX;
	if (through_gemm(s))
		compare_product(s, common, check);
	else
		compare_rows(s, common, check);
	if (check->failed == 0) {
		switch (s->property) {
		case ACCUMULATOR: judge_accumulator(s, common, check); break;
		case SUBNORMALS: judge_subnormals(s, common, check); break;
		case CONTRACTION: judge_contraction(common, check); break;
		case FACTORS: judge_factors(s, common, check); break;
		default: judge_rounding(s, common, check); break;
		}
	}
	if (check->failed > 0)
		check->max_error = HUGE_VAL;
	support_check_end(check);
}
