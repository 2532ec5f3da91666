/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/random.h"
#include "stat/sorted.h"
#include "stat/statistics.h"

/* Deterministic data, roughly normal: the sum of twelve uniforms. */
static void ratio_tails(const statistics_side *a, const statistics_side *b, double threshold,
                        double *below, double *above)
{
	statistics_pair *p = statistics_pair_new(a, b);

	statistics_pair_tails(p, threshold, below, above);
	statistics_pair_free(p);
}

static double bell(random_state *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void median_and_quantiles(void **state)
{
	const double odd[] = { 5, 1, 3 };
	const double even[] = { 4, 1, 3, 2 };
	const double seven[] = { 1, 2, 3, 4, 5, 6, 7 };
	const double one[] = { 42 };

	(void)state;
	assert_true(statistics_median(odd, 3) == 3);
	assert_true(odd[0] == 5 && odd[1] == 1); /* left as it was */
	assert_true(statistics_median(even, 4) == 2.5);
	assert_true(statistics_median(one, 1) == 42);
	/* Type 7: position q (n - 1). */
	assert_true(statistics_quantile(even, 4, 0.25) == 1.75);
	assert_true(statistics_quantile(even, 4, 0.75) == 3.25);
	assert_true(statistics_quantile(even, 4, 0) == 1);
	assert_true(statistics_quantile(even, 4, 1) == 4);
	assert_true(fabs(statistics_quantile(seven, 7, 0.9) - 6.4) < 1e-12);
	assert_true(statistics_quantile(one, 1, 0.3) == 42);
	assert_true(statistics_mad(seven, 7) == 2);
	assert_true(statistics_mad(one, 1) == 0);
}

static void select_agrees_with_sort(void **state)
{
	enum { MOST = 300 };
	random_state r;

	(void)state;
	random_seed(&r, 7);
	for (size_t n = 1; n <= MOST; n += 7) {
		double values[MOST];
		double sorted[MOST];

		/* Few distinct values, sorted, reversed and random in turn. */
		for (size_t i = 0; i < n; i++) {
			switch (n % 4) {
			case 0: values[i] = (double)random_below(&r, 3); break;
			case 1: values[i] = (double)i; break;
			case 2: values[i] = (double)(n - i); break;
			default: values[i] = random_unit(&r); break;
			}
			sorted[i] = values[i];
		}
		qsort(sorted, n, sizeof(sorted[0]), compare);
		for (size_t rank = 0; rank < n; rank++)
			assert_true(statistics_select(values, n, rank) == sorted[rank]);
	}
}

/* What is read off sorted values has the bits of what is selected from unsorted ones. */
static void sorted_values_say_the_same(void **state)
{
	enum { MOST = 300 };
	static const double quantiles[] = { 0, 0.1, 0.25, 0.5, 0.75, 0.9, 1 };
	random_state r;

	(void)state;
	random_seed(&r, 8);
	for (size_t n = 1; n <= MOST; n += n < 60 ? 1 : 17) {
		double values[MOST];
		double *sorted;

		for (size_t i = 0; i < n; i++)
			values[i] = n % 3 == 0 ? (double)random_below(&r, 4) : random_unit(&r);
		sorted = sorted_copy(values, n);
		for (size_t i = 1; i < n; i++)
			assert_true(sorted[i - 1] <= sorted[i]);
		assert_true(sorted_median(sorted, n) == statistics_median(values, n));
		assert_true(sorted_mad(sorted, n) == statistics_mad(values, n));
		for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++)
			assert_true(sorted_quantile(sorted, n, quantiles[i]) ==
			            statistics_quantile(values, n, quantiles[i]));
		free(sorted);
	}
}

static void ranks_of_the_median_interval(void **state)
{
	/* From tables of the sign test at 0.95: n, rank from 0. */
	static const struct { size_t n, low; } known[] = {
		{ 6, 0 }, { 7, 0 }, { 8, 0 }, { 9, 1 }, { 10, 1 }, { 12, 2 }, { 15, 3 }, { 20, 5 },
		{ 25, 7 }, { 30, 9 }, { 50, 17 }, { 100, 39 },
	};
	size_t low;
	size_t high;
	const double six[] = { 6, 5, 4, 3, 2, 1 };
	interval i;

	(void)state;
	for (size_t n = 0; n < 6; n++)
		assert_false(statistics_median_ranks(n, 0.95, &low, &high));
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
		assert_true(statistics_median_ranks(known[k].n, 0.95, &low, &high));
		assert_int_equal(low, known[k].low);
		assert_int_equal(high, known[k].n - 1 - known[k].low);
	}
	/* Large n: n/2 - 0.98 sqrt(n), to within a rank or two. */
	assert_true(statistics_median_ranks(1000000, 0.95, &low, &high));
	assert_true(llabs((long long)low - (500000 - 980)) <= 2);
	assert_int_equal(high, 999999 - low);
	assert_true(statistics_median_interval(six, 6, 0.95, &i));
	assert_true(i.low == 1 && i.high == 6);
	assert_false(statistics_median_interval(six, 5, 0.95, &i));
	assert_false(statistics_median_ranks(6, 0.99, &low, &high));
	assert_true(statistics_median_ranks(8, 0.99, &low, &high));
}

/* How often the interval holds the true median of a skewed population. */
static void median_interval_covers(void **state)
{
	enum { ROUNDS = 4000, N = 30 };
	random_state r;
	size_t inside = 0;

	(void)state;
	random_seed(&r, 11);
	for (int k = 0; k < ROUNDS; k++) {
		double values[N];
		interval i;

		for (int n = 0; n < N; n++)
			values[n] = exp(bell(&r));
		assert_true(statistics_median_interval(values, N, 0.95, &i));
		inside += i.low <= 1 && 1 <= i.high;
	}
	/* Exact coverage at n = 30 is 0.957. */
	assert_in_range(inside, (size_t)(0.945 * ROUNDS), (size_t)(0.97 * ROUNDS));
}

static void neighbours(void **state)
{
	double values[1000];
	random_state r;

	(void)state;
	random_seed(&r, 3);
	for (int i = 0; i < 1000; i++)
		values[i] = bell(&r);
	assert_true(fabs(statistics_lag1(values, 1000)) < 0.1);
	for (int i = 1; i < 1000; i++)
		values[i] = 0.8 * values[i - 1] + values[i];
	assert_true(statistics_lag1(values, 1000) > 0.7);
	for (int i = 0; i < 1000; i++)
		values[i] = i % 2;
	assert_true(statistics_lag1(values, 1000) < -0.9);
	for (int i = 0; i < 1000; i++)
		values[i] = 5;
	assert_true(statistics_lag1(values, 1000) == 0);
	assert_true(statistics_lag1(values, 1) == 0);
}

/* ---- the bootstrap --------------------------------------------------------------------------- */

enum { EXECUTIONS = 5, SAMPLES = 30 };

typedef struct data {
	double values[EXECUTIONS][SAMPLES];
	const double *rows[EXECUTIONS];
	size_t counts[EXECUTIONS];
	statistics_side side;
} data;

static void data_make(data *d, random_state *r, double center, double between, double within)
{
	for (int e = 0; e < EXECUTIONS; e++) {
		double shift = between * bell(r);

		for (int i = 0; i < SAMPLES; i++)
			d->values[e][i] = center + shift + within * bell(r);
		d->rows[e] = d->values[e];
		d->counts[e] = SAMPLES;
	}
	d->side = (statistics_side){ d->rows, d->counts, EXECUTIONS, 0, NULL };
}

/* The interval's ends are the least ratios of their probability: none a bit below has it. */
static void ends_of_the_ratio_are_exact(void **state)
{
	random_state r;

	(void)state;
	random_seed(&r, 9);
	for (int round = 0; round < 40; round++) {
		const double levels[] = { (1 - 0.95) / 2, 1 - (1 - 0.95) / 2 };
		double ends[2];
		interval i;
		data a;
		data b;

		data_make(&a, &r, 1000, 3, 5);
		data_make(&b, &r, 1000 + 5 * round, 3, 5);
		/* Whole numbers have many equal ratios. */
		for (int e = 0; e < EXECUTIONS && round % 2 == 0; e++)
			for (int k = 0; k < SAMPLES; k++) {
				a.values[e][k] = floor(a.values[e][k]);
				b.values[e][k] = floor(b.values[e][k]);
			}
		(void)statistics_ratio(&a.side, &b.side, 0.95, &i);
		ends[0] = i.low;
		ends[1] = i.high;
		for (int k = 0; k < 2; k++) {
			double below;
			double above;

			ratio_tails(&a.side, &b.side, ends[k], &below, &above);
			assert_true(1 - above >= levels[k] - 1e-15);
			ratio_tails(&a.side, &b.side, nextafter(ends[k], 0), &below, &above);
			assert_true(1 - above < levels[k]);
		}
	}
}

static void center_is_the_median_of_medians(void **state)
{
	const double a[] = { 1, 2, 9 };
	const double b[] = { 10, 20 };
	const double c[] = { 3 };
	const double *rows[] = { a, b, c };
	const size_t counts[] = { 3, 2, 1 };
	statistics_side side = { rows, counts, 3, 0, NULL };

	(void)state;
	assert_true(statistics_center(&side) == 3);
	side.executions = 2;
	assert_true(statistics_center(&side) == 8.5);
}

/* One resample drawn one by one; of two middle values either, or with `mean` their mean. */
static double drawn_median(random_state *r, double *drawn, size_t n, bool mean)
{
	if (n % 2 == 0 && mean)
		return statistics_median(drawn, n);
	return statistics_select(drawn, n, n % 2 == 0 ? n / 2 - (size_t)random_below(r, 2) : n / 2);
}

static double drawn_center(random_state *r, const statistics_side *s, bool mean)
{
	double medians[16];

	for (size_t i = 0; i < s->executions; i++) {
		size_t e = (size_t)random_below(r, s->executions);
		double drawn[64];

		for (size_t k = 0; k < s->counts[e]; k++)
			drawn[k] = s->samples[e][random_below(r, s->counts[e])];
		medians[i] = drawn_median(r, drawn, s->counts[e], mean);
	}
	return drawn_median(r, medians, s->executions, mean);
}

/* The share of the sorted values at or below, and below, a value. */
static double share_upto(const double *sorted, size_t n, double value, bool strictly)
{
	size_t count = 0;

	while (count < n && (strictly ? sorted[count] < value : sorted[count] <= value))
		count++;
	return (double)count / (double)n;
}

/* That the quantile is one of the drawn ones, to within the error of drawing. */
static void is_quantile(const double *sorted, size_t n, double value, double level)
{
	double error = 4 * sqrt(level * (1 - level) / (double)n);

	/* A little either way: ratios at a jump may round to either side of it. */
	assert_true(share_upto(sorted, n, value * (1 - 1e-12), true) <= level + error);
	assert_true(share_upto(sorted, n, value * (1 + 1e-12), false) >= level - error);
}

enum { DRAWS = 20000 };

/* Odd and even numbers of executions and samples, unequal ones, ties. */
static void bootstrap_is_what_drawing_gives(void **state)
{
	static const struct { size_t executions, counts[EXECUTIONS]; bool ties; } shapes[] = {
		{ 5, { 30, 29, 3, 2, 17 }, false }, { 5, { 5, 5, 5, 5, 5 }, false },
		{ 4, { 20, 20, 20, 20 }, false }, { 2, { 9, 1 }, false }, { 1, { 12 }, false },
		{ 5, { 20, 20, 20, 20, 20 }, true }, { 1, { 1 }, false },
	};
	static double centers[DRAWS];
	static double ratios[DRAWS];
	random_state r;

	(void)state;
	random_seed(&r, 9);
	for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
		data a;
		data b;
		double below;
		double above;

		data_make(&a, &r, 100, 1, 2);
		data_make(&b, &r, 101, 1, 2);
		a.side.executions = b.side.executions = shapes[k].executions;
		for (int e = 0; e < EXECUTIONS; e++) {
			a.counts[e] = b.counts[e] = shapes[k].counts[e];
			for (int i = 0; i < SAMPLES && shapes[k].ties; i++) {
				a.values[e][i] = floor(a.values[e][i]);
				b.values[e][i] = floor(b.values[e][i]);
			}
		}
		for (int i = 0; i < DRAWS; i++) {
			double center = drawn_center(&r, &a.side, false);

			centers[i] = center;
			ratios[i] = drawn_center(&r, &b.side, false) / center;
		}
		qsort(centers, DRAWS, sizeof(centers[0]), compare);
		qsort(ratios, DRAWS, sizeof(ratios[0]), compare);
		for (double confidence = 0.5; confidence < 0.96; confidence += 0.15) {
			interval i = statistics_center_interval(&a.side, confidence);

			is_quantile(centers, DRAWS, i.low, (1 - confidence) / 2);
			is_quantile(centers, DRAWS, i.high, 1 - (1 - confidence) / 2);
			(void)statistics_ratio(&a.side, &b.side, confidence, &i);
			is_quantile(ratios, DRAWS, i.low, (1 - confidence) / 2);
			is_quantile(ratios, DRAWS, i.high, 1 - (1 - confidence) / 2);
		}
		for (double threshold = 0.98; threshold < 1.04; threshold += 0.01) {
			ratio_tails(&a.side, &b.side, threshold, &below, &above);
			assert_true(fabs(below - share_upto(ratios, DRAWS, threshold, true)) < 0.015);
			assert_true(fabs(above - 1 + share_upto(ratios, DRAWS, threshold, false)) < 0.015);
		}
	}
}

/* With the mean of the two middle values instead of either, the interval is a little narrower. */
static void even_numbers_err_on_the_wide_side(void **state)
{
	static double centers[DRAWS];
	double wider = 0;
	random_state r;

	(void)state;
	random_seed(&r, 31);
	for (int k = 0; k < 8; k++) {
		data d;
		interval i;

		data_make(&d, &r, 100, 0.2, 2);
		for (int e = 0; e < EXECUTIONS; e++)
			d.counts[e] = 20;
		for (int n = 0; n < DRAWS; n++)
			centers[n] = drawn_center(&r, &d.side, true);
		i = statistics_center_interval(&d.side, 0.95);
		wider += (i.high - i.low) / (statistics_quantile(centers, DRAWS, 0.975) -
		                             statistics_quantile(centers, DRAWS, 0.025)) / 8;
	}
	print_message("# 5 x 20 samples, either middle value: %.3f times as wide as their mean\n", wider);
	assert_true(wider > 1 && wider < 1.1);
}

/* Known by counting: of the 27 resamples of three, 7 have the median 0, 13 the median 1. */
static void bootstrap_of_three_is_exact(void **state)
{
	const double values[] = { 0, 1, 2 };
	const double one[] = { 1 };
	const double *rows[] = { values };
	const double *one_row[] = { one };
	const size_t counts[] = { 3 };
	const size_t one_count[] = { 1 };
	statistics_side side = { rows, counts, 1, 0, NULL };
	statistics_side unit = { one_row, one_count, 1, 0, NULL };
	double below;
	double above;

	(void)state;
	interval i = statistics_center_interval(&side, 1 - 2 * 6.99 / 27);
	assert_true(i.low == 0 && i.high == 2);
	i = statistics_center_interval(&side, 1 - 2 * 7.01 / 27);
	assert_true(i.low == 1 && i.high == 1);
	ratio_tails(&unit, &side, 1, &below, &above);
	assert_true(fabs(below - 7.0 / 27) < 1e-14 && fabs(above - 7.0 / 27) < 1e-14);
	ratio_tails(&unit, &side, 0.5, &below, &above);
	assert_true(fabs(below - 7.0 / 27) < 1e-14 && fabs(above - 20.0 / 27) < 1e-14);
	ratio_tails(&unit, &side, 3, &below, &above);
	assert_true(fabs(below - 1) < 1e-14 && above < 1e-14);
	/* A side that can be zero has no ratio. */
	(void)statistics_ratio(&side, &unit, 0.95, &i);
	assert_true(i.low == 0 && isinf(i.high));
}

/* The interval leaves a threshold on one side exactly when the tails say so. */
static void tails_agree_with_the_interval(void **state)
{
	data a;
	data b;
	random_state r;
	interval i;

	(void)state;
	random_seed(&r, 6);
	data_make(&a, &r, 100, 1, 1);
	data_make(&b, &r, 102, 1, 1);
	(void)statistics_ratio(&a.side, &b.side, 0.95, &i);
	for (int k = 0; k <= 100; k++) {
		double threshold = 0.98 + 0.0008 * k;
		double below;
		double above;

		ratio_tails(&a.side, &b.side, threshold, &below, &above);
		assert_int_equal(i.low > threshold, 1 - above < 0.025);
		assert_int_equal(i.high <= threshold, above <= 0.025);
	}
}

/* Whole bits, so that another machine, compiler or order of equal values shows. */
static void bootstrap_has_the_same_bits_everywhere(void **state)
{
	data a;
	data b;
	random_state r;
	interval i;
	double below;
	double above;

	(void)state;
	random_seed(&r, 5);
	data_make(&a, &r, 100, 1, 1);
	data_make(&b, &r, 110, 1, 1);
	b.counts[2] = 17;
	assert_true(statistics_ratio(&a.side, &b.side, 0.95, &i) ==
	            statistics_center(&b.side) / statistics_center(&a.side));
	ratio_tails(&a.side, &b.side, 1.1, &below, &above);
	print_message("# %a %a %a %a\n", i.low, i.high, below, above);
	assert_true(i.low == 0x1.16409f5a804b4p+0 && i.high == 0x1.1f0ef89d44834p+0);
	assert_true(below == 0x1.44e7c6e28ed09p-2 && above == 0x1.5d8c1c8eb897cp-1);
}

/* How often the interval holds the true ratio, when executions differ. */
static void bootstrap_covers(void **state)
{
	enum { ROUNDS = 1000 };
	random_state r;
	size_t inside = 0;

	(void)state;
	random_seed(&r, 21);
	for (int k = 0; k < ROUNDS; k++) {
		data a;
		data b;
		interval i;

		data_make(&a, &r, 100, 0.5, 2);
		data_make(&b, &r, 120, 0.5, 2);
		(void)statistics_ratio(&a.side, &b.side, 0.95, &i);
		inside += i.low <= 1.2 && 1.2 <= i.high;
	}
	print_message("# 95 %% interval, %d simulations: %zu inside\n", ROUNDS, inside);
	/* With five executions the median of medians has a wide interval: it covers more than it says. */
	assert_in_range(inside, (size_t)(0.93 * ROUNDS), ROUNDS);
}

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void bootstrap_is_fast(void **state)
{
	enum { ROWS = 1000, MANY = 10000 };
	static double values[EXECUTIONS][MANY];
	const double *rows[EXECUTIONS];
	size_t counts[EXECUTIONS];
	statistics_side side = { rows, counts, EXECUTIONS, 0, NULL };
	data a;
	data b;
	random_state r;
	interval i;
	double seconds;

	(void)state;
	random_seed(&r, 5);
	data_make(&a, &r, 100, 1, 1);
	data_make(&b, &r, 110, 1, 1);
	for (int e = 0; e < EXECUTIONS; e++)
		a.counts[e] = b.counts[e] = 20;
	seconds = processor_seconds();
	for (int k = 0; k < ROWS; k++)
		(void)statistics_ratio(&a.side, &b.side, 0.95, &i);
	seconds = processor_seconds() - seconds;
	print_message("# 2 x 5 x 20 samples: %.1f us\n", seconds / ROWS * 1e6);
	/* Twenty times as long as it takes, for sanitizers and other machines. */
	assert_true(seconds < ROWS * 1e-3);
	for (int e = 0; e < EXECUTIONS; e++) {
		rows[e] = values[e];
		counts[e] = MANY;
		for (int k = 0; k < MANY; k++)
			values[e][k] = 100 + bell(&r);
	}
	seconds = processor_seconds();
	(void)statistics_ratio(&side, &side, 0.95, &i);
	seconds = processor_seconds() - seconds;
	print_message("# 2 x 5 x 10,000 samples: %.1f ms\n", seconds * 1e3);
	assert_true(i.low <= 1 && i.high >= 1 && seconds < 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(median_and_quantiles),
		cmocka_unit_test(select_agrees_with_sort),
		cmocka_unit_test(ranks_of_the_median_interval),
		cmocka_unit_test(median_interval_covers),
		cmocka_unit_test(neighbours),
		cmocka_unit_test(center_is_the_median_of_medians),
		cmocka_unit_test(bootstrap_is_what_drawing_gives),
		cmocka_unit_test(even_numbers_err_on_the_wide_side),
		cmocka_unit_test(bootstrap_of_three_is_exact),
		cmocka_unit_test(tails_agree_with_the_interval),
		cmocka_unit_test(sorted_values_say_the_same),
		cmocka_unit_test(ends_of_the_ratio_are_exact),
		cmocka_unit_test(bootstrap_has_the_same_bits_everywhere),
		cmocka_unit_test(bootstrap_covers),
		cmocka_unit_test(bootstrap_is_fast),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
