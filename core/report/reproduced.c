/* SPDX-License-Identifier: Apache-2.0 */
#include "report/reproduced.h"

#include <stdlib.h>

#include "base/text.h"
#include "report/attribution.h"
#include "report/comparison_parts.h"
#include "report/report.h"

static bool show_cases(FILE *out, const reproduction *r, bool verbose)
{
	table *t = table_new("nllll");
	bool ok;

	table_head(t, (const char *const[]){ "case", "then", "here", "here / then [95 %]", "answer" });
	table_rule(t);
	for (size_t i = 0; i < r->cases.count; i++) {
		const reproduction_case *c = &r->cases.items[i];
		const comparison_row *row = &r->comparison.cases.items[i];
		char then[FIGURE_SIZE], here[FIGURE_SIZE], ratio[FIGURE_SIZE];

		comparison_cells(row, then, here, ratio);
		table_row(t, (const char *const[]){ c->id, then, here, ratio,
			                            reproduction_answer_word(c->answer) });
		if (c->why != NULL)
			table_note(t, c->why);
		comparison_notes(t, row, verbose);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

bool report_reproduction(FILE *out, const reproduction *r, bool verbose)
{
	char *line = memory_format("%s: %llu cases: %llu reproduced, %llu not reproduced, %llu "
	                           "inconclusive; the stacks differ in %zu change%s",
	                           reproduction_answer_word(r->answer),
	                           (unsigned long long)r->reproduced + r->not_reproduced +
	                           r->inconclusive,
	                           (unsigned long long)r->reproduced,
	                           (unsigned long long)r->not_reproduced,
	                           (unsigned long long)r->inconclusive, r->groups.count,
	                           r->groups.count == 1 ? "" : "s");
	bool ok = comparison_head(out, &r->comparison, 1, verbose) && show_cases(out, r, verbose) &&
	          report_groups(out, &r->groups, r->followers,
	                        r->not_reproduced > 0 && r->groups.count == 1) && fputc('\n', out) != EOF &&
	          table_wrap(out, line, 0);

	free(line);
	return ok;
}
