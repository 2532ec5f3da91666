/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/audit.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/layers.h"
#include "report/report.h"
#include "report/series_report.h"

/* What is printed of the records. */
typedef struct show_options { bool json, layers, protocol; const char *samples; } show_options;

/* ---- samples --------------------------------------------------------------------------------- */

/* The executions of a case as series, of which names are malloc'd. */
static series_one *executions_of(const result_row *row)
{
	series_one *ones = memory_get((row->side.executions + 1) * sizeof(*ones));

	for (size_t i = 0; i < row->side.executions; i++) {
		ones[i].name = memory_format("execution %zu", i + 1);
		ones[i].values = row->side.samples[i];
		ones[i].n = row->side.counts[i];
	}
	return ones;
}

static void print_samples(const result *r, const result_row *row, bool json)
{
	series_one *ones = executions_of(row);
	series_all all;

	series_all_make(&all, ones, row->side.executions, SERIES_HALF_WIDTH);
	if (json) {
		cJSON *root = series_all_json(&all);

		json_add_string(root, "case", row->id);
		json_add_string(root, "executor", r->record->executor.name);
		json_add_string(root, "unit", "ns");
		command_json(root);
	} else {
		printf("%s: %s, nanoseconds of one operation\n", r->record->executor.name, row->id);
		(void)series_all_print(stdout, &all);
	}
	series_all_free(&all);
	for (size_t i = 0; i < row->side.executions; i++)
		free((char *)ones[i].name);
	free(ones);
}

static eh_status refuse_case(const result *r, const char *pattern, eh_error *error)
{
	const char **ids = memory_get((r->row_count + 1) * sizeof(*ids)), *near;

	for (size_t i = 0; i < r->row_count; i++)
		ids[i] = r->rows[i].id;
	near = text_nearest(pattern, ids, r->row_count);
	free(ids);
	return error_set(error, EH_E_USAGE, "%s has no case '%.80s' with samples%s%s%s", r->path, pattern,
	                 near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
	                 near != NULL ? "'?" : "");
}

static eh_status show_samples(const result *r, const show_options *o, eh_error *error)
{
	size_t shown = 0;

	for (size_t i = 0; i < r->row_count; i++) {
		const result_row *row = &r->rows[i];

		if (fnmatch(o->samples, row->id, 0) != 0 || row->side.executions == 0)
			continue;
		if (shown++ > 0 && !o->json)
			putchar('\n');
		print_samples(r, row, o->json);
	}
	return shown > 0 ? EH_OK : refuse_case(r, o->samples, error);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* With who vouches for it, and what was added to it since. */
static eh_status show_whole(const result *r, eh_error *error)
{
	audit_evidence *evidence = NULL;
	eh_status status = audit_trust(r, &evidence, error);

	(void)report_result(stdout, r, log_level() >= EH_LOG_INFO);
	if (status == EH_OK)
		(void)report_evidence(stdout, r->path, evidence);
	audit_evidence_free(evidence);
	return status;
}

static void print_record(const result *r)
{
	char *body = json_text(r->root, true);

	puts(body);
	free(body);
}

static eh_status show_one(const result *r, const show_options *o, eh_error *error)
{
	if (o->samples != NULL)
		return show_samples(r, o, error);
	if (o->json)
		print_record(r);
	else if (o->layers)
		(void)report_layers(stdout, &r->record->executor);
	else if (o->protocol)
		(void)fputs(json_string(json_path(r->root, "protocol"), "text", ""), stdout);
	else
		return show_whole(r, error);
	return EH_OK;
}

static eh_status show(cli_call *call, eh_error *error)
{
	const show_options *o = call->options;
	cli_input *inputs = NULL;
	result **all;
	size_t count;
	eh_status status = cli_inputs_read(call->words, call->count, &inputs, error);

	if (status != EH_OK)
		return status;
	all = cli_inputs_all(inputs, call->count, &count);
	for (size_t i = 0; i < count && status == EH_OK; i++) {
		if (i > 0 && !o->json && !o->protocol)
			putchar('\n');
		status = show_one(all[i], o, error);
	}
	free(all);
	cli_inputs_free(inputs, call->count);
	return status;
}

const cli_command cmd_show = {
	.name = "show",
	.group = CLI_EVERYDAY,
	.summary = "print results for people, after checking that nobody altered them",
	.about = "Prints of each result who measured what, the layers of the executor, and every "
	         "case with its status, the median time of one operation with its 95 % interval, "
	         "the rate, and how many samples in how many executions it rests on. Flags and the "
	         "reasons of cases that are not valid follow. A failed or invalid case has no "
	         "number.\n\n"
	         "The structure, the digests and every derived number are checked first; a file "
	         "that was altered is refused at the place that shows it.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, show }, { 0 } },
	.options = (const cli_option[]){
		{ "layers", OPTION_FLAG, offsetof(show_options, layers),
		  .about = "print only the layers of the executor with their owners", .rivals = 3 },
		{ "protocol", OPTION_FLAG, offsetof(show_options, protocol),
		  .about = "print only the text of the protocol that was run", .rivals = 3 },
		{ "samples", OPTION_TEXT, offsetof(show_options, samples),
		  .about = "print the samples of a case, or of cases that match a pattern such as "
		           "'gemm.*', as `evenhand series` does; with --json as JSON",
		  .value = "CASE", .rivals = 2 },
		{ "json", OPTION_FLAG, offsetof(show_options, json),
		  .about = "print the checked record as JSON; several records follow each other",
		  .rivals = 1 },
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "add every layer with path, digest and fields, and quartiles, canary "
		           "and compiler of each case", .letter = 'v' }, { 0 } },
	.size = sizeof(show_options),
	.examples = (const char *const[]){
		"evenhand show results/quick-1/host-gcc-12.json",
		"evenhand show results/quick-1 --samples 'fma.*'",
		"evenhand show --json R.json | jq '.cases[] | {id, rate: .derived.rate}'", NULL },
};
