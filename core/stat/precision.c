/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/precision.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/text.h"
#include "stat/lockstep.h"
#include "stat/percentile.h"
#include "stat/statistics.h"

/* The ranks that decide: the ends of the interval, and the two whose mean is the value. */
enum { LOW, HIGH, LOWER, UPPER, RANKS };

static bool find_ranks(size_t n, double quantile, double confidence, size_t ranks[RANKS])
{
	if (n == 0)
		return false;
	ranks[LOWER] = quantile > 0 ? percentile_rank(n, quantile) : (n - 1) / 2;
	ranks[UPPER] = quantile > 0 ? ranks[LOWER] : n / 2;
	return quantile > 0 ?
	       statistics_quantile_ranks(n, quantile, confidence, &ranks[LOW], &ranks[HIGH]) :
	       statistics_median_ranks(n, confidence, &ranks[LOW], &ranks[HIGH]);
}

static double relative(const double at[RANKS])
{
	double value = at[LOWER] + (at[UPPER] - at[LOWER]) / 2;

	return value > 0 ? (at[HIGH] - at[LOW]) / 2 / value : NAN;
}

double precision_half_width(double *values, size_t n, double quantile, double confidence)
{
	size_t ranks[RANKS];
	double at[RANKS];

	if (!find_ranks(n, quantile, confidence, ranks))
		return NAN;
	for (size_t i = 0; i < RANKS; i++)
		at[i] = statistics_select(values, n, ranks[i]);
	return relative(at);
}

double precision_of_sorted(const double *sorted, size_t n, double quantile, double confidence)
{
	size_t ranks[RANKS];
	double at[RANKS];

	if (!find_ranks(n, quantile, confidence, ranks))
		return NAN;
	for (size_t i = 0; i < RANKS; i++)
		at[i] = sorted[ranks[i]];
	return relative(at);
}

double precision_of_rounds(const uint64_t *times_ns, const uint64_t *rounds, size_t n, double quantile,
                           double confidence)
{
	double *samples = memory_get((n + 1) * sizeof(*samples));
	double *values = memory_get((n + 1) * sizeof(*values));
	uint64_t *numbers = memory_get((n + 1) * sizeof(*numbers));
	size_t count;
	double width;

	for (size_t i = 0; i < n; i++)
		samples[i] = (double)times_ns[i];
	count = lockstep_round_values(samples, rounds, n, quantile, numbers, values);
	width = precision_half_width(values, count, 0, confidence);
	free(numbers);
	free(values);
	free(samples);
	return width;
}
