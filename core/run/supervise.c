/* SPDX-License-Identifier: Apache-2.0 */
#include "run/supervise.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "run/death.h"

#define SECOND_NS UINT64_C(1000000000)
/* Time for loading a driver, calibrating and describing the stack, beyond the protocol's limit
 * for a case.  Longer than the limit of a backend for its compilers: the backend reports a
 * compiler that hangs by name. */
#define START_NS (25 * SECOND_NS)
#define CLOSING_NS (20 * SECOND_NS)
#define STOP_NS (3 * SECOND_NS)
#define EXIT_NS (5 * SECOND_NS)

typedef struct watch {
	const worker_job *job;
	const plan *plan;
	progress *shown;
	child *child;
	uint64_t deadline_ns, allowed_ns, outside_ns;
	char *at;              /* the case in progress */
	char stage[32];
	bool started;          /* the backend                                                     */
	bool began, ended;
	supervise_end *end;
} watch;

uint64_t supervise_expected_ns(const plan_case *c)
{
	const record_settings *m = &c->section->measure;

	return m->warmup_min_ns + m->time_min_ns + m->proof_ns + SECOND_NS / 5 +
	       (c->tier == RECORD_TIER_TUNED ? m->tune_budget_ns : 0);
}

static void allow(watch *w, uint64_t ns)
{
	w->allowed_ns = ns;
	w->deadline_ns = clock_now_ns() + ns;
}

static void set_end(watch *w, enum supervise_fate fate, eh_status code, const char *reason)
{
	free(w->end->reason);
	w->end->fate = fate;
	w->end->code = code;
	w->end->reason = memory_text(reason);
}

/* A member of an event that may be absent. */
static const char *said(const char *member)
{
	return member != NULL ? member : "";
}

static size_t position_of(const worker_job *j, const char *id)
{
	for (size_t i = 0; i < j->cases.count; i++)
		if (strcmp(j->cases.items[i].id, id) == 0)
			return (size_t)j->cases.items[i].position;
	return 0;
}

static void hear_begin(watch *w, const char *id)
{
	const plan_case *c = plan_case_by_id(w->plan, id);

	free(w->at);
	w->at = memory_text(id);
	w->began = true;
	snprintf(w->stage, sizeof(w->stage), "start");
	allow(w, c != NULL ? c->section->measure.timeout_ns : w->outside_ns);
	progress_case(w->shown, id, position_of(w->job, id), w->plan->case_count);
}

static void hear_stage(watch *w, const worker_event *e)
{
	snprintf(w->stage, sizeof(w->stage), "%s", said(e->stage));
	progress_stage(w->shown, w->stage, e->median_ns, e->half_width);
}

static void hear_done(watch *w, const worker_event *e)
{
	const plan_case *c = plan_case_by_id(w->plan, said(e->id));

	free(w->at);
	w->at = NULL;
	progress_done(w->shown, said(e->status), c != NULL ? supervise_expected_ns(c) : 0);
	allow(w, w->outside_ns);
}

static void hear_failure(watch *w, enum supervise_fate fate, const worker_event *e)
{
	set_end(w, fate, e->code != LAYOUT_NO_INT ? (eh_status)e->code : EH_E_INTERNAL,
	        said(e->message));
}

static void hear_event(watch *w, const worker_event *e)
{
	switch (e->event) {
	case WORKER_UNREADY: hear_failure(w, SUPERVISE_STOP, e); break;
	case WORKER_START: w->started = true; break;
	case WORKER_BEGIN: hear_begin(w, said(e->id)); break;
	case WORKER_STAGE: hear_stage(w, e); break;
	case WORKER_DONE: hear_done(w, e); break;
	case WORKER_LOG:
		log_relay(e->level != LAYOUT_NO_INT ? e->level : EH_LOG_WARN, w->job->executor,
		          said(e->message));
		break;
	case WORKER_PROBE: text_set(&w->end->probe, said(e->name)); break;
	case WORKER_CANNOT: hear_failure(w, SUPERVISE_CANNOT, e); break;
	case WORKER_LOST: hear_failure(w, SUPERVISE_DIED, e); break;
	case WORKER_JOURNAL: hear_failure(w, SUPERVISE_JOURNAL, e); break;
	case WORKER_END: w->ended = true; break;
	case worker_event_kind_absent: break;
	}
	if (w->ended || w->end->reason != NULL)
		allow(w, CLOSING_NS);
}

/* false for a line that no worker writes. */
static bool hear(watch *w, const char *body)
{
	worker_event e;

	layout_init(worker_event_layout(), &e);
	if (layout_read(worker_event_layout(), body, strlen(body), "a worker's line", &e, NULL) != EH_OK)
		return false;
	hear_event(w, &e);
	layout_clear(worker_event_layout(), &e);
	return true;
}

/* The reason of the death, from why listening to it ended. */
static char *death_reason(const watch *w, eh_status status, const child_end *how)
{
	char *reason, *death, allowed[32];

	text_format_ns((double)w->allowed_ns, allowed);
	if (status == EH_E_TIMEOUT && w->at != NULL)
		return memory_format("timed out: the case was not done after %s (its stage: %s), and its "
		                     "worker was killed", allowed, w->stage);
	if (status == EH_E_TIMEOUT)
		return memory_format("timed out: the worker did nothing for %s outside of a case, and was "
		                     "killed", allowed);
	if (status == EH_E_FORMAT)
		return memory_text("the worker was stopped because it wrote a line that no worker writes");
	death = death_text(how);
	reason = w->at != NULL ? memory_format("the worker %s (stage of the case: %s)", death, w->stage)
	                       : memory_format("the worker %s", death);
	free(death);
	return reason;
}

static void set_interrupted(watch *w)
{
	free(w->end->reason);
	w->end->reason = NULL;
	w->end->fate = SUPERVISE_INTERRUPTED;
}

static void set_stuck(watch *w, long pid)
{
	char *reason = memory_format("process %ld was killed and does not end: it hangs in the driver of "
	                             "%s", pid, w->job->executor);

	set_end(w, SUPERVISE_STOP, EH_E_CHILD, reason);
	free(reason);
}

/* The fate of a worker that died before it measured. */
static enum supervise_fate early_fate(const watch *w)
{
	if (w->began || (w->started && w->job->cases.count == 0))
		return SUPERVISE_DIED;
	return w->started ? SUPERVISE_CANNOT : SUPERVISE_STOP;
}

static void conclude(watch *w, eh_status status)
{
	const long pid = child_pid(w->child);
	child_end how = { 0 };
	char *reason;

	if (status == EH_E_INTERRUPTED) {
		child_signal(w->child, SIGTERM);
		child_finish(w->child, STOP_NS, NULL);
		set_interrupted(w);
		return;
	}
	child_finish(w->child, status == EH_E_NOT_FOUND ? EXIT_NS : 0, &how);
	if (w->end->reason != NULL && w->end->fate == SUPERVISE_JOURNAL)
		return;
	/* A signal reached both processes, and the worker ended first. */
	if (status == EH_E_NOT_FOUND && !w->ended && interrupt_pending()) {
		set_interrupted(w);
		return;
	}
	if (how.stuck) {
		set_stuck(w, pid);
		return;
	}
	if (w->end->reason != NULL)
		return;
	if (status == EH_E_NOT_FOUND && w->ended && !how.signalled && how.code == 0) {
		w->end->fate = SUPERVISE_ENDED;
		return;
	}
	reason = death_reason(w, status, &how);
	if (w->ended) {
		/* All is measured and written: a driver that fails to close costs nothing. */
		log_write(EH_LOG_WARN, "%s: %s, after its last case", w->job->executor, reason);
		w->end->fate = SUPERVISE_ENDED;
	} else {
		set_end(w, early_fate(w), EH_E_CHILD, reason);
	}
	free(reason);
}

/* Time limit before, between and after cases. */
static uint64_t outside_ns(const plan *p)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < p->case_count; i++)
		if (p->cases[i].section->measure.timeout_ns > longest)
			longest = p->cases[i].section->measure.timeout_ns;
	return longest + START_NS;
}

void supervise_worker(const worker_job *j, const plan *p, progress *shown, supervise_end *end)
{
	watch w = { .job = j, .plan = p, .shown = shown, .end = end };
	char *program = paths_program(), *body = layout_text(worker_job_layout(), j, false);
	const char *argv[] = { program, "worker", NULL };
	eh_error error = ERROR_INIT;
	const char *line;
	eh_status status;

	memset(end, 0, sizeof(*end));
	status = child_start(argv, body, &w.child, &error);
	if (status != EH_OK) {
		set_end(&w, SUPERVISE_STOP, status, error.message);
		goto undo_texts;
	}
	w.outside_ns = outside_ns(p);
	allow(&w, w.outside_ns);
	while ((status = child_line(w.child, w.deadline_ns, &line, &error)) == EH_OK)
		if (!hear(&w, line)) {
			status = EH_E_FORMAT;
			break;
		}
	conclude(&w, status);
	end->during = w.at;
undo_texts:
	free(body);
	free(program);
}

void supervise_end_free(supervise_end *end)
{
	free(end->reason);
	free(end->during);
	free(end->probe);
	memset(end, 0, sizeof(*end));
}
