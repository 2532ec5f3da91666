/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/case_pattern.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/grid.h"
#include "report/report.h"

typedef struct compare_options {
	bool json, markdown, certified;
	double margin;
	const char *baseline; /* NULL: not given                                               */
	option_list cases;
	unsigned fail_on;     /* of enum comparison_failure                                    */
} compare_options;

/* ---- who is compared with whom --------------------------------------------------------------- */

static void pair_add(comparison_list *p, const result *a, const result *b, const compare_options *o)
{
	contract_compare_into(layout_append(comparison_layout(), p), a, b,
	                      (contract_options){ .certified = o->certified, .margin = o->margin });
}

static const result *same_executor(const cli_input *g, const result *like)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (strcmp(g->results[i]->record->executor.name, like->record->executor.name) == 0)
			return g->results[i];
	return NULL;
}

static void warn_alone(const result *r, const char *where)
{
	char *name = table_clean(r->record->executor.name);

	log_write(EH_LOG_WARN, "%s is only in %s", name, where);
	free(name);
}

/* Two folders are two runs: each executor against itself. */
static void pair_runs(comparison_list *p, const cli_input *a, const cli_input *b,
                      const compare_options *o)
{
	size_t i;

	for (i = 0; i < a->count; i++) {
		const result *other = same_executor(b, a->results[i]);

		if (other != NULL)
			pair_add(p, a->results[i], other, o);
		else
			warn_alone(a->results[i], "the baseline");
	}
	for (i = 0; i < b->count; i++)
		if (same_executor(a, b->results[i]) == NULL)
			warn_alone(b->results[i], "the other run");
}

static eh_status pair_all(comparison_list *p, const cli_input *groups, size_t count,
                          const compare_options *o, eh_error *error)
{
	const result *base = NULL;
	eh_status status = cli_inputs_reference(groups, count, o->baseline, &base, error);

	for (size_t i = 0; i < count && status == EH_OK; i++)
		for (size_t k = 0; k < groups[i].count; k++)
			if (groups[i].results[k] != base)
				pair_add(p, base, groups[i].results[k], o);
	return status;
}

/* Keeps the cases that the command line asks for. */
static eh_status select_cases(comparison_list *p, const cli_input *groups, size_t count,
                              const compare_options *o, eh_error *error)
{
	text_list ids = { 0 };
	size_t all_count;
	result **all = cli_inputs_all(groups, count, &all_count);
	eh_status status = case_pattern_select(&o->cases, all, all_count, &ids, error);

	for (size_t i = 0; i < p->count && status == EH_OK && o->cases.count > 0; i++)
		comparison_keep(&p->items[i], &ids);
	text_list_clear(&ids);
	free(all);
	return status;
}

/* ---- printing -------------------------------------------------------------------------------- */

static bool paired(const comparison_list *p)
{
	return p->count > 1 && p->items[0].a != p->items[1].a;
}

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

static void print_pairs(const compare_options *o, const comparison_report *report, const cli_input *groups,
                        size_t count)
{
	const comparison_list *p = &report->comparisons;
	grid g;

	if (o->json) {
		command_layout(comparison_report_layout(), report);
		return;
	}
	grid_make(&g, p->items, p->count, paired(p) ? GRID_PAIRED : GRID_AGAINST);
	(void)(o->markdown ? grid_print_markdown(stdout, &g) : grid_print(stdout, &g));
	if (!o->markdown)
		print_evidence(groups, count);
	if (!o->markdown && log_level() >= EH_LOG_INFO) {
		putchar('\n');
		(void)grid_print_details(stdout, &g);
	}
	grid_clear(&g);
}

static eh_status compare_groups(const compare_options *o, const cli_input *groups, size_t count, int *code,
                                eh_error *error)
{
	comparison_report *report;
	comparison_list *p;
	eh_status status = EH_OK;

	if (count == 1 && groups[0].count == 1)
		return error_set(error, EH_E_USAGE, "compare needs a second result; %s is one",
		                 groups[0].results[0]->path);
	report = layout_new(comparison_report_layout());
	p = &report->comparisons;
	if (count == 2 && groups[0].folder && groups[1].folder && o->baseline == NULL)
		pair_runs(p, &groups[0], &groups[1], o);
	else
		status = pair_all(p, groups, count, o, error);
	if (status == EH_OK && p->count == 0)
		status = error_set(error, EH_E_USAGE, "no executor is in both %s and %s", groups[0].word,
		                   groups[count - 1].word);
	if (status == EH_OK)
		status = select_cases(p, groups, count, o, error);
	if (status == EH_OK) {
		*code = comparison_exit_code(p, o->fail_on);
		report->exit_code = (uint64_t)*code;
		print_pairs(o, report, groups, count);
	}
	layout_free(comparison_report_layout(), report);
	return status;
}

/* The words of the command line, and before them the file that --baseline names where it is none of
 * theirs. */
static const char **words_of(const cli_call *call, size_t *count)
{
	const compare_options *o = call->options;
	const char **words = memory_get((call->count + 1) * sizeof(*words));
	bool add = o->baseline != NULL && strchr(o->baseline, '/') != NULL && file_exists(o->baseline);

	*count = call->count;
	for (size_t i = 0; i < call->count; i++) {
		size_t size = strlen(call->words[i]);

		words[i] = call->words[i];
		add = add && (strncmp(o->baseline, words[i], size) != 0 ||
		              (o->baseline[size] != '\0' && o->baseline[size] != '/' &&
		               words[i][size - 1] != '/'));
	}
	if (add)
		words[(*count)++] = o->baseline;
	return words;
}

static eh_status compare(cli_call *call, eh_error *error)
{
	cli_input *groups = NULL;
	size_t count;
	const char **words = words_of(call, &count);
	eh_status status = cli_inputs_read(words, count, &groups, error);

	if (status == EH_OK) {
		status = compare_groups(call->options, groups, count, &call->code, error);
		cli_inputs_free(groups, count);
	}
	free(words);
	return status;
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
		{ "3", "no case could be compared, a result was altered, or, with --fail-on, a case was "
		       "not measured" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand compare results/quick-1",
		"evenhand compare before.json after.json --margin 2% --fail-on slower",
		"evenhand compare results/quick-1 --baseline gcc-12 --case 'gemm*' --markdown",
		"evenhand compare results/monday results/tuesday", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
