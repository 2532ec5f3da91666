/* SPDX-License-Identifier: Apache-2.0 */
#include "report/grid_groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Characters of names before the rest is only counted, and cells beyond which none is named. */
enum { NAMES = 40, CELLS = 12 };

/* ---- groups of cells ------------------------------------------------------------------------- */

static group *group_of(groups *all, const char *what)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->items[i].what, what) == 0)
			return &all->items[i];
	all->items = memory_grow(all->items, (all->count + 1) * sizeof(*all->items));
	all->items[all->count] = (group){ .what = memory_text(what) };
	return &all->items[all->count++];
}

void group_add(groups *all, const char *what, size_t column, size_t row)
{
	group *g = group_of(all, what);

	g->places = memory_grow(g->places, (g->count + 1) * sizeof(*g->places));
	g->places[g->count++] = (place){ column, row };
}

void group_add_once(groups *all, const char *what, size_t column, size_t row)
{
	const group *g = group_of(all, what);
	const place *last = g->count > 0 ? &g->places[g->count - 1] : NULL;

	if (last == NULL || last->column != column || last->row != row)
		group_add(all, what, column, row);
}

void group_add_reference(groups *all, const char *what, const grid *g, size_t column,
                                size_t row)
{
	const group *of = group_of(all, what);

	for (size_t i = 0; i < of->count && g->mode != GRID_PAIRED; i++)
		if (of->places[i].column == g->count && of->places[i].row == row)
			return;
	group_add(all, what, g->mode == GRID_PAIRED ? column : g->count, row);
}

void groups_free(groups *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->items[i].what);
		free(all->items[i].places);
	}
	free(all->items);
}

/* ---- names of cells -------------------------------------------------------------------------- */

static const char *column_name(const grid *g, size_t column)
{
	return column < g->count ? grid_column(g, column) : g->executors.brief[0];
}

static size_t count_in(const group *of, size_t column)
{
	size_t count = 0;

	for (size_t i = 0; i < of->count; i++)
		count += of->places[i].column == column;
	return count;
}

/* Adds the name of a column, or of its cells in the group, while there is room; counts the rest. */
static void add_column(text *t, const grid *g, const group *of, size_t column, size_t *rest)
{
	size_t count = count_in(of, column);
	bool named = g->mode == GRID_ALONE;

	if (count == 0)
		return;
	if (count == g->row_count && g->row_count > 1 && t->size < NAMES) {
		text_add(t, "%s%s", t->size > 0 ? ", " : "", g->mode == GRID_ALONE ? "all" :
		         column_name(g, column));
		return;
	}
	for (size_t i = 0; i < of->count; i++) {
		const place *p = &of->places[i];

		if (p->column != column)
			continue;
		if (t->size >= NAMES) {
			(*rest)++;
			continue;
		}
		text_add(t, "%s%s%s%s", t->size > 0 ? ", " : "", named ? "" : column_name(g, column),
		         named ? "" : " ", g->cases.brief[p->row]);
		named = true;
	}
}

char *group_names(const grid *g, const group *of)
{
	text t = { 0 };
	size_t rest = 0;

	if (of->count > CELLS && of->count > g->row_count)
		return memory_format("%zu cells", of->count);
	for (size_t column = 0; column <= g->count; column++)
		add_column(&t, g, of, column, &rest);
	if (rest > 0)
		text_add(&t, ", and %zu more", rest);
	return t.data;
}
