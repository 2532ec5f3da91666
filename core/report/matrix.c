/* SPDX-License-Identifier: Apache-2.0 */
/* Several results against one baseline: for each case one line per executor. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/comparison_parts.h"

/* A row, the comparison that it is of, its place among all rows, and the first place of its id. */
typedef struct entry {
	const comparison *of;
	const comparison_row *row;
	size_t place, first;
} entry;

static int by_place(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_id(const void *a, const void *b)
{
	const entry *x = a;
	const entry *y = b;
	int order = strcmp(x->row->id, y->row->id);

	return order != 0 ? order : by_place(x->place, y->place);
}

static int by_first(const void *a, const void *b)
{
	const entry *x = a;
	const entry *y = b;
	int order = by_place(x->first, y->first);

	return order != 0 ? order : by_place(x->place, y->place);
}

/* The rows of all, those of one id together, in order of first appearance. */
static entry *entries_of(const comparison *comparisons, size_t count, size_t *out)
{
	entry *all;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		n += comparisons[i].cases.count;
	all = memory_get((n + 1) * sizeof(*all));
	*out = n;
	n = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < comparisons[i].cases.count; k++, n++)
			all[n] = (entry){ &comparisons[i], &comparisons[i].cases.items[k], n, n };
	if (n > 1)
		qsort(all, n, sizeof(*all), by_id);
	for (size_t i = 1; i < n; i++)
		if (strcmp(all[i - 1].row->id, all[i].row->id) == 0)
			all[i].first = all[i - 1].first;
	if (n > 1)
		qsort(all, n, sizeof(*all), by_first);
	return all;
}

static void add_entry(table *t, const entry *e, bool colours)
{
	const comparison_row *row = e->row;
	char base[FIGURE_SIZE];
	char other[FIGURE_SIZE];
	char speedup[FIGURE_SIZE];

	comparison_cells(row, base, other, speedup);
	if (e->place == e->first)
		table_row(t, (const char *[]){ row->id, e->of->baseline.executor, base, "baseline", "" });
	table_row(t, (const char *[]){ "", e->of->other.executor, other, speedup,
		                       comparison_verdict_word(row->verdict) });
	if (colours)
		table_paint(t, 4, figure_verdict_colour(row->verdict));
	comparison_notes(t, row, true);
}

bool report_matrix(FILE *out, const comparison *comparisons, size_t count)
{
	bool colours = figure_colours(out);
	table *t = table_new("lllll");
	size_t entry_count;
	entry *entries = entries_of(comparisons, count, &entry_count);
	bool ok = comparison_head(out, comparisons, count, true);

	table_row(t, (const char *[]){ "case", "executor", "value [95 %]", "speed-up [95 %]",
		                       "verdict" });
	table_rule(t);
	for (size_t i = 0; i < entry_count; i++)
		add_entry(t, &entries[i], colours);
	ok = ok && table_print(t, out) && fputc('\n', out) != EOF;
	for (size_t i = 0; i < count && ok; i++)
		ok = comparison_counts(out, &comparisons[i], true);
	free(entries);
	table_free(t);
	return ok;
}
