/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the contract that fired, once each, with the cases that they fired for; and what has
 * no number at all. */
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"

/* Places that are named before "and N more". */
enum { NAMED = 6 };

/* A rule, and where it fired. */
typedef struct fired { const contract_reason *first; text where; size_t count; } fired;
typedef struct fired_list { fired *items; size_t count; } fired_list;

static fired *fired_find(fired_list *all, const contract_reason *reason)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->items[i].first->rule, reason->rule) == 0 &&
		    all->items[i].first->level == reason->level)
			return &all->items[i];
	all->items = memory_grow(all->items, (all->count + 1) * sizeof(*all->items));
	all->items[all->count] = (fired){ .first = reason };
	return &all->items[all->count++];
}

/* Takes the place. */
static void fired_add(fired_list *all, const contract_reason *reason, char *place)
{
	fired *f = fired_find(all, reason);

	if (f->count++ < NAMED)
		text_add(&f->where, "%s%s%s%s%s", f->where.size > 0 ? "; " : "", place,
		         place[0] != '\0' && reason->detail[0] != '\0' ? ": " : "", reason->detail, "");
	free(place);
}

static void collect(fired_list *all, const grid *g)
{
	for (size_t k = 0; k < g->count; k++) {
		const comparison *c = &g->comparisons[k];

		for (size_t i = 0; i < c->reasons.count; i++)
			fired_add(all, &c->reasons.items[i],
			          memory_text(g->mode == GRID_ALONE ? "" : grid_column(g, k)));
		for (size_t row = 0; row < g->row_count; row++) {
			const comparison_row *from = g->rows[row].cells[k].row;

			for (size_t i = 0; from != NULL && i < from->reasons.count; i++)
				fired_add(all, &from->reasons.items[i],
				          memory_format("%s%s%s", g->mode == GRID_ALONE ? "" : grid_column(g, k),
				                        g->mode == GRID_ALONE ? "" : " ", g->cases.brief[row]));
		}
	}
}

static int by_level(const void *a, const void *b)
{
	const fired *x = a, *y = b;

	return (x->first->level < y->first->level) - (x->first->level > y->first->level);
}

void page_rules(FILE *out, const grid *g)
{
	static const char *const heads[] = { "what follows", "rule", "it fires when", "times", "where" };
	fired_list all = { NULL, 0 };

	collect(&all, g);
	if (all.count > 1)
		qsort(all.items, all.count, sizeof(*all.items), by_level);
	page_section(out, "contract", "What the contract says");
	page_table(out, "Rules that fired, the most severe first");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < all.count; i++) {
		fired *f = &all.items[i];

		markup_put(out, "<tr><td><span class=\"badge %s\">%s</span></td><td><code>%s</code></td><td>%s</td>"
		         "<td class=\"value\">%zu</td><td>%s", f->first->level == CONTRACT_REFUSED ? "bad" :
		         f->first->level > CONTRACT_COMPARABLE ? "weak" : "", contract_level_word(f->first->level),
		         f->first->rule, f->first->sentence, f->count, f->where.size > 0 ? f->where.data : "");
		if (f->count > NAMED)
			markup_put(out, "; and %zu more", f->count - NAMED);
		markup_put(out, "</td></tr>\n");
		text_free(&f->where);
	}
	free(all.items);
	page_table_end(out);
	markup_put(out, "<p>A rule that is <em>refused</em> allows no ratio, <em>description</em> allows no "
	         "verdict, a <em>caveat</em> stands beside the number.</p></section>\n");
}

/* ---- without a number ------------------------------------------------------------------------ */

static void put_reasons(FILE *out, const grid *g, size_t row, size_t i, const result_row *of)
{
	const record_mark *m = record_status_mark(of->record->status);
	char *name = grid_full_name(g, i), *label = grid_case_name(g, row);

	markup_put(out, "<tr><th scope=\"row\"><a href=\"#case-%zu\">%s</a></th><td>%s</td>"
	         "<td><span class=\"badge bad\">%s</span></td><td>", row, label, name, result_row_word(of));
	for (size_t k = 0; k < of->record->reasons.count; k++)
		markup_put(out, "%s%s", k > 0 ? " " : "", of->record->reasons.items[k]);
	markup_put(out, "</td><td>%s</td></tr>\n", m->remedy);
	free(label);
	free(name);
}

void page_missing(FILE *out, const grid *g)
{
	static const char *const heads[] = { "case", "executor", "status", "why", "what to do" };
	size_t count = 0;

	page_section(out, "missing", "What has no number");
	for (size_t row = 0; row < g->row_count; row++)
		for (size_t i = 0; i < grid_results(g); i++) {
			const result_row *of = grid_result_row(g, row, i);

			if (of == NULL || result_row_counts(of))
				continue;
			if (count++ == 0) {
				page_table(out, "Cases that failed, were left out, or are not supported");
				page_heads(out, heads, sizeof(heads) / sizeof(*heads));
			}
			put_reasons(out, g, row, i, of);
		}
	if (count > 0)
		page_table_end(out);
	else
		markup_put(out, "<p>Every case of every executor has samples that count.</p>\n");
	markup_put(out, "</section>\n");
}
