/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/rounds.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

enum { HALVINGS = 40 };

double *rounds_ratios(const statistics_side *a, const statistics_side *b)
{
	double *ratios = memory_get(a->executions * sizeof(*ratios));

	for (size_t i = 0; i < a->executions; i++)
		ratios[i] = statistics_execution(b, i) / statistics_execution(a, i);
	return ratios;
}

double rounds_ratio(const double *ratios, size_t n, double confidence, interval *out)
{
	if (!statistics_fine_interval(ratios, n, confidence, 1, out))
		*out = (interval){ 0, INFINITY };
	return statistics_median(ratios, n);
}

/* Whether the whole interval of that confidence is below the threshold, or above it. */
static bool beyond(const double *ratios, size_t n, double confidence, double threshold, bool below)
{
	interval around;

	if (!statistics_fine_interval(ratios, n, confidence, 1, &around))
		return false;
	return below ? around.high < threshold : around.low > threshold;
}

double rounds_p(const double *ratios, size_t n, double threshold, bool below)
{
	double low = exp2(1 - (double)n); /* 1 - low: the highest confidence for n values */
	double high = 1;
	size_t there = 0;

	for (size_t i = 0; i < n; i++)
		there += below ? ratios[i] < threshold : ratios[i] > threshold;
	if (there == n)
		return low;
	for (int i = 0; i < HALVINGS; i++) {
		double middle = low + (high - low) / 2;

		if (beyond(ratios, n, 1 - middle, threshold, below))
			high = middle;
		else
			low = middle;
	}
	return high;
}
