/* SPDX-License-Identifier: Apache-2.0 */
/* The results behind a grid: their names, their rows, and their sides of the comparisons. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/grid.h"

bool grid_is_reference(const grid *g, size_t i)
{
	return i < grid_references(g);
}

char *grid_full_name(const grid *g, size_t i)
{
	size_t first = grid_references(g);

	if (g->mode == GRID_PAIRED)
		return memory_format("%s %s", g->executors.full[i % first], i < first ? "before" : "after");
	/* Alone it is compared with itself, so that its label has a number. */
	return memory_text(g->mode == GRID_ALONE ? labels_name(grid_result(g, 0)) : g->executors.full[i]);
}

const result_row *grid_result_row(const grid *g, size_t row, size_t i)
{
	const result *of = grid_result(g, i);

	for (size_t k = 0; k < of->row_count; k++)
		if (strcmp(of->rows[k].id, g->rows[row].id) == 0)
			return &of->rows[k];
	return NULL;
}

const comparison_row *grid_compared(const grid *g, size_t row, size_t i)
{
	const grid_cell *cells = g->rows[row].cells;
	size_t first = grid_references(g);

	if (i >= first)
		return cells[i - first].row;
	if (g->mode == GRID_PAIRED)
		return cells[i].row;
	for (size_t k = 0; k < g->count; k++)
		if (cells[k].row != NULL && cells[k].row->baseline != NULL)
			return cells[k].row;
	return NULL;
}

const comparison_side *grid_side(const grid *g, size_t row, size_t i)
{
	const comparison_row *compared = grid_compared(g, row, i);

	return compared == NULL ? NULL : grid_is_reference(g, i) ? compared->baseline : compared->other;
}

char *grid_case_name(const grid *g, size_t row)
{
	return labels_words(g->cases.full[row]);
}
