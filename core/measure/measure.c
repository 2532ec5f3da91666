/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/measure.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
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
#include "record/surroundings.h"

/* Of the processors, for reading sensors: beyond this the row is flagged. */
static const double burden_share = 0.01;

struct measure {
	session *s;
	calibration clocks;
	canary *canary;  /* NULL = none runs around the cases                                 */
	bool wanted;     /* a canary was asked for                                            */
	telemetry *sensors;  /* NULL = none, or no case has asked for them so far             */
	bool sensors_opened;
	uint64_t seed;
};

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
			missing = prepared_sentence(&cause, status);
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
	                          prepared_sentence(&cause, status), out, error);
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

static record_execution *new_record(enum record_status status)
{
	record_execution *record = layout_new(record_execution_layout());

	record->status = status;
	return record;
}

record_execution *measure_absent(enum record_status status, const char *reason)
{
	record_execution *record = new_record(status);

	text_list_add(&record->reasons, reason);
	return record;
}

static void add_load(casework *w, const load_counters *start)
{
	record_load *out = layout_new(record_load_layout());

	load_since(start, out);
	surroundings_flag_load(out, &w->record->flags);
	w->record->load = out;
}

/* Processors that this process may use, 1 where that is not known. */
static int processors(void)
{
	cpu_set_t allowed;

	return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

/* After the recording.  Times count from the first sample's start, as starts_ns do. */
static void record_sensors(casework *w)
{
	record_sustained *sustained = w->record->sustained;

	w->record->telemetry = telemetry_record(w->sensors, w->first_ns);
	if (telemetry_burden(w->sensors) > burden_share * (double)processors())
		casework_flag(w, RECORD_FLAG_TELEMETRY_HEAVY);
	if (w->first_ns == 0)
		return;
	telemetry_throttle_between(w->sensors, w->first_ns, w->last_ns,
	                           sustained != NULL ? &sustained->throttle : NULL, &w->record->flags);
	if (sustained != NULL)
		sustain_energy(sustained, w->sensors, w->first_ns, w->last_ns);
}

/* Runs the canary; false when the device failed, and then the row has. */
static bool watch(casework *w, double *compute_ns, double *memory_ns)
{
	eh_error error = ERROR_INIT;
	eh_status status = canary_run(w->canary, compute_ns, memory_ns, &error);

	if (status != EH_OK)
		casework_fail(w, status, &error);
	return status == EH_OK;
}

/* After the samples; repeated when it moved, because a disturbance may hit the canary alone. */
static bool watch_after(casework *w, record_canary *c)
{
	enum { TRIALS = 3 };

	for (int i = 0; i < TRIALS; i++) {
		if (!watch(w, &c->compute_after_ns, &c->memory_after_ns))
			return false;
		if (!surroundings_moved(c))
			break;
	}
	return true;
}

/* One attempt between two runs of the canary; returns how much it was disturbed. */
static double attempt_with_canary(casework *w, const eh_case *values, const eh_work *work)
{
	record_canary *c = layout_new(record_canary_layout());
	double score = 0;

	canary_describe(w->canary, c);
	if (watch(w, &c->compute_before_ns, &c->memory_before_ns)) {
		attempt_run(w, values, work);
		if (!*w->lost && watch_after(w, c)) {
			w->record->canary = c;
			surroundings_flag_canary(c, &w->record->flags);
			score = disturb_judge(c, &w->begin, &w->end, &w->record->disturbed);
		}
	}
	if (w->record->canary == NULL)
		layout_free(record_canary_layout(), c);
	return score;
}

static double attempt_alone(casework *w, const eh_case *values, const eh_work *work)
{
	attempt_run(w, values, work);
	return *w->lost ? 0 : disturb_judge(NULL, &w->begin, &w->end, &w->record->disturbed);
}

/* One attempt with everything around it; returns how much it was disturbed. */
static double try_once(casework *w, const eh_case *values, const eh_work *work)
{
	record_guards *g = layout_new(record_guards_layout());
	guards_totals before;
	load_counters start;
	double score;

	w->first_ns = 0;
	w->begin = w->end = (disturb_counters){ 0 };
	telemetry_start(w->sensors, w->c->section->measure.telemetry_ns);
	guards_begin(g, &before, "", w->sensors);
	load_read(&start, "");
	score = w->canary != NULL ? attempt_with_canary(w, values, work) :
	        attempt_alone(w, values, work);
	add_load(w, &start);
	telemetry_stop(w->sensors);
	guards_end(g, &before, "", w->sensors);
	w->record->guards = g;
	score += surroundings_guards(g, w->record->load->wall_seconds, &w->record->flags,
	                             &w->record->disturbed);
	record_sensors(w);
	return score;
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
static void try_often(casework *w, const eh_case *values, const eh_work *work, uint64_t seed,
                      uint64_t begin_ns)
{
	record_attempt_list attempts = { 0 };
	record_execution *best = NULL;
	double best_score = 0;
	uint64_t best_number = 0;

	for (uint64_t i = 0; i <= w->c->section->measure.repeats; i++) {
		uint64_t from = clock_now_ns();
		double score;

		w->record = new_record(RECORD_VALID);
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

static void try_tuned(measure *m, casework *w, uint64_t seed, uint64_t begin_ns)
{
	record_tuning *tuning = layout_new(record_tuning_layout());
	eh_error error = ERROR_INIT;
	tune_winner winner;
	eh_status status;

	casework_enter(w, "tune");
	status = tune_search(m->s, w->clocks, w->c, m->seed, w->report, w->context, tuning, &winner,
	                     &error);
	if (status == EH_OK) {
		try_often(w, &winner.values, &winner.work, seed, begin_ns);
		plan_values_free(&winner.values);
	} else {
		w->record = new_record(RECORD_VALID);
		casework_fail(w, status, &error);
	}
	w->record->tuning = tuning;
}

/* Why nothing can be measured, as a record; NULL when it can. */
static record_execution *refuse(const measure *m, const plan_case *c)
{
	record_execution *record;
	char *reason;

	if (c->tier == RECORD_TIER_VENDOR)
		return measure_absent(RECORD_UNSUPPORTED, "No backend of this version offers a vendor library.");
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
	record = new_record(RECORD_INVALID);
	text_list_format(&record->reasons, "%s A backend with such a clock is not believed; a protocol "
	                 "with clock = host does without it.", m->clocks.record.device_time_reason);
	return record;
}

record_execution *measure_case(measure *m, const plan_case *c, measure_report report, void *context,
                               bool *lost)
{
	casework w = { .s = m->s, .clocks = &m->clocks.record, .canary = m->canary, .c = c,
		       .report = report, .context = context, .lost = lost };
	uint64_t seed = random_derive(m->seed, c->id, 0);
	uint64_t begin = clock_now_ns();

	*lost = false;
	w.record = refuse(m, c);
	if (w.record != NULL)
		return w.record;
	if (c->section->measure.telemetry_ns > 0)
		measure_open_sensors(m, NULL);
	w.sensors = c->section->measure.telemetry_ns > 0 ? m->sensors : NULL;
	if (c->section->measure.timeout_ns > 0)
		w.deadline_ns = begin + c->section->measure.timeout_ns;
	if (c->tier == RECORD_TIER_TUNED)
		try_tuned(m, &w, seed, begin);
	else
		try_often(&w, &c->values, &c->work, seed, begin);
	if (m->wanted && m->canary == NULL)
		casework_flag(&w, RECORD_FLAG_NO_CANARY);
	return w.record;
}
