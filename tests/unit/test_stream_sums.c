/* SPDX-License-Identifier: Apache-2.0 */
/* The limit on the rounding error of stream's sums, held against the kernel's order of additions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../workloads/stream/stream.c"

enum { PARTIALS = 8192, LANES = 256 };

static double noise(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-52 - 1;
}

/* As eh_stream_sum adds them. */
static float add_up(const float *partial)
{
	float lane[LANES] = { 0 }, total = 0;

	for (int i = 0; i < PARTIALS; i++)
		lane[i % LANES] += partial[i];
	for (int l = 0; l < 16; l++) {
		float s = 0;

		for (int k = 0; k < 16; k++)
			s += lane[l + 16 * k];
		total += s;
	}
	return total;
}

/* The largest error of 2000 sums of terms around `mean`, in parts of the limit. */
static double worst(double mean)
{
	static float partial[PARTIALS];
	double most = 0;
	uint64_t state = 1;

	for (int trial = 0; trial < 2000; trial++) {
		double sum = 0, squares = 0, error;

		for (int i = 0; i < PARTIALS; i++) {
			partial[i] = (float)(mean + 64 * noise(&state));
			sum += (double)partial[i];
			squares += (double)partial[i] * (double)partial[i];
		}
		error = fabs((double)add_up(partial) - sum) /
		        sum_allowed(0x1p-24, PARTIALS / LANES + 32, squares, sum);
		most = error > most ? error : most;
	}
	return most;
}

static void terms_that_cancel(void **state)
{
	(void)state;
	assert_true(worst(0) > 0.02 && worst(0) < 0.5);
}

/* Sums far larger than the root of their squares, as a block that is repeated gives. */
static void terms_that_do_not_cancel(void **state)
{
	(void)state;
	assert_true(worst(-11.4) < 0.5);
	assert_true(worst(500) < 0.5);
}

/* Without one group the sum is far beyond the limit. */
static void missing_group(void **state)
{
	(void)state;
	assert_true(11.4 > 50 * sum_allowed(0x1p-24, PARTIALS / LANES + 32, 1.2e7, -11.4 * PARTIALS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_that_cancel),
		cmocka_unit_test(terms_that_do_not_cancel),
		cmocka_unit_test(missing_group),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
