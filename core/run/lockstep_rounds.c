/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lockstep_rounds.h"

#include <stdlib.h>

#include "base/clock.h"
#include "run/board.h"

/* A round takes about as long as noise stays alike, so that several turns of each share it. */
#define ROUND_NS UINT64_C(100000000)
#define SHOW_STEP_NS UINT64_C(300000000)
/* Before the last execution an executor rests when a clear difference shows, or no more rounds are
 * needed of this one. */
static const double clear_difference = 0.25;

/* ---- turns ----------------------------------------------------------------------------------- */

static race_place place_of(const stage *s, const lane *l)
{
	return (race_place){ l->executor, s->index, s->g->execution };
}

/* What counts of a turn: all but its audit. */
static uint64_t sampled_ns(const worker_event *answer, uint64_t took_ns)
{
	uint64_t audit_ns = answer->audit_ns == LAYOUT_NO_UINT ? 0 : answer->audit_ns;

	return took_ns > audit_ns ? took_ns - audit_ns : 0;
}

static eh_status take_turn(stage *s, lane *l, uint64_t round, eh_error *error)
{
	worker_command c = supervise_command(WORKER_TURN, NULL, 0);
	worker_event answer;
	uint64_t begin = clock_now_ns();
	eh_status status;

	layout_init(worker_event_layout(), &answer);
	c.round = round;
	c.length_ns = l->turn_ns;
	c.origin_ns = s->origin_ns;
	status = lane_ask(l, &c, &answer, error);
	if (status == EH_OK && l->s != NULL && answer.event == WORKER_TURNED) {
		race_add(s->g->race, place_of(s, l), s->origin_ns, round, &answer.times_ns);
		l->sampled_ns += sampled_ns(&answer, clock_now_ns() - begin);
		l->samples += answer.times_ns.count;
		l->rests = l->rests || answer.times_ns.count == 0;
	} else {
		l->open = false;
	}
	layout_clear(worker_event_layout(), &answer);
	return status;
}

static bool plays(const lane *l)
{
	return l->open && !l->rests;
}

static size_t playing(const stage *s)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++)
		count += plays(s->players[i]);
	return count;
}

/* Rows of a Latin square until the round is long enough: each executor has each place in a row as
 * often as the others. */
static eh_status play_round(stage *s, uint64_t round, eh_error *error)
{
	size_t *order = memory_get((s->count + 1) * sizeof(*order));
	uint64_t begin = clock_now_ns();
	eh_status status = EH_OK;

	for (size_t i = 0; i < s->count; i++)
		order[i] = i;
	random_shuffle(&s->g->random, order, s->count);
	for (size_t row = 0; row < s->count && status == EH_OK; row++) {
		for (size_t i = 0; i < s->count && status == EH_OK; i++) {
			lane *l = s->players[order[(i + row) % s->count]];

			if (plays(l))
				status = take_turn(s, l, round, error);
		}
		if (clock_now_ns() - begin >= ROUND_NS)
			break;
	}
	free(order);
	return status;
}

/* ---- who rests ------------------------------------------------------------------------------- */

bool lockstep_is_clear(const lockstep_ratio *pair)
{
	return pair->ratio > 0 && (pair->around.low > 1 + clear_difference ||
	                           pair->around.high < 1 / (1 + clear_difference));
}

/* Whether the rounds so far are enough, if those of the next execution agree. */
static bool is_precise(const lockstep_ratio *pair)
{
	return pair->decision != DECISION_OPEN || (pair->more > 0 && pair->more <= LOCKSTEP_LEAST);
}

static bool decided(const stage *s, const lane *l)
{
	bool final = s->g->execution == s->g->executions;
	lockstep_ratio pair = race_pair(s->g->race, l->executor, s->index, !final);

	return final ? pair.decision != DECISION_OPEN : lockstep_is_clear(&pair) || is_precise(&pair);
}

/* An executor without others to compare with stops when its own value is known. */
static void judge_alone(stage *s, lane *l)
{
	const record_settings *rules = &s->c->section->measure;
	double width;

	(void)race_value(s->g->race, place_of(s, l), &width);
	l->rests = l->rests || (width <= rules->half_width && l->samples >= rules->samples_min);
}

static lane *reference_of(const stage *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->players[i]->executor == 0 && s->players[i]->open)
			return s->players[i];
	return NULL;
}

/* The reference rests when all others do. */
static void judge(stage *s)
{
	lane *reference = reference_of(s);
	size_t open = 0;

	if (s->count == 1)
		judge_alone(s, s->players[0]);
	if (s->count == 1 || reference == NULL)
		return;
	for (size_t i = 0; i < s->count; i++) {
		lane *l = s->players[i];

		if (l == reference || !plays(l))
			continue;
		l->rests = decided(s, l);
		open += !l->rests;
	}
	reference->rests = reference->rests || open == 0;
}

/* Time in turns is limited for each executor. */
static void rest_the_tired(stage *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->players[i]->sampled_ns >= s->c->section->measure.time_max_ns)
			s->players[i]->rests = true;
}

/* The share of the time that is over: of the slice, or without a budget of the time that the one who
 * had most may have. */
static double share_over(const stage *s, uint64_t now)
{
	uint64_t most = 0;

	if (s->until_ns != UINT64_MAX)
		return (double)(now - s->origin_ns) / (double)(s->until_ns - s->origin_ns + 1);
	for (size_t i = 0; i < s->count; i++)
		most = s->players[i]->sampled_ns > most ? s->players[i]->sampled_ns : most;
	return (double)most / (double)(s->c->section->measure.time_max_ns + 1);
}

/* Looks lie at a third and at two thirds of the time; the third is that of whoever compares.  They
 * share their error.  The value of a single executor may be looked at after every round. */
static bool look_is_due(const stage *s, uint64_t now)
{
	return s->count == 1 || (s->looks_done + 1 < RACE_LOOKS &&
	                         share_over(s, now) >= (double)(s->looks_done + 1) / RACE_LOOKS);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static void show(stage *s, uint64_t now)
{
	progress *shown = s->g->c->shown;
	board_line *lines;
	size_t count = 0;

	if (!progress_watched(shown) || now - s->shown_ns < SHOW_STEP_NS)
		return;
	s->shown_ns = now;
	lines = memory_get((s->count + 1) * sizeof(*lines));
	for (size_t i = 0; i < s->g->count; i++) {
		lane *l = &s->g->lanes[i];

		if (l->open)
			lines[count++] = (board_line){ l->w.name, place_of(s, l),
				                       i == 0 || s->count == 1, l->rests };
	}
	board_show(shown, s->g->race, lines, count, s->c->section->measure.half_width);
	free(lines);
}

/* ---- the rounds of a case --------------------------------------------------------------------- */

/* Fewer rounds would be of no use, unless they take all that was kept for the end. */
static bool is_late(const stage *s, uint64_t round, uint64_t now)
{
	const timetable *t = s->g->time;

	return timetable_late(t, now) || (timetable_over(t, now) && round >= LOCKSTEP_LEAST);
}

/* Where the time is short the executions have an interval together only. */
static uint64_t least_rounds(const stage *s, uint64_t now)
{
	uint64_t slice = s->until_ns - s->origin_ns;

	return s->until_ns != UINT64_MAX && now >= s->until_ns + slice ? LOCKSTEP_LEAST : TIMETABLE_ROUNDS;
}

eh_status lockstep_play(stage *s, uint64_t slice_ns, eh_error *error)
{
	eh_status status = EH_OK;
	uint64_t played = 0;

	s->origin_ns = clock_now_ns();
	s->until_ns = slice_ns == UINT64_MAX ? UINT64_MAX : s->origin_ns + slice_ns;
	while (playing(s) > 0 && status == EH_OK) {
		uint64_t now;

		status = play_round(s, ++played, error);
		now = clock_now_ns();
		show(s, now);
		if (is_late(s, played, now))
			break;
		if (status != EH_OK || played < least_rounds(s, now))
			continue;
		rest_the_tired(s);
		if (now >= s->until_ns)
			break;
		if (look_is_due(s, now)) {
			s->looks_done++;
			judge(s);
		}
	}
	if (played > 0)
		s->g->time->round_ns[s->index] = (double)(clock_now_ns() - s->origin_ns) / (double)played;
	return status;
}
