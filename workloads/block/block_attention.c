/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares attention with double precision for sampled queries of sampled sequences, while the sequence's
 * caches pass by in pieces; rows that were there before must be as they were.
 */
#include "block_check.h"

#define SEQUENCES 3        /* of a layer: the first, the last, and one at random               */
#define QUERIES_MOST 128   /* of a layer, but for one of each head of a sequence               */
#define QUERIES_LEAST 4
/* Products of all queries of a layer together, but for the least of them. */
#define PRODUCTS (UINT64_C(1) << 27)

/* One query, and the sums over the keys that have passed by. */
typedef struct query {
	uint64_t token, head;
	double q[128], o[128];
	double top, total, sum[128], magnitude[128];
} query;

/* The next key that the query sees, and its value. */
static void take_key(const block_shape *s, query *x, const double *key, const double *value)
{
	double score = 0, weight;
	uint64_t d;
	for (d = 0; d < s->head; d++)
		score += x->q[d] * key[d];
	score /= sqrt((double)s->head);
	if (score > x->top) {
		const double rescale = exp(x->top - score);
		x->top = score;
		x->total *= rescale;
		for (d = 0; d < s->head; d++) {
			x->sum[d] *= rescale;
			x->magnitude[d] *= rescale;
		}
	}
	weight = exp(score - x->top);
	x->total += weight;
	for (d = 0; d < s->head; d++) {
		x->sum[d] += weight * value[d];
		x->magnitude[d] += weight * fabs(value[d]);
	}
}

/* Query number i of `count` of a sequence: all of them, or tokens in stretches with the heads in turn, other
 * ones in every check. */
static void choose_query(judge *j, query *x, uint64_t i, uint64_t count, uint64_t turn)
{
	const block_shape *s = &j->s->plan.shape;
	const int all = count == s->tokens * s->heads;
	memset(x, 0, sizeof *x);
	x->top = -HUGE_VAL;
	x->token = all ? i / s->heads : judge_choose(j, s->tokens, i, count);
	x->head = all ? i % s->heads : count < s->heads ? judge_choose(j, s->heads, (i + turn) % count, count)
	                                                : (i + turn) % s->heads;
}

static eh_status read_query(judge *j, query *x, uint64_t sequence)
{
	const block_shape *s = &j->s->plan.shape;
	const uint64_t bytes = s->head * j->s->inputs.element;
	const uint64_t at = ((sequence * s->tokens + x->token) * s->heads + x->head) * bytes;
	eh_status status = j->s->bench->ops->download(j->s->bench->queue, j->s->bytes,
	                                              block_stage_of(j->s, j->layer, BLOCK_Q), at, bytes,
	                                              j->error);
	if (status == EH_OK)
		status = support_fetch(j->s->bench, j->s->bytes + bytes,
		                       block_stage_of(j->s, j->layer, BLOCK_O), at, bytes, j->error);
	if (status == EH_OK) {
		judge_read(j, x->q, j->s->bytes, s->head);
		judge_read(j, x->o, j->s->bytes + bytes, s->head);
	}
	return status;
}

/* The rows from..to-1 of the sequence were there before: they repeat the block. */
static void check_old(judge *j, int cache, uint64_t sequence, uint64_t from, uint64_t to,
                      const unsigned char *got)
{
	static const char *const names[] = {"old element of the keys", "old element of the values"};
	const block_shape *s = &j->s->plan.shape;
	const block_inputs *in = &j->s->inputs;
	const uint64_t first = (sequence * s->keys + from) * block_cache_row(s);
	judge_same(j, names[cache], first, got, in->cache[cache], first + block_cache_at(j->layer),
	           (to - from) * block_cache_row(s));
}

/* The key of a KV head at a position passes by the queries that see it; it is read for the first of them. */
static void show_key(const judge *j, query *queries, uint64_t count, uint64_t kv, uint64_t position,
                     const unsigned char *keys, const unsigned char *values)
{
	const block_shape *s = &j->s->plan.shape;
	double key[128], value[128];
	uint64_t i;
	int is_read = 0;
	for (i = 0; i < count; i++) {
		if (queries[i].head / (s->heads / s->kv_heads) != kv || position > s->context + queries[i].token)
			continue;
		if (!is_read) {
			judge_read(j, key, keys, s->head);
			judge_read(j, value, values, s->head);
			is_read = 1;
		}
		take_key(s, &queries[i], key, value);
	}
}

/* Positions from..to-1 of the sequence pass by. */
static eh_status pass_keys(judge *j, query *queries, uint64_t count, uint64_t sequence, uint64_t from,
                           uint64_t to)
{
	const block_shape *s = &j->s->plan.shape;
	const uint64_t element = j->s->inputs.element, row = block_cache_row(s) * element;
	const uint64_t bytes = (to - from) * row, old = to < s->context ? to : s->context;
	const unsigned char *const got[BLOCK_CACHES] = {j->s->bytes, j->s->bytes + j->s->bytes_size / 2};
	eh_status status = EH_OK;
	uint64_t kv, position;
	int cache;
	for (cache = 0; cache < BLOCK_CACHES && status == EH_OK; cache++)
		status = support_fetch(j->s->bench, j->s->bytes + (uint64_t)cache * (j->s->bytes_size / 2),
		                       j->s->layers[j->layer].cache[cache], (sequence * s->keys + from) * row,
		                       bytes, j->error);
	if (status != EH_OK)
		return status;
	for (cache = 0; cache < BLOCK_CACHES; cache++)
		if (from < old)
			check_old(j, cache, sequence, from, old, got[cache]);
	for (kv = 0; kv < s->kv_heads; kv++)
		for (position = from; position < to; position++) {
			const uint64_t at = (position - from) * row + kv * s->head * element;
			show_key(j, queries, count, kv, position, got[BLOCK_KEYS] + at, got[BLOCK_VALUES] + at);
		}
	return EH_OK;
}

static void check_query(judge *j, const query *x, uint64_t sequence)
{
	const block_shape *s = &j->s->plan.shape;
	const double unit = oracle_output_unit(s->precision);
	/* As attention has it: a sum of n like terms errs as a random walk does, a quotient of two more. */
	const double constant = 0x1p-24 * fmax(16, 2 * sqrt((double)s->keys));
	uint64_t d;
	for (d = 0; d < s->head; d++) {
		const double want = x->sum[d] / x->total;
		judge_sample(j, JUDGE_ATTENTION, "element of the attention",
		             ((sequence * s->tokens + x->token) * s->heads + x->head) * s->head + d, x->o[d],
		             want, unit * fabs(want) + constant * x->magnitude[d] / x->total +
		                   oracle_smallest_error(s->precision));
	}
}

static eh_status check_sequence(judge *j, query *queries, uint64_t count, uint64_t sequence)
{
	const block_shape *s = &j->s->plan.shape;
	const uint64_t piece = j->s->bytes_size / 2 / (block_cache_row(s) * j->s->inputs.element);
	const uint64_t turn = judge_draw(j, s->heads);
	eh_status status = EH_OK;
	uint64_t i, from;
	for (i = 0; i < count && status == EH_OK; i++) {
		choose_query(j, &queries[i], i, count, turn);
		status = read_query(j, &queries[i], sequence);
	}
	for (from = 0; from < s->keys && status == EH_OK; from += piece)
		status = pass_keys(j, queries, count, sequence, from,
		                   s->keys - from < piece ? s->keys : from + piece);
	for (i = 0; i < count && status == EH_OK; i++)
		check_query(j, &queries[i], sequence);
	return status;
}

eh_status judge_attention(judge *j)
{
	const block_shape *s = &j->s->plan.shape;
	const uint64_t sequences = s->batch < SEQUENCES ? s->batch : SEQUENCES;
	const uint64_t chosen[SEQUENCES] = {0, s->batch - 1, judge_draw(j, s->batch)};
	const uint64_t wanted = sequences * s->heads > QUERIES_MOST ? sequences * s->heads : QUERIES_MOST;
	uint64_t count = PRODUCTS / (s->keys * s->head), i;
	query *queries;
	eh_status status = EH_OK;
	count = count < QUERIES_LEAST ? QUERIES_LEAST : count > wanted ? wanted : count;
	count = (count + sequences - 1) / sequences;
	count = count > s->tokens * s->heads ? s->tokens * s->heads : count;
	queries = malloc(count * sizeof *queries);
	if (queries == NULL)
		return support_error(j->error, EH_E_NO_MEMORY, "block: no host memory");
	for (i = 0; i < sequences && status == EH_OK; i++)
		status = check_sequence(j, queries, count, chosen[i]);
	free(queries);
	return status;
}
