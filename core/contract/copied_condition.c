/* SPDX-License-Identifier: Apache-2.0 */
/* The condition of the rule about copied samples. */
#include <stdio.h>
#include <string.h>

#include "contract/condition.h"

/* Fewer values that differ could be the same by chance, where a clock is coarse. */
enum { VALUES_OF_AN_EXECUTION = 8 };

static bool same_samples(const statistics_side *s, size_t i, const statistics_side *t, size_t j)
{
	const double *p = s->samples[i];
	const double *q = t->samples[j];
	double seen[VALUES_OF_AN_EXECUTION];
	size_t values = 0;
	size_t k;

	if (s->counts[i] != t->counts[j])
		return false;
	for (k = 0; k < s->counts[i]; k++) {
		size_t n = 0;

		if (p[k] < q[k] || p[k] > q[k])
			return false;
		while (n < values && (p[k] < seen[n] || p[k] > seen[n]))
			n++;
		if (n == values && values < VALUES_OF_AN_EXECUTION)
			seen[values++] = p[k];
	}
	return values == VALUES_OF_AN_EXECUTION;
}

/* How many executions of s are in t as well; t NULL: are in s a second time. */
static size_t copies_in(const statistics_side *s, const statistics_side *t)
{
	size_t count = 0;
	size_t i;
	size_t j;

	for (i = 0; i < s->executions; i++) {
		const statistics_side *other = t != NULL ? t : s;

		for (j = t != NULL ? 0 : i + 1; j < other->executions; j++)
			if (same_samples(s, i, other, j))
				break;
		count += j < other->executions;
	}
	return count;
}

/* Whether the clock is fine enough for equal samples to be no chance. */
static bool tells_apart(const statistics_side *s)
{
	size_t total = 0;
	size_t changes = 0;
	size_t i;
	size_t k;

	for (i = 0; i < s->executions; i++) {
		total += s->counts[i];
		for (k = 1; k < s->counts[i]; k++)
			changes += s->samples[i][k] > s->samples[i][k - 1] ||
			           s->samples[i][k] < s->samples[i][k - 1];
	}
	return total >= 10 && changes >= total / 2;
}

SIDE(side_copied)
{
	size_t copies = copies_in(&x->medians, NULL);

	if (copies == 0)
		return false;
	snprintf(detail, size, "%zu of %zu executions are there twice", copies, x->medians.executions);
	return true;
}

CONDITION(condition_copied)
{
	const statistics_side *sx = &x->medians;
	const statistics_side *sy = &y->medians;
	size_t across;

	if (strcmp(a->record->digest, b->record->digest) == 0)
		return false;
	across = copies_in(sx, sy);
	if (across > 0) {
		snprintf(detail, size, "%zu of %zu executions of the baseline are in the other",
		         across, sx->executions);
		return true;
	}
	if (sx->executions == 0 || !ratio_same_samples(sx, sy) || !tells_apart(sx))
		return false;
	snprintf(detail, size, "every sample is the same");
	return true;
}
