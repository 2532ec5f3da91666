/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "audit/audit.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/case_pattern.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/layers.h"
#include "report/report.h"
#include "report/series_report.h"
#include "report/screen.h"

/* What is printed of the records. */
typedef struct show_options {
	bool json, layers, protocol;
	const char *samples;
	option_list cases;
} show_options;

/* One struct as it is, several as an array. */
static void print_json(const layout *l, const void *items, size_t count)
{
	const struct { const void *items; size_t count; } list = { items, count };

	command_json(count == 1 ? layout_text(l, items, true) : layout_list_text(l, &list, true));
}

/* ---- samples --------------------------------------------------------------------------------- */

static void add_samples(const result *r, const result_row *row, series_report_list *out)
{
	series_report *s = layout_append(series_report_layout(), out);

	text_set(&s->executor, r->record->executor.name);
	text_set(&s->id, row->id);
	text_set(&s->unit, "ns");
	for (size_t i = 0; i < row->side.executions; i++) {
		char *name = memory_format("execution %zu", i + 1);

		series_report_add(s, name, row->medians.samples[i], row->medians.counts[i]);
		free(name);
	}
	series_report_finish(s, SERIES_HALF_WIDTH);
}

/* Adds the cases of the list that have samples. */
static void take_samples(const result *r, const text_list *ids, series_report_list *out)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (r->rows[i].side.executions > 0 && text_list_has(ids, r->rows[i].id))
			add_samples(r, &r->rows[i], out);
}

static void print_samples(const series_report_list *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const series_report *s = &all->items[i];
		char *title = memory_format("%s: %s, nanoseconds of one operation", s->executor,
		                            s->id);

		if (i > 0)
			putchar('\n');
		(void)table_wrap(stdout, title, 0);
		(void)series_report_print(stdout, s);
		free(title);
	}
}

static eh_status show_samples(result *const *results, size_t count, const show_options *o,
                              eh_error *error)
{
	series_report_list all = { 0 };
	text_list ids = { 0 };
	const char *pattern = o->samples;
	eh_status status = case_pattern_select(&(option_list){ &pattern, 1 }, results, count, &ids, error);

	for (size_t i = 0; i < count && status == EH_OK; i++)
		take_samples(results[i], &ids, &all);
	if (status == EH_OK && all.count == 0)
		status = error_set(error, EH_E_USAGE, "case '%.80s' has no samples that count", pattern);
	if (status == EH_OK && o->json)
		print_json(series_report_layout(), all.items, all.count);
	else if (status == EH_OK)
		print_samples(&all);
	layout_list_clear(series_report_layout(), &all);
	text_list_clear(&ids);
	return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* With who vouches for it, and what was added to it since. */
static eh_status show_whole(const result *r, const text_list *ids, eh_error *error)
{
	const audit_evidence *trust;
	eh_status status = audit_trust(r, &trust, error);

	if (log_level() >= EH_LOG_INFO)
		(void)report_result(stdout, r, ids);
	else
		(void)report_values(stdout, r, ids, true);
	if (status == EH_OK)
		(void)report_evidence(stdout, r->path, trust);
	return status;
}

static eh_status show_texts(result *const *results, size_t count, const show_options *o,
                            eh_error *error)
{
	text_list ids = { 0 };
	eh_status status = case_pattern_select(&o->cases, results, count, &ids, error);

	for (size_t i = 0; i < count && status == EH_OK; i++) {
		const record_result *record = results[i]->record;

		if (i > 0 && !o->protocol)
			putchar('\n');
		if (o->layers)
			(void)report_layers(stdout, &record->executor);
		else if (o->protocol)
			(void)fputs(record->protocol.text, stdout);
		else
			status = show_whole(results[i], &ids, error);
	}
	text_list_clear(&ids);
	return status;
}

/* As print_json. */
static void show_records(result *const *results, size_t count)
{
	bool several = count > 1;

	for (size_t i = 0; i < count; i++) {
		if (several)
			(void)fputs(i == 0 ? "[" : ", ", stdout);
		(void)report_record(stdout, results[i], several);
	}
	(void)puts(several ? "]" : "");
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
	if (o->samples != NULL)
		status = show_samples(all, count, o, error);
	else if (o->json)
		show_records(all, count);
	else
		status = show_texts(all, count, o, error);
	free(all);
	cli_inputs_free(inputs, call->count);
	return status;
}

const cli_command cmd_show = {
	.name = "show",
	.group = CLI_EVERYDAY,
	.summary = "print results for people, after checking that nobody altered them",
	.about = "Prints of each result on one screen who measured what, and every case with its value, "
	         "half of its 95 % interval, and its share of the ceiling that the run measured; a "
	         "status only where it is not the same for all. A failed or invalid case has no number, "
	         "and a line below says why. `-v` prints everything: the layers of the executor, the "
	         "time of one operation, how many samples in how many executions it rests on, flags, "
	         "quartiles, canary and compiler of each case.\n\n"
	         "The structure, the digests and every derived number are checked first; a file "
	         "that was altered is refused at the place that shows it.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, show }, { 0 } },
	.options = (const cli_option[]){
		{ "layers", OPTION_FLAG, offsetof(show_options, layers),
		  .about = "print only the layers of the executor with their makers and owners", .rivals = 3 },
		{ "protocol", OPTION_FLAG, offsetof(show_options, protocol),
		  .about = "print only the text of the protocol that was run", .rivals = 3 },
		CLI_CASES(show_options),
		{ "samples", OPTION_TEXT, offsetof(show_options, samples),
		  .about = "print the samples of a case, or of cases that match a pattern such as "
		           "'gemm.*', as `evenhand series` does; with --json as JSON",
		  .value = "CASE", .rivals = 2 },
		{ "json", OPTION_FLAG, offsetof(show_options, json),
		  .about = "print the checked record as JSON, several records as an array",
		  .rivals = 1 },
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "print everything that the record tells of the stack and of each case",
		  .letter = 'v' }, { 0 } },
	.size = sizeof(show_options),
	.examples = (const char *const[]){
		"evenhand show results/quick-1/host-gcc-12.json",
		"evenhand show results/quick-1 --samples 'fma.*'",
		"evenhand show --json R.json | jq '.cases[] | {id, rate: .derived.rate}'", NULL },
};
