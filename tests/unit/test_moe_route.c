/* SPDX-License-Identifier: Apache-2.0 */
/* moe's route: rows per expert against numbers made by hand, and what must hold of any route. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../workloads/moe/moe_route.c"

static void noise(const eh_bench *bench, void *out, uint64_t first, uint64_t count, uint64_t seed,
                  uint32_t stream)
{
	uint8_t *bytes = out;

	(void)bench;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t x = (first + i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (seed + stream) << 17;

		x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
		bytes[i] = (uint8_t)(x >> 56);
	}
}

static moe_loads spread(uint64_t tokens, uint64_t top, uint32_t experts, enum moe_skew skew,
                        uint32_t halves)
{
	moe_loads l = { .tokens = tokens, .top = top, .experts = experts };

	moe_spread(&l, skew, halves);
	return l;
}

static void expect_rows(const moe_loads *l, const uint32_t *rows)
{
	assert_memory_equal(l->rows, rows, l->experts * sizeof(*rows));
}

static void rows_by_hand(void **state)
{
	moe_loads l = spread(19, 2, 4, MOE_UNIFORM, 0);

	(void)state;
	expect_rows(&l, (const uint32_t[]){ 10, 9, 10, 9 });
	l = spread(100, 1, 4, MOE_ZIPF, 2);
	expect_rows(&l, (const uint32_t[]){ 48, 24, 16, 12 });
	/* 100 / (1 + 1 / sqrt(8)) = 73.88. */
	l = spread(100, 1, 2, MOE_ZIPF, 3);
	expect_rows(&l, (const uint32_t[]){ 74, 26 });
	/* The first cannot have more than the tokens. */
	l = spread(10, 2, 4, MOE_ZIPF, 4);
	expect_rows(&l, (const uint32_t[]){ 10, 6, 3, 1 });
	l = spread(10, 2, 4, MOE_ONE, 0);
	expect_rows(&l, (const uint32_t[]){ 10, 10, 0, 0 });
	assert_int_equal(moe_active(&l), 2);
	assert_int_equal(moe_tiles(&l, 4), 6);
	l = spread(3, 1, 8, MOE_ZIPF, 4);
	expect_rows(&l, (const uint32_t[]){ 2, 0, 0, 0, 0, 0, 1, 0 });
	assert_int_equal(moe_tiles(&l, 128), 2);
}

/* Every token has `top` rows, of different experts; an expert's rise. */
static void expect_dealt(const moe_route *r, const moe_loads *l)
{
	uint8_t *seen = calloc(l->tokens, 1);
	uint64_t sum = 0;

	assert_non_null(seen);
	assert_int_equal(r->first[0], 0);
	assert_int_equal(r->first[r->experts], r->rows);
	for (uint32_t e = 0; e < r->experts; e++) {
		assert_true(r->first[e] <= r->first[e + 1]);
		for (uint32_t row = r->first[e]; row < r->first[e + 1]; row++) {
			assert_in_range(r->token[row], 0, l->tokens - 1);
			assert_true(row == r->first[e] || r->token[row] > r->token[row - 1]);
			seen[r->token[row]]++;
		}
	}
	for (uint64_t t = 0; t < l->tokens; t++)
		sum += seen[t] == l->top;
	assert_int_equal(sum, l->tokens);
	free(seen);
}

/* The tiles have every row once, each row with its expert. */
static void expect_tiled(const moe_route *r, uint64_t tile_m)
{
	uint64_t next = 0;

	for (uint64_t i = 0; i < r->tile_count; i++) {
		const moe_tile *t = &r->tile[i];
		const uint64_t left = (uint64_t)(t->end - t->first);

		assert_int_equal(t->first, next);
		assert_true(left > 0);
		assert_true((uint32_t)t->first >= r->first[t->expert]);
		assert_int_equal(t->end, r->first[t->expert + 1]);
		next += left < tile_m ? left : tile_m;
	}
	assert_int_equal(next, r->rows);
}

static void try(const moe_loads *l, uint64_t tile_m)
{
	static const eh_case values = { .struct_size = sizeof(values), .seed = 42 };
	const eh_bench bench = { .values = &values, .fill_bytes = noise };
	moe_route r = { 0 };
	uint32_t *before = malloc((l->experts + 1) * sizeof(*before));

	assert_non_null(before);
	assert_int_equal(moe_route_make(&r, l, tile_m), EH_OK);
	assert_int_equal(r.rows, l->tokens * l->top);
	for (uint32_t variant = 0; variant < 3; variant++) {
		moe_route_draw(&r, &bench, l, tile_m, variant == 2 ? UINT32_MAX : variant);
		expect_dealt(&r, l);
		expect_tiled(&r, tile_m);
		if (variant == 1 && l->rows[0] != l->rows[l->experts - 1])
			assert_memory_not_equal(before, r.first, (l->experts + 1) * sizeof(*before));
		memcpy(before, r.first, (l->experts + 1) * sizeof(*before));
	}
	moe_route_free(&r);
	free(before);
}

static void any_route(void **state)
{
	static const uint64_t tokens[] = { 1, 2, 19, 300 };
	static const uint32_t experts[] = { 1, 2, 5, 64, MOE_EXPERTS };
	static const struct { enum moe_skew skew; uint32_t halves; } skews[] = {
		{ MOE_UNIFORM, 0 }, { MOE_ZIPF, 1 }, { MOE_ZIPF, 4 }, { MOE_ONE, 0 }
	};

	(void)state;
	for (size_t i = 0; i < 4 * 5 * 4; i++) {
		const uint32_t of = experts[i / 4 % 5];

		for (uint64_t top = 1; top <= of && top <= 64; top = top < 8 ? top + 1 : top * 2) {
			const moe_loads l = spread(tokens[i % 4], top, of, skews[i / 20].skew,
			                           skews[i / 20].halves);

			try(&l, 16);
		}
	}
}

/* An expert's tokens are no run of neighbours, and others in another variant. */
static void tokens_are_drawn(void **state)
{
	static const eh_case values = { .struct_size = sizeof(values), .seed = 42 };
	const eh_bench bench = { .values = &values, .fill_bytes = noise };
	const moe_loads l = spread(300, 1, 2, MOE_UNIFORM, 0);
	moe_route r = { 0 };
	int32_t before[300];

	(void)state;
	assert_int_equal(moe_route_make(&r, &l, 16), EH_OK);
	moe_route_draw(&r, &bench, &l, 16, 0);
	assert_true(r.token[149] - r.token[0] > 200);
	memcpy(before, r.token, sizeof(before));
	/* By two experts further, so that ranks are where they were. */
	moe_route_draw(&r, &bench, &l, 16, 2);
	assert_memory_not_equal(before, r.token, sizeof(before));
	moe_route_draw(&r, &bench, &l, 16, 0);
	assert_memory_equal(before, r.token, sizeof(before));
	moe_route_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_by_hand),
		cmocka_unit_test(any_route),
		cmocka_unit_test(tokens_are_drawn),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
