/* SPDX-License-Identifier: Apache-2.0 */
/* How far the outputs of each case are from the reference: the error beside the speed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/grid.h"

typedef struct span { double least, most; } span; /* least > most: nothing was compared          */

static void widen(span *s, const record_check *check)
{
	if (check == NULL || !check->passed || !(check->rho_limit > 0))
		return;
	s->least = fmin(s->least, check->rho);
	s->most = fmax(s->most, check->rho);
}

/* Of the checks before and after the samples; the selftest is exact. */
static void widen_by(span *s, const result_row *row)
{
	if (row == NULL || !result_row_counts(row))
		return;
	for (size_t i = 0; i < row->record->executions.count; i++) {
		const record_verification *v = row->record->executions.items[i].verification;

		if (v != NULL) {
			widen(s, v->before);
			widen(s, v->after);
		}
	}
}

static span span_of(const grid *g, size_t i)
{
	span s = { INFINITY, -INFINITY };

	for (size_t k = 0; k < g->count; k++)
		if (g->rows[i].cells[k].row != NULL) {
			widen_by(&s, g->rows[i].cells[k].row->a);
			widen_by(&s, g->rows[i].cells[k].row->b);
		}
	return s;
}

/* malloc'd "3e-7". */
static char *error_text(double value)
{
	char digits[32];
	char *at;

	if (!(value > 0))
		return memory_text("0");
	snprintf(digits, sizeof(digits), "%.0e", value);
	at = strchr(digits, 'e');
	return memory_format("%.*se%d", (int)(at - digits), digits, atoi(at + 1));
}

/* malloc'd "3e-7", or "3e-7 to 2e-3". */
static char *span_text(span s)
{
	char *least = error_text(s.least), *most = error_text(s.most), *all;

	all = strcmp(least, most) == 0 ? memory_text(most) : memory_format("%s to %s", least, most);
	free(most);
	free(least);
	return all;
}

/* "error   3e-7 product f32, product tf32; 2e-3 product bf16" */
void grid_errors_fill(grid *g)
{
	char **errors = memory_get((g->row_count + 1) * sizeof(*errors));
	text line = { 0 };

	for (size_t i = 0; i < g->row_count; i++) {
		span s = span_of(g, i);

		errors[i] = s.least <= s.most ? span_text(s) : NULL;
	}
	for (size_t i = 0; i < g->row_count; i++) {
		if (errors[i] == NULL)
			continue;
		text_add(&line, "%s%s %s", line.size > 0 ? "; " : "", errors[i], g->cases.brief[i]);
		for (size_t k = i + 1; k < g->row_count; k++)
			if (errors[k] != NULL && strcmp(errors[k], errors[i]) == 0) {
				text_add(&line, ", %s", g->cases.brief[k]);
				free(errors[k]);
				errors[k] = NULL;
			}
		free(errors[i]);
		errors[i] = NULL;
	}
	if (line.size > 0)
		grid_note_add(g, "error", memory_text(line.data));
	text_free(&line);
	free(errors);
}
