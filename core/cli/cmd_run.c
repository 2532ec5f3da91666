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

static int run_run(int argc, char **argv);

extern const command command_run;
const command command_run = {
	.name = "run",
	.summary = "measure a protocol on every executor, or on those that are named",
	.help = "usage: evenhand run PROTOCOL [--on SELECTOR,...] [-o DIR] [--executions N]\n"
	        "                    [--site FILE] [--set BACKEND.KEY=VALUE]... [--json] [-q] [-v]\n"
	        "       evenhand run --resume DIR [--site FILE] [--json] [-q] [-v]\n"
	        "\n"
	        "Measures each case of the protocol in fresh processes, one executor at a time, and\n"
	        "writes one result per executor to DIR.  PROTOCOL is a name (`evenhand protocol\n"
	        "list`) or a file.  A worker that crashes or hangs costs its case; a run that was\n"
	        "stopped or killed goes on with --resume and loses no finished case.\n"
	        "\n"
	        "  --on SELECTOR,...   all (the default), BACKEND, BACKEND:INDEX or BACKEND:TEXT, where\n"
	        "                      TEXT is part of a device's id, name or platform\n"
	        "  -o DIR              default: results/NAME-VERSION-TIME\n"
	        "  --executions N      1 to 100, instead of the protocol's number; recorded as a\n"
	        "                      deviation\n"
	        "  --resume DIR        complete the run in DIR\n"
	        "  --set BACKEND.KEY=VALUE   a setting of a backend; recorded\n"
	        "  --site FILE         what this place declares (`evenhand site`); else EVENHAND_SITE, else\n"
	        "                      site.ini of the user's configuration; --resume needs it again\n"
	        "  --json              the summary as JSON on stdout\n"
	        "  -q, --quiet         no progress on stderr\n"
	        "  -v, --verbose       more messages on stderr; twice: all of them\n"
	        "\n"
	        "EVENHAND_TESTER, EVENHAND_PARTY (vendor, buyer or third-party) and EVENHAND_SPONSOR\n"
	        "in the environment say in the results who measured.\n"
	        "\n"
	        "Exit code: 0 all rows are fine; 4 usage; 5 disk, rights, drivers; 6 interrupted, resume\n"
	        "it; 7 the run ended, but rows failed or are invalid.\n"
	        "\n"
	        "  evenhand run quick\n"
	        "  evenhand run stream-1 --on host,opencl:pocl -o results/today\n"
	        "  evenhand run --resume results/today\n",
	.run = run_run,
	.values = "--on -o --resume --executions --site",
	.again = "--set",
};

typedef struct flags { run_options options; bool json; } flags;

typedef struct built {
	char *executor, *path;
	result_summary summary;
} built;

/* ---- flags ----------------------------------------------------------------------------------- */

static eh_status read_value(const char *flag, const char *value, flags *f, eh_error *error)
{
	uint64_t number = 0;

	if (strcmp(flag, "--on") == 0) {
		f->options.selectors = value;
	} else if (strcmp(flag, "-o") == 0) {
		f->options.folder = value;
	} else if (strcmp(flag, "--resume") == 0) {
		f->options.folder = value;
		f->options.resume = true;
	} else if (strcmp(flag, "--site") == 0) {
		f->options.site = value;
	} else if (strcmp(flag, "--executions") == 0) {
		const schema_key *range = schema_find(schema_protocol, "executions");

		if (!text_parse_uint(value, &number) || (double)number < range->low ||
		    (double)number > range->high)
			return error_set(error, EH_E_USAGE, "--executions takes a number from %.0f to "
			                 "%.0f, not '%s'", range->low, range->high, value);
		f->options.executions = number;
	} else {
		return host_option_set(value, error);
	}
	return EH_OK;
}

static eh_status read_flags(int argc, char **argv, flags *f, eh_error *error)
{
	bool output = false;

	/* Asked for errors only, nobody waits for progress. */
	f->options.quiet = log_level() <= EH_LOG_ERROR;
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];

		if (command_takes_value(&command_run, a)) {
			eh_status status;

			if (i + 1 == argc || argv[i + 1][0] == '\0')
				return error_set(error, EH_E_USAGE, "%s needs a value", a);
			status = read_value(a, argv[++i], f, error);
			if (status != EH_OK)
				return status;
			output = output || strcmp(a, "-o") == 0;
		} else if (strcmp(a, "--json") == 0) {
			f->json = true;
		} else if (strcmp(a, "-q") == 0 || strcmp(a, "--quiet") == 0) {
			f->options.quiet = true;
		} else if (command_level(a)) {
			continue;
		} else if (a[0] == '-' && a[1] != '\0') {
			return error_set(error, EH_E_USAGE, "unknown flag '%s'", a);
		} else if (f->options.protocol != NULL) {
			return error_set(error, EH_E_USAGE, "one protocol at a time: '%s' and '%s'",
			                 f->options.protocol, a);
		} else {
			f->options.protocol = a;
		}
	}
	if (!f->options.resume && f->options.protocol == NULL)
		return error_set(error, EH_E_USAGE, "which protocol? `evenhand protocol list` names them");
	if (f->options.resume && (f->options.protocol != NULL || f->options.selectors != NULL || output ||
	                          f->options.executions != 0 || host_options()[0] != NULL))
		return error_set(error, EH_E_USAGE, "--resume takes protocol, executors, executions and "
		                 "settings from the run that it completes; name nothing else");
	return EH_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

/* "DIR/opencl-pocl-0.json" */
static char *result_path(const char *folder, const char *executor)
{
	char *path = memory_format("%s/%s.json", folder, executor);

	for (char *c = path + strlen(folder) + 1; *c != '\0'; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
	return path;
}

static eh_status build_all(const run_outcome *outcome, built *all, size_t count, eh_error *error)
{
	for (size_t i = 0; i < count; i++) {
		eh_status status;

		all[i].executor = memory_text(outcome->executors[i]);
		all[i].path = result_path(outcome->folder, outcome->executors[i]);
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
	char *body;

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
	body = json_text(root, true);
	puts(body);
	free(body);
	cJSON_Delete(root);
}

static void add_count(text *t, size_t count, const char *word)
{
	if (count > 0)
		text_add(t, "%s%zu %s", t->size > 0 ? ", " : "", count, word);
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
	if (!outcome->complete)
		printf("next: evenhand run --resume %s\n", outcome->folder);
	else if (count == 1)
		printf("next: evenhand show %s\n", all[0].path);
	else
		printf("next: evenhand show %s\n      evenhand compare %s %s\n", all[0].path,
		       all[0].path, all[1].path);
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
		char *why = memory_text(error->message);

		(void)error_set(error, status, "%s; all that was measured is in %s: when it can be written, "
		                "evenhand run --resume %s makes the results", why, outcome->journal,
		                outcome->folder);
		free(why);
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

static int run_run(int argc, char **argv)
{
	flags f = { 0 };
	run_outcome outcome;
	eh_error error = ERROR_INIT;
	int code = EXIT_CODE_INTERNAL;
	eh_status status;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_run);
	if (read_flags(argc, argv, &f, &error) != EH_OK)
		return command_fail(&command_run, &error);
	if (!clock_epoch_sound())
		log_write(EH_LOG_WARN, "SOURCE_DATE_EPOCH is no number of seconds; the records tell the "
		          "true time");
	interrupt_install();
	/* A limit on the size of files is an error to report, not a death. */
	signal(SIGXFSZ, SIG_IGN);
	status = run_execute(&f.options, &outcome, &error);
	if (status != EH_OK && outcome.stopped) {
		/* What was measured until then is left as incomplete results. */
		eh_error unread = ERROR_INIT;

		if (finish(&outcome, f.json, &code, &unread) != EH_OK)
			log_write(EH_LOG_WARN, "the incomplete results were not written: %s",
			          unread.message);
	} else if (status == EH_OK) {
		status = finish(&outcome, f.json, &code, &error);
		code = command_printed(&command_run, code);
		if (outcome.interrupted)
			log_write(EH_LOG_WARN, "the run was interrupted; evenhand run --resume %s completes "
			          "it", outcome.folder);
	}
	run_outcome_free(&outcome);
	return status == EH_OK ? code : command_fail(&command_run, &error);
}
