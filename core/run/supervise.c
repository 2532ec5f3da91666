/* SPDX-License-Identifier: Apache-2.0 */
#include "run/supervise.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "run/death.h"

#define SECOND_NS UINT64_C(1000000000)
/* What loading a driver, calibrating and describing the stack may take beyond the time that the
 * protocol allows for a case.  More than a backend lets its compilers take, so that a compiler
 * that hangs is reported by the backend, which knows which one it is. */
#define START_NS (25 * SECOND_NS)
#define CLOSING_NS (20 * SECOND_NS)
#define STOP_NS (3 * SECOND_NS)
#define EXIT_NS (5 * SECOND_NS)

typedef struct watch {
	const job *job;
	const plan *plan;
	progress *shown;
	child *child;
	uint64_t deadline_ns, allowed_ns, outside_ns;
	char *at;              /* the case in progress */
	char stage[32];
	bool started;          /* the backend was                                                 */
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

static eh_status code_of(const cJSON *line)
{
	const cJSON *code = cJSON_GetObjectItemCaseSensitive(line, "code");

	return cJSON_IsNumber(code) ? (eh_status)code->valuedouble : EH_E_INTERNAL;
}

static size_t position_of(const job *j, const char *id)
{
	for (size_t i = 0; i < j->case_count; i++)
		if (strcmp(j->cases[i].id, id) == 0)
			return j->cases[i].position;
	return 0;
}

static void hear_begin(watch *w, const cJSON *line)
{
	const char *id = json_string(line, "case", "");
	const plan_case *c = plan_case_by_id(w->plan, id);

	free(w->at);
	w->at = memory_text(id);
	w->began = true;
	snprintf(w->stage, sizeof(w->stage), "start");
	allow(w, c != NULL ? c->section->measure.timeout_ns : w->outside_ns);
	progress_case(w->shown, id, position_of(w->job, id), w->plan->case_count);
}

static void hear_stage(watch *w, const cJSON *line)
{
	double median = 0, width = 0;

	(void)json_double(line, "median_ns", &median);
	(void)json_double(line, "half_width", &width);
	snprintf(w->stage, sizeof(w->stage), "%s", json_string(line, "stage", ""));
	progress_stage(w->shown, w->stage, median, width);
}

static void hear_done(watch *w, const cJSON *line)
{
	const plan_case *c = plan_case_by_id(w->plan, json_string(line, "case", ""));

	free(w->at);
	w->at = NULL;
	progress_done(w->shown, json_string(line, "status", ""),
	              c != NULL ? supervise_expected_ns(c) : 0);
	allow(w, w->outside_ns);
}

static void hear_probe(watch *w, const cJSON *line)
{
	free(w->end->probe);
	w->end->probe = memory_text(json_string(line, "name", ""));
}

static void hear_log(const watch *w, const cJSON *line)
{
	const cJSON *level = cJSON_GetObjectItemCaseSensitive(line, "level");

	log_relay(cJSON_IsNumber(level) ? level->valueint : EH_LOG_WARN, w->job->executor,
	          json_string(line, "message", ""));
}

/* false for what is no line of a worker. */
static bool hear(watch *w, const char *body)
{
	cJSON *line = NULL;
	const char *event;
	bool known = true;

	if (json_parse(body, strlen(body), "a worker's line", &line, NULL) != EH_OK)
		return false;
	event = json_string(line, "event", "");
	if (strcmp(event, "begin") == 0)
		hear_begin(w, line);
	else if (strcmp(event, "stage") == 0)
		hear_stage(w, line);
	else if (strcmp(event, "done") == 0)
		hear_done(w, line);
	else if (strcmp(event, "start") == 0)
		w->started = true;
	else if (strcmp(event, "unready") == 0)
		set_end(w, SUPERVISE_STOP, code_of(line), json_string(line, "message", ""));
	else if (strcmp(event, "cannot") == 0)
		set_end(w, SUPERVISE_CANNOT, code_of(line), json_string(line, "message", ""));
	else if (strcmp(event, "journal") == 0)
		set_end(w, SUPERVISE_JOURNAL, code_of(line), json_string(line, "message", ""));
	else if (strcmp(event, "lost") == 0)
		set_end(w, SUPERVISE_DIED, EH_E_DEVICE_LOST, json_string(line, "message", ""));
	else if (strcmp(event, "end") == 0)
		w->ended = true;
	else if (strcmp(event, "probe") == 0)
		hear_probe(w, line);
	else if (strcmp(event, "log") == 0)
		hear_log(w, line);
	else
		known = false;
	if (w->ended || w->end->reason != NULL)
		allow(w, CLOSING_NS);
	cJSON_Delete(line);
	return known;
}

/* Why the listening stopped, as the reason of the death. */
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
		return memory_text("the worker was stopped because it answered what is no answer");
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
	char *reason = memory_format("process %ld was killed and does not end: the device of %s or its "
	                             "driver does not let go of it", pid, w->job->executor);

	set_end(w, SUPERVISE_STOP, EH_E_CHILD, reason);
	free(reason);
}

/* What a worker means that died before it measured. */
static enum supervise_fate early_fate(const watch *w)
{
	if (w->began || (w->started && w->job->case_count == 0))
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
	/* A signal that went to all of us, and the worker was the faster one. */
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
		/* All is measured and written: a driver that cannot be closed costs nothing. */
		log_write(EH_LOG_WARN, "%s: %s, after its last case", w->job->executor, reason);
		w->end->fate = SUPERVISE_ENDED;
	} else {
		set_end(w, early_fate(w), EH_E_CHILD, reason);
	}
	free(reason);
}

/* What is allowed before, between and after cases. */
static uint64_t outside_ns(const plan *p)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < p->case_count; i++)
		if (p->cases[i].section->measure.timeout_ns > longest)
			longest = p->cases[i].section->measure.timeout_ns;
	return longest + START_NS;
}

void supervise_worker(const job *j, const plan *p, progress *shown, supervise_end *end)
{
	watch w = { .job = j, .plan = p, .shown = shown, .end = end };
	char *program = paths_program(), *body = job_text(j);
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
