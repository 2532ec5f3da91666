/* SPDX-License-Identifier: Apache-2.0 */
/* Means over cases, each tier for itself: of times the arithmetic, of rates the harmonic (both weigh each case by its
 * time), of ratios the geometric one, which alone does not depend on the baseline (Fleming and
 * Wallace 1986). */
#include <math.h>
#include <string.h>

#include "contract/condition.h"

static comparison_mean mean_of(const comparison *c, const char *metric, const char *tier)
{
	bool seconds = strcmp(metric, "s") == 0;
	comparison_mean m = { .metric = metric, .tier = tier, .range = { INFINITY, 0 } };
	double logs = 0;
	size_t i;

	for (i = 0; i < c->row_count; i++) {
		const comparison_row *row = &c->rows[i];
		double amount;

		if (!(row->speedup > 0) || strcmp(row->a->metric, metric) != 0 ||
		    strcmp(row->a->tier, tier) != 0)
			continue;
		/* A rate's inverse is the time for one unit: both means sum up times. */
		amount = row->a->amount > 0 ? row->a->amount : 1;
		m.a += row->a_center * 1e-9 / amount;
		m.b += row->b_center * 1e-9 / amount;
		logs += log(row->speedup);
		m.range.low = fmin(m.range.low, row->speedup);
		m.range.high = fmax(m.range.high, row->speedup);
		m.cases++;
	}
	if (m.cases == 0)
		return m;
	m.a /= (double)m.cases;
	m.b /= (double)m.cases;
	if (!seconds) {
		m.a = 1 / m.a;
		m.b = 1 / m.b;
	}
	m.speedup = exp(logs / (double)m.cases);
	return m;
}

void mean_fill(comparison *c)
{
	static const char *const metrics[] = { "bytes/s", "flop/s", "s" };
	static const char *const tiers[] = { "portable", "tuned", "vendor" };
	size_t i;

	c->mean_count = 0;
	for (i = 0; i < sizeof(c->means) / sizeof(c->means[0]); i++) {
		comparison_mean m = mean_of(c, metrics[i / 3], tiers[i % 3]);

		if (m.cases >= 2 && isfinite(m.a) && isfinite(m.b) && isfinite(m.speedup))
			c->means[c->mean_count++] = m;
	}
}
