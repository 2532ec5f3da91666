/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/measure.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "measure/attempt.h"
#include "measure/measure_inside.h"
#include "measure/surround.h"

/* ---- the instrument -------------------------------------------------------------------------- */

/* Passes an error on after which the device cannot be trusted. */
static bool is_fatal(eh_status status, const eh_error *cause, eh_error *error)
{
	if (status != EH_E_DEVICE && status != EH_E_DEVICE_LOST)
		return false;
	if (error != NULL)
		*error = *cause;
	return true;
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
			missing = error_sentence(&cause, status);
		}
		if (is_fatal(status, &cause, error))
			goto undo_measure;
	}
	status = calibrate(s, work, missing, &m->clocks, error);
	if (status != EH_OK)
		goto undo_canary;
	if (want_canary && work != NULL) {
		cause = (eh_error)ERROR_INIT;
		status = canary_prepare(work, &cause);
		if (is_fatal(status, &cause, error))
			goto undo_canary;
		missing = error_sentence(&cause, status);
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
	calibrate_clear(&m->clocks);
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
	                          error_sentence(&cause, status), out, error);
	free(source);
	return status;
}

const record_instrument *measure_instrument(const measure *m)
{
	return &m->clocks.record;
}

void measure_open_sensors(measure *m, const char *const *without)
{
	if (m->sensors_opened)
		return;
	m->sensors = telemetry_open(&m->s->info, without);
	m->sensors_opened = true;
}

void measure_remember(measure *m, const measure_winners *winners)
{
	m->winners = *winners;
}

void measure_free(measure *m)
{
	if (m == NULL)
		return;
	canary_close(m->canary);
	telemetry_close(m->sensors);
	calibrate_clear(&m->clocks);
	free(m);
}

/* ---- one case -------------------------------------------------------------------------------- */

record_execution *measure_record(enum record_status status)
{
	record_execution *record = layout_new(record_execution_layout());

	record->status = status;
	return record;
}

record_execution *measure_absent(enum record_status status, const char *reason)
{
	record_execution *record = measure_record(status);

	text_list_add(&record->reasons, reason);
	return record;
}

/* One attempt with everything around it; returns how much it was disturbed. */
static double try_once(casework *w, const eh_case *values, const eh_work *work)
{
	surround around;

	if (surround_begin(&around, w))
		attempt_run(w, values, work);
	return surround_end(&around, w);
}

/* Keeps the samples of an attempt that is not the row's, and why.  Frees the record. */
static void keep_attempt(record_attempt_list *attempts, record_execution *record, uint64_t number)
{
	record_attempt *kept = layout_append(record_attempt_layout(), attempts);

	kept->attempt = number;
	kept->status = record->status;
	kept->clock = record->clock;
	kept->batch = record->batch;
	kept->half_width = record->half_width;
#define MOVE(member) (kept->member = record->member, memset(&record->member, 0, sizeof(record->member)))
	MOVE(reasons);
	MOVE(flags);
	MOVE(disturbed);
	MOVE(samples_ns);
	MOVE(host_ns);
	MOVE(starts_ns);
	MOVE(canary);
	MOVE(load);
#undef MOVE
	layout_free(record_execution_layout(), record);
}

/* Whether there is time for another attempt like the last. */
static bool time_is_left(const casework *w, uint64_t begin_ns, uint64_t last_ns)
{
	uint64_t timeout = w->c->section->measure.timeout_ns;
	uint64_t now = clock_now_ns();

	return timeout == 0 || now - begin_ns + (now - last_ns) * 5 / 4 <= timeout;
}

/*
 * Attempts until one is not disturbed, at most 1 + repeats, as long as another like the last fits
 * in the time of the case.  The least disturbed is the row; one that failed or is invalid ends it
 * and is the row whatever came before.  All others are kept in `attempts`.
 */
static void try_often(casework *w, const eh_case *values, const eh_work *work, uint64_t begin_ns)
{
	const uint64_t seed = w->seed;
	record_attempt_list attempts = { 0 };
	record_execution *best = NULL;
	double best_score = 0;
	uint64_t best_number = 0;

	for (uint64_t i = 0; i <= w->c->section->measure.repeats; i++) {
		uint64_t from = clock_now_ns();
		double score;

		w->record = measure_record(RECORD_VALID);
		w->seed = i == 0 ? seed : random_derive(seed, "attempt", i);
		score = try_once(w, values, work);
		if (best == NULL || !record_counts(w->record->status) || score < best_score) {
			if (best != NULL)
				keep_attempt(&attempts, best, best_number);
			best = w->record;
			best_score = score;
			best_number = i + 1;
		} else {
			keep_attempt(&attempts, w->record, i + 1);
		}
		if (!record_counts(best->status) || best_score <= 0 || *w->lost ||
		    !time_is_left(w, begin_ns, from))
			break;
	}
	w->record = best;
	if (attempts.count > 0)
		best->attempt = best_number;
	best->attempts = attempts;
	if (best_score > 0 && record_counts(best->status))
		casework_flag(w, RECORD_FLAG_DISTURBED);
}

bool measure_tune(const measure *m, casework *w, record_tuning *tuning, tune_winner *winner)
{
	eh_error error = ERROR_INIT;
	eh_status status;

	casework_enter(w, "tune");
	status = tune_search(m->s, w->clocks, w->c, m->seed, &m->winners, w->report, w->context, tuning,
	                     winner, &error);
	if (status == EH_OK)
		return true;
	w->record = measure_record(RECORD_VALID);
	casework_fail(w, status, &error);
	return false;
}

static void try_tuned(const measure *m, casework *w, uint64_t begin_ns)
{
	record_tuning *tuning = layout_new(record_tuning_layout());
	tune_winner winner;

	if (measure_tune(m, w, tuning, &winner)) {
		try_often(w, &winner.values, &winner.work, begin_ns);
		plan_values_free(&winner.values);
	}
	w->record->tuning = tuning;
}

/* Why nothing can be measured, as a record; NULL when it can. */
static record_execution *refuse(const measure *m, const plan_case *c)
{
	record_execution *record;
	char *reason;

	reason = prepared_unsupported(m->s, &c->work);
	if (reason != NULL) {
		record = measure_absent(RECORD_UNSUPPORTED, reason);
		free(reason);
		return record;
	}
	if (m->clocks.distrust[0] != '\0')
		return measure_absent(RECORD_INVALID, m->clocks.distrust);
	if (!m->clocks.false_clock || c->section->measure.clock != RECORD_CLOCK_DEVICE)
		return NULL;
	record = measure_record(RECORD_INVALID);
	text_list_format(&record->reasons, "%s A backend with such a clock is not believed; a protocol "
	                 "with clock = host does without it.", m->clocks.record.device_time_reason);
	return record;
}

record_execution *measure_begin(measure *m, const plan_case *c, measure_report report, void *context,
                                bool *lost, casework *w)
{
	const record_settings *rules = &c->section->measure;
	record_execution *refused = refuse(m, c);

	*w = (casework){ .s = m->s, .clocks = &m->clocks.record, .canary = m->canary, .c = c,
		         .report = report, .context = context, .lost = lost,
		         .seed = random_derive(m->seed, c->id, 0) };
	*lost = false;
	if (refused != NULL)
		return refused;
	if (rules->telemetry_ns > 0)
		measure_open_sensors(m, NULL);
	w->sensors = rules->telemetry_ns > 0 ? m->sensors : NULL;
	if (rules->timeout_ns > 0)
		w->deadline_ns = clock_now_ns() + rules->timeout_ns;
	return NULL;
}

/* What made an earlier winner fail may be gone, or a new search may find another one. */
static void name_earlier(record_execution *e)
{
	if (e->tuning != NULL && e->tuning->earlier == MAYBE_YES &&
	    (e->status == RECORD_FAILED || e->status == RECORD_INVALID))
		text_list_add(&e->reasons, "Its parameters are those of an earlier search: remove the folder "
		              "winners of the cache (docs/sequence.md) to search anew.");
}

void measure_end(const measure *m, casework *w)
{
	name_earlier(w->record);
	if (m->wanted && m->canary == NULL)
		casework_flag(w, RECORD_FLAG_NO_CANARY);
}

record_execution *measure_case(measure *m, const plan_case *c, measure_report report, void *context,
                               bool *lost)
{
	uint64_t begin = clock_now_ns();
	casework w;
	record_execution *refused = measure_begin(m, c, report, context, lost, &w);

	if (refused != NULL)
		return refused;
	if (c->tier == RECORD_TIER_TUNED)
		try_tuned(m, &w, begin);
	else
		try_often(&w, &c->values, &c->work, begin);
	measure_end(m, &w);
	return w.record;
}
