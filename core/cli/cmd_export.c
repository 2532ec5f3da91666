/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/comparing.h"
#include "report/export.h"

typedef struct export_options {
	int as;               /* index in formats                                              */
	const char *out, *baseline, *agreed; /* NULL: not given                                */
	option_list cases;
} export_options;

static void put_markdown(FILE *out, const grid *g)
{
	(void)grid_print_markdown(out, g);
}

static void (*const formats[])(FILE *out, const grid *g) = { export_csv, export_samples, put_markdown,
	                                                     export_junit, export_metrics };

/* To stdout, or as a whole to the file. */
static eh_status put(const export_options *o, const grid *g, eh_error *error)
{
	char *body = NULL;
	size_t size;
	FILE *memory;
	eh_status status;

	if (o->out == NULL) {
		formats[o->as](stdout, g);
		return EH_OK;
	}
	memory = memory_insist(open_memstream(&body, &size));
	formats[o->as](memory, g);
	(void)fclose(memory);
	status = file_write(o->out, body, size, error);
	free(body);
	return status;
}

static eh_status export(cli_call *call, eh_error *error)
{
	const export_options *o = call->options;
	const comparing_options asked = { .baseline = o->baseline, .cases = o->cases, .agreed = o->agreed,
		                          .alone = true };
	comparing c;
	grid g;
	eh_status status = comparing_make(call, &asked, &c, error);

	if (status != EH_OK)
		return status;
	grid_make(&g, c.report->comparisons.items, c.report->comparisons.count, c.mode);
	status = put(o, &g, error);
	grid_clear(&g);
	call->code = comparing_refused(&c);
	comparing_free(&c);
	return status;
}

const cli_command cmd_export = {
	.name = "export",
	.group = CLI_EVERYDAY,
	.summary = "write results for other programs: CSV, Markdown, JUnit, OpenMetrics",
	.about = "`csv` has a row for each case of each result, `samples` one for each sample; both have a "
	         "line of names first. `markdown` is the grid of `evenhand compare`, for a pull request. "
	         "`junit` is for CI: a case that failed or is invalid fails, and one that is SLOWER than the "
	         "baseline; what was not measured is skipped. `openmetrics` is for Prometheus. Who is "
	         "compared with whom is as in `evenhand compare`; one result alone is not compared. "
	         "docs/exports.md has the columns, the names of the metrics, and examples.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, export }, { 0 } },
	.options = (const cli_option[]){
		{ "as", OPTION_WORD, offsetof(export_options, as), .about = "the format", .required = true,
		  .words = (const char *const[]){ "csv", "samples", "markdown", "junit", "openmetrics", NULL } },
		{ "output", OPTION_PATH, offsetof(export_options, out),
		  .about = "the file to write, instead of stdout", .value = "FILE", .letter = 'o' },
		CLI_BASELINE(export_options),
		CLI_AGREED(export_options),
		CLI_CASES(export_options), { 0 } },
	.size = sizeof(export_options),
	.exits = (const cli_item[]){
		{ "3", "a result was altered or, with --agreed, is not as agreed; no verdict is written then" },
		{ NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand export results/quick-1 --as csv -o quick.csv",
		"evenhand export main.json branch.json --as junit -o evenhand.xml",
		"evenhand export results/nightly --as openmetrics -o /var/lib/node_exporter/evenhand.prom", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
