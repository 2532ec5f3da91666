/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about one case.  For condition_absent a row may be NULL; the others are
 * asked only when both are there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

#define STANDARD_MARGIN 0.01
#define UNUSED_RESULTS() ((void)a, (void)b)

bool condition_differ(const char *a, const char *b, char *detail, size_t size)
{
	snprintf(detail, size, "%s | %s", a, b);
	return strcmp(a, b) != 0;
}

bool condition_either(bool a, bool b, const char *what, char *detail, size_t size)
{
	snprintf(detail, size, "%s on %s", what,
	         a && b ? "both sides" : a ? "the baseline" : "the other side");
	return a || b;
}

static const char *member(const result_row *r, const char *object, const char *key)
{
	return json_string(json_path(r->json, object), key, "");
}

/* The first reason of the row, or its status. */
static const char *reason_of(const result_row *r)
{
	const cJSON *first = cJSON_GetArrayItem(json_path(r->json, "reasons"), 0);

	return cJSON_IsString(first) ? first->valuestring : r->status;
}

double condition_margin(const result_row *x, const result_row *y)
{
	double mx = STANDARD_MARGIN;
	double my = STANDARD_MARGIN;

	(void)json_double(json_path(x->json, "measure"), "margin", &mx);
	(void)json_double(json_path(y->json, "measure"), "margin", &my);
	return fmax(fmax(mx, my), 0);
}

/* ---- is there something to compare ----------------------------------------------------------- */

static bool absent(const result_row *r)
{
	return r == NULL || strcmp(r->status, "unsupported") == 0;
}

CONDITION(condition_absent)
{
	UNUSED_RESULTS();
	if (!absent(x) && !absent(y))
		return false;
	if (absent(x) && absent(y))
		snprintf(detail, size, "on both sides");
	else if (absent(x))
		snprintf(detail, size, "on the baseline: %s",
		         x != NULL ? reason_of(x) : "no such case");
	else
		snprintf(detail, size, "on the other side: %s",
		         y != NULL ? reason_of(y) : "no such case");
	return true;
}

static bool has_status(const result_row *x, const result_row *y, const char *status, char *detail,
                       size_t size)
{
	bool on_x = strcmp(x->status, status) == 0;
	bool on_y = strcmp(y->status, status) == 0;

	if (!on_x && !on_y)
		return false;
	snprintf(detail, size, "%s: %s", on_x && on_y ? "both sides" : on_x ? "the baseline" :
	         "the other side", reason_of(on_x ? x : y));
	return true;
}

CONDITION(condition_failed)
{
	UNUSED_RESULTS();
	return has_status(x, y, "failed", detail, size);
}

/* A status that promises samples, and none. */
static bool hollow(const result_row *r)
{
	return r->side.executions == 0 &&
	       (strcmp(r->status, "valid") == 0 || strcmp(r->status, "not-converged") == 0);
}

CONDITION(condition_invalid)
{
	UNUSED_RESULTS();
	return has_status(x, y, "invalid", detail, size) ||
	       condition_either(hollow(x), hollow(y), "no samples", detail, size);
}

bool condition_counts(const cJSON *execution)
{
	const char *status = json_string(execution, "status", "");

	return strcmp(status, "valid") == 0 || strcmp(status, "not-converged") == 0;
}

/* As the engine judges a check: what looked at nothing proves nothing. */
static bool check_passed(const cJSON *check)
{
	uint64_t checked = 0;
	uint64_t failed = 0;

	return json_bool(check, "passed", false) && json_uint(check, "checked", &checked) &&
	       checked > 0 && json_uint(check, "failed", &failed) && failed == 0;
}

/* Checked before and after timing, and nothing wrong in between. */
static const char *verification_gap(const result_row *r)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const cJSON *v = json_path(e, "verification");
		const cJSON *selftest = json_path(v, "selftest");
		uint64_t failed = 0;

		if (!condition_counts(e))
			continue;
		if (json_path(v, "before") == NULL || json_path(v, "after") == NULL)
			return "absent";
		(void)json_uint(v, "during_failed", &failed);
		if (!check_passed(json_path(v, "before")) || !check_passed(json_path(v, "after")) ||
		    failed > 0 || (selftest != NULL && !json_bool(selftest, "passed", false)))
			return "failed";
	}
	return NULL;
}

CONDITION(condition_verification)
{
	const char *gx = verification_gap(x);
	const char *gy = verification_gap(y);

	UNUSED_RESULTS();
	snprintf(detail, size, "baseline %s, other %s", gx != NULL ? gx : "passed",
	         gy != NULL ? gy : "passed");
	return gx != NULL || gy != NULL;
}

/* ---- is it the same quantity ----------------------------------------------------------------- */

CONDITION(condition_workload)
{
	uint64_t rx = 0;
	uint64_t ry = 0;

	UNUSED_RESULTS();
	(void)json_uint(x->json, "revision", &rx);
	(void)json_uint(y->json, "revision", &ry);
	snprintf(detail, size, "%s revision %llu | %s revision %llu", x->workload,
	         (unsigned long long)rx, y->workload, (unsigned long long)ry);
	return strcmp(x->workload, y->workload) != 0 || rx != ry;
}

CONDITION(condition_size)
{
	const cJSON *px = json_path(x->json, "parameters");
	const cJSON *py = json_path(y->json, "parameters");
	const cJSON *p;

	UNUSED_RESULTS();
	cJSON_ArrayForEach(p, px) {
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(py, p->string);

		if (cJSON_IsString(p) && cJSON_IsString(other) &&
		    strcmp(p->valuestring, other->valuestring) == 0)
			continue;
		snprintf(detail, size, "%s: %s | %s", p->string,
		         cJSON_IsString(p) ? p->valuestring : "?",
		         cJSON_IsString(other) ? other->valuestring : "absent");
		return true;
	}
	cJSON_ArrayForEach(p, py) {
		if (cJSON_GetObjectItemCaseSensitive(px, p->string) != NULL)
			continue;
		snprintf(detail, size, "%s: absent | %s", p->string,
		         cJSON_IsString(p) ? p->valuestring : "?");
		return true;
	}
	snprintf(detail, size, "work of %.17g | %.17g", x->amount, y->amount);
	return x->amount < y->amount || x->amount > y->amount;
}

CONDITION(condition_precision)
{
	UNUSED_RESULTS();
	return condition_differ(x->precision, y->precision, detail, size);
}

CONDITION(condition_metric)
{
	UNUSED_RESULTS();
	return condition_differ(x->metric, y->metric, detail, size);
}

CONDITION(condition_region)
{
	UNUSED_RESULTS();
	return condition_differ(member(x, "work", "region"), member(y, "work", "region"), detail,
	                        size);
}

/* The state that the counted executions record; nothing is recorded of warm caches. */
static const char *cache_recorded(const result_row *r)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions"))
		if (condition_counts(e) && json_path(e, "cache") != NULL)
			return json_string(json_path(e, "cache"), "state", "");
	return "warm";
}

CONDITION(condition_cache)
{
	UNUSED_RESULTS();
	if (condition_differ(member(x, "measure", "cache"), member(y, "measure", "cache"), detail,
	                     size))
		return true;
	if (!condition_differ(cache_recorded(x), cache_recorded(y), detail, size))
		return false;
	snprintf(detail, size, "recorded: %s | %s", cache_recorded(x), cache_recorded(y));
	return true;
}

CONDITION(condition_regime)
{
	UNUSED_RESULTS();
	return condition_differ(member(x, "measure", "regime"), member(y, "measure", "regime"),
	                        detail, size);
}

CONDITION(condition_tier)
{
	UNUSED_RESULTS();
	return condition_differ(x->tier, y->tier, detail, size);
}

/* ---- is the evidence equally good ------------------------------------------------------------ */

/* The budget that was really declared beside the trials; false when there is none. */
static bool tuning_budget(const result_row *r, uint64_t *budget)
{
	const cJSON *e;
	bool found = false;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const cJSON *tuning = json_path(e, "tuning");

		if (!condition_counts(e))
			continue;
		if (!json_uint(tuning, "budget_ns", budget) || json_path(tuning, "chosen") == NULL)
			return false;
		found = true;
	}
	return found;
}

CONDITION(condition_tuning)
{
	uint64_t bx = 0;
	uint64_t by = 0;
	bool has_x;
	bool has_y;

	UNUSED_RESULTS();
	if (strcmp(x->tier, "tuned") != 0 || strcmp(y->tier, "tuned") != 0)
		return false;
	has_x = tuning_budget(x, &bx);
	has_y = tuning_budget(y, &by);
	if (!has_x || !has_y)
		return condition_either(!has_x, !has_y, "undisclosed", detail, size);
	snprintf(detail, size, "%llu ns | %llu ns", (unsigned long long)bx, (unsigned long long)by);
	return bx != by;
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

		for (i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
			known = known || strcmp(item->string, elsewhere[i]) == 0;
		if (known || cJSON_Compare(item, other, true))
			continue;
		snprintf(detail, size, "%s", item->string);
		return true;
	}
	return false;
}

CONDITION(condition_sampling)
{
	const cJSON *mx = json_path(x->json, "measure");
	const cJSON *my = json_path(y->json, "measure");

	UNUSED_RESULTS();
	return setting_differs(mx, my, detail, size) || setting_differs(my, mx, detail, size);
}

/* The widest relative half-width that an execution was left with; 0 when it converged. */
static double unconverged(const result_row *r)
{
	double widest = 0;
	const cJSON *e;

	if (strcmp(r->status, "not-converged") != 0)
		return 0;
	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		double width;

		if (strcmp(json_string(e, "status", ""), "not-converged") == 0 &&
		    json_double(e, "half_width", &width))
			widest = fmax(widest, width);
	}
	return widest > 0 ? widest : INFINITY;
}

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
	double wx = unconverged(x);
	double wy = unconverged(y);
	char sx[32];
	char sy[32];

	UNUSED_RESULTS();
	say_width(wx, sx);
	say_width(wy, sy);
	snprintf(detail, size, "baseline %s, other %s", sx, sy);
	return wx > 0 || wy > 0;
}

CONDITION(condition_sustained)
{
	return strcmp(member(x, "measure", "regime"), "sustained") == 0 &&
	       condition_not_converged(a, b, x, y, detail, size);
}

CONDITION(condition_few)
{
	UNUSED_RESULTS();
	snprintf(detail, size, "baseline %zu, other %zu", x->side.executions, y->side.executions);
	return x->side.executions < CONTRACT_EXECUTIONS || y->side.executions < CONTRACT_EXECUTIONS;
}

CONDITION(condition_few_certified)
{
	UNUSED_RESULTS();
	snprintf(detail, size, "baseline %zu, other %zu", x->side.executions, y->side.executions);
	return x->side.executions < CONTRACT_EXECUTIONS_CERTIFIED ||
	       y->side.executions < CONTRACT_EXECUTIONS_CERTIFIED;
}

static double drift(const result_row *r)
{
	double value = -1;

	(void)json_double(json_path(r->json, "derived"), "canary_drift", &value);
	return value;
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
	double dx = drift(x);
	double dy = drift(y);
	char sx[32];
	char sy[32];

	UNUSED_RESULTS();
	say_drift(dx, sx);
	say_drift(dy, sy);
	snprintf(detail, size, "baseline %s, other %s", sx, sy);
	return fmax(dx, dy) > condition_margin(x, y);
}

static void add_flags(text *t, const char *side, const result_row *r)
{
	const cJSON *item;
	bool first = true;

	cJSON_ArrayForEach(item, json_path(r->json, "flags")) {
		if (first)
			text_add(t, "%s%s ", t->size > 0 ? "; " : "", side);
		text_add(t, "%s%s", first ? "" : ", ", item->valuestring);
		first = false;
	}
}

CONDITION(condition_flags)
{
	text t = { 0 };

	UNUSED_RESULTS();
	add_flags(&t, "baseline", x);
	add_flags(&t, "other", y);
	if (t.size == 0)
		return false;
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}
