/* SPDX-License-Identifier: Apache-2.0 */
/* Where the level of a line changes for good. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "archive/archive_inside.h"
#include "base/text.h"
#include "stat/changepoints.h"
#include "stat/sorted.h"
#include "stat/statistics.h"

/* Spreads below this share of the median count as equal: results of one stack differ by more. */
static const double spread_least = 1e-3;
/* A level that begins so near to where the stack changed begins there. */
enum { NEAR = 2 };

/* The place where the stack changed that is nearest to `at`, between low and high; `at` without one. */
static size_t where_stack_changed(const int64_t *stacks, size_t at, size_t low, size_t high)
{
	for (size_t d = 0; d <= NEAR; d++) {
		if (at >= low + d && stacks[at - d] != stacks[at - d - 1])
			return at - d;
		if (at + d < high && stacks[at + d] != stacks[at + d - 1])
			return at + d;
	}
	return at;
}

double archive_level(const double *times, const size_t *firsts, size_t count, size_t n, size_t k)
{
	size_t end = k + 1 < count ? firsts[k + 1] : n;

	return statistics_median(times + firsts[k], end - firsts[k]);
}

/* Joins the two neighbours that differ least, as long as they differ by no more than the margin. */
static size_t join(const double *times, size_t n, double margin, size_t *firsts, size_t count)
{
	double *levels = memory_get(count * sizeof(*levels));

	for (size_t k = 0; k < count; k++)
		levels[k] = archive_level(times, firsts, count, n, k);
	while (count > 1) {
		double least = INFINITY;
		size_t best = 1;

		for (size_t k = 1; k < count; k++) {
			double differ = fmax(levels[k - 1], levels[k]) / fmin(levels[k - 1], levels[k]) - 1;

			if (differ < least) {
				least = differ;
				best = k;
			}
		}
		if (least > margin)
			break;
		memmove(firsts + best, firsts + best + 1, (count - best - 1) * sizeof(*firsts));
		memmove(levels + best, levels + best + 1, (count - best - 1) * sizeof(*levels));
		count--;
		levels[best - 1] = archive_level(times, firsts, count, n, best - 1);
	}
	free(levels);
	return count;
}

/* Appends where the levels of [from, to) begin.  A search takes the values of a shorter level for outliers of
 * the longest, and does not tell two of them apart; so it is repeated within each level. */
static void split(const double *times, size_t from, size_t to, size_t *firsts, size_t *count)
{
	size_t n = to - from, *found, parts;
	double *sorted = sorted_copy(times + from, n);

	parts = changepoints_of(times + from, sorted, n, spread_least * sorted_median(sorted, n), &found);
	free(sorted);
	if (parts == 1)
		firsts[(*count)++] = from;
	for (size_t k = 0; k < parts && parts > 1; k++)
		split(times, from + found[k], k + 1 < parts ? from + found[k + 1] : to, firsts, count);
	free(found);
}

size_t archive_levels(const double *times, const int64_t *stacks, size_t n, double margin, size_t **firsts)
{
	size_t count = 0;

	*firsts = memory_get(n * sizeof(**firsts));
	split(times, 0, n, *firsts, &count);
	for (size_t k = 1; k < count; k++)
		(*firsts)[k] = where_stack_changed(stacks, (*firsts)[k], (*firsts)[k - 1] + 1,
		                                   k + 1 < count ? (*firsts)[k + 1] : n);
	return join(times, n, margin, *firsts, count);
}
