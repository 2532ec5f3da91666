/* SPDX-License-Identifier: Apache-2.0 */
#include "moe_route.h"

/* Streams of random bytes; oracles use those below 1000 and four for each variant. */
#define STREAM_EXPERTS UINT32_C(0x80000000)
#define STREAM_TOKENS UINT32_C(0x80000001)

/* By operations that IEEE 754 rounds correctly, so that every machine counts the same rows. */
static double weight(uint32_t rank, uint32_t halves)
{
	const double base = (double)rank + 1;
	double power = (halves & 1U) != 0 ? sqrt(base) : 1;
	uint32_t i;
	for (i = 0; i < halves / 2; i++)
		power *= base;
	return 1 / power;
}

void moe_spread(moe_loads *l, enum moe_skew skew, uint32_t halves)
{
	static const uint32_t no_rows[MOE_EXPERTS];
	uint64_t left = l->tokens * l->top;
	double sum[MOE_EXPERTS + 1];
	uint32_t rank;

	memcpy(l->rows, no_rows, sizeof l->rows);
	sum[l->experts] = 0;
	for (rank = l->experts; rank-- > 0;)
		sum[rank] = sum[rank + 1] + weight(rank, halves);
	for (rank = 0; rank < l->experts; rank++) {
		const double share = (double)left * weight(rank, halves) / sum[rank];
		/* A share is never below left / (ranks that are left), so the rest always has room. */
		uint64_t rows = skew == MOE_ONE || rank + 1 == l->experts ? left
		                                                          : (uint64_t)(share + 0.5);
		rows = rows < l->tokens ? rows : l->tokens;
		rows = rows < left ? rows : left;
		l->rows[rank] = (uint32_t)rows;
		left -= rows;
	}
}

uint64_t moe_active(const moe_loads *l)
{
	uint64_t active = 0;
	uint32_t rank;
	for (rank = 0; rank < l->experts; rank++)
		active += l->rows[rank] > 0;
	return active;
}

uint64_t moe_tiles(const moe_loads *l, uint64_t tile_m)
{
	uint64_t tiles = 0;
	uint32_t rank;
	for (rank = 0; rank < l->experts; rank++)
		tiles += (l->rows[rank] + tile_m - 1) / tile_m;
	return tiles;
}

eh_status moe_route_make(moe_route *r, const moe_loads *l, uint64_t tile_m)
{
	r->rows = l->tokens * l->top;
	r->tile_count = moe_tiles(l, tile_m);
	r->experts = l->experts;
	r->first = calloc(l->experts + 1, sizeof *r->first);
	r->token = malloc(r->rows * sizeof *r->token);
	r->tile = malloc(r->tile_count * sizeof *r->tile);
	r->place = malloc(l->tokens * sizeof *r->place);
	return r->first == NULL || r->token == NULL || r->tile == NULL || r->place == NULL
	               ? EH_E_NO_MEMORY : EH_OK;
}

void moe_route_free(moe_route *r)
{
	free(r->first);
	free(r->token);
	free(r->tile);
	free(r->place);
}

/* A random order of 0 .. count - 1 (Fisher and Yates). */
static void shuffle(const eh_bench *b, uint32_t *out, uint32_t count, uint32_t stream)
{
	uint32_t random[256], i;
	for (i = 0; i < count; i++)
		out[i] = i;
	for (i = 0; i < count; i++) {
		uint32_t j;
		if (i % 256 == 0)
			b->fill_bytes(b, random, (uint64_t)i * sizeof *random, sizeof random,
			              b->values->seed, stream);
		j = random[i % 256] % (i + 1);
		out[i] = out[j];
		out[j] = i; /* Nothing beyond i has moved, so this was out[i]. */
	}
}

/* The rank whose rows a slot is among: the rows of all ranks lie one behind the other, before[rank] first. */
static uint32_t rank_of(const uint64_t *before, uint32_t experts, uint64_t slot)
{
	uint32_t low = 0, high = experts;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (before[middle] <= slot)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Slots that lie `tokens` apart are of different ranks, since no rank has more; a token gets those. */
static void deal(moe_route *r, const moe_loads *l, const uint32_t *label)
{
	uint64_t before[MOE_EXPERTS], sum = 0, token, turn;
	uint32_t next[MOE_EXPERTS] = {0}, rank;
	for (rank = 0; rank < l->experts; rank++) {
		before[rank] = sum;
		sum += l->rows[rank];
		next[rank] = r->first[label[rank]];
	}
	for (token = 0; token < l->tokens; token++)
		for (turn = 0; turn < l->top; turn++) {
			rank = rank_of(before, l->experts, turn * l->tokens + r->place[token]);
			r->token[next[rank]++] = (int32_t)token;
		}
}

static void cut_tiles(moe_route *r, uint64_t tile_m)
{
	uint64_t at = 0;
	uint32_t e, row;
	for (e = 0; e < r->experts; e++)
		for (row = r->first[e]; row < r->first[e + 1]; row += (uint32_t)tile_m)
			r->tile[at++] = (moe_tile){(int32_t)e, (int32_t)row, (int32_t)r->first[e + 1]};
}

void moe_route_draw(moe_route *r, const eh_bench *bench, const moe_loads *l, uint64_t tile_m,
                    uint32_t variant)
{
	uint32_t label[MOE_EXPERTS], e;
	shuffle(bench, label, l->experts, STREAM_EXPERTS);
	/* Each variant gives every load to another expert, where there are two. */
	for (e = 0; e < l->experts; e++) {
		label[e] = (uint32_t)(((uint64_t)label[e] + variant) % l->experts);
		r->first[label[e] + 1] = l->rows[e];
	}
	r->first[0] = 0;
	for (e = 0; e < l->experts; e++)
		r->first[e + 1] += r->first[e];
	shuffle(bench, r->place, (uint32_t)l->tokens, STREAM_TOKENS + variant);
	deal(r, l, label);
	cut_tiles(r, tile_m);
}
