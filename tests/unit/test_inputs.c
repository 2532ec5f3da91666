/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/digest.h"
#include "measure/inputs.h"

static const char *const precisions[] = { "f64", "f32", "f16", "bf16" };
static const size_t sizes[] = { 8, 4, 2, 2 };

/* Any element is recomputed alone, from any place. */
static void elements_stand_alone(void **state)
{
	enum { N = 257 };
	unsigned char whole[N * 8];
	unsigned char part[N * 8];

	(void)state;
	for (size_t p = 0; p < 4; p++) {
		for (int normal = 0; normal < 2; normal++) {
			void (*fill)(void *, uint64_t, uint64_t, const char *, uint64_t, uint32_t) =
				normal ? inputs_fill_normal : inputs_fill_uniform;

			fill(whole, 1000, N, precisions[p], 5, 2);
			for (uint64_t i = 0; i < N; i++) {
				fill(part, 1000 + i, 1, precisions[p], 5, 2);
				assert_memory_equal(part, whole + i * sizes[p], sizes[p]);
			}
			fill(part, 1003, N - 3, precisions[p], 5, 2);
			assert_memory_equal(part, whole + 3 * sizes[p], (N - 3) * sizes[p]);
		}
	}
	inputs_fill_bytes(whole, 77, N, 5, 2);
	for (uint64_t i = 0; i < N; i++) {
		inputs_fill_bytes(part, 77 + i, 1, 5, 2);
		assert_int_equal(part[0], whole[i]);
	}
}

static void seeds_and_streams_differ(void **state)
{
	double a[64];
	double b[64];

	(void)state;
	inputs_fill_uniform(a, 0, 64, "f64", 1, 0);
	inputs_fill_uniform(b, 0, 64, "f64", 2, 0);
	assert_memory_not_equal(a, b, sizeof(a));
	inputs_fill_uniform(b, 0, 64, "f64", 1, 1);
	assert_memory_not_equal(a, b, sizeof(a));
	for (int i = 0; i < 64; i++)
		assert_true(a[i] != b[i]);
}

static void moments(void **state)
{
	enum { N = 200000 };
	static double values[N];
	double mean = 0;
	double square = 0;
	double fourth = 0;
	double cross = 0;

	(void)state;
	inputs_fill_normal(values, 0, N, "f64", 42, 0);
	for (int i = 0; i < N; i++) {
		assert_true(isfinite(values[i]));
		mean += values[i] / N;
		square += values[i] * values[i] / N;
		fourth += values[i] * values[i] * values[i] * values[i] / N;
		if (i > 0)
			cross += values[i] * values[i - 1] / N;
	}
	assert_true(fabs(mean) < 0.01 && fabs(square - 1) < 0.015 && fabs(fourth - 3) < 0.1);
	assert_true(fabs(cross) < 0.01);
	inputs_fill_uniform(values, 0, N, "f64", 42, 0);
	mean = square = 0;
	for (int i = 0; i < N; i++) {
		assert_true(values[i] >= -1 && values[i] < 1);
		mean += values[i] / N;
		square += values[i] * values[i] / N;
	}
	assert_true(fabs(mean) < 0.006 && fabs(square - 1.0 / 3) < 0.004);
}

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* The definition once more, with the C library's functions, which inputs.c does without. */
static void normal_is_box_and_muller(void **state)
{
	enum { N = 20000 };
	static double values[N];
	const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t key = mix(mix(8 + golden) ^ 4 * UINT64_C(0xd1342543de82ef95));

	(void)state;
	inputs_fill_normal(values, 0, N, "f64", 8, 3);
	for (uint64_t i = 0; i < N; i += 2) {
		double v = (double)(mix(key + (i + 1) * golden) >> 11) * 0x1p-53;
		double u = (double)((mix(key + (i + 2) * golden) >> 11) + 1) * 0x1p-53;
		double radius = sqrt(-2 * log(u));

		assert_true(fabs(values[i] - radius * cos(2 * M_PI * v)) <= 4e-15 * (1 + radius));
		assert_true(fabs(values[i + 1] - radius * sin(2 * M_PI * v)) <= 4e-15 * (1 + radius));
	}
}

static void uniform_stays_below_one(void **state)
{
	enum { N = 100000 };
	static uint16_t h[N];
	static float f[N];
	int top = 0;

	(void)state;
	for (size_t p = 2; p < 4; p++) {
		inputs_fill_uniform(h, 0, N, precisions[p], 3, 0);
		for (int i = 0; i < N; i++) {
			double v = inputs_to_double(&h[i], precisions[p]);

			assert_true(v >= -1 && v < 1);
			top += v > 0.99;
		}
	}
	assert_true(top > 0);
	inputs_fill_uniform(f, 0, N, "f32", 3, 0);
	for (int i = 0; i < N; i++)
		assert_true(f[i] >= -1 && f[i] < 1);
}

/* Every 16-bit number goes to double and, through rounding of a double near it, back. */
static void small_formats(void **state)
{
	static const struct { const char *precision; uint16_t bits; double value; } known[] = {
		{ "f16", 0x3c00, 1 }, { "f16", 0xc000, -2 }, { "f16", 0x7bff, 65504 },
		{ "f16", 0x0001, 0x1p-24 }, { "f16", 0x03ff, 1023 * 0x1p-24 }, { "f16", 0x0400, 0x1p-14 },
		{ "f16", 0x3555, 0.333251953125 }, { "f16", 0x8000, -0.0 },
		{ "bf16", 0x3f80, 1 }, { "bf16", 0xc000, -2 }, { "bf16", 0x4049, 3.140625 },
		{ "bf16", 0x0001, 0x1p-133 }, { "bf16", 0x0080, 0x1p-126 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_true(inputs_to_double(&known[i].bits, known[i].precision) == known[i].value);
	{
		const uint16_t infinite = 0x7c00;
		const uint16_t nan16 = 0x7e00;
		const uint16_t infinite_b = 0xff80;

		assert_true(inputs_to_double(&infinite, "f16") == INFINITY);
		assert_true(isnan(inputs_to_double(&nan16, "f16")));
		assert_true(inputs_to_double(&infinite_b, "bf16") == -INFINITY);
	}
}

/* A number of the stream in 16 bits is the nearest one to the same number in 64. */
static void rounding_is_to_nearest_even(void **state)
{
	enum { N = 50000 };
	static double wide[N];
	static uint16_t narrow[N];

	(void)state;
	for (size_t p = 2; p < 4; p++) {
		inputs_fill_normal(wide, 0, N, "f64", 6, 1);
		inputs_fill_normal(narrow, 0, N, precisions[p], 6, 1);
		for (int i = 0; i < N; i++) {
			double got = inputs_to_double(&narrow[i], precisions[p]);
			uint16_t up = (uint16_t)(narrow[i] + 1);
			uint16_t down = (uint16_t)(narrow[i] - 1);
			double error = fabs(got - wide[i]);

			assert_true(error <= fabs(inputs_to_double(&up, precisions[p]) - wide[i]));
			if ((narrow[i] & 0x7fff) != 0)
				assert_true(error <= fabs(inputs_to_double(&down, precisions[p]) - wide[i]));
		}
	}
}

/* The same of 8 bits, whose largest magnitude stands for what is beyond; and integers of 32 times. */
static void rounding_to_eight_bits(void **state)
{
	enum { N = 50000 };
	static const char *const small[] = { "e4m3", "e5m2", "e4m3z", "e5m2z" };
	static double wide[N];
	static uint8_t narrow[N];

	(void)state;
	inputs_fill_normal(wide, 0, N, "f64", 6, 1);
	for (size_t p = 0; p < sizeof(small) / sizeof(*small); p++) {
		inputs_fill_normal(narrow, 0, N, small[p], 6, 1);
		assert_int_equal(inputs_element_bytes(small[p]), 1);
		for (int i = 0; i < N; i++) {
			double error = fabs(inputs_to_double(&narrow[i], small[p]) - wide[i]);

			for (int code = 0; code < 256; code++) {
				uint8_t other = (uint8_t)code;
				double distance = fabs(inputs_to_double(&other, small[p]) - wide[i]);

				/* A NaN is at no distance. */
				assert_false(distance < error);
			}
		}
	}
	inputs_fill_normal(narrow, 0, N, "i8", 6, 1);
	for (int i = 0; i < N; i++) {
		double scaled = nearbyint(wide[i] * 32);

		scaled = scaled > 127 ? 127 : scaled < -127 ? -127 : scaled;
		assert_true(inputs_to_double(&narrow[i], "i8") == scaled);
	}
}

static void bytes_are_incompressible(void **state)
{
	enum { N = 65536 };
	static unsigned char bytes[N];
	int counts[256] = { 0 };
	double chi = 0;

	(void)state;
	inputs_fill_bytes(bytes, 0, N, 1, 0);
	for (int i = 0; i < N; i++)
		counts[bytes[i]]++;
	for (int i = 0; i < 256; i++)
		chi += (counts[i] - 256.0) * (counts[i] - 256.0) / 256;
	/* 255 degrees of freedom: mean 255, standard deviation 22.6. */
	assert_true(chi > 150 && chi < 370);
}

/* The data of a protocol never change: a change here is a change of every workload's revision. */
static void data_are_fixed(void **state)
{
	unsigned char data[4096];
	char hex[65];

	(void)state;
	inputs_fill_bytes(data, 0, sizeof(data), 1, 0);
	digest_bytes(data, sizeof(data), hex);
	assert_string_equal(hex, "8f8491621323b975f71978ab98a2347a622f7a7bc324bd98190c1ddc6557a9b9");
	inputs_fill_normal(data, 0, sizeof(data) / 4, "f32", 1, 0);
	digest_bytes(data, sizeof(data), hex);
	assert_string_equal(hex, "bf920dfa28d391e9e26074880d1bb9a357bad8c41efacc8f3382a71c1a4aa816");
	inputs_fill_uniform(data, 0, sizeof(data) / 2, "bf16", 1, 0);
	digest_bytes(data, sizeof(data), hex);
	assert_string_equal(hex, "35ba462c4d24d6ec7f378a68f5872d4f47b8422d9dbba5544ada70a07ffeada8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stand_alone),
		cmocka_unit_test(seeds_and_streams_differ),
		cmocka_unit_test(moments),
		cmocka_unit_test(normal_is_box_and_muller),
		cmocka_unit_test(uniform_stays_below_one),
		cmocka_unit_test(small_formats),
		cmocka_unit_test(rounding_is_to_nearest_even),
		cmocka_unit_test(rounding_to_eight_bits),
		cmocka_unit_test(bytes_are_incompressible),
		cmocka_unit_test(data_are_fixed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
