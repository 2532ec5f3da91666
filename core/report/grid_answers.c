/* SPDX-License-Identifier: Apache-2.0 */
/* What passed checks found out: of cases that ask for a property, the answer beside the time. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/grid.h"

/* The answer that a result has to the case of a row; NULL: none, or executions that differ. */
static const char *answer_of(const grid *g, size_t i, size_t row)
{
	size_t references = grid_references(g);
	const grid_cell *cells = g->rows[row].cells;
	size_t k = i < references ? i : i - references;
	const result_row *found;
	const char *answer = NULL;

	/* One reference stands in all cells, where the other result has the case. */
	while (i < references && references < g->count && k + 1 < g->count && cells[k].row == NULL)
		k++;
	found = cells[k].row == NULL ? NULL : i < references ? cells[k].row->a : cells[k].row->b;
	if (found == NULL || !result_row_counts(found))
		return NULL;
	for (size_t e = 0; e < found->record->executions.count; e++) {
		const record_verification *v = found->record->executions.items[e].verification;
		const char *told = v != NULL && v->after != NULL && v->after->passed ? v->after->detail : NULL;

		if (told == NULL || told[0] == '\0' || (answer != NULL && strcmp(answer, told) != 0))
			return NULL;
		answer = told;
	}
	return answer;
}

/* Appends the case, and who gave this answer where others gave another. */
static void add_case(text *line, const grid *g, size_t row, const char *answer)
{
	size_t same = 0, all = 0;
	text names = { 0 };

	for (size_t i = 0; i < grid_results(g); i++) {
		const char *told = answer_of(g, i, row);

		all += told != NULL;
		if (told == NULL || strcmp(told, answer) != 0)
			continue;
		same++;
		text_add(&names, "%s%s%s", names.size > 0 ? ", " : "", grid_result_name(g, i),
		         g->mode != GRID_PAIRED ? "" : i < grid_references(g) ? " before" : " after");
	}
	if (same > 0)
		text_add(line, "%s%s", line->size > 0 ? ", " : "", g->cases.brief[row]);
	if (same > 0 && same < all)
		text_add(line, " (%s)", names.data);
	text_free(&names);
}

/* "answer  multiply-adds are fused: contraction f64, contraction f32 (host:gcc-12, pocl)" */
void grid_answers_fill(grid *g)
{
	text_list seen = { 0 };

	for (size_t row = 0; row < g->row_count; row++)
		for (size_t i = 0; i < grid_results(g); i++) {
			const char *answer = answer_of(g, i, row);
			text line = { 0 };

			if (answer == NULL || text_list_has(&seen, answer))
				continue;
			text_list_add(&seen, answer);
			for (size_t k = row; k < g->row_count; k++)
				add_case(&line, g, k, answer);
			grid_note_add(g, "answer", memory_format("%s: %s", answer, line.data));
			text_free(&line);
		}
	text_list_clear(&seen);
}
