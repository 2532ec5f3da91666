/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "plugin/host.h"
#include "protocol/schema.h"
#include "record/result.h"
#include "run/run.h"

typedef struct measure_options {
	const char *selectors, *folder, *resume, *site;
	uint64_t executions;
	bool json;
} measure_options;

typedef struct built {
	char *executor, *path;
	result_summary summary;
} built;

/* ---- results --------------------------------------------------------------------------------- */

static eh_status build_all(const run_outcome *outcome, built *all, size_t count, eh_error *error)
{
	for (size_t i = 0; i < count; i++) {
		eh_status status;

		all[i].executor = memory_text(outcome->executors[i]);
		all[i].path = run_result_path(outcome->folder, outcome->executors[i]);
		status = result_build(outcome->journal, outcome->executors[i], outcome->complete,
		                      all[i].path, &all[i].summary, error);
		if (status != EH_OK)
			return status;
	}
	return EH_OK;
}

static void print_json(const run_outcome *outcome, const built *all, size_t count)
{
	cJSON *root = cJSON_CreateObject(), *list;

	json_add_string(root, "folder", outcome->folder);
	json_add_string(root, "journal", outcome->journal);
	json_add_string(root, "status", outcome->complete ? "complete" : "incomplete");
	list = json_add_array(root, "results");
	for (size_t i = 0; i < count; i++) {
		const result_summary *s = &all[i].summary;
		cJSON *item = cJSON_CreateObject(), *rows;

		json_add_string(item, "executor", all[i].executor);
		json_add_string(item, "path", all[i].path);
		rows = json_add_object(item, "rows");
		json_add_uint(rows, "valid", s->valid);
		json_add_uint(rows, "not-converged", s->not_converged);
		json_add_uint(rows, "unsupported", s->unsupported);
		json_add_uint(rows, "failed", s->failed);
		json_add_uint(rows, "invalid", s->invalid);
		json_add_uint(rows, "not_run", s->not_run);
		cJSON_AddItemToArray(list, item);
	}
	command_json(root);
}

static void add_count(text *t, size_t count, const char *word)
{
	if (count > 0)
		text_add(t, "%s%zu %s", t->size > 0 ? ", " : "", count, word);
}

/* What to do next, as a shell takes it. */
static void suggest(const run_outcome *outcome, const built *all, size_t count)
{
	char *folder = text_shell_word(outcome->folder);
	char *first = text_shell_word(count > 0 ? all[0].path : "");

	if (!outcome->complete)
		printf("next: evenhand run --resume %s\n", folder);
	else
		printf("next: evenhand show %s\n", first);
	if (outcome->complete && count > 1)
		printf("      evenhand compare %s\n", folder);
	free(first);
	free(folder);
}

static void print_words(const run_outcome *outcome, const built *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const result_summary *s = &all[i].summary;
		text rows = { 0 };

		add_count(&rows, s->valid, "valid");
		add_count(&rows, s->not_converged, "not converged");
		add_count(&rows, s->unsupported, "unsupported");
		add_count(&rows, s->failed, "failed");
		add_count(&rows, s->invalid, "invalid");
		add_count(&rows, s->not_run, "not run");
		printf("%s: %s%s\n  %s\n", all[i].executor, rows.size > 0 ? rows.data : "no rows",
		       outcome->complete ? "" : " (incomplete)", all[i].path);
		text_free(&rows);
	}
	suggest(outcome, all, count);
}

static int exit_code(const run_outcome *outcome, const built *all, size_t count)
{
	size_t bad = 0;

	if (!outcome->complete)
		return EXIT_CODE_INCOMPLETE;
	for (size_t i = 0; i < count; i++)
		bad += all[i].summary.failed + all[i].summary.invalid + all[i].summary.not_run;
	return bad > 0 ? EXIT_CODE_ROWS_FAILED : EXIT_CODE_OK;
}

static eh_status finish(const run_outcome *outcome, bool json, int *code, eh_error *error)
{
	size_t count = 0;
	built *all;
	eh_status status;

	while (outcome->executors[count] != NULL)
		count++;
	all = memory_get((count + 1) * sizeof(*all));
	status = build_all(outcome, all, count, error);
	if (status == EH_E_IO) {
		char *why = memory_text(error->message), *folder = text_shell_word(outcome->folder);

		(void)error_set(error, status, "%s; all that was measured is in %s: when it can be written, "
		                "evenhand run --resume %s makes the results", why, outcome->journal, folder);
		free(why);
		free(folder);
	}
	if (status == EH_OK && json)
		print_json(outcome, all, count);
	else if (status == EH_OK)
		print_words(outcome, all, count);
	*code = exit_code(outcome, all, count);
	for (size_t i = 0; i < count; i++) {
		free(all[i].executor);
		free(all[i].path);
	}
	free(all);
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
	/* A limit on the size of files is an error to report, not a death. */
	signal(SIGXFSZ, SIG_IGN);
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

static eh_status run(cli_call *call, eh_error *error)
{
	const measure_options *o = call->options;
	run_options options = { .protocol = call->words[0], .selectors = o->selectors, .folder = o->folder,
		                .executions = o->executions, .site = o->site,
		                .quiet = call->quiet };

	return measure(&options, o->json, &call->code, error);
}

static eh_status resume(cli_call *call, eh_error *error)
{
	const measure_options *o = call->options;
	run_options options = { .folder = o->resume, .resume = true, .site = o->site,
		                .quiet = call->quiet };

	if (host_options()[0] != NULL)
		return error_set(error, EH_E_USAGE, "run --resume does not take --set; it uses the settings of the "
		                 "run that it completes");
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
	         "case, and a run that was interrupted or killed is completed with `--resume`.\n\n"
	         "PROTOCOL is a name that `evenhand protocol list` shows, or a path (with a `/`, "
	         "or ending in `.ini`). A protocol with `executions-max` measures its `executions` "
	         "first, then as many more as their spread asks for (docs/method.md); `-v` says "
	         "how many and why, `--executions` replaces both. A protocol with `requires` or "
	         "`level = certified` ends with exit code 5 before anything is measured when an "
	         "executor does not disclose what it has to. Where `evenhand calibrate` has stored "
	         "the noise floor of exactly this stack, the results have it.\n\n"
	         "The summary counts rows by status; cases that an incomplete run did not reach "
	         "are \"not run\". The variables EVENHAND_TESTER, EVENHAND_PARTY (vendor, buyer or "
	         "third-party) and EVENHAND_SPONSOR say in the results who measured.",
	.forms = (const cli_form[]){
		{ NULL, { { "PROTOCOL", .kind = OPTION_PROTOCOL } }, NULL, run },
		{ "--resume", { { 0 } }, NULL, resume }, { 0 } },
	.options = (const cli_option[]){
		{ "on", OPTION_SELECTORS, offsetof(measure_options, selectors),
		  .about = "executors: all (the default), BACKEND, BACKEND:INDEX, or BACKEND:TEXT, "
		           "where TEXT is part of a device's id, name or platform in any case",
		  .value = "SELECTOR,...", .forms = CLI_FORM(RUN) },
		{ "output", OPTION_PATH, offsetof(measure_options, folder),
		  .about = "the folder; without it results/NAME-VERSION-TIME", .value = "DIR",
		  .forms = CLI_FORM(RUN), .letter = 'o' },
		{ "executions", OPTION_NUMBER, offsetof(measure_options, executions),
		  .about = "processes that measure each case, 1 to 100, instead of the protocol's "
		           "number; recorded as a deviation", .value = "N", .low = 1,
		  .high = SCHEMA_EXECUTIONS_MOST, .forms = CLI_FORM(RUN) },
		{ "resume", OPTION_PATH, offsetof(measure_options, resume),
		  .about = "complete the run in DIR", .value = "DIR", .forms = CLI_FORM(RESUME) },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of a backend; recorded", .value = "BACKEND.KEY=VALUE",
		  .forms = CLI_FORM(RUN) },
		{ "site", OPTION_PATH, offsetof(measure_options, site),
		  .about = "what this place declares (docs/executor.md), instead of EVENHAND_SITE "
		           "and of site.ini in the user's configuration; --resume needs it again",
		  .value = "FILE" },
		{ "json", OPTION_FLAG, offsetof(measure_options, json),
		  .about = "print the summary as JSON" }, { 0 } },
	.size = sizeof(measure_options),
	.exits = (const cli_item[]){
		{ "0", "all rows are fine" },
		{ "5", "disk, rights, drivers" },
		{ "6", "interrupted; complete it with --resume" },
		{ "7", "the run ended, but rows failed or are invalid" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand run quick", "evenhand run stream-1 --on host,opencl:pocl -o results/today",
		"evenhand run --resume results/today", NULL },
};
