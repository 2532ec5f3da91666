/* SPDX-License-Identifier: Apache-2.0 */
#include "attention_oracle.h"

/* ORACLE_V's two elements of a pair add up to it, in variant 0. */
#define ORACLE_SUM 0.5

eh_status attention_oracle_make(attention_oracle *o, const eh_bench *bench, const attention_shape *shape)
{
	const uint64_t kv = shape->batch * shape->kv_heads * shape->keys * shape->head;
	int i;
	o->bench = bench;
	o->shape = *shape;
	o->element = support_element_bytes(shape->precision);
	o->count[ORACLE_Q] = shape->batch * shape->heads * shape->query * shape->head;
	o->count[ORACLE_K] = kv;
	o->count[ORACLE_V] = kv;
	o->random = malloc(ORACLE_BLOCK);
	o->weight = malloc(shape->keys * sizeof(double));
	if (o->random == NULL || o->weight == NULL)
		return EH_E_NO_MEMORY;
	for (i = 0; i < ORACLE_INPUTS; i++) {
		o->block[i] = i == ORACLE_V ? 2 * ORACLE_PAIRS : ORACLE_BLOCK;
		o->data[i] = malloc(o->block[i] * o->element);
		o->value[i] = malloc(o->block[i] * sizeof(double));
		if (o->data[i] == NULL || o->value[i] == NULL)
			return EH_E_NO_MEMORY;
	}
	return EH_OK;
}

void attention_oracle_free(attention_oracle *o)
{
	int i;
	for (i = 0; i < ORACLE_INPUTS; i++) {
		free(o->data[i]);
		free(o->value[i]);
	}
	free(o->random);
	free(o->weight);
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* The step of V's elements, so that every element below 8 in magnitude is a number of the precision. */
static double grid(const attention_oracle *o)
{
	if (strcmp(o->shape.precision, "bf16") == 0)
		return 0x1p-5;
	return strcmp(o->shape.precision, "f16") == 0 ? 0x1p-8 : 0x1p-20;
}

/* Every second element of V follows from the one before: their sum is exact, and the same everywhere. */
static void pair_values(attention_oracle *o)
{
	const double step = grid(o);
	uint64_t i;
	o->sum = ORACLE_SUM + 0.25 * (o->variant & 1);
	for (i = 0; i < o->block[ORACLE_V]; i += 2) {
		double x = nearbyint(o->value[ORACLE_V][i] / step) * step;
		int e;
		x = x > 3.5 ? 3.5 : x < -3.5 ? -3.5 : x;
		o->value[ORACLE_V][i] = x;
		o->value[ORACLE_V][i + 1] = o->sum - x;
		for (e = 0; e < 2; e++)
			support_encode((char *)o->data[ORACLE_V] + (i + (uint64_t)e) * o->element,
			               (float)o->value[ORACLE_V][i + (uint64_t)e], o->shape.precision);
	}
}

void attention_oracle_normal(attention_oracle *o, uint32_t variant)
{
	uint32_t f;
	o->variant = variant;
	o->crafted = 0;
	for (f = 0; f < ORACLE_INPUTS; f++) {
		o->bench->fill_normal(o->bench, o->data[f], 0, o->block[f], o->shape.precision,
		                      o->bench->values->seed, ORACLE_INPUTS * variant + f);
		oracle_values(o->bench, o->value[f], o->data[f], o->block[f], o->shape.precision);
	}
	pair_values(o);
}

void attention_oracle_crafted(attention_oracle *o)
{
	o->crafted = 1;
	o->bench->fill_bytes(o->bench, o->random, 0, ORACLE_BLOCK, o->bench->values->seed, 80);
}

/*
 * The crafted inputs.  A KV head has a random direction, a sign for each of D; its keys are that or
 * zero, its queries multiples of it.  So a query gives one weight to the keys of either kind, and
 * every element of O follows from sums over V.  Query and key differ in direction, and V in its
 * values, where the KV head is a wrong one.  V has integers from -8 to 8.
 */
static int crafted_key(const attention_oracle *o, uint64_t kv_row)
{
	return o->random[(kv_row * 31 + 7) % ORACLE_BLOCK] & 1;
}

static double crafted_sign(const attention_oracle *o, uint64_t kv_head, uint64_t d)
{
	return (o->random[(kv_head * 131 + d + 1000) % ORACLE_BLOCK] & 1) != 0 ? 1 : -1;
}

static const double crafted_multiples[] = {0, 0.125, -0.125, 0.25};

static int crafted_multiple(const attention_oracle *o, uint64_t row)
{
	return o->random[(row * 17 + 5) % ORACLE_BLOCK] & 3;
}

static double crafted_value(const attention_oracle *o, uint64_t index)
{
	return o->random[index % ORACLE_BLOCK] % 17 - 8;
}

void attention_oracle_crafted_values(const attention_oracle *o, void *out)
{
	uint64_t i;
	for (i = 0; i < ORACLE_BLOCK; i++)
		support_encode((char *)out + i * o->element, (float)crafted_value(o, i), o->shape.precision);
}

void attention_oracle_crafted_rows(const attention_oracle *o, int input, uint64_t first, uint64_t rows,
                                   void *out)
{
	static const double keys[] = {0, 1};
	const attention_shape *s = &o->shape;
	const double *multiples = input == ORACLE_K ? keys : crafted_multiples;
	const int kinds = input == ORACLE_K ? 2 : 4;
	const uint64_t bytes = s->head * o->element, per_head = input == ORACLE_K ? s->keys : s->query * s->share;
	unsigned char of_head[4][512];           /* the rows that a head can have */
	uint64_t made = UINT64_MAX, row, d;
	int k;
	for (row = first; row < first + rows; row++) {
		const uint64_t kv_head = row / per_head;
		for (k = 0; k < kinds && kv_head != made; k++)
			for (d = 0; d < s->head; d++)
				support_encode(of_head[k] + d * o->element,
				               (float)(multiples[k] * crafted_sign(o, kv_head, d)), s->precision);
		made = kv_head;
		k = input == ORACLE_K ? crafted_key(o, row) : crafted_multiple(o, row);
		memcpy((char *)out + (row - first) * bytes, of_head[k], bytes);
	}
}

/* ---- checking ------------------------------------------------------------------------------- */

static double got_element(const attention_oracle *o, const void *got, uint64_t index)
{
	return support_value_of(o->bench, (const char *)got + index * o->element, o->shape.precision);
}

/*
 * The constant of the limit for arithmetic in f32.  A sum of n terms that are alike errs by about
 * 2^-24 sqrt(n) / 3, as a random walk does, and a quotient of two such by 2^-24 sqrt(n) / 2: the limit
 * is at four times that.  Where a library rounds each weight, all of them may err to one side.
 */
static double accumulate_constant(const attention_oracle *o)
{
	return 0x1p-24 * fmax(16, 2 * sqrt((double)o->shape.keys)) +
	       (o->library ? oracle_output_unit(o->shape.precision) : 0);
}

/* How many keys the query sees. */
static uint64_t sees(const attention_oracle *o, uint64_t query)
{
	const attention_shape *s = &o->shape;
	return s->causal ? query + s->keys - s->query + 1 : s->keys;
}

/* Elements index .. index + D - 1 of an input, in a row: `copy` where the block ends among them. */
static const double *row_of(const attention_oracle *o, int input, uint64_t index, double *copy)
{
	const uint64_t block = o->block[input], at = index % block, count = o->shape.head;
	uint64_t i;
	if (at + count <= block)
		return o->value[input] + at;
	for (i = 0; i < count; i++)
		copy[i] = o->value[input][(at + i) % block];
	return copy;
}

/* Row `row` of O in double precision, and for each element the weighted sum of magnitudes. */
static void reference(attention_oracle *o, uint64_t row, double want[128], double magnitude[128])
{
	const attention_shape *s = &o->shape;
	const uint64_t kv = row / s->query / s->share * s->keys, count = sees(o, row % s->query);
	double copy_q[128] = {0}, copy[128] = {0}, top = -HUGE_VAL, total = 0;
	const double *q = row_of(o, ORACLE_Q, row * s->head, copy_q);
	uint64_t j, d;
	for (j = 0; j < count; j++) {
		const double *k = row_of(o, ORACLE_K, (kv + j) * s->head, copy);
		double part[4] = {0, 0, 0, 0};
		for (d = 0; d < s->head; d += 4) {
			int lane;
			for (lane = 0; lane < 4; lane++)
				part[lane] += q[d + (uint64_t)lane] * k[d + (uint64_t)lane];
		}
		o->weight[j] = (part[0] + part[1] + (part[2] + part[3])) / sqrt((double)s->head);
		top = fmax(top, o->weight[j]);
	}
	for (j = 0; j < count; j++) {
		o->weight[j] = exp(o->weight[j] - top);
		total += o->weight[j];
	}
	memset(want, 0, 128 * sizeof *want);
	memset(magnitude, 0, 128 * sizeof *magnitude);
	for (j = 0; j < count; j++) {
		const double *v = row_of(o, ORACLE_V, (kv + j) * s->head, copy);
		const double p = o->weight[j] / total;
		for (d = 0; d < s->head; d++) {
			want[d] += p * v[d];
			magnitude[d] += p * fabs(v[d]);
		}
	}
}

static uint32_t random_below(const attention_oracle *o, uint64_t i, uint64_t size, uint32_t stream)
{
	uint32_t random;
	o->bench->fill_bytes(o->bench, &random, i * sizeof random, sizeof random, o->bench->values->seed,
	                     stream);
	return (uint32_t)(random % size);
}

/* Sampled rows: of random heads, the first query, the last one, and two at random in turn.  The first
 * sample is the first row of O, the second the last one. */
static void check_samples(attention_oracle *o, const void *got, eh_check *check)
{
	const attention_shape *s = &o->shape;
	const uint64_t groups = s->batch * s->heads, rows = groups * s->query;
	const double constant = accumulate_constant(o), unit = oracle_output_unit(o->shape.precision);
	/* At most 2^25 products, but for four rows. */
	uint64_t samples = (UINT64_C(1) << 24) / (s->keys * s->head), i, d;
	double difference = 0, norm = 0;
	samples = samples > ORACLE_SAMPLES ? ORACLE_SAMPLES : samples < 4 ? 4 : samples;
	samples = samples > rows ? rows : samples;
	for (i = 0; i < samples; i++) {
		uint64_t group = random_below(o, i, groups, 70);
		uint64_t query = random_below(o, i, s->query, 71), row;
		double want[128], magnitude[128];
		if (i < 2)
			group = i * (groups - 1);
		if (i % 4 < 2)
			query = i % 4 * (s->query - 1);
		row = samples == rows ? i : group * s->query + query;
		reference(o, row, want, magnitude);
		for (d = 0; d < s->head; d++) {
			const uint64_t index = row * s->head + d;
			const double x = got_element(o, got, index);
			support_check_value(check, "element", index, x, want[d],
			                    unit * fabs(want[d]) + constant * magnitude[d]);
			difference += (x - want[d]) * (x - want[d]);
			norm += want[d] * want[d];
		}
	}
	check->rho = norm > 0 ? sqrt(difference / norm) : 0;
}

/* Weights add up to 1, and so every pair of O to what every pair of V does. */
static void check_pairs(attention_oracle *o, const void *got, eh_check *check)
{
	/* A pair of V has at most 3.5 + 4.25 in magnitude. */
	const double constant = 8 * accumulate_constant(o), unit = oracle_output_unit(o->shape.precision);
	uint64_t i;
	for (i = 0; i < o->count[ORACLE_Q]; i += 2) {
		const double x = got_element(o, got, i), y = got_element(o, got, i + 1);
		support_check_value(check, "sum of the pair of element", i, x + y, o->sum,
		                    unit * (fabs(x) + fabs(y)) + constant);
	}
}

/* Sums over the keys of one kind that a query sees. */
typedef struct crafted_sums {
	double keys, value[128], magnitude[128];
} crafted_sums;

static void check_crafted_row(attention_oracle *o, const void *got, uint64_t row, const crafted_sums sums[2],
                              eh_check *check)
{
	const attention_shape *s = &o->shape;
	const double constant = accumulate_constant(o), unit = oracle_output_unit(o->shape.precision);
	const double p = exp(crafted_multiples[crafted_multiple(o, row)] * sqrt((double)s->head));
	const double total = sums[0].keys + p * sums[1].keys;
	uint64_t d;
	for (d = 0; d < s->head; d++) {
		const double want = (sums[0].value[d] + p * sums[1].value[d]) / total;
		const double magnitude = (sums[0].magnitude[d] + p * sums[1].magnitude[d]) / total;
		/* Where all weights are 1 all sums are exact, and only 1 / sum and the product round; but a
		 * library may round each weight / sum before it adds up. */
		const double allowed = unit * fabs(want) + (p == 1 && !o->library ? 0x1p-23 * fabs(want)
		                                                                  : constant * magnitude);
		support_check_value(check, "crafted element", row * s->head + d,
		                    got_element(o, got, row * s->head + d), want, allowed);
	}
}

/* Every element: head after head, its queries in the order of what they see. */
static void check_crafted(attention_oracle *o, const void *got, eh_check *check)
{
	const attention_shape *s = &o->shape;
	uint64_t kv, i, g, d, j;
	for (kv = 0; kv < s->batch * s->kv_heads; kv++) {
		crafted_sums sums[2];
		memset(sums, 0, sizeof sums);
		for (i = j = 0; i < s->query; i++) {
			for (; j < sees(o, i); j++) {
				crafted_sums *kind = &sums[crafted_key(o, kv * s->keys + j)];
				kind->keys++;
				for (d = 0; d < s->head; d++) {
					const double v = crafted_value(o, (kv * s->keys + j) * s->head + d);
					kind->value[d] += v;
					kind->magnitude[d] += fabs(v);
				}
			}
			for (g = 0; g < s->share; g++)
				check_crafted_row(o, got, (kv * s->share + g) * s->query + i, sums, check);
		}
	}
}

void attention_oracle_check(attention_oracle *o, const void *got, eh_check *check)
{
	support_check_begin(check, o->crafted ? "A+B" : "B");
	if (o->crafted) {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "all: |O-R| <= %.3g |R| + %.3g P|V|%s", oracle_output_unit(o->shape.precision),
		         accumulate_constant(o), o->library ? "" : ", means of equal keys 2^-23 |R|");
		check_crafted(o, got, check);
	} else {
		snprintf(check->tolerance, sizeof check->tolerance,
		         "|O-R| <= %.3g |R| + %.3g P|V| on sampled rows; sums of all pairs",
		         oracle_output_unit(o->shape.precision), accumulate_constant(o));
		check->rho_limit = oracle_rho_limit(o->shape.precision);
		check_samples(o, got, check);
		check_pairs(o, got, check);
	}
	support_check_end(check);
}
