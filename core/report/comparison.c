/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as a table: every case with both values, the speed-up, the verdict, the reasons. */
#include <stdio.h>

#include "report/comparison_parts.h"

bool report_comparison(FILE *out, const comparison *c, bool verbose)
{
	bool colours = figure_colours(out);
	table *t = table_new("lllll");
	bool ok;

	table_row(t, (const char *[]){ "case", "baseline [95 %]", "other [95 %]", "speed-up [95 %]",
		                       "verdict" });
	table_rule(t);
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];
		char base[FIGURE_SIZE];
		char other[FIGURE_SIZE];
		char speedup[FIGURE_SIZE];

		comparison_cells(row, base, other, speedup);
		table_row(t, (const char *[]){ row->id, base, other, speedup,
			                       comparison_verdict_word(row->verdict) });
		if (colours)
			table_paint(t, 4, figure_verdict_colour(row->verdict));
		comparison_notes(t, row, verbose);
	}
	/* Where one line per case is too wide, each side gets its own. */
	if (table_columns(t) > TABLE_WIDTH)
		ok = report_matrix(out, c, 1, verbose);
	else
		ok = comparison_head(out, c, 1, verbose) && table_print(t, out) &&
		     fputc('\n', out) != EOF && comparison_counts(out, c, false);
	table_free(t);
	return ok;
}
