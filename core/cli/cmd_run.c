/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/agreements.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "cli/plan_page.h"
#include "cli/written_results.h"
#include "protocol/schema.h"
#include "record/result.h"
#include "report/screen.h"
#include "run/run.h"

typedef struct measure_options {
	const char *selectors, *folder, *resume, *site;
	const char *cases, *cache, *device_file, *agreements;
	uint64_t executions, units;
	int size_class;
	bool json, plan, salvage;
} measure_options;

/* ---- results --------------------------------------------------------------------------------- */

static void fill_rows(const result_summary *s, number_map *rows)
{
	number_map_add(rows, record_status_word(RECORD_VALID), (double)s->valid);
	number_map_add(rows, record_status_word(RECORD_NOT_CONVERGED), (double)s->not_converged);
	number_map_add(rows, record_status_word(RECORD_UNPROVEN), (double)s->unproven);
	number_map_add(rows, record_status_word(RECORD_UNSUPPORTED), (double)s->unsupported);
	number_map_add(rows, record_status_word(RECORD_FAILED), (double)s->failed);
	number_map_add(rows, record_status_word(RECORD_INVALID), (double)s->invalid);
	number_map_add(rows, record_status_word(RECORD_OUT_OF_TIME), (double)s->out_of_time);
	number_map_add(rows, "not run", (double)s->not_run);
}

/* Rows of all executors: those that give an exit code of their own, and those with a number. */
typedef struct tally { size_t bad, counted; } tally;

/* Where the results go: the answer, and the tally. */
typedef struct collected { answer_run *answer; tally rows; } collected;

static eh_status collect(void *context, const char *executor, const char *path,
                         const result_summary *summary, eh_error *error)
{
	collected *c = context;
	answer_result *built = layout_append(answer_result_layout(), &c->answer->results);

	(void)error;
	text_set(&built->executor, executor);
	text_set(&built->path, path);
	fill_rows(summary, &built->rows);
	c->rows.bad += summary->failed + summary->invalid + summary->out_of_time + summary->not_run;
	c->rows.counted += summary->valid + summary->not_converged + summary->unproven;
	return EH_OK;
}

/* What to do next, as a shell takes it. */
static void suggest(const answer_run *a)
{
	char *folder = text_shell_word(a->folder);
	char *first = text_shell_word(a->results.count > 0 ? a->results.items[0].path : "");

	if (a->status != RECORD_COMPLETE)
		printf("next: evenhand run --resume %s\n", folder);
	else if (a->results.count > 1)
		printf("next: evenhand explain CASE %s\n", folder);
	else
		printf("next: evenhand show -v %s\n", first);
	free(first);
	free(folder);
}

/* The results as they were written, in the order of the run. */
static eh_status print_results(const answer_run *a, eh_error *error)
{
	result **all = memory_get((a->results.count + 1) * sizeof(*all));
	eh_status status = EH_OK;
	size_t count = 0;

	while (count < a->results.count && status == EH_OK) {
		status = result_read(a->results.items[count].path, &all[count], error);
		count += status == EH_OK;
	}
	if (status == EH_OK && count > 0)
		(void)report_run(stdout, (const result *const *)all, count, cli_inputs_first(all, count));
	for (size_t i = 0; i < count; i++)
		result_free(all[i]);
	free(all);
	if (status == EH_OK)
		suggest(a);
	return status;
}

static eh_status finish(const run_outcome *outcome, bool json, int *code, eh_error *error)
{
	answer_run answer = { .folder = memory_text(outcome->folder),
		              .journal = memory_text(outcome->journal),
		              .status = outcome->complete ? RECORD_COMPLETE : RECORD_INCOMPLETE };
	collected results = { .answer = &answer };
	char *folder = text_shell_word(outcome->folder);
	char *next = memory_format("evenhand run --resume %s", folder);
	eh_status status = written_results(outcome, next, collect, &results, error);

	free(next);
	free(folder);
	if (status == EH_OK && json)
		command_layout(answer_run_layout(), &answer);
	else if (status == EH_OK)
		status = print_results(&answer, error);
	*code = !outcome->complete ? EXIT_CODE_INCOMPLETE :
	        results.rows.bad > 0 || results.rows.counted == 0 ? EXIT_CODE_ROWS_FAILED : EXIT_CODE_OK;
	layout_clear(answer_run_layout(), &answer);
	return status;
}

/* A run that had to stop leaves incomplete results of what was measured. */
static void finish_stopped(const run_outcome *outcome, bool json, int *code)
{
	eh_error unread = ERROR_INIT;

	if (finish(outcome, json, code, &unread) != EH_OK)
		log_write(EH_LOG_WARN, "the incomplete results were not written: %s", unread.message);
}

static eh_status measure(const run_options *options, bool json, int *code, eh_error *error)
{
	run_outcome outcome;
	eh_status status;

	if (!clock_epoch_sound())
		log_write(EH_LOG_WARN, "SOURCE_DATE_EPOCH is not a number of seconds; the records have the true "
		          "time");
	interrupt_install();
	interrupt_on_pipe();
	status = run_execute(options, &outcome, error);
	if (status != EH_OK && outcome.stopped) {
		finish_stopped(&outcome, json, code);
	} else if (status == EH_OK) {
		status = finish(&outcome, json, code, error);
		if (outcome.interrupted) {
			char *folder = text_shell_word(outcome.folder);

			(void)fflush(stdout);
			log_write(EH_LOG_WARN, "the run was interrupted; evenhand run --resume %s completes it",
			          folder);
			free(folder);
		}
	}
	run_outcome_free(&outcome);
	return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static eh_status print_plan(const run_options *options, bool json, eh_error *error)
{
	run_plan planned;
	eh_status status;

	layout_init(run_plan_layout(), &planned);
	status = run_plan_make(options, &planned, error);
	if (status == EH_OK && json)
		command_layout(run_plan_layout(), &planned);
	else if (status == EH_OK)
		plan_page_print(&planned);
	layout_clear(run_plan_layout(), &planned);
	return status;
}

static eh_status run(cli_call *call, eh_error *error)
{
	const measure_options *o = call->options;
	run_options options = { .protocol = call->words[0], .selectors = o->selectors, .folder = o->folder,
		                .executions = o->executions, .site = o->site, .cases = o->cases,
		                .size_class = (enum record_size_class)o->size_class,
		                .compute_units = o->units,
		                .device_file = o->device_file, .quiet = call->quiet };
	record_agreement_list agreed = { NULL, 0 };
	eh_status status;

	if (o->cache != NULL && (!text_parse_bytes(o->cache, &options.cache_bytes) || options.cache_bytes == 0))
		return error_set(error, EH_E_USAGE, "--cache is a size such as 64MiB, not '%.40s'", o->cache);
	if (o->device_file != NULL && !o->plan)
		return error_set(error, EH_E_USAGE, "--device-file describes devices that may not be here, so "
		                 "nothing can be measured on them; add --plan");
	status = agreements_gather(options.protocol, o->agreements, &agreed, error);
	options.agreements = &agreed;
	options.agreements_asked = o->agreements != NULL;
	if (status == EH_OK)
		status = o->plan ? print_plan(&options, o->json, error) :
		                   measure(&options, o->json, &call->code, error);
	layout_list_clear(record_agreement_layout(), &agreed);
	return status;
}

static eh_status resume(cli_call *call, eh_error *error)
{
	const measure_options *o = call->options;
	run_options options = { .folder = o->resume, .resume = true, .salvage = o->salvage,
		                .site = o->site, .quiet = call->quiet };

	return measure(&options, o->json, &call->code, error);
}

enum { RUN, RESUME };

const cli_command cmd_run = {
	.name = "run",
	.group = CLI_EVERYDAY,
	.summary = "measure a protocol on every executor, or on those that are named",
	.about = "Measures each case of the protocol in fresh processes, one executor at a time, "
	         "and writes one result per executor, EXECUTOR.json, to the folder. Every finished "
	         "case is appended to run.journal there: a worker that crashes or hangs costs its "
	         "case, and a run that was interrupted or killed is completed with `--resume`. A torn "
	         "end of the journal costs what it held, with a warning; where a line in the middle was "
	         "damaged or changed, `--resume` refuses, and `--salvage` goes on without it.\n\n"
	         "PROTOCOL is a name that `evenhand protocol list` shows, or a path (with a `/`, "
	         "or ending in `.ini`). A protocol with `executions-max` measures its `executions` "
	         "first, then as many more as their spread asks for (docs/method.md); `-v` says "
	         "how many and why, `--executions` replaces both. A protocol with `requires` or "
	         "`level = certified` ends with exit code 5 before anything is measured when an "
	         "executor does not disclose what it has to. Where `evenhand calibrate` has stored "
	         "the noise floor of exactly this stack, the results have it.\n\n"
	         "The end prints what compare prints of the folder, or of a single executor what show "
	         "prints; with `--json` the number of rows by status, where cases that an incomplete "
	         "run did not reach are \"not run\". The variables EVENHAND_TESTER, EVENHAND_PARTY (vendor, buyer or "
	         "third-party) and EVENHAND_SPONSOR say in the results who measured.",
	.forms = (const cli_form[]){
		{ NULL, { { "PROTOCOL", .kind = OPTION_PROTOCOL } }, NULL, run },
		{ "--resume", { { 0 } }, NULL, resume }, { 0 } },
	.options = (const cli_option[]){
		{ "on", OPTION_SELECTORS, offsetof(measure_options, selectors),
		  .about = "executors: all (the default), BACKEND, BACKEND:INDEX, or BACKEND:TEXT, "
		           "where TEXT is a device's id, else part of ids, else part of names or platforms, "
		           "in any case; each of several has to be here",
		  .value = "SELECTOR,...", .forms = CLI_FORM(RUN) },
		{ "output", OPTION_PATH, offsetof(measure_options, folder),
		  .about = "the folder; without it results/NAME-VERSION-TIME", .value = "DIR",
		  .forms = CLI_FORM(RUN), .letter = 'o' },
		{ "executions", OPTION_NUMBER, offsetof(measure_options, executions),
		  .about = "processes that measure each case, 1 to 100, instead of the protocol's "
		           "number; recorded as a deviation", .value = "N", .low = 1,
		  .high = SCHEMA_EXECUTIONS_MOST, .forms = CLI_FORM(RUN) },
		{ "case", OPTION_TEXT, offsetof(measure_options, cases),
		  .about = "measure only cases whose ids match one of the patterns (`*`, `?`)",
		  .value = "PATTERN,...", .forms = CLI_FORM(RUN) },
		{ "class", OPTION_WORD, offsetof(measure_options, size_class), .preset = "auto",
		  .words = (const char *const[]){ "auto", "small", "medium", "large", NULL },
		  .about = "size of the problems, where the protocol has several, instead of that of the "
		           "largest device: the same on two machines makes their results comparable",
		  .forms = CLI_FORM(RUN) },
		{ "cache", OPTION_TEXT, offsetof(measure_options, cache),
		  .about = "last-level cache that sizes in caches follow (`4 x llc`), instead of that of the "
		           "largest device: the same on two machines makes their results comparable",
		  .value = "SIZE", .forms = CLI_FORM(RUN) },
		{ "units", OPTION_NUMBER, offsetof(measure_options, units),
		  .about = "compute units that numbers in units follow (`400 x units`), instead of those of the "
		           "largest device: the same on two machines makes their results comparable",
		  .value = "N", .low = 1, .high = SCHEMA_UNITS_MOST, .forms = CLI_FORM(RUN) },
		{ "device-file", OPTION_PATH, offsetof(measure_options, device_file),
		  .about = "with --plan: the devices that FILE describes (docs/protocol.md), in place of those "
		           "that are here", .value = "FILE", .forms = CLI_FORM(RUN) },
		{ "agreements", OPTION_PATH, offsetof(measure_options, agreements),
		  .about = "a file or a folder with the teams' agreements to the protocol (`evenhand help agree`), "
		           "instead of the folder of the protocol, or this one for a name; the results record "
		           "them. One that does not fit is then refused, and not left out with a warning",
		  .value = "PATH", .forms = CLI_FORM(RUN) },
		{ "plan", OPTION_FLAG, offsetof(measure_options, plan),
		  .about = "print cases, sizes, memory and time, and measure nothing", .forms = CLI_FORM(RUN) },
		{ "resume", OPTION_PATH, offsetof(measure_options, resume),
		  .about = "complete the run in DIR", .value = "DIR", .forms = CLI_FORM(RESUME) },
		{ "salvage", OPTION_FLAG, offsetof(measure_options, salvage),
		  .about = "where a line in the middle of the journal is damaged: keep the lines that are sound, "
		           "measure the others again, and record it; the damaged journal stays beside it",
		  .forms = CLI_FORM(RESUME) },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of a backend; recorded. --resume uses those of the run, but from its journal it "
		           "takes only numbers and switches (yes, no, on, off, true, false, none, auto); one that "
		           "may name a library, a program or a folder has to be given again", .value = "BACKEND.KEY=VALUE" },
		{ "site", OPTION_PATH, offsetof(measure_options, site),
		  .about = "what this place declares (docs/executor.md), instead of EVENHAND_SITE "
		           "and of site.ini in the user's configuration; --resume needs it again",
		  .value = "FILE" },
		{ "json", OPTION_FLAG, offsetof(measure_options, json),
		  .about = "print the summary as JSON" }, { 0 } },
	.size = sizeof(measure_options),
	.live = CLI_FORM(RUN) | CLI_FORM(RESUME),
	.exits = (const cli_item[]){
		{ "0", "rows were measured, and none failed or is invalid" },
		{ "5", "disk, rights, drivers" },
		{ "6", "interrupted; complete it with --resume" },
		{ "7", "the run ended, but rows failed or are invalid, or none has a number" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand run quick", "evenhand run stream-2 --on host,opencl:pocl -o results/today",
		"evenhand run --resume results/today", NULL },
};
