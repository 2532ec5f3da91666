/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge without the harness: verifies results and compares the first with the others, linked
 * from core's base, stat, record, audit, contract, analysis and report alone (tests/module.mk).
 *
 * usage: judge RESULT...    exit codes as of evenhand compare --fail-on slower
 */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "audit/inspect.h"
#include "contract/contract.h"
#include "report/grid.h"

/* Whether everything about the file holds; prints what does not. */
static bool verify(const char *path)
{
	audit_verification found;
	eh_error error = ERROR_INIT;
	bool holds;

	layout_init(audit_verification_layout(), &found);
	holds = audit_inspect(path, NULL, &found, &error) == EH_OK;
	if (!holds)
		fprintf(stderr, "judge: %s\n", error.message);
	for (size_t i = 0; i < found.reports.count; i++)
		for (size_t k = 0; k < found.reports.items[i].findings.count; k++) {
			fprintf(stderr, "judge: %s: %s\n", path,
			        found.reports.items[i].findings.items[k].sentence);
			holds = false;
		}
	layout_clear(audit_verification_layout(), &found);
	return holds;
}

static int compare(const char *before, const char *after)
{
	eh_error error = ERROR_INIT;
	result *a = NULL, *b = NULL;
	comparison_list all = { 0 };
	int code = EXIT_CODE_USAGE;
	grid g;

	if (result_read(before, &a, &error) == EH_OK && result_read(after, &b, &error) == EH_OK) {
		contract_compare_into(layout_append(comparison_layout(), &all), a, b,
		                      (contract_options){ 0 });
		grid_make(&g, all.items, all.count, GRID_AGAINST);
		(void)grid_print(stdout, &g);
		grid_clear(&g);
		code = comparison_exit_code(&all, COMPARISON_SLOWER);
		layout_list_clear(comparison_layout(), &all);
	} else {
		fprintf(stderr, "judge: %s\n", error.message);
	}
	result_free(b);
	result_free(a);
	return code;
}

int main(int argc, char **argv)
{
	int code = argc > 1 ? EXIT_CODE_OK : EXIT_CODE_USAGE;

	for (int i = 1; i < argc; i++)
		if (!verify(argv[i]))
			return EXIT_CODE_USAGE;
	for (int i = 2; i < argc; i++) {
		int one = compare(argv[1], argv[i]);

		code = one > code ? one : code;
	}
	return code;
}
