/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lockstep_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "run/lockstep_case.h"
#include "run/lockstep_rounds.h"

#define SECOND_NS UINT64_C(1000000000)
/* For describing the stacks and writing the results. */
#define END_RESERVE_NS (SECOND_NS + SECOND_NS / 2)
/* What an execution of an executor takes about, for planning how many fit. */
#define START_GUESS_NS (SECOND_NS * 7 / 10)
#define CASE_GUESS_NS (SECOND_NS * 35 / 100)
/* An estimate of further rounds is one of a spread: with so many times as many, most are decided. */
static const double need_spare = 1.5;

/* ---- an execution ---------------------------------------------------------------------------- */

/* The budget is over: a case that was opened now would end behind it. */
static eh_status skip_case(group *g, size_t position, bool alone, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < g->count && status == EH_OK; i++) {
		lane *l = &g->lanes[i];

		if (!l->over && l->alone == alone && !slotwork_has(&l->w, position))
			status = slotwork_skip(&l->w, position, error);
	}
	return status;
}

static eh_status pass_cases(group *g, const size_t *order, bool alone, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 1; i <= g->c->manifest->plan->case_count && status == EH_OK; i++) {
		if (interrupt_pending())
			status = EH_E_INTERRUPTED;
		else if (g->execution > g->executions || timetable_over(g->time, clock_now_ns()))
			status = skip_case(g, i, alone, error);
		else
			status = lockstep_case(g, order, i, alone, error);
	}
	return status;
}

static bool any_left(const group *g, bool alone)
{
	for (size_t i = 0; i < g->count; i++) {
		const lane *l = &g->lanes[i];

		if (!l->over && l->alone == alone &&
		    ledger_missing_in(g->c->ledger, g->execution, l->executor) > 0)
			return true;
	}
	return false;
}

static eh_status run_cases(group *g, bool alone, eh_error *error)
{
	const manifest *m = g->c->manifest;
	size_t *order = schedule_cases(m->protocol->seed, m->protocol->interleave, g->execution,
	                               m->plan->case_count);
	eh_status status = EH_OK;

	/* Once more for a worker that died before a case that the others measured. */
	for (unsigned pass = 0; pass < SLOTWORK_STARTS && status == EH_OK && any_left(g, alone); pass++)
		status = pass_cases(g, order, alone, error);
	free(order);
	return status == EH_OK ? lockstep_group_finish(g, error) : status;
}

static bool any_alone(const group *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->lanes[i].alone && !g->lanes[i].over)
			return true;
	return false;
}

/* How many further rounds a pair needs; none where it has none, as one of the two cannot take turns
 * with the other.  Where processes differ more rounds of each say little: half
 * of what it had in an execution, again in each. */
static double pair_rounds(const group *g, const lockstep_ratio *pair)
{
	double later = (double)(g->executions - g->execution + 1);

	if (pair->rounds == 0 || lockstep_is_clear(pair) || pair->decision != DECISION_OPEN)
		return 0;
	return pair->more > 0 ? need_spare * (double)pair->more :
	                        later * (double)pair->rounds / (double)pair->executions / 2;
}

/* In each execution to come. */
static double need_of(const group *g, size_t index)
{
	double later = (double)(g->executions - g->execution + 1), most = 0;

	for (size_t i = 1; i < g->count; i++) {
		lockstep_ratio pair = race_pair(g->race, g->lanes[i].executor, index, true);

		most = fmax(most, pair_rounds(g, &pair));
	}
	return g->time->round_ns[index] > 0 ?
	       fmax(most / later, TIMETABLE_ROUNDS) * g->time->round_ns[index] : INFINITY;
}

static const schedule_slot *slot_of(const manifest *m, uint64_t execution, size_t executor)
{
	for (size_t i = 0; i < m->slot_count; i++)
		if (m->slots[i].execution == execution && m->slots[i].executor == executor)
			return &m->slots[i];
	return NULL;
}

static eh_status describe_all(group *g, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < g->count && status == EH_OK; i++)
		status = slotwork_describe(&g->lanes[i].w, g->lanes[i].could, error);
	return status;
}

/* How many executions are expected, by what those before took.  More may fit in the end than were expected:
 * the first one compiles. */
static uint64_t executions_expected(const group *g, uint64_t done)
{
	bool *none = memory_get((g->c->manifest->plan->case_count + 1) * sizeof(*none));
	uint64_t fit = timetable_executions(g->time, clock_now_ns(), done, none);

	free(none);
	return fit;
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
	g->executions = executions_expected(g, execution - 1);
	for (size_t i = 0; i < m->plan->case_count && execution > 1 && execution <= g->executions; i++)
		g->time->needs_ns[i] = need_of(g, i);
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
	status = lockstep_group_start(g, false, error);
	if (status == EH_OK) {
		g->time->start_ns = clock_now_ns() - begin;
		status = run_cases(g, false, error);
	}
	if (status == EH_OK && any_alone(g))
		status = run_cases(g, true, error);
	lockstep_group_abandon(g);
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
	if (m->protocol->executions_max > m->protocol->executions &&
	    m->executions > m->protocol->executions)
		g.time->least = m->protocol->executions;
	progress_until(c->shown, g.time->end_ns);
	status = journal_each(c->journal_path, reload, &(reloading){ &g }, error);
	for (uint64_t n = 1; n <= m->executions && status == EH_OK; n++)
		status = run_execution(&g, n, error);
	timetable_free(g.time);
	race_free(g.race);
	return status;
}
