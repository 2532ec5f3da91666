/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_oracle.h"

uint64_t gemm_elements_a(const gemm_shape *s)
{
	return s->batch * s->m * s->k;
}

uint64_t gemm_elements_b(const gemm_shape *s)
{
	return s->batch * s->k * s->n;
}

uint64_t gemm_elements_c(const gemm_shape *s)
{
	return s->batch * s->m * s->n;
}

eh_status gemm_oracle_make(gemm_oracle *o, const eh_bench *bench, const gemm_shape *shape)
{
	int i;
	o->bench = bench;
	o->shape = *shape;
	o->element = support_element_bytes(shape->precision);
	o->out = support_element_bytes(shape->output);
	for (i = 0; i < 2; i++) {
		o->block[i] = malloc(ORACLE_BLOCK * o->element);
		o->value[i] = malloc(ORACLE_BLOCK * sizeof(double));
	}
	o->sign = malloc(shape->n * sizeof(double));
	o->vector = malloc(shape->k * sizeof(double));
	o->column = malloc(shape->k * sizeof(double));
	if (o->block[0] == NULL || o->block[1] == NULL || o->value[0] == NULL ||
	    o->value[1] == NULL || o->sign == NULL || o->vector == NULL || o->column == NULL)
		return EH_E_NO_MEMORY;
	return EH_OK;
}

void gemm_oracle_free(gemm_oracle *o)
{
	int i;
	for (i = 0; i < 2; i++) {
		free(o->block[i]);
		free(o->value[i]);
	}
	free(o->sign);
	free(o->vector);
	free(o->column);
}

/* ---- factors -------------------------------------------------------------------------------- */

static int is_tf32(const gemm_oracle *o)
{
	return strcmp(o->shape.precision, "tf32") == 0;
}

static int is_integer(const gemm_oracle *o)
{
	return o->shape.precision[0] == 'i';
}

/* To the 10 bits of fraction of tf32, to nearest even, so that every multiplier sees the same. */
static void round_tf32(float *values, uint64_t count)
{
	uint64_t i;
	for (i = 0; i < count; i++) {
		uint32_t u;
		memcpy(&u, &values[i], sizeof u);
		u = (u + 0xfffu + (u >> 13 & 1u)) & ~0x1fffu;
		memcpy(&values[i], &u, sizeof u);
	}
}

void gemm_oracle_normal(gemm_oracle *o, uint32_t variant)
{
	const char *precision = is_tf32(o) ? "f32" : o->shape.precision;
	uint32_t f;
	o->variant = variant;
	o->exact = is_integer(o);
	for (f = 0; f < 2; f++) {
		const uint64_t used = f == 0 ? gemm_elements_a(&o->shape) : gemm_elements_b(&o->shape);
		const uint64_t count = variant != 0 && used < ORACLE_BLOCK ? used : ORACLE_BLOCK;
		o->bench->fill_normal(o->bench, o->block[f], 0, count, precision,
		                      o->bench->values->seed, 2 * variant + f);
		if (is_tf32(o))
			round_tf32(o->block[f], count);
		oracle_values(o->bench, o->value[f], o->block[f], count, precision);
	}
	oracle_signs(o->bench, o->sign, o->shape.n, 90 + variant);
}

/* Of integers every value: sums fit in i32, and what adds up pairs of products in fewer bits shows. */
static int crafted_integer(uint32_t random)
{
	return random == 128 ? -127 : (int8_t)random;
}

void gemm_oracle_crafted(gemm_oracle *o)
{
	const uint32_t density = oracle_density(o->shape.output, o->shape.k, 1);
	uint32_t f;
	uint64_t i;
	o->exact = 1;
	for (f = 0; f < 2; f++) {
		/* The bytes lie in the last eighth of the doubles, each read before overwritten. */
		uint8_t *random = (uint8_t *)o->value[f] + ORACLE_BLOCK * 7;
		o->bench->fill_bytes(o->bench, random, 0, ORACLE_BLOCK, o->bench->values->seed, 80 + f);
		for (i = 0; i < ORACLE_BLOCK; i++) {
			const uint32_t r = random[i];
			const int x = is_integer(o) ? crafted_integer(r) : oracle_unit(r, density);
			o->value[f][i] = x;
			oracle_encode_whole((char *)o->block[f] + i * o->element, x, o->shape.precision);
		}
	}
	oracle_signs(o->bench, o->sign, o->shape.n, 90 + o->variant);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* The value of the repeated block at a place in the matrices of the batch. */
static double factor(const gemm_oracle *o, int f, uint64_t index)
{
	return o->value[f][index % ORACLE_BLOCK];
}

/* The sum over j of x[j] times the factor's elements from `index` on, `step` apart; *magnitude receives the
 * sum of the products' magnitudes. */
static double strided_times(const gemm_oracle *o, int f, uint64_t index, uint64_t step,
                            const double *x, uint64_t count, double *magnitude)
{
	double sum = 0, size = 0;
	uint64_t i, at = index % ORACLE_BLOCK;
	const uint64_t stride = step % ORACLE_BLOCK;
	for (i = 0; i < count; i++) {
		const double product = o->value[f][at] * x[i];
		sum += product;
		size += fabs(product);
		at += stride;
		at = at >= ORACLE_BLOCK ? at - ORACLE_BLOCK : at;
	}
	*magnitude = size;
	return sum;
}

/* Row `row` of op(A) of product p, times x. */
static double a_times(const gemm_oracle *o, uint64_t p, uint64_t row, const double *x,
                      double *magnitude)
{
	const gemm_shape *s = &o->shape;
	const uint64_t first = p * s->m * s->k;
	return s->turn_a ? strided_times(o, 0, first + row, s->m, x, s->k, magnitude)
	                 : oracle_times(o->value[0], first + row * s->k, x, s->k, magnitude);
}

/* Row `row` of op(B) of product p, times x. */
static double b_times(const gemm_oracle *o, uint64_t p, uint64_t row, const double *x,
                      double *magnitude)
{
	const gemm_shape *s = &o->shape;
	const uint64_t first = p * s->k * s->n;
	return s->turn_b ? strided_times(o, 1, first + row, s->k, x, s->n, magnitude)
	                 : oracle_times(o->value[1], first + row * s->n, x, s->n, magnitude);
}

static double got_element(const gemm_oracle *o, const void *c, uint64_t at)
{
	return support_value_of(o->bench, (const char *)c + at * o->out, o->shape.output);
}

static double accumulate_constant(const gemm_oracle *o)
{
	return oracle_accumulate_constant(o->shape.precision, o->shape.k);
}

/*
 * The same for sums of 14 bits that are put together in f32 after at most 256 terms, which is what NVIDIA's
 * Hopper makes of 8-bit floats.  tests/stat/few-bits.py simulates them (docs/workloads.md).
 */
static double few_bits_constant(const gemm_oracle *o)
{
	return 0x1p-14 * fmin(6, fmax(1, 6 * sqrt(128 / (double)o->shape.k)));
}

/* An f32 output of smaller factors may come of tf32 (docs/workloads.md). */
static double rho_limit(const gemm_oracle *o)
{
	const int mixed = strcmp(o->shape.output, "f32") == 0 && strcmp(o->shape.precision, "f32") != 0;
	return mixed ? 4e-4 : oracle_rho_limit(o->shape.output);
}

/* Of product p; adds to the squares of the differences and of the values. */
static void check_samples(gemm_oracle *o, const void *c, uint64_t p, eh_check *check,
                          double *difference, double *norm)
{
	const gemm_shape *s = &o->shape;
	const uint64_t most = s->batch > 1 ? ORACLE_BATCH_SAMPLES : ORACLE_SAMPLES;
	const uint64_t rows = s->m < most ? s->m : most;
	const uint64_t columns = s->n < most ? s->n : most;
	const double constant = accumulate_constant(o), unit = oracle_output_unit(s->output);
	uint64_t i, j, x;
	for (j = 0; j < columns; j++) {
		const uint64_t col = oracle_sample(o->bench, j, columns, s->n, 71);
		const uint64_t from = p * s->k * s->n + (s->turn_b ? col * s->k : col);
		const uint64_t step = s->turn_b ? 1 : s->n;
		for (x = 0; x < s->k; x++)
			o->column[x] = factor(o, 1, from + x * step);
		for (i = 0; i < rows; i++) {
			const uint64_t row = oracle_sample(o->bench, i, rows, s->m, 70);
			const uint64_t at = (p * s->m + row) * s->n + col;
			const double got = got_element(o, c, at);
			double magnitude;
			const double want = a_times(o, p, row, o->column, &magnitude);
			double allowed = unit * fabs(want) + constant * magnitude +
			                 oracle_smallest_error(s->output);
			if (o->few_allowed && !o->exact && !(fabs(got - want) <= allowed)) {
				o->few_seen = 1;
				allowed += few_bits_constant(o) * magnitude;
			}
			support_check_value(check, "sampled element", at, got, want,
			                    o->exact ? 0 : allowed);
			*difference += (got - want) * (got - want);
			*norm += want * want;
		}
	}
}

/*
 * Row i of C times the signs must be row i of A times (B * signs).  Gate B limits the error of an
 * element; the errors of n elements with random signs add up like a random walk.  So sqrt(n) times
 * the limit of an element is generous, and still far below any element.
 */
static void check_rows(gemm_oracle *o, const void *c, uint64_t p, eh_check *check)
{
	const gemm_shape *s = &o->shape;
	const double k = (double)s->k;
	/* Of normal factors: |want| is about sqrt(k), or of few products at most 16; |A||B| about 2k/pi. */
	const double typical = k < 64 ? 16 : sqrt(k);
	const double each = oracle_output_unit(s->output) * typical + accumulate_constant(o) * 0.64 * k +
	                    (o->few_allowed ? 4 * 0x1p-14 * typical : 0);
	const double allowed = o->exact ? 0 : 4 * sqrt((double)s->n) * each;
	double magnitude;
	uint64_t i, j;
	for (i = 0; i < s->k; i++)
		o->vector[i] = b_times(o, p, i, o->sign, &magnitude);
	for (i = 0; i < s->m; i++) {
		const uint64_t row = p * s->m + i;
		const double want = a_times(o, p, i, o->vector, &magnitude);
		double got = 0;
		for (j = 0; j < s->n; j++)
			got += o->sign[j] * got_element(o, c, row * s->n + j);
		support_check_value(check, "signed sum of row", row, got, want, allowed);
	}
}

void gemm_oracle_check(gemm_oracle *o, const void *c, eh_check *check)
{
	double difference = 0, norm = 0;
	uint64_t p;
	support_check_begin(check, o->exact ? "A" : "B");
	o->few_seen = 0;
	if (o->exact) {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "64 x 64 elements and the signed sums of all rows equal");
	} else {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|C-R| <= %.3g |R| + %.3g |A||B| on 64 x 64; signed row sums",
		         oracle_output_unit(o->shape.output),
		         accumulate_constant(o) + (o->few_allowed ? few_bits_constant(o) : 0));
		/* A norm over few elements is no better than the worst of them. */
		if (o->shape.batch * o->shape.m * o->shape.n >= 1024)
			check->rho_limit = rho_limit(o);
	}
	for (p = 0; p < o->shape.batch; p++) {
		check_samples(o, c, p, check, &difference, &norm);
		check_rows(o, c, p, check);
	}
	check->rho = norm > 0 ? sqrt(difference / norm) : 0;
	support_check_end(check);
	if (check->passed && o->few_seen)
		snprintf(check->detail, sizeof check->detail, "sums have fewer bits than those of f32");
}
