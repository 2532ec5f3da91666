/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/noisefloor.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "stat/binomial.h"
#include "stat/statistics.h"

/* Normal deviates: two-sided for NOISEFLOOR_SHARE, one-sided for NOISEFLOOR_CONFIDENCE. */
#define SHARE_DEVIATE 1.959963984540054
#define CONFIDENCE_DEVIATE 1.6448536269514722

static double distance_of(double ratio)
{
	return ratio >= 1 ? ratio - 1 : 1 / ratio - 1;
}

/* The 5 % quantile of chi-squared by Wilson and Hilferty (1931).  From three degrees of freedom on
 * it is at most a tenth too low, which makes the bound wider. */
static double chi_squared_low(size_t freedom)
{
	double part = 2 / (9 * (double)freedom);
	double root = 1 - part - CONFIDENCE_DEVIATE * sqrt(part);

	return (double)freedom * root * root * root;
}

/* The smallest rank (from 0) whose order statistic is an upper confidence bound of the quantile. */
static size_t free_rank(size_t n)
{
	size_t rank = (size_t)(NOISEFLOOR_SHARE * (double)n);

	while (rank + 1 < n && binomial_at_most(n, NOISEFLOOR_SHARE, rank) < NOISEFLOOR_CONFIDENCE)
		rank++;
	return rank;
}

double noisefloor_of(const double *ratios, size_t n)
{
	double *distances = memory_get(n * sizeof(*distances));
	double squares = 0;
	double largest = 0;
	double bound;

	for (size_t i = 0; i < n; i++) {
		distances[i] = distance_of(ratios[i]);
		squares += distances[i] * distances[i];
		largest = fmax(largest, distances[i]);
	}
	if (n >= NOISEFLOOR_FREE)
		bound = statistics_select(distances, n, free_rank(n));
	else
		bound = fmax(largest, SHARE_DEVIATE * sqrt(squares / chi_squared_low(n)));
	free(distances);
	return bound;
}
