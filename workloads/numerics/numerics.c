/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numerics - what arithmetic a device does, seen in the results of crafted dot products.
 *
 * Each work-item adds up four products whose outcome depends on one property: how many bits the sum
 * keeps, whether subnormal numbers are kept, how the last bit is rounded, whether a multiply-add is
 * fused.  A property allows a few outcomes for each row, every one known exactly.  The check passes
 * if all rows show the same property, and the precision allows it; it says which.
 *
 * The rows differ in sign and scale, and vary() changes them.  All elements are exact in the precision,
 * and apart from the subnormal ones normal.
 */
#include "../support.h"

enum property { ACCUMULATOR, SUBNORMALS, ROUNDING, CONTRACTION };

#define GROUP_ITEMS 64
#define TERMS 4
#define OUTCOMES 5
#define TESTS_MOST 62
/* The rows' scales differ by so many powers of two. */
#define SHIFTS 3
/* The first step of the ladder of floats: below it, in 8 bits, factors would be beyond the largest. */
#define FIRST_STEP 4

static const eh_param numerics_params[] = {
	{"property", EH_PARAM_ENUM, 0, "accumulator", "accumulator|subnormals|rounding|contraction", NULL,
	 "bits of the sum, small numbers, the last bit, fused or separate multiply-add"},
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f64|f16|bf16|e4m3|e5m2|e4m3z|e5m2z|i8", NULL,
	 "of the elements; sums are f32, of f64 f64, of i8 i32"},
	{"groups", EH_PARAM_UINT, 0, "16", "1..65536", NULL, "of 64 dot products"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* Exponents of powers of two: the largest, the smallest normal and the smallest subnormal. */
typedef struct format {
	const char *name, *element, *load;
	uint32_t bytes;
	int largest, normal, subnormal;
	uint64_t needs;
} format;

static const format formats[] = {
	{"f32", "float", "EH_LOAD_F32", 4, 127, -126, -149, 0},
	{"f64", "double", "EH_LOAD_F64", 8, 1023, -1022, -1074, EH_CAP_FP64},
	{"f16", "eh_f16", "EH_LOAD_F16", 2, 15, -14, -24, EH_CAP_FP16_STORE},
	{"bf16", "eh_bf16", "EH_LOAD_BF16", 2, 127, -126, -133, EH_CAP_BF16_STORE},
	{"e4m3", "eh_e4m3", "EH_LOAD_E4M3", 1, 8, -6, -9, 0},
	{"e5m2", "eh_e5m2", "EH_LOAD_E5M2", 1, 15, -14, -16, 0},
	{"e4m3z", "eh_e4m3z", "EH_LOAD_E4M3Z", 1, 7, -7, -10, 0},
	{"e5m2z", "eh_e5m2z", "EH_LOAD_E5M2Z", 1, 15, -15, -17, 0},
	{"i8", "eh_i8", "EH_LOAD_I8", 1, 6, 0, 0, 0},
};

typedef struct numerics_state {
	const eh_bench *bench;
	enum property property;
	const format *format;
	int wide, integer;     /* sums are f64, i32                                              */
	uint64_t rows, turn;   /* turn: changes sign, scale and factors of the rows              */
	double codes[256];     /* the values of a precision of 8 bits                            */
	eh_kernel *kernel;
	eh_buffer *out, *start, *a, *b;
	unsigned char *host_a, *host_b;
	unsigned char *sums;   /* to and from the device                                         */
} numerics_state;

/* One dot product.  Outcome i is that of the i-th answer; outcomes beyond `count` are not possible. */
typedef struct row {
	double a[TERMS], b[TERMS], start;
	double want[OUTCOMES];
	int test, count;
} row;

/* Names of the answers, by position. */
enum { KEPT, LOST };                    /* accumulator, subnormals                            */
enum { FUSED, SEPARATE };
enum { NEAREST_EVEN, TO_ZERO, UP, DOWN, NEAREST_AWAY };
/* The tests of subnormals. */
enum { INPUTS, CONTROL, PRODUCTS, SUMS };

static const format *format_of(const eh_case *values)
{
	return &formats[eh_case_value(values, "precision")->number];
}

static int is_wide(const format *f)
{
	return f->bytes == 8;
}

static int is_integer(const format *f)
{
	return strcmp(f->name, "i8") == 0;
}

/* Sums in f32 of elements whose products are not exact there, or subnormal. */
static int has_range_of_sums(const format *f)
{
	return f->normal <= -126;
}

static uint64_t sum_bytes(const format *f)
{
	return is_wide(f) ? 8 : 4;
}

/* Bits of a sum that the precision promises. */
static int promised_bits(const format *f)
{
	return is_wide(f) ? 53 : is_integer(f) ? 31 : 24;
}

static eh_status numerics_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const uint64_t property = eh_case_value(values, "property")->number;
	const uint64_t rows = eh_case_number(values, "groups") * GROUP_ITEMS;
	const format *f = format_of(values);

	if (is_integer(f) && property != ACCUMULATOR)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: integers have no %s; i8 takes property=accumulator",
		                     eh_case_text(values, "property"));
	if (property == CONTRACTION && strcmp(f->name, "f32") != 0 && !is_wide(f))
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "numerics: products of %s are exact in f32, so that fused and "
		                     "separate multiply-adds agree; contraction takes f32 and f64",
		                     f->name);
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = EH_REGION_EXECUTION;
	work->amount = 1;
	work->flops = 2.0 * TERMS * (double)rows;
	work->bytes = (double)(rows * (2 * TERMS * f->bytes + 2 * sum_bytes(f)));
	work->needs = f->needs;
	work->device_bytes = rows * (2 * TERMS * f->bytes + 2 * sum_bytes(f));
	work->working_set_bytes = work->device_bytes;
	work->group_items = GROUP_ITEMS;
	snprintf(work->precision, sizeof work->precision, "%s%s", f->name,
	         is_integer(f) ? "/i32/i32" : f->bytes < 4 ? "/f32/f32" : "");
	snprintf(work->flops_formula, sizeof work->flops_formula, "2*64*G*4 (groups, 4 terms)");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "64*G*(8*s + 2*size of a sum)");
	snprintf(work->kernel, sizeof work->kernel, "numerics");
	support_define(work, "EH_N_ELEMENT", "%s", f->element);
	support_define(work, "EH_N_LOAD", "%s", f->load);
	support_define(work, "EH_N_REAL", "%s",
	               is_wide(f) ? "double" : is_integer(f) ? "int" : "float");
	support_define(work, "EH_N_TERMS", "%d", TERMS);
	return EH_OK;
}

/* ---- crafted rows ---------------------------------------------------------------------------- */

/* Term i is factor * 2^power, the power split between both elements. */
static void term(row *r, int i, double factor, int power)
{
	const int half = power / 2;

	r->a[i] = ldexp(factor, power - half);
	r->b[i] = ldexp(1, half);
}

/* The power of a product from which that of the smallest normal elements is far enough away. */
static int top_of(const numerics_state *s)
{
	return s->wide ? 100 : s->format->largest > 15 ? 30 : 2 * s->format->largest;
}

static int test_count(const numerics_state *s)
{
	switch (s->property) {
	case ACCUMULATOR: return s->integer ? 30 : (s->wide ? 60 : 26) + 1 - FIRST_STEP;
	case SUBNORMALS: return has_range_of_sums(s->format) ? 4 : 2;
	case ROUNDING: return 4;
	default: return 1;
	}
}

/* 2^k + 1, which needs k + 1 bits: large, small, -large, and a few times small so that no result is 0. */
static void ladder(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	const int k = r->test + FIRST_STEP;
	const double times = (double)(2 + turn % 6);
	const int large = top_of(s) - shift, small = large - k;

	term(r, 0, sign, large);
	term(r, 1, sign, small);
	term(r, 2, -sign, large);
	term(r, 3, sign * times, small);
	r->count = 2;
	r->want[KEPT] = ldexp(sign * (times + 1), small);
	r->want[LOST] = ldexp(sign * times, small);
}

/* 15 - 14 added to 2^k and a multiple of 4 below it. */
static void integer_ladder(row *r, int sign, uint64_t turn)
{
	const int k = r->test + 1;
	const uint64_t more = (turn * UINT64_C(2654435761)) & ((UINT64_C(1) << k) - 1) & ~UINT64_C(3);

	r->start = sign * (double)((UINT64_C(1) << k) + more);
	r->a[0] = sign * 3;
	r->b[0] = 5;
	r->a[1] = -sign * 7;
	r->b[1] = 2;
	r->count = 2;
	r->want[KEPT] = r->start + sign;
	r->want[LOST] = r->start;
}

static void subnormal(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	const format *f = s->format;
	const double times = (double)(1 + turn % 3);
	const int middle = s->wide ? -500 : -60;

	r->count = 2;
	switch (r->test) {
	case INPUTS: /* a subnormal element times a large one */
		r->a[0] = ldexp(sign * times, f->subnormal);
		r->b[0] = ldexp(1, f->largest - shift);
		break;
	case PRODUCTS: /* of two normal ones, below the normal sums */
		r->a[0] = ldexp(sign * times, middle);
		r->b[0] = ldexp(1, f->normal - 3 - shift - middle);
		break;
	case SUMS: /* 3 - 2 halves of the smallest normal sum */
		r->a[0] = ldexp(sign * 3, middle);
		r->b[0] = ldexp(1, f->normal - 1 - middle);
		r->a[1] = ldexp(-sign, middle);
		r->b[1] = ldexp(1, f->normal - middle);
		r->want[KEPT] = ldexp(sign, f->normal - 1);
		return;
	default: /* no number is subnormal */
		r->count = 1;
		r->a[0] = sign * times;
		r->b[0] = ldexp(1, -shift);
		break;
	}
	r->want[KEPT] = r->a[0] * r->b[0];
}

/* A sum with `ulps` units in the last place and `quarters` of one behind them. */
static void last_bit(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	static const int odd[] = {0, 1, 0, 0}, quarters[] = {2, 2, 3, 1};
	const int large = top_of(s) - shift, unit = large - (promised_bits(s->format) - 1);
	const int ulps = 2 * (int)(turn % 4) + odd[r->test], rest = quarters[r->test];
	const int above = sign > 0 ? UP : DOWN, below = sign > 0 ? DOWN : UP;
	const double low = sign * (ldexp(1, large) + ldexp(ulps, unit));
	const double high = sign * (ldexp(1, large) + ldexp(ulps + 1, unit));

	term(r, 0, sign, large);
	term(r, 1, sign * ulps, unit);
	term(r, 2, sign * (rest == 2 ? 1 : rest), rest == 2 ? unit - 1 : unit - 2);
	r->count = OUTCOMES;
	r->want[NEAREST_EVEN] = rest > 2 || (rest == 2 && odd[r->test]) ? high : low;
	r->want[NEAREST_AWAY] = rest >= 2 ? high : low;
	r->want[TO_ZERO] = low;
	r->want[above] = high;
	r->want[below] = low;
}

/* (1 + e)^2 - (1 + 2 e) is e^2 when the product is not rounded before it is added, else 0. */
static void multiply_add(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	const int e = s->wide ? -27 : -12;
	const double times = (double)(1 + turn % 7);

	r->a[0] = -sign * (1 + ldexp(1, e + 1));
	r->b[0] = ldexp(1, -shift);
	r->a[1] = sign * (1 + ldexp(1, e));
	r->b[1] = ldexp(1 + ldexp(1, e), -shift);
	r->a[2] = sign * times;
	r->b[2] = ldexp(1, 2 * e - shift);
	r->count = 2;
	r->want[FUSED] = ldexp(sign * (times + 1), 2 * e - shift);
	r->want[SEPARATE] = ldexp(sign * times, 2 * e - shift);
}

static void craft(const numerics_state *s, uint64_t index, row *r)
{
	const uint64_t tests = (uint64_t)test_count(s), turn = s->turn + index / tests;
	const int sign = turn % 2 == 0 ? 1 : -1, shift = (int)(turn / 2 % SHIFTS);

	memset(r, 0, sizeof *r);
	r->test = (int)(index % tests);
	switch (s->property) {
	case ACCUMULATOR:
		if (s->integer)
			integer_ladder(r, sign, turn);
		else
			ladder(s, r, sign, shift, turn);
		break;
	case SUBNORMALS: subnormal(s, r, sign, shift, turn); break;
	case ROUNDING: last_bit(s, r, sign, shift, turn); break;
	default: multiply_add(s, r, sign, shift, turn); break;
	}
}

/* x, which is exact in the precision, as element i. */
static void put(const numerics_state *s, unsigned char *elements, uint64_t i, double x)
{
	unsigned char *out = elements + i * s->format->bytes;
	int code = 0;

	if (s->format->bytes == 8) {
		memcpy(out, &x, sizeof x);
	} else if (s->format->bytes > 1) {
		support_encode(out, (float)x, s->format->name);
	} else if (s->integer) {
		*out = (unsigned char)(signed char)x;
	} else {
		while (code < 255 && s->codes[code] != x)
			code++;
		*out = (unsigned char)code;
	}
}

static void put_sum(const numerics_state *s, uint64_t i, double x)
{
	const float single = (float)x;
	const int32_t whole = s->integer ? (int32_t)x : 0;

	if (s->wide)
		memcpy(s->sums + i * 8, &x, 8);
	else
		memcpy(s->sums + i * 4, s->integer ? (const void *)&whole : &single, 4);
}

static double get_sum(const numerics_state *s, uint64_t i)
{
	double x;
	float single;
	int32_t whole;

	if (s->wide) {
		memcpy(&x, s->sums + i * 8, 8);
		return x;
	}
	memcpy(&single, s->sums + i * 4, 4);
	memcpy(&whole, s->sums + i * 4, 4);
	return s->integer ? (double)whole : (double)single;
}

static eh_status numerics_inputs(numerics_state *s, uint32_t variant, eh_error *error)
{
	const eh_bench *bench = s->bench;
	const uint64_t elements = s->rows * TERMS * s->format->bytes, sums = s->rows * sum_bytes(s->format);
	uint32_t random;
	uint64_t i;
	eh_status status;
	int t;

	bench->fill_bytes(bench, &random, 0, sizeof random, bench->values->seed, 0);
	/* Neighbouring variants differ in sign and in every factor. */
	s->turn = (uint64_t)random + variant;
	for (i = 0; i < s->rows; i++) {
		row r;
		craft(s, i, &r);
		for (t = 0; t < TERMS; t++) {
			put(s, s->host_a, i * TERMS + (uint64_t)t, r.a[t]);
			put(s, s->host_b, i * TERMS + (uint64_t)t, r.b[t]);
		}
		put_sum(s, i, r.start);
	}
	status = support_upload_repeated(bench, s->a, elements, s->host_a, elements, error);
	if (status == EH_OK)
		status = support_upload_repeated(bench, s->b, elements, s->host_b, elements, error);
	if (status == EH_OK)
		status = support_upload_repeated(bench, s->start, sums, s->sums, sums, error);
	return status;
}

/* ---- the workload ---------------------------------------------------------------------------- */

static void numerics_finish(void *state)
{
	numerics_state *s = state;
	if (s == NULL)
		return;
	support_free(s->bench, s->out);
	support_free(s->bench, s->start);
	support_free(s->bench, s->a);
	support_free(s->bench, s->b);
	free(s->host_a);
	free(s->host_b);
	free(s->sums);
	free(s);
}

static eh_status numerics_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	numerics_state *s = calloc(1, sizeof *s);
	uint64_t elements, sums;
	eh_status status;
	int code;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "numerics: no host memory");
	s->bench = bench;
	s->property = (enum property)eh_case_value(bench->values, "property")->number;
	s->format = format_of(bench->values);
	s->wide = is_wide(s->format);
	s->integer = is_integer(s->format);
	s->rows = eh_case_number(bench->values, "groups") * GROUP_ITEMS;
	elements = s->rows * TERMS * s->format->bytes;
	sums = s->rows * sum_bytes(s->format);
	for (code = 0; code < 256 && s->format->bytes == 1 && !s->integer; code++) {
		const unsigned char byte = (unsigned char)code;
		s->codes[code] = bench->to_double(&byte, s->format->name);
	}
	s->host_a = malloc(elements);
	s->host_b = malloc(elements);
	s->sums = malloc(sums);
	if (s->host_a == NULL || s->host_b == NULL || s->sums == NULL) {
		numerics_finish(s);
		return support_error(error, EH_E_NO_MEMORY, "numerics: no host memory");
	}
	status = bench->ops->kernel_get(bench->program, "eh_numerics", &s->kernel, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, sums, &s->out, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, sums, &s->start, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, elements, &s->a, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, elements, &s->b, error);
	if (status == EH_OK)
		status = numerics_inputs(s, 0, error);
	if (status != EH_OK) {
		numerics_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status numerics_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	numerics_state *s = state;
	const eh_arg args[] = {support_buffer(s->out), support_buffer(s->start), support_buffer(s->a),
	                       support_buffer(s->b)};
	(void)iteration;
	return support_launch(s->bench, s->kernel, (uint32_t)(s->rows / GROUP_ITEMS), 1, GROUP_ITEMS, 1,
	                      args, 4, error);
}

static eh_status numerics_poison(void *state, eh_error *error)
{
	numerics_state *s = state;
	return support_poison(s->bench, s->out, s->rows * sum_bytes(s->format), error);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* The answers that the rows of each test have in common, as bits. */
typedef uint32_t answers[TESTS_MOST];

static void compare(const numerics_state *s, answers common, eh_check *check)
{
	uint64_t i;
	int t, o;

	for (t = 0; t < TESTS_MOST; t++)
		common[t] = UINT32_MAX;
	for (i = 0; i < s->rows; i++) {
		const double got = get_sum(s, i);
		uint32_t agree = 0;
		row r;

		craft(s, i, &r);
		for (o = 0; o < r.count; o++)
			if (got == r.want[o])
				agree |= UINT32_C(1) << o;
		common[r.test] &= agree;
		check->checked++;
		if (agree == 0 && check->failed++ == 0)
			snprintf(check->detail, sizeof check->detail,
			         "dot product %" PRIu64 " is %.17g, which no answer allows (%.17g "
			         "would be one)", i, got, r.want[0]);
	}
}

static void refuse(eh_check *check, const char *why)
{
	check->failed = 1;
	snprintf(check->detail, sizeof check->detail, "%s", why);
}

static void judge_accumulator(const numerics_state *s, const answers common, eh_check *check)
{
	const int tests = test_count(s), first = s->integer ? 1 : FIRST_STEP;
	int kept = 0, bits, i;

	while (kept < tests && common[kept] == 1u << KEPT)
		kept++;
	for (i = kept; i < tests; i++)
		if (common[i] != 1u << LOST) {
			refuse(check, "the bits that a sum keeps differ between dot products");
			return;
		}
	/* 2^k + 1 has k + 1 bits. */
	bits = first + kept;
	if (bits < promised_bits(s->format))
		check->failed = 1;
	snprintf(check->detail, sizeof check->detail, "the accumulator has %s%d bits%s",
	         s->integer ? "" : kept == tests ? "at least " : kept == 0 ? "at most " : "", bits,
	         s->integer ? " and a sign" : "");
}

static const char *word_of(uint32_t common)
{
	return common == 1u << KEPT ? "kept" : common == 1u << LOST ? "flushed to 0" : "now kept, now flushed";
}

static void judge_subnormals(const numerics_state *s, const answers common, eh_check *check)
{
	const int tests = test_count(s);
	/* Loading 16 and 8 bits is exact; f32 may be flushed by what computes with it. */
	const int may_flush = has_range_of_sums(s->format) && !s->wide;
	int i;

	for (i = 0; i < tests; i++)
		if (common[i] != 1u << KEPT && !(may_flush && common[i] == 1u << LOST))
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
	/* IEEE's default, or what embedded profiles of f32 may do. */
	if (i != NEAREST_EVEN && (i != TO_ZERO || s->wide))
		check->failed = 1;
	snprintf(check->detail, sizeof check->detail, "sums are rounded %s", names[i]);
}

static void judge_contraction(const answers common, eh_check *check)
{
	if (common[0] != 1u << FUSED && common[0] != 1u << SEPARATE)
		refuse(check, "some multiply-adds are fused and some are not");
	else
		snprintf(check->detail, sizeof check->detail, "multiply-adds are %s",
		         common[0] == 1u << FUSED ? "fused" : "separate");
}

static eh_status numerics_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	numerics_state *s = state;
	answers common;
	eh_status status = support_fetch(s->bench, s->sums, s->out, 0, s->rows * sum_bytes(s->format), error);
	(void)iteration;

	if (status != EH_OK)
		return status;
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance,
	         "each dot product exactly one of the allowed answers, the same in all");
	compare(s, common, check);
	if (check->failed == 0) {
		switch (s->property) {
		case ACCUMULATOR: judge_accumulator(s, common, check); break;
		case SUBNORMALS: judge_subnormals(s, common, check); break;
		case ROUNDING: judge_rounding(s, common, check); break;
		default: judge_contraction(common, check); break;
		}
	}
	if (check->failed > 0)
		check->max_error = HUGE_VAL;
	support_check_end(check);
	return EH_OK;
}

static eh_status numerics_vary(void *state, uint32_t variant, eh_error *error)
{
	return numerics_inputs(state, variant, error);
}

static const eh_workload numerics_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "numerics",
	.summary = "what arithmetic a device does: bits of sums, subnormals, rounding, contraction",
	.params = numerics_params,
	.describe = numerics_describe,
	.prepare = numerics_prepare,
	.enqueue = numerics_enqueue,
	.poison = numerics_poison,
	.check = numerics_check,
	.vary = numerics_vary,
	.finish = numerics_finish,
	.checks = "every dot product is an allowed answer, all show the same property, which is told",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &numerics_workload;
}
