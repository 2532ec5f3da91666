/* SPDX-License-Identifier: Apache-2.0 */
/* Sides measured in rounds, on executions whose true ratio is known, while the machine drifts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "stat/rounds.h"

enum { MOST = 40, TRIALS = 2000 };

static double normal(random_state *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

typedef struct sides {
	double values[2][MOST];
	const double *samples[2][MOST];
	size_t counts[MOST];
	statistics_side a, b;
} sides;

/* One sample an execution: n rounds of two sides that differ by `ratio`.  The machine's speed walks
 * by `drift` a round, and each execution is off by `own`, both relative. */
static void sides_make(sides *s, random_state *r, size_t n, double ratio, double drift, double own)
{
	double speed = 1;

	for (size_t i = 0; i < n; i++) {
		speed *= exp(drift * normal(r));
		for (size_t k = 0; k < 2; k++) {
			s->values[k][i] = 1000 * speed * (k == 1 ? ratio : 1) * exp(own * normal(r));
			s->samples[k][i] = &s->values[k][i];
		}
		s->counts[i] = 1;
	}
	s->a = (statistics_side){ .samples = s->samples[0], .counts = s->counts, .executions = n };
	s->b = (statistics_side){ .samples = s->samples[1], .counts = s->counts, .executions = n };
}

static void few_rounds_have_no_interval(void **state)
{
	double ratios[] = { 1.01, 1.02, 1.03, 1.04, 1.05, 1.06 };
	interval around;

	(void)state;
	assert_true(rounds_ratio(ratios, ROUNDS_LEAST - 1, 0.95, &around) == 1.03);
	assert_true(around.low == 0 && isinf(around.high));
	assert_true(fabs(rounds_ratio(ratios, ROUNDS_LEAST, 0.95, &around) - 1.035) < 1e-12);
	assert_true(around.low > 1.01 && around.low < 1.02);
	assert_true(around.high > 1.05 && around.high < 1.06);
}

static void the_least_p_is_the_sign_tests(void **state)
{
	double ratios[MOST];

	(void)state;
	for (size_t n = 2; n <= MOST; n++) {
		for (size_t i = 0; i < n; i++)
			ratios[i] = 1.1 + 0.01 * (double)i;
		assert_true(rounds_p(ratios, n, 1.05, false) == 2 / pow(2, (double)n));
		assert_true(rounds_p(ratios, n, 1.05, true) > 0.999);
		assert_true(rounds_p(ratios, n, 2, true) == 2 / pow(2, (double)n));
	}
}

/* The interval excludes the threshold exactly when p is below its error. */
static void p_agrees_with_the_interval(void **state)
{
	static const double confidences[] = { 0.5, 0.8, 0.9, 0.95 };
	random_state r;

	(void)state;
	random_seed(&r, 7);
	for (int trial = 0; trial < TRIALS; trial++) {
		size_t n = ROUNDS_LEAST + (size_t)trial % (MOST - ROUNDS_LEAST);
		double threshold = 1 + 0.01 * normal(&r);
		interval around;
		double *ratios, above, below;
		sides s;

		sides_make(&s, &r, n, 1, 0, 0.02);
		ratios = rounds_ratios(&s.a, &s.b);
		above = rounds_p(ratios, n, threshold, false);
		below = rounds_p(ratios, n, threshold, true);
		for (size_t k = 0; k < sizeof(confidences) / sizeof(confidences[0]); k++) {
			double error = 1 - confidences[k];

			(void)rounds_ratio(ratios, n, confidences[k], &around);
			if (fabs(above - error) > 1e-9)
				assert_true((around.low > threshold) == (above < error));
			if (fabs(below - error) > 1e-9)
				assert_true((around.high < threshold) == (below < error));
		}
		free(ratios);
	}
}

static void covers(size_t n, double drift)
{
	size_t in = 0, narrower = 0;
	random_state r;

	random_seed(&r, 11 + n);
	for (int trial = 0; trial < TRIALS; trial++) {
		interval around, whole;
		double *ratios;
		sides s;

		sides_make(&s, &r, n, 1.03, drift, 0.02);
		ratios = rounds_ratios(&s.a, &s.b);
		(void)rounds_ratio(ratios, n, 0.95, &around);
		(void)statistics_ratio(&s.a, &s.b, 0.95, &whole);
		in += around.low <= 1.03 && 1.03 <= around.high;
		narrower += around.high - around.low < whole.high - whole.low;
		free(ratios);
	}
	print_message("# %zu rounds, drift of %.0f %% a round: %.1f %% covered, narrower than the sides "
	              "as a whole in %.0f %%\n", n, drift * 100, 100.0 * (double)in / TRIALS,
	              100.0 * (double)narrower / TRIALS);
	assert_true(in >= TRIALS * 93 / 100 && in <= TRIALS * 97 / 100);
	if (drift > 0)
		assert_true(narrower >= TRIALS * 9 / 10);
}

static void rounds_cover_while_the_machine_drifts(void **state)
{
	(void)state;
	for (size_t n = 8; n <= MOST; n *= 2) {
		covers(n, 0);
		covers(n, 0.05);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_rounds_have_no_interval),
		cmocka_unit_test(the_least_p_is_the_sign_tests),
		cmocka_unit_test(p_agrees_with_the_interval),
		cmocka_unit_test(rounds_cover_while_the_machine_drifts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
