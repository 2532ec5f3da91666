/* SPDX-License-Identifier: Apache-2.0 */
#include "contract/facts.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

bool facts_counts(const cJSON *execution)
{
	const char *status = json_string(execution, "status", "");

	return strcmp(status, "valid") == 0 || strcmp(status, "not-converged") == 0;
}

const char *facts_text(json_arena *arena, const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(json_arena_raw(arena, size), text, size);
}

const char *facts_flag(const case_facts *f, const char *const *beginnings)
{
	for (size_t i = 0; i < f->flag_count; i++)
		for (const char *const *word = beginnings; *word != NULL; word++)
			if (strncmp(f->flags[i], *word, strlen(*word)) == 0)
				return f->flags[i];
	return NULL;
}

const char *facts_setting(const result_row *row, const char *key, const char *standard)
{
	return json_string(json_path(row->plan, "measure"), key, standard);
}

/* ---- the row --------------------------------------------------------------------------------- */

static void take_words(const cJSON *tree, json_arena *arena, case_facts *f)
{
	const cJSON *first = cJSON_GetArrayItem(json_path(tree, "reasons"), 0);
	const cJSON *flags = json_path(tree, "flags");
	size_t count = (size_t)cJSON_GetArraySize(flags);
	const cJSON *item;

	f->reason = cJSON_IsString(first) ? facts_text(arena, first->valuestring) : f->row->status;
	if (count == 0)
		return;
	f->flags = json_arena_get(arena, count * sizeof(*f->flags));
	cJSON_ArrayForEach(item, flags)
		f->flags[f->flag_count++] = facts_text(arena, item->valuestring);
}

static interval take_interval(const cJSON *both)
{
	const cJSON *low = cJSON_GetArrayItem(both, 0);
	const cJSON *high = cJSON_GetArrayItem(both, 1);

	return (interval){ cJSON_IsNumber(low) ? low->valuedouble : 0,
		           cJSON_IsNumber(high) ? high->valuedouble : 0 };
}

static void take_derived(const cJSON *tree, case_facts *f)
{
	const cJSON *derived = json_path(tree, "derived");
	const cJSON *statistic = json_path(derived, "statistic");
	const cJSON *item;

	f->median = take_interval(json_path(derived, "interval_ns"));
	f->statistic = take_interval(json_path(statistic, "interval_ns"));
	f->has_statistic = statistic != NULL;
	f->drift = -1;
	(void)json_double(derived, "canary_drift", &f->drift);
	cJSON_ArrayForEach(item, json_path(derived, "series"))
		f->unsteady += strcmp(json_string(item, "class", ""), "no-steady-state") == 0;
}

/* ---- executions ------------------------------------------------------------------------------ */

/* As the engine judges a check: what looked at nothing proves nothing. */
static bool check_passed(const cJSON *check)
{
	uint64_t checked = 0;
	uint64_t failed = 0;

	return json_bool(check, "passed", false) && json_uint(check, "checked", &checked) &&
	       checked > 0 && json_uint(check, "failed", &failed) && failed == 0;
}

/* Checked before and after timing, and nothing wrong in between. */
static const char *gap_of(const cJSON *execution)
{
	const cJSON *v = json_path(execution, "verification");
	const cJSON *selftest = json_path(v, "selftest");
	uint64_t failed = 0;

	if (json_path(v, "before") == NULL || json_path(v, "after") == NULL)
		return "absent";
	(void)json_uint(v, "during_failed", &failed);
	if (!check_passed(json_path(v, "before")) || !check_passed(json_path(v, "after")) ||
	    failed > 0 || (selftest != NULL && !json_bool(selftest, "passed", false)))
		return "failed";
	return NULL;
}

/* The relative half-width that an execution was left with; 0 where it converged or does not say. */
static double width_of(const cJSON *execution)
{
	double width = 0;

	if (strcmp(json_string(execution, "status", ""), "not-converged") == 0)
		(void)json_double(execution, "half_width", &width);
	return width;
}

static void take_clock(const cJSON *execution, case_facts *f)
{
	const char *clock = json_string(execution, "clock", "");
	uint64_t batch = 0;

	f->device_clock = f->device_clock || strcmp(clock, "device") == 0;
	f->other_clock = f->other_clock || strcmp(clock, f->row->clock) != 0;
	if (strcmp(clock, "host") == 0 && json_uint(execution, "batch", &batch) && batch > 0 &&
	    (f->host_batch == 0 || batch < f->host_batch))
		f->host_batch = batch;
}

/* The budget that was really declared beside the trials, of the last execution. */
static void take_tuning(const cJSON *execution, case_facts *f)
{
	const cJSON *tuning = json_path(execution, "tuning");

	f->tuned = f->tuned && json_uint(tuning, "budget_ns", &f->tuning_budget_ns) &&
	           json_path(tuning, "chosen") != NULL;
}

static void take_executions(const cJSON *tree, case_facts *f)
{
	bool unconverged = strcmp(f->row->status, "not-converged") == 0;
	size_t count = 0;
	const cJSON *e;

	f->tuned = true;
	cJSON_ArrayForEach(e, json_path(tree, "executions")) {
		if (!facts_counts(e))
			continue;
		count++;
		if (f->verification_gap == NULL)
			f->verification_gap = gap_of(e);
		if (unconverged)
			f->unconverged = fmax(f->unconverged, width_of(e));
		take_clock(e, f);
		take_tuning(e, f);
	}
	f->tuned = f->tuned && count > 0;
	if (unconverged && !(f->unconverged > 0))
		f->unconverged = INFINITY;
}

void facts_take(const result_row *row, json_arena *arena, void *facts)
{
	case_facts *f = facts;

	*f = (case_facts){ .row = row };
	take_words(row->json, arena, f);
	take_derived(row->json, f);
	take_executions(row->json, f);
	facts_take_machine(row->json, arena, f);
	facts_take_origin(row->json, arena, f);
}

const result_keeper facts_keeper = { sizeof(case_facts), facts_take };
