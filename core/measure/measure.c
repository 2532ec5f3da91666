/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/measure.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "measure/attempt.h"
#include "measure/calibrate.h"
#include "measure/canary.h"
#include "measure/guards.h"
#include "measure/load.h"
#include "measure/sustain.h"
#include "measure/telemetry.h"
#include "measure/tune.h"

/* Beyond these the row is flagged. */
static const double steal_share = 0.02;    /* of the wall time                                 */
static const double burden_share = 0.01;   /* of the processors, for reading sensors           */

struct measure {
	session *s;
	instrument clocks;
	canary *canary;  /* NULL = none runs around the cases                                 */
	bool wanted;     /* a canary was asked for                                            */
	telemetry *sensors;  /* NULL = none, or no case has asked for them so far             */
	bool sensors_opened;
	uint64_t seed;
};

/* ---- the instrument -------------------------------------------------------------------------- */

/* After these nothing that the device does counts. */
static bool void_since(eh_status status)
{
	return status == EH_E_DEVICE || status == EH_E_DEVICE_LOST;
}

eh_status measure_new_from(session *s, bool want_canary, uint64_t seed, const eh_source *source,
                           const char *missing, measure **out, eh_error *error)
{
	measure *m = memory_get(sizeof(*m));
	canary *work = NULL;
	eh_error cause = ERROR_INIT;
	eh_status status = EH_OK;

	m->s = s;
	m->seed = seed;
	m->wanted = want_canary;
	if (source != NULL) {
		status = canary_open(&work, s, source, &cause);
		if (status == EH_OK)
			status = canary_size(work, &cause);
		if (status != EH_OK) {
			canary_close(work);
			work = NULL;
			missing = prepared_sentence(&cause, status);
		}
		if (void_since(status)) {
			if (error != NULL)
				*error = cause;
			goto undo_measure;
		}
	}
	status = calibrate(s, work, missing, &m->clocks, error);
	if (status != EH_OK)
		goto undo_canary;
	if (want_canary && work != NULL) {
		cause = (eh_error)ERROR_INIT;
		status = canary_prepare(work, &cause);
		if (void_since(status)) {
			if (error != NULL)
				*error = cause;
			goto undo_canary;
		}
		missing = prepared_sentence(&cause, status);
		if (status == EH_OK) {
			m->canary = work;
			work = NULL;
		}
	}
	if (want_canary && m->canary == NULL)
		log_write(EH_LOG_WARN, "%s %s: no canary, so drift will not be seen: %s",
		          s->backend != NULL ? s->backend->name : "", s->info.id, missing);
	canary_close(work);
	*out = m;
	return EH_OK;
undo_canary:
	canary_close(work);
undo_measure:
	free(m);
	return status;
}

eh_status measure_new(session *s, bool want_canary, uint64_t seed, measure **out,
                      eh_error *error)
{
	const canary_program *program;
	eh_source *source = NULL;
	eh_error cause = ERROR_INIT;
	eh_status status;

	(void)canary_programs(&program);
	status = session_source(program->kernel, program->defines, program->define_count, &source,
	                        &cause);
	status = measure_new_from(s, want_canary, seed, status == EH_OK ? source : NULL,
	                          prepared_sentence(&cause, status), out, error);
	free(source);
	return status;
}

const instrument *measure_instrument(const measure *m)
{
	return &m->clocks;
}

/* Whether a clock ever stepped back, and the verdict. */
static void add_trial(cJSON *to, const char *key, const clocktrial *t)
{
	cJSON *out = json_add_object(to, key);

	json_add_string(out, "verdict", t->steps_back == 0 ? "monotonic" : "steps back");
	json_add_uint(out, "readings", t->readings);
	json_add_uint(out, "steps_back", t->steps_back);
	json_add_uint(out, "largest_ns", t->largest_ns);
	if (t->processors > 0)
		json_add_uint(out, "processors", t->processors);
}

cJSON *measure_instrument_json(const measure *m)
{
	cJSON *out = cJSON_CreateObject();
	const instrument *i = &m->clocks;

	json_add_uint(out, "host_resolution_ns", i->host_resolution_ns);
	json_add_uint(out, "host_overhead_ns", i->host_overhead_ns);
	json_add_uint(out, "launch_ns", i->launch_ns);
	json_add_uint(out, "device_resolution_ns", i->device_resolution_ns);
	json_add_bool(out, "device_time", i->device_time);
	json_add_string(out, "device_time_reason", i->device_time_reason);
	json_add_uint(out, "launch_least_ns", i->launch_least_ns);
	json_add_uint(out, "launch_most_ns", i->launch_most_ns);
	add_trial(out, "host_order", &i->host);
	if (i->device.readings > 0)
		add_trial(out, "device_order", &i->device);
	return out;
}

void measure_open_sensors(measure *m, const char *const *without)
{
	if (m->sensors_opened)
		return;
	m->sensors = telemetry_open_without(&m->s->info, without);
	m->sensors_opened = true;
}

void measure_free(measure *m)
{
	if (m == NULL)
		return;
	canary_close(m->canary);
	telemetry_close(m->sensors);
	free(m);
}

/* ---- one case -------------------------------------------------------------------------------- */

cJSON *measure_absent(const char *status, const char *reason)
{
	cJSON *record = casework_record(status);

	json_append_string(cJSON_GetObjectItemCaseSensitive(record, "reasons"), reason);
	return record;
}

static void work_on(casework *w, cJSON *record, uint64_t seed)
{
	w->record = record;
	w->reasons = cJSON_GetObjectItemCaseSensitive(record, "reasons");
	w->flags = cJSON_GetObjectItemCaseSensitive(record, "flags");
	w->seed = seed;
}

static void add_load(casework *w, const load *start)
{
	cJSON *out = load_since(start);
	double steal = 0;
	double wall = 0;

	if (json_double(out, "steal_seconds", &steal) && json_double(out, "wall_seconds", &wall) &&
	    steal > steal_share * wall)
		casework_flag(w, "steal");
	json_set(w->record, "load", out);
}

/* Those that this process may use, 1 where that is not known. */
static int processors(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

/* Times count from the first sample's start, as starts_ns do. */
static void add_telemetry(casework *w)
{
	cJSON *read = telemetry_json(w->sensors, w->first_ns);

	if (read == NULL)
		return;
	json_set(w->record, "telemetry", read);
	if (telemetry_burden(w->sensors) > burden_share * (double)processors())
		casework_flag(w, "telemetry-heavy");
}

/* Runs the canary; false when the device failed, and then the row has. */
static bool watch(casework *w, canary_times *out)
{
	eh_error error = ERROR_INIT;
	eh_status status;

	if (w->canary == NULL)
		return true;
	status = canary_run(w->canary, out, &error);
	if (status != EH_OK)
		casework_fail(w, status, &error);
	return status == EH_OK;
}

/* The same after the samples: what moved only for the moment of the canary is tried again. */
static bool watch_after(casework *w, disturb_facts *facts)
{
	enum { TRIALS = 3 };

	for (int i = 0; i < TRIALS; i++) {
		if (!watch(w, &facts->after))
			return false;
		if (w->canary == NULL || !disturb_moved(&facts->before, &facts->after))
			break;
	}
	return true;
}

/* One attempt with its canary and load; the words about what disturbed it stand in the record's
 * "disturbed".  Returns how much that was. */
static double try_once(casework *w, const eh_case *values, const eh_work *work)
{
	disturb_facts facts = { .canary = w->canary != NULL };
	cJSON *words = cJSON_CreateArray();
	guards before, after;
	double score = 0;
	load start;

	w->first_ns = 0;
	w->run_end_ns = 0;
	telemetry_start(w->sensors, w->c->section->measure.telemetry_ns);
	guards_read(&before, "", w->sensors);
	load_read(&start);
	if (watch(w, &facts.before)) {
		attempt_run(w, values, work, w->sensors, &facts);
		if (!*w->lost && watch_after(w, &facts)) {
			if (w->canary != NULL)
				casework_canary(w, &facts.before, &facts.after);
			score = disturb_judge(&facts, words);
		}
	}
	add_load(w, &start);
	telemetry_stop(w->sensors);
	guards_read(&after, "", w->sensors);
	score += guards_disturbed(&before, &after, words);
	json_set(w->record, "guards", guards_json(&before, &after));
	add_telemetry(w);
	if (w->run_end_ns != 0)
		sustain_sensed(cJSON_GetObjectItemCaseSensitive(w->record, "sustained"), w->sensors,
		               w->run_begin_ns, w->run_end_ns, w->idle_watts);
	if (cJSON_GetArraySize(words) > 0)
		json_set(w->record, "disturbed", words);
	else
		cJSON_Delete(words);
	return score;
}

/* Whether the row has numbers that another attempt could better. */
static bool has_numbers(const cJSON *record)
{
	const char *status = json_string(record, "status", "");

	return strcmp(status, "valid") == 0 || strcmp(status, "not-converged") == 0;
}

/* Of an attempt that is not the row's: what it measured and why it was not taken. */
static void keep_attempt(cJSON *attempts, cJSON *record, uint64_t number)
{
	static const char *const members[] = {
		"status", "reasons", "flags", "disturbed", "clock", "batch", "samples_ns", "host_ns",
		"starts_ns", "half_width", "canary", "load"
	};
	cJSON *kept = cJSON_CreateObject();

	json_add_uint(kept, "attempt", number);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		cJSON *item = cJSON_DetachItemFromObjectCaseSensitive(record, members[i]);

		if (item != NULL)
			json_set(kept, members[i], item);
	}
	cJSON_AddItemToArray(attempts, kept);
	cJSON_Delete(record);
}

/*
 * Attempts until one is not disturbed, at most 1 + repeats, as long as another like the last fits
 * in the time of the case.  The least disturbed is the row; one that failed or is invalid ends it
 * and is the row whatever came before.  All others are kept in "attempts".
 */
static cJSON *try_often(casework *w, const char *no_canary, const eh_case *values,
                        const eh_work *work, uint64_t seed, uint64_t begin_ns)
{
	const record_settings *rules = &w->c->section->measure;
	cJSON *attempts = cJSON_CreateArray();
	cJSON *best = NULL;
	double best_score = 0;
	uint64_t best_number = 0;

	for (uint64_t i = 0; i <= rules->repeats; i++) {
		uint64_t from = clock_now_ns();
		uint64_t now;
		double score;

		work_on(w, casework_record("valid"), i == 0 ? seed : random_derive(seed, "attempt", i));
		if (no_canary != NULL)
			casework_flag(w, no_canary);
		score = try_once(w, values, work);
		if (best == NULL || !has_numbers(w->record) || score < best_score) {
			if (best != NULL)
				keep_attempt(attempts, best, best_number);
			best = w->record;
			best_score = score;
			best_number = i + 1;
		} else {
			keep_attempt(attempts, w->record, i + 1);
		}
		now = clock_now_ns();
		if (!has_numbers(best) || best_score <= 0 || *w->lost ||
		    (rules->timeout_ns != 0 &&
		     now - begin_ns + (now - from) * 5 / 4 > rules->timeout_ns))
			break;
	}
	work_on(w, best, seed);
	if (cJSON_GetArraySize(attempts) > 0) {
		json_set(best, "attempt", cJSON_CreateNumber((double)best_number));
		json_set(best, "attempts", attempts);
	} else {
		cJSON_Delete(attempts);
	}
	if (best_score > 0 && has_numbers(best))
		casework_flag(w, "disturbed");
	return best;
}

static cJSON *try_tuned(measure *m, casework *w, const char *no_canary, uint64_t seed,
                        uint64_t begin_ns)
{
	eh_error error = ERROR_INIT;
	cJSON *record;
	tuned t;
	eh_status status;

	casework_enter(w, "tune");
	status = tune_search(m->s, &m->clocks, w->c, m->seed, w->report, w->context, &t, &error);
	if (status == EH_OK) {
		record = try_often(w, no_canary, &t.values, &t.work, seed, begin_ns);
		tune_free(&t);
	} else {
		record = casework_record("valid");
		work_on(w, record, seed);
		if (no_canary != NULL)
			casework_flag(w, no_canary);
		casework_fail(w, status, &error);
	}
	json_set(record, "tuning", t.record);
	return record;
}

/* Why nothing can be measured, as a record; NULL when it can. */
static cJSON *refuse(const measure *m, const plan_case *c)
{
	char reason[320];
	cJSON *record;
	char *missing;

	if (c->tier == RECORD_TIER_VENDOR)
		return measure_absent("unsupported", "No backend of this version offers a vendor library.");
	missing = prepared_unsupported(m->s, &c->work);
	if (missing != NULL) {
		record = measure_absent("unsupported", missing);
		free(missing);
		return record;
	}
	if (m->clocks.host_reason[0] != '\0')
		return measure_absent("invalid", m->clocks.host_reason);
	if (m->clocks.wait_reason[0] != '\0')
		return measure_absent("invalid", m->clocks.wait_reason);
	if (!m->clocks.device_time_false || c->section->measure.clock != RECORD_CLOCK_DEVICE)
		return NULL;
	(void)snprintf(reason, sizeof(reason), "%s A backend whose clock tells such times "
	               "is not believed; a protocol with clock = host does without it.",
	               m->clocks.device_time_reason);
	return measure_absent("invalid", reason);
}

cJSON *measure_case(measure *m, const plan_case *c, measure_report report, void *context,
                    bool *lost)
{
	casework w = { .s = m->s, .clocks = &m->clocks, .canary = m->canary, .c = c,
		       .report = report, .context = context, .lost = lost };
	const char *no_canary = m->wanted && m->canary == NULL ? "no-canary" : NULL;
	uint64_t seed = random_derive(m->seed, c->id, 0);
	uint64_t begin = clock_now_ns();
	cJSON *record = refuse(m, c);

	*lost = false;
	if (record != NULL)
		return record;
	if (c->section->measure.telemetry_ns > 0)
		measure_open_sensors(m, NULL);
	w.sensors = c->section->measure.telemetry_ns > 0 ? m->sensors : NULL;
	if (c->section->measure.timeout_ns > 0)
		w.deadline_ns = begin + c->section->measure.timeout_ns;
	if (c->tier == RECORD_TIER_TUNED)
		return try_tuned(m, &w, no_canary, seed, begin);
	return try_often(&w, no_canary, &c->values, &c->work, seed, begin);
}
