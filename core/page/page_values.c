/* SPDX-License-Identifier: Apache-2.0 */
/* Every value and ratio with its interval, side by side, and a picture of each ratio. */
#include <math.h>
#include <stdlib.h>

#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"
#include "report/figure.h"

/* ---- the picture of a ratio ------------------------------------------------------------------ */

/* Its width and height, and what lies between its edges: logarithms of ratios. */
enum { WIDTH = 150, HEIGHT = 16 };
typedef struct scale { double low, high; } scale;

/* Of all ratios on the page, so that pictures can be compared; at most a factor of 8 to each side. */
static scale scale_of(const grid *g)
{
	double most = log(1.1);

	for (size_t i = 0; i < g->row_count; i++)
		for (size_t k = 0; k < g->count; k++) {
			const comparison_row *row = g->rows[i].cells[k].row;
			const interval *around = row != NULL && row->speedup > 0 ? contract_interval(row) : NULL;

			if (around == NULL || !(around->low > 0) || !isfinite(around->high))
				continue;
			most = fmax(most, fmax(fabs(log(around->low)), fabs(log(around->high))));
		}
	most = fmin(most, log(8.0)) * 1.05;
	return (scale){ -most, most };
}

static double place(const scale *s, double ratio)
{
	double at = ratio > 0 ? (log(ratio) - s->low) / (s->high - s->low) : 0;

	return WIDTH * fmin(fmax(at, 0), 1);
}

static void put_picture(FILE *out, const comparison_row *row, const scale *s)
{
	interval around = *contract_interval(row);
	double low = place(s, around.low), high = place(s, around.high);
	double from = place(s, 1 / (1 + row->margin)), to = place(s, 1 + row->margin), at = place(s, row->speedup);
	char ratio[FIGURE_SIZE];

	figure_ratio(row->speedup, around, ratio);
	markup_put(out, "<svg class=\"ratio\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
	         "aria-label=\"%s times as fast, margin %.3g %%\">", WIDTH, HEIGHT, WIDTH, HEIGHT, ratio,
	         row->margin * 100);
	markup_put(out, "<rect class=\"margin\" x=\"%.1f\" y=\"1\" width=\"%.1f\" height=\"14\"/>", from, to - from);
	markup_put(out, "<line class=\"one\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"16\"/>", place(s, 1), place(s, 1));
	markup_put(out, "<line class=\"around\" x1=\"%.1f\" x2=\"%.1f\" y1=\"8\" y2=\"8\"/>", low, high);
	markup_put(out, "<circle class=\"at\" cx=\"%.1f\" cy=\"8\" r=\"3.5\"/></svg>", at);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What qualifies a number, beside it. */
static void put_badges(FILE *out, const result_row *row, const comparison_side *side)
{
	if (row->record->status != RECORD_VALID)
		markup_put(out, " <span class=\"badge %s\" title=\"%s\">%s</span>",
		         record_counts(row->record->status) ? "weak" : "bad",
		         record_status_mark(row->record->status)->sentence, result_row_word(row));
	if (side != NULL && side->evidence.level > EVIDENCE_CAVEATED)
		markup_put(out, " <span class=\"badge %s\">%s</span>",
		         side->evidence.level == EVIDENCE_BAD ? "bad" : "weak",
		         evidence_level_word(side->evidence.level));
	for (size_t i = 0; i < row->record->flags.count; i++) {
		const record_mark *m = record_flag_mark(row->record->flags.items[i]);

		markup_put(out, " <span class=\"badge\" title=\"%s %s\">%s</span>", m->sentence, m->remedy, m->word);
	}
}

static void put_value(FILE *out, const grid *g, size_t row, size_t i)
{
	const comparison_side *side = grid_side(g, row, i);
	const result_row *of = grid_result_row(g, row, i);
	char value[FIGURE_SIZE];

	markup_put(out, "<td class=\"value\">");
	if (of != NULL && side != NULL && side->value_interval != NULL && record_counts(side->status)) {
		figure_interval(side->value, *side->value_interval, figure_unit(side->metric), value);
		markup_put(out, "%s", value);
	} else {
		markup_put(out, "%s", grid_word(grid_result(g, i), of));
	}
	if (of != NULL)
		put_badges(out, of, side);
	markup_put(out, "</td>");
}

static void put_ratio(FILE *out, const comparison_row *row, const scale *s)
{
	char ratio[FIGURE_SIZE];

	if (row == NULL || !(row->speedup > 0)) {
		markup_put(out, "<td></td><td></td><td>%s</td>",
		         row != NULL ? comparison_verdict_word(row->verdict) : "");
		return;
	}
	figure_ratio(row->speedup, *contract_interval(row), ratio);
	markup_put(out, "<td class=\"value\">%s</td><td>", ratio);
	put_picture(out, row, s);
	markup_put(out, "</td><td>%s</td>", comparison_verdict_word(row->verdict));
}

/* A line for each result; the case stands in the first. */
static void put_case(FILE *out, const grid *g, size_t row, const scale *s)
{
	char *label = grid_case_name(g, row);
	size_t count = grid_results(g);

	for (size_t i = 0; i < count; i++) {
		char *name = grid_full_name(g, i);

		markup_put(out, i == 0 ? "<tr class=\"first\">" : "<tr>");
		if (i == 0)
			markup_put(out, "<th scope=\"rowgroup\" rowspan=\"%zu\"><a href=\"#case-%zu\">%s</a></th>", count,
			         row, label);
		markup_put(out, "<th scope=\"row\">%s</th>", name);
		put_value(out, g, row, i);
		if (g->mode != GRID_ALONE && grid_is_reference(g, i))
			markup_put(out, "<td></td><td></td><td>reference</td>");
		else if (g->mode != GRID_ALONE)
			put_ratio(out, grid_compared(g, row, i), s);
		markup_put(out, "</tr>\n");
		free(name);
	}
	free(label);
}

void page_values(FILE *out, const grid *g)
{
	static const char *const heads[] = { "case", "executor", "value [95 % interval]",
		                             "times as fast [interval]", "1x in the middle; shaded: the margin",
		                             "verdict" };
	scale s = scale_of(g);

	page_section(out, "values", "Cases side by side");
	page_table(out, "Values and ratios with their 95 % intervals");
	page_heads(out, heads, g->mode == GRID_ALONE ? 3 : sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < g->row_count; i++)
		put_case(out, g, i, &s);
	page_table_end(out);
	markup_put(out, "</section>\n");
}
