/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/random.h"
#include "stat/binomial.h"
#include "stat/changepoints.h"
#include "stat/independence.h"
#include "stat/modes.h"
#include "stat/percentile.h"
#include "stat/plain_math.h"
#include "stat/series.h"
#include "stat/sorted.h"

/* Deterministic noise, roughly normal, of deviation 1: integers and exact steps alone. */
static double bell(random_state *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

static size_t changes(const double *values, size_t n, size_t **out)
{
	double *sorted = sorted_copy(values, n);
	size_t count = changepoints_of(values, sorted, n, 0.1, out);

	free(sorted);
	return count;
}

static size_t modes(const double *values, size_t n, double spread_least)
{
	double *sorted = sorted_copy(values, n);
	size_t count = modes_of_sorted(sorted, n, spread_least);

	free(sorted);
	return count;
}

static double runs_of(const double *values, size_t n)
{
	return independence_runs_about(values, n, statistics_median(values, n));
}

static double signs_of(const double *values, size_t n)
{
	return independence_signs_about(values, n, statistics_median(values, n));
}

static double widening_of(const double *values, size_t n)
{
	return independence_widening_about(values, n, statistics_median(values, n));
}

static bool near(double a, double b, double error)
{
	return fabs(a - b) <= error;
}

static void logarithms_and_roots(void **state)
{
	(void)state;
	for (double x = 1e-300; x < 1e300; x *= 3.7)
		assert_true(near(plain_log(x), log(x), 4e-16 * fabs(log(x)) + 1e-16));
	for (double x = 1; x < 1e12; x *= 1.9)
		assert_true(near(plain_fifth_root(x), pow(x, 0.2), 1e-14 * pow(x, 0.2)));
	assert_true(plain_log(1) == 0 && plain_fifth_root(32) == 2);
}

static void binomials(void **state)
{
	(void)state;
	/* 5 trials of 0.4, by hand. */
	assert_true(near(binomial_at_most(5, 0.4, 2), 0.68256, 1e-14));
	assert_true(near(binomial_at_least(5, 0.4, 3), 0.31744, 1e-14));
	assert_true(near(binomial_majority(5, 0.4), 0.31744, 1e-14));
	assert_true(near(binomial_majority(2, 0.5), 0.5, 1e-15));
	assert_true(near(binomial_majority(4, 0.3), 0.0837 + 0.2646 / 2, 1e-14));
	assert_true(binomial_at_most(5, 0, 0) == 1 && binomial_at_most(5, 1, 4) == 0);
	assert_true(binomial_at_most(5, 0.5, 5) == 1 && binomial_at_least(5, 0.5, 6) == 0);
	assert_true(binomial_at_least(5, 0, 1) == 0 && binomial_at_least(5, 1, 5) == 1);
	assert_true(binomial_majority(9, 0) == 0 && binomial_majority(9, 1) == 1);
	/* The whole is one, also far from the middle and for many trials. */
	for (double p = 0.001; p < 1; p += 0.0789) {
		assert_true(near(binomial_at_most(10000, p, 700) + binomial_at_least(10000, p, 701), 1,
		                 1e-13));
		assert_true(near(binomial_majority(10000, p) + binomial_majority(10000, 1 - p), 1, 1e-13));
	}
}

static void percentiles_need_samples(void **state)
{
	static const size_t least[PERCENTILE_COUNT] = { 64, 130, 219, 662, 6636 };
	const double ten[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	double hundred[100];
	interval i;
	size_t low;
	size_t high;

	(void)state;
	/* The counts of MLPerf Inference's rules for early stopping. */
	for (size_t k = 0; k < PERCENTILE_COUNT; k++)
		assert_int_equal(percentile_least(percentile_table[k].quantile, PERCENTILE_CONFIDENCE),
		                 least[k]);
	assert_true(percentile_find("p99.9") == &percentile_table[4]);
	assert_null(percentile_find("median"));
	/* At least q of the values do not exceed it. */
	assert_true(percentile_value(ten, 10, 0.9) == 9 && percentile_value(ten, 10, 0.91) == 10);
	assert_true(percentile_value(ten, 10, 0.001) == 1 && percentile_value(ten, 1, 0.5) == 10);
	for (int k = 0; k < 100; k++)
		hundred[k] = k + 1;
	assert_true(percentile_value(hundred, 100, 0.95) == 95);
	assert_true(percentile_value(hundred, 100, 0.97) == 97);
	assert_true(percentile_value(hundred, 100, 0.99) == 99);
	/* P(X <= 83) = 0.0206 and P(X <= 84) = 0.0399; P(X >= 96) = 0.0237: binomial tables. */
	assert_true(statistics_quantile_ranks(100, 0.9, 0.95, &low, &high));
	assert_int_equal(low, 83);
	assert_int_equal(high, 95);
	assert_true(statistics_quantile_interval(hundred, 100, 0.9, 0.95, &i));
	assert_true(i.low == 84 && i.high == 96);
	assert_false(statistics_quantile_interval(ten, 10, 0.9, 0.95, &i));
}

/* The interpolated interval lies between the two that order statistics give. */
static void fine_interval_is_between(void **state)
{
	double values[100];
	interval fine;
	interval wide;

	(void)state;
	for (size_t n = 6; n <= 100; n++) {
		for (size_t i = 0; i < n; i++)
			values[i] = (double)((i * 101) % n);
		assert_true(statistics_median_interval(values, n, 0.95, &wide));
		assert_true(statistics_fine_interval(values, n, 0.95, 1, &fine));
		assert_true(fine.low >= wide.low && fine.low < wide.low + 1);
		assert_true(fine.high <= wide.high && fine.high > wide.high - 1);
		assert_true(near(fine.low + fine.high, (double)(n - 1), 1e-12));
		assert_true(statistics_fine_interval(values, n, 0.95, 50, &fine));
		assert_true(fine.low == 0 && fine.high == (double)(n - 1));
	}
	assert_false(statistics_fine_interval(values, 5, 0.95, 1, &fine));
}

static void changes_are_found(void **state)
{
	enum { N = 4000 };
	static double values[N];
	static const struct { size_t n, at, until; double step; } known[] = {
		{ 20, 8, 20, 12 }, { 100, 40, 100, 5 }, { 100, 10, 20, 9 }, { 399, 200, 399, 4 },
		{ 401, 200, 401, 4 }, { N, 1234, N, 4 }, { N, 2000, 2100, 6 },
	};
	random_state r;
	size_t *firsts;
	size_t count;

	(void)state;
	random_seed(&r, 1);
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		size_t n = known[k].n;

		for (size_t i = 0; i < n; i++)
			values[i] = 1000 + bell(&r) +
			            (i >= known[k].at && i < known[k].until ? known[k].step : 0);
		count = changes(values, n, &firsts);
		assert_int_equal(count, known[k].until < n ? 3 : 2);
		assert_int_equal(firsts[0], 0);
		assert_in_range(firsts[1], known[k].at - 1, known[k].at + 1);
		if (count == 3)
			assert_in_range(firsts[2], known[k].until - 1, known[k].until + 1);
		free(firsts);
	}
	/* A change of the spread alone; single outliers, none; nothing, none; a constant, none. */
	for (size_t i = 0; i < 300; i++)
		values[i] = 1000 + bell(&r) * (i < 150 ? 1 : 6);
	assert_int_equal(changes(values, 300, &firsts), 2);
	assert_in_range(firsts[1], 140, 160);
	free(firsts);
	for (size_t i = 0; i < 300; i++)
		values[i] = 1000 + bell(&r) + (i % 41 == 7 ? 500 : 0);
	assert_int_equal(changes(values, 300, &firsts), 1);
	free(firsts);
	for (size_t i = 0; i < N; i++)
		values[i] = 7;
	assert_int_equal(changes(values, N, &firsts), 1);
	free(firsts);
	assert_int_equal(changes(values, 1, &firsts), 1);
	free(firsts);
}

static void independence_is_tested(void **state)
{
	/* Above and below the median 5: 3 runs of 5 and 5 (one value at it). */
	const double runs[] = { 1, 2, 3, 5, 6, 7, 8, 9, 9, 4, 3 };
	const double up[] = { 1, 2, 3, 4, 5 };
	const double ties[] = { 1, 1, 2, 2, 2, 3 };
	double values[200];
	random_state r;

	(void)state;
	/* mean 6, variance 5 4 / 9. */
	assert_true(near(runs_of(runs, 11), -3 / sqrt(20.0 / 9), 1e-14));
	assert_true(runs_of(up, 5) == 0);
	/* S = 10, variance 5 4 15 / 18. */
	assert_true(near(independence_trend(up, 5), 9 / sqrt(300.0 / 18), 1e-14));
	/* S = 11 of 15 pairs less 4 ties; variance (6 5 17 - 2 1 9 - 3 2 11) / 18. */
	assert_true(near(independence_trend(ties, 6), 10 / sqrt(426.0 / 18), 1e-14));
	assert_true(independence_trend(ties, 2) == 0);
	random_seed(&r, 12);
	for (int i = 0; i < 200; i++)
		values[i] = bell(&r);
	assert_true(fabs(runs_of(values, 200)) < 3 &&
	            fabs(independence_trend(values, 200)) < 3 &&
	            fabs(signs_of(values, 200)) < 0.2 &&
	            widening_of(values, 200) < 1.3);
	for (int i = 1; i < 200; i++)
		values[i] = 0.8 * values[i - 1] + values[i];
	assert_true(runs_of(values, 200) < -4 && signs_of(values, 200) > 0.4 &&
	            widening_of(values, 200) > 1.7);
	for (int i = 0; i < 200; i++)
		values[i] = 10 + i % 2;
	assert_true(runs_of(values, 200) > 10 && widening_of(values, 200) == 1);
	for (int i = 0; i < 200; i++)
		values[i] = 3;
	assert_true(runs_of(values, 200) == 0 && independence_trend(values, 200) == 0);
}

static void modes_are_counted(void **state)
{
	static double values[600];
	random_state r;

	(void)state;
	random_seed(&r, 8);
	for (int i = 0; i < 600; i++)
		values[i] = 100 + bell(&r);
	assert_int_equal(modes(values, 600, 0.1), 1);
	for (int i = 0; i < 600; i++)
		values[i] = exp(bell(&r) / 2);
	assert_int_equal(modes(values, 600, 0.001), 1);
	for (int i = 0; i < 600; i++)
		values[i] = 100 + bell(&r) + (i % 3 == 0 ? 8 : 0);
	assert_int_equal(modes(values, 600, 0.1), 2);
	assert_int_equal(modes(values, 60, 0.1), 2);
	for (int i = 0; i < 600; i++)
		values[i] = 100 + bell(&r) + 9 * (i % 3);
	assert_int_equal(modes(values, 600, 0.1), 3);
	/* Two of a hundred are outliers, not a mode; a coarse timer's steps are none either. */
	for (int i = 0; i < 600; i++)
		values[i] = 100 + bell(&r) + (i % 50 == 0 ? 40 : 0);
	assert_int_equal(modes(values, 600, 0.1), 1);
	for (int i = 0; i < 600; i++)
		values[i] = 100 + floor(2 * bell(&r));
	assert_int_equal(modes(values, 600, 0.5), 1);
	for (int i = 0; i < 600; i++)
		values[i] = 5;
	assert_int_equal(modes(values, 600, 0.005), 1);
	assert_int_equal(modes(values, 1, 0.005), 1);
}

static void has_flags(const series *s, const char *wanted)
{
	const char *flags[SERIES_FLAGS_MOST];
	size_t count = series_flags(s, flags);
	char all[200] = "";

	for (size_t i = 0; i < count; i++) {
		strcat(all, i > 0 ? " " : "");
		strcat(all, flags[i]);
	}
	assert_string_equal(all, wanted);
}

static void classes_and_what_counts(void **state)
{
	double values[200];
	random_state r;
	series s;

	(void)state;
	random_seed(&r, 4);
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + 2 * bell(&r);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_FLAT);
	assert_int_equal(s.steady_first, 0);
	assert_int_equal(s.steady_count, 200);
	assert_true(s.band == 0.01 * statistics_median(values, 200) && s.widening == 1);
	has_flags(&s, "");
	series_free(&s);
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + 2 * bell(&r) + (i < 50 ? 60 : 0);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_WARM_UP);
	assert_int_equal(s.steady_first, 50);
	assert_int_equal(s.steady_count, 150);
	assert_int_equal(s.segment_count, 2);
	has_flags(&s, "warm-up-in-samples");
	series_free(&s);
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + 2 * bell(&r) + (i < 20 ? 60 : i < 110 ? -60 : 0);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_SLOWDOWN);
	assert_int_equal(s.steady_first, 110);
	has_flags(&s, "slowdown");
	series_free(&s);
	/* Within the band of 1 % a change is none, however sure it is. */
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + bell(&r) + (i < 100 ? 8 : 0);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_FLAT);
	assert_int_equal(s.segment_count, 2);
	assert_int_equal(s.steady_count, 200);
	assert_true(s.autocorrelated && s.not_random && s.drifting && s.widening > 2);
	series_free(&s);
	/* In the last quarter a change leaves no steady state; without one, all count. */
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + 2 * bell(&r) + (i < 165 ? 0 : 60);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_NO_STEADY_STATE);
	assert_int_equal(s.steady_first, 0);
	assert_int_equal(s.steady_count, 200);
	series_free(&s);
	/* At its border it does. */
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + 2 * bell(&r) + (i < 150 ? 0 : 60);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_SLOWDOWN);
	assert_int_equal(s.steady_count, 50);
	series_free(&s);
	/* A short disturbance in the middle takes nothing from what is steady; a long one does. */
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + 2 * bell(&r) + (i >= 90 && i < 99 ? 60 : 0);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_FLAT);
	assert_int_equal(s.segment_count, 3);
	assert_int_equal(s.steady_count, 200);
	series_free(&s);
	for (int i = 0; i < 200; i++)
		values[i] = 1000 + 2 * bell(&r) + (i >= 90 && i < 110 ? 60 : 0);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_WARM_UP);
	assert_int_equal(s.steady_first, 110);
	series_free(&s);
	/* Three ticks of a coarse timer are no change. */
	for (int i = 0; i < 200; i++)
		values[i] = 10 + (double)(int)random_below(&r, 2) + (i < 100 ? 2 : 0);
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_FLAT);
	series_free(&s);
	series_analyse(values, 19, &s);
	assert_int_equal(s.class, SERIES_SHORT);
	has_flags(&s, "");
	series_free(&s);
	memset(values, 0, sizeof(values));
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_FLAT);
	has_flags(&s, "");
	series_free(&s);
	series_analyse(values, 1, &s);
	assert_int_equal(s.class, SERIES_SHORT);
	assert_int_equal(s.steady_count, 1);
	series_free(&s);
}

/* Two exact values are neighbouring ticks only when they are as near as ticks can be. */
enum { DRAWN = 100, LONG = 1000 };

/* How many of DRAWN series give an interval: a steady rise, or neighbours that are alike. */
static size_t with_interval(size_t n, double rise, double alike, double noise, size_t *settled)
{
	double values[LONG];
	size_t count = 0;
	random_state r;

	random_seed(&r, n + (uint64_t)(1000 * alike));
	*settled = 0;
	for (int k = 0; k < DRAWN; k++) {
		double x = bell(&r);
		series s;

		for (size_t i = 0; i < n; i++) {
			values[i] = 1000 * (1 + rise * (double)i / (double)n + noise * x);
			x = alike * x + sqrt(1 - alike * alike) * bell(&r);
		}
		series_analyse(values, n, &s);
		count += series_has_interval(&s);
		*settled += s.class == SERIES_SLOWDOWN || s.class == SERIES_WARM_UP;
		series_free(&s);
	}
	return count;
}

static void a_drift_is_no_slowdown(void **state)
{
	static const double rises[] = { 0.02, 0.05, -0.05, 0.2 };
	size_t settled;

	(void)state;
	for (size_t i = 0; i < sizeof(rises) / sizeof(rises[0]); i++)
		for (size_t n = 50; n <= LONG; n += 190) {
			assert_true(with_interval(n, rises[i], 0, 0.002, &settled) <= 5);
			assert_true(settled <= 5);
		}
	/* Noise that hides it leaves little of it. */
	assert_true(with_interval(LONG, 0.05, 0, 0.02, &settled) <= 10);
}

static void dependent_samples_give_no_interval(void **state)
{
	size_t settled;

	(void)state;
	assert_true(with_interval(50, 0, 0.99, 0.002, &settled) <= 3);
	assert_true(with_interval(200, 0, 0.99, 0.002, &settled) <= 3);
	assert_true(with_interval(LONG, 0, 0.99, 0.002, &settled) <= 15);
	assert_true(with_interval(100, 0, 0.9, 0.002, &settled) <= 20);
	/* What depends a little does. */
	assert_true(with_interval(200, 0, 0.6, 0.002, &settled) >= 90);
	assert_true(with_interval(LONG, 0, 0.9, 0.002, &settled) >= 90);
	assert_true(with_interval(50, 0, 0, 0.002, &settled) >= 98);
}

static void exact_values(void **state)
{
	double values[200];
	random_state r;
	series s;

	(void)state;
	for (int i = 0; i < 200; i++)
		values[i] = i % 2 == 0 ? 1000 : 1500;
	series_analyse(values, 200, &s);
	assert_int_equal(s.modes, 2);
	has_flags(&s, "not-random multimodal");
	series_free(&s);
	random_seed(&r, 6);
	for (int i = 0; i < 200; i++)
		values[i] = random_below(&r, 5) == 0 ? 1500 : 1000;
	series_analyse(values, 200, &s);
	assert_int_equal(s.modes, 2);
	has_flags(&s, "multimodal");
	series_free(&s);
	for (int i = 0; i < 200; i++)
		values[i] = random_below(&r, 2) == 0 ? 1090 : 1000;
	series_analyse(values, 200, &s);
	assert_int_equal(s.modes, 1);
	has_flags(&s, "");
	series_free(&s);
	/* Nor are they one level when one follows the other. */
	for (int i = 0; i < 200; i++)
		values[i] = i < 100 ? 1000 : 1500;
	series_analyse(values, 200, &s);
	assert_int_equal(s.class, SERIES_SLOWDOWN);
	assert_int_equal(s.steady_first, 100);
	series_free(&s);
}

/* Whole bits, so that another machine or compiler shows. */
static void series_have_the_same_bits_everywhere(void **state)
{
	double values[700];
	random_state r;
	series s;

	(void)state;
	random_seed(&r, 2);
	values[0] = 0;
	for (int i = 1; i < 700; i++)
		values[i] = 0.4 * values[i - 1] + bell(&r);
	for (int i = 0; i < 700; i++)
		values[i] += 1000 + (i < 123 ? 40 : 0);
	series_analyse(values, 700, &s);
	print_message("# %a %a %a %a %a\n", s.lag1, s.runs_z, s.trend_z, s.change, s.widening);
	assert_in_range(s.steady_first, 122, 126);
	assert_true(s.lag1 == 0x1.718a0ab98062dp-2 && s.runs_z == -0x1.6b9d88e6413aap+2);
	assert_true(s.trend_z == 0x1.ea6b29c6c6db6p-2 && s.change == 0x1.64a1224daap-13);
	assert_true(s.widening == 0x1.479a61f460af1p+0);
	series_free(&s);
}

/* Time grows as the number of samples does, with and without changes. */
static void long_series_are_fast(void **state)
{
	enum { N = 10000 };
	static double values[N];
	struct timespec from;
	struct timespec to;
	random_state r;
	series s;

	(void)state;
	for (int kind = 0; kind < 2; kind++) {
		double seconds;

		random_seed(&r, 3);
		for (int i = 0; i < N; i++)
			values[i] = 1000 + bell(&r) + (kind == 1 ? 30 * (i / 100 % 2) : 0);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
		series_analyse(values, N, &s);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
		seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
		print_message("# 10,000 samples, %zu segments: %.1f ms\n", s.segment_count,
		              seconds * 1e3);
		assert_int_equal(s.segment_count, kind == 1 ? 100 : 1);
		assert_true(seconds < 2);
		series_free(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(logarithms_and_roots),
		cmocka_unit_test(binomials),
		cmocka_unit_test(percentiles_need_samples),
		cmocka_unit_test(fine_interval_is_between),
		cmocka_unit_test(changes_are_found),
		cmocka_unit_test(independence_is_tested),
		cmocka_unit_test(modes_are_counted),
		cmocka_unit_test(classes_and_what_counts),
		cmocka_unit_test(a_drift_is_no_slowdown),
		cmocka_unit_test(dependent_samples_give_no_interval),
		cmocka_unit_test(exact_values),
		cmocka_unit_test(series_have_the_same_bits_everywhere),
		cmocka_unit_test(long_series_are_fast),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
