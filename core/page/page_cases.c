/* SPDX-License-Identifier: Apache-2.0 */
/* Each case, closed until somebody opens it: its charts, and for each executor everything that
 * `evenhand explain` says. */
#include <stdlib.h>

#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"
#include "report/explain.h"

static void put_explained(FILE *out, const grid *g, size_t row, size_t i)
{
	const comparison_row *compared = grid_is_reference(g, i) ? NULL : grid_compared(g, row, i);
	explain_subject subject = { .of = grid_result(g, i), .row = grid_result_row(g, row, i), .compared = compared };
	char *name, *words = NULL;
	size_t size;
	FILE *memory;

	if (compared != NULL)
		for (size_t k = 0; k < g->count; k++)
			if (g->rows[row].cells[k].row == compared)
				subject.against = &g->comparisons[k];
	if (subject.row == NULL && compared == NULL)
		return;
	name = grid_full_name(g, i);
	memory = memory_insist(open_memstream(&words, &size));
	(void)report_explained(memory, &subject);
	(void)fclose(memory);
	markup_put(out, "<details><summary>Everything about %s</summary><pre>", name);
	markup_text(out, words);
	markup_put(out, "</pre></details>\n");
	free(words);
	free(name);
}

static void rest(const grid *g, size_t row)
{
	for (size_t i = 0; i < grid_results(g); i++) {
		const result_row *of = grid_result_row(g, row, i);

		if (of != NULL)
			result_row_rest(grid_result(g, i), of);
	}
}

void page_cases(FILE *out, const grid *g)
{
	page_section(out, "cases", "Each case");
	for (size_t row = 0; row < g->row_count; row++) {
		char *label = grid_case_name(g, row);

		markup_put(out, "<details class=\"case\" id=\"case-%zu\"><summary><h3>%s</h3> <code>%s</code></summary>\n",
		         row, label, g->rows[row].id);
		page_series(out, g, row);
		for (size_t i = 0; i < grid_results(g); i++)
			put_explained(out, g, row, i);
		markup_put(out, "</details>\n");
		rest(g, row);
		free(label);
	}
	markup_put(out, "</section>\n");
}
