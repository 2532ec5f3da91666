/* SPDX-License-Identifier: Apache-2.0 */
#include "run/supervise.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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
/* For describing the stack after a signal. */
#define STOP_NS (10 * SECOND_NS)
#define EXIT_NS (5 * SECOND_NS)
/* A command has at least so long, whatever the case took before. */
#define LEAST_NS SECOND_NS

struct supervised {
	const supervise_place *place;
	worker_job job;
	child *child;
	uint64_t deadline_ns, allowed_ns, outside_ns;
	uint64_t told_ns;      /* when the newest command was given                               */
	uint64_t spent_ns;     /* in the commands of the case so far                              */
	const plan_case *at;   /* the case in progress, or NULL                                   */
	char stage[32];
	bool started, describes, ready, ended;
	bool finishing;        /* it was told to end                                              */
	uint64_t worker;       /* its number in the journal                                       */
	char stack[65];        /* digest of its executor; "": unknown                             */
	supervise_end end;
};

uint64_t supervise_expected_ns(const plan_case *c)
{
	const record_settings *m = &c->section->measure;

	return m->warmup_min_ns + m->time_min_ns + m->proof_ns + SECOND_NS / 5 +
	       (c->tier == RECORD_TIER_TUNED ? m->tune_budget_ns : 0);
}

static void allow(supervised *s, uint64_t ns)
{
	s->allowed_ns = ns;
	s->deadline_ns = clock_now_ns() + ns;
}

static void set_end(supervised *s, enum supervise_fate fate, eh_status code, const char *reason)
{
	free(s->end.reason);
	s->end.fate = fate;
	s->end.code = code;
	s->end.reason = memory_text(reason);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Appends a line and clears it.  Its executor and execution are already set. */
static void keep(supervised *s, record_line *line)
{
	eh_error error = ERROR_INIT;
	eh_status status = journal_append(s->place->journal, line, &error);

	record_line_clear(line);
	if (status != EH_OK)
		set_end(s, SUPERVISE_JOURNAL, status, error.message);
}

static void keep_instrument(supervised *s, worker_event *e)
{
	record_line line;

	if (e->instrument == NULL)
		return;
	record_line_init(&line, RECORD_LINE_INSTRUMENT);
	text_set(&line.instrument.executor, s->place->label);
	line.instrument.execution = s->job.execution;
	layout_move(record_instrument_layout(), e->instrument, &line.instrument.record);
	line.instrument.record.execution = s->job.execution;
	line.instrument.worker = s->worker;
	text_set(&line.instrument.stack, e->stack);
	snprintf(s->stack, sizeof(s->stack), "%s", text_or_empty(e->stack));
	keep(s, &line);
}

static void keep_executor(supervised *s, worker_event *e)
{
	record_line line;

	if (e->executor == NULL)
		return;
	record_line_init(&line, RECORD_LINE_EXECUTOR);
	text_set(&line.executor.executor, s->place->label);
	line.executor.execution = s->job.execution;
	layout_move(record_executor_layout(), e->executor, &line.executor.record);
	line.executor.worker = s->worker;
	if (s->stack[0] != '\0')
		text_set(&line.executor.stack, s->stack);
	keep(s, &line);
}

static void keep_case(supervised *s, worker_event *e)
{
	enum record_status status;
	record_line line;

	if (e->record == NULL || s->at == NULL)
		return;
	status = e->record->status;
	record_line_init(&line, RECORD_LINE_CASE);
	text_set(&line.one_case.executor, s->place->label);
	line.one_case.execution = s->job.execution;
	text_set(&line.one_case.id, s->at->id);
	layout_move(record_execution_layout(), e->record, &line.one_case.record);
	line.one_case.worker = s->worker;
	keep(s, &line);
	progress_done(s->place->shown, record_status_word(status), supervise_expected_ns(s->at));
	if (e->lost == MAYBE_YES && s->end.reason == NULL) {
		char *reason = memory_format("the device was lost while case %s was measured", s->at->id);

		set_end(s, SUPERVISE_DIED, EH_E_DEVICE_LOST, reason);
		free(reason);
	}
	s->at = NULL;
}

static void hear_stage(supervised *s, const worker_event *e)
{
	snprintf(s->stage, sizeof(s->stage), "%s", text_or_empty(e->stage));
	progress_stage(s->place->shown, s->stage, e->median_ns, e->half_width);
}

static void hear_failure(supervised *s, enum supervise_fate fate, const worker_event *e)
{
	set_end(s, fate, e->code != LAYOUT_NO_INT ? (eh_status)e->code : EH_E_INTERNAL,
	        text_or_empty(e->message));
}

/* Fresh processes of an executor warn of the same: once is enough. */
static void hear_log(const supervised *s, const worker_event *e)
{
	int level = e->level != LAYOUT_NO_INT ? e->level : EH_LOG_WARN;

	log_relay(level == EH_LOG_WARN && s->job.execution > 1 ? EH_LOG_INFO : level, s->place->label,
	          text_or_empty(e->message));
}

/* Whether it answers the job or a command. */
static bool hear_event(supervised *s, worker_event *e)
{
	switch (e->event) {
	case WORKER_UNREADY: hear_failure(s, SUPERVISE_STOP, e); return true;
	case WORKER_CANNOT: hear_failure(s, SUPERVISE_CANNOT, e); return true;
	case WORKER_START: s->started = true; break;
	case WORKER_UP: return true;
	case WORKER_DESCRIBES: s->describes = true; break;
	case WORKER_READY:
		s->ready = true;
		keep_instrument(s, e);
		return true;
	case WORKER_STAGE: hear_stage(s, e); break;
	case WORKER_OPENED:
	case WORKER_TURNED: return true;
	case WORKER_CASE: keep_case(s, e); return true;
	case WORKER_LOG: hear_log(s, e); break;
	case WORKER_PROBE: text_set(&s->end.probe, text_or_empty(e->name)); break;
	case WORKER_END:
		s->ended = true;
		keep_executor(s, e);
		return true;
	case worker_event_kind_absent: break;
	}
	return false;
}

/* EH_E_FORMAT for a line that no worker writes. */
static eh_status hear(supervised *s, const char *body, bool *answered, worker_event *out)
{
	worker_event e;

	layout_init(worker_event_layout(), &e);
	if (layout_read(worker_event_layout(), body, strlen(body), "a worker's line", &e, NULL) != EH_OK)
		return EH_E_FORMAT;
	*answered = hear_event(s, &e);
	if (*answered && out != NULL)
		layout_move(worker_event_layout(), &e, out);
	layout_clear(worker_event_layout(), &e);
	return EH_OK;
}

/* Until an answer; the status of child_line when there is none. */
static eh_status listen(supervised *s, worker_event *answer)
{
	bool answered = false;
	eh_status status = EH_OK;
	const char *line;

	while (status == EH_OK && !answered) {
		status = child_line(s->child, s->deadline_ns, &line, NULL);
		if (status == EH_OK)
			status = hear(s, line, &answered, answer);
	}
	return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* The reason of the death, from why listening to it ended. */
static char *death_reason(const supervised *s, eh_status status, const child_end *how)
{
	char *reason, *death, allowed[32];

	text_format_ns((double)s->allowed_ns, allowed);
	if (status == EH_E_TIMEOUT && s->at != NULL)
		return memory_format("timed out: the case was not done after %s (its stage: %s), and its "
		                     "worker was killed", allowed, s->stage);
	if (status == EH_E_TIMEOUT)
		return memory_format("timed out: the worker did nothing for %s outside of a case, and was "
		                     "killed", allowed);
	if (status == EH_E_FORMAT)
		return memory_text("the worker was stopped because it wrote a line that no worker writes");
	death = death_text(how);
	reason = s->at != NULL ? memory_format("the worker %s (stage of the case: %s)", death, s->stage)
	                       : memory_format("the worker %s", death);
	free(death);
	return reason;
}

static void set_interrupted(supervised *s)
{
	free(s->end.reason);
	s->end.reason = NULL;
	s->end.fate = SUPERVISE_INTERRUPTED;
}

static void set_stuck(supervised *s, long pid)
{
	char *reason = memory_format("process %ld was killed and does not end: it hangs in the driver of "
	                             "%s", pid, s->place->label);

	set_end(s, SUPERVISE_STOP, EH_E_CHILD, reason);
	free(reason);
}

/* The fate of a worker that died. */
static enum supervise_fate death_fate(const supervised *s)
{
	return s->ready ? SUPERVISE_DIED : s->started ? SUPERVISE_CANNOT : SUPERVISE_STOP;
}

/* Whether it ended as if told to, and was not: somebody else sent it a signal. */
static bool left(const supervised *s)
{
	return s->ended && !s->finishing;
}

static void set_left(supervised *s)
{
	char *stage = s->at != NULL ? memory_format(" (stage of the case: %s)", s->stage) : memory_text("");
	char *reason = memory_format("the worker was ended by a signal that evenhand did not send%s", stage);

	set_end(s, death_fate(s), EH_E_CHILD, reason);
	s->end.died = true;
	free(reason);
	free(stage);
}

/* Asks it to end; what it still has to say counts. */
static void stop_softly(supervised *s, child_end *how)
{
	const uint64_t until = clock_now_ns() + STOP_NS;
	bool answered = false;
	eh_status status = EH_OK;
	const char *line;

	child_signal(s->child, SIGTERM);
	/* EH_E_INTERRUPTED comes once. */
	while (!s->ended && (status == EH_OK || status == EH_E_INTERRUPTED)) {
		status = child_line(s->child, until, &line, NULL);
		if (status == EH_OK)
			status = hear(s, line, &answered, NULL);
	}
	child_finish(s->child, STOP_NS, how);
}

/* Why listening ended, as a fate. */
static void conclude(supervised *s, eh_status status)
{
	const long pid = child_pid(s->child);
	child_end how = { 0 };
	char *reason;

	if (status == EH_E_INTERRUPTED) {
		stop_softly(s, &how);
		death_survivors(s->place->label, &how);
		if (s->end.fate != SUPERVISE_JOURNAL)
			set_interrupted(s);
		return;
	}
	child_finish(s->child, status == EH_E_NOT_FOUND ? EXIT_NS : 0, &how);
	death_survivors(s->place->label, &how);
	if (s->end.reason != NULL && s->end.fate == SUPERVISE_JOURNAL)
		return;
	/* A signal reached both processes, and the worker ended first. */
	if (status == EH_E_NOT_FOUND && (!s->ended || left(s)) && interrupt_pending()) {
		set_interrupted(s);
		return;
	}
	if (how.stuck) {
		set_stuck(s, pid);
		return;
	}
	if (s->end.reason != NULL)
		return;
	if (left(s)) {
		set_left(s);
		return;
	}
	if (status == EH_E_NOT_FOUND && s->ended && !how.signalled && how.code == 0) {
		s->end.fate = SUPERVISE_ENDED;
		return;
	}
	reason = death_reason(s, status, &how);
	if (s->ended) {
		/* All is measured and written: a driver that fails to close costs nothing. */
		log_write(EH_LOG_WARN, "%s: %s, after its last case", s->place->label, reason);
		s->end.fate = SUPERVISE_ENDED;
	} else {
		set_end(s, death_fate(s), EH_E_CHILD, reason);
		s->end.died = status == EH_E_NOT_FOUND;
		s->end.describing = s->describes && !s->ready;
	}
	free(reason);
}

/* Waits until a worker that has nothing more to do is gone; why that ended. */
static eh_status await_end(supervised *s)
{
	eh_status status = EH_OK;

	child_hush(s->child);
	allow(s, s->end.fate == SUPERVISE_JOURNAL ? 0 : CLOSING_NS);
	while (status == EH_OK)
		status = listen(s, NULL);
	return status;
}

/* Ends the worker, hands its end over and frees it.  status: why listening ended; EH_OK after an
 * answer. */
static void release(supervised *s, eh_status status, supervise_end *end)
{
	conclude(s, status == EH_OK ? await_end(s) : status);
	if (s->at != NULL)
		text_set(&s->end.during, s->at->id);
	*end = s->end;
	layout_clear(worker_job_layout(), &s->job);
	free(s);
}

/* ---- a worker -------------------------------------------------------------------------------- */

/* Time limit before, between and after cases. */
static uint64_t outside_ns(const plan *p)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < p->case_count; i++)
		if (p->cases[i].section->measure.timeout_ns > longest)
			longest = p->cases[i].section->measure.timeout_ns;
	return longest + START_NS;
}

static eh_status start(supervised *s, eh_error *error)
{
	char *program = paths_program(), *body = layout_text(worker_job_layout(), &s->job, false);
	const char *argv[] = { program, "worker", NULL };
	eh_status status = child_start(argv, true, &s->child, error);

	if (status == EH_OK)
		(void)child_say(s->child, body); /* a worker that is dead says so at the first line */
	free(body);
	free(program);
	return status;
}

/* The same in no two workers of a journal, also where it was resumed; exact as a JSON number. */
static uint64_t random_number(void)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		number = clock_now_ns();
	return number >> 12;
}

supervised *supervise_start(const worker_job *j, const supervise_place *place, supervise_end *end)
{
	supervised *s = memory_get(sizeof(*s));
	eh_error error = ERROR_INIT;
	eh_status status;

	s->place = place;
	s->worker = random_number();
	s->outside_ns = outside_ns(place->plan);
	layout_init(worker_job_layout(), &s->job);
	layout_copy(worker_job_layout(), j, &s->job);
	status = start(s, &error);
	if (status != EH_OK) {
		set_end(s, SUPERVISE_STOP, status, error.message);
		*end = s->end;
		layout_clear(worker_job_layout(), &s->job);
		free(s);
		return NULL;
	}
	allow(s, s->outside_ns);
	return s;
}

bool supervise_up(supervised *s, supervise_end *end)
{
	eh_status status = listen(s, NULL);

	if (status == EH_OK && s->started && s->end.reason == NULL)
		return true;
	release(s, status, end);
	return false;
}

bool supervise_calibrate(supervised *s, supervise_end *end)
{
	worker_command command = supervise_command(WORKER_CALIBRATE, NULL, 0);
	bool good = supervise_ask(s, &command, NULL, end);

	layout_clear(worker_command_layout(), &command);
	return good;
}

worker_command supervise_command(enum worker_command_kind kind, const plan_case *c, uint64_t position)
{
	worker_command command;

	layout_init(worker_command_layout(), &command);
	command.command = kind;
	if (c != NULL) {
		text_set(&command.id, c->id);
		command.position = position;
	}
	return command;
}

/* Sets the case of a command that begins one, and the time limit. */
static void enter(supervised *s, const worker_command *command)
{
	uint64_t limit;

	if (command->id != NULL) {
		s->at = plan_case_by_id(s->place->plan, command->id);
		s->spent_ns = 0;
		snprintf(s->stage, sizeof(s->stage), "start");
		progress_case(s->place->shown, command->id, (size_t)command->position,
		              s->place->plan->case_count);
	}
	limit = s->at != NULL ? s->at->section->measure.timeout_ns : s->outside_ns;
	allow(s, limit > s->spent_ns + LEAST_NS ? limit - s->spent_ns : LEAST_NS);
}

void supervise_tell(supervised *s, const worker_command *command)
{
	char *body = layout_text(worker_command_layout(), command, false);

	s->told_ns = clock_now_ns();
	/* A worker that was dead before costs no case; its end is heard by supervise_await. */
	if (child_say(s->child, body))
		enter(s, command);
	free(body);
}

bool supervise_await(supervised *s, worker_event *answer, supervise_end *end)
{
	eh_status status = listen(s, answer);

	s->spent_ns += clock_now_ns() - s->told_ns;
	if (status == EH_OK && s->end.reason == NULL && !s->ended)
		return true;
	release(s, status, end);
	return false;
}

bool supervise_ask(supervised *s, const worker_command *command, worker_event *answer,
                   supervise_end *end)
{
	supervise_tell(s, command);
	return supervise_await(s, answer, end);
}

void supervise_finish(supervised *s)
{
	worker_command command = supervise_command(WORKER_FINISH, NULL, 0);

	s->finishing = true;
	supervise_tell(s, &command);
	layout_clear(worker_command_layout(), &command);
}

void supervise_finish_await(supervised *s, supervise_end *end)
{
	if (!supervise_await(s, NULL, end))
		return;
	set_end(s, SUPERVISE_DIED, EH_E_CHILD, "the worker did not end when it was told to");
	release(s, EH_E_TIMEOUT, end);
}

void supervise_signal(supervised *s)
{
	child_signal(s->child, SIGTERM);
}

void supervise_stop(supervised *s)
{
	supervise_end end;

	release(s, EH_E_INTERRUPTED, &end);
	supervise_end_free(&end);
}

void supervise_end_free(supervise_end *end)
{
	free(end->reason);
	free(end->during);
	free(end->probe);
	memset(end, 0, sizeof(*end));
}
