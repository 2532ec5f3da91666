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

SIDE(side_percentile)
{
	return unstated(x);
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
	bool any = r->record->status == RECORD_NOT_CONVERGED;

	for EACH_COUNTED(e, r) {
		if (e->status != RECORD_NOT_CONVERGED)
			continue;
		any = true;
		if (e->half_width > widest)
			widest = e->half_width;
	}
	return !any || widest > 0 ? widest : INFINITY;
}

SIDE(side_not_converged)
{
	double width = width_of(x);

	if (isfinite(width) && width > 0)
		snprintf(detail, size, width < 0.1 ? "±%.1f %%" : "±%.0f %%", width * 100);
	return width > 0;
}

SIDE(side_sustained)
{
	return condition_settings(x)->regime == RECORD_REGIME_SUSTAINED &&
	       side_not_converged(a, x, detail, size);
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

SIDE(side_unsteady)
{
	if (unsteady(x) == 0)
		return false;
	snprintf(detail, size, "%zu of %zu executions", unsteady(x), x->side.executions);
	return true;
}

SIDE(side_unsteady_sustained)
{
	return condition_settings(x)->regime == RECORD_REGIME_SUSTAINED &&
	       side_unsteady(a, x, detail, size);
}

/* Without any execution the rules about the status fire instead. */
static bool fewer(size_t executions, size_t least, char *detail, size_t size)
{
	if (executions == 0 || executions >= least)
		return false;
	snprintf(detail, size, "%zu execution%s", executions, executions == 1 ? "" : "s");
	return true;
}

/* Of two sides the executions in which they took turns count, or all where there is none. */
static bool fewer_of_both(const result *a, const result *b, const result_row *x,
                          const result_row *y, bool certified, char *detail, size_t size)
{
	size_t pairs = lockstep_executions(a, b, x, y);
	size_t least = certified ? CONTRACT_EXECUTIONS_CERTIFIED :
	               pairs > 0 ? CONTRACT_EXECUTIONS_LOCKSTEP : CONTRACT_EXECUTIONS;
	char sx[32], sy[32];

	if (pairs > 0)
		return fewer(pairs, least, detail, size);
	if (!fewer(x->side.executions, least, sx, sizeof(sx)) &&
	    !fewer(y->side.executions, least, sy, sizeof(sy)))
		return false;
	snprintf(detail, size, "baseline %zu, other %zu", x->side.executions, y->side.executions);
	return true;
}

/* A row in lockstep has enough where it is compared with one that took turns with it. */
SIDE(side_few)
{
	return fewer(x->side.executions, lockstep_row(a, x) ? CONTRACT_EXECUTIONS_LOCKSTEP :
	                                                      CONTRACT_EXECUTIONS, detail, size);
}

SIDE(side_few_certified)
{
	return fewer(x->side.executions, CONTRACT_EXECUTIONS_CERTIFIED, detail, size);
}

CONDITION(condition_few)
{
	return fewer_of_both(a, b, x, y, false, detail, size);
}

CONDITION(condition_few_certified)
{
	return fewer_of_both(a, b, x, y, true, detail, size);
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
