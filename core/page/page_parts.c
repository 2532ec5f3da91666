/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "page/html.h"

/* ---- results of a grid ----------------------------------------------------------------------- */

static size_t references(const grid *g)
{
	return g->mode == GRID_PAIRED ? g->count : 1;
}

bool page_is_reference(const grid *g, size_t i)
{
	return i < references(g);
}

char *page_name(const grid *g, size_t i)
{
	size_t first = references(g);

	if (g->mode == GRID_PAIRED)
		return memory_format("%s %s", g->executors.full[i % first], i < first ? "before" : "after");
	/* Alone it is compared with itself, so that its label has a number. */
	return memory_text(g->mode == GRID_ALONE ? labels_name(grid_result(g, 0)) : g->executors.full[i]);
}

const result_row *page_row(const grid *g, size_t row, size_t i)
{
	const result *of = grid_result(g, i);

	for (size_t k = 0; k < of->row_count; k++)
		if (strcmp(of->rows[k].id, g->rows[row].id) == 0)
			return &of->rows[k];
	return NULL;
}

const comparison_row *page_compared(const grid *g, size_t row, size_t i)
{
	const grid_cell *cells = g->rows[row].cells;
	size_t first = references(g);

	if (i >= first)
		return cells[i - first].row;
	if (g->mode == GRID_PAIRED)
		return cells[i].row;
	for (size_t k = 0; k < g->count; k++)
		if (cells[k].row != NULL && cells[k].row->baseline != NULL)
			return cells[k].row;
	return NULL;
}

const comparison_side *page_side(const grid *g, size_t row, size_t i)
{
	const comparison_row *compared = page_compared(g, row, i);

	return compared == NULL ? NULL : page_is_reference(g, i) ? compared->baseline : compared->other;
}

char *page_case(const grid *g, size_t row)
{
	return labels_words(g->cases.full[row]);
}

/* ---- markup ---------------------------------------------------------------------------------- */

void page_section(FILE *out, const char *anchor, const char *heading)
{
	html_put(out, "<section id=\"%s\"><h2>%s</h2>\n", anchor, heading);
}

void page_table(FILE *out, const char *caption)
{
	html_put(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
	         "<table><caption>%s</caption>\n", caption, caption);
}

void page_table_end(FILE *out)
{
	html_put(out, "</tbody></table></div>\n");
}

void page_heads(FILE *out, const char *const *heads, size_t count)
{
	html_put(out, "<thead><tr>");
	for (size_t i = 0; i < count; i++)
		html_put(out, "<th scope=\"col\">%s</th>", heads[i]);
	html_put(out, "</tr></thead><tbody>\n");
}
