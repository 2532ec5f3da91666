/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel dialect as host C: conversions against the input generators', regions, entries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
	}
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
		cmocka_unit_test(test_regions_and_atomics), cmocka_unit_test(test_entries),
		cmocka_unit_test(test_vectors),
	};
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("dialect", tests, NULL, NULL);
}
