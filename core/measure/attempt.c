/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/attempt.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "measure/arithmetic.h"
#include "measure/proof.h"
#include "measure/scenario.h"
#include "measure/varied.h"

/* Shorter cases that do not fit in their time are no news. */
static const uint64_t worth_a_word_ns = 1000000000;

static bool is_sustained(const attempt *a)
{
	return a->s.rules.regime == RECORD_REGIME_SUSTAINED;
}

bool attempt_goes_on(const attempt *a)
{
	return a->sampling && a->status == EH_OK && a->s.impossible[0] == '\0';
}

/* One operation whose output is overwritten before it and checked after it. */
static eh_status audit(attempt *a, eh_error *error)
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
static eh_status play_requests(attempt *a, eh_error *error)
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

/* Before the time is spent: the newest sample of the batch's trial shows how long they are. */
static void warn_of_length(const attempt *a)
{
	const sampler *s = &a->s;
	uint64_t one = s->end_ns - s->start_ns, least = one * s->samples_min;
	char each[32], all[32], allowed[32];

	if (record_is_load(&s->rules) || is_sustained(a) || least < worth_a_word_ns ||
	    least <= s->rules.time_max_ns)
		return;
	text_format_ns((double)one, each);
	text_format_ns((double)least, all);
	text_format_ns((double)s->rules.time_max_ns, allowed);
	log_write(EH_LOG_WARN, "%s: a sample takes %s, so samples-min (%llu) needs %s and time-max allows "
	          "%s; raise time-max or take a smaller case", a->w->c->id, each,
	          (unsigned long long)s->samples_min, all, allowed);
}

void attempt_warm(attempt *a)
{
	sampler *s = &a->s;

	if (!attempt_goes_on(a))
		return;
	a->status = sampler_batch(s, &a->error);
	if (attempt_goes_on(a))
		warn_of_length(a);
	if (a->status == EH_OK)
		a->status = sampler_try_wait(s, &a->error);
	if (attempt_goes_on(a) && is_sustained(a)) {
		casework_enter(a->w, "settle");
		sustain_enter(&a->run, &s->rules, a->w->report, a->w->context);
	}
	disturb_read(&a->w->begin);
	a->w->end = a->w->begin;
	if (attempt_goes_on(a)) {
		casework_enter(a->w, "warm-up");
		a->status = sampler_warm(s, &a->error);
	}
}

void attempt_sample(attempt *a)
{
	sampler *s = &a->s;

	if (attempt_goes_on(a) && record_is_load(&s->rules)) {
		casework_enter(a->w, "requests");
		a->status = play_requests(a, &a->error);
	} else if (attempt_goes_on(a)) {
		casework_enter(a->w, is_sustained(a) ? "sustain" : "sample");
		a->status = is_sustained(a) ? sustain_run(&a->run, s, &a->v, &a->error) :
		            sampler_run(s, &a->v, &a->error);
	}
	disturb_read(&a->w->end);
}

/* Single operations, however many a sample has. */
static eh_status try_new_inputs(attempt *a, proof *p, eh_error *error)
{
	record_varied *pairs = layout_new(record_varied_layout());
	bool differs = false;
	eh_status status = varied_run(&a->s, &a->v, p, pairs, &differs, error);

	if (status != EH_OK) {
		layout_free(record_varied_layout(), pairs);
		return status;
	}
	if (differs)
		casework_flag(a->w, RECORD_FLAG_VARIED_DIFFERS);
	if (pairs->skipped != NULL)
		casework_flag(a->w, RECORD_FLAG_INPUTS_NOT_VARIED);
	a->w->record->varied = pairs;
	return EH_OK;
}

/* One time that is too long may be a glitch. */
static void judge_clocks(attempt *a)
{
	if (a->s.impossible[0] != '\0')
		casework_conclude(a->w, RECORD_INVALID, a->s.impossible);
	else if (a->s.impossible_times > 0)
		casework_conclude(a->w, RECORD_UNPROVEN, "Not settled: the device clock once claimed more "
		                  "time for operations than passed on the host's clock.");
}

static eh_status prove(attempt *a, eh_error *error)
{
	casework *w = a->w;
	proof p = { .record = layout_new(record_proof_layout()), .deadline_ns = w->deadline_ns };
	eh_status status;

	casework_enter(w, "prove");
	status = proof_run(&a->s, &a->v, &p, error);
	if (p.inputs_unchanged)
		casework_flag(w, RECORD_FLAG_STALE_NOT_EXCLUDED);
	if (status == EH_OK && p.verdict != RECORD_INVALID && verify_passed(a->v.record->after))
		status = try_new_inputs(a, &p, error);
	if (status == EH_OK && p.failure != NULL)
		casework_conclude(w, p.verdict, p.failure);
	judge_clocks(a);
	free(p.failure);
	if (p.record->operations > 0)
		w->record->proof = p.record;
	else
		layout_free(record_proof_layout(), p.record);
	return status;
}

/* The samples and what shows that they are true. */
static void conclude_samples(attempt *a)
{
	casework *w = a->w;
	sampler *s = &a->s;
	bool read_sensors = w->sensors != NULL && s->rules.telemetry_ns > 0;

	if (s->gave_up_device)
		casework_flag(w, RECORD_FLAG_HOST_CLOCK);
	if (s->count > 0) {
		casework_samples(w, s, is_sustained(a) || s->rules.cache == RECORD_CACHE_COLD || read_sensors ||
		                 s->rounds != NULL);
		w->record->sustained = a->run.record;
		a->run.record = NULL;
	}
	if (a->status != EH_OK) {
		casework_fail(w, a->status, &a->error);
		return;
	}
	if (s->impossible[0] != '\0')
		casework_conclude(w, RECORD_INVALID, s->impossible);
	if (s->count == 0 || a->v.record->during_failed > 0 || s->impossible[0] != '\0')
		return;
	if (!record_is_load(&s->rules))
		casework_series(w, s);
	a->status = prove(a, &a->error);
	if (a->status != EH_OK)
		casework_fail(w, a->status, &a->error);
	casework_width(w, s);
}

/* They belong to the record, however the case ended. */
static void keep_doubts(attempt *a)
{
	a->w->record->doubts = a->s.doubts;
	a->s.doubts = (record_doubt_list){ 0 };
}

/* With a cold cache in as many sets as the plan says, or in one when memory does not hold them. */
static eh_status open_sets(prepared *p, casework *w, const eh_case *values, const eh_work *work,
                           record_program *program, eh_error *error)
{
	const record_settings *rules = &w->c->section->measure;
	prepared_choice choice = { .data = rules->input_data, .seed = w->seed,
	                           .timed = sampler_on_device(w->clocks, rules, work),
	                           .tier = w->c->tier };
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
	/* A library that is not installed is no failure of the device's. */
	if (status == EH_E_UNAVAILABLE && w->c->tier == RECORD_TIER_VENDOR)
		status = EH_E_UNSUPPORTED;
	if (status != EH_OK)
		casework_fail(w, status, &error);
	else
		w->record->data = inputdata_record(&p->data);
	return status == EH_OK;
}

static void open_sampler(attempt *a, const eh_work *work)
{
	casework *w = a->w;
	const record_settings *rules = &w->c->section->measure;

	sampler_init(&a->s, &a->p, w->clocks, rules, w->seed);
	if (w->turns)
		sampler_take_turns(&a->s);
	a->s.report = w->report;
	a->s.context = w->context;
	if (rules->clock == RECORD_CLOCK_DEVICE && work->region == EH_REGION_EXECUTION &&
	    rules->scenario == RECORD_SCENARIO_NONE && !a->s.device)
		casework_flag(w, RECORD_FLAG_HOST_CLOCK);
	a->sampling = true;
}

/* After the first operation: only then does every library know which of its kernels runs. */
static eh_status describe_library(prepared *p, casework *w, eh_error *error)
{
	eh_layer found = { .struct_size = sizeof(found), .kind = EH_LAYER_LIBRARY };
	eh_status status = p->workload->library(prepared_state(p, 0), &found, error);
	record_library *out;

	if (status != EH_OK)
		return status;
	out = w->record->library = layout_new(record_library_layout());
	out->name = text_clean_copy(found.name, sizeof(found.name));
	out->version = text_clean_copy(found.version, sizeof(found.version));
	out->path = text_clean_copy(found.path, sizeof(found.path));
	out->detail = text_clean_copy(found.detail, sizeof(found.detail));
	return EH_OK;
}

void attempt_open(attempt *a, casework *w, const eh_case *values, const eh_work *work)
{
	char *wrong;

	*a = (attempt){ .w = w, .run = { .sensors = w->sensors }, .error = ERROR_INIT };
	a->opened = open_case(&a->p, w, values, work);
	if (!a->opened)
		return;
	casework_enter(w, "verify");
	w->record->verification = layout_new(record_verification_layout());
	verify_init(&a->v, w->record->verification);
	a->status = verify_before(&a->p, &a->v, &a->error);
	w->record->device_memory_bytes = prepared_memory(&a->p);
	if (a->status == EH_OK && w->c->tier == RECORD_TIER_VENDOR)
		a->status = describe_library(&a->p, w, &a->error);
	if (a->status == EH_OK)
		w->record->arithmetic = arithmetic_record(work, a->p.s->info.caps, w->record->library);
	wrong = verify_failure(&a->v);
	if (a->status == EH_OK && wrong == NULL)
		open_sampler(a, work);
	free(wrong);
}

void attempt_close(attempt *a)
{
	char *wrong;

	if (!a->opened)
		return;
	if (a->sampling) {
		conclude_samples(a);
		keep_doubts(a);
		layout_free(record_sustained_layout(), a->run.record);
		sampler_free(&a->s);
	} else if (a->status != EH_OK) {
		casework_fail(a->w, a->status, &a->error);
	}
	wrong = a->sampling || a->status == EH_OK ? verify_failure(&a->v) : NULL;
	if (wrong != NULL)
		casework_conclude(a->w, RECORD_INVALID, wrong);
	free(wrong);
	prepared_close(&a->p);
}

void attempt_run(casework *w, const eh_case *values, const eh_work *work)
{
	attempt a;

	attempt_open(&a, w, values, work);
	attempt_warm(&a);
	attempt_sample(&a);
	attempt_close(&a);
}
