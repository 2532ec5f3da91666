/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/percentile.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const percentile percentile_table[PERCENTILE_COUNT] = {
	{ "p90", 0.9 }, { "p95", 0.95 }, { "p97", 0.97 }, { "p99", 0.99 }, { "p99.9", 0.999 },
};

const percentile *percentile_find(const char *name)
{
	for (size_t i = 0; i < PERCENTILE_COUNT; i++)
		if (strcmp(percentile_table[i].name, name) == 0)
			return &percentile_table[i];
	return NULL;
}

size_t percentile_least(double q, double confidence)
{
	double rest = 1 - q;
	double power = 1; /* q^(n - 1) */
	size_t n = 1;

	/* P(at most one exceeds) = q^n + n (1 - q) q^(n - 1). */
	while (power * (q + (double)n * rest) > 1 - confidence) {
		power *= q;
		n++;
	}
	return n;
}

size_t percentile_rank(size_t n, double q)
{
	double place = q * (double)n;
	size_t rank = (size_t)place;

	/* 0.9 * 10 need not be exactly 9. */
	if ((double)rank >= place - 1e-9 * (double)n && rank > 0)
		rank--;
	return rank < n ? rank : n - 1;
}

double percentile_value(const double *values, size_t n, double q)
{
	double *copy = memory_get(n * sizeof(*copy));
	double result;

	memcpy(copy, values, n * sizeof(*copy));
	result = statistics_select(copy, n, percentile_rank(n, q));
	free(copy);
	return result;
}
