/* SPDX-License-Identifier: Apache-2.0 */
/* Several results against one baseline: for each case one line per executor. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/comparison_parts.h"

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_id(const char *const *sorted, size_t count, const char *id)
{
	return count > 0 && bsearch(&id, sorted, count, sizeof(*sorted), by_text) != NULL;
}

/* Every case that any of them has, in order of first appearance. */
static const char **all_ids(const comparison *const *comparisons, size_t count, size_t *out)
{
	size_t room = 1;
	size_t used = 0;
	const char **ids;
	const char **sorted;
	size_t i;
	size_t k;

	for (i = 0; i < count; i++)
		room += comparisons[i]->row_count;
	ids = memory_get(room * sizeof(*ids));
	sorted = memory_get(room * sizeof(*sorted));
	for (i = 0; i < count; i++) {
		size_t known = used;

		/* A comparison has each id once. */
		memcpy(sorted, ids, known * sizeof(*ids));
		if (known > 1)
			qsort(sorted, known, sizeof(*sorted), by_text);
		for (k = 0; k < comparisons[i]->row_count; k++)
			if (!has_id(sorted, known, comparisons[i]->rows[k].id))
				ids[used++] = comparisons[i]->rows[k].id;
	}
	free(sorted);
	*out = used;
	return ids;
}

static void add_case(table *t, const comparison *const *comparisons, size_t count, const char *id,
                     bool verbose, bool colours)
{
	bool named = false;
	size_t i;

	for (i = 0; i < count; i++) {
		const comparison_row *row = comparison_row_by_id(comparisons[i], id);
		char base[FIGURE_SIZE];
		char other[FIGURE_SIZE];
		char speedup[FIGURE_SIZE];

		if (row == NULL)
			continue;
		comparison_cells(row, base, other, speedup);
		if (!named)
			table_row(t, (const char *[]){ id, comparisons[0]->a->executor, base,
				                       "baseline", "" });
		named = true;
		table_row(t, (const char *[]){ "", comparisons[i]->b->executor, other, speedup,
			                       comparison_verdict_name(row->verdict) });
		if (colours)
			table_paint(t, 4, figure_verdict_colour(row->verdict));
		comparison_notes(t, row, verbose);
	}
}

bool report_matrix(FILE *out, const comparison *const *comparisons, size_t count, bool verbose)
{
	bool colours = figure_colours(out);
	table *t = table_new("lllll");
	const char **ids;
	size_t id_count;
	bool ok;
	size_t i;

	ok = comparison_head(out, comparisons, count, verbose);
	table_row(t, (const char *[]){ "case", "executor", "value [95 %]", "speed-up [95 %]",
		                       "verdict" });
	table_rule(t);
	ids = all_ids(comparisons, count, &id_count);
	for (i = 0; i < id_count; i++)
		add_case(t, comparisons, count, ids[i], verbose, colours);
	ok = ok && table_print(t, out) && fputc('\n', out) != EOF;
	for (i = 0; i < count && ok; i++)
		ok = comparison_counts(out, comparisons[i], true);
	free(ids);
	table_free(t);
	return ok;
}
