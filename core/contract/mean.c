/* SPDX-License-Identifier: Apache-2.0 */
/* Means over cases, for each metric and tier: arithmetic of times and harmonic of rates, which both
 * weigh each case by its time; geometric of ratios, the only one that does not depend on the baseline
 * (Fleming and Wallace 1986). */
#include <math.h>

#include "contract/condition.h"

static void add_row(comparison_mean *m, double *logs, const comparison_row *row)
{
	double baseline = row->baseline->value;
	double other = row->other->value;

	if (!(row->speedup > 0) || row->baseline->metric != m->metric ||
	    row->a->planned->tier != m->tier)
		return;
	/* The inverse of a rate is the time of one unit: both means add up times. */
	m->baseline += m->mean == MEAN_ARITHMETIC ? baseline : 1 / baseline;
	m->other += m->mean == MEAN_ARITHMETIC ? other : 1 / other;
	*logs += log(row->speedup);
	m->speedup_range.low = fmin(m->speedup_range.low, row->speedup);
	m->speedup_range.high = fmax(m->speedup_range.high, row->speedup);
	m->cases++;
}

static comparison_mean mean_of(const comparison *c, enum record_metric metric,
                               enum record_tier tier)
{
	comparison_mean m = { .metric = metric, .tier = tier, .speedup_range = { INFINITY, 0 },
		              .mean = metric == RECORD_METRIC_SECONDS ? MEAN_ARITHMETIC :
		                                                        MEAN_HARMONIC };
	double logs = 0;

	for (size_t i = 0; i < c->cases.count; i++)
		if (c->cases.items[i].a != NULL && c->cases.items[i].b != NULL)
			add_row(&m, &logs, &c->cases.items[i]);
	if (m.cases == 0)
		return m;
	m.baseline /= (double)m.cases;
	m.other /= (double)m.cases;
	if (m.mean == MEAN_HARMONIC) {
		m.baseline = 1 / m.baseline;
		m.other = 1 / m.other;
	}
	m.speedup_geometric = exp(logs / (double)m.cases);
	return m;
}

void mean_fill(comparison *c)
{
	for (int metric = RECORD_METRIC_BYTES; metric <= RECORD_METRIC_SECONDS; metric++)
		for (int tier = RECORD_TIER_PORTABLE; tier <= RECORD_TIER_VENDOR; tier++) {
			comparison_mean m = mean_of(c, (enum record_metric)metric, (enum record_tier)tier);

			if (m.cases >= 2 && isfinite(m.baseline) && isfinite(m.other) &&
			    isfinite(m.speedup_geometric))
				*(comparison_mean *)layout_append(comparison_mean_layout(), &c->means) = m;
		}
}
