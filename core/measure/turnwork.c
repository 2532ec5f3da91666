/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/turnwork.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "measure/attempt.h"
#include "measure/measure_inside.h"
#include "measure/surround.h"
#include "record/implied.h"
#include "stat/precision.h"

struct turnwork {
	measure *m;
	casework w;
	attempt a;
	surround around;
	record_tuning *tuning;    /* NULL: not of the tuned tier                                 */
	tune_winner winner;
	bool won;
	bool lost;
	turnwork_place last;         /* the newest turn; round 0: none                              */
	uint64_t asleep_ns;       /* when it rested: wall time, and processor time; 0: not yet   */
	uint64_t asleep_cpu_ns;
	uint64_t waited_ns;       /* between turns                                               */
	uint64_t waited_cpu_ns;
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool open_winner(turnwork *t)
{
	t->tuning = layout_new(record_tuning_layout());
	t->won = measure_tune(t->m, &t->w, t->tuning, &t->winner);
	return t->won;
}

turnwork *turnwork_open(measure *m, const plan_case *c, measure_report report, void *context, bool *lost,
                  record_execution **done)
{
	turnwork *t = memory_get(sizeof(*t));
	bool ready = true;

	t->m = m;
	*done = measure_begin(m, c, report, context, &t->lost, &t->w);
	if (*done != NULL) {
		free(t);
		return NULL;
	}
	t->w.turns = true;
	if (c->tier == RECORD_TIER_TUNED)
		ready = open_winner(t);
	if (ready) {
		t->w.record = measure_record(RECORD_VALID);
		if (surround_begin(&t->around, &t->w))
			attempt_open(&t->a, &t->w, t->won ? &t->winner.values : &c->values,
			             t->won ? &t->winner.work : &c->work);
	}
	if (attempt_goes_on(&t->a))
		return t;
	*done = turnwork_close(t, lost);
	return NULL;
}

/* ---- a turn ---------------------------------------------------------------------------------- */

static void wake(turnwork *t)
{
	if (t->asleep_ns == 0)
		return;
	t->waited_ns += clock_now_ns() - t->asleep_ns;
	t->waited_cpu_ns += cpu_ns() - t->asleep_cpu_ns;
	t->asleep_ns = 0;
}

/* Not at the end of the turn: the kernel counts the time of a thread that runs on another processor
 * at its next tick, or when the thread falls asleep. */
void turnwork_rest(turnwork *t)
{
	if (t->last.round == 0)
		return;
	t->asleep_cpu_ns = cpu_ns();
	t->asleep_ns = clock_now_ns();
}

bool turnwork_take(turnwork *t, turnwork_place place, number_list *times_ns, uint64_t *audit_ns)
{
	sampler *s = &t->a.s;
	size_t first = s->count;
	uint64_t audited = s->audits_ns;

	wake(t);
	if (t->last.round == 0)
		attempt_warm(&t->a);
	if (attempt_goes_on(&t->a))
		t->a.status = sampler_turn(s, &t->a.v, place.round, place.length_ns, &t->a.error);
	for (size_t i = first; i < s->count; i++)
		number_list_add(times_ns, (double)s->times_ns[i] / (double)s->batch);
	*audit_ns = s->audits_ns - audited;
	sampler_tell(s, "sample", 0);
	t->last = place;
	return attempt_goes_on(&t->a) && t->a.v.record->during_failed == 0;
}

/* ---- closing --------------------------------------------------------------------------------- */

/* The interval of the rounds' median decides whether the row converged. */
static void judge_width(sampler *s)
{
	double width = precision_of_rounds(s->times_ns, s->rounds, s->count,
	                                   protocol_statistic_quantile(s->rules.statistic),
	                                   s->rules.confidence);

	s->half_width = isnan(width) ? INFINITY : width;
	s->converged = s->half_width <= s->rules.half_width && s->count >= s->samples_min;
}

static void keep_turns(turnwork *t)
{
	const sampler *s = &t->a.s;
	struct record_turns *out;

	if (!t->a.sampling || s->count == 0)
		return;
	out = layout_new(record_turns_layout());
	uint_list_set(&out->rounds, s->rounds, s->count);
	out->origin_ns = t->last.origin_ns;
	out->first_ns = s->starts_ns[0] - t->last.origin_ns;
	out->turn_ns = t->last.length_ns;
	if (t->waited_ns > 0)
		out->awake_share = (double)t->waited_cpu_ns / (double)t->waited_ns;
	if (out->awake_share > IMPLIED_AWAKE)
		casework_flag(&t->w, RECORD_FLAG_AWAKE);
	t->w.record->turns = out;
}

record_execution *turnwork_close(turnwork *t, bool *lost)
{
	record_execution *record;

	if (attempt_goes_on(&t->a) && t->a.s.count > 0)
		t->a.status = sampler_end_turns(&t->a.s, &t->a.v, &t->a.error);
	if (t->a.opened && t->a.sampling)
		judge_width(&t->a.s);
	keep_turns(t);
	attempt_close(&t->a);
	if (t->around.guards != NULL)
		surround_end_turns(&t->around, &t->w);
	measure_end(t->m, &t->w);
	record = t->w.record;
	record->tuning = t->tuning;
	*lost = t->lost;
	if (t->won)
		plan_values_free(&t->winner.values);
	free(t);
	return record;
}

void turnwork_free(turnwork *t)
{
	bool lost = false;

	if (t != NULL)
		layout_free(record_execution_layout(), turnwork_close(t, &lost));
}
