/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrices whose product answers: each row of A is a crafted dot product, mostly zeros, with any column
 * of B.  The columns of B are alike but for their sign.  B is stored transposed, as weights are: some
 * units multiply 8-bit floats in no other way.
 *
 * A product may add up its terms in any order and in parts, so at most two of them are not 0: their sum is
 * rounded once.  What B has to offer lies at fixed places, and A picks from it:
 *
 *   accumulator, rounding, output   2^high at even places, 2^(high - 14) at odd ones
 *   subnormals                      at place p of 4: the largest power of two, the smallest subnormal, and
 *                                   the other factors of products and sums that are subnormal
 *   factors                         at place p of 64: 1 + 2^-p, and 1 at place 0
 *   accumulator of integers         64, and 1 at the end
 */
#include "numerics.h"

#define LOWER 14
#define FACTOR_PLACES 64
#define WHOLE 64 /* 2^12 with itself */
#define FIRST_WHOLE 12

/* Steps of factors: a format stored in more bits is asked for all of them. */
static int factor_steps(const format *f)
{
	return f->bytes == 4 ? 23 : numerics_factor_bits(f) - 1;
}

int product_tests(const numerics_state *s)
{
	int tests = 1;

	switch (s->property) {
	case ACCUMULATOR:
		/* Sums of up to the largest power of two of terms beside the last one. */
		if (!s->integer)
			return 2 * (numerics_promised_bits(s->format) - FIRST_STEP);
		while (UINT64_C(1) << tests < s->product.k)
			tests++;
		return tests;
	case SUBNORMALS: return numerics_has_range_of_sums(s->format) ? 4 : 2;
	case FACTORS: return factor_steps(s->format);
	default: return 4;
	}
}

int product_first_whole(void)
{
	return FIRST_WHOLE;
}

uint64_t product_distance(const numerics_state *s)
{
	return s->product.k / 8 * 4;
}

int product_column_sign(uint64_t j)
{
	return ((j ^ j >> 3) & 1) == 0 ? 1 : -1;
}

static int middle_of(const numerics_state *s)
{
	return s->wide ? -500 : -60;
}

/* Of B in a column with a positive sign, at place p of k. */
static double b_at(const numerics_state *s, uint64_t p)
{
	const format *f = s->format;
	const int high = numerics_top(s) / 2, c = (int)(p % FACTOR_PLACES);

	if (s->integer)
		return p + 1 == s->product.k ? 1 : WHOLE;
	if (s->property == FACTORS)
		return c == 0 || c > factor_steps(f) ? 1 : 1 + ldexp(1, -c);
	if (s->property != SUBNORMALS)
		return ldexp(1, p % 2 == 0 ? high : high - LOWER);
	if (p % 4 == 1)
		return ldexp(1, f->subnormal);
	if (p % 4 == 0 || !numerics_has_range_of_sums(f))
		return ldexp(1, f->largest);
	return ldexp(1, f->normal - (p % 4 == 2 ? 3 : 1) - middle_of(s));
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A multiple of `step` below `end`, which is one, too, another for each turn. */
static uint64_t place_of(uint64_t turn, uint64_t step, uint64_t end)
{
	return (turn * UINT64_C(2654435761) >> 7) % (end / step) * step;
}

/* One more element of A. */
static void pick(row *r, uint64_t at, double a)
{
	r->at[r->terms] = at;
	r->a[r->terms++] = a;
}

/* The product factor * 2^power, with that power in B at the even place `at` or behind it with which the
 * element is normal; `next`: not at that place itself. */
static void pick_power(const numerics_state *s, row *r, uint64_t at, int next, double factor, int power)
{
	const int high = numerics_top(s) / 2;

	if (power - high < s->format->normal)
		pick(r, at + 1, ldexp(factor, power - high + LOWER));
	else
		pick(r, at + (next ? 2 : 0), ldexp(factor, power - high));
}

/* 2^k + 1, which needs k + 1 bits. */
static void ladder(const numerics_state *s, row *r, int sign, int column, int shift, uint64_t turn)
{
	const int k = r->test / 2 + FIRST_STEP, large = numerics_top(s) - shift, small = large - k;
	const uint64_t at = place_of(turn, 4, product_distance(s));

	pick_power(s, r, at, 0, sign, large);
	pick_power(s, r, at + (r->test % 2 == 0 ? 0 : product_distance(s)), 1, sign, small);
	r->count = 2;
	r->want[KEPT] = sign * column * (ldexp(1, large) + ldexp(1, small));
	r->want[LOST] = sign * column * ldexp(1, large);
}

/* 2^(12 + test), as so many terms, and 1. */
static void integer_ladder(const numerics_state *s, row *r, int sign, int column, uint64_t turn)
{
	r->run = UINT64_C(1) << r->test;
	pick(r, place_of(turn, 1, s->product.k - r->run), sign * WHOLE);
	pick(r, s->product.k - 1, sign);
	r->count = 2;
	r->want[LOST] = sign * column * ldexp(1, FIRST_WHOLE + r->test);
	r->want[KEPT] = r->want[LOST] + sign * column;
}

static void subnormal(const numerics_state *s, row *r, int sign, int column, int shift, uint64_t turn)
{
	const format *f = s->format;
	const double times = (double)(1 + turn % 3);
	const uint64_t at = place_of(turn, 4, product_distance(s));

	r->count = 2;
	switch (r->test) {
	case INPUTS: /* in A, or in B */
		if (turn / (2 * SHIFTS) % 2 == 0)
			pick(r, at, ldexp(sign * times, f->subnormal));
		else
			pick(r, at + 1, ldexp(sign, f->largest - shift));
		break;
	case PRODUCTS: /* of two normal elements */
		pick(r, at + 2, ldexp(sign * times, middle_of(s) - shift));
		break;
	case SUMS: /* 3 - 2 halves of the smallest normal sum */
		pick(r, at + 3, ldexp(sign * 3, middle_of(s)));
		pick(r, at + 7, ldexp(-sign * 2, middle_of(s)));
		r->want[KEPT] = ldexp(sign * column, f->normal - 1);
		return;
	default: /* no number is subnormal */
		r->count = 1;
		pick(r, at, ldexp(sign * times, -3 - shift));
		break;
	}
	r->want[KEPT] = column * r->a[0] * b_at(s, r->at[0]);
}

/* 2^large and up to 7 quarters of the last of `bits` bits. */
static void last_bit(const numerics_state *s, row *r, int sign, int column, int shift, uint64_t turn,
                     int bits)
{
	static const int odd[] = {0, 1, 0, 0}, quarters[] = {2, 2, 3, 1};
	const int top = strcmp(s->product.output, "f16") == 0 ? 14 : numerics_top(s);
	const int large = top - shift, unit = large - (bits - 1), both = sign * column;
	const uint64_t at = place_of(turn, 4, product_distance(s));
	const double low = ldexp(1, large) + ldexp(odd[r->test], unit);

	pick_power(s, r, at, 0, sign, large);
	pick_power(s, r, at, 1, sign * (4 * odd[r->test] + quarters[r->test]), unit - 2);
	r->count = s->property == ROUNDING ? OUTCOMES : TOO_NARROW;
	numerics_last_bit(r, both * low, both * (low + ldexp(1, unit)), both, odd[r->test],
	                  quarters[r->test]);
	r->want[TOO_NARROW] = both * ldexp(1, large);
}

/* (1 + 2^-c) * 1, the longer one in A or in B. */
static void long_factor(const numerics_state *s, row *r, int sign, int column, int shift, uint64_t turn)
{
	const int c = r->test + 1;
	const double one = ldexp(sign, -shift);
	const uint64_t at = place_of(turn, FACTOR_PLACES, s->product.k / FACTOR_PLACES * FACTOR_PLACES);

	if (turn / 2 % 2 == 0)
		pick(r, at, one * (1 + ldexp(1, -c)));
	else
		pick(r, at + (uint64_t)c, one);
	r->count = 3;
	r->want[KEPT] = column * one * (1 + ldexp(1, -c));
	r->want[LOST] = column * one;
	r->want[RAISED] = column * one * (1 + ldexp(1, 1 - c));
}

void product_craft(const numerics_state *s, uint64_t index, int column, row *r)
{
	const uint64_t tests = (uint64_t)product_tests(s), turn = s->turn + index / tests;
	const int sign = turn % 2 == 0 ? 1 : -1, shift = (int)(turn / 2 % SHIFTS);

	memset(r, 0, sizeof *r);
	r->run = 1;
	r->test = (int)(index % tests);
	switch (s->property) {
	case ACCUMULATOR:
		if (s->integer)
			integer_ladder(s, r, sign, column, turn);
		else
			ladder(s, r, sign, column, shift, turn);
		break;
	case SUBNORMALS: subnormal(s, r, sign, column, shift, turn); break;
	case ROUNDING:
		last_bit(s, r, sign, column, shift, turn, numerics_promised_bits(s->format));
		break;
	case OUTPUT:
		last_bit(s, r, sign, column, shift, turn, strcmp(s->product.output, "f16") == 0 ? 11 : 8);
		break;
	default: long_factor(s, r, sign, column, shift, turn); break;
	}
}

void product_fill(const numerics_state *s)
{
	const matrices *x = &s->product;
	const uint32_t bytes = s->format->bytes;
	unsigned char signs[2][8];
	uint64_t i, j;
	int t;

	/* Zeros in every precision. */
	memset(s->host_a, 0, x->m * x->k * bytes);
	for (i = 0; i < x->m; i++) {
		row r;
		product_craft(s, i, 1, &r);
		for (j = 1; j < r.run; j++)
			numerics_put(s, s->host_a, i * x->k + r.at[0] + j, r.a[0]);
		for (t = 0; t < r.terms; t++)
			numerics_put(s, s->host_a, i * x->k + r.at[t], r.a[t]);
	}
	for (i = 0; i < x->k; i++) {
		numerics_put(s, signs[0], 0, b_at(s, i));
		numerics_put(s, signs[1], 0, -b_at(s, i));
		for (j = 0; j < x->n; j++)
			memcpy(s->host_b + (j * x->k + i) * bytes, signs[product_column_sign(j) < 0], bytes);
	}
}
