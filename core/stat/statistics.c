/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stat/binomial.h"

static double *copy_of(const double *values, size_t n)
{
	double *copy = memory_get(n * sizeof(*copy));

	memcpy(copy, values, n * sizeof(*copy));
	return copy;
}

double statistics_select(double *values, size_t n, size_t rank)
{
	size_t first = 0;
	size_t last = n - 1;
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15) ^ n;

	while (first < last) {
		/* A pseudo-random pivot: no usual order of the input takes quadratic time. */
		size_t low = first;
		size_t high = last;
		double pivot;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		pivot = values[first + (size_t)((state >> 33) % (last - first + 1))];
		while (low <= high) {
			while (values[low] < pivot)
				low++;
			while (values[high] > pivot)
				high--;
			if (low <= high) {
				double swap = values[low];

				values[low++] = values[high];
				values[high] = swap;
				if (high == 0)
					break;
				high--;
			}
		}
		if (rank <= high && high < last)
			last = high;
		else if (rank >= low)
			first = low;
		else
			break;
	}
	return values[rank];
}

double statistics_quantile(const double *values, size_t n, double q)
{
	double *copy = copy_of(values, n);
	double place = q * (double)(n - 1);
	size_t below = (size_t)floor(place);
	double result = statistics_select(copy, n, below);

	if (place > (double)below && below + 1 < n) {
		double above = statistics_select(copy, n, below + 1);

		result += (place - (double)below) * (above - result);
	}
	free(copy);
	return result;
}

/* Reorders `values`. */
static double median_in_place(double *values, size_t n)
{
	double upper = statistics_select(values, n, n / 2);
	double lower;

	if (n % 2 == 1)
		return upper;
	lower = statistics_select(values, n, n / 2 - 1);
	return lower + (upper - lower) / 2;
}

double statistics_median(const double *values, size_t n)
{
	double *copy = copy_of(values, n);
	double result = median_in_place(copy, n);

	free(copy);
	return result;
}

double statistics_mad(const double *values, size_t n)
{
	double *copy = copy_of(values, n);
	double center = median_in_place(copy, n);
	double result;

	for (size_t i = 0; i < n; i++)
		copy[i] = fabs(values[i] - center);
	result = median_in_place(copy, n);
	free(copy);
	return result;
}

double statistics_lag1(const double *values, size_t n)
{
	double mean = 0;
	double products = 0;
	double squares = 0;

	if (n < 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		mean += values[i];
	mean /= (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = values[i] - mean;

		squares += d * d;
		if (i + 1 < n)
			products += d * (values[i + 1] - mean);
	}
	return squares > 0 ? products / squares : 0;
}

/* The largest rank r whose order statistic is above the quantile q with at most the allowed
 * probability; false when there is none. */
static bool rank_below(size_t n, double q, double allowed, size_t *rank)
{
	size_t low = 0;
	size_t high = n;

	/* x(r) is above the quantile when at most r values are at or below it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (binomial_at_most(n, q, middle) > allowed)
			high = middle;
		else
			low = middle + 1;
	}
	*rank = low - 1;
	return low > 0;
}

bool statistics_quantile_ranks(size_t n, double q, double confidence, size_t *low, size_t *high)
{
	double allowed = (1 - confidence) / 2;

	/* Counted from the other end the quantile is 1 - q. */
	if (n == 0 || !rank_below(n, q, allowed, low) || !rank_below(n, 1 - q, allowed, high))
		return false;
	*high = n - 1 - *high;
	return true;
}

bool statistics_quantile_interval(const double *values, size_t n, double q, double confidence,
                                  interval *out)
{
	size_t low;
	size_t high;
	double *copy;

	if (!statistics_quantile_ranks(n, q, confidence, &low, &high))
		return false;
	copy = copy_of(values, n);
	out->low = statistics_select(copy, n, low);
	out->high = statistics_select(copy, n, high);
	free(copy);
	return true;
}

bool statistics_median_ranks(size_t n, double confidence, size_t *low, size_t *high)
{
	return statistics_quantile_ranks(n, 0.5, confidence, low, high);
}

bool statistics_median_interval(const double *values, size_t n, double confidence, interval *out)
{
	return statistics_quantile_interval(values, n, 0.5, confidence, out);
}

/* Interpolates between the sorted values around a place, counted from 0. */
static double value_at(double *values, size_t n, double place)
{
	size_t rank = (size_t)place;
	double below = statistics_select(values, n, rank);

	if (rank + 1 >= n)
		return below;
	return below + (place - (double)rank) * (statistics_select(values, n, rank + 1) - below);
}

bool statistics_fine_interval(const double *values, size_t n, double confidence,
                              double widening, interval *out)
{
	double middle = (double)(n - 1) / 2;
	double missed;
	double missed_next;
	double share;
	double place;
	double depth;
	size_t low;
	size_t high;
	double *copy;

	if (!statistics_median_ranks(n, confidence, &low, &high))
		return false;
	/* The confidence is between the coverage of this rank and that of the next one. */
	missed = 2 * binomial_at_most(n, 0.5, low);
	missed_next = 2 * binomial_at_most(n, 0.5, low + 1);
	depth = (double)(low + 1);
	share = (1 - confidence - missed) / (missed_next - missed);
	share = ((double)n - depth) * share / (depth + ((double)n - 2 * depth) * share);
	place = middle - (middle - (double)low - share) * widening;
	if (place < 0)
		place = 0;
	if (place > middle)
		place = middle;
	copy = copy_of(values, n);
	out->low = value_at(copy, n, place);
	out->high = value_at(copy, n, (double)(n - 1) - place);
	free(copy);
	return true;
}
