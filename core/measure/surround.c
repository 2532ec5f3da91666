/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/surround.h"

#include <sched.h>

#include "measure/sustain.h"
#include "record/surroundings.h"

/* Of the processors, for reading sensors: beyond this the row is flagged. */
static const double burden_share = 0.01;

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

bool surround_begin(surround *s, casework *w)
{
	*s = (surround){ .guards = layout_new(record_guards_layout()) };
	w->first_ns = 0;
	w->begin = w->end = (disturb_counters){ 0 };
	telemetry_start(w->sensors, w->c->section->measure.telemetry_ns);
	guards_begin(s->guards, &s->before, "", w->sensors);
	load_read(&s->start, "");
	if (w->canary == NULL)
		return true;
	s->canary = layout_new(record_canary_layout());
	canary_describe(w->canary, s->canary);
	s->watched = watch(w, &s->canary->compute_before_ns, &s->canary->memory_before_ns);
	return s->watched;
}

/* Records the canary where it ran before and after; returns whether it did. */
static bool end_canary(surround *s, casework *w)
{
	if (s->watched && !*w->lost && watch_after(w, s->canary)) {
		w->record->canary = s->canary;
		surroundings_flag_canary(s->canary, &w->record->flags);
		return true;
	}
	layout_free(record_canary_layout(), s->canary);
	return false;
}

static void end_machine(surround *s, casework *w)
{
	add_load(w, &s->start);
	telemetry_stop(w->sensors);
	guards_end(s->guards, &s->before, "", w->sensors);
	w->record->guards = s->guards;
}

double surround_end(surround *s, casework *w)
{
	double score = 0;

	if (s->canary == NULL ? !*w->lost : end_canary(s, w))
		score = disturb_judge(w->record->canary, &w->begin, &w->end, &w->record->disturbed);
	end_machine(s, w);
	score += surroundings_guards(s->guards, w->record->load->wall_seconds, &w->record->flags,
	                             &w->record->disturbed);
	record_sensors(w);
	return score;
}

void surround_end_turns(surround *s, casework *w)
{
	text_list words = { 0 };

	if (s->canary != NULL)
		(void)end_canary(s, w);
	end_machine(s, w);
	s->guards->device_users_before = s->guards->device_users_after = LAYOUT_NO_UINT;
	(void)surroundings_guards(s->guards, w->record->load->wall_seconds, &w->record->flags,
	                          &words);
	text_list_clear(&words);
	record_sensors(w);
}
