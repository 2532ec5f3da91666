/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind a grid: every value and ratio with its interval, and every rule that fired. */
#include "report/comparison_parts.h"
#include "report/grid.h"

/* The value of a side, or a word in its place. */
static const char *value_text(const result *of, const result_row *row, const comparison_side *side,
                              char out[FIGURE_SIZE])
{
	if (side == NULL || !record_counts(side->status) || side->value_interval == NULL)
		return grid_word(of, row);
	figure_interval(side->value, *side->value_interval, figure_unit(side->metric), out);
	return out;
}

static void add_reference(table *t, const char *name, const comparison *c, const comparison_row *row)
{
	char value[FIGURE_SIZE];

	table_row(t, (const char *[]){ name, value_text(c->a, row->a, row->baseline, value), "reference",
		                       "" });
}

static void add_other(table *t, const char *name, const comparison *c, const comparison_row *row)
{
	char value[FIGURE_SIZE], ratio[FIGURE_SIZE] = "";

	if (row->speedup > 0)
		figure_ratio(row->speedup, *contract_interval(row), ratio);
	table_row(t, (const char *[]){ name, value_text(c->b, row->b, row->other, value), ratio,
		                       comparison_verdict_word(row->verdict) });
	comparison_notes(t, row, true);
}

bool grid_print_cases(FILE *out, const grid *g)
{
	table *t = table_new("nwll");
	bool ok;

	table_head(t, (const char *[]){ "", "value [95 %]", "times as fast [interval]", "verdict" });
	table_rule(t);
	for (size_t i = 0; i < g->row_count; i++) {
		table_heading(t, g->rows[i].id);
		for (size_t k = 0, told = 0; k < g->count; k++) {
			const comparison_row *row = g->rows[i].cells[k].row;

			if (row != NULL && (told++ == 0 || g->mode == GRID_PAIRED))
				add_reference(t, g->mode == GRID_PAIRED ? "before" : g->executors.brief[0],
				              &g->comparisons[k], row);
			if (row != NULL)
				add_other(t, grid_column(g, k), &g->comparisons[k], row);
		}
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

bool grid_print_details(FILE *out, const grid *g)
{
	bool ok = comparison_head(out, g->comparisons, g->count, true) && grid_print_cases(out, g) &&
	          fputc('\n', out) != EOF;

	for (size_t k = 0; k < g->count && ok; k++)
		ok = comparison_counts(out, &g->comparisons[k]);
	return ok;
}
