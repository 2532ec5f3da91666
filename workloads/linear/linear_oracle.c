/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_oracle.h"

const linear_format *linear_format_of(enum linear_kind kind)
{
	static const linear_format formats[] = {
		[LINEAR_BF16] = {"bf16", 16, 0, ""}, [LINEAR_F16] = {"f16", 16, 0, ""},
		[LINEAR_F32] = {"f32", 32, 0, ""},   [LINEAR_E4M3] = {"e4m3", 8, 1, "f32"},
		[LINEAR_I8] = {"i8", 8, 1, "f32"},   [LINEAR_I4] = {"i4", 4, 128, NULL},
		[LINEAR_MXFP4] = {"e2m1", 4, 32, "e8m0"},
	};
	return &formats[kind];
}

static int is_packed(const linear_shape *s)
{
	return s->format->bits == 4;
}

uint64_t linear_weight_bytes(const linear_shape *s)
{
	return s->n * s->k * s->format->bits / 8;
}

/* Elements along k that share a scale. */
static uint64_t group_of(const linear_shape *s)
{
	return s->format->group == 1 ? s->k : s->format->group;
}

uint64_t linear_scales(const linear_shape *s)
{
	return s->format->group == 0 ? 0 : s->n * s->k / group_of(s);
}

const char *linear_scale_precision(const linear_shape *s)
{
	return s->format->scale != NULL ? s->format->scale : s->precision;
}

uint32_t linear_scale_bytes(const linear_shape *s)
{
	return support_element_bytes(linear_scale_precision(s));
}

static uint64_t at_most(uint64_t count, uint64_t most)
{
	return count < most ? count : most;
}

eh_status linear_oracle_make(linear_oracle *o, const eh_bench *bench, const linear_shape *shape)
{
	o->bench = bench;
	o->shape = *shape;
	o->element = support_element_bytes(shape->precision);
	o->stored = (shape->format->bits + 7) / 8;
	o->parts = is_packed(shape) ? 2 : 1;
	o->x_count = at_most(shape->m * shape->k, ORACLE_BLOCK);
	o->w_count = at_most(linear_weight_bytes(shape) / o->stored, ORACLE_BLOCK);
	o->scale_count = at_most(linear_scales(shape), ORACLE_SCALES);
	o->x = malloc(o->x_count * o->element);
	o->w = malloc(o->w_count * o->stored);
	o->scale = malloc((o->scale_count + 1) * sizeof(float));
	o->x_value = malloc(o->x_count * sizeof(double));
	o->w_value = malloc(o->w_count * o->parts * sizeof(double));
	o->scale_value = malloc((o->scale_count + 1) * sizeof(double));
	o->sign = malloc(shape->n * sizeof(double));
	o->vector = malloc(shape->k * sizeof(double));
	o->row = malloc(shape->k * sizeof(double));
	if (o->x == NULL || o->w == NULL || o->scale == NULL || o->x_value == NULL ||
	    o->w_value == NULL || o->scale_value == NULL || o->sign == NULL || o->vector == NULL ||
	    o->row == NULL)
		return EH_E_NO_MEMORY;
	return EH_OK;
}

void linear_oracle_free(linear_oracle *o)
{
	free(o->x);
	free(o->w);
	free(o->scale);
	free(o->x_value);
	free(o->w_value);
	free(o->scale_value);
	free(o->sign);
	free(o->vector);
	free(o->row);
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* The value of four bits: an integer + 8, or e2m1. */
static double nibble_value(const linear_shape *s, uint32_t bits)
{
	static const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
	if (s->format->name[0] == 'i')
		return (double)bits - 8;
	return (bits & 8) != 0 ? -e2m1[bits & 7] : e2m1[bits & 7];
}

/* The doubles of what the blocks hold. */
static void read_blocks(linear_oracle *o)
{
	const linear_shape *s = &o->shape;
	const uint8_t *bytes = o->w;
	uint64_t i;
	oracle_values(o->bench, o->x_value, o->x, o->x_count, s->precision);
	if (!is_packed(s))
		oracle_values(o->bench, o->w_value, o->w, o->w_count, s->format->name);
	for (i = 0; is_packed(s) && i < o->w_count; i++) {
		o->w_value[2 * i] = nibble_value(s, bytes[i] & 15U);
		o->w_value[2 * i + 1] = nibble_value(s, bytes[i] >> 4);
	}
}

static void put_scale(linear_oracle *o, uint64_t i, float value)
{
	const char *precision = linear_scale_precision(&o->shape);
	uint8_t *out = (uint8_t *)o->scale + i * linear_scale_bytes(&o->shape);
	if (strcmp(precision, "e8m0") == 0) {
		*out = (uint8_t)(127 + ilogbf(value));
		o->scale_value[i] = value;
	} else {
		support_encode(out, value, precision);
		o->scale_value[i] = support_value_of(o->bench, out, precision);
	}
}

/*
 * Scales that make the elements of about 1: of i8 from 32, of four bits from 4.  Powers of two are
 * from 1/64 to 2.  Crafted ones are 1, 2 and 4, so that the sum of a row stays an integer.
 */
static void make_scales(linear_oracle *o, uint32_t stream)
{
	const linear_format *format = o->shape.format;
	const float unit = format->bits == 4 ? 0x1p-2F : format->name[0] == 'i' ? 0x1p-5F : 1;
	const int powers = strcmp(linear_scale_precision(&o->shape), "e8m0") == 0;
	uint8_t bytes[1024];
	uint64_t i;
	for (i = 0; i < o->scale_count; i++) {
		uint32_t r;
		if (i % sizeof bytes == 0)
			o->bench->fill_bytes(o->bench, bytes, i, sizeof bytes, o->bench->values->seed,
			                     stream);
		r = bytes[i % sizeof bytes];
		put_scale(o, i, o->exact ? ldexpf(1, (int)(r % 3)) : powers ? ldexpf(1, (int)(r % 8) - 6)
		                                                            : unit * (0.5F + (float)r / 256));
	}
}

/* What follows from the blocks of x and W. */
static void finish_inputs(linear_oracle *o, uint32_t stream)
{
	make_scales(o, stream);
	oracle_signs(o->bench, o->sign, o->shape.n, stream + 1);
	read_blocks(o);
	o->vector_made = 0;
}

void linear_oracle_normal(linear_oracle *o, uint32_t variant)
{
	const eh_bench *b = o->bench;
	const uint64_t seed = b->values->seed;
	o->exact = 0;
	b->fill_normal(b, o->x, 0, o->x_count, o->shape.precision, seed, 4 * variant);
	if (is_packed(&o->shape))
		b->fill_bytes(b, o->w, 0, o->w_count, seed, 4 * variant + 1);
	else
		b->fill_normal(b, o->w, 0, o->w_count, o->shape.format->name, seed, 4 * variant + 1);
	finish_inputs(o, 4 * variant + 2);
}

/* -1, 0 or 1 as four bits. */
static uint32_t encode_nibble(const linear_shape *s, int x)
{
	if (s->format->name[0] == 'i')
		return (uint32_t)(8 + x);
	return x == 0 ? 0 : x < 0 ? 10 : 2;
}

void linear_oracle_crafted(linear_oracle *o)
{
	const linear_shape *s = &o->shape;
	/* Scales in a row that are 1, 2 and 4 add up to sqrt(7) times one of 1. */
	const uint32_t density = oracle_density(s->precision, s->k, is_packed(s) ? sqrt(7.0) : 1);
	/* The bytes lie in the doubles, until those are made. */
	uint8_t *x = (uint8_t *)o->x_value, *w = (uint8_t *)o->w_value, *out = o->w;
	uint64_t i;
	o->exact = 1;
	o->bench->fill_bytes(o->bench, x, 0, o->x_count, o->bench->values->seed, 80);
	o->bench->fill_bytes(o->bench, w, 0, o->w_count * o->parts, o->bench->values->seed, 81);
	for (i = 0; i < o->x_count; i++)
		oracle_encode_whole((char *)o->x + i * o->element, oracle_unit(x[i], density),
		                    s->precision);
	for (i = 0; i < o->w_count; i++)
		if (is_packed(s))
			out[i] = (uint8_t)(encode_nibble(s, oracle_unit(w[2 * i], density)) |
			                   encode_nibble(s, oracle_unit(w[2 * i + 1], density)) << 4);
		else
			oracle_encode_whole(out + i * o->stored, oracle_unit(w[i], density),
			                    s->format->name);
	finish_inputs(o, 82);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* Where w_value has an element. */
static uint64_t place_of(const linear_shape *s, uint64_t row, uint64_t column)
{
	const uint64_t index = row * s->k + column;
	if (!is_packed(s))
		return index % ORACLE_BLOCK;
	/* Blocks of 32 in 16 bytes: byte i has element i low and i + 16 high. */
	return 2 * ((index / 32 * 16 + index % 16) % ORACLE_BLOCK) + (index / 16) % 2;
}

/* Row `row` of W, with its scales, into o->row. */
static void read_row(linear_oracle *o, uint64_t row)
{
	const linear_shape *s = &o->shape;
	const uint64_t run = is_packed(s) ? 16 : s->k;
	uint64_t k, i;
	for (k = 0; k < s->k; k += run) {
		const double scale = o->scale_count == 0 ? 1
		                     : o->scale_value[(row * s->k + k) / group_of(s) % ORACLE_SCALES];
		uint64_t at = place_of(s, row, k);
		for (i = 0; i < run; i++) {
			o->row[k + i] = scale * o->w_value[at];
			at += o->parts;
			if (at >= o->parts * ORACLE_BLOCK)
				at -= o->parts * ORACLE_BLOCK;
		}
	}
}

/* Once for the inputs that are checked, because it reads all of W. */
static void make_vector(linear_oracle *o)
{
	const linear_shape *s = &o->shape;
	uint64_t row, k;
	memset(o->vector, 0, s->k * sizeof *o->vector);
	for (row = 0; row < s->n; row++) {
		const double sign = o->sign[row];
		read_row(o, row);
		for (k = 0; k < s->k; k++)
			o->vector[k] += sign * o->row[k];
	}
	o->vector_made = 1;
}

/* Token `token` of x times a vector; *magnitude receives the sum of the products' magnitudes. */
static double x_times(const linear_oracle *o, uint64_t token, const double *vector, double *magnitude)
{
	return oracle_times(o->x_value, token * o->shape.k, vector, o->shape.k, magnitude);
}

static double accumulate_constant(const linear_oracle *o)
{
	const int wide = o->shape.format->bits == 32 && o->element == 4;
	return oracle_accumulate_constant(wide ? "f32" : "", o->shape.k);
}

static double got_element(const linear_oracle *o, const void *y, uint64_t at)
{
	return support_value_of(o->bench, (const char *)y + at * o->element, o->shape.precision);
}

/*
 * Returns the allowance of a signed sum, and sets rho.  The errors of n elements with random signs add
 * up like a random walk, so 4 sqrt(n) times that of a usual sample is generous, and still far below
 * what is not there at all.
 */
static double check_samples(linear_oracle *o, const void *y, eh_check *check)
{
	const linear_shape *s = &o->shape;
	const uint64_t rows = at_most(s->n, ORACLE_ROWS);
	const double unit = oracle_output_unit(s->precision), constant = accumulate_constant(o);
	double difference = 0, norm = 0, most = 0, squares = 0;
	uint64_t i, token;
	for (i = 0; i < rows; i++) {
		const uint64_t row = oracle_sample(o->bench, i, rows, s->n, 70);
		read_row(o, row);
		for (token = 0; token < s->m; token++) {
			const uint64_t at = token * s->n + row;
			const double got = got_element(o, y, at);
			double magnitude, allowed;
			const double want = x_times(o, token, o->row, &magnitude);
			allowed = unit * fabs(want) + constant * magnitude +
			          oracle_smallest_error(s->precision);
			support_check_value(check, "sampled element", at, got, want,
			                    o->exact ? 0 : allowed);
			most = fmax(most, allowed);
			squares += allowed * allowed;
			difference += (got - want) * (got - want);
			norm += want * want;
		}
	}
	check->rho = norm > 0 ? sqrt(difference / norm) : 0;
	return fmax(most, 4 * sqrt((double)s->n * squares / (double)(rows * s->m)));
}

/* All of a token's elements, added up with random signs, must be that token of x times (signs * W). */
static void check_tokens(linear_oracle *o, const void *y, double allowed, eh_check *check)
{
	const linear_shape *s = &o->shape;
	uint64_t token, i;
	if (!o->vector_made)
		make_vector(o);
	for (token = 0; token < s->m; token++) {
		double magnitude, got = 0;
		const double want = x_times(o, token, o->vector, &magnitude);
		for (i = 0; i < s->n; i++)
			got += o->sign[i] * got_element(o, y, token * s->n + i);
		support_check_value(check, "signed sum of token", token, got, want,
		                    o->exact ? 0 : allowed);
	}
}

void linear_oracle_check(linear_oracle *o, const void *y, eh_check *check)
{
	const char *precision = o->shape.precision;
	support_check_begin(check, o->exact ? "A" : "B");
	if (o->exact) {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "64 rows of W and the signed sums of all tokens equal");
	} else {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|y-R| <= %.3g |R| + %.3g |x||W| for 64 rows of W; signed sums",
		         oracle_output_unit(precision), accumulate_constant(o));
		/* A norm over few elements is no better than the worst of them. */
		if (o->shape.m * o->shape.n >= 1024)
			check->rho_limit = oracle_rho_limit(precision);
	}
	check_tokens(o, y, check_samples(o, y, check), check);
	support_check_end(check);
}
