/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/case_pattern.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "report/diagnosis.h"

typedef struct diagnose_options { option_list cases; bool json; } diagnose_options;

static int exit_code(const diagnosis *d)
{
	if (diagnose_count(d, DIAGNOSIS_DEFECT) > 0)
		return EXIT_CODE_NEGATIVE;
	return diagnose_count(d, DIAGNOSIS_INVALID) + diagnose_count(d, DIAGNOSIS_UNKNOWN) > 0 ?
	       EXIT_CODE_INCONCLUSIVE : EXIT_CODE_OK;
}

static void print_diagnosis(diagnosis *d, bool json, int code)
{
	d->exit_code = (uint64_t)code;
	if (json)
		command_layout(diagnosis_layout(), d);
	else
		(void)report_diagnosis(stdout, d, log_level() >= EH_LOG_INFO);
}

/* Of results[at], with all others as evidence. */
static eh_status diagnose_one(const diagnose_options *o, result *const *results, size_t count, size_t at,
                              int *code, eh_error *error)
{
	const result **others = memory_get((count + 1) * sizeof(*others));
	size_t other_count = 0;
	text_list ids = { 0 };
	eh_status status = case_pattern_select(&o->cases, &results[at], 1, &ids, error);
	diagnosis *d;
	int one;

	for (size_t i = 0; i < count; i++)
		if (i != at)
			others[other_count++] = results[i];
	if (status == EH_OK) {
		d = diagnose_result(results[at], others, other_count, (const char *const *)ids.items,
		                    ids.count);
		one = exit_code(d);
		/* A defect outweighs what stayed open. */
		*code = one == EXIT_CODE_NEGATIVE || *code == EXIT_CODE_OK ? one : *code;
		print_diagnosis(d, o->json, one);
		diagnosis_free(d);
	}
	text_list_clear(&ids);
	free(others);
	return status;
}

static eh_status diagnose(cli_call *call, eh_error *error)
{
	const diagnose_options *o = call->options;
	cli_input *inputs;
	result **all;
	size_t count;
	eh_status status = cli_inputs_read(call->words, call->count, &inputs, error);

	if (status != EH_OK)
		return status;
	all = cli_inputs_all(inputs, call->count, &count);
	for (size_t i = 0; i < inputs[0].count && status == EH_OK; i++) {
		if (i > 0 && !o->json)
			putchar('\n');
		status = diagnose_one(o, all, count, i, &call->code, error);
	}
	free(all);
	cli_inputs_free(inputs, call->count);
	return status;
}

const cli_command cmd_diagnose = {
	.name = "diagnose",
	.group = CLI_ANALYSIS,
	.summary = "say whether hardware or software limits each case, by what the run itself "
	           "reached",
	.about = "Compares every case with the ceilings that the same executor reached in the same "
	         "run (arithmetic by fma, bandwidth by stream, transfers by xfer, launches by "
	         "launch). An OTHER result of the same device shows what other software makes of "
	         "it: 1.1 times as fast or more proves that software limits. Of a folder or bundle "
	         "each result is diagnosed, with the rest as others. docs/diagnosis.md has the "
	         "rules.",
	.forms = (const cli_form[]){
		{ NULL,
		  { { "RESULT", .kind = OPTION_PATH }, { "OTHER", .kind = OPTION_PATH, .optional = true, .many = true } },
		  NULL, diagnose }, { 0 } },
	.options = (const cli_option[]){
		CLI_CASES(diagnose_options),
		CLI_JSON(diagnose_options),
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "print the evidence of every case", .letter = 'v' }, { 0 } },
	.size = sizeof(diagnose_options),
	.items_title = "Answers",
	.items = (const cli_item[]){
		{ "hardware-bound",
		  "at 80 % of a ceiling or more: compute, memory, cache or link" },
		{ "mixed", "at 50 to 80 %" },
		{ "software-bound",
		  "below that; or launching, the host, other parameters or another provider made "
		  "it slow" },
		{ "ceiling", "the case is one that others are compared with" },
		{ "not-measured", "the executor does not support it" },
		{ "no-ceiling", "the run lacks the case that would tell; it is named" },
		{ "bad-evidence", "its number does not count: the rules of the contract say why" },
		{ "defect", "above 102 %: a wrong count, or data that stayed in a cache" },
		{ NULL, NULL } },
	.exits = (const cli_item[]){
		{ "0", "every case has an answer" },
		{ "1", "a defect" },
		{ "2", "bad evidence, or a ceiling is missing" },
		{ "3", "a result was altered" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand diagnose results/today/opencl-pocl-0.json",
		"evenhand diagnose today/opencl-pocl-0.json today/host-gcc-12.json --case 'gemm.*'", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};
