/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about one case: whether there is something to compare, and whether it is the
 * same quantity. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/condition.h"
#include "record/row_evidence.h"

#define STANDARD_MARGIN 0.01

const record_execution *condition_next(const result_row *r, const record_execution *e)
{
	const record_execution_list *all = &r->record->executions;

	for (size_t i = e != NULL ? (size_t)(e - all->items) + 1 : 0; i < all->count; i++)
		if (record_counts(all->items[i].status))
			return &all->items[i];
	return NULL;
}

bool condition_differ(const char *a, const char *b, char *detail, size_t size)
{
	if (strcmp(a, b) == 0)
		return false;
	snprintf(detail, size, "%s | %s", a, b);
	return true;
}

bool condition_either(bool a, bool b, const char *what, char *detail, size_t size)
{
	if (!a && !b)
		return false;
	snprintf(detail, size, "%s on %s", what,
	         a && b ? "both sides" : a ? "the baseline" : "the other side");
	return true;
}

bool condition_in_list(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = list; (at = strstr(at, word)) != NULL; at += size)
		if ((at == list || strchr(" ,", at[-1]) != NULL) &&
		    (at[size] == '\0' || strchr(" ,", at[size]) != NULL))
			return true;
	return false;
}

double condition_margin(const result_row *x, const result_row *y)
{
	double mx = condition_settings(x)->margin;
	double my = condition_settings(y)->margin;

	mx = isnan(mx) ? STANDARD_MARGIN : mx;
	my = isnan(my) ? STANDARD_MARGIN : my;
	return fmax(fmax(mx, my), 0);
}

/* ---- is there something to compare ----------------------------------------------------------- */

/* The row's first reason, or its status. */
static const char *reason_of(const result_row *r)
{
	return r->record->reasons.count > 0 ? r->record->reasons.items[0] :
	       record_status_word(r->record->status);
}

SIDE(side_absent)
{
	if (x->record->status != RECORD_UNSUPPORTED && x->record->status != RECORD_OUT_OF_TIME)
		return false;
	snprintf(detail, size, "%s", reason_of(x));
	return true;
}

CONDITION(condition_absent)
{
	if (x != NULL && y != NULL)
		return false;
	snprintf(detail, size, "%s has no such case", x == NULL ? "baseline" : "other");
	return true;
}

static bool has_status(const result_row *r, enum record_status status, char *detail, size_t size)
{
	if (r->record->status != status)
		return false;
	snprintf(detail, size, "%s", reason_of(r));
	return true;
}

SIDE(side_failed)
{
	return has_status(x, RECORD_FAILED, detail, size);
}

/* A status that promises samples, without samples. */
static bool hollow(const result_row *r)
{
	return r->side.executions == 0 && record_counts(r->record->status);
}

SIDE(side_invalid)
{
	if (has_status(x, RECORD_INVALID, detail, size))
		return true;
	if (!hollow(x))
		return false;
	snprintf(detail, size, "no samples");
	return true;
}

SIDE(side_unproven)
{
	return has_status(x, RECORD_UNPROVEN, detail, size);
}

SIDE(side_verification)
{
	for EACH_COUNTED(e, x)
		if (row_evidence_verification(e) != NULL) {
			snprintf(detail, size, "%s", row_evidence_verification(e));
			return true;
		}
	return false;
}

/* ---- is it the same quantity ----------------------------------------------------------------- */

CONDITION(condition_renamed)
{
	return condition_differ(x->id, y->id, detail, size);
}

CONDITION(condition_workload)
{
	const record_planned_case *px = x->planned;
	const record_planned_case *py = y->planned;

	if (strcmp(px->workload, py->workload) == 0 && px->revision == py->revision)
		return false;
	snprintf(detail, size, "%s revision %llu | %s revision %llu", px->workload,
	         (unsigned long long)px->revision, py->workload, (unsigned long long)py->revision);
	return true;
}

/* The first parameter of mine that theirs lacks or has differently. */
static bool parameter_differs(const text_map *mine, const text_map *theirs, bool swapped,
                              char *detail, size_t size)
{
	for (size_t i = 0; i < mine->count; i++) {
		const text_pair *p = &mine->items[i];
		const char *other = text_map_get(theirs, p->key);

		if (other != NULL && strcmp(p->value, other) == 0)
			continue;
		other = other != NULL ? other : "absent";
		snprintf(detail, size, "%s: %s | %s", p->key, swapped ? other : p->value,
		         swapped ? p->value : other);
		return true;
	}
	return false;
}

CONDITION(condition_size)
{
	const text_map *px = &x->planned->parameters;
	const text_map *py = &y->planned->parameters;
	double ax = x->planned->work.amount;
	double ay = y->planned->work.amount;

	if (parameter_differs(px, py, false, detail, size) ||
	    parameter_differs(py, px, true, detail, size))
		return true;
	if (!(ax < ay) && !(ax > ay))
		return false;
	snprintf(detail, size, "work of %.17g | %.17g", ax, ay);
	return true;
}

CONDITION(condition_precision)
{
	return condition_differ(x->planned->precision, y->planned->precision, detail, size);
}

CONDITION(condition_metric)
{
	return condition_differ(record_metric_word(x->planned->work.metric),
	                        record_metric_word(y->planned->work.metric), detail, size);
}

CONDITION(condition_region)
{
	return condition_differ(record_region_word(x->planned->work.region),
	                        record_region_word(y->planned->work.region), detail, size);
}

/* Nothing is recorded of warm caches. */
static const char *recorded_cache(const result_row *r)
{
	for EACH_COUNTED(e, r)
		if (e->cache != NULL)
			return record_cold_state_word(e->cache->state);
	return "warm";
}

CONDITION(condition_cache)
{
	const char *rx = recorded_cache(x);
	const char *ry = recorded_cache(y);

	if (condition_differ(record_cache_state_word(condition_settings(x)->cache),
	                     record_cache_state_word(condition_settings(y)->cache), detail, size))
		return true;
	if (strcmp(rx, ry) == 0)
		return false;
	snprintf(detail, size, "recorded: %s | %s", rx, ry);
	return true;
}

CONDITION(condition_regime)
{
	return condition_differ(record_regime_word(condition_settings(x)->regime),
	                        record_regime_word(condition_settings(y)->regime), detail, size);
}

CONDITION(condition_tier)
{
	return condition_differ(record_tier_word(x->planned->tier),
	                        record_tier_word(y->planned->tier), detail, size);
}

/* Of the first execution that counts and says it. */
static const record_arithmetic *recorded_arithmetic(const result_row *r)
{
	for EACH_COUNTED(e, r)
		if (e->arithmetic != NULL)
			return e->arithmetic;
	return NULL;
}

static bool emulated(const result *r, const result_row *row)
{
	const text_list *caps = &r->record->executor.device.caps;
	const record_arithmetic *a = recorded_arithmetic(row);
	const char *precision = row->planned->precision;

	if (a != NULL)
		return a->kind == RECORD_CALCULATION_EMULATED;
	return (strcmp(precision, "f64") == 0 && !text_list_has(caps, "fp64")) ||
	       (strcmp(precision, "f16") == 0 && !text_list_has(caps, "fp16"));
}

/* Beside a side that tells, one that does not may be either, unless its device lacks the precision. */
static bool may_be_either(const record_arithmetic *own, const record_arithmetic *other, bool emulates)
{
	return own == NULL && other != NULL && !emulates;
}

#define ARITHMETIC_SIZE 128

static void write_arithmetic(char out[ARITHMETIC_SIZE], const record_arithmetic *a, bool emulates)
{
	const char *word = record_calculation_word(emulates ? RECORD_CALCULATION_EMULATED :
	                                                      RECORD_CALCULATION_NATIVE);

	if (a != NULL)
		snprintf(out, ARITHMETIC_SIZE, "%s (%s)", word, a->how);
	else
		snprintf(out, ARITHMETIC_SIZE, "%s", word);
}

CONDITION(condition_emulation)
{
	const record_arithmetic *rx = recorded_arithmetic(x), *ry = recorded_arithmetic(y);
	bool ex = emulated(a, x), ey = emulated(b, y);
	char tx[ARITHMETIC_SIZE], ty[ARITHMETIC_SIZE];

	if (ex == ey || may_be_either(rx, ry, ex) || may_be_either(ry, rx, ey))
		return false;
	write_arithmetic(tx, rx, ex);
	write_arithmetic(ty, ry, ey);
	snprintf(detail, size, "%s: %s | %s", x->planned->precision, tx, ty);
	return true;
}

static const char *scenario_of(const result_row *r)
{
	enum record_scenario_kind kind = condition_settings(r)->scenario;

	return record_scenario_kind_word(kind != 0 ? kind : RECORD_SCENARIO_NONE);
}

static bool load_differs(const char *what, uint64_t vx, uint64_t vy, uint64_t standard,
                         char *detail, size_t size)
{
	vx = vx != LAYOUT_NO_UINT ? vx : standard;
	vy = vy != LAYOUT_NO_UINT ? vy : standard;
	if (vx == vy)
		return false;
	snprintf(detail, size, "%s: %llu | %llu", what, (unsigned long long)vx,
	         (unsigned long long)vy);
	return true;
}

CONDITION(condition_scenario)
{
	const record_settings *sx = condition_settings(x);
	const record_settings *sy = condition_settings(y);

	return condition_differ(scenario_of(x), scenario_of(y), detail, size) ||
	       load_differs("load_rate", sx->load_rate, sy->load_rate, 0, detail, size) ||
	       load_differs("load_concurrency", sx->load_concurrency, sy->load_concurrency, 1, detail,
	                    size) ||
	       load_differs("load_slo_ns", sx->load_slo_ns, sy->load_slo_ns, 0, detail, size);
}
