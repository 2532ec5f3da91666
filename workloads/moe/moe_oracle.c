/* SPDX-License-Identifier: Apache-2.0 */
#include "moe_oracle.h"

/* Rows of Y of which one is sampled, where there are many; in all, about so many elements are. */
#define SAMPLED_TILE UINT64_C(128)
#define SAMPLED_LINES UINT64_C(64)
#define SAMPLES UINT64_C(4096)

eh_status moe_oracle_make(moe_oracle *o, const eh_bench *bench, const moe_shape *shape,
                          const moe_route *route)
{
	int i;
	o->bench = bench;
	o->shape = *shape;
	o->route = route;
	o->element = support_element_bytes(shape->precision);
	o->out = support_element_bytes(shape->output);
	o->count[0] = shape->tokens * shape->k;
	o->count[1] = shape->experts * shape->n * shape->k;
	for (i = 0; i < 2; i++) {
		o->count[i] = o->count[i] < ORACLE_BLOCK ? o->count[i] : ORACLE_BLOCK;
		o->block[i] = malloc(o->count[i] * o->element);
		o->value[i] = malloc(o->count[i] * sizeof(double));
	}
	o->sign = malloc(shape->n * sizeof(double));
	o->vector = malloc(shape->experts * shape->k * sizeof(double));
	o->row = malloc(shape->k * sizeof(double));
	if (o->block[0] == NULL || o->block[1] == NULL || o->value[0] == NULL || o->value[1] == NULL ||
	    o->sign == NULL || o->vector == NULL || o->row == NULL)
		return EH_E_NO_MEMORY;
	return EH_OK;
}

void moe_oracle_free(moe_oracle *o)
{
	int i;
	for (i = 0; i < 2; i++) {
		free(o->block[i]);
		free(o->value[i]);
	}
	free(o->sign);
	free(o->vector);
	free(o->row);
}

/* ---- inputs --------------------------------------------------------------------------------- */

void moe_oracle_normal(moe_oracle *o, uint32_t variant)
{
	const eh_bench *b = o->bench;
	uint32_t f;
	o->exact = 0;
	for (f = 0; f < 2; f++) {
		b->fill_normal(b, o->block[f], 0, o->count[f], o->shape.precision, b->values->seed,
		               4 * variant + f);
		oracle_values(b, o->value[f], o->block[f], o->count[f], o->shape.precision);
	}
	oracle_signs(b, o->sign, o->shape.n, 4 * variant + 2);
	o->vectors_made = 0;
}

void moe_oracle_crafted(moe_oracle *o)
{
	const eh_bench *b = o->bench;
	const uint32_t density = oracle_density(o->shape.output, o->shape.k, 1);
	uint32_t f;
	uint64_t i;
	o->exact = 1;
	for (f = 0; f < 2; f++) {
		/* The bytes lie in the last eighth of the doubles, each read before it is overwritten. */
		uint8_t *random = (uint8_t *)o->value[f] + o->count[f] * 7;
		b->fill_bytes(b, random, 0, o->count[f], b->values->seed, 80 + f);
		for (i = 0; i < o->count[f]; i++) {
			const int x = oracle_unit(random[i], density);
			o->value[f][i] = x;
			oracle_encode_whole((char *)o->block[f] + i * o->element, x, o->shape.precision);
		}
	}
	oracle_signs(b, o->sign, o->shape.n, 82);
	o->vectors_made = 0;
}

/* ---- checking ------------------------------------------------------------------------------- */

static double got_element(const moe_oracle *o, const void *y, uint64_t at)
{
	return support_value_of(o->bench, (const char *)y + at * o->out, o->shape.output);
}

/* The expert that row `row` of Y is of. */
static uint32_t expert_of(const moe_route *r, uint64_t row)
{
	uint32_t low = 0, high = r->experts;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (r->first[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* The row of X that row `row` of Y takes, into o->row. */
static void read_row(moe_oracle *o, uint64_t row)
{
	const uint64_t k = o->shape.k;
	uint64_t at = (uint64_t)o->route->token[row] * k % ORACLE_BLOCK, i;
	for (i = 0; i < k; i++) {
		o->row[i] = o->value[0][at];
		at = at + 1 < ORACLE_BLOCK ? at + 1 : 0;
	}
}

static double accumulate_constant(const moe_oracle *o)
{
	return oracle_accumulate_constant(o->shape.precision, o->shape.k);
}

/*
 * Returns the allowance of a signed sum, and sets rho.  The errors of n elements with random signs add
 * up like a random walk, so 4 sqrt(n) times that of a usual sample is generous, and still far below
 * what is not there at all.
 */
static double check_samples(moe_oracle *o, const void *y, eh_check *check)
{
	const moe_shape *s = &o->shape;
	const uint64_t rows = o->route->rows, tiles = (rows + SAMPLED_TILE - 1) / SAMPLED_TILE;
	const uint64_t few = rows < SAMPLED_LINES ? rows : SAMPLED_LINES;
	const uint64_t lines = tiles > few ? tiles : few;
	const uint64_t each = SAMPLES / lines > 4 ? SAMPLES / lines : 4;
	const uint64_t columns = each < s->n ? each : s->n;
	const double unit = oracle_output_unit(s->output), constant = accumulate_constant(o);
	double difference = 0, norm = 0, most = 0, squares = 0;
	uint64_t i, j;
	for (i = 0; i < lines; i++) {
		const uint64_t row = oracle_sample(o->bench, i, lines, rows, 70);
		const uint64_t expert = expert_of(o->route, row);
		read_row(o, row);
		for (j = 0; j < columns; j++) {
			const uint64_t column =
				oracle_sample(o->bench, j, columns, s->n, 100 + (uint32_t)i);
			const uint64_t at = row * s->n + column;
			const double got = got_element(o, y, at);
			double magnitude, allowed;
			const double want = oracle_times(o->value[1], (expert * s->n + column) * s->k,
			                                 o->row, s->k, &magnitude);
			allowed = unit * fabs(want) + constant * magnitude +
			          oracle_smallest_error(s->output);
			support_check_value(check, "sampled element", at, got, want,
			                    o->exact ? 0 : allowed);
			most = fmax(most, allowed);
			squares += allowed * allowed;
			difference += (got - want) * (got - want);
			norm += want * want;
		}
	}
	check->rho = norm > 0 ? sqrt(difference / norm) : 0;
	return fmax(most, 4 * sqrt((double)s->n * squares / (double)(lines * columns)));
}

/* Once for the inputs that are checked, because it reads the weights of all experts with rows. */
static void make_vectors(moe_oracle *o)
{
	const uint64_t n = o->shape.n, k = o->shape.k;
	uint64_t e, row, i;
	for (e = 0; e < o->shape.experts; e++) {
		double *const vector = o->vector + e * k;
		uint64_t at = e * n * k % ORACLE_BLOCK;
		if (o->route->first[e] == o->route->first[e + 1])
			continue;
		memset(vector, 0, k * sizeof *vector);
		for (row = 0; row < n; row++) {
			uint64_t done = 0;
			while (done < k) {
				const uint64_t left = ORACLE_BLOCK - at;
				const uint64_t run = k - done < left ? k - done : left;
				for (i = 0; i < run; i++)
					vector[done + i] += o->sign[row] * o->value[1][at + i];
				done += run;
				at = (at + run) % ORACLE_BLOCK;
			}
		}
	}
	o->vectors_made = 1;
}

/* All elements of a row, added up with random signs, must be its token times (signs * W of its expert). */
static void check_rows(moe_oracle *o, const void *y, double allowed, eh_check *check)
{
	const moe_shape *s = &o->shape;
	uint64_t e, row, i;
	if (!o->vectors_made)
		make_vectors(o);
	for (e = 0; e < s->experts; e++)
		for (row = o->route->first[e]; row < o->route->first[e + 1]; row++) {
			double magnitude, got = 0;
			const double want = oracle_times(o->value[0], (uint64_t)o->route->token[row] * s->k,
			                                 o->vector + e * s->k, s->k, &magnitude);
			for (i = 0; i < s->n; i++)
				got += o->sign[i] * got_element(o, y, row * s->n + i);
			support_check_value(check, "signed sum of row", row, got, want,
			                    o->exact ? 0 : allowed);
		}
}

void moe_oracle_check(moe_oracle *o, const void *y, eh_check *check)
{
	const char *output = o->shape.output;
	support_check_begin(check, o->exact ? "A" : "B");
	if (o->exact) {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "samples in every 128 rows and the signed sums of all rows equal");
	} else {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|Y-R| <= %.3g |R| + %.3g |X||W| for samples in every 128 rows; signed row sums",
		         oracle_output_unit(output), accumulate_constant(o));
		/* A norm over few elements is no better than the worst of them. */
		if (o->route->rows * o->shape.n >= 1024)
			check->rho_limit = oracle_rho_limit(output);
	}
	check_rows(o, y, check_samples(o, y, check), check);
	support_check_end(check);
}
