/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lockstep_case.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "run/lockstep_rounds.h"
#include "run/sharing.h"

#define SHARED_TURN_NS UINT64_C(5000000)
#define OWN_TURN_NS UINT64_C(200000000)
#define LONE_TURN_NS UINT64_C(100000000)

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
	status = lane_await(l, &answer, error);
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
	return lane_ask(l, &c, NULL, error);
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
		status = lockstep_play(s, slice_of(s), error);
	rounds_ns = clock_now_ns() - rounds_ns;
	progress_lines(s->g->c->shown, NULL, 0);
	for (size_t i = 0; i < s->count && status == EH_OK; i++)
		if (s->players[i]->open)
			status = close_case(s->players[i], error);
	timetable_took(s->g->time, s->index, clock_now_ns() - begin - rounds_ns);
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

eh_status lockstep_case(group *g, const size_t *order, size_t position, bool alone, eh_error *error)
{
	const plan *p = g->c->manifest->plan;
	stage s = { .g = g, .c = &p->cases[order[position - 1]], .index = order[position - 1],
		    .position = position };
	eh_status status = lockstep_group_start(g, alone, error);

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
