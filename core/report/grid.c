/* SPDX-License-Identifier: Apache-2.0 */
#include "report/grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/figure.h"

/* Columns that the labels of cases may take beside few and beside many executors. */
enum { LABEL_WIDE = 22, LABEL_NARROW = 15, FEW = 3 };

/* ---- the cases of all comparisons ------------------------------------------------------------ */

/* A case of a comparison that was asked for, and its place among all. */
typedef struct entry { const char *id; size_t place; } entry;
typedef struct listing { entry *items; size_t count; } listing;

static int by_id(const void *a, const void *b)
{
	const entry *x = a, *y = b;
	int order = strcmp(x->id, y->id);

	return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_place(const void *a, const void *b)
{
	const entry *x = a, *y = b;

	return (x->place > y->place) - (x->place < y->place);
}

static listing all_entries(const comparison *comparisons, size_t count)
{
	listing all = { NULL, 0 };
	size_t place = 0;

	for (size_t i = 0; i < count; i++)
		all.count += comparisons[i].cases.count;
	all.items = memory_get((all.count + 1) * sizeof(*all.items));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < comparisons[i].cases.count; k++)
			if (comparison_asked(&comparisons[i], &comparisons[i].cases.items[k])) {
				all.items[place] = (entry){ comparisons[i].cases.items[k].id, place };
				place++;
			}
	all.count = place;
	return all;
}

/* Each id once, sorted by id; its place is that of its row, by first appearance. */
static listing index_ids(const comparison *comparisons, size_t count)
{
	listing all = all_entries(comparisons, count);
	size_t kept = 0;

	if (all.count > 1)
		qsort(all.items, all.count, sizeof(*all.items), by_id);
	for (size_t i = 0; i < all.count; i++)
		if (i == 0 || strcmp(all.items[i].id, all.items[kept - 1].id) != 0)
			all.items[kept++] = all.items[i];
	all.count = kept;
	if (kept > 1)
		qsort(all.items, kept, sizeof(*all.items), by_place);
	for (size_t i = 0; i < kept; i++)
		all.items[i].place = i;
	if (kept > 1)
		qsort(all.items, kept, sizeof(*all.items), by_id);
	return all;
}

/* all->count for a case that none was asked for. */
static size_t place_of(const listing *all, const char *id)
{
	const entry key = { id, 0 };
	size_t low = 0, high = all->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(all->items[middle].id, key.id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all->count && strcmp(all->items[low].id, id) == 0 ? all->items[low].place : all->count;
}

/* ---- words ----------------------------------------------------------------------------------- */

static bool lacks(const result *of, const result_row *row, const char *precision, const char *cap)
{
	return strcmp(row->record->precision, precision) == 0 &&
	       !text_list_has(&of->record->executor.device.caps, cap);
}

const char *grid_word(const result *of, const result_row *row)
{
	if (row == NULL)
		return "-";
	if (row->record->status == RECORD_OUT_OF_TIME)
		return "no time";
	if (row->record->status == RECORD_UNSUPPORTED)
		return lacks(of, row, "f64", "fp64") ? "no fp64" :
		       lacks(of, row, "f16", "fp16") ? "no fp16" : "n/a";
	return strcmp(result_row_word(row), record_status_word(row->record->status)) != 0 ?
	       result_row_word(row) : "X";
}

static bool usable(const comparison_side *side)
{
	return side != NULL && record_counts(side->status) && side->evidence.level < EVIDENCE_BAD;
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void cell_set(grid_cell *cell, enum grid_kind kind, const char *words)
{
	cell->kind = kind;
	text_set(&cell->text, words);
}

static void cell_open(grid_cell *cell, const comparison_row *row)
{
	char range[FIGURE_SIZE];

	if (row->speedup_interval == NULL) {
		cell_set(cell, GRID_OPEN, "open");
		return;
	}
	figure_range(*row->speedup_interval, range);
	cell->kind = GRID_OPEN;
	free(cell->text);
	cell->text = memory_format("%s?", range);
}

/* A case that has no ratio. */
static void cell_without(grid_cell *cell, const comparison *c, const comparison_row *row)
{
	const char *word = grid_word(c->b, row->b);

	if (row->b != NULL && usable(row->other) && !usable(row->baseline))
		cell_set(cell, GRID_BLANK, "-");
	else if (row->b == NULL)
		cell_set(cell, GRID_BLANK, word);
	else if (usable(row->other) || strcmp(word, "X") == 0)
		cell_set(cell, GRID_BAD, "X");
	else
		cell_set(cell, GRID_WORD, word);
}

static void cell_fill(grid_cell *cell, const comparison *c, const comparison_row *row)
{
	char times[FIGURE_SIZE] = "";

	cell->row = row;
	if (row->speedup > 0)
		figure_times(row->speedup, times);
	switch (row->verdict) {
	case VERDICT_FASTER: cell_set(cell, GRID_FASTER, times); break;
	case VERDICT_SLOWER: cell_set(cell, GRID_SLOWER, times); break;
	case VERDICT_EQUIVALENT: cell_set(cell, GRID_EQUAL, "~"); break;
	case VERDICT_INCONCLUSIVE:
	case VERDICT_DESCRIPTION: cell_open(cell, row); break;
	default: cell_without(cell, c, row); break;
	}
}

char *grid_cell_interval(const grid_cell *cell)
{
	char range[FIGURE_SIZE];

	if (cell->kind < GRID_FASTER || cell->kind > GRID_EQUAL)
		return memory_text(cell->text);
	figure_range(*contract_interval(cell->row), range);
	return memory_format("%s [%s]", cell->text, range);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Alone a value stands also where no comparison could use it; the notes say why. */
static void reference_fill(const grid *g, grid_row *row, const comparison *c,
                           const comparison_row *from)
{
	const comparison_side *side = from->baseline;
	char number[FIGURE_SIZE], unit[FIGURE_SIZE] = "";
	bool shown = g->mode == GRID_ALONE ? record_counts(side->status) : usable(side);

	if (shown && side->value_interval != NULL)
		figure_value(side->value, *side->value_interval, figure_unit(side->metric), number, unit);
	else
		snprintf(number, sizeof(number), "%s", grid_word(c->a, from->a));
	text_set(&row->reference.number, number);
	text_set(&row->reference.unit, unit);
}

static void rows_fill(grid *g, const listing *ids)
{
	for (size_t i = 0; i < g->row_count; i++) {
		g->rows[i].cells = memory_get(g->count * sizeof(*g->rows[i].cells));
		for (size_t k = 0; k < g->count; k++)
			cell_set(&g->rows[i].cells[k], GRID_BLANK, "-");
	}
	for (size_t k = 0; k < g->count; k++)
		for (size_t i = 0; i < g->comparisons[k].cases.count; i++) {
			const comparison_row *from = &g->comparisons[k].cases.items[i];
			size_t place = place_of(ids, from->id);
			grid_row *row = &g->rows[place];

			if (place == ids->count)
				continue;
			row->id = from->id;
			cell_fill(&row->cells[k], &g->comparisons[k], from);
			if (row->reference.number == NULL)
				reference_fill(g, row, &g->comparisons[k], from);
		}
	for (size_t i = 0; i < g->row_count; i++)
		for (size_t k = 0; k < g->count; k++)
			g->kinds[g->rows[i].cells[k].kind]++;
}

static void names_fill(grid *g)
{
	const char **ids = memory_get((g->row_count + 1) * sizeof(*ids));
	const result **results = memory_get((g->count + 1) * sizeof(*results));
	size_t first = g->mode == GRID_PAIRED ? 0 : 1;

	for (size_t i = 0; i < g->row_count; i++)
		ids[i] = g->rows[i].id;
	results[0] = g->comparisons[0].a;
	for (size_t k = 0; k < g->count; k++)
		results[first + k] = g->comparisons[k].b;
	labels_cases(&g->cases, ids, g->row_count, g->count > FEW ? LABEL_NARROW : LABEL_WIDE);
	labels_executors(&g->executors, results, first + g->count);
	free(results);
	free(ids);
}

const char *grid_column(const grid *g, size_t column)
{
	return g->executors.brief[column + (g->mode == GRID_PAIRED ? 0 : 1)];
}

static void legend_fill(grid *g)
{
	const size_t *kinds = g->kinds;

	if (kinds[GRID_FASTER] + kinds[GRID_SLOWER] > 0 && (g->mode == GRID_PAIRED || g->count > 1))
		text_list_format(&g->legend, "1.31x: 1.31 times as fast%s", g->mode == GRID_PAIRED ? " as before" : "");
	if (kinds[GRID_EQUAL] > 0)
		text_list_format(&g->legend, "~ equal within %s", g->margin);
	if (kinds[GRID_OPEN] > 0)
		text_list_add(&g->legend, "? open");
	if (kinds[GRID_BAD] > 0)
		text_list_add(&g->legend, "X see below");
	text_list_format(&g->legend, "faster/slower/equal/open: %zu/%zu/%zu/%zu", kinds[GRID_FASTER],
	                 kinds[GRID_SLOWER], kinds[GRID_EQUAL], kinds[GRID_OPEN]);
}

/* ---- results --------------------------------------------------------------------------------- */

size_t grid_references(const grid *g)
{
	return g->mode == GRID_PAIRED ? g->count : 1;
}

size_t grid_results(const grid *g)
{
	return g->mode == GRID_ALONE ? 1 : grid_references(g) + g->count;
}

const result *grid_result(const grid *g, size_t i)
{
	return i < grid_references(g) ? g->comparisons[i].a : g->comparisons[i - grid_references(g)].b;
}

const comparison_source *grid_source(const grid *g, size_t i)
{
	return i < grid_references(g) ? &g->comparisons[i].baseline
	                         : &g->comparisons[i - grid_references(g)].other;
}

const char *grid_result_name(const grid *g, size_t i)
{
	size_t first = grid_references(g);

	return i >= first ? grid_column(g, i - first) : g->mode == GRID_PAIRED ? grid_column(g, i)
	                                                          : g->executors.brief[0];
}

/* ---- the whole ------------------------------------------------------------------------------- */

void grid_make(grid *g, const comparison *comparisons, size_t count, enum grid_mode mode)
{
	listing ids = index_ids(comparisons, count);

	*g = (grid){ .comparisons = comparisons, .count = count, .mode = mode,
		     .rows = memory_get((ids.count + 1) * sizeof(grid_row)), .row_count = ids.count };
	rows_fill(g, &ids);
	names_fill(g);
	g->title = grid_title(g);
	g->margin = grid_margin(g);
	legend_fill(g);
	grid_notes_fill(g);
	free(ids.items);
}

void grid_clear(grid *g)
{
	for (size_t i = 0; i < g->row_count; i++) {
		for (size_t k = 0; k < g->count; k++)
			free(g->rows[i].cells[k].text);
		free(g->rows[i].cells);
		free(g->rows[i].reference.number);
		free(g->rows[i].reference.unit);
	}
	for (size_t i = 0; i < g->notes.count; i++) {
		free(g->notes.items[i].mark);
		free(g->notes.items[i].words);
	}
	free(g->notes.items);
	free(g->rows);
	labels_clear(&g->executors);
	labels_clear(&g->cases);
	text_list_clear(&g->legend);
	free(g->title);
	free(g->margin);
	*g = (grid){ 0 };
}
