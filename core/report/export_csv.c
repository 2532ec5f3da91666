/* SPDX-License-Identifier: Apache-2.0 */
/* CSV (RFC 4180): a line of names, then a line for each row, numbers with all digits. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/export.h"

/* A spreadsheet takes a text that begins so for a formula: it gets an apostrophe before it. */
static bool is_formula(const char *words)
{
	return words[0] != '\0' && strchr("=+-@", words[0]) != NULL;
}

/* Takes the words. */
static void put_words(FILE *out, char *words, bool guard)
{
	char *field;

	text_clean(words);
	field = memory_format("%s%s", guard && is_formula(words) ? "'" : "", words);
	if (field[strcspn(field, ",\"")] == '\0') {
		(void)fputs(field, out);
	} else {
		(void)fputc('"', out);
		for (const char *c = field; *c != '\0'; c++)
			(void)(*c == '"' ? fputs("\"\"", out) : fputc(*c, out));
		(void)fputc('"', out);
	}
	free(field);
	free(words);
}

static void put_member(FILE *out, const layout_field *f, const void *object)
{
	const char *member = (const char *)object + f->offset;
	char *words;

	if (f->kind == LAYOUT_TEXT)
		words = memory_text(text_or_empty(*(char *const *)(const void *)member));
	else if (f->kind == LAYOUT_WORD)
		words = memory_text(layout_word_of(f->words(), *(const int *)(const void *)member));
	else
		words = layout_member_json(f, object);
	if (words != NULL)
		put_words(out, words, f->kind == LAYOUT_TEXT);
}

static void put_names(FILE *out, const layout *l)
{
	for (size_t i = 0; i < l->count; i++)
		(void)fprintf(out, "%s%s", i > 0 ? "," : "", l->fields[i].key);
	(void)fputs("\r\n", out);
}

static void put_row(FILE *out, const layout *l, const void *object)
{
	for (size_t i = 0; i < l->count; i++) {
		if (i > 0)
			(void)fputc(',', out);
		put_member(out, &l->fields[i], object);
	}
	(void)fputs("\r\n", out);
}

void export_csv(FILE *out, const grid *g)
{
	export_case row;

	put_names(out, export_case_layout());
	layout_init(export_case_layout(), &row);
	for (size_t i = 0; i < g->row_count; i++)
		for (size_t k = 0; k < grid_results(g); k++) {
			if (export_fill(g, i, k, &row))
				put_row(out, export_case_layout(), &row);
			layout_clear(export_case_layout(), &row);
		}
}

/* ---- samples --------------------------------------------------------------------------------- */

static void put_execution(FILE *out, const record_execution *e, export_sample *row)
{
	row->execution = e->execution;
	row->operations = e->batch != LAYOUT_NO_UINT && e->batch > 0 ? e->batch : 1;
	row->clock = e->clock;
	text_set(&row->status, record_status_word(e->status));
	for (size_t i = 0; i < e->samples_ns.count; i++) {
		row->sample = i + 1;
		row->time_ns = e->samples_ns.items[i];
		row->each_ns = (double)row->time_ns / (double)row->operations;
		row->start_ns = i < e->starts_ns.count ? e->starts_ns.items[i] : LAYOUT_NO_UINT;
		row->round = e->turns != NULL && i < e->turns->rounds.count ? e->turns->rounds.items[i] :
		             LAYOUT_NO_UINT;
		put_row(out, export_sample_layout(), row);
	}
}

void export_samples(FILE *out, const grid *g)
{
	export_sample row;

	put_names(out, export_sample_layout());
	layout_init(export_sample_layout(), &row);
	for (size_t i = 0; i < g->row_count; i++)
		for (size_t k = 0; k < grid_results(g); k++) {
			const result_row *of = grid_result_row(g, i, k);
			char *name = grid_full_name(g, k);

			text_set(&row.run, grid_result(g, k)->record->run.id);
			text_set(&row.executor, name);
			text_set(&row.id, g->rows[i].id);
			for (size_t e = 0; of != NULL && e < of->record->executions.count; e++)
				put_execution(out, &of->record->executions.items[e], &row);
			if (of != NULL)
				result_row_rest(grid_result(g, k), of);
			free(name);
		}
	layout_clear(export_sample_layout(), &row);
}
