/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of four terms for numerics.k, which adds them up one after the other. */
#include "numerics.h"

int rows_tests(const numerics_state *s)
{
	switch (s->property) {
	case ACCUMULATOR: return s->integer ? 30 : (s->wide ? 60 : 26) + 1 - FIRST_STEP;
	case SUBNORMALS: return numerics_has_range_of_sums(s->format) ? 4 : 2;
	case ROUNDING: return 4;
	default: return 1;
	}
}

/* Term i is factor * 2^power, the power split between both elements. */
static void term(row *r, int i, double factor, int power)
{
	const int half = power / 2;

	r->a[i] = ldexp(factor, power - half);
	r->b[i] = ldexp(1, half);
}

/* 2^k + 1, which needs k + 1 bits: large, small, -large, and a few times small so that no result is 0. */
static void ladder(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	const int k = r->test + FIRST_STEP;
	const double times = (double)(2 + turn % 6);
	const int large = numerics_top(s) - shift, small = large - k;

	term(r, 0, sign, large);
	term(r, 1, sign, small);
	term(r, 2, -sign, large);
	term(r, 3, sign * times, small);
	r->count = 2;
	r->want[KEPT] = ldexp(sign * (times + 1), small);
	r->want[LOST] = ldexp(sign * times, small);
}

/* 15 - 14 added to 2^k and a multiple of 4 below it. */
static void integer_ladder(row *r, int sign, uint64_t turn)
{
	const int k = r->test + 1;
	const uint64_t more = (turn * UINT64_C(2654435761)) & ((UINT64_C(1) << k) - 1) & ~UINT64_C(3);

	r->start = sign * (double)((UINT64_C(1) << k) + more);
	r->a[0] = sign * 3;
	r->b[0] = 5;
	r->a[1] = -sign * 7;
	r->b[1] = 2;
	r->count = 2;
	r->want[KEPT] = r->start + sign;
	r->want[LOST] = r->start;
}

static void subnormal(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	const format *f = s->format;
	const double times = (double)(1 + turn % 3);
	const int middle = s->wide ? -500 : -60;

	r->count = 2;
	switch (r->test) {
	case INPUTS: /* a subnormal element times a large one */
		r->a[0] = ldexp(sign * times, f->subnormal);
		r->b[0] = ldexp(1, f->largest - shift);
		break;
	case PRODUCTS: /* of two normal ones, below the normal sums */
		r->a[0] = ldexp(sign * times, middle);
		r->b[0] = ldexp(1, f->normal - 3 - shift - middle);
		break;
	case SUMS: /* 3 - 2 halves of the smallest normal sum */
		r->a[0] = ldexp(sign * 3, middle);
		r->b[0] = ldexp(1, f->normal - 1 - middle);
		r->a[1] = ldexp(-sign, middle);
		r->b[1] = ldexp(1, f->normal - middle);
		r->want[KEPT] = ldexp(sign, f->normal - 1);
		return;
	default: /* no number is subnormal */
		r->count = 1;
		r->a[0] = sign * times;
		r->b[0] = ldexp(1, -shift);
		break;
	}
	r->want[KEPT] = r->a[0] * r->b[0];
}

/* A sum with `ulps` units in the last place and `quarters` of one behind them. */
static void last_bit(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	static const int odd[] = {0, 1, 0, 0}, quarters[] = {2, 2, 3, 1};
	const int large = numerics_top(s) - shift, unit = large - (numerics_promised_bits(s->format) - 1);
	const int ulps = 2 * (int)(turn % 4) + odd[r->test], rest = quarters[r->test];

	term(r, 0, sign, large);
	term(r, 1, sign * ulps, unit);
	term(r, 2, sign * (rest == 2 ? 1 : rest), rest == 2 ? unit - 1 : unit - 2);
	r->count = TOO_NARROW;
	numerics_last_bit(r, sign * (ldexp(1, large) + ldexp(ulps, unit)),
	                  sign * (ldexp(1, large) + ldexp(ulps + 1, unit)), sign, odd[r->test], rest);
}

/* (1 + e)^2 - (1 + 2 e) is e^2 when the product is not rounded before it is added, else 0. */
static void multiply_add(const numerics_state *s, row *r, int sign, int shift, uint64_t turn)
{
	const int e = s->wide ? -27 : -12;
	const double times = (double)(1 + turn % 7);

	r->a[0] = -sign * (1 + ldexp(1, e + 1));
	r->b[0] = ldexp(1, -shift);
	r->a[1] = sign * (1 + ldexp(1, e));
	r->b[1] = ldexp(1 + ldexp(1, e), -shift);
	r->a[2] = sign * times;
	r->b[2] = ldexp(1, 2 * e - shift);
	r->count = 2;
	r->want[FUSED] = ldexp(sign * (times + 1), 2 * e - shift);
	r->want[SEPARATE] = ldexp(sign * times, 2 * e - shift);
}

void rows_craft(const numerics_state *s, uint64_t index, row *r)
{
	const uint64_t tests = (uint64_t)rows_tests(s), turn = s->turn + index / tests;
	const int sign = turn % 2 == 0 ? 1 : -1, shift = (int)(turn / 2 % SHIFTS);

	memset(r, 0, sizeof *r);
	r->terms = TERMS;
	r->test = (int)(index % tests);
	switch (s->property) {
	case ACCUMULATOR:
		if (s->integer)
			integer_ladder(r, sign, turn);
		else
			ladder(s, r, sign, shift, turn);
		break;
	case SUBNORMALS: subnormal(s, r, sign, shift, turn); break;
	case ROUNDING: last_bit(s, r, sign, shift, turn); break;
	default: multiply_add(s, r, sign, shift, turn); break;
	}
}
