/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lockstep_group.h"

#include "base/interrupt.h"
#include "base/log.h"

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

eh_status lane_await(lane *l, worker_event *answer, eh_error *error)
{
	supervise_end end;

	return supervise_await(l->s, answer, &end) ? EH_OK : bury(l, &end, error);
}

eh_status lane_ask(lane *l, const worker_command *command, worker_event *answer, eh_error *error)
{
	supervise_tell(l->s, command);
	return lane_await(l, answer, error);
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
	if (end->fate != SUPERVISE_CANNOT || alive(g) == 0 || l->alone || end->probe != NULL ||
	    (end->died && l->w.starts + 1 < SLOTWORK_STARTS))
		return bury(l, end, error);
	log_write(EH_LOG_INFO, "%s cannot start beside the other executors (%s); it is measured alone",
	          l->w.name, end->reason);
	l->alone = true;
	l->w.starts = 0;
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

/* Whether a worker died in its start and is to be started again. */
static bool any_to_start(const group *g, bool alone)
{
	for (size_t i = 0; i < g->count; i++) {
		const lane *l = &g->lanes[i];

		if (l->launched && l->s == NULL && !l->over && l->alone == alone && l->w.missing > 0)
			return true;
	}
	return false;
}

eh_status lockstep_group_start(group *g, bool alone, eh_error *error)
{
	eh_status status;

	do
		status = start_missing(g, alone, error);
	while (status == EH_OK && any_to_start(g, alone));
	return status;
}

/* All at the same time: nothing is timed any more. */
eh_status lockstep_group_finish(group *g, eh_error *error)
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

void lockstep_group_abandon(group *g)
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
