/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts.  FASTER and SLOWER are claims of a difference, and among many cases some interval
 * misses by chance, so the cases that are judged in one comparison share an error of 5 % by Holm's
 * rule (Holm 1979): the smallest of k p-values must be at most 5 %/k, the next 5 %/(k-1), and so on
 * to the first that is not.  EQUIVALENT is the inclusion of an interval in the margin, which is
 * two one-sided tests (Schuirmann 1987); it claims no difference and shares nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "contract/condition.h"

typedef struct claim { comparison_row *row; double p; } claim;

static int by_p(const void *a, const void *b)
{
	const claim *x = a;
	const claim *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/* Raises the sorted p-values for the size of the family. */
static void raise_p(claim *claims, size_t count, size_t family)
{
	double most = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		most = fmax(most, fmin(1, claims[i].p * (double)(family - i)));
		claims[i].row->p_value = most;
	}
}

static void withdraw(const comparison *c, comparison_row *row)
{
	char detail[96];

	if (row->p_value <= DECISION_ERROR)
		return;
	snprintf(detail, sizeof(detail), "%s alone; p = %.2g among %llu cases",
	         comparison_verdict_word(row->verdict), row->p_value, (unsigned long long)c->family);
	reason_judged(c, row, "many-cases", detail);
	row->verdict = VERDICT_INCONCLUSIVE;
}

static bool judged(const comparison *c, const comparison_row *row)
{
	return row->speedup > 0 && row->verdict == VERDICT_INCONCLUSIVE &&
	       c->level < CONTRACT_DESCRIPTION && row->level < CONTRACT_DESCRIPTION;
}

void verdict_fill(comparison *c)
{
	claim *claims = memory_get((c->cases.count + 1) * sizeof(*claims));
	size_t count = 0;

	for (size_t i = 0; i < c->cases.count; i++) {
		comparison_row *row = &c->cases.items[i];
		double p = row->p_value;

		if (row->speedup > 0)
			row->p_value = 1;
		if (!judged(c, row))
			continue;
		c->family++;
		row->verdict = row->alone;
		if (row->verdict == VERDICT_FASTER || row->verdict == VERDICT_SLOWER)
			claims[count++] = (claim){ row, p };
	}
	if (count > 0)
		qsort(claims, count, sizeof(*claims), by_p);
	raise_p(claims, count, (size_t)c->family);
	for (size_t i = 0; i < count; i++)
		withdraw(c, claims[i].row);
	free(claims);
}
