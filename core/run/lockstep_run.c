/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lockstep_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/random.h"
#include "measure/turnwork.h"
#include "run/board.h"
#include "run/race.h"
#include "run/sharing.h"
#include "run/timetable.h"

#define MS UINT64_C(1000000)
#define SECOND_NS (1000 * MS)
/* A round takes about as long as noise stays alike, so that several turns of each share it. */
#define ROUND_NS (100 * MS)
/* Fewer rounds of an execution have no interval. */
#define LEAST_ROUNDS 6
#define SHOW_STEP_NS (300 * MS)
#define SHARED_TURN_NS (5 * MS)
#define OWN_TURN_NS (200 * MS)
#define LONE_TURN_NS (100 * MS)
/* For describing the stacks and writing the results. */
#define END_RESERVE_NS (1500 * MS)
/* What an execution of an executor takes about, for planning how many fit. */
#define START_GUESS_NS (SECOND_NS)
#define CASE_GUESS_NS (SECOND_NS / 2)
/* Before the last execution an executor rests when a clear difference shows, or no more rounds are
 * needed of this one. */
static const double clear_difference = 0.25;
/* Shares of an execution's time after the first: of a case that is decided, and of one that needs
 * most. */
static const double least_need = 0.4, most_need = 2;

/* One executor in one execution. */
typedef struct lane {
	size_t executor;
	slotwork w;
	supervised *s;       /* NULL: no worker is alive                                         */
	bool over;           /* nothing more is measured of it in this execution                 */
	bool could;          /* a worker could start                                             */
	bool alone;          /* it could not start beside the others                             */
	bool launched;       /* by the newest call of launch_missing                             */
	/* Of the case in progress: */
	bool open, rests;
	uint64_t turn_ns;
	uint64_t sampled_ns; /* in turns so far                                                  */
	size_t samples;
} lane;

/* An execution of all executors. */
typedef struct group {
	const slot_context *c;
	race *race;
	timetable *time;
	uint64_t execution, executions;
	lane *lanes;         /* [executors of the run]                                           */
	size_t count;
	random_state random;
} group;

/* A case in progress, and those that take it together. */
typedef struct stage {
	group *g;
	const plan_case *c;
	size_t index, position;
	lane **players;
	size_t count;
	uint64_t origin_ns, until_ns, looks_done;
	uint64_t shown_ns;   /* when the terminal was drawn                                      */
} stage;

/* ---- workers --------------------------------------------------------------------------------- */

/* A worker has ended: what becomes of its cases. */
static eh_status bury(lane *l, supervise_end *end, eh_error *error)
{
	bool again = false;
	eh_status status = slotwork_settle(&l->w, end, &again, error);

	l->could = end->fate != SUPERVISE_CANNOT;
	l->s = NULL;
	l->open = false;
	l->over = !again;
	supervise_end_free(end);
	return status;
}

/* Waits for the answer of a lane's worker; l->s is NULL afterwards when it ended. */
static eh_status await(lane *l, worker_event *answer, eh_error *error)
{
	supervise_end end;

	return supervise_await(l->s, answer, &end) ? EH_OK : bury(l, &end, error);
}

static eh_status ask(lane *l, const worker_command *command, worker_event *answer, eh_error *error)
{
	supervise_tell(l->s, command);
	return await(l, answer, error);
}

static size_t alive(const group *g)
{
	size_t count = 0;

	for (size_t i = 0; i < g->count; i++)
		count += g->lanes[i].s != NULL;
	return count;
}

/* A worker could not start.  Beside others it is tried alone later: the device may allow one process
 * only. */
static eh_status mourn(const group *g, lane *l, supervise_end *end, eh_error *error)
{
	l->s = NULL;
	if (end->fate != SUPERVISE_CANNOT || alive(g) == 0 || l->alone || end->probe != NULL)
		return bury(l, end, error);
	log_write(EH_LOG_INFO, "%s cannot start beside the other executors (%s); it is measured alone",
	          l->w.name, end->reason);
	l->alone = true;
	supervise_end_free(end);
	return EH_OK;
}

typedef bool (*start_step)(supervised *s, supervise_end *end);

/* Takes a step with all workers that were launched. */
static eh_status step_all(group *g, start_step step, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < g->count && status == EH_OK; i++) {
		lane *l = &g->lanes[i];
		supervise_end end;

		if (l->launched && l->s != NULL && !step(l->s, &end))
			status = mourn(g, l, &end, error);
	}
	return status;
}

static eh_status launch_missing(group *g, bool alone, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < g->count && status == EH_OK; i++) {
		lane *l = &g->lanes[i];
		supervise_end end;

		l->launched = l->s == NULL && !l->over && l->alone == alone && l->w.missing > 0;
		if (!l->launched)
			continue;
		if (interrupt_pending())
			return EH_E_INTERRUPTED;
		progress_slot(g->c->shown, l->w.name, g->execution, g->executions);
		l->s = slotwork_launch(&l->w, &end);
		if (l->s == NULL)
			status = mourn(g, l, &end, error);
	}
	return status;
}

/* Devices are opened at the same time; the clocks are tried one after the other. */
static eh_status start_missing(group *g, bool alone, eh_error *error)
{
	eh_status status = launch_missing(g, alone, error);

	if (status == EH_OK)
		status = step_all(g, supervise_up, error);
	return status == EH_OK ? step_all(g, supervise_calibrate, error) : status;
}

/* All at the same time: nothing is timed any more. */
static eh_status finish_all(group *g, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < g->count; i++)
		if (g->lanes[i].s != NULL)
			supervise_finish(g->lanes[i].s);
	for (size_t i = 0; i < g->count; i++) {
		lane *l = &g->lanes[i];
		eh_error own = ERROR_INIT;
		supervise_end end;
		eh_status buried;

		if (l->s == NULL)
			continue;
		supervise_finish_await(l->s, &end);
		buried = bury(l, &end, &own);
		l->over = true;
		if (status == EH_OK && buried != EH_OK)
			status = error_set(error, buried, "%s", own.message);
	}
	return status;
}

/* ---- turns ----------------------------------------------------------------------------------- */

static race_place place_of(const stage *s, const lane *l)
{
	return (race_place){ l->executor, s->index, s->g->execution };
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
	status = ask(l, &c, &answer, error);
	if (status == EH_OK && l->s != NULL && answer.event == WORKER_TURNED) {
		race_add(s->g->race, place_of(s, l), s->origin_ns, round, &answer.times_ns);
		l->sampled_ns += clock_now_ns() - begin;
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

static bool is_clear(const lockstep_ratio *pair)
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
	lockstep_ratio pair = race_pair(s->g->race, l->executor, s->index);

	if (s->g->execution < s->g->executions)
		return is_clear(&pair) || is_precise(&pair);
	return pair.decision != DECISION_OPEN;
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

/* Fewer rounds would be of no use, unless they take all that was kept for the end. */
static bool is_late(const stage *s, uint64_t round, uint64_t now)
{
	const timetable *t = s->g->time;

	return timetable_over(t, now) &&
	       (round >= LOCKSTEP_LEAST || now >= t->end_ns + END_RESERVE_NS / 2);
}

/* Where the time is short the executions have an interval together only. */
static uint64_t least_rounds(const stage *s, uint64_t now)
{
	uint64_t slice = s->until_ns - s->origin_ns;

	return s->until_ns != UINT64_MAX && now >= s->until_ns + slice ? LOCKSTEP_LEAST : LEAST_ROUNDS;
}

static eh_status play(stage *s, uint64_t slice_ns, eh_error *error)
{
	eh_status status = EH_OK;

	s->origin_ns = clock_now_ns();
	s->until_ns = slice_ns == UINT64_MAX ? UINT64_MAX : s->origin_ns + slice_ns;
	for (uint64_t round = 1; playing(s) > 0 && status == EH_OK; round++) {
		uint64_t now;

		status = play_round(s, round, error);
		now = clock_now_ns();
		show(s, now);
		if (is_late(s, round, now))
			break;
		if (status != EH_OK || round < least_rounds(s, now))
			continue;
		rest_the_tired(s);
		if (now >= s->until_ns)
			break;
		if (look_is_due(s, now)) {
			s->looks_done++;
			judge(s);
		}
	}
	return status;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static const record_device *device_of(const stage *s, const lane *l)
{
	return &s->g->c->manifest->devices[l->executor];
}

static uint64_t turn_of(const stage *s, const lane *l)
{
	uint64_t declared = s->c->section->measure.turn_ns;

	if (s->count == 1)
		return declared > LONE_TURN_NS ? declared : LONE_TURN_NS;
	if (declared > 0)
		return declared;
	for (size_t i = 0; i < s->count; i++)
		if (s->players[i] != l && sharing_same(device_of(s, s->players[i]), device_of(s, l)))
			return SHARED_TURN_NS;
	return OWN_TURN_NS;
}

static void tell_case(const stage *s, lane *l, enum worker_command_kind kind)
{
	worker_command c = supervise_command(kind, s->c, s->position);

	l->open = l->rests = false;
	l->sampled_ns = l->samples = 0;
	l->turn_ns = turn_of(s, l);
	supervise_tell(l->s, &c);
	layout_clear(worker_command_layout(), &c);
}

static eh_status await_case(lane *l, eh_error *error)
{
	worker_event answer;
	eh_status status;

	layout_init(worker_event_layout(), &answer);
	status = await(l, &answer, error);
	l->open = status == EH_OK && l->s != NULL && answer.event == WORKER_OPENED;
	layout_clear(worker_event_layout(), &answer);
	return status;
}

/* The canary and a search among kernels are timed. */
static bool opening_is_timed(const stage *s)
{
	return s->g->c->manifest->protocol->canary || s->c->tier == RECORD_TIER_TUNED;
}

/* All at the same time, unless something is timed while the case is opened. */
static eh_status open_case(const stage *s, eh_error *error)
{
	size_t together = opening_is_timed(s) ? 1 : s->count;
	eh_status status = EH_OK;

	for (size_t first = 0; first < s->count && status == EH_OK; first += together) {
		for (size_t i = 0; i < together; i++)
			tell_case(s, s->players[first + i], WORKER_OPEN);
		for (size_t i = 0; i < together && status == EH_OK; i++)
			status = await_case(s->players[first + i], error);
	}
	return status;
}

static eh_status close_case(lane *l, eh_error *error)
{
	worker_command c = supervise_command(WORKER_CLOSE, NULL, 0);

	l->open = false;
	return ask(l, &c, NULL, error);
}

/* Which cases of this execution are still to come for somebody. */
static bool *cases_left(const group *g)
{
	const plan *p = g->c->manifest->plan;
	bool *left = memory_get((p->case_count + 1) * sizeof(*left));

	for (size_t i = 0; i < p->case_count; i++)
		for (size_t k = 0; k < g->count; k++)
			left[i] = left[i] || (!g->lanes[k].over &&
			          !ledger_has(g->c->ledger, g->execution, g->lanes[k].executor, i));
	return left;
}

static uint64_t slice_of(const stage *s)
{
	bool *left = cases_left(s->g);
	uint64_t slice = timetable_slice(s->g->time, clock_now_ns(), s->g->execution, s->index, left);

	free(left);
	return slice;
}

/* Opens the case everywhere, plays, closes it everywhere. */
static eh_status take_turns(stage *s, eh_error *error)
{
	uint64_t begin = clock_now_ns(), rounds_ns;
	eh_status status = open_case(s, error);

	rounds_ns = clock_now_ns();
	if (status == EH_OK)
		status = play(s, slice_of(s), error);
	rounds_ns = clock_now_ns() - rounds_ns;
	progress_lines(s->g->c->shown, NULL, 0);
	for (size_t i = 0; i < s->count && status == EH_OK; i++)
		if (s->players[i]->open)
			status = close_case(s->players[i], error);
	timetable_took(s->g->time, clock_now_ns() - begin - rounds_ns);
	return status;
}

/* One after the other, each as if it were the only one. */
static eh_status take_singly(stage *s, bool turns, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < s->count && status == EH_OK; i++) {
		stage one = *s;

		one.players = &s->players[i];
		one.count = 1;
		if (!turns)
			tell_case(&one, s->players[i], WORKER_MEASURE);
		status = turns ? take_turns(&one, error) : await_case(s->players[i], error);
	}
	return status;
}

static bool fits(const stage *s)
{
	const record_device **devices = memory_get((s->count + 1) * sizeof(*devices));
	bool fit;

	for (size_t i = 0; i < s->count; i++)
		devices[i] = device_of(s, s->players[i]);
	fit = sharing_fits(devices, s->count, s->c->work.device_bytes);
	free(devices);
	if (!fit)
		log_write(EH_LOG_INFO, "case %s does not fit in memory for all executors at once; they are "
		          "measured one after the other", s->c->id);
	return fit;
}

/* The living lanes that lack the case, in random order. */
static void gather(stage *s)
{
	group *g = s->g;
	size_t *order = memory_get((g->count + 1) * sizeof(*order));

	s->players = memory_get((g->count + 1) * sizeof(*s->players));
	for (size_t i = 0; i < g->count; i++)
		order[i] = i;
	random_shuffle(&g->random, order, g->count);
	for (size_t i = 0; i < g->count; i++) {
		lane *l = &g->lanes[order[i]];

		if (l->s != NULL && !slotwork_has(&l->w, s->position))
			s->players[s->count++] = l;
	}
	free(order);
}

static eh_status run_case(group *g, const size_t *order, size_t position, bool alone, eh_error *error)
{
	const plan *p = g->c->manifest->plan;
	stage s = { .g = g, .c = &p->cases[order[position - 1]], .index = order[position - 1],
		    .position = position };
	eh_status status = start_missing(g, alone, error);

	if (status != EH_OK)
		return status;
	gather(&s);
	progress_slot(g->c->shown, "in turns", g->execution, g->executions);
	if (s.count > 0 && !record_fits_turns(&s.c->section->measure))
		status = take_singly(&s, false, error);
	else if (s.count > 1 && !fits(&s))
		status = take_singly(&s, true, error);
	else if (s.count > 0)
		status = take_turns(&s, error);
	free(s.players);
	return status == EH_OK ? ledger_read(g->c->ledger, g->c->journal_path, error) : status;
}

/* ---- an execution ---------------------------------------------------------------------------- */

static eh_status run_cases(group *g, bool alone, eh_error *error)
{
	const manifest *m = g->c->manifest;
	size_t *order = schedule_cases(m->protocol->seed, m->protocol->interleave, g->execution,
	                               m->plan->case_count);
	eh_status status = EH_OK;

	for (size_t i = 1; i <= m->plan->case_count && status == EH_OK; i++)
		status = interrupt_pending() ? EH_E_INTERRUPTED : run_case(g, order, i, alone, error);
	free(order);
	return status == EH_OK ? finish_all(g, error) : status;
}

static bool any_alone(const group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->lanes[i].alone && !g->lanes[i].over)
			return true;
	return false;
}

/* How much a pair still needs, relative to what it had.  Where nobody knows, as much again. */
static double pair_need(const lockstep_ratio *pair)
{
	if (pair->rounds == 0 || is_clear(pair) || pair->decision != DECISION_OPEN)
		return 0;
	return pair->more > 0 ? (double)pair->more / (double)pair->rounds : 1;
}

static double need_of(const group *g, size_t index)
{
	double most = least_need;

	for (size_t i = 1; i < g->count; i++) {
		lockstep_ratio pair = race_pair(g->race, g->lanes[i].executor, index);

		most = fmax(most, fmin(most_need, pair_need(&pair)));
	}
	return most;
}

static const schedule_slot *slot_of(const manifest *m, uint64_t execution, size_t executor)
{
	for (size_t i = 0; i < m->slot_count; i++)
		if (m->slots[i].execution == execution && m->slots[i].executor == executor)
			return &m->slots[i];
	return NULL;
}

/* Stops what is alive after a failure; the error that led here stays. */
static void abandon(group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->lanes[i].s != NULL)
			supervise_signal(g->lanes[i].s);
	for (size_t i = 0; i < g->count; i++)
		if (g->lanes[i].s != NULL) {
			supervise_stop(g->lanes[i].s);
			g->lanes[i].s = NULL;
		}
}

static eh_status describe_all(group *g, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < g->count && status == EH_OK; i++)
		status = slotwork_describe(&g->lanes[i].w, g->lanes[i].could, error);
	return status;
}

static void enter(group *g, uint64_t execution)
{
	const manifest *m = g->c->manifest;

	g->execution = execution;
	g->count = m->executor_count;
	g->lanes = memory_get((g->count + 1) * sizeof(*g->lanes));
	random_seed(&g->random, random_derive(m->protocol->seed, "turns", execution));
	for (size_t i = 0; i < g->count; i++) {
		lane *l = &g->lanes[i];

		l->executor = i;
		l->could = true;
		slotwork_begin(&l->w, g->c, slot_of(m, execution, i));
		l->over = l->w.missing == 0;
	}
	if (execution > 1)
		for (size_t i = 0; i < m->plan->case_count; i++)
			g->time->needs[i] = need_of(g, i);
}

static void leave(group *g)
{
	for (size_t i = 0; i < g->count; i++)
		slotwork_end(&g->lanes[i].w);
	free(g->lanes);
	g->lanes = NULL;
}

static eh_status run_execution(group *g, uint64_t execution, eh_error *error)
{
	uint64_t begin = clock_now_ns();
	eh_status status;

	enter(g, execution);
	status = start_missing(g, false, error);
	if (status == EH_OK) {
		g->time->start_ns = clock_now_ns() - begin;
		status = run_cases(g, false, error);
	}
	if (status == EH_OK && any_alone(g))
		status = run_cases(g, true, error);
	abandon(g);
	if (status == EH_OK)
		status = describe_all(g, error);
	leave(g);
	return status;
}

/* ---- what an interrupted run measured -------------------------------------------------------- */

typedef struct reloading { group *g; } reloading;

static bool find_place(const group *g, const record_line_case *at, race_place *out)
{
	const manifest *m = g->c->manifest;
	const plan_case *c = plan_case_by_id(m->plan, at->id);

	*out = (race_place){ .execution = at->execution };
	while (out->executor < m->executor_count && strcmp(m->names[out->executor], at->executor) != 0)
		out->executor++;
	if (c == NULL || out->executor == m->executor_count || at->execution < 1 ||
	    at->execution > g->executions)
		return false;
	out->index = (size_t)(c - m->plan->cases);
	return true;
}

static void reload_case(group *g, const record_line_case *at)
{
	const record_execution *e = &at->record;
	race_place place;

	if (!find_place(g, at, &place) || !record_counts(e->status) || e->turns == NULL ||
	    e->turns->rounds.count != e->samples_ns.count || e->batch == LAYOUT_NO_UINT || e->batch == 0)
		return;
	for (size_t i = 0; i < e->samples_ns.count; i++) {
		double time = (double)e->samples_ns.items[i] / (double)e->batch;

		race_add(g->race, place, e->turns->origin_ns, e->turns->rounds.items[i],
		         &(number_list){ &time, 1 });
	}
}

static eh_status reload(void *context, record_line *line, long offset, eh_error *error)
{
	(void)offset;
	(void)error;
	if (line->kind == RECORD_LINE_CASE)
		reload_case(((reloading *)context)->g, &line->one_case);
	return EH_OK;
}

/* ---- the run --------------------------------------------------------------------------------- */

uint64_t lockstep_run_executions(const protocol *p, size_t cases, size_t executors)
{
	uint64_t one = executors * (START_GUESS_NS + cases * CASE_GUESS_NS);
	uint64_t fit = one > 0 ? p->budget_ns / one : 0;

	if (p->executions_max <= p->executions || fit <= p->executions)
		return p->executions;
	return fit < p->executions_max ? fit : p->executions_max;
}

eh_status lockstep_run(const slot_context *c, uint64_t begin_ns, eh_error *error)
{
	const manifest *m = c->manifest;
	group g = { .c = c, .executions = m->executions };
	eh_status status;

	g.race = race_new(m->plan, m->executor_count, m->executions);
	g.time = timetable_new(m->plan->case_count, m->executions, begin_ns, m->protocol->budget_ns,
	                       END_RESERVE_NS);
	progress_until(c->shown, g.time->end_ns);
	status = journal_each(c->journal_path, reload, &(reloading){ &g }, error);
	for (uint64_t n = 1; n <= m->executions && status == EH_OK; n++)
		status = run_execution(&g, n, error);
	timetable_free(g.time);
	race_free(g.race);
	return status;
}
