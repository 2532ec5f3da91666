/* SPDX-License-Identifier: Apache-2.0 */
/* A grid on a terminal: as many executors side by side as fit, the others in blocks below. */
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "report/figure.h"
#include "report/grid.h"
#include "report/report.h"

enum { MARK = 8 };

/* How cells are set: the space between columns, the longest interval of an open cell that is shown, and the
 * columns of the page. */
typedef struct setting { size_t gap, range, room; } setting;
enum { ANY = 99, SHORT = 9 };

/* ---- cells ----------------------------------------------------------------------------------- */

static const char *cell_text(const grid_cell *cell, setting s)
{
	return cell->kind == GRID_OPEN && strlen(cell->text) > s.range ? "open" : cell->text;
}

static size_t column_width(const grid *g, size_t column, setting s)
{
	size_t most = table_width(grid_column(g, column));

	for (size_t i = 0; i < g->row_count; i++) {
		size_t width = table_width(cell_text(&g->rows[i].cells[column], s));

		most = width > most ? width : most;
	}
	return most;
}

char **grid_values(const grid *g)
{
	char **out = memory_get((g->row_count + 1) * sizeof(*out));
	const char *above = "";

	for (size_t i = 0; i < g->row_count; i++)
		out[i] = memory_text(g->rows[i].reference.number);
	figure_align(out, g->row_count);
	for (size_t i = 0; i < g->row_count; i++) {
		const char *unit = g->rows[i].reference.unit;
		char *number = out[i];

		if (unit[0] == '\0' || strcmp(unit, above) == 0)
			continue;
		out[i] = memory_format("%s %s", number, unit);
		above = unit;
		free(number);
	}
	return out;
}

static size_t widest(char *const *texts, size_t count, size_t least)
{
	for (size_t i = 0; i < count; i++)
		least = table_width(texts[i]) > least ? table_width(texts[i]) : least;
	return least;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* How many columns from `first` fit beside what stands left of them; at least one. */
static size_t fitting(const grid *g, size_t first, size_t left, setting s)
{
	size_t count = 0;

	while (first + count < g->count) {
		left += s.gap + column_width(g, first + count, s);
		if (left > s.room && count > 0)
			break;
		count++;
	}
	return count;
}

/* The most spacious setting in which all executors stand side by side, else that of the fewest
 * blocks. */
static setting choose(const grid *g, size_t left, size_t room)
{
	static const setting all[] = { { 2, ANY, 0 }, { 1, ANY, 0 }, { 2, SHORT, 0 }, { 1, SHORT, 0 },
		                       { 2, 0, 0 }, { 1, 0, 0 } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const setting s = { all[i].gap, all[i].range, room };

		if (fitting(g, 0, left, s) == g->count)
			return s;
	}
	return (setting){ 1, SHORT, room };
}

void grid_paint(struct table *t, const grid_cell *cell, size_t column)
{
	static const enum table_colour colours[] = {
		[GRID_FASTER] = COLOUR_GREEN, [GRID_SLOWER] = COLOUR_RED, [GRID_OPEN] = COLOUR_YELLOW,
		[GRID_BAD] = COLOUR_RED
	};

	if (cell->kind < sizeof(colours) / sizeof(colours[0]))
		table_paint(t, column, colours[cell->kind]);
}

/* A block: labels, values (NULL: none), and columns. */
typedef struct block { char *const *values; size_t first, count; setting s; } block;

/* The names of the columns, and a row; `cells` has room for both. */
static void fill_names(const grid *g, const block *b, const char **cells)
{
	cells[0] = "";
	cells[1] = b->values != NULL ? g->executors.full[0] : "";
	for (size_t k = 0; k < b->count; k++)
		cells[2 + k] = grid_column(g, b->first + k);
}

static void fill_row(const grid *g, const block *b, size_t i, const char **cells)
{
	cells[0] = g->cases.full[i];
	cells[1] = b->values != NULL ? b->values[i] : "";
	for (size_t k = 0; k < b->count; k++)
		cells[2 + k] = cell_text(&g->rows[i].cells[b->first + k], b->s);
}

static table *block_table(const block *b)
{
	char *align = memory_get(2 + b->count + 1);
	table *t;

	memset(align, 'r', 2 + b->count);
	align[0] = 'n';
	align[1] = 'l';
	t = table_new(align);
	table_gap(t, b->s.gap);
	free(align);
	return t;
}

static bool print_block(FILE *out, const grid *g, const block *b)
{
	const char **cells = memory_get((2 + b->count) * sizeof(*cells));
	table *t = block_table(b);
	bool ok;

	fill_names(g, b, cells);
	table_head(t, cells);
	for (size_t i = 0; i < g->row_count; i++) {
		fill_row(g, b, i, cells);
		table_row(t, cells);
		for (size_t k = 0; k < b->count; k++)
			grid_paint(t, &g->rows[i].cells[b->first + k], 2 + k);
	}
	ok = table_print(t, out);
	table_free(t);
	free(cells);
	return ok;
}

/* Values stand in the first block only. */
static bool print_blocks(FILE *out, const grid *g)
{
	char **values = g->mode == GRID_PAIRED ? NULL : grid_values(g);
	size_t label_width = widest(g->cases.full, g->row_count, 0);
	size_t left = values == NULL ? label_width :
	              label_width + 2 + widest(values, g->row_count, table_width(g->executors.full[0]));
	setting s = choose(g, left, table_room(out));
	bool ok = true;

	for (size_t first = 0; first < g->count && ok;) {
		block b = { first == 0 ? values : NULL, first,
			    fitting(g, first, first == 0 ? left : label_width, s), s };

		ok = (first == 0 || fputc('\n', out) != EOF) && print_block(out, g, &b);
		first += b.count;
	}
	for (size_t i = 0; values != NULL && i < g->row_count; i++)
		free(values[i]);
	free(values);
	return ok;
}

/* ---- the page -------------------------------------------------------------------------------- */

/* Whether the margin has room at the right edge of the title's line. */
static bool margin_fits(FILE *out, const grid *g)
{
	return table_width(g->title) + strlen("  margin ") + table_width(g->margin) <= table_measure(out);
}

bool grid_print_title(FILE *out, const grid *g)
{
	size_t width = table_width(g->title) + strlen("margin ") + table_width(g->margin);
	char *clean = terminal_words(out, table_clean(g->title));
	bool ok = g->margin[0] != '\0' && margin_fits(out, g) ?
	          fprintf(out, "%s%*smargin %s\n", clean, (int)(table_measure(out) - width), "", g->margin) >= 0 :
	          table_wrap(out, clean, 0);

	free(clean);
	return ok;
}

static void add_item(text *t, size_t *column, size_t measure, const char *item)
{
	size_t width = table_width(item);
	bool next = *column > 0 && *column + 3 + width > measure;

	text_add(t, "%s%s", *column == 0 ? "" : next ? "\n" : "   ", item);
	*column = next ? width : *column + (*column > 0 ? 3 : 0) + width;
}

static bool print_legend(FILE *out, const grid *g)
{
	text t = { 0 };
	size_t column = 0;
	bool ok;

	for (size_t i = 0; i < g->legend.count; i++)
		add_item(&t, &column, table_measure(out), g->legend.items[i]);
	if (g->margin[0] != '\0' && !margin_fits(out, g) && g->kinds[GRID_EQUAL] == 0) {
		char *margin = memory_format("margin %s", g->margin);

		add_item(&t, &column, table_measure(out), margin);
		free(margin);
	}
	ok = fprintf(out, "%s\n", t.data) >= 0;
	text_free(&t);
	return ok;
}

bool grid_print_notes(FILE *out, const grid *g)
{
	bool ok = true;

	for (size_t i = 0; i < g->notes.count && ok; i++)
		ok = g->notes.items[i].mark[0] != '\0' ?
		     table_labelled(out, MARK, g->notes.items[i].mark, g->notes.items[i].words) :
		     table_wrap(out, g->notes.items[i].words, 0);
	return ok;
}

bool grid_print(FILE *out, const grid *g)
{
	bool two = g->count == 1 && g->mode == GRID_AGAINST;

	return grid_print_title(out, g) && (two ? grid_print_two(out, g) : print_blocks(out, g)) &&
	       print_legend(out, g) && grid_print_notes(out, g);
}
