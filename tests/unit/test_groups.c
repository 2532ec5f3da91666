/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of two groups of executions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "stat/groups.h"
#include "stat/ranks.h"

static void near(double is, double want)
{
	if (fabs(is - want) > 1e-12 + 1e-9 * want)
		fail_msg("%.17g, want %.17g", is, want);
}

static void ranks_are_exact(void **state)
{
	static const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 };
	static const double mixed[] = { 4.5, 7, 8, 9, 10 };

	(void)state;
	near(ranks_p(low, 5, high, 5), 2.0 / 252);
	near(ranks_p(high, 5, low, 5), 2.0 / 252);
	near(ranks_p(low, 5, mixed, 5), 4.0 / 252);
	near(ranks_p(low, 3, high, 4), 2.0 / 35);
	near(ranks_p(low, 1, high, 1), 1);
	near(ranks_least(5, 5), 2.0 / 252);
	near(ranks_least(10, 10), 2.0 / 184756);
	near(ranks_least(3, 4), 2.0 / 35);
	near(ranks_p(low, 5, low, 5), 1);
}

/* Equal values are no evidence. */
static void ties_count_against(void **state)
{
	static const double a[] = { 1, 1, 1, 2 }, b[] = { 2, 3, 3, 3 };

	(void)state;
	assert_true(ranks_p(a, 4, b, 4) > 2.0 / 70);
}

/* All orders of few values are drawn: the p-value is the share of those as far apart. */
static void p_values_are_uniform(void **state)
{
	enum { TRIALS = 20000, N = 6, M = 8, MANY = 60 };
	size_t below[3] = { 0 }, large = 0;
	random_state r;

	(void)state;
	random_seed(&r, 5);
	for (int trial = 0; trial < TRIALS; trial++) {
		double a[MANY], b[MANY], p;

		for (size_t i = 0; i < MANY; i++) {
			a[i] = random_unit(&r);
			b[i] = random_unit(&r);
		}
		p = ranks_p(a, N, b, M);
		below[0] += p <= 0.05;
		below[1] += p <= 0.01;
		below[2] += p <= 0.5;
		large += trial < 2000 && ranks_p(a, MANY, b, MANY) <= 0.05;
	}
	assert_in_range(below[0], TRIALS * 38 / 1000, TRIALS * 52 / 1000);
	assert_in_range(below[1], TRIALS * 6 / 1000, TRIALS * 11 / 1000);
	assert_in_range(below[2], TRIALS * 43 / 100, TRIALS * 51 / 100);
	assert_in_range(large, 70, 130);
}

static void small_differences_need_many_executions(void **state)
{
	double a[20], b[20];

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		a[i] = 1000 + (double)i;
		b[i] = 1050 + (double)i;
	}
	near(groups_p(a, 5, b, 5), 2.0 / 252);
	near(groups_p(a, 20, b, 20), ranks_least(20, 20));
	/* What is larger than processes make needs few. */
	for (size_t i = 0; i < 20; i++)
		b[i] *= 1.5;
	assert_true(groups_p(a, 5, b, 5) < 1e-4);
	for (size_t i = 0; i < 20; i++)
		b[i] *= 20;
	assert_true(groups_p(a, 2, b, 2) < 1e-2);
	assert_true(groups_p(a, 5, b, 5) < 1e-7);
	a[0] = 0;
	near(groups_p(a, 5, b, 5), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_exact),
		cmocka_unit_test(ties_count_against),
		cmocka_unit_test(p_values_are_uniform),
		cmocka_unit_test(small_differences_need_many_executions),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
