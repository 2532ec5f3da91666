/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/report.h"
#include "report/grid.h"
static bool o_md;


typedef struct compare_options {
	bool json, markdown, strict, certified;
	double margin;
	const char *baseline; /* NULL: the first */
} compare_options;

/* ---- who is compared with whom --------------------------------------------------------------- */

static void pair_add(comparison_list *p, const result *a, const result *b, const compare_options *o)
{
	contract_compare_into(layout_append(comparison_layout(), p), a, b,
	                      (contract_options){ .certified = o->certified, .margin = o->margin });
}

/* The baseline of a folder: its first executor of the host backend, else its first. */
static const result *baseline_of(const cli_input *g)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (strncmp(g->results[i]->record->executor.name, "host:", 5) == 0)
			return g->results[i];
	return g->results[0];
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

/* The only result of that executor or path. */
static eh_status named(const cli_input *groups, size_t count, const char *name, const result **out,
                       eh_error *error)
{
	const result *found = NULL;
	size_t i;
	size_t k;

	for (i = 0; i < count; i++) {
		for (k = 0; k < groups[i].count; k++) {
			const result *r = groups[i].results[k];

			if (strcmp(r->record->executor.name, name) != 0 && strcmp(r->path, name) != 0)
				continue;
			if (found != NULL)
				return error_set(error, EH_E_USAGE, "--baseline %s: %s and %s both "
				                 "are; name the file instead", name, found->path,
				                 r->path);
			found = r;
		}
	}
	if (found == NULL)
		return error_set(error, EH_E_USAGE, "--baseline %s: no result of that executor "
		                 "or file is among those to compare", name);
	*out = found;
	return EH_OK;
}

static eh_status pair_all(comparison_list *p, const cli_input *groups, size_t count,
                          const compare_options *o, eh_error *error)
{
	const result *base = baseline_of(&groups[0]);
	eh_status status = EH_OK;
	size_t i;
	size_t k;

	if (o->baseline != NULL)
		status = named(groups, count, o->baseline, &base, error);
	for (i = 0; i < count && status == EH_OK; i++)
		for (k = 0; k < groups[i].count; k++)
			if (groups[i].results[k] != base)
				pair_add(p, base, groups[i].results[k], o);
	return status;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_json(const comparison_report *report)
{
	command_layout(comparison_report_layout(), report);
}

static bool print_text(const comparison_list *p, bool verbose)
{
	if (!verbose) {
		grid g;
		grid_make(&g, p->items, p->count, p->count > 1 && p->items[0].a != p->items[1].a);
		bool ok = o_md ? grid_print_markdown(stdout,&g): grid_print(stdout, &g);
		grid_clear(&g);
		return ok;
	}
	if (p->count > 1 && p->items[0].a == p->items[1].a)
		return report_matrix(stdout, p->items, p->count, verbose);
	for (size_t i = 0; i < p->count; i++) {
		if (i > 0 && fputc('\n', stdout) == EOF)
			return false;
		if (!report_comparison(stdout, &p->items[i], verbose))
			return false;
	}
	return true;
}

/* Signatures, disputes and notes of every result, once each. */
static void print_evidence(const cli_input *groups, size_t count)
{
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < groups[i].count; k++) {
			audit_evidence *trust = NULL;
			eh_error error = ERROR_INIT;
			const result *r = groups[i].results[k];

			if (audit_trust(r, &trust, &error) == EH_OK)
				(void)report_evidence(stdout, r->path, trust);
			else
				printf("%s: %s\n", r->path, error.message);
			audit_evidence_free(trust);
		}
}

/* A regression anywhere outweighs what could not be compared, and that what stayed open. */
static int exit_code(const comparison_list *p, bool strict)
{
	static const int weight[] = { EXIT_CODE_OK, EXIT_CODE_INCONCLUSIVE,
		                      EXIT_CODE_NOT_COMPARABLE, EXIT_CODE_NEGATIVE };
	size_t worst = 0;
	size_t i;
	size_t k;

	for (i = 0; i < p->count; i++)
		for (k = 0; k < sizeof(weight) / sizeof(weight[0]); k++)
			if (weight[k] == comparison_exit_code(&p->items[i], strict) && k > worst)
				worst = k;
	return weight[worst];
}

static void print_pairs(const compare_options *o, const comparison_report *report, const cli_input *groups,
                        size_t count)
{
	if (o->json) {
		print_json(report);
	} else if (o->markdown) {
		o_md=true; print_text(&report->comparisons,false);
	} else {
		(void)print_text(&report->comparisons, log_level() >= EH_LOG_INFO);
		print_evidence(groups, count);
	}
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
	if (status == EH_OK) {
		*code = exit_code(p, o->strict);
		report->exit_code = (uint64_t)*code;
		print_pairs(o, report, groups, count);
	}
	layout_free(comparison_report_layout(), report);
	return status;
}

static eh_status compare(cli_call *call, eh_error *error)
{
	cli_input *groups = NULL;
	eh_status status = cli_inputs_read(call->words, call->count, &groups, error);

	if (status != EH_OK)
		return status;
	status = compare_groups(call->options, groups, call->count, &call->code, error);
	cli_inputs_free(groups, call->count);
	return status;
}

const cli_command cmd_compare = {
	.name = "compare",
	.group = CLI_EVERYDAY,
	.summary = "compare results, case by case, as far as the contract allows it",
	.about = "Prints for every case both values with their 95 % intervals, the speed-up of the "
	         "other over the baseline with its interval (above 1: the other is faster), the "
	         "verdict, and every caveat that qualifies it. What the contract refuses is not "
	         "compared, and the rule is named (`evenhand help contract` lists the rules, "
	         "docs/contract.md explains them).\n\n"
	         "The baseline is the first result. Of a first folder or bundle it is the first "
	         "executor of the host backend, else the first. Two folders or bundles are taken "
	         "as two runs: each executor is compared with itself, and one that only one of "
	         "them has is named on stderr. A file in a folder that is no result is refused: "
	         "name the files then.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, compare },
		{ 0 } },
	.options = (const cli_option[]){
		{ "baseline", OPTION_TEXT, offsetof(compare_options, baseline),
		  .about = "the executor (host:gcc-12) or file that all others are compared with; "
		           "two folders are then not taken as two runs", .value = "NAME" },
		{ "margin", OPTION_SHARE, offsetof(compare_options, margin),
		  .about = "differences up to X, such as 0.02 or 2%, count as none; the protocol's "
		           "margin and the noise floor of the executors hold as well", .value = "X",
		  .low = OPTION_MARGIN_LEAST, .high = OPTION_MARGIN_MOST },
		{ "certified", OPTION_FLAG, offsetof(compare_options, certified),
		  .about = "apply the stricter levels of the rules also where no protocol asks for "
		           "them" },
		{ "strict", OPTION_FLAG, offsetof(compare_options, strict),
		  .about = "a case without a verdict is exit code 2" },
		{ "json", OPTION_FLAG, offsetof(compare_options, json),
		  .about = "print everything as JSON, with full digits; \"cites\" has the ids of "
		           "all rules that a verdict rests on", .rivals = 1 },
		{ "markdown", OPTION_FLAG, offsetof(compare_options, markdown),
		  .about = "print one Markdown table for each comparison, for a pull request",
		  .rivals = 1 },
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "also print rules that hold without qualifying anything",
		  .letter = 'v' }, { 0 } },
	.size = sizeof(compare_options),
	.items_title = "Verdicts",
	.items = (const cli_item[]){
		{ "FASTER, SLOWER",
		  "the whole interval lies beyond the margin, for all cases of a comparison "
		  "together by Holm's rule" },
		{ "EQUIVALENT", "the whole interval lies within the margin" },
		{ "INCONCLUSIVE", "neither" },
		{ "DESCRIPTION", "there are fewer than 5 executions, so there is no verdict" },
		{ "NOT COMPARABLE", "the contract refuses" },
		{ "ABSENT", "the case did not run on one side" }, { NULL, NULL } },
	.exits = (const cli_item[]){
		{ "0", "no case is slower" },
		{ "1", "a case is slower" },
		{ "2", "a case has no verdict, with --strict" },
		{ "3", "something is not comparable, or a result was altered" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand compare results/quick-1",
		"evenhand compare before.json after.json --margin 2% --strict",
		"evenhand compare results/quick-1 --baseline host:gcc-12 --markdown",
		"evenhand compare results/monday results/tuesday", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
