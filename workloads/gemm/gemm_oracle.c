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

static void random_signs(gemm_oracle *o)
{
	uint64_t i;
	uint8_t byte;
	for (i = 0; i < o->shape.n; i++) {
		o->bench->fill_bytes(o->bench, &byte, i, 1, o->bench->values->seed, 90 + o->variant);
		o->sign[i] = (byte & 1) != 0 ? 1 : -1;
	}
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
	uint64_t i;
	o->variant = variant;
	o->exact = is_integer(o);
	for (f = 0; f < 2; f++) {
		const uint64_t used = f == 0 ? gemm_elements_a(&o->shape) : gemm_elements_b(&o->shape);
		const uint64_t count = variant != 0 && used < ORACLE_BLOCK ? used : ORACLE_BLOCK;
		o->bench->fill_normal(o->bench, o->block[f], 0, count, precision,
		                      o->bench->values->seed, 2 * variant + f);
		if (is_tf32(o))
			round_tf32(o->block[f], count);
		for (i = 0; i < count; i++)
			o->value[f][i] = support_value_of(
				o->bench, (const char *)o->block[f] + i * o->element, precision);
	}
	random_signs(o);
}

/* The share of non-zero elements, of 256: a sum of k products stays below `range`, by eight
 * standard deviations. */
static uint32_t crafted_density(const gemm_oracle *o)
{
	const double range = strcmp(o->shape.output, "f16") == 0    ? 0x1p11
	                     : strcmp(o->shape.output, "bf16") == 0 ? 0x1p8
	                                                            : 0x1p24;
	const double share = range / 8 / sqrt((double)o->shape.k);
	return share >= 0.75 ? 192 : (uint32_t)(share * 256);
}

/* Of integers every value: sums fit in i32, and what adds up pairs of products in fewer bits shows. */
static int crafted_integer(uint32_t random)
{
	return random == 128 ? -127 : (int8_t)random;
}

/* -1, 0 or 1 as an element, or any integer as an i8. */
static void encode_whole(void *out, int x, const char *precision)
{
	static const struct { const char *precision; uint8_t one; } small[] = {
		{"e4m3", 0x38}, {"e5m2", 0x3c}, {"e4m3z", 0x40}, {"e5m2z", 0x40}};
	const double wide = x;
	const int8_t integer = (int8_t)x;
	size_t i;
	if (strcmp(precision, "f64") == 0) {
		memcpy(out, &wide, sizeof wide);
		return;
	}
	if (precision[0] == 'i') {
		memcpy(out, &integer, sizeof integer);
		return;
	}
	for (i = 0; i < sizeof small / sizeof small[0]; i++) {
		const uint8_t code = (uint8_t)(x == 0 ? 0 : small[i].one | (x < 0 ? 0x80 : 0));
		if (strcmp(precision, small[i].precision) != 0)
			continue;
		memcpy(out, &code, sizeof code);
		return;
	}
	support_encode(out, (float)x, strcmp(precision, "tf32") == 0 ? "f32" : precision);
}

void gemm_oracle_crafted(gemm_oracle *o)
{
	const uint32_t density = crafted_density(o);
	uint32_t f;
	uint64_t i;
	o->exact = 1;
	for (f = 0; f < 2; f++) {
		/* The bytes lie in the last eighth of the doubles, each read before overwritten. */
		uint8_t *random = (uint8_t *)o->value[f] + ORACLE_BLOCK * 7;
		o->bench->fill_bytes(o->bench, random, 0, ORACLE_BLOCK, o->bench->values->seed, 80 + f);
		for (i = 0; i < ORACLE_BLOCK; i++) {
			const uint32_t r = random[i];
			const int unit = r >= density ? 0 : (r & 1) != 0 ? 1 : -1;
			const int x = is_integer(o) ? crafted_integer(r) : unit;
			o->value[f][i] = x;
			encode_whole((char *)o->block[f] + i * o->element, x, o->shape.precision);
		}
	}
	random_signs(o);
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

/* The same of neighbours, with a sum for each of four. */
static double row_times(const gemm_oracle *o, int f, uint64_t index, const double *x,
                        uint64_t count, double *magnitude)
{
	double sum = 0, size = 0;
	uint64_t done = 0, i, at = index % ORACLE_BLOCK;
	while (done < count) {
		const uint64_t left = ORACLE_BLOCK - at;
		const uint64_t run = count - done < left ? count - done : left;
		const double *v = o->value[f] + at;
		double part[4] = {0, 0, 0, 0}, sizes[4] = {0, 0, 0, 0};
		for (i = 0; i + 4 <= run; i += 4) {
			int lane;
			for (lane = 0; lane < 4; lane++) {
				const double product = v[i + lane] * x[done + i + lane];
				part[lane] += product;
				sizes[lane] += fabs(product);
			}
		}
		for (; i < run; i++) {
			sum += v[i] * x[done + i];
			size += fabs(v[i] * x[done + i]);
		}
		sum += part[0] + part[1] + (part[2] + part[3]);
		size += sizes[0] + sizes[1] + (sizes[2] + sizes[3]);
		done += run;
		at = 0;
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
	                 : row_times(o, 0, first + row * s->k, x, s->k, magnitude);
}

/* Row `row` of op(B) of product p, times x. */
static double b_times(const gemm_oracle *o, uint64_t p, uint64_t row, const double *x,
                      double *magnitude)
{
	const gemm_shape *s = &o->shape;
	const uint64_t first = p * s->k * s->n;
	return s->turn_b ? strided_times(o, 1, first + row, s->k, x, s->n, magnitude)
	                 : row_times(o, 1, first + row * s->n, x, s->n, magnitude);
}

/* Position i of `samples` spread over 0..size-1: both ends, and one place at random in between. */
static uint64_t sample(const gemm_oracle *o, uint64_t i, uint64_t samples, uint64_t size,
                       uint32_t stream)
{
	uint32_t random;
	uint64_t from, width;
	if (samples == size || i == 0)
		return i;
	if (i == samples - 1)
		return size - 1;
	from = i * size / samples;
	width = (i + 1) * size / samples - from;
	o->bench->fill_bytes(o->bench, &random, i * sizeof random, sizeof random, o->bench->values->seed,
	                     stream);
	return from + random % width;
}

static double got_element(const gemm_oracle *o, const void *c, uint64_t at)
{
	return support_value_of(o->bench, (const char *)c + at * o->out, o->shape.output);
}

/* The limits of gate B (c and rho by class of precision, docs/workloads.md). */
static double accumulate_constant(const gemm_oracle *o)
{
	const char *precision = o->shape.precision;
	if (strcmp(precision, "f64") != 0 && strcmp(precision, "f32") != 0)
		return 0x1p-24 * fmax(8, 0.5 * sqrt((double)o->shape.k));
	return 8 * support_unit(precision);
}

static double output_unit(const gemm_oracle *o)
{
	if (strcmp(o->shape.output, "f16") == 0)
		return 0x1p-11;
	return strcmp(o->shape.output, "bf16") == 0 ? 0x1p-8 : support_unit(o->shape.output);
}

/* Half the distance of f16's subnormal numbers; those of the other outputs are far below any sum. */
static double smallest_error(const gemm_oracle *o)
{
	return strcmp(o->shape.output, "f16") == 0 ? 0x1p-25 : 0;
}

static double rho_limit(const gemm_oracle *o)
{
	if (strcmp(o->shape.output, "bf16") == 0)
		return 3e-3;
	if (strcmp(o->shape.output, "f16") == 0)
		return 4e-4;
	if (strcmp(o->shape.precision, "f64") == 0)
		return 1e-13;
	return strcmp(o->shape.precision, "f32") == 0 ? 1e-5 : 4e-4;
}

/* Of product p; adds to the squares of the differences and of the values. */
static void check_samples(gemm_oracle *o, const void *c, uint64_t p, eh_check *check,
                          double *difference, double *norm)
{
	const gemm_shape *s = &o->shape;
	const uint64_t most = s->batch > 1 ? ORACLE_BATCH_SAMPLES : ORACLE_SAMPLES;
	const uint64_t rows = s->m < most ? s->m : most;
	const uint64_t columns = s->n < most ? s->n : most;
	const double constant = accumulate_constant(o), unit = output_unit(o);
	uint64_t i, j, x;
	for (j = 0; j < columns; j++) {
		const uint64_t col = sample(o, j, columns, s->n, 71);
		const uint64_t from = p * s->k * s->n + (s->turn_b ? col * s->k : col);
		const uint64_t step = s->turn_b ? 1 : s->n;
		for (x = 0; x < s->k; x++)
			o->column[x] = factor(o, 1, from + x * step);
		for (i = 0; i < rows; i++) {
			const uint64_t row = sample(o, i, rows, s->m, 70);
			const uint64_t at = (p * s->m + row) * s->n + col;
			const double got = got_element(o, c, at);
			double magnitude;
			const double want = a_times(o, p, row, o->column, &magnitude);
			const double allowed = unit * fabs(want) + constant * magnitude +
			                       smallest_error(o);
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
	const double each = output_unit(o) * typical + accumulate_constant(o) * 0.64 * k;
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
	if (o->exact) {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "64 x 64 elements and the signed sums of all rows equal");
	} else {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|C-R| <= %.3g |R| + %.3g |A||B| on 64 x 64; signed row sums",
		         output_unit(o),
		         accumulate_constant(o));
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
}
