/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/case_pattern.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/explain.h"
#include "report/report.h"
#include "report/grid.h"

typedef struct explain_options { bool json, certified; const char *baseline; double margin; } explain_options;

/* What the command line names. */
typedef struct question {
	const explain_options *options;
	const char *executor;          /* NULL: all                                            */
	result **all;
	size_t count;
	const result *reference;
	text_list ids;
} question;

static const result_row *row_of(const result *r, const char *id)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].id, id) == 0)
			return &r->rows[i];
	return NULL;
}

static void compare_with(const question *q, const result *other, comparison_list *out)
{
	comparison *c = layout_append(comparison_layout(), out);

	contract_compare_into(c, q->reference, other, (contract_options){
	                      .certified = q->options->certified, .margin = q->options->margin });
	comparison_keep(c, &q->ids);
}

/* One executor, against the reference unless it is that. */
static void explain_one(const question *q, const result *of)
{
	comparison_list all = { 0 };

	if (of != q->reference)
		compare_with(q, of, &all);
	for (size_t i = 0; i < q->ids.count; i++) {
		explain_subject s = { .of = of, .row = row_of(of, q->ids.items[i]) };

		for (size_t k = 0; all.count > 0 && k < all.items[0].cases.count; k++)
			if (strcmp(all.items[0].cases.items[k].id, q->ids.items[i]) == 0) {
				s.against = &all.items[0];
				s.compared = &all.items[0].cases.items[k];
				s.row = s.compared->b;
			}
		if (s.row == NULL && s.compared == NULL)
			continue;
		if (i > 0)
			putchar('\n');
		(void)report_explained(stdout, &s);
	}
	layout_list_clear(comparison_layout(), &all);
}

static void print_all(const question *q, const comparison_list *all)
{
	comparison_report report = { .comparisons = *all };
	grid g;

	if (q->options->json) {
		command_layout(comparison_report_layout(), &report);
		return;
	}
	grid_make(&g, all->items, all->count, GRID_AGAINST);
	(void)grid_print_cases(stdout, &g);
	grid_clear(&g);
	(void)table_sentence(stdout, "Name an executor to see its samples, executions, proof and checks.");
}

/* All executors against the reference, or with JSON the one that is asked for. */
static void explain_all(const question *q, const result *only)
{
	comparison_list all = { 0 };

	for (size_t i = 0; i < q->count; i++)
		if (q->all[i] != q->reference && (only == NULL || only == q->all[i]))
			compare_with(q, q->all[i], &all);
	print_all(q, &all);
	layout_list_clear(comparison_layout(), &all);
}

/* The only other result, the only one, or the one that is named; NULL: several. */
static eh_status subject_of(const question *q, const result **out, eh_error *error)
{
	*out = NULL;
	if (q->executor != NULL)
		return cli_inputs_find(q->all, q->count, "EXECUTOR", q->executor, out, error);
	if (q->count == 1)
		*out = q->all[0];
	else if (q->count == 2)
		*out = q->all[q->all[0] == q->reference ? 1 : 0];
	return EH_OK;
}

static eh_status answer(question *q, const char *pattern, eh_error *error)
{
	const result *subject;
	eh_status status = case_pattern_select(&(option_list){ &pattern, 1 }, q->all, q->count, &q->ids,
	                                       error);

	if (status == EH_OK)
		status = subject_of(q, &subject, error);
	if (status == EH_OK && subject != NULL && !q->options->json)
		explain_one(q, subject);
	else if (status == EH_OK)
		explain_all(q, subject);
	text_list_clear(&q->ids);
	return status;
}

/* Whether the second word is an executor and not a result. */
static bool names_executor(const cli_call *call)
{
	return call->count > 2 && !file_exists(call->words[1]) && !bundle_is(call->words[1]) &&
	       strstr(call->words[1], ".json") == NULL;
}

static eh_status explain(cli_call *call, eh_error *error)
{
	size_t first = names_executor(call) ? 2 : 1, count = call->count - first;
	question q = { .options = call->options, .executor = first == 2 ? call->words[1] : NULL };
	cli_input *inputs = NULL;
	eh_status status = cli_inputs_read(call->words + first, count, &inputs, error);

	if (status != EH_OK)
		return status;
	q.all = cli_inputs_all(inputs, count, &q.count);
	status = cli_inputs_reference(inputs, count, q.options->baseline, &q.reference, error);
	if (status == EH_OK)
		status = answer(&q, call->words[0], error);
	free(q.all);
	cli_inputs_free(inputs, count);
	return status;
}

const cli_command cmd_explain = {
	.name = "explain",
	.group = CLI_EVERYDAY,
	.summary = "tell everything about one case: the verdict and why, the samples, the evidence",
	.about = "Prints for one case of one executor the verdict against the reference with every rule "
	         "that fired, the samples as a picture, each execution with its proof, canary and checks, "
	         "the clock, the program, every flag with its remedy, and what the sensors said. Without "
	         "EXECUTOR, of more than two results: a line for each executor.\n\n"
	         "CASE is the id of a case, a pattern such as 'gemm.*', or words of it as compare prints "
	         "them: gemm, 'fma f32'. EXECUTOR is a name or a part of it that no other "
	         "has.",
	.forms = (const cli_form[]){
		{ NULL,
		  { { "CASE", .kind = OPTION_TEXT }, { "EXECUTOR", .kind = OPTION_EXECUTOR, .optional = true },
		    { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, explain }, { 0 } },
	.options = (const cli_option[]){
		CLI_BASELINE(explain_options),
		{ "margin", OPTION_SHARE, offsetof(explain_options, margin),
		  .about = "as for compare", .value = "X", .low = OPTION_MARGIN_LEAST,
		  .high = OPTION_MARGIN_MOST },
		{ "certified", OPTION_FLAG, offsetof(explain_options, certified),
		  .about = "as for compare" },
		{ "json", OPTION_FLAG, offsetof(explain_options, json),
		  .about = "print the comparisons of the case, as `compare --json` does" }, { 0 } },
	.size = sizeof(explain_options),
	.exits = (const cli_item[]){
		{ "3", "a result was altered" },
		{ "4", "wrong usage, or no such case or executor" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand explain gemm results/quick-1", "evenhand explain gemm clang-15 results/quick-1",
		"evenhand explain 'fma f32' before.json after.json", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
