/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/random.h"
#include "base/text.h"
#include "executor/executor.h"
#include "measure/measure.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/job.h"
#include "record/journal.h"
#include "run/probedeath.h"
#include "run/run.h"
#include "run/voice.h"

/* Telling wakes the coordinator, which takes a processor away for a moment. */
#define TELL_STEP_NS (UINT64_C(300) * 1000000)
#define HOLD_NS (UINT64_C(5) * 1000000000)
#define JOB_LIMIT ((size_t)64 << 20)

typedef struct worker {
	FILE *voice;
	job *job;
	protocol *protocol;
	plan *plan;
	journal *journal;
	session session;
	executor_files *files;
	site *site;
	measure *measure;
	const char *told_stage;
	uint64_t told_ns;
} worker;

/* ---- talking --------------------------------------------------------------------------------- */

static void say(worker *w, cJSON *line)
{
	/* Nobody listens: the coordinator is dead, and so are we. */
	if (!voice_say(w->voice, line))
		_exit(EXIT_CODE_INCOMPLETE);
	cJSON_Delete(line);
}

static cJSON *event(const char *name)
{
	cJSON *line = cJSON_CreateObject();

	json_add_string(line, "event", name);
	return line;
}

static void say_failure(worker *w, const char *name, eh_status status, const char *message)
{
	cJSON *line = event(name);

	json_set(line, "code", cJSON_CreateNumber(status));
	json_add_string(line, "message", message[0] != '\0' ? message : error_status_name(status));
	say(w, line);
}

/* A warning; whoever measures reads our stderr only when we die. */
static void pass_on(void *context, int level, const char *message)
{
	worker *w = context;
	cJSON *line = event("log");

	json_set(line, "level", cJSON_CreateNumber(level));
	json_add_string(line, "message", message);
	say(w, line);
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* Takes record.  false when the journal cannot be written, which was told. */
static bool append(worker *w, const char *kind, const char *id, cJSON *record)
{
	cJSON *line = cJSON_CreateObject();
	eh_error error = ERROR_INIT;
	eh_status status;

	/* Another coordinator may have taken the run over. */
	if ((uint64_t)getppid() != w->job->coordinator)
		_exit(EXIT_CODE_INCOMPLETE);
	json_add_string(line, "kind", kind);
	json_add_string(line, "executor", w->job->executor);
	json_add_uint(line, "execution", w->job->execution);
	if (id != NULL)
		json_add_string(line, "id", id);
	json_set(line, "record", record);
	status = journal_append(w->journal, line, &error);
	cJSON_Delete(line);
	if (status != EH_OK)
		say_failure(w, "journal", status, error.message);
	return status == EH_OK;
}

static bool append_instrument(worker *w)
{
	cJSON *record = measure_instrument_json(w->measure);

	json_set(record, "execution", cJSON_CreateNumber((double)w->job->execution));
	return append(w, "instrument", NULL, record);
}

static bool append_executor(worker *w)
{
	executor_subject subject = { .backend = w->session.backend, .plugin_path = w->session.path,
		                     .ops = w->session.ops, .info = &w->session.info,
		                     .device = w->session.device, .options = w->job->options,
		                     .files = w->files, .site = w->site };
	record_executor *record = executor_describe(&subject);
	cJSON *tree = layout_encode(record_executor_layout(), record);

	layout_free(record_executor_layout(), record);
	return append(w, "executor", NULL, tree);
}

/* ---- while a case is measured ---------------------------------------------------------------- */

/* Asked to stop in the middle of a case, which is lost: the record of the stack is not. */
__attribute__((noreturn)) static void leave(worker *w)
{
	(void)append_executor(w);
	_exit(EXIT_CODE_INCOMPLETE);
}

static void report(void *context, const measure_progress *p)
{
	worker *w = context;
	uint64_t now = clock_now_ns();
	bool news = w->told_stage == NULL || strcmp(w->told_stage, p->stage) != 0;
	cJSON *line;

	if (interrupt_pending())
		leave(w);
	if (!news && (!w->job->progress || now - w->told_ns < TELL_STEP_NS))
		return;
	w->told_stage = p->stage;
	w->told_ns = now;
	line = event("stage");
	json_add_string(line, "stage", p->stage);
	json_add_uint(line, "samples", p->samples);
	if (p->median_ns > 0)
		json_add_double(line, "median_ns", p->median_ns);
	if (p->half_width > 0)
		json_add_double(line, "half_width", p->half_width);
	say(w, line);
}

/* ---- starting -------------------------------------------------------------------------------- */

static eh_status read_job(worker *w, eh_error *error)
{
	text body = { 0 };
	char block[65536];
	ssize_t got;
	eh_status status;

	while ((got = read(STDIN_FILENO, block, sizeof(block))) > 0 && body.size < JOB_LIMIT)
		text_add_bytes(&body, block, (size_t)got);
	status = job_read(body.data != NULL ? body.data : "", body.size, &w->job, error);
	text_free(&body);
	return status;
}

static eh_status make_plan(worker *w, eh_error *error)
{
	const job *j = w->job;
	eh_status status = protocol_parse(j->protocol_text, strlen(j->protocol_text),
	                                  j->protocol_source, &w->protocol, error);

	if (status == EH_OK)
		status = plan_make(w->protocol, plugin_find_workload, NULL, &w->plan, error);
	if (status == EH_OK && strcmp(w->plan->digest, j->protocol_digest) != 0)
		status = error_set(error, EH_E_INCOMPATIBLE, "the worker plans the protocol differently "
		                   "from its coordinator: the workloads were replaced while the run goes "
		                   "on");
	return status;
}

/* Devices may have come and gone since they were listed: the name decides, not the index. */
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
		same = strcmp(name, w->job->executor) == 0;
		free(name);
		if (same && usable != EH_OK)
			return error_set(error, usable, "the device cannot be used any more: %s",
			                 why.message);
		if (same)
			return session_open(s, i, error);
	}
	if (status == EH_OK)
		status = error_set(error, EH_E_UNAVAILABLE, "the device has vanished: %s is not among the "
		                   "%u devices of its backend any more", w->job->executor, count);
	return status;
}

/* What says nothing about backend or device when it fails. */
static eh_status prepare(worker *w, eh_error *error)
{
	const eh_backend *backend;
	eh_status status = EH_OK;

	for (size_t i = 0; w->job->options[i] != NULL && status == EH_OK; i++)
		status = host_option_set(w->job->options[i], error);
	if (status == EH_OK)
		status = site_read(NULL, &w->site, error);
	if (status == EH_OK)
		status = make_plan(w, error);
	if (status == EH_OK)
		status = journal_open(w->job->journal, &w->journal, error);
	if (status == EH_OK)
		status = journal_hold(w->journal, JOURNAL_WORKER, HOLD_NS, error);
	if (status == EH_OK)
		status = plugin_load_backend(w->job->plugin, &backend, error);
	return status;
}

static bool wants_sensors(const worker *w)
{
	for (size_t i = 0; i < w->job->case_count; i++) {
		const plan_case *c = plan_case_by_id(w->plan, w->job->cases[i].id);

		if (c != NULL && c->section->measure.telemetry_ns > 0)
			return true;
	}
	return false;
}

static eh_status start(worker *w, eh_error *error)
{
	eh_status status = session_start(&w->session, w->job->plugin, error);

	if (status == EH_OK)
		status = open_device(w, error);
	if (status == EH_OK)
		status = measure_new(&w->session, w->job->canary,
		                     random_derive(w->job->protocol_seed, "measure", w->job->execution),
		                     &w->measure, error);
	/* Before the first case, whose time is no time for drivers of sensors. */
	if (status == EH_OK && wants_sensors(w))
		measure_open_sensors(w->measure, w->job->without);
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
	job_free(w->job);
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void add_flag(cJSON *record, const char *flag)
{
	cJSON *flags = cJSON_GetObjectItemCaseSensitive(record, "flags");

	if (flags == NULL)
		flags = json_add_array(record, "flags");
	json_append_string(flags, flag);
}

/* false when the worker has to end: the journal is not writable, or the device is lost. */
static bool run_case(worker *w, const job_case *at)
{
	const plan_case *c = plan_case_by_id(w->plan, at->id);
	bool lost = false;
	cJSON *line, *record;
	char status[32], *reason;

	if (c == NULL) {
		say_failure(w, "cannot", EH_E_INTERNAL, "the job names a case that the protocol lacks");
		return false;
	}
	line = event("begin");
	json_add_string(line, "case", at->id);
	say(w, line);
	w->told_stage = NULL;
	record = measure_case(w->measure, c, report, w, &lost);
	json_set(record, "execution", cJSON_CreateNumber((double)w->job->execution));
	json_set(record, "position", cJSON_CreateNumber((double)at->position));
	if (w->job->replacement)
		add_flag(record, "replacement-worker");
	snprintf(status, sizeof(status), "%s", json_string(record, "status", ""));
	if (!append(w, "case", at->id, record))
		return false;
	line = event("done");
	json_add_string(line, "case", at->id);
	json_add_string(line, "status", status);
	say(w, line);
	if (lost) {
		reason = memory_format("the device was lost while case %s was measured", at->id);
		say_failure(w, "lost", EH_E_DEVICE_LOST, reason);
		free(reason);
	}
	return !lost;
}

static int measure_all(worker *w)
{
	if (!append_instrument(w))
		return EXIT_CODE_ENVIRONMENT;
	for (size_t i = 0; i < w->job->case_count; i++)
		if (interrupt_pending())
			leave(w);
		else if (!run_case(w, &w->job->cases[i]))
			return EXIT_CODE_ENVIRONMENT;
	/* Now every library that is loaded late is there. */
	if (!append_executor(w))
		return EXIT_CODE_ENVIRONMENT;
	say(w, event("end"));
	return EXIT_CODE_OK;
}

static int prepare_and_measure(worker *w)
{
	eh_error error = ERROR_INIT;
	eh_status status = prepare(w, &error);

	if (status != EH_OK) {
		say_failure(w, "unready", status, error.message);
		return EXIT_CODE_ENVIRONMENT;
	}
	say(w, event("start"));
	status = start(w, &error);
	if (status != EH_OK) {
		say_failure(w, "cannot", status, error.message);
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

	/* hwloc must not map other vendors' libraries into the stack that is recorded. */
	if (setenv("HWLOC_PLUGINS_BLACKLIST", "hwloc_opencl.so,hwloc_gl.so,hwloc_cuda.so,hwloc_nvml.so,"
	           "hwloc_rsmi.so,hwloc_levelzero.so", 0) != 0)
		return EXIT_CODE_INTERNAL;
	/* A limit on the size of files is an error to report, not a death. */
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
