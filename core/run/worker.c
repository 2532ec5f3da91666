/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "executor/executor.h"
#include "measure/measure.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "record/journal.h"
#include "run/probedeath.h"
#include "run/run.h"
#include "run/voice.h"
#include "run/worker.h"

#define LAYOUT_FILE "run/worker.def"
#define LAYOUT_NAME(name) worker_##name
#include "base/layout_tables.h"

/* Each event wakes the coordinator, which occupies a processor for a moment. */
#define STAGE_STEP_NS (UINT64_C(300) * 1000000)
#define HOLD_NS (UINT64_C(5) * 1000000000)
#define JOB_LIMIT ((size_t)64 << 20)

typedef struct worker {
	FILE *voice;
	worker_job job;
	protocol *protocol;
	plan *plan;
	journal *journal;
	session session;
	executor_files *files;
	site *site;
	measure *measure;
	const char *last_stage;
	uint64_t last_ns;
} worker;

/* ---- events ---------------------------------------------------------------------------------- */

static worker_event event(enum worker_event_kind kind)
{
	worker_event e;

	layout_init(worker_event_layout(), &e);
	e.event = kind;
	return e;
}

/* Clears the event. */
static void say(worker *w, worker_event *e)
{
	/* Nobody listens: the coordinator is dead, so the worker ends too. */
	if (!voice_say(w->voice, layout_text(worker_event_layout(), e, false)))
		_exit(EXIT_CODE_INCOMPLETE);
	layout_clear(worker_event_layout(), e);
}

static void say_failure(worker *w, enum worker_event_kind kind, eh_status status,
                        const char *message)
{
	worker_event e = event(kind);

	e.code = (int)status;
	text_set(&e.message, message[0] != '\0' ? message : error_status_name(status));
	say(w, &e);
}

/* Log messages go to the coordinator, which shows a worker's stderr only when it dies. */
static void pass_on(void *context, int level, const char *message)
{
	worker_event e = event(WORKER_LOG);

	e.level = level;
	text_set(&e.message, message);
	say(context, &e);
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* Clears the line.  false when the journal cannot be written, which was reported. */
static bool append(worker *w, record_line *line)
{
	eh_error error = ERROR_INIT;
	eh_status status;

	/* Another coordinator may have taken the run over. */
	if ((uint64_t)getppid() != w->job.coordinator)
		_exit(EXIT_CODE_INCOMPLETE);
	status = journal_append(w->journal, line, &error);
	record_line_clear(line);
	if (status != EH_OK)
		say_failure(w, WORKER_JOURNAL, status, error.message);
	return status == EH_OK;
}

static bool append_instrument(worker *w)
{
	record_line line;

	record_line_init(&line, RECORD_LINE_INSTRUMENT);
	text_set(&line.instrument.executor, w->job.executor);
	line.instrument.execution = w->job.execution;
	layout_copy(record_instrument_layout(), measure_instrument(w->measure), &line.instrument.record);
	line.instrument.record.execution = w->job.execution;
	return append(w, &line);
}

static bool append_executor(worker *w)
{
	executor_subject subject = { .backend = w->session.backend, .plugin_path = w->session.path,
		                     .ops = w->session.ops, .info = &w->session.info,
		                     .device = w->session.device, .options = host_options(),
		                     .files = w->files, .site = w->site };
	record_line line;

	record_line_init(&line, RECORD_LINE_EXECUTOR);
	text_set(&line.executor.executor, w->job.executor);
	line.executor.execution = w->job.execution;
	executor_describe(&subject, &line.executor.record);
	return append(w, &line);
}

/* ---- while a case is measured ---------------------------------------------------------------- */

/* Asked to stop within a case: the case is lost, the record of the stack is kept. */
__attribute__((noreturn)) static void leave(worker *w)
{
	(void)append_executor(w);
	_exit(EXIT_CODE_INCOMPLETE);
}

static void report(void *context, const measure_progress *p)
{
	worker *w = context;
	uint64_t now = clock_now_ns();
	bool news = w->last_stage == NULL || strcmp(w->last_stage, p->stage) != 0;
	worker_event e;

	if (interrupt_pending())
		leave(w);
	if (!news && (!w->job.progress || now - w->last_ns < STAGE_STEP_NS))
		return;
	w->last_stage = p->stage;
	w->last_ns = now;
	e = event(WORKER_STAGE);
	text_set(&e.stage, p->stage);
	e.samples = p->samples;
	if (p->median_ns > 0)
		e.median_ns = p->median_ns;
	if (p->half_width > 0)
		e.half_width = p->half_width;
	say(w, &e);
}

/* ---- starting -------------------------------------------------------------------------------- */

static eh_status read_job(worker *w, eh_error *error)
{
	text body = { 0 };
	char block[65536];
	ssize_t got;
	eh_status status = EH_OK;

	while ((got = read(STDIN_FILENO, block, sizeof(block))) > 0 && body.size < JOB_LIMIT)
		text_add_bytes(&body, block, (size_t)got);
	layout_init(worker_job_layout(), &w->job);
	if (layout_read(worker_job_layout(), body.data != NULL ? body.data : "", body.size, "the job",
	                &w->job, NULL) != EH_OK)
		status = error_set(error, EH_E_FORMAT, "stdin holds no job; only `evenhand run` starts this "
		                   "subcommand");
	text_free(&body);
	return status;
}

static eh_status make_plan(worker *w, eh_error *error)
{
	const worker_job *j = &w->job;
	eh_status status = protocol_parse(j->protocol_text, strlen(j->protocol_text),
	                                  j->protocol_source, &w->protocol, error);

	if (status == EH_OK)
		status = plan_make(w->protocol, plugin_find_workload, NULL, &w->plan, error);
	if (status == EH_OK && strcmp(w->plan->digest, j->protocol_digest) != 0)
		status = error_set(error, EH_E_INCOMPATIBLE, "the worker plans the protocol differently "
		                   "from its coordinator: the workloads were replaced during the run");
	return status;
}

/* Indices may have changed since the devices were listed: the name decides. */
static eh_status open_device(worker *w, eh_error *error)
{
	session *s = &w->session;
	uint32_t count = 0;
	eh_status status = s->ops->device_count(s->self, &count, error);

	for (uint32_t i = 0; status == EH_OK && i < count; i++) {
		eh_device_info info = { .struct_size = sizeof(info), .numa_node = -1 };
		eh_error why = ERROR_INIT;
		eh_status usable = s->ops->device_info(s->self, i, &info, &why);
		char *name;
		bool same;

		if (info.id[0] == '\0')
			snprintf(info.id, sizeof(info.id), "%u", i);
		name = executor_name(s->backend, &info);
		same = strcmp(name, w->job.executor) == 0;
		free(name);
		if (same && usable != EH_OK)
			return error_set(error, usable, "the device is no longer usable: %s",
			                 why.message);
		if (same)
			return session_open(s, i, error);
	}
	if (status == EH_OK)
		status = error_set(error, EH_E_UNAVAILABLE, "the device is gone: %s is not among the %u "
		                   "devices of its backend", w->job.executor, count);
	return status;
}

/* Steps whose failure is not the backend's or the device's. */
static eh_status prepare(worker *w, eh_error *error)
{
	const eh_backend *backend;
	eh_status status = EH_OK;

	for (size_t i = 0; i < w->job.options.count && status == EH_OK; i++)
		status = host_option_set(w->job.options.items[i], error);
	if (status == EH_OK)
		status = site_read(NULL, &w->site, error);
	if (status == EH_OK)
		status = make_plan(w, error);
	if (status == EH_OK)
		status = journal_open(w->job.journal, &w->journal, error);
	if (status == EH_OK)
		status = journal_hold(w->journal, JOURNAL_WORKER, HOLD_NS, error);
	if (status == EH_OK)
		status = plugin_load_backend(w->job.plugin, &backend, error);
	return status;
}

static bool wants_sensors(const worker *w)
{
	for (size_t i = 0; i < w->job.cases.count; i++) {
		const plan_case *c = plan_case_by_id(w->plan, w->job.cases.items[i].id);

		if (c != NULL && c->section->measure.telemetry_ns > 0)
			return true;
	}
	return false;
}

static void open_sensors(worker *w)
{
	const text_list *without = &w->job.without;
	const char **names = memory_get((without->count + 1) * sizeof(*names));

	for (size_t i = 0; i < without->count; i++)
		names[i] = without->items[i];
	measure_open_sensors(w->measure, names);
	free(names);
}

static eh_status start(worker *w, eh_error *error)
{
	eh_status status = session_start(&w->session, w->job.plugin, error);

	if (status == EH_OK)
		status = open_device(w, error);
	if (status == EH_OK)
		status = measure_new(&w->session, w->job.canary,
		                     random_derive(w->job.protocol_seed, "measure", w->job.execution),
		                     &w->measure, error);
	/* Loading the sensors' drivers must not take a case's time. */
	if (status == EH_OK && wants_sensors(w))
		open_sensors(w);
	return status;
}

static void stop(worker *w)
{
	measure_free(w->measure);
	session_close(&w->session);
	executor_files_free(w->files);
	site_free(w->site);
	journal_close(w->journal);
	plan_free(w->plan);
	protocol_free(w->protocol);
	layout_clear(worker_job_layout(), &w->job);
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* false when the device was lost. */
static bool measure_into(worker *w, const plan_case *c, uint64_t position, record_execution *out)
{
	bool lost = false;
	record_execution *record = measure_case(w->measure, c, report, w, &lost);

	record->execution = w->job.execution;
	record->position = position;
	layout_move(record_execution_layout(), record, out);
	layout_free(record_execution_layout(), record);
	if (w->job.replacement)
		word_list_add(&out->flags, RECORD_FLAG_REPLACEMENT_WORKER);
	return !lost;
}

static void say_begin(worker *w, const char *id)
{
	worker_event e = event(WORKER_BEGIN);

	text_set(&e.id, id);
	say(w, &e);
}

static void say_done(worker *w, const char *id, enum record_status status)
{
	worker_event e = event(WORKER_DONE);

	text_set(&e.id, id);
	text_set(&e.status, record_status_word(status));
	say(w, &e);
}

static void say_lost(worker *w, const char *id)
{
	char *reason = memory_format("the device was lost while case %s was measured", id);

	say_failure(w, WORKER_LOST, EH_E_DEVICE_LOST, reason);
	free(reason);
}

/* false when the worker has to end: the journal is not writable, or the device is lost. */
static bool run_case(worker *w, const worker_case *at)
{
	const plan_case *c = plan_case_by_id(w->plan, at->id);
	record_line line;
	enum record_status status;
	bool there;

	if (c == NULL) {
		say_failure(w, WORKER_CANNOT, EH_E_INTERNAL, "the job names a case that the protocol lacks");
		return false;
	}
	say_begin(w, at->id);
	w->last_stage = NULL;
	record_line_init(&line, RECORD_LINE_CASE);
	text_set(&line.one_case.executor, w->job.executor);
	line.one_case.execution = w->job.execution;
	text_set(&line.one_case.id, at->id);
	there = measure_into(w, c, at->position, &line.one_case.record);
	status = line.one_case.record.status;
	if (!append(w, &line))
		return false;
	say_done(w, at->id, status);
	if (!there)
		say_lost(w, at->id);
	return there;
}

static void say_only(worker *w, enum worker_event_kind kind)
{
	worker_event e = event(kind);

	say(w, &e);
}

static int measure_all(worker *w)
{
	if (!append_instrument(w))
		return EXIT_CODE_ENVIRONMENT;
	for (size_t i = 0; i < w->job.cases.count; i++)
		if (interrupt_pending())
			leave(w);
		else if (!run_case(w, &w->job.cases.items[i]))
			return EXIT_CODE_ENVIRONMENT;
	/* By now every library is loaded, late ones too. */
	if (!append_executor(w))
		return EXIT_CODE_ENVIRONMENT;
	say_only(w, WORKER_END);
	return EXIT_CODE_OK;
}

static int prepare_and_measure(worker *w)
{
	eh_error error = ERROR_INIT;
	eh_status status = prepare(w, &error);

	if (status != EH_OK) {
		say_failure(w, WORKER_UNREADY, status, error.message);
		return EXIT_CODE_ENVIRONMENT;
	}
	say_only(w, WORKER_START);
	status = start(w, &error);
	if (status != EH_OK) {
		say_failure(w, WORKER_CANNOT, status, error.message);
		return EXIT_CODE_ENVIRONMENT;
	}
	return measure_all(w);
}

int worker_main(void)
{
	worker w = { 0 };
	eh_error error = ERROR_INIT;
	eh_status status;
	int code;

	/* hwloc must not map other vendors' libraries: the mapped objects are recorded. */
	if (setenv("HWLOC_PLUGINS_BLACKLIST", "hwloc_opencl.so,hwloc_gl.so,hwloc_cuda.so,hwloc_nvml.so,"
	           "hwloc_rsmi.so,hwloc_levelzero.so", 0) != 0)
		return EXIT_CODE_INTERNAL;
	/* Exceeding a limit on file sizes is then an error, not a signal. */
	signal(SIGXFSZ, SIG_IGN);
	interrupt_install();
	w.voice = voice_take();
	if (w.voice == NULL)
		return EXIT_CODE_ENVIRONMENT;
	probedeath_install(fileno(w.voice));
	log_set_sink(pass_on, &w);
	status = read_job(&w, &error);
	if (status != EH_OK) {
		fprintf(stderr, "evenhand worker: %s\n", error.message);
		return error_exit_code(EH_E_USAGE);
	}
	w.files = executor_files_new();
	code = prepare_and_measure(&w);
	stop(&w);
	log_set_sink(NULL, NULL);
	fclose(w.voice);
	return code;
}
