/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_oracle.h"

eh_status gemm_oracle_make(gemm_oracle *o, const eh_bench *bench, const char *precision,
                           uint64_t m, uint64_t n, uint64_t k)
{
	int i;
	o->bench = bench;
	snprintf(o->precision, sizeof o->precision, "%s", precision);
	o->element = support_element_bytes(precision);
	o->m = m;
	o->n = n;
	o->k = k;
	for (i = 0; i < 2; i++) {
		o->block[i] = malloc(ORACLE_BLOCK * o->element);
		o->value[i] = malloc(ORACLE_BLOCK * sizeof(double));
	}
	o->sign = malloc(n * sizeof(double));
	o->vector = malloc(k * sizeof(double));
	o->column = malloc(k * sizeof(double));
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

static void random_signs(gemm_oracle *o)
{
	uint64_t i;
	uint8_t byte;
	for (i = 0; i < o->n; i++) {
		o->bench->fill_bytes(o->bench, &byte, i, 1, o->bench->values->seed, 90 + o->variant);
		o->sign[i] = (byte & 1) != 0 ? 1 : -1;
	}
}

void gemm_oracle_normal(gemm_oracle *o, uint32_t variant)
{
	uint32_t f;
	uint64_t i;
	o->variant = variant;
	o->exact = 0;
	for (f = 0; f < 2; f++) {
		const uint64_t used = f == 0 ? o->m * o->k : o->k * o->n;
		const uint64_t count = variant != 0 && used < ORACLE_BLOCK ? used : ORACLE_BLOCK;
		o->bench->fill_normal(o->bench, o->block[f], 0, count, o->precision,
		                      o->bench->values->seed, 2 * variant + f);
		for (i = 0; i < count; i++)
			o->value[f][i] = support_value_of(
				o->bench, (const char *)o->block[f] + i * o->element, o->precision);
	}
	random_signs(o);
}

/* The share of non-zero elements, of 256: a sum of k products stays below `range`, by eight
 * standard deviations. */
static uint32_t crafted_density(const gemm_oracle *o)
{
	const double range = strcmp(o->precision, "f16") == 0    ? 0x1p11
	                     : strcmp(o->precision, "bf16") == 0 ? 0x1p8
	                                                         : 0x1p24;
	const double share = range / 8 / sqrt((double)o->k);
	return share >= 0.75 ? 192 : (uint32_t)(share * 256);
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
			const double x = r >= density ? 0 : (r & 1) != 0 ? 1 : -1;
			const float y = (float)x;
			o->value[f][i] = x;
			if (o->element == 8)
				memcpy((char *)o->block[f] + i * 8, &x, 8);
			else
				support_encode((char *)o->block[f] + i * o->element, y,
				               o->precision);
		}
	}
	random_signs(o);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* The value of the repeated block at a place in the matrix. */
static double factor(const gemm_oracle *o, int f, uint64_t index)
{
	return o->value[f][index % ORACLE_BLOCK];
}

/* sum over j of x[j] times the factor's elements from `index` on; *magnitude receives the sum of
 * the products' magnitudes. */
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

static double got_element(const gemm_oracle *o, const void *c, uint64_t i, uint64_t j)
{
	return support_value_of(o->bench, (const char *)c + (i * o->n + j) * o->element,
	                        o->precision);
}

/* The limits of gate B (c and rho by class of precision, docs/workloads.md). */
static double accumulate_constant(const gemm_oracle *o)
{
	if (o->element == 2)
		return 0x1p-24 * fmax(8, 0.5 * sqrt((double)o->k));
	return 8 * support_unit(o->precision);
}

static double output_unit(const gemm_oracle *o)
{
	if (strcmp(o->precision, "f16") == 0)
		return 0x1p-11;
	return strcmp(o->precision, "bf16") == 0 ? 0x1p-8 : support_unit(o->precision);
}

static double rho_limit(const gemm_oracle *o)
{
	if (strcmp(o->precision, "f64") == 0)
		return 1e-13;
	if (strcmp(o->precision, "f32") == 0)
		return 1e-5;
	return strcmp(o->precision, "f16") == 0 ? 4e-4 : 3e-3;
}

static void check_samples(gemm_oracle *o, const void *c, eh_check *check)
{
	const uint64_t rows = o->m < ORACLE_SAMPLES ? o->m : ORACLE_SAMPLES;
	const uint64_t columns = o->n < ORACLE_SAMPLES ? o->n : ORACLE_SAMPLES;
	const double constant = accumulate_constant(o), unit = output_unit(o);
	double difference = 0, norm = 0;
	uint64_t i, j, x;
	for (j = 0; j < columns; j++) {
		const uint64_t col = sample(o, j, columns, o->n, 71);
		for (x = 0; x < o->k; x++)
			o->column[x] = factor(o, 1, x * o->n + col);
		for (i = 0; i < rows; i++) {
			const uint64_t row = sample(o, i, rows, o->m, 70);
			const double got = got_element(o, c, row, col);
			double magnitude;
			const double want = row_times(o, 0, row * o->k, o->column, o->k,
			                              &magnitude);
			const double allowed = unit * fabs(want) + constant * magnitude;
			support_check_value(check, "sampled element", row * o->n + col, got, want,
			                    o->exact ? 0 : allowed);
			difference += (got - want) * (got - want);
			norm += want * want;
		}
	}
	check->rho = norm > 0 ? sqrt(difference / norm) : 0;
}

/*
 * Row i of C times the signs must be row i of A times (B * signs).  Gate B limits the error of an
 * element; the errors of n elements with random signs add up like a random walk.  So sqrt(n) times
 * the limit of an element is generous, and still far below any element.
 */
static void check_rows(gemm_oracle *o, const void *c, eh_check *check)
{
	const double k = (double)o->k;
	/* Of normal factors: |want| is about sqrt(k), |A||B| about 2k/pi. */
	const double each = output_unit(o) * sqrt(k) + accumulate_constant(o) * 0.64 * k;
	const double allowed = o->exact ? 0 : 4 * sqrt((double)o->n) * each;
	double magnitude;
	uint64_t i, j;
	for (i = 0; i < o->k; i++)
		o->vector[i] = row_times(o, 1, i * o->n, o->sign, o->n, &magnitude);
	for (i = 0; i < o->m; i++) {
		const double want = row_times(o, 0, i * o->k, o->vector, o->k, &magnitude);
		double got = 0;
		for (j = 0; j < o->n; j++)
			got += o->sign[j] * got_element(o, c, i, j);
		support_check_value(check, "signed sum of row", i, got, want, allowed);
	}
}

void gemm_oracle_check(gemm_oracle *o, const void *c, eh_check *check)
{
	support_check_begin(check, o->exact ? "A" : "B");
	if (o->exact) {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "64 x 64 elements and the signed sums of all rows equal");
	} else {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|C-R| <= %.3g |R| + %.3g |A||B| on 64 x 64; signed row sums",
		         output_unit(o),
		         accumulate_constant(o));
		check->rho_limit = rho_limit(o);
	}
	check_samples(o, c, check);
	check_rows(o, c, check);
	support_check_end(check);
}
