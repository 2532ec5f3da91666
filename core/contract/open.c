/* SPDX-License-Identifier: Apache-2.0 */
/* How much more evidence should decide a case that stayed open. */
#include <math.h>

#include "contract/condition.h"

/* An estimate beyond it helps nobody to plan. */
static const double most = 100;

/* An interval narrows as the root of the evidence.  Beyond the margin it then has to exclude 1 and
 * the noise floor, within the margin to end before its limit. */
static double more_executions(const comparison_row *row)
{
	double half = log(row->speedup_interval->high / row->speedup_interval->low) / 2;
	double center = fabs(log(row->speedup)), limit = log1p(row->margin);
	double floor = isnan(row->noise_floor) ? 0 : log1p(row->noise_floor);
	double away = center > limit ? center - floor : limit - center;

	return away > 0 ? half / away * (half / away) : NAN;
}

/* Further rounds know of the looks and of executions that differ. */
static double more_of(const comparison_row *row)
{
	double more = !row->lockstep ? more_executions(row) :
	              row->more_rounds != LAYOUT_NO_UINT ?
	              1 + (double)row->more_rounds / (double)row->rounds : NAN;

	return more > 1 && more <= most ? more : NAN;
}

void open_fill(comparison *c)
{
	for (size_t i = 0; i < c->cases.count; i++) {
		comparison_row *row = &c->cases.items[i];

		if (row->verdict == VERDICT_INCONCLUSIVE && row->speedup > 0 &&
		    row->speedup_interval->low > 0 && !contract_cites(&row->reasons, "many-cases"))
			row->more = more_of(row);
	}
}
