/* SPDX-License-Identifier: Apache-2.0 */
/* A grid for a pull request or a wiki: one table, the legend and the notes below. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/grid.h"
#include "report/report.h"

/* Escapes the characters that Markdown takes for its own. */
static void put_text(FILE *out, const char *raw)
{
	char *clean = table_clean(raw);

	for (const char *c = clean; *c != '\0'; c++) {
		if (strchr("\\|`*_<>[]#&~", *c) != NULL)
			(void)fputc('\\', out);
		(void)fputc(*c, out);
	}
	free(clean);
}

static void put_cell(FILE *out, const char *words)
{
	(void)fputs(" ", out);
	put_text(out, words);
	(void)fputs(" |", out);
}

static void put_head(FILE *out, const grid *g)
{
	size_t columns = g->count + (g->mode == GRID_PAIRED ? 0 : 1);

	(void)fputs("**", out);
	put_text(out, g->title);
	(void)fprintf(out, "**%s%s\n\n| case |", g->margin[0] != '\0' ? ", margin " : "", g->margin);
	if (g->mode != GRID_PAIRED)
		put_cell(out, g->executors.full[0]);
	for (size_t k = 0; k < g->count; k++)
		put_cell(out, grid_column(g, k));
	(void)fputs("\n|:--|", out);
	for (size_t k = 0; k < columns; k++)
		(void)fputs("--:|", out);
	(void)fputc('\n', out);
}

static void put_row(FILE *out, const grid *g, size_t i)
{
	const grid_row *row = &g->rows[i];
	char *label = labels_words(g->cases.full[i]);
	char *value = memory_format("%s%s%s", row->reference.number, row->reference.unit[0] != '\0' ?
	                            " " : "", row->reference.unit);

	(void)fputc('|', out);
	put_cell(out, label);
	if (g->mode != GRID_PAIRED)
		put_cell(out, value);
	for (size_t k = 0; k < g->count; k++) {
		char *words = g->count > 1 ? memory_text(row->cells[k].text)
		                           : grid_cell_interval(&row->cells[k]);

		put_cell(out, words);
		free(words);
	}
	(void)fputc('\n', out);
	free(value);
	free(label);
}

bool grid_print_markdown(FILE *out, const grid *g)
{
	put_head(out, g);
	for (size_t i = 0; i < g->row_count; i++)
		put_row(out, g, i);
	(void)fputc('\n', out);
	for (size_t i = 0; i < g->legend.count; i++) {
		(void)fputs(i > 0 ? " · " : "", out);
		put_text(out, g->legend.items[i]);
	}
	(void)fputs("\n", out);
	for (size_t i = 0; i < g->notes.count; i++) {
		const grid_note *n = &g->notes.items[i];

		(void)fputs(i == 0 ? "\n- " : "- ", out);
		put_text(out, n->mark);
		(void)fputs(n->mark[0] != '\0' ? ": " : "", out);
		put_text(out, n->words);
		(void)fputc('\n', out);
	}
	return ferror(out) == 0;
}
