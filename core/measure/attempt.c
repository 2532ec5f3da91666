/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/attempt.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "measure/proof.h"
#include "measure/scenario.h"
#include "measure/sustain.h"
#include "measure/varied.h"

/* What one attempt holds beside the record. */
typedef struct attempt_state {
	casework *w;
	sampler s;
	verification v;
	sustain run;
	disturb_facts *facts;
} attempt_state;

static bool is_sustained(const attempt_state *a)
{
	return a->s.rules.regime == RECORD_REGIME_SUSTAINED;
}

/* One operation whose output is overwritten before it and checked after it. */
static eh_status audit(attempt_state *a, eh_error *error)
{
	prepared *p = a->s.p;
	eh_status status = verify_poison(p, 1, error);

	if (status == EH_OK)
		status = prepared_enqueue(p, 1, error);
	if (status == EH_OK)
		status = prepared_wait(p, error);
	return status == EH_OK ? verify_during(p, &a->v, error) : status;
}

/* The declared scenario; its latencies become the samples.  Nothing is audited between requests:
 * that would be a load of its own; but right before them and right after them. */
static eh_status play_requests(attempt_state *a, eh_error *error)
{
	casework *w = a->w;
	sampler *s = &a->s;
	scenario played;
	uint64_t *times;
	uint64_t *starts;
	eh_status status = audit(a, error);

	if (status != EH_OK || a->v.during_failed > 0)
		return status;
	status = scenario_run(s->p, &s->rules, w->seed, w->report, w->context, &played, error);
	if (status != EH_OK)
		return status;
	times = memory_get(2 * played.requests->count * sizeof(*times));
	starts = times + played.requests->count;
	for (size_t i = 0; i < played.requests->count; i++) {
		times[i] = trace_latency_ns(played.requests, i);
		starts[i] = played.requests->start_ns + played.requests->issued_ns[i];
	}
	sampler_adopt(s, times, starts, played.requests->count);
	free(times);
	if (played.summary.known && played.summary.value_ns > 0) {
		const interval *i = &played.summary.value;

		s->half_width = (i->high - i->low) / 2 / played.summary.value_ns;
	}
	s->converged = true; /* how many requests there are is declared, not found */
	if (played.failure != NULL)
		casework_conclude(w, "invalid", played.failure);
	else if (!played.summary.known ||
	         (s->rules.scenario == RECORD_SCENARIO_KNEE && !played.summary.met))
		casework_conclude(w, "not-converged", played.missed);
	else if (!played.summary.met)
		casework_flag(w, "limit-missed");
	json_set(w->record, "requests", scenario_requests_json(played.requests));
	json_set(w->record, "scenario", played.record);
	played.record = NULL;
	scenario_free(&played);
	return audit(a, error);
}

/* Batch, trial of waiting, warm-up, samples. */
static eh_status take_samples(attempt_state *a, eh_error *error)
{
	sampler *s = &a->s;
	eh_status status = sampler_batch(s, error);

	if (status == EH_OK)
		status = sampler_try_wait(s, error);
	if (status == EH_OK && s->impossible[0] == '\0' && is_sustained(a)) {
		casework_enter(a->w, "settle");
		sustain_enter(&a->run, &s->rules, a->w->report, a->w->context);
	}
	disturb_read(&a->facts->begin);
	a->facts->end = a->facts->begin;
	if (status == EH_OK && s->impossible[0] == '\0') {
		casework_enter(a->w, "warm-up");
		status = sampler_warm(s, error);
	}
	if (status == EH_OK && s->impossible[0] == '\0' && record_is_load(&s->rules)) {
		casework_enter(a->w, "requests");
		status = play_requests(a, error);
	} else if (status == EH_OK && s->impossible[0] == '\0') {
		casework_enter(a->w, is_sustained(a) ? "sustain" : "sample");
		status = is_sustained(a) ? sustain_run(&a->run, s, &a->v, error) :
		         sampler_run(s, &a->v, error);
	}
	disturb_read(&a->facts->end);
	return status;
}

/* Whatever the samples were: single operations. */
static eh_status try_new_inputs(attempt_state *a, const proof *p, eh_error *error)
{
	sampler *s = &a->s;
	varied pairs;
	eh_status status = varied_run(s, &a->v, p, a->w->deadline_ns, &pairs, error);

	if (status != EH_OK)
		return status;
	if (s->impossible[0] != '\0')
		casework_conclude(a->w, "invalid", s->impossible);
	json_set(a->w->record, "varied", varied_json(&pairs));
	if (pairs.differs)
		casework_flag(a->w, "varied-differs");
	if (pairs.skipped[0] != '\0')
		casework_flag(a->w, "inputs-not-varied");
	return EH_OK;
}

/* From the batch to the proof, on a case whose output was right. */
static void sample(attempt_state *a)
{
	casework *w = a->w;
	sampler *s = &a->s;
	eh_error error = ERROR_INIT;
	proof p = { 0 };
	bool read_sensors = a->run.sensors != NULL && s->rules.telemetry_ns > 0;
	eh_status status = take_samples(a, &error);

	if (s->gave_up_device)
		casework_flag(w, "host-clock");
	if (s->count > 0) {
		casework_samples(w, s, is_sustained(a) || s->rules.cache == RECORD_CACHE_COLD || read_sensors);
		if (is_sustained(a)) {
			json_set(w->record, "sustained", sustain_json(&a->run, s));
			w->run_begin_ns = a->run.begin_ns;
			w->run_end_ns = a->run.end_ns;
			w->idle_watts = a->run.idle_known ? a->run.idle_watts : -1;
		}
	}
	if (status != EH_OK) {
		casework_fail(w, status, &error);
		return;
	}
	if (s->impossible[0] != '\0')
		casework_conclude(w, "invalid", s->impossible);
	if (s->count == 0 || a->v.during_failed > 0 || s->impossible[0] != '\0')
		return;
	if (!record_is_load(&s->rules))
		casework_series(w, s);
	casework_enter(w, "prove");
	status = proof_run(s, &a->v, &p, &error);
	if (status == EH_OK && p.failure != NULL)
		casework_conclude(w, "invalid", p.failure);
	if (p.inputs_unchanged)
		casework_flag(w, "stale-not-excluded");
	if (p.operations > 0)
		json_set(w->record, "proof", proof_json(&p));
	if (status == EH_OK && p.failure == NULL && verify_passed(&a->v.after))
		status = try_new_inputs(a, &p, &error);
	free(p.failure);
	if (status != EH_OK)
		casework_fail(w, status, &error);
	casework_width(w, s);
}

/* With a cold cache in as many sets as the plan says, or in one when memory does not hold them. */
static eh_status open_sets(prepared *p, casework *w, const eh_case *values, const eh_work *work,
                           prepared_choice *choice, cJSON *program, eh_error *error)
{
	bool cold = w->c->section->measure.cache == RECORD_CACHE_COLD;
	eh_status status;

	if (cold)
		choice->cold = cold_choose(&w->s->info, work);
	status = prepared_open(p, w->s, w->c->workload, values, work, choice, program, error);
	if (status == EH_E_NO_MEMORY && choice->cold.sets > 1) {
		choice->cold = cold_choose_single(&w->s->info);
		while (program->child != NULL)
			cJSON_Delete(cJSON_DetachItemFromArray(program, 0));
		*error = (eh_error)ERROR_INIT;
		status = prepared_open(p, w->s, w->c->workload, values, work, choice, program, error);
	}
	if (status == EH_OK && cold)
		json_set(w->record, "cache", cold_json(&choice->cold, work));
	return status;
}

static void add_data(casework *w, const inputdata_log *log)
{
	cJSON *out;
	char hex[65];

	if (log->requests == 0)
		return;
	out = cJSON_CreateObject();
	inputdata_digest(log, hex);
	json_add_string(out, "distribution", record_distribution_word(log->kind));
	json_add_string(out, "sha256", hex);
	json_set(w->record, "data", out);
}

void attempt_run(casework *w, const eh_case *values, const eh_work *work, telemetry *sensors,
                 disturb_facts *facts)
{
	const record_settings *rules = &w->c->section->measure;
	prepared_choice choice = { .data = rules->input_data, .seed = w->seed };
	attempt_state a = { .w = w, .facts = facts, .run = { .sensors = sensors } };
	cJSON *program = cJSON_CreateObject();
	eh_error error = ERROR_INIT;
	prepared p;
	eh_status status;
	char *wrong;

	casework_enter(w, "prepare");
	status = open_sets(&p, w, values, work, &choice, program, &error);
	if (program->child != NULL)
		json_set(w->record, "program", program);
	else
		cJSON_Delete(program);
	if (status != EH_OK) {
		casework_fail(w, status, &error);
		return;
	}
	add_data(w, &p.data);
	casework_enter(w, "verify");
	status = verify_before(&p, &a.v, &error);
	wrong = verify_failure(&a.v);
	if (status != EH_OK) {
		casework_fail(w, status, &error);
	} else if (wrong == NULL) {
		sampler_init(&a.s, &p, w->clocks, rules, w->seed);
		a.s.report = w->report;
		a.s.context = w->context;
		if (rules->clock == RECORD_CLOCK_DEVICE && work->region == EH_REGION_EXECUTION &&
		    rules->scenario == RECORD_SCENARIO_NONE && !a.s.device)
			casework_flag(w, "host-clock");
		sample(&a);
		sampler_free(&a.s);
		wrong = verify_failure(&a.v);
	}
	if (wrong != NULL)
		casework_conclude(w, "invalid", wrong);
	free(wrong);
	json_set(w->record, "verification", verify_json(&a.v));
	prepared_close(&p);
}
