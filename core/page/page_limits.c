/* SPDX-License-Identifier: Apache-2.0 */
/* What limits the cases: the roofs that each executor reached in this run, the cases below them, and
 * rates over the size of the data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diagnose.h"
#include "analysis/nameplates.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/chart.h"
#include "page/page_parts.h"
#include "report/figure.h"

/* ---- roofs ----------------------------------------------------------------------------------- */

static const ceiling *memory_of(const diagnosis *d)
{
	for (size_t i = 0; i < d->ceilings.count; i++)
		if (d->ceilings.items[i].kind == CEILING_MEMORY)
			return &d->ceilings.items[i];
	return NULL;
}

static bool has_roof(const diagnosis_case *c)
{
	return c->flops_per_byte > 0 && c->median_ns > 0 && c->row->work.flops > 0;
}

/* The intensities on the page, with room to each side; false without any. */
static bool range_of(diagnosis *const *all, size_t count, double *low, double *high)
{
	*low = INFINITY;
	*high = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < all[i]->cases.count; k++)
			if (has_roof(&all[i]->cases.items[k])) {
				*low = fmin(*low, all[i]->cases.items[k].flops_per_byte);
				*high = fmax(*high, all[i]->cases.items[k].flops_per_byte);
			}
	*low /= 4;
	*high *= 4;
	return *high > 0;
}

/* The roof of one precision: the slope of the memory, then the flat of the arithmetic. */
static void add_roof(chart *c, const char *name, size_t group, const ceiling *compute, const ceiling *memory,
                     double low, double high)
{
	double ridge = memory != NULL ? compute->rate / memory->rate : low;
	double x[3], y[3];
	size_t n = 0;
	char *line = memory_format("%s, roof of %s", name, compute->of);

	if (memory != NULL && ridge > low) {
		x[n] = low;
		y[n++] = low * memory->rate;
	}
	x[n] = fmin(fmax(ridge, low), high);
	y[n] = memory != NULL ? fmin(x[n] * memory->rate, compute->rate) : compute->rate;
	n++;
	if (high > x[n - 1]) {
		x[n] = high;
		y[n++] = compute->rate;
	}
	chart_points(chart_add(c, line, group, NULL), x, y, n);
	free(line);
}

static void add_cases(chart *c, const char *name, size_t group, const diagnosis *d)
{
	size_t n = 0;
	double *x = memory_get((d->cases.count + 1) * sizeof(*x)), *y = memory_get((d->cases.count + 1) * sizeof(*y));
	text_list ids = { 0 };
	char *words = memory_format("%s, cases", name);
	chart_line *l;

	for (size_t i = 0; i < d->cases.count; i++) {
		const diagnosis_case *k = &d->cases.items[i];

		if (!has_roof(k))
			continue;
		x[n] = k->flops_per_byte;
		y[n++] = k->row->work.flops / (k->median_ns * 1e-9);
		text_list_add(&ids, k->id);
	}
	if (n > 0) {
		l = chart_add(c, words, group, NULL);
		chart_points(l, x, y, n);
		l->points = true;
		l->labels = ids;
	} else {
		text_list_clear(&ids);
	}
	free(words);
	free(y);
	free(x);
}

static void put_roofs(FILE *out, const grid *g, diagnosis *const *all, size_t count)
{
	chart *c = layout_new(chart_layout());
	double low, high;

	if (range_of(all, count, &low, &high)) {
		chart_begin(c, g, (chart_axis){ "operations for each byte", "FLOP/B", true },
		            (chart_axis){ "rate", "FLOP/s", true });
		for (size_t i = 0; i < count; i++) {
			char *name = grid_full_name(g, i);

			for (size_t k = 0; k < all[i]->ceilings.count; k++)
				if (all[i]->ceilings.items[k].kind == CEILING_COMPUTE)
					add_roof(c, name, i, &all[i]->ceilings.items[k], memory_of(all[i]), low, high);
			add_cases(c, name, i, all[i]);
			free(name);
		}
		chart_put(out, c, "Roofs that each executor reached in this run, and its cases");
	}
	layout_free(chart_layout(), c);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_ceiling(FILE *out, const char *name, const ceiling *c)
{
	char value[40];

	if (!isnan(c->rate))
		text_format_si(c->rate, c->kind == CEILING_COMPUTE ? "FLOP/s" : "B/s", value);
	else
		text_format_ns(c->ns, value);
	markup_put(out, "<tr><th scope=\"row\">%s</th><td>%s %s</td><td class=\"value\">%s</td><td>%s</td><td>", name,
	         ceiling_kind_word(c->kind), c->of, value, c->by != NULL ? c->by : "the instrument's record");
	if (c->nameplate != NULL) {
		char *words = nameplates_words(c->nameplate, c->kind == CEILING_COMPUTE ? "FLOP/s" : "B/s");

		markup_put(out, "%s", words);
		free(words);
	}
	markup_put(out, "</td></tr>\n");
}

static void put_ceilings(FILE *out, const grid *g, diagnosis *const *all, size_t count)
{
	static const char *const heads[] = { "executor", "ceiling", "reached", "by", "of the maker's figure" };

	page_table(out, "What each executor reached in this run");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < count; i++) {
		char *name = grid_full_name(g, i);

		for (size_t k = 0; k < all[i]->ceilings.count; k++)
			put_ceiling(out, name, &all[i]->ceilings.items[k]);
		free(name);
	}
	page_table_end(out);
}

static void put_case(FILE *out, const grid *g, size_t row, const char *name, const diagnosis_case *c)
{
	char *label = grid_case_name(g, row);

	markup_put(out, "<tr><th scope=\"row\"><a href=\"#case-%zu\">%s</a></th><td>%s</td><td class=\"value\">", row,
	         label, name);
	if (!isnan(c->share))
		markup_put(out, "%.0f %%", c->share * 100);
	markup_put(out, "</td><td>%s</td><td>%s</td><td>", diagnosis_answer_word(c->answer),
	         diagnosis_limit_word(c->limit));
	for (size_t i = 0; i < c->notes.count; i++)
		markup_put(out, "%s%s", i > 0 ? " " : "", c->notes.items[i]);
	markup_put(out, "</td></tr>\n");
	free(label);
}

static void put_answers(FILE *out, const grid *g, diagnosis *const *all, size_t count)
{
	static const char *const heads[] = { "case", "executor", "of its ceiling", "limited by", "limit", "evidence" };

	page_table(out, "What limits each case");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t row = 0; row < g->row_count; row++)
		for (size_t i = 0; i < count; i++) {
			char *name = grid_full_name(g, i);

			for (size_t k = 0; k < all[i]->cases.count; k++)
				if (strcmp(all[i]->cases.items[k].id, g->rows[row].id) == 0)
					put_case(out, g, row, name, &all[i]->cases.items[k]);
			free(name);
		}
	page_table_end(out);
}

/* ---- over the size of the data --------------------------------------------------------------- */

/* Whether two cases differ in their size alone: in the parameter `bytes`. */
static bool same_but_size(const record_case *a, const record_case *b)
{
	if (strcmp(a->workload, b->workload) != 0 || strcmp(a->precision, b->precision) != 0 ||
	    a->tier != b->tier || a->parameters.count != b->parameters.count ||
	    a->work.metric != b->work.metric || a->measure.cache != b->measure.cache)
		return false;
	for (size_t i = 0; i < a->parameters.count; i++) {
		const char *value = text_map_get(&b->parameters, a->parameters.items[i].key);

		if (value == NULL || (strcmp(a->parameters.items[i].key, "bytes") != 0 &&
		                      strcmp(value, a->parameters.items[i].value) != 0))
			return false;
	}
	return text_map_get(&a->parameters, "bytes") != NULL;
}

typedef struct point { double x, y, low, high; } point;

static int by_size(const void *a, const void *b)
{
	const point *x = a, *y = b;

	return (x->x > y->x) - (x->x < y->x);
}

/* The line of one result through the cases like `first`. */
static void add_sizes(chart *c, const grid *g, size_t i, const record_case *first)
{
	point *points = memory_get((g->row_count + 1) * sizeof(*points));
	double *v = memory_get((g->row_count + 1) * 4 * sizeof(*v));
	char *name = grid_full_name(g, i);
	size_t n = 0;

	for (size_t row = 0; row < g->row_count; row++) {
		const result_row *of = grid_result_row(g, row, i);
		const comparison_side *s = grid_side(g, row, i);

		if (of != NULL && s != NULL && s->value_interval != NULL && record_counts(s->status) &&
		    same_but_size(first, of->record))
			points[n++] = (point){ (double)of->record->work.working_set_bytes, s->value,
				               s->value_interval->low, s->value_interval->high };
	}
	if (n > 1)
		qsort(points, n, sizeof(*points), by_size);
	for (size_t k = 0; k < n; k++) {
		v[k] = points[k].x;
		v[n + k] = points[k].y;
		v[2 * n + k] = points[k].low;
		v[3 * n + k] = points[k].high;
	}
	if (n > 2) {
		chart_line *l = chart_add(c, name, i, NULL);

		chart_points(l, v, v + n, n);
		chart_intervals(l, v + 2 * n, v + 3 * n, n);
	}
	free(name);
	free(v);
	free(points);
}

static const record_case *case_of(const grid *g, size_t row)
{
	for (size_t i = 0; i < grid_results(g); i++) {
		const result_row *of = grid_result_row(g, row, i);

		if (of != NULL)
			return of->record;
	}
	return NULL;
}

static void put_sizes(FILE *out, const grid *g)
{
	for (size_t row = 0; row < g->row_count; row++) {
		const record_case *first = case_of(g, row);
		bool known = first == NULL;
		chart *c;
		char *label, *caption;

		for (size_t k = 0; k < row && !known; k++) {
			const record_case *before = case_of(g, k);

			known = before != NULL && same_but_size(before, first);
		}
		if (known)
			continue;
		c = layout_new(chart_layout());
		chart_begin(c, g, (chart_axis){ "memory that an operation touches", "B", true },
		            (chart_axis){ first->work.metric == RECORD_METRIC_SECONDS ? "time" : "rate",
			                  figure_unit(first->work.metric), first->work.metric == RECORD_METRIC_SECONDS });
		for (size_t i = 0; i < grid_results(g); i++)
			add_sizes(c, g, i, first);
		label = grid_case_name(g, row);
		caption = memory_format("Over the size of the data: cases like %s", label);
		chart_put(out, c, caption);
		free(caption);
		free(label);
		layout_free(chart_layout(), c);
	}
}

void page_limits(FILE *out, const grid *g)
{
	size_t count = grid_results(g);
	diagnosis **all = memory_get((count + 1) * sizeof(*all));

	for (size_t i = 0; i < count; i++)
		all[i] = diagnose_result(grid_result(g, i), NULL, 0, NULL, 0);
	page_section(out, "limits", "What limits the cases");
	put_roofs(out, g, all, count);
	put_sizes(out, g);
	put_ceilings(out, g, all, count);
	markup_put(out, "<details><summary>What limits each case</summary>\n");
	put_answers(out, g, all, count);
	markup_put(out, "</details></section>\n");
	for (size_t i = 0; i < count; i++)
		diagnosis_free(all[i]);
	free(all);
}
