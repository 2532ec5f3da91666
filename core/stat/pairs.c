/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/pairs.h"

#include <stdlib.h>

#include "base/text.h"
#include "stat/statistics.h"

/* With few pairs, each must differ by this factor. */
static const uint64_t few_factor = 2;

/* The test for fewer than PAIRS_LEAST pairs. */
static bool few_differ(const uint64_t *first, const uint64_t *second, size_t count)
{
	size_t slower = 0;
	size_t faster = 0;

	for (size_t i = 0; i < count; i++) {
		slower += first[i] > few_factor * second[i];
		faster += second[i] > few_factor * first[i];
	}
	return slower == count || faster == count;
}

bool pairs_differ(const uint64_t *first, const uint64_t *second, size_t count)
{
	double *a, *b, ratio;
	size_t slower = 0, faster = 0;
	size_t misses = count < 2 * PAIRS_MISSES ? 1 : count / PAIRS_MISSES;

	if (count < PAIRS_LEAST)
		return count >= PAIRS_FEW && few_differ(first, second, count);
	a = memory_get(count * sizeof(*a));
	b = memory_get(count * sizeof(*b));
	for (size_t i = 0; i < count; i++) {
		a[i] = (double)first[i];
		b[i] = (double)second[i];
		slower += a[i] > b[i] * (1 + PAIRS_LIMIT / 2);
		faster += a[i] * (1 + PAIRS_LIMIT / 2) < b[i];
	}
	ratio = (statistics_median(a, count) + 1) / (statistics_median(b, count) + 1);
	free(b);
	free(a);
	return (ratio > 1 + PAIRS_LIMIT && slower + misses >= count) ||
	       (ratio * (1 + PAIRS_LIMIT) < 1 && faster + misses >= count);
}
