/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fma - the ceiling of multiply-add arithmetic: chains of vectors in registers, no memory.
 *
 * A chain is x = a*x + b, or, of the form accumulate, x = a*y + x with inputs y: the order of a matrix
 * product, for which RDNA 3 and later issue two multiply-adds at once.
 *
 * The multipliers are 1/2 and 2, so that every product is exact and a multiply-add has one right
 * answer, fused or not; the addends have all their bits in use.  Every output is recomputed here
 * and compared bit by bit.  One round more or less changes all of them.
 *
 * Halves are recomputed in floats that are rounded after every operation: a float has more than
 * twice the bits, so the sum of two halves rounded twice is the sum rounded once.  Their inputs are
 * multiples of 2^-11, so that no value is subnormal, which devices need not keep.
 */
#include "../support.h"

#define GROUP_ITEMS 256
/* Beyond them a half, whose bits are few, would not move with every round. */
#define HALF_ROUNDS_MOST 512

static const eh_param fma_params[] = {
	{"precision", EH_PARAM_ENUM, 0, "f32", "f32|f64|f16", NULL, "of the arithmetic"},
	{"width", EH_PARAM_UINT, 0, "0", "0..16", "1,2,4,8,16",
	 "elements per vector: 1, 2, 4, 8 or 16; 0 = 64 bytes, of f16 32"},
	{"chains", EH_PARAM_UINT, 0, "12", "1..24", "4,6,8,10,12,16,20",
	 "independent chains of vectors per work-item"},
	{"rounds", EH_PARAM_UINT, 0, "256", "2..65536", NULL,
	 "multiply-adds per chain and element; even"},
	{"groups", EH_PARAM_UINT, 0, "512", "1..1048576", NULL, "work-groups of 256 work-items"},
	{"form", EH_PARAM_ENUM, EH_PARAM_ADDED, "chain", "chain|accumulate", NULL,
	 "x = a*x + b, or x = a*y + x"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct fma_state {
	const eh_bench *bench;
	const char *precision;
	int wide, half;           /* f64, f16                                                  */
	int accumulate;           /* the form                                                  */
	uint64_t width, chains, rounds, groups;
	uint64_t element;         /* bytes                                                     */
	uint64_t elements;        /* of one group's outputs, GROUP_ITEMS * width               */
	uint64_t group_bytes;
	float addend[2];          /* b, d; also of f16                                         */
	double addend64[2];
	eh_kernel *kernel;
	eh_buffer *out, *start;
	void *begin, *want;       /* elements each: inputs, expected sums                       */
	void *first, *sum;        /* the same in arithmetic; of f16 floats                     */
	unsigned char *got;
	int expected;             /* want has the sums of the inputs                           */
} fma_state;

static uint64_t fma_width(const eh_case *values)
{
	const uint64_t width = eh_case_number(values, "width");
	if (width != 0)
		return width;
	return strcmp(eh_case_text(values, "precision"), "f64") == 0 ? 8 : 16;
}

static int is_accumulate(const eh_case *values)
{
	return strcmp(eh_case_text(values, "form"), "accumulate") == 0;
}

static eh_status fma_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const char *precision = eh_case_text(values, "precision");
	const uint64_t width = fma_width(values), chains = eh_case_number(values, "chains");
	const uint64_t rounds = eh_case_number(values, "rounds");
	const uint64_t groups = eh_case_number(values, "groups");
	const uint64_t size = support_element_bytes(precision);

	if ((width & (width - 1)) != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fma: width=%" PRIu64 " is not 0, 1, 2, 4, 8 or 16", width);
	if (rounds % 2 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fma: rounds=%" PRIu64 " is odd; the chain alternates two steps",
		                     rounds);
	if (size == 2 && width == 1)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fma: width=1 is no vector of f16, which is measured in pairs; "
		                     "use 2, 4, 8 or 16");
	if (size == 2 && rounds > HALF_ROUNDS_MOST)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "fma: rounds=%" PRIu64 " is too many for f16, whose sums stand "
		                     "still after %d", rounds, HALF_ROUNDS_MOST);
	support_work_clear(work);
	work->metric = EH_METRIC_FLOP_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->flops =
		2.0 * (double)groups * GROUP_ITEMS * (double)(chains * width) * (double)rounds;
	work->bytes = (double)((groups + 1) * GROUP_ITEMS * width * size);
	work->amount = work->flops;
	work->needs = size == 2 ? EH_CAP_FP16 : support_needs(precision);
	work->device_bytes = (groups + 1) * GROUP_ITEMS * width * size;
	work->working_set_bytes = work->device_bytes;
	work->group_items = GROUP_ITEMS;
	snprintf(work->precision, sizeof work->precision, "%s", precision);
	snprintf(work->flops_formula, sizeof work->flops_formula,
	         "2*G*256*C*W*R (groups, chains, width, rounds)");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "(G+1)*256*W*s");
	snprintf(work->kernel, sizeof work->kernel, "fma");
	support_define(work, "EH_F_REAL", size == 8 ? "double" : size == 4 ? "float" : "eh_half");
	support_define(work, "EH_F_VECTOR", "eh_%sx%" PRIu64, precision, width);
	support_define(work, "EH_F_CHAINS", "%" PRIu64, chains);
	if (is_accumulate(values)) {
		support_define(work, "EH_F_ACCUMULATE", "1");
		support_define(work, "EH_F_WIDTH", "%" PRIu64, width);
	}
	if (size == 2)
		support_define(work, "EH_F_SCALAR", "float");
	return EH_OK;
}

/* ---- expected values ------------------------------------------------------------------------ */

/* As many elements as are calculated at once; they divide those of a group. */
typedef float floats __attribute__((vector_size(64)));
typedef double doubles __attribute__((vector_size(64)));
typedef uint32_t bits __attribute__((vector_size(64)));

/* The halves that are nearest to them, to even; |x| < 65520.  By pointer, because the processor that
 * this is compiled for may have no such vectors to return. */
static inline void to_halves(floats *x)
{
	const bits u = (bits)*x, magnitude = u & 0x7fffffffu;
	/* A multiple of 2^-24, as subnormal halves are. */
	const bits tiny = (bits)(((floats)magnitude + 0.5f) - 0.5f);
	const bits normal = (magnitude + 0xfffu + (magnitude >> 13 & 1u)) & ~0x1fffu;
	const bits small = (bits)(magnitude < 0x38800000u);

	*x = (floats)((small & tiny) | (~small & normal) | (u & 0x80000000u));
}

static float half_of(float x)
{
	floats all = {x};
	to_halves(&all);
	return all[0];
}

/* The output of one group of the identity rotation: the kernel's arithmetic.  ROUNDED is what an
 * operation does at its end, STEPS are two rounds of x, elements i and following of chain c. */
#define EXPECT(VECTOR, REAL, ROUNDED, STEPS)                                                 \
	do {                                                                                 \
		const uint64_t lanes = sizeof(VECTOR) / sizeof(REAL);                        \
		const REAL *begin = s->first;                                                \
		REAL *want = s->sum;                                                         \
		for (i = 0; i < s->elements; i += lanes) {                                   \
			VECTOR near, far, x, sum = {0};                                      \
			memcpy(&near, begin + i, sizeof near);                               \
			memcpy(&far, begin + (i + s->elements / 2) % s->elements, sizeof far); \
			for (c = 0; c < s->chains; c++) {                                    \
				x = near + (REAL)c * (REAL)0.0625;                           \
				ROUNDED(&x);                                                 \
				for (r = 0; r < s->rounds; r += 2) {                         \
					STEPS                                                \
				}                                                            \
				sum = c == 0 ? x : sum + x;                                  \
				ROUNDED(&sum);                                               \
			}                                                                    \
			memcpy(want + i, &sum, sizeof sum);                                  \
		}                                                                            \
	} while (0)

#define LEAVE(x) (void)(x)

#define CHAINED(REAL, ROUNDED, b, d)                                                         \
	x = x * (REAL)0.5 + (b);                                                             \
	ROUNDED(&x);                                                                         \
	x = x * (REAL)2 + (d);                                                               \
	ROUNDED(&x);

/* The inputs of this item and of the one 128 further, in turns. */
#define ACCUMULATED(REAL, ROUNDED)                                                           \
	x = x + (REAL)0.5 * (c % 2 == 0 ? near : far);                                       \
	ROUNDED(&x);                                                                         \
	x = x + (REAL)2 * (c % 2 == 0 ? far : near);                                         \
	ROUNDED(&x);

/* Made by the first check of the inputs, because most are never checked. */
static void expect(fma_state *s)
{
	const float b = s->addend[0], d = s->addend[1];
	uint64_t c, r, i;
	if (s->expected)
		return;
	s->expected = 1;
	if (s->wide && s->accumulate)
		EXPECT(doubles, double, LEAVE, ACCUMULATED(double, LEAVE));
	else if (s->wide)
		EXPECT(doubles, double, LEAVE,
		       CHAINED(double, LEAVE, s->addend64[0], s->addend64[1]));
	else if (s->half && s->accumulate)
		EXPECT(floats, float, to_halves, ACCUMULATED(float, to_halves));
	else if (s->half)
		EXPECT(floats, float, to_halves, CHAINED(float, to_halves, b, d));
	else if (s->accumulate)
		EXPECT(floats, float, LEAVE, ACCUMULATED(float, LEAVE));
	else
		EXPECT(floats, float, LEAVE, CHAINED(float, LEAVE, b, d));
	for (i = 0; s->half && i < s->elements; i++)
		support_encode((uint16_t *)s->want + i, ((float *)s->sum)[i], s->precision);
}

/* The halves as floats, after they became multiples of 2^-11. */
static void take_halves(fma_state *s)
{
	float *first = s->first;
	uint64_t i;
	for (i = 0; i < s->elements; i++) {
		uint16_t *half = (uint16_t *)s->begin + i;
		/* The sum with 0 makes +0 of -0. */
		first[i] = half_of((float)(rint(s->bench->to_double(half, s->precision) * 0x1p11) *
		                           0x1p-11 + 0));
		support_encode(half, first[i], s->precision);
	}
}

static eh_status fma_inputs(fma_state *s, uint32_t variant, eh_error *error)
{
	const uint64_t seed = s->bench->values->seed;
	double u;
	s->bench->fill_uniform(s->bench, s->begin, 0, s->elements, s->precision, seed, 2 * variant);
	s->bench->fill_uniform(s->bench, &u, 0, 1, "f64", seed, 2 * variant + 1);
	/* One round of both steps adds 2b + d, about 2^-8. */
	s->addend64[0] = 0.75 + u / 4;
	s->addend64[1] = 0x1p-8 - 2 * s->addend64[0];
	s->addend[0] = (float)s->addend64[0];
	if (s->half) {
		s->addend[0] = half_of(s->addend[0]);
		take_halves(s);
	}
	/* Of halves 2^-4; both are exact. */
	s->addend[1] = (float)((s->half ? 0x1p-4 : 0x1p-8) - 2 * (double)s->addend[0]);
	s->expected = 0;
	return support_upload_repeated(s->bench, s->start, s->group_bytes, s->begin, s->group_bytes,
	                               error);
}

/* ---- the workload --------------------------------------------------------------------------- */

static void fma_finish(void *state)
{
	fma_state *s = state;
	if (s == NULL)
		return;
	support_free(s->bench, s->out);
	support_free(s->bench, s->start);
	if (s->first != s->begin) {
		free(s->first);
		free(s->sum);
	}
	free(s->begin);
	free(s->want);
	free(s->got);
	free(s);
}

static eh_status fma_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	const eh_case *values = bench->values;
	fma_state *s = calloc(1, sizeof *s);
	eh_status status;

	if (s == NULL)
		return support_error(error, EH_E_NO_MEMORY, "fma: no host memory");
	s->bench = bench;
	s->precision = eh_case_text(values, "precision");
	s->element = support_element_bytes(s->precision);
	s->wide = s->element == 8;
	s->half = s->element == 2;
	s->accumulate = is_accumulate(values);
	s->width = fma_width(values);
	s->chains = eh_case_number(values, "chains");
	s->rounds = eh_case_number(values, "rounds");
	s->groups = eh_case_number(values, "groups");
	s->elements = GROUP_ITEMS * s->width;
	s->group_bytes = s->elements * s->element;
	s->begin = malloc(s->group_bytes);
	s->want = malloc(s->group_bytes);
	s->first = s->half ? malloc(s->elements * sizeof(float)) : s->begin;
	s->sum = s->half ? malloc(s->elements * sizeof(float)) : s->want;
	s->got = malloc(SUPPORT_CHUNK);
	if (s->begin == NULL || s->want == NULL || s->first == NULL || s->sum == NULL ||
	    s->got == NULL) {
		fma_finish(s);
		return support_error(error, EH_E_NO_MEMORY, "fma: no host memory");
	}
	status = bench->ops->kernel_get(bench->program, "eh_fma", &s->kernel, error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, s->groups * s->group_bytes, &s->out,
		                       error);
	if (status == EH_OK)
		status = support_alloc(bench, EH_MEMORY_DEVICE, s->group_bytes, &s->start, error);
	if (status == EH_OK)
		status = fma_inputs(s, 0, error);
	if (status != EH_OK) {
		fma_finish(s);
		return status;
	}
	*state = s;
	return EH_OK;
}

static eh_status fma_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	static const double multiplier64[2] = {0.5, 2};
	static const float multiplier[2] = {0.5f, 2};
	fma_state *s = state;
	const uint32_t size = s->wide ? sizeof(double) : sizeof(float), pairs = (uint32_t)(s->rounds / 2);
	eh_arg args[7];
	(void)iteration;
	args[0] = support_buffer(s->out);
	args[1] = support_buffer(s->start);
	args[2] = support_value(s->wide ? (const void *)&multiplier64[0] : &multiplier[0], size);
	args[3] = support_value(s->wide ? (const void *)&s->addend64[0] : &s->addend[0], size);
	args[4] = support_value(s->wide ? (const void *)&multiplier64[1] : &multiplier[1], size);
	args[5] = support_value(s->wide ? (const void *)&s->addend64[1] : &s->addend[1], size);
	args[6] = support_value(&pairs, sizeof pairs);
	return support_launch(s->bench, s->kernel, (uint32_t)s->groups, 1, GROUP_ITEMS, 1, args, 7,
	                      error);
}

static eh_status fma_poison(void *state, eh_error *error)
{
	fma_state *s = state;
	return support_poison(s->bench, s->out, s->groups * s->group_bytes, error);
}

static eh_status fma_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	fma_state *s = state;
	const unsigned char *want = s->want;
	const uint64_t step = SUPPORT_CHUNK / s->group_bytes;
	uint64_t first, g;
	(void)iteration;

	expect(s);
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance, "every element equal, bit by bit");
	for (first = 0; first < s->groups; first += step) {
		const uint64_t n = s->groups - first < step ? s->groups - first : step;
		const eh_status status = support_fetch(s->bench, s->got, s->out,
		                                       first * s->group_bytes,
		                                       n * s->group_bytes, error);
		if (status != EH_OK)
			return status;
		for (g = 0; g < n; g++) {
			/* The kernel starts group g at item g of the inputs. */
			const uint64_t turn = (first + g) % GROUP_ITEMS * s->width;
			const uint64_t at = (first + g) * s->elements;
			const unsigned char *got = s->got + g * s->group_bytes;
			support_check_bits(check, s->bench, "element", at, got,
			                   want + turn * s->element,
			                   s->elements - turn, s->precision);
			support_check_bits(check, s->bench, "element", at + s->elements - turn,
			                   got + (s->elements - turn) * s->element, want, turn,
			                   s->precision);
		}
	}
	support_check_end(check);
	return EH_OK;
}

static eh_status fma_vary(void *state, uint32_t variant, eh_error *error)
{
	return fma_inputs(state, variant, error);
}

static const eh_workload fma_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "fma",
	.summary = "the ceiling of multiply-add arithmetic in registers",
	.params = fma_params,
	.describe = fma_describe,
	.prepare = fma_prepare,
	.enqueue = fma_enqueue,
	.poison = fma_poison,
	.check = fma_check,
	.vary = fma_vary,
	.finish = fma_finish,
	.checks = "every element bit by bit, against the same arithmetic on the host",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &fma_workload;
}
