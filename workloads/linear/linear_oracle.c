/* SPDX-License-Identifier: Apache-2.0 */
#include "linear_oracle.h"

int linear_is_packed(const linear_shape *s)
{
	return s->kind == LINEAR_W4A16 || s->kind == LINEAR_MXFP4;
}

static const char *weight_precision(const linear_shape *s)
{
	static const char *const names[] = {"bf16", "f16", "f32", "e4m3", "i8"};
	return linear_is_packed(s) ? "" : names[s->kind];
}

static uint32_t stored_bytes(const linear_shape *s)
{
	return linear_is_packed(s) ? 1 : support_element_bytes(weight_precision(s));
}

uint64_t linear_weight_bytes(const linear_shape *s)
{
	return s->n * s->k * stored_bytes(s) / (linear_is_packed(s) ? 2 : 1);
}

uint64_t linear_scales(const linear_shape *s)
{
	return s->group == 0 ? 0 : s->n * s->k / s->group;
}

uint32_t linear_scale_bytes(const linear_shape *s)
{
	return s->kind == LINEAR_MXFP4 ? 1 : s->kind == LINEAR_W4A16 ? 2 : 4;
}

eh_status linear_oracle_make(linear_oracle *o, const eh_bench *bench, const linear_shape *shape)
{
	o->bench = bench;
	o->shape = *shape;
	o->element = support_element_bytes(shape->precision);
	o->stored = stored_bytes(shape);
	o->x = malloc(ORACLE_BLOCK * o->element);
	o->w = malloc(ORACLE_BLOCK * o->stored);
	o->scale = malloc(ORACLE_SCALES * sizeof(float));
	o->x_value = malloc(ORACLE_BLOCK * sizeof(double));
	o->w_value = malloc(2 * ORACLE_BLOCK * sizeof(double));
	o->scale_value = malloc(ORACLE_SCALES * sizeof(double));
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
	if (s->kind == LINEAR_W4A16)
		return (double)bits - 8;
	return (bits & 8) != 0 ? -e2m1[bits & 7] : e2m1[bits & 7];
}

/* The doubles of what the blocks hold. */
static void read_blocks(linear_oracle *o)
{
	const linear_shape *s = &o->shape;
	const uint8_t *bytes = o->w;
	uint64_t i;
	for (i = 0; i < ORACLE_BLOCK; i++) {
		o->x_value[i] = support_value_of(o->bench, (const char *)o->x + i * o->element,
		                                 s->precision);
		if (linear_is_packed(s)) {
			o->w_value[2 * i] = nibble_value(s, bytes[i] & 15U);
			o->w_value[2 * i + 1] = nibble_value(s, bytes[i] >> 4);
		} else {
			o->w_value[i] = support_value_of(o->bench, bytes + i * o->stored,
			                                 weight_precision(s));
		}
	}
}

static void put_scale(linear_oracle *o, uint64_t i, float value)
{
	const linear_shape *s = &o->shape;
	if (s->kind == LINEAR_MXFP4)
		((uint8_t *)o->scale)[i] = (uint8_t)(127 + ilogbf(value));
	else if (s->kind == LINEAR_W4A16)
		support_encode((uint16_t *)o->scale + i, value, s->precision);
	else
		((float *)o->scale)[i] = value;
	o->scale_value[i] = s->kind == LINEAR_MXFP4 ? ldexp(1, ilogbf(value))
	                    : s->kind == LINEAR_W4A16
		                    ? support_value_of(o->bench, (uint16_t *)o->scale + i, s->precision)
		                    : value;
}

/*
 * Scales that make the elements of about 1: of i8 from 32, of four bits from 4.  Crafted ones are 1, 2
 * and 4, so that the sum of a row stays an integer.
 */
static void make_scales(linear_oracle *o, uint32_t stream)
{
	const linear_shape *s = &o->shape;
	const float unit = s->kind == LINEAR_I8 ? 0x1p-5F : linear_is_packed(s) ? 0x1p-2F : 1;
	uint8_t bytes[1024];
	uint64_t i;
	for (i = 0; s->group != 0 && i < ORACLE_SCALES; i++) {
		uint32_t r;
		if (i % sizeof bytes == 0)
			o->bench->fill_bytes(o->bench, bytes, i, sizeof bytes, o->bench->values->seed,
			                     stream);
		r = bytes[i % sizeof bytes];
		put_scale(o, i, o->exact ? ldexpf(1, (int)(r % 3)) : unit * (0.5F + (float)r / 256));
	}
}

static void make_signs(linear_oracle *o, uint32_t stream)
{
	uint64_t i;
	for (i = 0; i < o->shape.n; i++) {
		uint8_t byte;
		o->bench->fill_bytes(o->bench, &byte, i, 1, o->bench->values->seed, stream);
		o->sign[i] = (byte & 1) != 0 ? 1 : -1;
	}
}

/* Where w_value has an element. */
static uint64_t place_of(const linear_shape *s, uint64_t row, uint64_t column)
{
	const uint64_t index = row * s->k + column;
	if (!linear_is_packed(s))
		return index % ORACLE_BLOCK;
	/* Blocks of 32 in 16 bytes: byte i has element i low and i + 16 high. */
	return 2 * ((index / 32 * 16 + index % 16) % ORACLE_BLOCK) + (index / 16) % 2;
}

/* Row `row` of W, with its scales, into o->row. */
static void read_row(const linear_oracle *o, uint64_t row)
{
	const linear_shape *s = &o->shape;
	const uint64_t step = linear_is_packed(s) ? 2 : 1, run = linear_is_packed(s) ? 16 : s->k;
	uint64_t k, i;
	for (k = 0; k < s->k; k += run) {
		const double scale = s->group == 0 ? 1
		                     : o->scale_value[(row * s->k + k) / s->group % ORACLE_SCALES];
		uint64_t at = place_of(s, row, k);
		for (i = 0; i < run; i++) {
			o->row[k + i] = scale * o->w_value[at];
			at += step;
			if (at >= step * ORACLE_BLOCK)
				at -= step * ORACLE_BLOCK;
		}
	}
}

/* Once for some inputs, because it reads all of W. */
static void make_vector(linear_oracle *o)
{
	const linear_shape *s = &o->shape;
	uint64_t row, k;
	for (k = 0; k < s->k; k++)
		o->vector[k] = 0;
	for (row = 0; row < s->n; row++) {
		const double sign = o->sign[row];
		read_row(o, row);
		for (k = 0; k < s->k; k++)
			o->vector[k] += sign * o->row[k];
	}
}

void linear_oracle_normal(linear_oracle *o, uint32_t variant)
{
	const eh_bench *b = o->bench;
	const uint64_t seed = b->values->seed;
	o->exact = 0;
	b->fill_normal(b, o->x, 0, ORACLE_BLOCK, o->shape.precision, seed, 4 * variant);
	if (linear_is_packed(&o->shape))
		b->fill_bytes(b, o->w, 0, ORACLE_BLOCK, seed, 4 * variant + 1);
	else
		b->fill_normal(b, o->w, 0, ORACLE_BLOCK, weight_precision(&o->shape), seed,
		               4 * variant + 1);
	make_scales(o, 4 * variant + 2);
	make_signs(o, 4 * variant + 3);
	read_blocks(o);
	make_vector(o);
}

/* The share of non-zero elements, of 256: a sum of k products stays below `range`, by eight standard
 * deviations; scales in a row that are 1, 2 and 4 add up to sqrt(7) times that. */
static uint32_t crafted_density(const linear_oracle *o)
{
	const char *y = o->shape.precision;
	const double range = strcmp(y, "f16") == 0 ? 0x1p11 : strcmp(y, "bf16") == 0 ? 0x1p8 : 0x1p24;
	const double spread = linear_is_packed(&o->shape) ? sqrt(7.0) : 1;
	const double share = range / 8 / spread / sqrt((double)o->shape.k);
	return share >= 0.75 ? 192 : (uint32_t)(share * 256);
}

static int crafted_unit(uint32_t random, uint32_t density)
{
	return random >= density ? 0 : (random & 1) != 0 ? 1 : -1;
}

/* -1, 0 or 1 as an element of W; of four bits in the low ones. */
static void put_weight(const linear_oracle *o, void *out, int x)
{
	const enum linear_kind kind = o->shape.kind;
	uint8_t code = (uint8_t)(int8_t)x;
	if (kind <= LINEAR_F32) {
		support_encode(out, (float)x, weight_precision(&o->shape));
		return;
	}
	if (kind == LINEAR_E4M3)
		code = (uint8_t)(x == 0 ? 0 : x < 0 ? 0xb8 : 0x38);
	else if (kind == LINEAR_W4A16)
		code = (uint8_t)(8 + x);
	else if (kind == LINEAR_MXFP4)
		code = (uint8_t)(x == 0 ? 0 : x < 0 ? 0xa : 0x2);
	memcpy(out, &code, sizeof code);
}

void linear_oracle_crafted(linear_oracle *o)
{
	const uint32_t density = crafted_density(o);
	const uint64_t seed = o->bench->values->seed;
	/* Lies in w_value until that is made. */
	uint8_t *random = (uint8_t *)o->w_value;
	uint64_t i;
	o->exact = 1;
	o->bench->fill_bytes(o->bench, random, 0, 3 * ORACLE_BLOCK, seed, 80);
	for (i = 0; i < ORACLE_BLOCK; i++) {
		uint8_t *w = (uint8_t *)o->w + i * o->stored;
		support_encode((char *)o->x + i * o->element,
		               (float)crafted_unit(random[i], density), o->shape.precision);
		put_weight(o, w, crafted_unit(random[ORACLE_BLOCK + i], density));
		if (linear_is_packed(&o->shape)) {
			uint8_t high;
			put_weight(o, &high, crafted_unit(random[2 * ORACLE_BLOCK + i], density));
			*w = (uint8_t)(*w | high << 4);
		}
	}
	make_scales(o, 81);
	make_signs(o, 82);
	read_blocks(o);
	make_vector(o);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* Token `token` of x times a vector; *magnitude receives the sum of the products' magnitudes. */
static double x_times(const linear_oracle *o, uint64_t token, const double *vector, double *magnitude)
{
	double sum = 0, size = 0;
	uint64_t at = token * o->shape.k % ORACLE_BLOCK, k;
	for (k = 0; k < o->shape.k; k++) {
		const double product = o->x_value[at] * vector[k];
		sum += product;
		size += fabs(product);
		if (++at == ORACLE_BLOCK)
			at = 0;
	}
	*magnitude = size;
	return sum;
}

/* Position i of `samples` spread over 0..size-1: both ends, and one place at random in between. */
static uint64_t sample(const linear_oracle *o, uint64_t i, uint64_t samples, uint64_t size)
{
	const uint64_t from = i * size / samples, width = (i + 1) * size / samples - from;
	uint32_t random;
	if (samples == size || i == 0)
		return i;
	if (i == samples - 1)
		return size - 1;
	o->bench->fill_bytes(o->bench, &random, i * sizeof random, sizeof random, o->bench->values->seed,
	                     71);
	return from + random % width;
}

/* The limits of gate B (docs/workloads.md). */
static double accumulate_constant(const linear_oracle *o)
{
	if (o->shape.kind == LINEAR_F32 && o->element == 4)
		return 8 * 0x1p-24;
	return 0x1p-24 * fmax(8, 0.5 * sqrt((double)o->shape.k));
}

static double output_unit(const linear_oracle *o)
{
	const char *y = o->shape.precision;
	return strcmp(y, "f16") == 0 ? 0x1p-11 : strcmp(y, "bf16") == 0 ? 0x1p-8 : 0x1p-24;
}

static double rho_limit(const linear_oracle *o)
{
	const char *y = o->shape.precision;
	return strcmp(y, "f16") == 0 ? 4e-4 : strcmp(y, "bf16") == 0 ? 3e-3 : 1e-5;
}

/* Half the step of f16's subnormal numbers; those of the others are far below any sum. */
static double smallest_error(const linear_oracle *o)
{
	return strcmp(o->shape.precision, "f16") == 0 ? 0x1p-25 : 0;
}

static double got_element(const linear_oracle *o, const void *y, uint64_t at)
{
	return support_value_of(o->bench, (const char *)y + at * o->element, o->shape.precision);
}

/* Returns the largest allowance of an element, and adds to the squares of differences and values. */
static double check_samples(const linear_oracle *o, const void *y, eh_check *check, double *difference,
                            double *norm)
{
	const linear_shape *s = &o->shape;
	const uint64_t rows = s->n < ORACLE_ROWS ? s->n : ORACLE_ROWS;
	const uint64_t tokens = s->m < ORACLE_TOKENS ? s->m : ORACLE_TOKENS;
	double most = 0;
	uint64_t i, j;
	for (i = 0; i < rows; i++) {
		const uint64_t row = sample(o, i, rows, s->n);
		read_row(o, row);
		for (j = 0; j < tokens; j++) {
			const uint64_t token = sample(o, j, tokens, s->m), at = token * s->n + row;
			const double got = got_element(o, y, at);
			double magnitude, allowed;
			const double want = x_times(o, token, o->row, &magnitude);
			allowed = output_unit(o) * fabs(want) + accumulate_constant(o) * magnitude +
			          smallest_error(o);
			support_check_value(check, "sampled element", at, got, want,
			                    o->exact ? 0 : allowed);
			most = allowed > most ? allowed : most;
			*difference += (got - want) * (got - want);
			*norm += want * want;
		}
	}
	return most;
}

/*
 * All of a token's elements, added up with random signs, must be that token of x times (signs * W).
 * The errors of n elements with random signs add up like a random walk, so 4 sqrt(n) times the
 * largest allowance among the samples is generous, and still far below what is not there at all.
 */
static void check_tokens(const linear_oracle *o, const void *y, double most, eh_check *check)
{
	const linear_shape *s = &o->shape;
	const double allowed = o->exact ? 0 : 4 * sqrt((double)s->n) * most;
	uint64_t token, i;
	for (token = 0; token < s->m; token++) {
		double magnitude, got = 0;
		const double want = x_times(o, token, o->vector, &magnitude);
		for (i = 0; i < s->n; i++)
			got += o->sign[i] * got_element(o, y, token * s->n + i);
		support_check_value(check, "signed sum of token", token, got, want, allowed);
	}
}

void linear_oracle_check(const linear_oracle *o, const void *y, eh_check *check)
{
	double difference = 0, norm = 0, most;
	support_check_begin(check, o->exact ? "A" : "B");
	if (o->exact) {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "64 rows of W and the signed sums of all tokens equal");
	} else {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|y-R| <= %.3g |R| + %.3g |x||W| for 64 rows of W; signed sums", output_unit(o),
		         accumulate_constant(o));
		/* A norm over few elements is no better than the worst of them. */
		if (o->shape.m * o->shape.n >= 1024)
			check->rho_limit = rho_limit(o);
	}
	most = check_samples(o, y, check, &difference, &norm);
	check_tokens(o, y, most, check);
	check->rho = norm > 0 ? sqrt(difference / norm) : 0;
	support_check_end(check);
}
