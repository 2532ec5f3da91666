/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about one case: is there something to compare, and is it the same quantity.
 * For condition_absent a side may be NULL; the others are asked only when both are there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "contract/condition.h"

#define STANDARD_MARGIN 0.01
#define UNUSED_RESULTS() ((void)a, (void)b)

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

bool condition_flagged(const case_facts *x, const case_facts *y, const char *const *words,
                       char *detail, size_t size)
{
	const char *fx = facts_flag(x, words);
	const char *fy = facts_flag(y, words);

	return condition_either(fx != NULL, fy != NULL, fx != NULL ? fx : fy, detail, size);
}

static const char *work_text(const case_facts *f, const char *key)
{
	return json_string(json_path(f->row->plan, "work"), key, "");
}

double condition_margin(const result_row *x, const result_row *y)
{
	double mx = STANDARD_MARGIN;
	double my = STANDARD_MARGIN;

	(void)json_double(json_path(x->plan, "measure"), "margin", &mx);
	(void)json_double(json_path(y->plan, "measure"), "margin", &my);
	return fmax(fmax(mx, my), 0);
}

/* ---- is there something to compare ----------------------------------------------------------- */

static bool absent(const case_facts *f)
{
	return f == NULL || strcmp(f->row->status, "unsupported") == 0;
}

CONDITION(condition_absent)
{
	UNUSED_RESULTS();
	if (!absent(x) && !absent(y))
		return false;
	if (absent(x) && absent(y))
		snprintf(detail, size, "on both sides");
	else if (absent(x))
		snprintf(detail, size, "on the baseline: %s", x != NULL ? x->reason : "no such case");
	else
		snprintf(detail, size, "on the other side: %s", y != NULL ? y->reason : "no such case");
	return true;
}

static bool has_status(const case_facts *x, const case_facts *y, const char *status, char *detail,
                       size_t size)
{
	bool on_x = strcmp(x->row->status, status) == 0;
	bool on_y = strcmp(y->row->status, status) == 0;

	if (!on_x && !on_y)
		return false;
	snprintf(detail, size, "%s: %s", on_x && on_y ? "both sides" : on_x ? "the baseline" :
	         "the other side", on_x ? x->reason : y->reason);
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
	       condition_either(hollow(x->row), hollow(y->row), "no samples", detail, size);
}

CONDITION(condition_verification)
{
	const char *gx = x->verification_gap;
	const char *gy = y->verification_gap;

	UNUSED_RESULTS();
	if (gx == NULL && gy == NULL)
		return false;
	snprintf(detail, size, "baseline %s, other %s", gx != NULL ? gx : "passed",
	         gy != NULL ? gy : "passed");
	return true;
}

/* ---- is it the same quantity ----------------------------------------------------------------- */

CONDITION(condition_renamed)
{
	UNUSED_RESULTS();
	return condition_differ(x->row->id, y->row->id, detail, size);
}

CONDITION(condition_workload)
{
	uint64_t rx = 0;
	uint64_t ry = 0;

	UNUSED_RESULTS();
	(void)json_uint(x->row->plan, "revision", &rx);
	(void)json_uint(y->row->plan, "revision", &ry);
	if (strcmp(x->row->workload, y->row->workload) == 0 && rx == ry)
		return false;
	snprintf(detail, size, "%s revision %llu | %s revision %llu", x->row->workload,
	         (unsigned long long)rx, y->row->workload, (unsigned long long)ry);
	return true;
}

/* Of the parameters of one side, the first that the other lacks or has differently. */
static bool parameter_differs(const cJSON *mine, const cJSON *theirs, bool swapped, char *detail,
                              size_t size)
{
	const cJSON *p;

	cJSON_ArrayForEach(p, mine) {
		const char *other = json_string(theirs, p->string, NULL);

		if (other != NULL && strcmp(p->valuestring, other) == 0)
			continue;
		other = other != NULL ? other : "absent";
		snprintf(detail, size, "%s: %s | %s", p->string, swapped ? other : p->valuestring,
		         swapped ? p->valuestring : other);
		return true;
	}
	return false;
}

static double amount_of(const case_facts *f)
{
	double amount = 0;

	(void)json_double(json_path(f->row->plan, "work"), "amount", &amount);
	return amount;
}

CONDITION(condition_size)
{
	const cJSON *px = json_path(x->row->plan, "parameters");
	const cJSON *py = json_path(y->row->plan, "parameters");
	double ax = amount_of(x);
	double ay = amount_of(y);

	UNUSED_RESULTS();
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
	UNUSED_RESULTS();
	return condition_differ(x->row->precision, y->row->precision, detail, size);
}

CONDITION(condition_metric)
{
	UNUSED_RESULTS();
	return condition_differ(work_text(x, "metric"), work_text(y, "metric"), detail, size);
}

CONDITION(condition_region)
{
	UNUSED_RESULTS();
	return condition_differ(work_text(x, "region"), work_text(y, "region"), detail, size);
}

CONDITION(condition_cache)
{
	UNUSED_RESULTS();
	if (condition_differ(facts_setting(x->row, "cache", ""), facts_setting(y->row, "cache", ""),
	                     detail, size))
		return true;
	if (strcmp(x->cache, y->cache) == 0)
		return false;
	snprintf(detail, size, "recorded: %s | %s", x->cache, y->cache);
	return true;
}

CONDITION(condition_regime)
{
	UNUSED_RESULTS();
	return condition_differ(facts_setting(x->row, "regime", ""),
	                        facts_setting(y->row, "regime", ""), detail, size);
}

CONDITION(condition_tier)
{
	UNUSED_RESULTS();
	return condition_differ(x->row->tier, y->row->tier, detail, size);
}

static bool device_can(const result *r, const char *word)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json_path(r->root, "executor.device.caps"))
		if (cJSON_IsString(item) && strcmp(item->valuestring, word) == 0)
			return true;
	return false;
}

static bool emulated(const result *r, const case_facts *f)
{
	return (strcmp(f->row->precision, "f64") == 0 && !device_can(r, "fp64")) ||
	       (strcmp(f->row->precision, "f16") == 0 && !device_can(r, "fp16"));
}

CONDITION(condition_emulation)
{
	bool ex = emulated(a, x);
	bool ey = emulated(b, y);

	if (ex == ey)
		return false;
	snprintf(detail, size, "%s: %s | %s", x->row->precision, ex ? "emulated" : "native",
	         ey ? "emulated" : "native");
	return true;
}

CONDITION(condition_scenario)
{
	static const char *const numbers[] = { "load_rate", "load_concurrency", "load_slo_ns" };
	static const uint64_t standards[] = { 0, 1, 0 };
	size_t i;

	UNUSED_RESULTS();
	if (condition_differ(facts_setting(x->row, "scenario", "none"),
	                     facts_setting(y->row, "scenario", "none"), detail, size))
		return true;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint64_t vx = standards[i];
		uint64_t vy = standards[i];

		(void)json_uint(json_path(x->row->plan, "measure"), numbers[i], &vx);
		(void)json_uint(json_path(y->row->plan, "measure"), numbers[i], &vy);
		if (vx == vy)
			continue;
		snprintf(detail, size, "%s: %llu | %llu", numbers[i], (unsigned long long)vx,
		         (unsigned long long)vy);
		return true;
	}
	return false;
}
