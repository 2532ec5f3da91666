/* SPDX-License-Identifier: Apache-2.0 */
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
#include "executor/placement.h"
#include "measure/measure.h"
#include "measure/turnwork.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/probedeath.h"
#include "run/run.h"
#include "run/voice.h"
#include "run/winners.h"
#include "run/worker.h"

#define LAYOUT_FILE "run/worker.def"
#define LAYOUT_NAME(name) worker_##name
#include "base/layout_tables.h"

/* Each event wakes the coordinator, which occupies a processor for a moment. */
#define STAGE_STEP_NS (UINT64_C(300) * 1000000)
/* Threads of a driver may spin so long after a turn before they sleep. */
#define RELEASE_MS 1

typedef struct worker {
	FILE *voice;
	int input;            /* for voice_hear                                                   */
	worker_job job;
	protocol *protocol;
	plan *plan;
	session session;
	executor_files *files;
	site *site;
	measure *measure;
	measure_winners winners; /* earlier searches; zeroed where the stack is not described */
	const plan_case *at;  /* the case in progress                                             */
	uint64_t position;
	turnwork *turns;         /* its turns; NULL: it takes none                                   */
	record_placement *placement; /* until the first event that takes it; NULL: nothing was bound   */
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

static void say_only(worker *w, enum worker_event_kind kind)
{
	worker_event e = event(kind);

	say(w, &e);
}

static void say_failure(worker *w, enum worker_event_kind kind, eh_status status, eh_error *error)
{
	worker_event e = event(kind);

	e.code = (int)status;
	text_set(&e.message, error_sentence(error, status));
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

/* ---- while a case is measured ---------------------------------------------------------------- */

static executor_subject subject_of(const worker *w)
{
	return (executor_subject){ .backend = w->session.backend, .plugin_path = w->session.path,
		                   .ops = w->session.ops, .info = &w->session.info,
		                   .device = w->session.device, .options = host_options(),
		                   .files = w->files, .site = w->site };
}

/* What the worker has loaded by now is described. */
static void say_end(worker *w)
{
	executor_subject subject = subject_of(w);
	worker_event e = event(WORKER_END);

	e.executor = layout_new(record_executor_layout());
	executor_describe(&subject, e.executor);
	say(w, &e);
}

/* Asked to stop: the case in progress is lost, the record of the stack is kept. */
__attribute__((noreturn)) static void leave(worker *w)
{
	say_end(w);
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
	char *line = voice_hear(w->input);
	eh_status status = EH_OK;

	layout_init(worker_job_layout(), &w->job);
	if (line == NULL || layout_read(worker_job_layout(), line, strlen(line), "the job", &w->job,
	                                NULL) != EH_OK)
		status = error_set(error, EH_E_FORMAT, "stdin holds no job; only `evenhand run` starts this "
		                   "subcommand");
	free(line);
	return status;
}

static eh_status make_plan(worker *w, eh_error *error)
{
	const worker_job *j = &w->job;
	eh_status status = protocol_parse(j->protocol_text, strlen(j->protocol_text),
	                                  j->protocol_source, &w->protocol, error);

	if (status == EH_OK && j->size_class <= RECORD_SIZE_LARGE)
		protocol_take_size(w->protocol, (enum record_size_class)j->size_class);
	if (status == EH_OK) {
		protocol_take_scale(w->protocol, PROTOCOL_CACHE, j->cache_bytes);
		protocol_take_scale(w->protocol, PROTOCOL_UNITS, j->compute_units);
		status = plan_make(w->protocol, plugin_find_workload, NULL, &w->plan, error);
	}
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
	eh_status status = session_count(s, &count, error);

	for (uint32_t i = 0; status == EH_OK && i < count; i++) {
		eh_device_info info;
		eh_error why = ERROR_INIT;
		eh_status usable = session_device(s, i, &info, &why);
		char *name;
		bool same;

		name = executor_name(s->backend, &info);
		same = strcmp(name, w->job.executor) == 0;
		free(name);
		if (same && usable != EH_OK)
			return error_set(error, usable, "the device is no longer usable: %s",
			                 error_sentence(&why, usable));
		if (!same)
			continue;
		/* Before the device is opened, so that what its driver allocates lies near. */
		w->placement = placement_near(&info);
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
		status = plugin_load_backend(w->job.plugin, &backend, error);
	return status;
}

static bool wants_sensors(const worker *w)
{
	for (size_t i = 0; i < w->plan->case_count; i++)
		if (w->plan->cases[i].section->measure.telemetry_ns > 0)
			return true;
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
	return status;
}

/* Needs a machine on which nothing else is going on. */
static eh_status calibrate(worker *w, eh_error *error)
{
	eh_status status = measure_new(&w->session, w->job.canary,
	                               random_derive(w->job.protocol_seed, "measure", w->job.execution),
	                               &w->measure, error);

	/* Loading the sensors' drivers must not take a case's time. */
	if (status == EH_OK && wants_sensors(w))
		open_sensors(w);
	return status;
}

static void stop(worker *w)
{
	layout_free(record_placement_layout(), w->placement);
	turnwork_free(w->turns);
	measure_free(w->measure);
	winners_close(&w->winners);
	session_close(&w->session);
	executor_files_free(w->files);
	site_free(w->site);
	plan_free(w->plan);
	protocol_free(w->protocol);
	layout_clear(worker_job_layout(), &w->job);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The digest of the executor as it is before the cases, under which its searches are kept. */
static void add_stack(worker *w, worker_event *e)
{
	executor_subject subject = subject_of(w);
	record_executor *found = layout_new(record_executor_layout());

	say_only(w, WORKER_DESCRIBES);
	executor_describe(&subject, found);
	text_set(&e->stack, found->digest);
	winners_open(&w->winners, found->digest);
	measure_remember(w->measure, &w->winners);
	layout_free(record_executor_layout(), found);
}

/* false when the device cannot be measured. */
static bool get_ready(worker *w)
{
	eh_error error = ERROR_INIT;
	eh_status status = calibrate(w, &error);
	worker_event e;

	if (status != EH_OK) {
		say_failure(w, WORKER_CANNOT, status, &error);
		return false;
	}
	e = event(WORKER_READY);
	e.instrument = layout_new(record_instrument_layout());
	layout_copy(record_instrument_layout(), measure_instrument(w->measure), e.instrument);
	e.instrument->placement = w->placement;
	w->placement = NULL;
	if (!w->job.undescribed)
		add_stack(w, &e);
	say(w, &e);
	return true;
}

/* The answer that ends a case; takes the record.  false when the device is gone. */
static bool say_case(worker *w, record_execution *record, bool lost)
{
	worker_event e = event(WORKER_CASE);

	record->execution = w->job.execution;
	record->position = w->position;
	if (w->job.replacement)
		word_list_add(&record->flags, RECORD_FLAG_REPLACEMENT_WORKER);
	e.record = record;
	if (lost)
		e.lost = MAYBE_YES;
	say(w, &e);
	w->at = NULL;
	return !lost;
}

static bool measure_whole(worker *w)
{
	bool lost = false;
	record_execution *record = measure_case(w->measure, w->at, report, w, &lost);

	return say_case(w, record, lost);
}

static bool open_turns(worker *w)
{
	record_execution *record = NULL;
	worker_event e;
	bool lost = false;

	w->turns = turnwork_open(w->measure, w->at, report, w, &lost, &record);
	if (w->turns == NULL)
		return say_case(w, record, lost);
	e = event(WORKER_OPENED);
	say(w, &e);
	return true;
}

static bool close_turns(worker *w)
{
	bool lost = false;
	record_execution *record = turnwork_close(w->turns, &lost);

	w->turns = NULL;
	return say_case(w, record, lost);
}

static bool take_turn(worker *w, const worker_command *c)
{
	worker_event e = event(WORKER_TURNED);

	if (!turnwork_take(w->turns, (turnwork_place){ c->round, c->length_ns, c->origin_ns }, &e.times_ns,
	                   &e.audit_ns)) {
		layout_clear(worker_event_layout(), &e);
		return close_turns(w);
	}
	say(w, &e);
	return true;
}

static bool begins_case(const worker_command *c)
{
	return c->command == WORKER_MEASURE || c->command == WORKER_OPEN;
}

/* Whether the command can follow what was done. */
static bool enter(worker *w, const worker_command *c)
{
	if (c->command == WORKER_CALIBRATE || c->command == WORKER_FINISH)
		return (c->command == WORKER_FINISH) == (w->measure != NULL);
	if (!begins_case(c))
		return w->turns != NULL;
	w->at = c->id != NULL && w->turns == NULL && w->measure != NULL ? plan_case_by_id(w->plan, c->id) : NULL;
	w->position = c->position;
	w->last_stage = NULL;
	return w->at != NULL;
}

/* false when the worker has to end. */
static bool obey(worker *w, const worker_command *c)
{
	if (!enter(w, c)) {
		eh_error error = ERROR_INIT;

		say_failure(w, WORKER_CANNOT, error_set(&error, EH_E_INTERNAL, "the command does not fit "
		                                        "what was done"), &error);
		return false;
	}
	switch (c->command) {
	case WORKER_CALIBRATE: return get_ready(w);
	case WORKER_MEASURE: return measure_whole(w);
	case WORKER_OPEN: return open_turns(w);
	case WORKER_TURN: return take_turn(w, c);
	case WORKER_CLOSE: return close_turns(w);
	default: say_end(w); return false;
	}
}

/* Commands until one ends the worker or nobody gives any. */
static int serve(worker *w)
{
	bool goes_on = true;

	say_only(w, WORKER_UP);
	while (goes_on) {
		worker_command c;
		char *line;

		if (w->turns != NULL && voice_silent(w->input, RELEASE_MS))
			turnwork_rest(w->turns);
		line = voice_hear(w->input);
		if (line == NULL && interrupt_pending())
			leave(w);
		layout_init(worker_command_layout(), &c);
		if (line == NULL || layout_read(worker_command_layout(), line, strlen(line), "a command",
		                                &c, NULL) != EH_OK) {
			free(line);
			return EXIT_CODE_INCOMPLETE;
		}
		free(line);
		goes_on = obey(w, &c);
		layout_clear(worker_command_layout(), &c);
	}
	return EXIT_CODE_OK;
}

static int prepare_and_serve(worker *w)
{
	eh_error error = ERROR_INIT;
	eh_status status = prepare(w, &error);

	if (status != EH_OK) {
		say_failure(w, WORKER_UNREADY, status, &error);
		return EXIT_CODE_ENVIRONMENT;
	}
	say_only(w, WORKER_START);
	status = start(w, &error);
	if (status != EH_OK) {
		say_failure(w, WORKER_CANNOT, status, &error);
		return EXIT_CODE_ENVIRONMENT;
	}
	return serve(w);
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
	interrupt_install();
	w.voice = voice_take();
	w.input = voice_take_input();
	if (w.voice == NULL || w.input < 0)
		return EXIT_CODE_ENVIRONMENT;
	probedeath_install(fileno(w.voice));
	log_set_sink(pass_on, &w);
	status = read_job(&w, &error);
	if (status != EH_OK) {
		fprintf(stderr, "evenhand worker: %s\n", error.message);
		return error_exit_code(EH_E_USAGE);
	}
	w.files = executor_files_new();
	code = prepare_and_serve(&w);
	stop(&w);
	log_set_sink(NULL, NULL);
	fclose(w.voice);
	return code;
}
