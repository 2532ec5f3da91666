/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/command.h"
#include "cli/number_file.h"
#include "report/series_report.h"

typedef struct series_options { double half_width; bool json, strict; } series_options;

static int answer(const series_options *o, const number_file *file)
{
	series_report *r = layout_new(series_report_layout());
	int code;

	for (size_t i = 0; i < file->count; i++) {
		const number_column *c = &file->columns[i];

		series_report_add(r, c->name, c->values, c->count);
	}
	series_report_finish(r, o->half_width);
	if (o->json)
		command_layout(series_report_layout(), r);
	else
		(void)series_report_print(stdout, r);
	code = o->strict && !r->converged ? EXIT_CODE_NEGATIVE : EXIT_CODE_OK;
	layout_free(series_report_layout(), r);
	return code;
}

static eh_status series_of_file(cli_call *call, eh_error *error)
{
	number_file file;
	eh_status status = number_file_read(call->words[0], &file, error);

	if (status != EH_OK)
		return status;
	call->code = answer(call->options, &file);
	number_file_free(&file);
	return EH_OK;
}

const cli_command cmd_series = {
	.name = "series",
	.group = CLI_ANALYSIS,
	.summary = "say what any series of numbers is worth: interval, steady state, independence",
	.about = "The statistics of evenhand for numbers from elsewhere; `evenhand show --samples "
	         "CASE` does the same for a result. FILE holds times in the order they were taken, "
	         "one a line, or one column for each execution (comma, semicolon, tab or space "
	         "between; columns may end at different lines); - is stdin. A first line without a "
	         "number is a header, what follows # is a comment. Any unit will do; smaller is "
	         "faster.\n\n"
	         "Prints the median with its 95 % interval and whether that is narrow enough; the "
	         "class of each series (flat, warm-up, slowdown, no-steady-state) with its "
	         "segments; whether its samples are independent; how many modes they have; the "
	         "percentiles that the samples are enough for; and a picture: o the median of a "
	         "column's samples, . their range, ^ and v what lies beyond, below it = the "
	         "samples that count. Only those of the steady part count. docs/sequence.md has the "
	         "rules, and how often they are right.",
	.forms = (const cli_form[]){
		{ NULL, { { "FILE", .kind = OPTION_PATH } }, NULL, series_of_file }, { 0 } },
	.options = (const cli_option[]){
		{ "half-width", OPTION_SHARE, offsetof(series_options, half_width),
		  .about = "converged means: the interval is at most ±X of the median, such as "
		           "0.5% or 0.005", .value = "X", .preset = "1%", .low = 1e-5, .high = 1 },
		{ "strict", OPTION_FLAG, offsetof(series_options, strict),
		  .about = "exit code 1 when it has not converged" },
		{ "json", OPTION_FLAG, offsetof(series_options, json),
		  .about = "print JSON; samples and segments are counted from 0" }, { 0 } },
	.size = sizeof(series_options),
	.exits = (const cli_item[]){
		{ "1", "not converged, with --strict" },
		{ "4", "wrong usage, or a line that holds no number" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand series times.txt", "evenhand series runs.csv --half-width 0.5%",
		"seq 100 150 | evenhand series -", NULL },
};
