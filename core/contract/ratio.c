/* SPDX-License-Identifier: Apache-2.0 */
/* The ratio of two sides.  Rounding differs between a ratio and its inverse, so both directions are
 * computed in one order, which the samples alone decide: exchanging the sides mirrors exactly. */
#include <math.h>
#include <string.h>

#include "contract/condition.h"

#define CONFIDENCE 0.95

static int value_order(double a, double b)
{
	return (a > b) - (a < b);
}

static int side_order(const statistics_side *a, const statistics_side *b)
{
	int order = value_order((double)a->executions, (double)b->executions);
	size_t i;
	size_t k;

	for (i = 0; i < a->executions && order == 0; i++)
		order = value_order((double)a->counts[i], (double)b->counts[i]);
	if (order != 0)
		return order;
	for (i = 0; i < a->executions && order == 0; i++)
		for (k = 0; k < a->counts[i] && order == 0; k++)
			order = value_order(a->samples[i][k], b->samples[i][k]);
	return order;
}

bool ratio_same_samples(const statistics_side *a, const statistics_side *b)
{
	return side_order(a, b) == 0;
}

/* The pair in the order of the samples; *order is 0, and nothing made, when they are the same. */
static statistics_pair *pair_of(const statistics_side *a, const statistics_side *b, int *order)
{
	*order = side_order(a, b);
	if (*order == 0)
		return NULL;
	return *order < 0 ? statistics_pair_new(a, b) : statistics_pair_new(b, a);
}

static comparison_ratio ratio_of_pair(const statistics_pair *pair, int order)
{
	comparison_ratio r = { 1, { 1, 1 } };
	interval around;
	double center;

	if (order == 0)
		return r;
	center = statistics_pair_ratio(pair, CONFIDENCE, &around);
	if (order < 0)
		r = (comparison_ratio){ 1 / center, { 1 / around.high, 1 / around.low } };
	else
		r = (comparison_ratio){ center, around };
	if (!isfinite(r.ratio) || !isfinite(r.around.low) || !isfinite(r.around.high) ||
	    !(r.ratio > 0))
		memset(&r, 0, sizeof(r));
	return r;
}

comparison_ratio ratio_of(const statistics_side *a, const statistics_side *b)
{
	int order;
	statistics_pair *pair = pair_of(a, b, &order);
	comparison_ratio r = ratio_of_pair(pair, order);

	statistics_pair_free(pair);
	return r;
}

/* Smallest and largest sample. */
static interval range_of(const statistics_side *s)
{
	interval range = { INFINITY, 0 };
	size_t i;
	size_t k;

	for (i = 0; i < s->executions; i++) {
		for (k = 0; k < s->counts[i]; k++) {
			double value = s->samples[i][k];

			range.low = value < range.low ? value : range.low;
			range.high = value > range.high ? value : range.high;
		}
	}
	return range;
}

/* The bootstrap's probability that b is not faster, or not slower, than a by more than the margin;
 * `order` is of a against b, and the pair in it. */
static double not_so(const statistics_pair *pair, int order, const statistics_side *a,
                     const statistics_side *b, double margin, bool faster)
{
	interval range_a = range_of(a);
	interval range_b = range_of(b);
	double below;
	double above;

	/* Nothing that the bootstrap may draw lies on the other side of the margin. */
	if (range_b.high * (1 + margin) < range_a.low)
		return faster ? 0 : 1;
	if (range_a.high * (1 + margin) < range_b.low)
		return faster ? 1 : 0;
	/* below: the second takes less time. */
	if ((order < 0) == faster) {
		statistics_pair_tails(pair, 1 / (1 + margin), &below, &above);
		return fmax(0, 1 - below);
	}
	statistics_pair_tails(pair, 1 + margin, &below, &above);
	return fmax(0, 1 - above);
}

static enum comparison_verdict verdict_of(interval speedup, double margin)
{
	if (speedup.low > 1 + margin)
		return VERDICT_FASTER;
	if (speedup.high < 1 / (1 + margin))
		return VERDICT_SLOWER;
	if (speedup.low >= 1 / (1 + margin) && speedup.high <= 1 + margin)
		return VERDICT_EQUIVALENT;
	return VERDICT_INCONCLUSIVE;
}

comparison_ratio ratio_judged(const statistics_side *a, const statistics_side *b, double margin,
                              enum comparison_verdict *alone, double *p)
{
	int order;
	statistics_pair *pair = pair_of(a, b, &order);
	comparison_ratio r = ratio_of_pair(pair, order);

	*p = 1;
	*alone = verdict_of(r.around, margin);
	if (order != 0 && (*alone == VERDICT_FASTER || *alone == VERDICT_SLOWER))
		*p = fmin(1, 2 * not_so(pair, order, a, b, margin, *alone == VERDICT_FASTER));
	statistics_pair_free(pair);
	return r;
}
