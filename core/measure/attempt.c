/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/attempt.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "measure/proof.h"
#include "measure/scenario.h"
#include "measure/sustain.h"
#include "measure/varied.h"

/* State of an attempt beside the record. */
typedef struct attempt_state {
	casework *w;
	sampler s;
	verify_state v;
	sustain run;
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

static void adopt_requests(sampler *s, const scenario *played)
{
	const trace *t = played->requests;
	uint64_t *times = memory_get(2 * t->count * sizeof(*times));
	uint64_t *starts = times + t->count;
	double width;

	for (size_t i = 0; i < t->count; i++) {
		times[i] = trace_latency_ns(t, i);
		starts[i] = t->start_ns + t->issued_ns[i];
	}
	sampler_adopt(s, times, starts, t->count);
	free(times);
	width = trace_half_width(&played->summary);
	s->half_width = isnan(width) ? INFINITY : width;
	s->converged = true; /* the number of requests is declared */
}

static void keep_requests(casework *w, const trace *t)
{
	record_requests *r = layout_new(record_requests_layout());

	uint_list_set(&r->due_ns, t->due_ns, t->count);
	uint_list_set(&r->issued_ns, t->issued_ns, t->count);
	uint_list_set(&r->done_ns, t->done_ns, t->count);
	w->record->requests = r;
}

/* Plays the declared scenario; its latencies become the samples.  Audits run right before and right
 * after the requests: between them they would be a load of their own. */
static eh_status play_requests(attempt_state *a, eh_error *error)
{
	casework *w = a->w;
	sampler *s = &a->s;
	scenario played;
	eh_status status = audit(a, error);

	if (status != EH_OK || a->v.record->during_failed > 0)
		return status;
	status = scenario_run(s->p, &s->rules, w->seed, w->report, w->context, &played, error);
	if (status != EH_OK)
		return status;
	adopt_requests(s, &played);
	if (played.failure != NULL)
		casework_conclude(w, RECORD_INVALID, played.failure);
	else if (!played.summary.known || (s->rules.scenario == RECORD_SCENARIO_KNEE && !played.summary.met))
		casework_conclude(w, RECORD_NOT_CONVERGED, played.missed);
	else if (!played.summary.met)
		casework_flag(w, RECORD_FLAG_LIMIT_MISSED);
	keep_requests(w, played.requests);
	w->record->scenario = played.record;
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
	disturb_read(&a->w->begin);
	a->w->end = a->w->begin;
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
	disturb_read(&a->w->end);
	return status;
}

/* Single operations, however many a sample has. */
static eh_status try_new_inputs(attempt_state *a, const proof *p, eh_error *error)
{
	record_varied *pairs = layout_new(record_varied_layout());
	bool differs = false;
	eh_status status = varied_run(&a->s, &a->v, p, a->w->deadline_ns, pairs, &differs, error);

	if (status != EH_OK) {
		layout_free(record_varied_layout(), pairs);
		return status;
	}
	if (a->s.impossible[0] != '\0')
		casework_conclude(a->w, RECORD_INVALID, a->s.impossible);
	if (differs)
		casework_flag(a->w, RECORD_FLAG_VARIED_DIFFERS);
	if (pairs->skipped != NULL)
		casework_flag(a->w, RECORD_FLAG_INPUTS_NOT_VARIED);
	a->w->record->varied = pairs;
	return EH_OK;
}

static eh_status prove(attempt_state *a, eh_error *error)
{
	casework *w = a->w;
	proof p = { .record = layout_new(record_proof_layout()) };
	eh_status status;

	casework_enter(w, "prove");
	status = proof_run(&a->s, &a->v, &p, error);
	if (status == EH_OK && p.failure != NULL)
		casework_conclude(w, RECORD_INVALID, p.failure);
	if (p.inputs_unchanged)
		casework_flag(w, RECORD_FLAG_STALE_NOT_EXCLUDED);
	if (status == EH_OK && p.failure == NULL && verify_passed(a->v.record->after))
		status = try_new_inputs(a, &p, error);
	free(p.failure);
	if (p.record->operations > 0)
		w->record->proof = p.record;
	else
		layout_free(record_proof_layout(), p.record);
	return status;
}

/* From the batch to the proof, on a case whose output was right. */
static void sample(attempt_state *a)
{
	casework *w = a->w;
	sampler *s = &a->s;
	eh_error error = ERROR_INIT;
	bool read_sensors = w->sensors != NULL && s->rules.telemetry_ns > 0;
	eh_status status = take_samples(a, &error);

	if (s->gave_up_device)
		casework_flag(w, RECORD_FLAG_HOST_CLOCK);
	if (s->count > 0) {
		casework_samples(w, s, is_sustained(a) || s->rules.cache == RECORD_CACHE_COLD || read_sensors);
		w->record->sustained = a->run.record;
		a->run.record = NULL;
	}
	if (status != EH_OK) {
		casework_fail(w, status, &error);
		return;
	}
	if (s->impossible[0] != '\0')
		casework_conclude(w, RECORD_INVALID, s->impossible);
	if (s->count == 0 || a->v.record->during_failed > 0 || s->impossible[0] != '\0')
		return;
	if (!record_is_load(&s->rules))
		casework_series(w, s);
	status = prove(a, &error);
	if (status != EH_OK)
		casework_fail(w, status, &error);
	casework_width(w, s);
}

/* With a cold cache in as many sets as the plan says, or in one when memory does not hold them. */
static eh_status open_sets(prepared *p, casework *w, const eh_case *values, const eh_work *work,
                           record_program *program, eh_error *error)
{
	const record_settings *rules = &w->c->section->measure;
	prepared_choice choice = { .data = rules->input_data, .seed = w->seed };
	bool cold = rules->cache == RECORD_CACHE_COLD;
	eh_status status;

	if (cold)
		choice.cold = cold_choose(&w->s->info, work);
	status = prepared_open(p, w->s, w->c->workload, values, work, &choice, program, error);
	if (status == EH_E_NO_MEMORY && choice.cold.sets > 1) {
		choice.cold = cold_choose_single(&w->s->info, work);
		layout_clear(record_program_layout(), program);
		*error = (eh_error)ERROR_INIT;
		status = prepared_open(p, w->s, w->c->workload, values, work, &choice, program, error);
	}
	if (status == EH_OK && cold) {
		w->record->cache = layout_new(record_cache_layout());
		*w->record->cache = choice.cold;
	}
	return status;
}

/* false when the case cannot be prepared; the row has failed then. */
static bool open_case(prepared *p, casework *w, const eh_case *values, const eh_work *work)
{
	record_program *program = layout_new(record_program_layout());
	eh_error error = ERROR_INIT;
	eh_status status;

	casework_enter(w, "prepare");
	status = open_sets(p, w, values, work, program, &error);
	if (program->kernel != NULL)
		w->record->program = program;
	else
		layout_free(record_program_layout(), program);
	if (status != EH_OK)
		casework_fail(w, status, &error);
	else
		w->record->data = inputdata_record(&p->data);
	return status == EH_OK;
}

void attempt_run(casework *w, const eh_case *values, const eh_work *work)
{
	const record_settings *rules = &w->c->section->measure;
	attempt_state a = { .w = w, .run = { .sensors = w->sensors } };
	eh_error error = ERROR_INIT;
	prepared p;
	eh_status status;
	char *wrong;

	if (!open_case(&p, w, values, work))
		return;
	casework_enter(w, "verify");
	w->record->verification = layout_new(record_verification_layout());
	verify_init(&a.v, w->record->verification);
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
			casework_flag(w, RECORD_FLAG_HOST_CLOCK);
		sample(&a);
		layout_free(record_sustained_layout(), a.run.record);
		sampler_free(&a.s);
		wrong = verify_failure(&a.v);
	}
	if (wrong != NULL)
		casework_conclude(w, RECORD_INVALID, wrong);
	free(wrong);
	prepared_close(&p);
}
