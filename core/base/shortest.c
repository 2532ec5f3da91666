/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shortest.h"

#include <math.h>
#include <openssl/bn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The powers of ten that a double may be multiplied by. */
enum { POWER_MIN = -292, POWER_MAX = 324 };

typedef unsigned __int128 uint128;

/* 10^k * 2^-s rounded up to a whole number of 128 bits, for each k and its s. */
static struct power { uint64_t high, low; } powers[POWER_MAX - POWER_MIN + 1];
static pthread_once_t powers_once = PTHREAD_ONCE_INIT;

/* ---- the table ------------------------------------------------------------------------------- */

static void insist(bool ok)
{
	if (ok)
		return;
	fputs("evenhand: error: out of memory\n", stderr);
	abort();
}

static void store(int k, const BIGNUM *value)
{
	unsigned char bytes[16];
	struct power *p = &powers[k - POWER_MIN];

	insist(BN_bn2binpad(value, bytes, sizeof(bytes)) == (int)sizeof(bytes));
	for (size_t i = 0; i < 8; i++) {
		p->high = p->high << 8 | bytes[i];
		p->low = p->low << 8 | bytes[i + 8];
	}
}

/* numerator / denominator, rounded up, or the next power of two lower when that has 129 bits. */
static void divide_up(int k, const BIGNUM *ten, BIGNUM *quotient, BIGNUM *rest, BN_CTX *context)
{
	/* 1/ten has a quotient of 128 bits when the numerator has 127 bits more than it. */
	int shift = BN_num_bits(ten) + 127;
	BIGNUM *one = BN_new();

	insist(one != NULL && BN_one(one) && BN_lshift(one, one, shift));
	insist(BN_div(quotient, rest, one, ten, context));
	if (!BN_is_zero(rest))
		insist(BN_add_word(quotient, 1));
	if (BN_num_bits(quotient) > 128) {
		insist(BN_rshift1(one, one) && BN_div(quotient, rest, one, ten, context));
		if (!BN_is_zero(rest))
			insist(BN_add_word(quotient, 1));
	}
	store(k, quotient);
	BN_free(one);
}

static void shift_up(int k, const BIGNUM *ten, BIGNUM *out)
{
	int bits = BN_num_bits(ten);

	if (bits <= 128) {
		insist(BN_lshift(out, ten, 128 - bits));
	} else {
		insist(BN_rshift(out, ten, bits - 128));
		/* 10^k ends in k zero bits: with more shifted out, it is not whole. */
		if (bits - 128 > k)
			insist(BN_add_word(out, 1));
	}
	store(k, out);
}

static void make_powers(void)
{
	BN_CTX *context = BN_CTX_new();
	BIGNUM *ten = BN_new(), *out = BN_new(), *rest = BN_new();

	insist(context != NULL && ten != NULL && out != NULL && rest != NULL && BN_one(ten));
	for (int k = 0; k <= POWER_MAX; k++) {
		shift_up(k, ten, out);
		if (k > 0 && -k >= POWER_MIN)
			divide_up(-k, ten, out, rest, context);
		insist(BN_mul_word(ten, 10));
	}
	BN_free(rest);
	BN_free(out);
	BN_free(ten);
	BN_CTX_free(context);
}

/* ---- the digits ------------------------------------------------------------------------------ */

/* The floor of x / 2^bits. */
static int floor_shift(int64_t x, int bits)
{
	return (int)(x >= 0 ? x >> bits : -((-x + ((INT64_C(1) << bits) - 1)) >> bits));
}

/* power * c / 2^128, to odd when it is not whole. */
static uint64_t round_to_odd(const struct power *power, uint64_t c)
{
	uint128 low = (uint128)power->low * c;
	uint128 high = (uint128)power->high * c + (uint64_t)(low >> 64);

	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* value = significand * 10^*exponent. */
static uint64_t decimal(double value, int *exponent)
{
	uint64_t bits, c, lower, upper, middle, left, right, s;
	int biased, q, k, h;
	bool closer, odd;

	memcpy(&bits, &value, sizeof(bits));
	c = bits & ((UINT64_C(1) << 52) - 1);
	biased = (int)(bits >> 52 & 0x7ff);
	/* At a power of two the doubles below lie half as far apart as those above. */
	closer = c == 0 && biased > 1;
	if (biased != 0)
		c |= UINT64_C(1) << 52;
	q = (biased != 0 ? biased : 1) - 1075;
	odd = c % 2 != 0;
	/* floor(log10(2^q)), or of 3/4 of it; floor(log2(10^-k)). */
	k = floor_shift((int64_t)q * 1262611 - (closer ? 524031 : 0), 22);
	h = q + floor_shift((int64_t)-k * 1741647, 19) + 1;
	left = round_to_odd(&powers[-k - POWER_MIN], (4 * c - 2 + closer) << h);
	middle = round_to_odd(&powers[-k - POWER_MIN], 4 * c << h);
	right = round_to_odd(&powers[-k - POWER_MIN], (4 * c + 2) << h);
	lower = left + odd;
	upper = right - odd;
	s = middle / 4;
	*exponent = k;
	if (s >= 10) {
		uint64_t tenth = s / 10;
		bool down = lower <= 40 * tenth;
		bool up = 40 * tenth + 40 <= upper;

		if (down != up) {
			*exponent = k + 1;
			return tenth + up;
		}
	}
	{
		bool down = lower <= 4 * s;
		bool up = 4 * s + 4 <= upper;

		if (down != up)
			return s + up;
	}
	return s + (middle > 4 * s + 2 || (middle == 4 * s + 2 && s % 2 != 0));
}

size_t shortest_digits(double value, char digits[20], int *exponent)
{
	char reversed[20] = { 0 };
	uint64_t significand;
	size_t count = 0;

	(void)pthread_once(&powers_once, make_powers);
	significand = decimal(value, exponent);
	while (significand % 10 == 0) {
		significand /= 10;
		++*exponent;
	}
	for (; significand != 0; significand /= 10)
		reversed[count++] = (char)('0' + significand % 10);
	for (size_t i = 0; i < count; i++)
		digits[i] = reversed[count - 1 - i];
	*exponent += (int)count - 1;
	return count;
}
