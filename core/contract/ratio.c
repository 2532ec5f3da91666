/* SPDX-License-Identifier: Apache-2.0 */
/* The ratio of two sides.  Rounding differs between a ratio and its inverse, so both directions
 * are computed in one order, which follows from the samples: exchanged sides mirror exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/condition.h"
#include "stat/rounds.h"

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

/* Two sides in the order of their samples, and their pair or the ratios of their rounds. */
typedef struct measured {
	const statistics_side *first, *second;
	statistics_pair *pair;
	double *ratios;
	int order;            /* of a against b; 0 when they are the same: no pair, no ratios */
} measured;

static measured measured_make(const statistics_side *a, const statistics_side *b, bool rounds)
{
	measured m = { .order = side_order(a, b) };

	m.first = m.order < 0 ? a : b;
	m.second = m.order < 0 ? b : a;
	if (m.order != 0 && rounds)
		m.ratios = rounds_ratios(m.first, m.second);
	else if (m.order != 0)
		m.pair = statistics_pair_new(m.first, m.second);
	return m;
}

static void measured_free(measured *m)
{
	statistics_pair_free(m->pair);
	free(m->ratios);
}

static comparison_ratio measured_ratio(const measured *m, double confidence)
{
	comparison_ratio r = { .ratio = 1, .interval = { 1, 1 } };
	interval around;
	double center;

	if (m->order == 0)
		return r;
	center = m->pair != NULL ?
	         statistics_pair_ratio(m->pair, confidence, &around) :
	         rounds_ratio(m->ratios, m->first->executions, confidence, &around);
	if (m->order < 0)
		r = (comparison_ratio){ .ratio = 1 / center,
		                        .interval = { 1 / around.high, 1 / around.low } };
	else
		r = (comparison_ratio){ .ratio = center, .interval = around };
	if (!isfinite(r.ratio) || !isfinite(r.interval.low) || !isfinite(r.interval.high) ||
	    !(r.ratio > 0))
		memset(&r, 0, sizeof(r));
	return r;
}

comparison_ratio ratio_at(const statistics_side *a, const statistics_side *b, bool rounds,
                          double confidence)
{
	measured m = measured_make(a, b, rounds);
	comparison_ratio r = measured_ratio(&m, confidence);

	measured_free(&m);
	return r;
}

comparison_ratio ratio_of(const statistics_side *a, const statistics_side *b, bool rounds)
{
	return ratio_at(a, b, rounds, CONFIDENCE);
}

comparison_ratio *ratio_kept(comparison_ratio ratio)
{
	comparison_ratio *kept;

	if (!(ratio.ratio > 0))
		return NULL;
	kept = layout_new(comparison_ratio_layout());
	*kept = ratio;
	return kept;
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

/* The bootstrap's probability that b is not faster (or slower) than a by more than the margin. */
static double not_so(const measured *m, const statistics_side *a, const statistics_side *b,
                     double margin, bool faster)
{
	interval range_a = range_of(a);
	interval range_b = range_of(b);
	double below;
	double above;

	/* No resample can be on the other side of the margin. */
	if (range_b.high * (1 + margin) < range_a.low)
		return faster ? 0 : 1;
	if (range_a.high * (1 + margin) < range_b.low)
		return faster ? 1 : 0;
	/* below: the second takes less time. */
	if ((m->order < 0) == faster) {
		statistics_pair_tails(m->pair, 1 / (1 + margin), &below, &above);
		return fmax(0, 1 - below);
	}
	statistics_pair_tails(m->pair, 1 + margin, &below, &above);
	return fmax(0, 1 - above);
}

/* That there is no difference beyond the margin in the direction of the claim, on both sides. */
static double p_of(const measured *m, const statistics_side *a, const statistics_side *b,
                   double margin, bool faster)
{
	bool below = (m->order < 0) == faster;

	if (m->pair != NULL)
		return fmin(1, 2 * not_so(m, a, b, margin, faster));
	return rounds_p(m->ratios, m->first->executions, below ? 1 / (1 + margin) : 1 + margin, below);
}

enum comparison_verdict contract_verdict(comparison_ratio r, double margin)
{
	interval speedup = r.interval;

	if (speedup.low > 1 + margin)
		return VERDICT_FASTER;
	if (speedup.high < 1 / (1 + margin))
		return VERDICT_SLOWER;
	if (speedup.low >= 1 / (1 + margin) && speedup.high <= 1 + margin)
		return VERDICT_EQUIVALENT;
	return VERDICT_INCONCLUSIVE;
}

comparison_ratio ratio_judged(const statistics_side *a, const statistics_side *b, bool rounds,
                              double margin, enum comparison_verdict *alone, double *p)
{
	measured m = measured_make(a, b, rounds);
	comparison_ratio r = measured_ratio(&m, CONFIDENCE);

	*p = 1;
	*alone = contract_verdict(r, margin);
	if (m.order != 0 && (*alone == VERDICT_FASTER || *alone == VERDICT_SLOWER))
		*p = p_of(&m, a, b, margin, *alone == VERDICT_FASTER);
	measured_free(&m);
	return r;
}

comparison_ratio contract_speedup(const comparison *c, const comparison_row *row, size_t share)
{
	statistics_side a = quantile_side(row->a, row->quantile);
	statistics_side b = quantile_side(row->b, row->quantile);

	(void)c;
	return ratio_at(&a, &b, row->rounds != LAYOUT_NO_UINT, 1 - (1 - CONFIDENCE) / (double)share);
}
