/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "audit/audit.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/comparing.h"
#include "report/grid.h"
#include "report/report.h"

typedef struct compare_options {
	bool json, markdown, certified;
	double margin;
	const char *baseline, *agreed; /* NULL: not given                                      */
	option_list cases;
	unsigned fail_on;     /* of enum comparison_failure                                    */
} compare_options;

/* Signatures, disputes and notes of every result, once each. */
static void print_evidence(const cli_input *groups, size_t count)
{
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < groups[i].count; k++) {
			const audit_evidence *trust;
			eh_error error = ERROR_INIT;
			const result *r = groups[i].results[k];

			if (audit_trust(r, &trust, &error) == EH_OK)
				(void)report_evidence(stdout, r->path, trust);
			else
				command_put(stdout, "%s: %s\n", r->path, error.message);
		}
}

static void print_pairs(const compare_options *o, const comparing *c)
{
	const comparison_list *p = &c->report->comparisons;
	grid g;

	if (o->json) {
		command_layout(comparison_report_layout(), c->report);
		return;
	}
	grid_make(&g, p->items, p->count, c->mode);
	(void)(o->markdown ? grid_print_markdown(stdout, &g) : grid_print(stdout, &g));
	if (!o->markdown)
		print_evidence(c->groups, c->count);
	if (!o->markdown && log_level() >= EH_LOG_INFO) {
		putchar('\n');
		(void)grid_print_details(stdout, &g);
	}
	grid_clear(&g);
}

static eh_status compare(cli_call *call, eh_error *error)
{
	const compare_options *o = call->options;
	const comparing_options asked = { .baseline = o->baseline, .cases = o->cases, .agreed = o->agreed,
		                          .contract = { .certified = o->certified, .margin = o->margin } };
	comparing c;
	eh_status status = comparing_make(call, &asked, &c, error);

	if (status != EH_OK)
		return status;
	call->code = comparison_exit_code(&c.report->comparisons, o->fail_on);
	c.report->exit_code = call->code;
	print_pairs(o, &c);
	(void)fflush(stdout);
	(void)comparing_refused(&c);
	comparing_free(&c);
	return EH_OK;
}

const cli_command cmd_compare = {
	.name = "compare",
	.group = CLI_EVERYDAY,
	.summary = "compare results, case by case, as far as the contract allows it",
	.about = "Prints one grid: a row for each case, a column for each executor. The first column "
	         "has the values of the reference, no finer than their intervals; the others say how "
	         "many times as fast each executor is (1.31x; 1/830x is 830 times slower), or one of "
	         "the signs below. What would decide an open case, why a case has no number, and what "
	         "qualifies the whole stand below the grid, once. `-v` adds all values with their 95 % "
	         "intervals and every rule that fired, `evenhand explain CASE` tells everything about "
	         "one case. docs/reading-a-comparison.md explains the page by an example, "
	         "docs/contract.md the rules.\n\n"
	         "The reference is the first result that is named; of a folder or bundle it is the "
	         "first executor of the run. Two folders or bundles are taken as two runs: each "
	         "executor is compared with itself, and one that only one of them has is named on "
	         "stderr. A file in a folder that is no result is refused: name the files then.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, compare },
		{ 0 } },
	.options = (const cli_option[]){
		CLI_BASELINE(compare_options),
		CLI_AGREED(compare_options),
		CLI_CASES(compare_options),
		{ "margin", OPTION_SHARE, offsetof(compare_options, margin),
		  .about = "differences up to X, such as 0.02 or 2%, count as none; the protocol's "
		           "margin and the noise floor of the executors hold as well", .value = "X",
		  .low = OPTION_MARGIN_LEAST, .high = OPTION_MARGIN_MOST },
		{ "certified", OPTION_FLAG, offsetof(compare_options, certified),
		  .about = "apply the stricter levels of the rules also where no protocol asks for "
		           "them" },
		{ "fail-on", OPTION_WORDS, offsetof(compare_options, fail_on),
		  .about = "exit codes for scripts: a case that is slower or faster gives 1, one that was "
		           "not measured or is not comparable 3, an open one 2, in this order; several "
		           "with commas between", .value = "slower[,open,faster,not-measured]",
		  .words = (const char *const[]){ "slower", "faster", "open", "not-measured", NULL } },
		{ "json", OPTION_FLAG, offsetof(compare_options, json),
		  .about = "print everything as JSON, with full digits; \"cites\" has the ids of "
		           "all rules that a verdict rests on", .rivals = 1 },
		{ "markdown", OPTION_FLAG, offsetof(compare_options, markdown),
		  .about = "print the grid as a Markdown table, for a pull request", .rivals = 1 },
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "also print all values with their intervals, and every rule that fired",
		  .letter = 'v' }, { 0 } },
	.size = sizeof(compare_options),
	.items_title = "Cells",
	.items = (const cli_item[]){
		{ "1.31x, 0.74x", "FASTER, SLOWER: a difference beyond the margin, which holds for all cases of "
		                  "an executor together with 95 %" },
		{ "~", "EQUIVALENT: the whole 95 % interval lies within the margin" },
		{ ".97-1.04?", "open: the interval alone, without a verdict (INCONCLUSIVE, or DESCRIPTION "
		               "where a rule allows none)" },
		{ "open", "the same where there is no room for the interval" },
		{ "X", "failed, invalid, or not comparable; a line below has the reason" },
		{ "no fp64, n/a", "the executor does not support the case" },
		{ "not run", "the run ended before the case; - stands where there is nothing to compare with" },
		{ NULL, NULL } },
	.exits = (const cli_item[]){
		{ "0", "compared, whatever the verdicts" },
		{ "1", "a case is slower (or faster), with --fail-on" },
		{ "2", "a case is open, with --fail-on" },
		{ "3", "no case could be compared, a result was altered or, with --agreed, is not as agreed, "
		       "or, with --fail-on, a case was not measured" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand compare results/quick-1",
		"evenhand compare before.json after.json --margin 2% --fail-on slower",
		"evenhand compare results/quick-1 --baseline gcc-12 --case 'gemm*' --markdown",
		"evenhand compare results/monday results/tuesday",
		"evenhand compare h100.json mi300.json --agreed nvidia,amd", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
