/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel dialect as host C: conversions against the input generators', regions, entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/inputs.h"

#include "../../workloads/dialect.h"

/* A region hides the group's place behind a copy of it, on purpose. */
#pragma GCC diagnostic ignored "-Wshadow"

/* Reverses each group's 8 x 2 values through local memory, and counts in every way there is. */
EH_KERNEL(8, 2, 1) eh_reverse(EH_GLOBAL int *EH_RESTRICT a, EH_GLOBAL eh_u64 *wide,
                              EH_GLOBAL eh_u32 *narrow, EH_GLOBAL int *sign, EH_GLOBAL float *f)
{
	EH_LOCAL(int, tile[16]);
	EH_PRIVATE(int, mine, 16);
	const int base = ((EH_GROUP(2) * EH_GROUPS(1) + EH_GROUP(1)) * EH_GROUPS(0) + EH_GROUP(0)) * 16;
	EH_ITEMS(8, 2, 1)
		const int i = EH_LID(1) * 8 + EH_LID(0);
		EH_P(mine) = a[base + i];
		tile[15 - i] = EH_P(mine);
	EH_END
	EH_BARRIER();
	EH_ITEMS(8, 2, 1)
		const int i = EH_LID(1) * 8 + EH_LID(0);
		a[base + i] = tile[i] * 1000 + EH_P(mine);
		EH_ATOMIC_ADD_U64(wide, (eh_u64)1 << 32);
		EH_ATOMIC_ADD_U32(narrow, 1);
		EH_ATOMIC_ADD_I32(sign, -1);
		EH_ATOMIC_ADD_F32(f, 0.5f);
	EH_END
}
EH_ENTRY(eh_reverse, (EH_GLOBAL int *, EH_GLOBAL eh_u64 *, EH_GLOBAL eh_u32 *, EH_GLOBAL int *,
                      EH_GLOBAL float *))

EH_KERNEL(1, 1, 1) eh_twenty(EH_GLOBAL int *o, int a, int b, int c, int d, int e, int f, int g,
                             int h, int i, int j, int k, int l, int m, int n, int p, int q, int r,
                             int s, int t)
{
	EH_ITEMS(1, 1, 1)
		const int v[19] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, p, q, r, s, t};
		for (int x = 0; x < 19; x++)
			o[x] += v[x];
	EH_END
}
EH_ENTRY(eh_twenty, (EH_GLOBAL int *, int, int, int, int, int, int, int, int, int, int, int, int,
                     int, int, int, int, int, int, int))

static int nothing;
EH_KERNEL(1, 1, 1) eh_none(void)
{
	EH_ITEMS(1, 1, 1)
		nothing++;
	EH_END
}
EH_ENTRY(eh_none, ())

static void test_f16_loads(void **state)
{
	uint32_t bits;
	(void)state;
	for (bits = 0; bits < 65536; bits++) {
		eh_f16 h[1] = {{(eh_u16)bits}};
		const double got = EH_LOAD_F16(h, 0), want = inputs_to_double(h, "f16");
		if (got != want && !(got != got && want != want))
			fail_msg("half 0x%04x is %g, want %g", bits, got, want);
	}
}

/* Nearest, and even on a tie: no neighbour is nearer to x than what was stored. */
static void test_f16_stores(void **state)
{
	uint32_t bits;
	(void)state;
	for (bits = 0; bits < 0x7bff; bits++) {
		eh_f16 low[1] = {{(eh_u16)bits}}, high[1] = {{(eh_u16)(bits + 1)}}, got[1];
		const float a = EH_LOAD_F16(low, 0), b = EH_LOAD_F16(high, 0), middle = (a + b) / 2;
		EH_STORE_F16(got, 0, a);
		assert_int_equal(got[0].bits, bits);
		EH_STORE_F16(got, 0, -b);
		assert_int_equal(got[0].bits, 0x8000 | (bits + 1));
		EH_STORE_F16(got, 0, middle);
		assert_int_equal(got[0].bits, (bits & 1) == 0 ? bits : bits + 1);
		EH_STORE_F16(got, 0, __builtin_nextafterf(middle, 1e9f));
		assert_int_equal(got[0].bits, bits + 1);
		EH_STORE_F16(got, 0, __builtin_nextafterf(middle, 0.0f));
		assert_int_equal(got[0].bits, bits);
	}
}

static void test_f16_limits(void **state)
{
	eh_f16 h[1];
	(void)state;
	EH_STORE_F16(h, 0, 65519.0f);
	assert_int_equal(h[0].bits, 0x7bff);
	EH_STORE_F16(h, 0, 65520.0f);
	assert_int_equal(h[0].bits, 0x7c00);
	EH_STORE_F16(h, 0, -__builtin_inff());
	assert_int_equal(h[0].bits, 0xfc00);
	EH_STORE_F16(h, 0, __builtin_nanf(""));
	assert_true((h[0].bits & 0x7fff) > 0x7c00);
}

static void test_bf16(void **state)
{
	uint32_t bits;
	(void)state;
	for (bits = 0; bits < 65536; bits++) {
		eh_bf16 b[1] = {{(eh_u16)bits}}, back[1];
		const float x = EH_LOAD_BF16(b, 0);
		const double want = inputs_to_double(b, "bf16");
		if ((double)x != want && !(x != x && want != want))
			fail_msg("bf16 0x%04x is %g, want %g", bits, (double)x, want);
		EH_STORE_BF16(back, 0, x);
		if (x == x)
			assert_int_equal(back[0].bits, bits);
		else
			assert_true((back[0].bits & 0x7fff) > 0x7f80);
	}
	{
		eh_bf16 b[1];
		EH_STORE_BF16(b, 0, 1.00390625f); /* a tie: 1 + 2^-8 */
		assert_int_equal(b[0].bits, 0x3f80);
		EH_STORE_BF16(b, 0, 1.01171875f); /* a tie: 1 + 3 * 2^-8 */
		assert_int_equal(b[0].bits, 0x3f82);
		EH_STORE_BF16(b, 0, eh_float_of_(0x7f800001u)); /* NaN by its lowest bit */
		assert_true((b[0].bits & 0x7fff) > 0x7f80);
		EH_STORE_BF16(b, 0, eh_float_of_(0xffffffffu)); /* rounding it would carry into the sign */
		assert_true((b[0].bits & 0x7fff) > 0x7f80);
	}
}

static float load_small(const char *precision, uint8_t code)
{
	const eh_e4m3 a[1] = {{code}};
	const eh_e5m2 b[1] = {{code}};
	const eh_e4m3z c[1] = {{code}};
	const eh_e5m2z d[1] = {{code}};
	if (strcmp(precision, "e4m3") == 0)
		return EH_LOAD_E4M3(a, 0);
	if (strcmp(precision, "e5m2") == 0)
		return EH_LOAD_E5M2(b, 0);
	return strcmp(precision, "e4m3z") == 0 ? EH_LOAD_E4M3Z(c, 0) : EH_LOAD_E5M2Z(d, 0);
}

/*
 * All codes of 8 bits, in the dialect and in the generators, against a walk: from 0 on each code is one
 * step further, and the step doubles with each binade from the second on.
 */
static void test_small_floats(void **state)
{
	static const struct {
		const char *precision;
		double first;       /* the smallest subnormal                                     */
		int binade;         /* codes in one                                               */
		int finite;         /* the last code that is a number                             */
		double largest;     /* then                                                       */
		int infinite;       /* its code, 0 = none                                         */
		int one_zero;
	} formats[] = {
		{"e4m3", 0x1p-9, 8, 0x7e, 448, 0, 0},
		{"e5m2", 0x1p-16, 4, 0x7b, 57344, 0x7c, 0},
		{"e4m3z", 0x1p-10, 8, 0x7f, 240, 0, 1},
		{"e5m2z", 0x1p-17, 4, 0x7f, 57344, 0, 1},
	};
	size_t f;
	int code;
	(void)state;
	for (f = 0; f < sizeof formats / sizeof formats[0]; f++) {
		const char *p = formats[f].precision;
		double value = 0, step = formats[f].first;
		for (code = 0; code < 128; code++) {
			const uint8_t plus = (uint8_t)code, minus = (uint8_t)(code | 0x80);
			double want = value, below = -value;
			if (code > formats[f].finite)
				want = code == formats[f].infinite ? INFINITY : NAN;
			if (code > formats[f].finite)
				below = -want;
			if (code == 0 && formats[f].one_zero)
				below = NAN;
			if (isnan(want))
				assert_true(isnan(load_small(p, plus)) && isnan(inputs_to_double(&plus, p)));
			else if (load_small(p, plus) != want || inputs_to_double(&plus, p) != want)
				fail_msg("%s 0x%02x is %g and %g, want %g", p, plus,
				         (double)load_small(p, plus), inputs_to_double(&plus, p), want);
			if (isnan(below))
				assert_true(isnan(load_small(p, minus)) &&
				            isnan(inputs_to_double(&minus, p)));
			else if (load_small(p, minus) != below || inputs_to_double(&minus, p) != below)
				fail_msg("%s 0x%02x is %g and %g, want %g", p, minus,
				         (double)load_small(p, minus), inputs_to_double(&minus, p), below);
			if (code == formats[f].finite)
				assert_true(value == formats[f].largest);
			/* The next step is twice as long from the second binade's start on. */
			if (code >= 2 * formats[f].binade && code % formats[f].binade == 0)
				step *= 2;
			value += step;
		}
	}
}

static void test_four_bits_and_scales(void **state)
{
	static const float values[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
	eh_u32 code;
	(void)state;
	for (code = 0; code < 8; code++) {
		assert_true(eh_from_e2m1_(code) == values[code]);
		assert_true(eh_from_e2m1_(code | 8) == -values[code]);
	}
	for (code = 0; code < 255; code++)
		assert_true(eh_from_e8m0_((eh_u8)code) == ldexpf(1, (int)code - 127));
	assert_true(isnan(eh_from_e8m0_(255)));
}

static void test_i8(void **state)
{
	int code;
	(void)state;
	for (code = 0; code < 256; code++) {
		const eh_i8 x[1] = {{(eh_u8)code}};
		assert_int_equal(EH_LOAD_I8(x, 0), (int8_t)code);
		assert_true(inputs_to_double(x, "i8") == (int8_t)code);
	}
}

/* Within two units in the last place of the C library's in double precision. */
static void test_exp(void **state)
{
	float x;
	(void)state;
	for (x = -87.0f; x < 88.3f; x += 0.00037f) {
		const double want = exp((double)x), got = EH_EXP32(x);
		const double unit = nextafterf((float)want, INFINITY) - (double)(float)want;
		if (!(fabs(got - want) <= 2 * unit))
			fail_msg("e^%.9g is %.9g, want %.9g", (double)x, got, want);
	}
	assert_true(EH_EXP32(0.0f) == 1);
	assert_true(EH_EXP32(-87.1f) == 0 && EH_EXP32(-INFINITY) == 0);
	assert_true(EH_EXP32(88.3f) < INFINITY && isnan(EH_EXP32(NAN)));
	assert_true(EH_SQRT32(2.25f) == 1.5f);
}

/* The short form, within 6e-6 of the value. */
static void test_short_exp(void **state)
{
	float x;
	(void)state;
	for (x = -87.0f; x < 88.3f; x += 0.00037f) {
		const double want = exp((double)x), got = eh_exp_short_(x);
		if (!(fabs(got - want) <= 6e-6 * want))
			fail_msg("e^%.9g is %.9g, want %.9g", (double)x, got, want);
	}
	assert_true(eh_exp_short_(0.0f) == 1);
	assert_true(eh_exp_short_(-87.1f) == 0 && eh_exp_short_(-INFINITY) == 0);
	assert_true(eh_exp_short_(88.3f) < INFINITY);
	assert_true(isnan(eh_exp_short_(NAN)) && isnan(EH_EXP32(eh_float_of_(0x7fffffff))));
}

static void test_regions_and_atomics(void **state)
{
	enum { GROUPS = 2 * 3 * 2 };
	int a[GROUPS * 16], sign = 0, i;
	eh_u64 wide = 1;
	eh_u32 narrow = 0;
	float f = 0;
	int *pa = a, *psign = &sign;
	eh_u64 *pwide = &wide;
	eh_u32 *pnarrow = &narrow;
	float *pf = &f;
	void *args[] = {&pa, &pwide, &pnarrow, &psign, &pf};
	const int32_t groups[3] = {2, 3, 2};
	(void)state;
	for (i = 0; i < GROUPS * 16; i++)
		a[i] = i % 16 + 1;
	/* Ranges that begin in the middle of a row and of a plane. */
	eh_reverse_entry(args, groups, 7, 12);
	eh_reverse_entry(args, groups, 0, 3);
	eh_reverse_entry(args, groups, 3, 7);
	eh_reverse_entry(args, groups, 5, 5);
	for (i = 0; i < GROUPS * 16; i++)
		assert_int_equal(a[i], (16 - i % 16) * 1000 + i % 16 + 1);
	assert_true(wide == 1 + ((eh_u64)(GROUPS * 16) << 32));
	assert_int_equal(narrow, GROUPS * 16);
	assert_int_equal(sign, -GROUPS * 16);
	assert_true(f == GROUPS * 8.0f);
}

static void test_entries(void **state)
{
	int out[19] = {0}, values[19], i;
	int *p = out;
	void *args[20] = {&p};
	const int32_t groups[3] = {2, 1, 1};
	(void)state;
	for (i = 0; i < 19; i++) {
		values[i] = i * i + 1;
		args[i + 1] = &values[i];
	}
	eh_twenty_entry(args, groups, 0, 2);
	for (i = 0; i < 19; i++)
		assert_int_equal(out[i], 2 * values[i]);
	eh_none_entry(NULL, groups, 0, 2);
	assert_int_equal(nothing, 2);
}

static void test_vectors(void **state)
{
	float f[16];
	double d[8];
	eh_f32x16 x = EH_SPLAT(eh_f32x16, float, 3);
	eh_f64x8 y = EH_SPLAT(eh_f64x8, double, 5);
	int i;
	(void)state;
	x = EH_MAD(x, x, EH_SPLAT(eh_f32x16, float, 1)) - x;
	y = EH_MAD(y, y, y) + y;
	memcpy(f, &x, sizeof f);
	memcpy(d, &y, sizeof d);
	for (i = 0; i < 16; i++)
		assert_true(f[i] == 7);
	for (i = 0; i < 8; i++)
		assert_true(d[i] == 35);
	assert_true(EH_FMA32(2.0f, 3.0f, 1.0f) == 7 && EH_FMA64(2.0, 3.0, 1.0) == 7);
	assert_true(EH_SPLAT(eh_f32x1, float, 2) == 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_f16_loads),  cmocka_unit_test(test_f16_stores),
		cmocka_unit_test(test_f16_limits), cmocka_unit_test(test_bf16),
		cmocka_unit_test(test_small_floats), cmocka_unit_test(test_four_bits_and_scales),
		cmocka_unit_test(test_i8), cmocka_unit_test(test_exp),
		cmocka_unit_test(test_short_exp),
		cmocka_unit_test(test_regions_and_atomics), cmocka_unit_test(test_entries),
		cmocka_unit_test(test_vectors),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dialect", tests, NULL, NULL);
}
