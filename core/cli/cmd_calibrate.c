/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/aatrial.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/terminal.h"
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

static bool meant(const noise_record *record, const char *name)
{
	return strcmp(record->executor, name) == 0 ||
	       (strlen(name) >= 4 && strncmp(record->executor_digest, name, strlen(name)) == 0);
}

/* Appends the sound records of that executor (NULL: of all); warns of the others. */
static eh_status read_all(const char *name, noise_record_list *out, eh_error *error)
{
	char *folder = noise_folder();
	char **names;

	if (folder == NULL)
		return EH_OK;
	names = dir_list(folder, ".json", error);
	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char *path = path_join(folder, names[i]);
		eh_error why = ERROR_INIT;
		noise_record record;

		layout_init(noise_record_layout(), &record);
		if (noise_read(path, NULL, &record, &why) != EH_OK)
			log_write(EH_LOG_WARN, "%s", why.message);
		else if (name == NULL || meant(&record, name))
			layout_move(noise_record_layout(), &record,
			            layout_append(noise_record_layout(), out));
		layout_clear(noise_record_layout(), &record);
		free(path);
	}
	free(folder);
	if (names == NULL)
		return EH_E_IO;
	dir_list_free(names);
	return EH_OK;
}

static void print_list(const noise_record_list *records)
{
	table *t;

	if (records->count == 0) {
		puts("no noise floor is stored; evenhand calibrate measures them");
		return;
	}
	t = table_new("nlrnl");
	table_head(t, (const char *[]){ "executor", "measured", "pairs", "protocol", "digest" });
	table_rule(t);
	for (size_t i = 0; i < records->count; i++) {
		const noise_record *r = &records->items[i];
		char pairs[24], digest[16];

		snprintf(pairs, sizeof(pairs), "%llu", (unsigned long long)r->pairs);
		snprintf(digest, sizeof(digest), "%.12s", r->executor_digest);
		table_row(t, (const char *[]){ r->executor, r->measured_at, pairs, r->protocol.name,
		          digest });
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static double worst_floor(const noise_record *r)
{
	double worst = 0;

	for (size_t i = 0; i < r->cases.count; i++)
		worst = r->cases.items[i].floor > worst ? r->cases.items[i].floor : worst;
	return worst;
}

static void print_record(const noise_record *r)
{
	table *t = table_new("lnrr");

	printf("%s  %.12s  %s\n", r->executor, r->executor_digest, r->measured_at);
	table_head(t, (const char *[]){ "class", "case", "pairs", "noise floor" });
	table_rule(t);
	for (size_t i = 0; i < r->cases.count; i++) {
		const noise_case *c = &r->cases.items[i];
		char share[32], pairs[32];

		snprintf(share, sizeof(share), "%.2f %%", c->floor * 100);
		snprintf(pairs, sizeof(pairs), "%zu", c->ratios.count);
		table_row(t, (const char *[]){ c->workload, c->id, pairs, share });
	}
	(void)table_print(t, stdout);
	table_free(t);
	if (worst_floor(r) > NOISEFLOOR_UNFIT)
		puts("  A noise floor is above 20 %: this machine is not fit for comparisons across runs; "
		     "compare executors of one run.");
}

static eh_status show_stored(cli_call *call, eh_error *error)
{
	const calibrate_options *o = call->options;
	noise_record_list records = { 0 };
	eh_status status = read_all(o->show, &records, error);

	if (status == EH_OK && o->show != NULL && records.count == 0)
		status = error_set(error, EH_E_USAGE, "no noise floor of '%s' is stored; evenhand calibrate "
		                   "--list names them", o->show);
	if (status == EH_OK && o->json)
		command_layout_list(noise_record_layout(), &records);
	else if (status == EH_OK && o->show == NULL)
		print_list(&records);
	for (size_t i = 0; status == EH_OK && !o->json && o->show != NULL && i < records.count; i++)
		print_record(&records.items[i]);
	layout_list_clear(noise_record_layout(), &records);
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

/* Takes the cases with too few ratios out, with a warning each; whether there were any. */
static bool drop_missing(noise_record *record)
{
	noise_case_list *cases = &record->cases;
	size_t kept = 0, all = cases->count;

	for (size_t i = 0; i < all; i++) {
		noise_case *c = &cases->items[i];

		if (c->ratios.count >= NOISEFLOOR_LEAST) {
			if (i != kept)
				layout_move(noise_case_layout(), c, &cases->items[kept]);
			kept++;
			continue;
		}
		log_write(EH_LOG_WARN, "%s: %s gave too few ratios, so it has no noise floor",
		          record->executor, c->id);
		layout_clear(noise_case_layout(), c);
	}
	cases->count = kept;
	return kept < all;
}

/* Stores and prints each; records without a case are left out. */
static eh_status store(noise_record_list *records, bool json, int *code, eh_error *error)
{
	noise_record_list stored = { 0 };
	eh_status status = EH_OK;

	for (size_t i = 0; i < records->count && status == EH_OK; i++) {
		noise_record *r = &records->items[i];

		if (drop_missing(r))
			*code = EXIT_CODE_ROWS_FAILED;
		if (r->cases.count == 0)
			continue;
		status = noise_write(r, error);
		if (status != EH_OK)
			break;
		if (!json) {
			print_record(r);
			command_put(stdout, "  %s\n", r->path);
		}
		layout_move(noise_record_layout(), r, layout_append(noise_record_layout(), &stored));
	}
	if (status == EH_OK && json)
		command_layout_list(noise_record_layout(), &stored);
	layout_list_clear(noise_record_layout(), &stored);
	return status;
}

static eh_status calibrate(cli_call *call, eh_error *error)
{
	const calibrate_options *o = call->options;
	bool quiet = call->quiet, terminal = !quiet && terminal_is(stderr);
	aatrial_options trial = { .protocol = o->protocol, .selectors = o->selectors, .site = o->site,
		                  .pairs = (size_t)o->pairs, .report = quiet ? NULL : report,
		                  .context = &terminal };
	noise_record_list records = { 0 };
	eh_status status;

	interrupt_install();
	interrupt_on_pipe();
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
		status = store(&records, o->json, &call->code, error);
	layout_list_clear(noise_record_layout(), &records);
	return status;
}

enum { MEASURE, LIST, SHOW };

const cli_command cmd_calibrate = {
	.name = "calibrate",
	.group = CLI_ANALYSIS,
	.summary = "measure the run-to-run noise of executors; compare gives no FASTER or SLOWER "
	           "below it",
	.about = "Runs a short protocol twice, again and again, and sees by how much the two runs "
	         "of a pair differ, though nothing did. The noise floor of a class of cases (its "
	         "workload) is the upper 95 % confidence bound of what 95 % of pairs stay within. "
	         "It is stored under the digest of exactly this stack, in "
	         "$XDG_STATE_HOME/evenhand/noise: a change of the stack asks for another "
	         "calibration. `run` puts the noise floor into its results.\n\n"
	         "Calibrate on the machine as it is when you measure: on a busy one the floor is "
	         "high, and comparisons say little. It takes some minutes for each executor.",
	.forms = (const cli_form[]){
		{ NULL, { { 0 } }, NULL, calibrate },
		{ "--list", { { 0 } }, NULL, show_stored },
		{ "--show", { { 0 } }, NULL, show_stored }, { 0 } },
	.options = (const cli_option[]){
		{ "on", OPTION_SELECTORS, offsetof(calibrate_options, selectors),
		  .about = "as for run; without it all executors", .value = "SELECTOR,...",
		  .forms = CLI_FORM(MEASURE) },
		{ "pairs", OPTION_NUMBER, offsetof(calibrate_options, pairs),
		  .about = "3 to 1000; more make the bound tighter", .value = "N", .preset = "10",
		  .low = NOISEFLOOR_LEAST, .high = PAIRS_MOST, .forms = CLI_FORM(MEASURE) },
		{ "protocol", OPTION_PROTOCOL, offsetof(calibrate_options, protocol),
		  .about = "the protocol to run; calibrate-1 has one case of each workload",
		  .value = "PROTOCOL", .preset = "calibrate-1", .forms = CLI_FORM(MEASURE) },
		{ "set", OPTION_SETTING, 0,
		  .about = "a setting of a backend", .value = "BACKEND.KEY=VALUE",
		  .forms = CLI_FORM(MEASURE) },
		{ "site", OPTION_PATH, offsetof(calibrate_options, site),
		  .about = "what this place declares", .value = "FILE",
		  .forms = CLI_FORM(MEASURE) },
		{ "list", OPTION_FLAG, offsetof(calibrate_options, list),
		  .about = "list what is stored", .forms = CLI_FORM(LIST) },
		{ "show", OPTION_EXECUTOR, offsetof(calibrate_options, show),
		  .about = "print the stored classes and cases of an executor, by its name or by "
		           "the first digits of its digest, four at least", .value = "EXECUTOR",
		  .forms = CLI_FORM(SHOW) },
		CLI_JSON(calibrate_options), { 0 } },
	.size = sizeof(calibrate_options),
	.live = CLI_FORM(MEASURE),
	.exits = (const cli_item[]){
		{ "5", "disk, rights, drivers, or the executor changed meanwhile" },
		{ "6", "interrupted; nothing is stored" },
		{ "7", "stored, but without the cases that gave too few ratios" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand calibrate --on host:0", "evenhand calibrate --show host:gcc-12",
		"evenhand calibrate --on opencl --pairs 60 --protocol my.ini", NULL },
};
