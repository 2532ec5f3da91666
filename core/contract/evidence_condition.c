/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about how the number of a case came about: the statistic, the settings, the
 * course of its samples, how many there are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/condition.h"
#include "stat/noisefloor.h"

/* ---- the statistic --------------------------------------------------------------------------- */

static enum record_statistic statistic_of(const result_row *r)
{
	enum record_statistic declared = condition_settings(r)->statistic;

	return declared != 0 ? declared : RECORD_STATISTIC_MEDIAN;
}

CONDITION(condition_statistic)
{
	return condition_differ(record_statistic_word(statistic_of(x)),
	                        record_statistic_word(statistic_of(y)), detail, size);
}

/* Whether a percentile is declared that the samples are too few for. */
static bool unstated(const result_row *r)
{
	return statistic_of(r) != RECORD_STATISTIC_MEDIAN &&
	       (r->record->derived == NULL || r->record->derived->statistic == NULL);
}

CONDITION(condition_percentile)
{
	return statistic_of(x) == statistic_of(y) &&
	       condition_either(unstated(x), unstated(y), "too few samples", detail, size);
}

enum record_statistic statistic_of_both(const result_row *x, const result_row *y)
{
	bool same = statistic_of(x) == statistic_of(y);

	return same && !unstated(x) && !unstated(y) ? statistic_of(x) : RECORD_STATISTIC_MEDIAN;
}

statistics_side side_by(const result_row *r, enum record_statistic statistic)
{
	return statistic == statistic_of(r) ? r->side : r->medians;
}

const record_derived_number *number_by(const result_row *r, enum record_statistic statistic)
{
	const record_derived *d = r->record->derived;

	return d != NULL && statistic != RECORD_STATISTIC_MEDIAN ? d->statistic : NULL;
}

/* ---- settings -------------------------------------------------------------------------------- */

/* The settings that other rules look at. */
static void clear_known(record_settings *s)
{
	s->cache = 0;
	s->regime = 0;
	s->clock = 0;
	s->margin = NAN;
	s->statistic = 0;
	s->input_data = 0;
	s->scenario = 0;
	s->load_rate = s->load_concurrency = s->load_slo_ns = LAYOUT_NO_UINT;
}

CONDITION(condition_sampling)
{
	record_settings sx = *condition_settings(x);
	record_settings sy = *condition_settings(y);
	const layout_field *field;

	clear_known(&sx);
	clear_known(&sy);
	field = layout_difference(record_settings_layout(), &sx, &sy);
	if (field == NULL)
		return false;
	snprintf(detail, size, "%s", field->key);
	return true;
}

/* ---- the course of the samples --------------------------------------------------------------- */

/* The widest relative half-width that an execution was left with; 0: all converged, INFINITY: not
 * recorded. */
static double width_of(const result_row *r)
{
	double widest = 0;

	if (r->record->status != RECORD_NOT_CONVERGED)
		return 0;
	for EACH_COUNTED(e, r)
		if (e->status == RECORD_NOT_CONVERGED && e->half_width > widest)
			widest = e->half_width;
	return widest > 0 ? widest : INFINITY;
}

static void width_text(double width, char out[32])
{
	if (isinf(width))
		snprintf(out, 32, "of unknown width");
	else if (width > 0)
		snprintf(out, 32, width < 0.1 ? "±%.1f %%" : "±%.0f %%", width * 100);
	else
		snprintf(out, 32, "converged");
}

CONDITION(condition_not_converged)
{
	char sx[32];
	char sy[32];

	if (!(width_of(x) > 0) && !(width_of(y) > 0))
		return false;
	width_text(width_of(x), sx);
	width_text(width_of(y), sy);
	snprintf(detail, size, "baseline %s, other %s", sx, sy);
	return true;
}

CONDITION(condition_sustained)
{
	return condition_settings(x)->regime == RECORD_REGIME_SUSTAINED &&
	       condition_not_converged(a, b, x, y, detail, size);
}

/* Executions without a steady state. */
static size_t unsteady(const result_row *r)
{
	const record_derived *d = r->record->derived;
	size_t count = 0;

	for (size_t i = 0; d != NULL && i < d->series.count; i++)
		count += d->series.items[i].class == RECORD_SERIES_NO_STEADY_STATE;
	return count;
}

CONDITION(condition_unsteady)
{
	if (unsteady(x) == 0 && unsteady(y) == 0)
		return false;
	snprintf(detail, size, "executions: baseline %zu of %zu, other %zu of %zu", unsteady(x),
	         x->side.executions, unsteady(y), y->side.executions);
	return true;
}

CONDITION(condition_unsteady_sustained)
{
	return condition_settings(x)->regime == RECORD_REGIME_SUSTAINED &&
	       condition_unsteady(a, b, x, y, detail, size);
}

static bool fewer(const result_row *x, const result_row *y, size_t least, char *detail, size_t size)
{
	size_t ex = x->side.executions;
	size_t ey = y->side.executions;

	if (!condition_both_count(x, y) || (ex >= least && ey >= least))
		return false;
	snprintf(detail, size, "baseline %zu, other %zu", ex, ey);
	return true;
}

CONDITION(condition_few)
{
	return fewer(x, y, lockstep_rows(a, b, x, y) ? CONTRACT_EXECUTIONS_LOCKSTEP :
	                                               CONTRACT_EXECUTIONS, detail, size);
}

CONDITION(condition_few_certified)
{
	return fewer(x, y, CONTRACT_EXECUTIONS_CERTIFIED, detail, size);
}

/* ---- the noise between runs ------------------------------------------------------------------ */

double condition_floor(const result *r, const result_row *x)
{
	const record_noise_floor *noise = r->record->run.noise_floor;
	double most = 0;

	for (size_t i = 0; noise != NULL && i < noise->classes.count; i++) {
		const number_pair *class = &noise->classes.items[i];

		if (x != NULL && strcmp(class->key, x->planned->workload) == 0)
			return fmax(0, class->value);
		/* For a workload that was not calibrated, the noisiest that was. */
		most = fmax(most, class->value);
	}
	return most;
}

CONDITION(condition_noise_unfit)
{
	double floor_a = condition_floor(a, NULL), floor_b = condition_floor(b, NULL);

	if (strcmp(a->record->run.id, b->record->run.id) == 0 ||
	    !(fmax(floor_a, floor_b) > NOISEFLOOR_UNFIT))
		return false;
	snprintf(detail, size, "baseline %.3g %%, other %.3g %%", floor_a * 100, floor_b * 100);
	return true;
}
