/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen: title, answer in a sentence, the grid, and what stands below it. */
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"
#include "report/figure.h"

/* ---- the answer ------------------------------------------------------------------------------ */

/* The smallest and largest speedup of a column's cells of one kind, and how many there are. */
typedef struct spread { size_t count; double least, most; } spread;

static spread spread_of(const grid *g, size_t column, enum grid_kind kind)
{
	spread s = { 0, 0, 0 };

	for (size_t i = 0; i < g->row_count; i++) {
		const grid_cell *cell = &g->rows[i].cells[column];

		if (cell->kind != kind)
			continue;
		if (kind == GRID_FASTER || kind == GRID_SLOWER) {
			s.least = s.count == 0 || cell->row->speedup < s.least ? cell->row->speedup : s.least;
			s.most = s.count == 0 || cell->row->speedup > s.most ? cell->row->speedup : s.most;
		}
		s.count++;
	}
	return s;
}

/* "faster in 3 (1.05x to 1.31x)" */
static void add_moved(text *t, const char *word, spread s)
{
	char least[FIGURE_SIZE], most[FIGURE_SIZE];

	if (s.count == 0)
		return;
	figure_times(s.least, least);
	figure_times(s.most, most);
	text_add(t, "%s%s in %zu (%s%s%s)", t->size > 0 ? ", " : "", word, s.count, least,
	         strcmp(least, most) != 0 ? " to " : "", strcmp(least, most) != 0 ? most : "");
}

static void add_counted(text *t, const char *format, size_t count)
{
	if (count > 0) {
		text_add(t, "%s", t->size > 0 ? ", " : "");
		text_add(t, "%zu %s", count, format);
	}
}

/* malloc'd: of all its cases. */
static char *column_answer(const grid *g, size_t column)
{
	size_t blank = spread_of(g, column, GRID_BLANK).count + spread_of(g, column, GRID_WORD).count;
	text t = { 0 };

	add_moved(&t, "faster", spread_of(g, column, GRID_FASTER));
	add_moved(&t, "slower", spread_of(g, column, GRID_SLOWER));
	add_counted(&t, "equal", spread_of(g, column, GRID_EQUAL).count);
	add_counted(&t, "open", spread_of(g, column, GRID_OPEN).count);
	add_counted(&t, "not comparable", spread_of(g, column, GRID_BAD).count);
	add_counted(&t, "not measured", blank);
	return t.size > 0 ? t.data : memory_text("nothing to compare");
}

static void put_sentence(FILE *out, const grid *g, size_t column)
{
	char *words = column_answer(g, column);
	const char *name = g->executors.full[g->mode == GRID_PAIRED ? column : column + 1];

	markup_put(out, "<li><strong>%s</strong> against %s, %zu case%s: %s.</li>\n", name,
	         g->mode == GRID_PAIRED ? "its run before" : g->executors.full[0], g->row_count,
	         g->row_count == 1 ? "" : "s", words);
	free(words);
}

/* Of one result: how many of its cases have a number. */
static void put_alone(FILE *out, const grid *g)
{
	size_t counts = 0;
	char *name = grid_full_name(g, 0);

	for (size_t i = 0; i < g->row_count; i++) {
		const comparison_side *side = grid_side(g, i, 0);

		counts += side != NULL && side->value_interval != NULL && record_counts(side->status) &&
		          side->evidence.level < EVIDENCE_BAD;
	}
	markup_put(out, "<li><strong>%s</strong>: %zu of %zu cases have a number that counts.</li>\n",
	         name, counts, g->row_count);
	free(name);
}

static void put_answers(FILE *out, const grid *g)
{
	markup_put(out, "<ul class=\"answer\">\n");
	if (g->mode == GRID_ALONE)
		put_alone(out, g);
	for (size_t k = 0; k < g->count && g->mode != GRID_ALONE; k++)
		put_sentence(out, g, k);
	markup_put(out, "</ul>\n");
}

/* ---- the grid -------------------------------------------------------------------------------- */

static const char *kind_class(enum grid_kind kind)
{
	static const char *const names[] = {
		[GRID_BLANK] = "blank", [GRID_FASTER] = "faster", [GRID_SLOWER] = "slower",
		[GRID_EQUAL] = "equal", [GRID_OPEN] = "open", [GRID_WORD] = "word", [GRID_BAD] = "bad"
	};

	return names[kind];
}

/* What a cell says, for who cannot see signs and colours. */
static const char *kind_words(enum grid_kind kind)
{
	static const char *const words[] = {
		[GRID_BLANK] = "nothing to compare with", [GRID_FASTER] = "faster",
		[GRID_SLOWER] = "slower", [GRID_EQUAL] = "equal within the margin",
		[GRID_OPEN] = "open: no verdict", [GRID_WORD] = "not measured",
		[GRID_BAD] = "failed, invalid or not comparable"
	};

	return words[kind];
}

static void put_cell(FILE *out, const grid *g, size_t row, size_t column)
{
	const grid_cell *cell = &g->rows[row].cells[column];
	char *words = g->count > 1 ? memory_text(cell->text) : grid_cell_interval(cell);

	markup_put(out, "<td class=\"%s\"><a href=\"#case-%zu\" title=\"%s\">%s</a></td>",
	         kind_class(cell->kind), row, kind_words(cell->kind), words);
	free(words);
}

static void put_value(FILE *out, const grid_value *v)
{
	markup_put(out, "<td class=\"value\">%s%s%s</td>", v->number, v->unit[0] != '\0' ? " " : "", v->unit);
}

/* Of one result, beside its value: half of the interval, and the status where it is not valid. */
static void put_alone_cells(FILE *out, const grid *g, size_t row)
{
	const comparison_side *side = grid_side(g, row, 0);
	const result_row *of = grid_result_row(g, row, 0);
	char interval_text[FIGURE_SIZE] = "";

	if (side != NULL && side->value_interval != NULL)
		figure_interval(side->value, *side->value_interval, figure_unit(side->metric), interval_text);
	markup_put(out, "<td class=\"value\">%s</td><td>%s</td>", interval_text,
	         of != NULL ? result_row_word(of) : "-");
}

static void put_grid(FILE *out, const grid *g)
{
	page_table(out, g->mode == GRID_ALONE ? "The values of each case" : "Times as fast as the reference, by case and executor");
	markup_put(out, "<thead><tr><th scope=\"col\">case</th>");
	if (g->mode == GRID_ALONE)
		markup_put(out, "<th scope=\"col\">value</th>");
	else if (g->mode != GRID_PAIRED)
		markup_put(out, "<th scope=\"col\">%s</th>", g->executors.full[0]);
	if (g->mode == GRID_ALONE)
		markup_put(out, "<th scope=\"col\">with its 95 %% interval</th><th scope=\"col\">status</th>");
	for (size_t k = 0; k < g->count && g->mode != GRID_ALONE; k++)
		markup_put(out, "<th scope=\"col\">%s</th>", grid_column(g, k));
	markup_put(out, "</tr></thead><tbody>\n");
	for (size_t i = 0; i < g->row_count; i++) {
		char *label = grid_case_name(g, i);

		markup_put(out, "<tr><th scope=\"row\"><a href=\"#case-%zu\">%s</a></th>", i, label);
		if (g->mode != GRID_PAIRED)
			put_value(out, &g->rows[i].reference);
		if (g->mode == GRID_ALONE)
			put_alone_cells(out, g, i);
		for (size_t k = 0; k < g->count && g->mode != GRID_ALONE; k++)
			put_cell(out, g, i, k);
		markup_put(out, "</tr>\n");
		free(label);
	}
	page_table_end(out);
}

static void put_legend(FILE *out, const grid *g)
{
	markup_put(out, "<p class=\"legend\">");
	for (size_t i = 0; i < g->legend.count; i++)
		markup_put(out, "%s<span>%s</span>", i > 0 ? " · " : "", g->legend.items[i]);
	markup_put(out, "</p>\n");
}

static void put_notes(FILE *out, const grid *g)
{
	markup_put(out, "<dl class=\"notes\">\n");
	for (size_t i = 0; i < g->notes.count; i++)
		markup_put(out, "<dt>%s</dt><dd>%s</dd>\n", g->notes.items[i].mark, g->notes.items[i].words);
	markup_put(out, "</dl>\n");
}

void page_answer(FILE *out, const grid *g)
{
	markup_put(out, "<section id=\"answer\"><h1>%s</h1>\n", g->title);
	put_answers(out, g);
	put_grid(out, g);
	if (g->mode != GRID_ALONE)
		put_legend(out, g);
	put_notes(out, g);
	markup_put(out, "</section>\n");
}
