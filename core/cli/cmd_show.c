/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "audit/audit.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/layers.h"
#include "report/report.h"
#include "report/series_report.h"

/* What is printed of the records. */
typedef struct show_options { bool json, layers, protocol; const char *samples; } show_options;

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

static eh_status refuse_case(const result *r, const char *pattern, eh_error *error)
{
	const char **ids = memory_get((r->row_count + 1) * sizeof(*ids)), *near;

	for (size_t i = 0; i < r->row_count; i++)
		ids[i] = r->rows[i].id;
	near = text_nearest(pattern, ids, r->row_count);
	free(ids);
	return error_set(error, EH_E_USAGE, "%s has no case '%.80s' with samples%s%s%s", r->path,
	                 pattern, near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
	                 near != NULL ? "'?" : "");
}

/* Adds the cases that match; there has to be one. */
static eh_status take_samples(const result *r, const char *pattern, series_report_list *out,
                              eh_error *error)
{
	size_t before = out->count;

	for (size_t i = 0; i < r->row_count; i++)
		if (r->rows[i].side.executions > 0 && fnmatch(pattern, r->rows[i].id, 0) == 0)
			add_samples(r, &r->rows[i], out);
	return out->count > before ? EH_OK : refuse_case(r, pattern, error);
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
	eh_status status = EH_OK;

	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = take_samples(results[i], o->samples, &all, error);
	if (status == EH_OK && o->json)
		print_json(series_report_layout(), all.items, all.count);
	else if (status == EH_OK)
		print_samples(&all);
	for (size_t i = 0; i < all.count; i++)
		layout_clear(series_report_layout(), &all.items[i]);
	free(all.items);
	return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* With who vouches for it, and what was added to it since. */
static eh_status show_whole(const result *r, eh_error *error)
{
	audit_evidence *trust = NULL;
	eh_status status = audit_trust(r, &trust, error);

	(void)report_result(stdout, r, log_level() >= EH_LOG_INFO);
	if (status == EH_OK)
		(void)report_evidence(stdout, r->path, trust);
	audit_evidence_free(trust);
	return status;
}

static eh_status show_texts(result *const *results, size_t count, const show_options *o,
                            eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < count && status == EH_OK; i++) {
		const record_result *record = results[i]->record;

		if (i > 0 && !o->protocol)
			putchar('\n');
		if (o->layers)
			(void)report_layers(stdout, &record->executor);
		else if (o->protocol)
			(void)fputs(record->protocol.text, stdout);
		else
			status = show_whole(results[i], error);
	}
	return status;
}

static void show_records(result *const *results, size_t count)
{
	record_result *all = memory_get(count * sizeof(*all)); /* borrows from results */

	for (size_t i = 0; i < count; i++)
		all[i] = *results[i]->record;
	print_json(record_result_layout(), all, count);
	free(all);
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
		  .about = "print the checked record as JSON, several records as an array",
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
