/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/independence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

double independence_runs_about(const double *values, size_t n, double middle)
{
	double above = 0;
	double below = 0;
	double runs = 0;
	int before = 0;
	double all;
	double expected;
	double variance;

	for (size_t i = 0; i < n; i++) {
		int side = (values[i] > middle) - (values[i] < middle);

		if (side == 0)
			continue;
		if (side > 0)
			above += 1;
		else
			below += 1;
		if (side != before)
			runs += 1;
		before = side;
	}
	all = above + below;
	if (above < 5 || below < 5)
		return 0;
	expected = 2 * above * below / all + 1;
	variance = (expected - 1) * (expected - 2) / (all - 1);
	return variance > 0 ? (runs - expected) / sqrt(variance) : 0;
}

/* Sorts values[0, n) with scratch room of the same size; returns the number of pairs out of
 * order. */
static double sort_counting(double *values, double *room, size_t n)
{
	double count = 0;

	for (size_t width = 1; width < n; width *= 2) {
		for (size_t first = 0; first < n; first += 2 * width) {
			size_t middle = first + width < n ? first + width : n;
			size_t end = first + 2 * width < n ? first + 2 * width : n;
			size_t left = first;
			size_t right = middle;

			for (size_t at = first; at < end; at++) {
				if (left < middle && (right >= end || values[left] <= values[right])) {
					room[at] = values[left++];
				} else {
					count += (double)(middle - left);
					room[at] = values[right++];
				}
			}
		}
		memcpy(values, room, n * sizeof(*values));
	}
	return count;
}

double independence_trend(const double *values, size_t n)
{
	double *sorted;
	double size = (double)n;
	double pairs = size * (size - 1) / 2;
	double variance = size * (size - 1) * (2 * size + 5);
	double inverted;
	double score;
	size_t same = 1;

	if (n < 3)
		return 0;
	sorted = memory_get(2 * n * sizeof(*sorted));
	memcpy(sorted, values, n * sizeof(*sorted));
	inverted = sort_counting(sorted, sorted + n, n);
	for (size_t i = 1; i <= n; i++) {
		double t = (double)same;

		if (i < n && sorted[i] <= sorted[i - 1]) {
			same++;
			continue;
		}
		pairs -= t * (t - 1) / 2;
		variance -= t * (t - 1) * (2 * t + 5);
		same = 1;
	}
	free(sorted);
	score = pairs - 2 * inverted;
	if (!(variance > 0) || (score <= 0 && score >= 0))
		return 0;
	return (score > 0 ? score - 1 : score + 1) / sqrt(variance / 18);
}

/* -1, 0 or 1 for each value, malloc'd. */
static signed char *signs_of(const double *values, size_t n, double middle)
{
	signed char *signs = memory_get(n);

	for (size_t i = 0; i < n; i++)
		signs[i] = (signed char)((values[i] > middle) - (values[i] < middle));
	return signs;
}

/* The autocorrelation of the signs.  Their mean is 0 unless many values equal the median. */
static double sign_correlation(const signed char *signs, size_t n, size_t lag)
{
	long products = 0;
	long squares = 0;
	long sum = 0;
	long ends = 0; /* the sum without the last `lag` signs plus the sum without the first */
	double mean;
	double spread;

	for (size_t i = 0; i < n; i++) {
		squares += signs[i] * signs[i];
		sum += signs[i];
		ends += (i + lag < n ? signs[i] : 0) + (i >= lag ? signs[i] : 0);
		if (i + lag < n)
			products += signs[i] * signs[i + lag];
	}
	mean = (double)sum / (double)n;
	spread = (double)squares - (double)sum * mean;
	if (!(spread > 0))
		return 0;
	return ((double)products - mean * (double)ends + (double)(n - lag) * mean * mean) / spread;
}

double independence_signs_about(const double *values, size_t n, double middle)
{
	signed char *signs;
	double result;

	if (n < 2)
		return 0;
	signs = signs_of(values, n, middle);
	result = sign_correlation(signs, n, 1);
	free(signs);
	return result;
}

double independence_widening_about(const double *values, size_t n, double middle)
{
	enum { LAGS_MOST = 1000 };
	signed char *signs;
	double noise;
	double sum = 1;

	if (n < 2)
		return 1;
	signs = signs_of(values, n, middle);
	noise = 1 / sqrt((double)n);
	for (size_t lag = 1; lag <= LAGS_MOST && lag < n / 4; lag++) {
		double r = sign_correlation(signs, n, lag);

		if (r < noise)
			break;
		sum += 2 * r;
	}
	free(signs);
	return sqrt(sum);
}
