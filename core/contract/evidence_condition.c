/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about how good the evidence of a case is: the statistic, the settings, the
 * course of its samples, what disturbed them, and its energy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

#define UNUSED_RESULTS() ((void)a, (void)b)

/* ---- the statistic --------------------------------------------------------------------------- */

static const char *statistic_of(const case_facts *f)
{
	return facts_setting(f->row, "statistic", "median");
}

CONDITION(condition_statistic)
{
	UNUSED_RESULTS();
	return condition_differ(statistic_of(x), statistic_of(y), detail, size);
}

/* A percentile that is declared, but that the samples are too few for. */
static bool unstated(const case_facts *f)
{
	return strcmp(statistic_of(f), "median") != 0 && !f->has_statistic;
}

CONDITION(condition_percentile)
{
	UNUSED_RESULTS();
	return strcmp(statistic_of(x), statistic_of(y)) == 0 &&
	       condition_either(unstated(x), unstated(y), "too few samples", detail, size);
}

double quantile_of(const case_facts *x, const case_facts *y)
{
	bool same = strcmp(statistic_of(x), statistic_of(y)) == 0;

	return same && !unstated(x) && !unstated(y) ? x->row->side.quantile : 0;
}

statistics_side quantile_side(const result_row *r, double quantile)
{
	statistics_side side = r->side;

	side.quantile = quantile;
	return side;
}

/* ---- settings -------------------------------------------------------------------------------- */

CONDITION(condition_tuning)
{
	UNUSED_RESULTS();
	if (strcmp(x->row->tier, "tuned") != 0 || strcmp(y->row->tier, "tuned") != 0)
		return false;
	if (!x->tuned || !y->tuned)
		return condition_either(!x->tuned, !y->tuned, "undisclosed", detail, size);
	if (x->tuning_budget_ns == y->tuning_budget_ns)
		return false;
	snprintf(detail, size, "%llu ns | %llu ns", (unsigned long long)x->tuning_budget_ns,
	         (unsigned long long)y->tuning_budget_ns);
	return true;
}

/* A setting of mine, that no other rule looks at, which theirs lacks or has differently. */
static bool setting_differs(const cJSON *mine, const cJSON *theirs, char *detail, size_t size)
{
	static const char *const elsewhere[] = { "cache", "regime", "clock", "margin", "statistic",
		                                 "input_data", "scenario", "load_rate",
		                                 "load_concurrency", "load_slo_ns" };
	const cJSON *item;
	size_t i;

	cJSON_ArrayForEach(item, mine) {
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(theirs, item->string);
		bool known = false;

		if (cJSON_Compare(item, other, true))
			continue;
		for (i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
			known = known || strcmp(item->string, elsewhere[i]) == 0;
		if (known)
			continue;
		snprintf(detail, size, "%s", item->string);
		return true;
	}
	return false;
}

CONDITION(condition_sampling)
{
	const cJSON *mx = json_path(x->row->plan, "measure");
	const cJSON *my = json_path(y->row->plan, "measure");

	UNUSED_RESULTS();
	return setting_differs(mx, my, detail, size) || setting_differs(my, mx, detail, size);
}

/* ---- the course of the samples --------------------------------------------------------------- */

static void say_width(double width, char out[32])
{
	if (isinf(width))
		snprintf(out, 32, "of unknown width");
	else if (width > 0)
		snprintf(out, 32, width < 0.1 ? "+-%.1f %%" : "+-%.0f %%", width * 100);
	else
		snprintf(out, 32, "converged");
}

CONDITION(condition_not_converged)
{
	char sx[32];
	char sy[32];

	UNUSED_RESULTS();
	if (!(x->unconverged > 0) && !(y->unconverged > 0))
		return false;
	say_width(x->unconverged, sx);
	say_width(y->unconverged, sy);
	snprintf(detail, size, "baseline %s, other %s", sx, sy);
	return true;
}

CONDITION(condition_sustained)
{
	return strcmp(facts_setting(x->row, "regime", ""), "sustained") == 0 &&
	       condition_not_converged(a, b, x, y, detail, size);
}

CONDITION(condition_unsteady)
{
	UNUSED_RESULTS();
	if (x->unsteady == 0 && y->unsteady == 0)
		return false;
	snprintf(detail, size, "executions: baseline %zu of %zu, other %zu of %zu", x->unsteady,
	         x->row->side.executions, y->unsteady, y->row->side.executions);
	return true;
}

CONDITION(condition_unsteady_sustained)
{
	return strcmp(facts_setting(x->row, "regime", ""), "sustained") == 0 &&
	       condition_unsteady(a, b, x, y, detail, size);
}

static bool fewer(const case_facts *x, const case_facts *y, size_t least, char *detail, size_t size)
{
	size_t ex = x->row->side.executions;
	size_t ey = y->row->side.executions;

	if (ex >= least && ey >= least)
		return false;
	snprintf(detail, size, "baseline %zu, other %zu", ex, ey);
	return true;
}

CONDITION(condition_few)
{
	UNUSED_RESULTS();
	return fewer(x, y, CONTRACT_EXECUTIONS, detail, size);
}

CONDITION(condition_few_certified)
{
	UNUSED_RESULTS();
	return fewer(x, y, CONTRACT_EXECUTIONS_CERTIFIED, detail, size);
}

/* ---- disturbance ----------------------------------------------------------------------------- */

CONDITION(condition_throttled)
{
	const char *tx = x->throttled;
	const char *ty = y->throttled;

	UNUSED_RESULTS();
	if ((tx != NULL) == (ty != NULL))
		return false;
	snprintf(detail, size, "%s: %s", tx != NULL ? "only the baseline" : "only the other side",
	         tx != NULL ? tx : ty);
	return true;
}

CONDITION(condition_throttled_burst)
{
	return strcmp(facts_setting(x->row, "regime", "burst"), "burst") == 0 &&
	       condition_throttled(a, b, x, y, detail, size);
}

CONDITION(condition_shared_device)
{
	static const char *const words[] = { "shared-device", NULL };

	UNUSED_RESULTS();
	if (x->users <= 1 && y->users <= 1)
		return condition_flagged(x, y, words, detail, size);
	snprintf(detail, size, "processes on the device: baseline %llu, other %llu",
	         (unsigned long long)x->users, (unsigned long long)y->users);
	return true;
}

CONDITION(condition_disturbed)
{
	static const char *const words[] = { "disturbed", NULL };

	UNUSED_RESULTS();
	return condition_flagged(x, y, words, detail, size);
}

static void say_drift(double value, char out[32])
{
	if (value < 0)
		snprintf(out, 32, "no canary");
	else
		snprintf(out, 32, "%.1f %%", value * 100);
}

CONDITION(condition_canary_drift)
{
	char sx[32];
	char sy[32];

	UNUSED_RESULTS();
	if (!(fmax(x->drift, y->drift) > condition_margin(x->row, y->row)))
		return false;
	say_drift(x->drift, sx);
	say_drift(y->drift, sy);
	snprintf(detail, size, "baseline %s, other %s", sx, sy);
	return true;
}

static void add_flags(text *t, const char *side, const case_facts *f)
{
	for (size_t i = 0; i < f->flag_count; i++) {
		if (i == 0)
			text_add(t, "%s%s ", t->size > 0 ? "; " : "", side);
		text_add(t, "%s%s", i == 0 ? "" : ", ", f->flags[i]);
	}
}

CONDITION(condition_flags)
{
	text t = { 0 };

	UNUSED_RESULTS();
	if (x->flag_count == 0 && y->flag_count == 0)
		return false;
	add_flags(&t, "baseline", x);
	add_flags(&t, "other", y);
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}

/* ---- energy and noise ------------------------------------------------------------------------ */

CONDITION(condition_energy_means)
{
	const char *means = x->energy.means;

	UNUSED_RESULTS();
	if (condition_differ(means, y->energy.means, detail, size))
		return true;
	if (strcmp(means, "mixed") != 0 && strcmp(means, "simulated") != 0)
		return false;
	snprintf(detail, size, "%s | %s", means, means);
	return true;
}

double condition_floor(const result *r, const result_row *x)
{
	const cJSON *classes = json_path(r->root, "run.noise_floor.classes");
	const cJSON *item;
	double most = 0;
	double floor_of_class;

	if (json_double(classes, x->workload, &floor_of_class))
		return fmax(0, floor_of_class);
	/* A class that was not calibrated is not quieter than the noisiest that was. */
	cJSON_ArrayForEach(item, classes)
		if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
			most = fmax(most, item->valuedouble);
	return most;
}
