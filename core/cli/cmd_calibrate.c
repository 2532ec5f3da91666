/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/aatrial.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "stat/noisefloor.h"
#include "plugin/host.h"
#include "report/report.h"
#include "run/noise.h"

#define PAIRS_MOST 1000
#define SECOND_NS UINT64_C(1000000000)

typedef struct calibrate_options {
	const char *selectors, *protocol, *site, *show;
	uint64_t pairs;
	bool list, json;
} calibrate_options;

/* ---- what is stored -------------------------------------------------------------------------- */

/* All that are sound; of the others a warning says why not. */
static eh_status read_all(cJSON **out, eh_error *error)
{
	char *folder = noise_folder();
	char **names;

	*out = cJSON_CreateArray();
	if (folder == NULL)
		return EH_OK;
	names = dir_list(folder, ".json", error);
	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char *path = path_join(folder, names[i]);
		eh_error why = ERROR_INIT;
		cJSON *record;

		if (noise_read(path, NULL, &record, &why) == EH_OK)
			cJSON_AddItemToArray(*out, record);
		else
			log_write(EH_LOG_WARN, "%s", why.message);
		free(path);
	}
	free(folder);
	if (names == NULL)
		return EH_E_IO;
	dir_list_free(names);
	return EH_OK;
}

static void print_list(const cJSON *records)
{
	table *t = table_new("llrll");
	const cJSON *item;

	if (cJSON_GetArraySize(records) == 0) {
		puts("no noise floor is stored; evenhand calibrate measures them");
		table_free(t);
		return;
	}
	table_row(t, (const char *[]){ "executor", "measured", "pairs", "protocol", "digest" });
	table_rule(t);
	cJSON_ArrayForEach(item, records) {
		char *pairs = json_text(json_path(item, "pairs"), false);
		char *digest = memory_format("%.12s", json_string(item, "executor_digest", ""));

		table_row(t, (const char *[]){ json_string(item, "executor", ""),
		          json_string(item, "measured_at", ""), pairs,
		          json_string(json_path(item, "protocol"), "name", ""), digest });
		free(pairs);
		free(digest);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static void print_record(const cJSON *record)
{
	table *t = table_new("llrr");
	const cJSON *item;

	printf("%s  %.12s  %s\n", json_string(record, "executor", ""),
	       json_string(record, "executor_digest", ""), json_string(record, "measured_at", ""));
	table_row(t, (const char *[]){ "class", "case", "pairs", "noise floor" });
	table_rule(t);
	cJSON_ArrayForEach(item, json_path(record, "cases")) {
		double floor_of_case = 0;
		char share[32], pairs[32];

		(void)json_double(item, "floor", &floor_of_case);
		snprintf(share, sizeof(share), "%.2f %%", floor_of_case * 100);
		snprintf(pairs, sizeof(pairs), "%d", cJSON_GetArraySize(json_path(item, "ratios")));
		table_row(t, (const char *[]){ json_string(item, "workload", ""),
		          json_string(item, "id", ""), pairs, share });
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static bool meant(const cJSON *record, const char *name)
{
	const char *digest = json_string(record, "executor_digest", "");

	return strcmp(json_string(record, "executor", ""), name) == 0 ||
	       (strlen(name) >= 4 && strncmp(digest, name, strlen(name)) == 0);
}

static void print_stored(const calibrate_options *o, const cJSON *records)
{
	const cJSON *item;

	if (o->json)
		command_json(cJSON_Duplicate(records, true));
	else if (o->show == NULL)
		print_list(records);
	else
		cJSON_ArrayForEach(item, records)
			print_record(item);
}

static eh_status show_stored(cli_call *call, eh_error *error)
{
	const calibrate_options *o = call->options;
	cJSON *records, *chosen = cJSON_CreateArray(), *item;
	eh_status status = read_all(&records, error);

	cJSON_ArrayForEach(item, records)
		if (o->show == NULL || meant(item, o->show))
			cJSON_AddItemReferenceToArray(chosen, item);
	if (status == EH_OK && o->show != NULL && cJSON_GetArraySize(chosen) == 0)
		status = error_set(error, EH_E_USAGE, "no noise floor of '%s' is stored; evenhand calibrate "
		                   "--list names them", o->show);
	if (status == EH_OK)
		print_stored(o, chosen);
	cJSON_Delete(chosen);
	cJSON_Delete(records);
	return status;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void wipe(void)
{
	fputs("\r\033[K", stderr);
}

static void report(void *context, const aatrial_progress *p)
{
	const bool *terminal = context;
	text line = { 0 };

	text_add(&line, "%s  run %zu of %zu", p->protocol, p->run, p->runs);
	if (p->left_ns >= 60 * SECOND_NS)
		text_add(&line, "  %llu min %02llu s left", (unsigned long long)(p->left_ns / SECOND_NS / 60),
		         (unsigned long long)(p->left_ns / SECOND_NS % 60));
	else if (p->left_ns > 0)
		text_add(&line, "  %llu s left", (unsigned long long)(p->left_ns / SECOND_NS));
	if (*terminal) {
		fprintf(stderr, "\r%s\033[K", line.data);
		fflush(stderr);
	} else {
		log_write(EH_LOG_INFO, "%s", line.data);
	}
	text_free(&line);
}

static eh_status store(cJSON *records, bool json, int *code, eh_error *error)
{
	cJSON *list = cJSON_CreateArray(), *record;
	eh_status status = EH_OK;

	cJSON_ArrayForEach(record, records) {
		cJSON *missing = cJSON_DetachItemFromObjectCaseSensitive(record, "missing"), *item;
		const char *name = json_string(record, "executor", "");
		char *path = NULL;

		cJSON_ArrayForEach(item, missing) {
			log_write(EH_LOG_WARN, "%s: %s gave too few ratios, so it has no noise floor", name,
			          item->valuestring);
			*code = EXIT_CODE_ROWS_FAILED;
		}
		cJSON_Delete(missing);
		if (cJSON_GetArraySize(json_path(record, "cases")) == 0)
			continue;
		status = noise_write(record, &path, error);
		if (status != EH_OK)
			break;
		if (json) {
			item = cJSON_Duplicate(record, true);
			json_add_string(item, "path", path);
			cJSON_AddItemToArray(list, item);
		} else {
			print_record(record);
			printf("  %s\n", path);
		}
		free(path);
	}
	if (status == EH_OK && json)
		command_json(list);
	else
		cJSON_Delete(list);
	return status;
}

static eh_status calibrate(cli_call *call, eh_error *error)
{
	const calibrate_options *o = call->options;
	bool quiet = call->quiet, terminal = !quiet && isatty(STDERR_FILENO);
	aatrial_options trial = { .protocol = o->protocol, .selectors = o->selectors, .site = o->site,
		                  .pairs = (size_t)o->pairs, .report = quiet ? NULL : report,
		                  .context = &terminal };
	cJSON *records = NULL;
	eh_status status;

	interrupt_install();
	signal(SIGXFSZ, SIG_IGN);
	if (terminal)
		log_set_before(wipe);
	status = noise_folder_make(error);
	if (status == EH_OK)
		status = aatrial_run(&trial, &records, error);
	if (terminal) {
		wipe();
		log_set_before(NULL);
	}
	if (status == EH_OK)
		status = store(records, o->json, &call->code, error);
	cJSON_Delete(records);
	return status;
}

enum { MEASURE, LIST, SHOW };

const cli_command cmd_calibrate = {
	.name = "calibrate",
	.group = CLI_ANALYSIS,
	.summary = "measure the run-to-run noise of executors; compare ignores differences below it",
	.about = "Runs a short protocol twice, again and again, and sees by how much the two runs of a pair differ, "
	         "though nothing did. The noise floor of a class of cases (its workload) is the upper 95 % "
	         "confidence bound of what 95 % of pairs stay within. It is stored under the digest of exactly this "
	         "stack, in $XDG_STATE_HOME/evenhand/noise: a change of the stack asks for another calibration. "
	         "`run` puts the noise floor into its results.\n\n"
	         "Calibrate on the machine as it is when you measure: on a busy one the floor is high, and "
	         "comparisons say little. It takes some minutes for each executor.",
	.forms = (const cli_form[]){ { NULL, { { 0 } }, NULL, calibrate }, { "--list", { { 0 } }, NULL, show_stored },
		                     { "--show", { { 0 } }, NULL, show_stored }, { 0 } },
	.options = (const cli_option[]){
		{ "on", OPTION_SELECTORS, offsetof(calibrate_options, selectors), .about = "as for run; without it all "
		  "executors", .value = "SELECTOR,...", .forms = CLI_FORM(MEASURE) },
		{ "pairs", OPTION_NUMBER, offsetof(calibrate_options, pairs), .about = "3 to 1000; more make the bound tighter",
		  .value = "N", .preset = "10", .low = NOISEFLOOR_LEAST, .high = PAIRS_MOST, .forms = CLI_FORM(MEASURE) },
		{ "protocol", OPTION_PROTOCOL, offsetof(calibrate_options, protocol), .about = "the protocol to run; "
		  "calibrate-1 has one case of each workload", .value = "PROTOCOL", .preset = "calibrate-1",
		  .forms = CLI_FORM(MEASURE) },
		{ "set", OPTION_SETTING, 0, .about = "a setting of a backend", .value = "BACKEND.KEY=VALUE", .forms = CLI_FORM(MEASURE) },
		{ "site", OPTION_PATH, offsetof(calibrate_options, site), .about = "what this place declares", .value = "FILE",
		  .forms = CLI_FORM(MEASURE) },
		{ "list", OPTION_FLAG, offsetof(calibrate_options, list), .about = "list what is stored",
		  .forms = CLI_FORM(LIST) },
		{ "show", OPTION_EXECUTOR, offsetof(calibrate_options, show), .about = "print the stored classes and cases of "
		  "an executor, by its name or by the first digits of its digest, four at least", .value = "EXECUTOR",
		  .forms = CLI_FORM(SHOW) },
		CLI_JSON(calibrate_options),
		{ 0 } },
	.size = sizeof(calibrate_options),
	.exits = (const cli_item[]){
		{ "5", "disk, rights, drivers, or the executor changed meanwhile" },
		{ "6", "interrupted; nothing is stored" },
		{ "7", "stored, but without the cases that gave too few ratios" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand calibrate --on host:0", "evenhand calibrate --show host:gcc-12",
		"evenhand calibrate --on opencl --pairs 60 --protocol my.ini", NULL },
};
