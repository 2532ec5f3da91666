/* SPDX-License-Identifier: Apache-2.0 */
#include "report/screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diagnose.h"
#include "base/terminal.h"
#include "base/text.h"
#include "report/drawing.h"
#include "report/figure.h"
#include "report/grid.h"
#include "report/report.h"

enum { BAR = 10 };

/* What the columns of a page are made of; texts by row, malloc'd. */
typedef struct page {
	const result *of;
	const grid *g;
	char **numbers, **halves, **units;
	bool mixed;                    /* the statuses differ                                  */
	bool ceilings;                 /* a case has a share                                   */
	diagnosis *limits;
} page;

static const comparison_row *row_at(const page *p, size_t i)
{
	return p->g->rows[i].cells[0].row;
}

/* ---- making ---------------------------------------------------------------------------------- */

/* All cases are diagnosed, in the order of the result. */
static const diagnosis_case *limit_of(const page *p, size_t i)
{
	return &p->limits->cases.items[row_at(p, i)->a - p->of->rows];
}

static void row_fill(page *p, size_t i)
{
	const comparison_side *side = row_at(p, i)->baseline;
	char number[FIGURE_SIZE], half[FIGURE_SIZE] = "", unit[FIGURE_SIZE] = "";

	snprintf(number, sizeof(number), "%s", p->g->rows[i].reference.number);
	if (p->g->rows[i].reference.unit[0] != '\0')
		figure_half_width(side->value, *side->value_interval, figure_unit(side->metric), number, half,
		                  unit);
	p->numbers[i] = memory_text(number);
	p->halves[i] = memory_text(half);
	p->units[i] = memory_text(unit);
}

static void page_make(page *p, const grid *g, const result *r)
{
	size_t count = g->row_count;

	*p = (page){ .of = r, .g = g, .limits = diagnose_result(r, NULL, 0, NULL, 0),
		     .numbers = memory_get((count + 1) * sizeof(char *)),
		     .halves = memory_get((count + 1) * sizeof(char *)),
		     .units = memory_get((count + 1) * sizeof(char *)) };
	for (size_t i = 0; i < count; i++) {
		const diagnosis_case *limit = limit_of(p, i);

		row_fill(p, i);
		p->mixed = p->mixed || row_at(p, i)->a->record->status != row_at(p, 0)->a->record->status;
		p->ceilings = p->ceilings || !isnan(limit->share);
	}
	figure_align(p->numbers, count);
	figure_align(p->halves, count);
}

static void page_clear(page *p)
{
	for (size_t i = 0; i < p->g->row_count; i++) {
		free(p->numbers[i]);
		free(p->halves[i]);
		free(p->units[i]);
	}
	free(p->numbers);
	free(p->halves);
	free(p->units);
	diagnosis_free(p->limits);
}

/* ---- printing -------------------------------------------------------------------------------- */

static void share_text(const page *p, size_t i, char out[32])
{
	const diagnosis_case *limit = limit_of(p, i);

	out[0] = '\0';
	if (!p->ceilings)
		return;
	if (limit->answer == DIAGNOSIS_CEILING)
		snprintf(out, 32, "ceiling");
	else if (!isnan(limit->share))
		snprintf(out, 32, "%.0f %%", limit->share * 100);
}

static void status_text(const page *p, size_t i, char out[32])
{
	const result_row *row = row_at(p, i)->a;

	snprintf(out, 32, "%s", p->mixed && row->record->status != RECORD_VALID ? result_row_word(row) : "");
}

/* malloc'd: on a terminal, the share of a ceiling as a bar. */
static char *bar_text(FILE *out, const page *p, size_t i)
{
	const diagnosis_case *limit = limit_of(p, i);

	if (!p->ceilings || isnan(limit->share) || limit->answer == DIAGNOSIS_CEILING || !terminal_is(out))
		return memory_text("");
	return drawing_bar(limit->share, BAR, NULL, 0, terminal_unicode(out));
}

static bool print_rows(FILE *out, const page *p)
{
	table *t = table_new("nlllrbl");
	bool ok;

	if (p->ceilings)
		table_head(t, (const char *[]){ "", "", "", "", "of its ceiling", "", "" });
	for (size_t i = 0; i < p->g->row_count; i++) {
		char share[32], status[32], half[FIGURE_SIZE] = "", *bar = bar_text(out, p, i);

		if (p->halves[i][0] != '\0')
			snprintf(half, sizeof(half), "\xc2\xb1 %.60s", p->halves[i]);
		share_text(p, i, share);
		status_text(p, i, status);
		table_row(t, (const char *[]){ p->g->cases.full[i], p->numbers[i], half, p->units[i], share,
			                       bar, status });
		free(bar);
	}
	ok = table_print(t, out);
	table_free(t);
	return ok;
}

/* "gcc 12.2.0, Linux 6.1" of the layers between hardware and harness. */
static bool print_stack(FILE *out, const result *r)
{
	const record_layer_list *layers = &r->record->executor.layers;
	text t = { 0 };
	bool ok;

	for (size_t i = 0; i < layers->count; i++) {
		const record_layer *l = &layers->items[i];
		const char *version = text_or_empty(l->version);

		if (l->layer == RECORD_LAYER_DRIVER || l->layer == RECORD_LAYER_RUNTIME ||
		    l->layer == RECORD_LAYER_COMPILER || l->layer == RECORD_LAYER_FRAMEWORK ||
		    l->layer == RECORD_LAYER_SERVING || l->layer == RECORD_LAYER_MODEL ||
		    l->layer == RECORD_LAYER_OPERATING_SYSTEM)
			text_add(&t, "%s%s%s%s", t.size > 0 ? ", " : "", l->name, version[0] != '\0' ? " " : "",
			         version);
	}
	ok = t.size == 0 || table_wrap(out, t.data, 0);
	text_free(&t);
	return ok;
}

/* Who measured, where somebody said so. */
static bool print_who(FILE *out, const record_who *who)
{
	char *line = memory_format("measured by %s%s%s%s%s", who->tester, who->party[0] != '\0' ? ", " : "",
	                           who->party, who->sponsor[0] != '\0' ? ", sponsored by " : "",
	                           who->sponsor);
	bool ok = who->tester[0] == '\0' || table_wrap(out, line, 0);

	free(line);
	return ok;
}

static bool print_status(FILE *out, const page *p)
{
	const result_row *first = p->g->row_count > 0 ? row_at(p, 0)->a : NULL;

	return first == NULL || p->mixed || fprintf(out, "all cases: %s\n", result_row_word(first)) >= 0;
}

bool report_values(FILE *out, const result *r, const text_list *ids, bool stack)
{
	comparison *self = contract_compare(r, r, 0);
	grid g;
	page p;
	bool ok;

	if (ids->count > 0)
		comparison_keep(self, ids);
	grid_make(&g, self, 1, GRID_ALONE);
	page_make(&p, &g, r);
	ok = grid_print_title(out, &g) && (!stack || (print_stack(out, r) && print_who(out, &r->record->who))) && print_rows(out, &p) &&
	     print_status(out, &p) && grid_print_notes(out, &g);
	page_clear(&p);
	grid_clear(&g);
	comparison_free(self);
	return ok;
}

bool report_run(FILE *out, const result *const *results, size_t count, const result *reference)
{
	static const text_list all_cases = { 0 };
	comparison_list all = { 0 };
	grid g;
	bool ok;

	if (count == 1)
		return report_values(out, results[0], &all_cases, false);
	for (size_t i = 0; i < count; i++)
		if (results[i] != reference)
			contract_compare_into(layout_append(comparison_layout(), &all), reference, results[i],
			                      (contract_options){ 0 });
	grid_make(&g, all.items, all.count, GRID_AGAINST);
	ok = grid_print(out, &g);
	grid_clear(&g);
	layout_list_clear(comparison_layout(), &all);
	return ok;
}
