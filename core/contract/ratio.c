/* SPDX-License-Identifier: Apache-2.0 */
/* The ratio of two sides.  Rounding differs between a ratio and its inverse, so both directions
 * are computed in one order, which follows from the samples: exchanged sides mirror exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"
#include "stat/groups.h"
#include "stat/rounds.h"

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

comparison_ratio ratio_of(const statistics_side *a, const statistics_side *b, bool rounds,
                          double confidence)
{
	measured m = measured_make(a, b, rounds);
	comparison_ratio r = measured_ratio(&m, confidence);

	measured_free(&m);
	return r;
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

/* Two-sided: of the bootstrap, but no less than exchanging executions allows.  Where executions
 * differ little in themselves, no resample of a few of them reaches the other side, which proves
 * nothing. */
static double p_of_pair(const measured *m)
{
	size_t n = m->first->executions, k = m->second->executions;
	double *values = memory_get((n + k) * sizeof(*values));
	double below, above, p;

	for (size_t i = 0; i < n; i++)
		values[i] = statistics_execution(m->first, i);
	for (size_t i = 0; i < k; i++)
		values[n + i] = statistics_execution(m->second, i);
	statistics_pair_tails(m->pair, 1, &below, &above);
	p = fmax(2 * fmax(0, 1 - fmax(below, above)), groups_p(values, n, values + n, k));
	free(values);
	return fmin(1, p);
}

static double p_of_rounds(const measured *m)
{
	size_t n = m->first->executions;

	return rounds_p(m->ratios, n, 1, statistics_median(m->ratios, n) < 1);
}

decision_evidence ratio_evidence(const statistics_side *a, const statistics_side *b, bool rounds)
{
	measured m = measured_make(a, b, rounds);
	comparison_ratio r = measured_ratio(&m, 1 - DECISION_ERROR);
	decision_evidence e = { r.ratio, r.interval, r.interval, 1 };

	if (m.pair != NULL)
		e.p = p_of_pair(&m);
	else if (m.ratios != NULL)
		e.p = p_of_rounds(&m);
	measured_free(&m);
	return e;
}
