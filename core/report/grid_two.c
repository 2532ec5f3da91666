/* SPDX-License-Identifier: Apache-2.0 */
/* A grid of two results: both values beside each other, and the ratio with its interval, drawn where there is
 * a terminal with room for it. */
#include <math.h>
#include <stdlib.h>

#include "base/terminal.h"
#include "base/text.h"
#include "report/drawing.h"
#include "report/figure.h"
#include "report/grid.h"
#include "report/report.h"

/* Columns of the drawing, and from where on the ends of its axis have names. */
enum { LEAST = 9, MOST = 31, NAMED = 17, GAP = 2 };

static char *side_text(const grid *g, const grid_row *row)
{
	const comparison_row *from = row->cells[0].row;
	const comparison_side *side = from != NULL ? from->other : NULL;
	char number[FIGURE_SIZE], unit[FIGURE_SIZE];

	if (side == NULL || side->value_interval == NULL || row->cells[0].kind == GRID_BAD)
		return memory_text(grid_word(g->comparisons[0].b, from != NULL ? from->b : NULL));
	figure_value(side->value, *side->value_interval, figure_unit(side->metric), number, unit);
	return memory_format("%s %s", number, unit);
}

/* ---- the drawing ----------------------------------------------------------------------------- */

/* Its axis goes to the first of these that has all ratios within, or to the last. */
static double range_of(const grid *g)
{
	static const double ranges[] = { 1.1, 1.25, 1.5, 2, 4 };
	const size_t count = sizeof(ranges) / sizeof(ranges[0]);
	double most = 1;
	size_t i = 0;

	for (size_t k = 0; k < g->row_count; k++) {
		const comparison_row *row = g->rows[k].cells[0].row;

		if (row != NULL && row->speedup > 0)
			most = fmax(most, fmax(contract_interval(row)->high, 1 / contract_interval(row)->low));
	}
	while (i + 1 < count && ranges[i] < most)
		i++;
	return ranges[i];
}

/* malloc'd: "0.5x      1x      2x". */
static char *axis_text(double range, size_t width)
{
	char low[16] = "", high[16] = "";
	int middle = (int)width / 2;

	if (width == 0)
		return memory_text("");
	if (width >= NAMED) {
		snprintf(low, sizeof(low), "%.2gx", 1 / range);
		snprintf(high, sizeof(high), "%.3gx", range);
	}
	return memory_format("%-*s1x%*s", middle, low, (int)width - middle - 2, high);
}

static char *ratio_text(FILE *out, const comparison_row *row, double range, size_t width)
{
	if (width == 0 || row == NULL || !(row->speedup > 0))
		return memory_text("");
	return drawing_ratio(row->speedup, contract_interval(row)->low, contract_interval(row)->high, range,
	                     width, terminal_unicode(out));
}

/* ---- the table ------------------------------------------------------------------------------- */

static void add_row(FILE *out, table *t, const grid *g, size_t i, const char *value, size_t width)
{
	const grid_row *row = &g->rows[i];
	char *other = side_text(g, row), *verdict = grid_cell_interval(&row->cells[0]);
	char *drawing = ratio_text(out, row->cells[0].row, range_of(g), width);

	table_row(t, (const char *[]){ g->cases.full[i], value, other, drawing, verdict });
	grid_paint(t, &row->cells[0], 4);
	free(drawing);
	free(verdict);
	free(other);
}

/* With a drawing of so many columns; 0: none. */
static table *make(FILE *out, const grid *g, char *const *values, size_t width)
{
	char *axis = axis_text(range_of(g), width);
	table *t = table_new("nllbr");

	table_head(t, (const char *[]){ "", g->executors.full[0], g->executors.full[1], axis, "times as fast" });
	for (size_t i = 0; i < g->row_count; i++)
		add_row(out, t, g, i, values[i], width);
	free(axis);
	return t;
}

bool grid_print_two(FILE *out, const grid *g)
{
	char **values = grid_values(g);
	table *t = make(out, g, values, 0);
	size_t taken = table_columns(t) + GAP, room = terminal_columns(out);
	bool ok;

	if (room >= taken + LEAST) {
		size_t width = room - taken < MOST ? room - taken : MOST;

		table_free(t);
		t = make(out, g, values, width - (width % 2 == 0));
	}
	ok = table_print(t, out);
	table_free(t);
	for (size_t i = 0; i < g->row_count; i++)
		free(values[i]);
	free(values);
	return ok;
}
