/* SPDX-License-Identifier: Apache-2.0 */
#include "report/kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/figure.h"
#include "report/layers.h"
#include "report/series_report.h"
#include "stat/statistics.h"

enum { DIGITS = KEPT_DIGITS, PICTURE = 7, GROUPS_MOST = 4 };

/* ---- words ----------------------------------------------------------------------------------- */

char *kept_minute(const char *started)
{
	char *words = memory_format("%.16s", started), *t = strchr(words, 'T');

	if (t != NULL)
		*t = ' ';
	return words;
}

char *kept_value(const archive_line *l, const archive_point *p)
{
	char figure[FIGURE_SIZE];

	if (!(p->value > 0))
		return memory_text("-");
	if (!(p->low > 0) || !(p->high > 0)) {
		text_format_si(p->value, figure_unit(l->metric), figure);
		return memory_text(figure);
	}
	figure_interval(p->value, (interval){ p->low, p->high }, figure_unit(l->metric), figure);
	return memory_text(figure);
}

char *kept_doubt(const archive_point *p)
{
	if (p->status != RECORD_VALID)
		return memory_text(record_status_word(p->status));
	return memory_text(p->evidence == EVIDENCE_UNPROVEN || p->evidence == EVIDENCE_BAD ?
	                   evidence_level_word(p->evidence) : "");
}

/* malloc'd "CASE on EXECUTOR (DEVICE), PROTOCOL". */
static char *line_words(const archive_line *l)
{
	return memory_format("%s on %s%s%s%s, %s", l->id, l->executor, l->device[0] != '\0' ? " (" : "", l->device,
	                     l->device[0] != '\0' ? ")" : "", l->protocol);
}

/* malloc'd "driver 535 -> 550 (NVIDIA; owner: GPU team); ...". */
static char *groups_words(const stack_group_list *groups)
{
	text t = { 0 };

	for (size_t i = 0; i < groups->count && i < GROUPS_MOST; i++) {
		const stack_group *g = &groups->items[i];
		char *who = layers_who(g->maker, g->owner);

		text_add(&t, "%s%s%s%s%s", i > 0 ? "; " : "", g->title, who[0] != '\0' ? " (" : "", who,
		         who[0] != '\0' ? ")" : "");
		free(who);
	}
	if (groups->count > GROUPS_MOST)
		text_add(&t, "; and %zu more", groups->count - GROUPS_MOST);
	return t.data != NULL ? t.data : memory_text("its digest, but no layer that counts");
}

/* ---- lists ----------------------------------------------------------------------------------- */

static char *joined(const text_list *words)
{
	text t = { 0 };

	for (size_t i = 0; i < words->count; i++)
		text_add(&t, "%s%s", i > 0 ? " " : "", words->items[i]);
	return t.data != NULL ? t.data : memory_text("");
}

static void list_entry(table *t, const archive_entry *e)
{
	char *when = kept_minute(e->started), *digest = memory_format("%.*s", DIGITS, e->digest);
	char *marks = joined(&e->marks);
	char *cases = memory_format("%llu%s", (unsigned long long)e->cases,
	                            e->status == RECORD_COMPLETE ? "" : " (incomplete)");

	table_row(t, (const char *const[]){ when, e->executor, e->protocol, cases, e->tester, marks, digest });
	free(cases);
	free(marks);
	free(digest);
	free(when);
}

void kept_list(FILE *out, const archive_entry_list *entries)
{
	table *t = table_new("lnnrnnl");

	table_head(t, (const char *const[]){ "started (UTC)", "executor", "protocol", "cases", "tester", "marks", "digest" });
	table_rule(t);
	for (size_t i = 0; i < entries->count; i++)
		list_entry(t, &entries->items[i]);
	(void)table_print(t, out);
	table_free(t);
}

static void list_row(table *t, const archive_row *r)
{
	char *when = kept_minute(r->point.started), *digest = memory_format("%.*s", DIGITS, r->point.digest);
	char *value = kept_value(&r->line, &r->point), *doubt = kept_doubt(&r->point);

	table_row(t, (const char *const[]){ when, r->line.id, r->line.executor, value, doubt, digest });
	free(doubt);
	free(value);
	free(digest);
	free(when);
}

void kept_rows(FILE *out, const archive_row_list *rows)
{
	table *t = table_new("lnnlll");

	table_head(t, (const char *const[]){ "started (UTC)", "case", "executor", "value [95 % interval]", "", "digest" });
	table_rule(t);
	for (size_t i = 0; i < rows->count; i++)
		list_row(t, &rows->items[i]);
	(void)table_print(t, out);
	table_free(t);
}

/* ---- history --------------------------------------------------------------------------------- */

/* The points that count, and for each point how many of them are before it. */
typedef struct counted { double *values; size_t *before, count; } counted;

static counted counted_of(const archive_history *h)
{
	counted c = { memory_get((h->points.count + 1) * sizeof(double)),
		      memory_get((h->points.count + 1) * sizeof(size_t)), 0 };

	for (size_t i = 0; i < h->points.count; i++) {
		c.before[i] = c.count;
		if (h->points.items[i].value > 0)
			c.values[c.count++] = h->points.items[i].value;
	}
	return c;
}

/* Divides the values so that they are short numbers; the prefix of their unit is returned. */
static const char *shorten(double *values, size_t n)
{
	static const char *const prefixes[] = { "n", "u", "m", "", "k", "M", "G", "T", "P" };
	int step = (int)floor(log10(statistics_median(values, n)) / 3);

	step = step < -3 ? -3 : step > 5 ? 5 : step;
	for (size_t i = 0; i < n; i++)
		values[i] /= pow(1000, step);
	return prefixes[step + 3];
}

static void draw(FILE *out, const archive_history *h, const counted *c)
{
	size_t *firsts = memory_get((h->spans.count + 1) * sizeof(*firsts));

	fprintf(out, "  %s%s, %s is better\n", shorten(c->values, c->count), figure_unit(h->line.metric),
	        h->line.metric == RECORD_METRIC_SECONDS ? "lower" : "higher");
	series_draw(out, c->values, c->count, PICTURE);
	for (size_t i = 0; i < h->spans.count; i++)
		firsts[i] = c->before[h->spans.items[i].first];
	series_marks(out, "stack", firsts, h->spans.count, c->count);
	free(firsts);
}

static void print_span(FILE *out, const archive_history *h, size_t i)
{
	const archive_span *s = &h->spans.items[i];
	char *when = kept_minute(h->points.items[s->first].started);
	char *groups = i > 0 ? groups_words(&s->groups) : memory_format("stack %.*s", DIGITS, s->stack);
	char *label = memory_format("%zu", i + 1), median[40] = "no value counts";

	if (s->median > 0)
		text_format_si(s->median, figure_unit(h->line.metric), median);
	table_item(out, 2, label, "%s, %llu result%s, %s: %s", when, (unsigned long long)s->count,
	           s->count == 1 ? "" : "s", median, groups);
	free(label);
	free(groups);
	free(when);
}

/* The number of the stack of a point, as the picture shows it. */
static size_t stack_of(const archive_history *h, const archive_point *p)
{
	for (size_t i = h->spans.count; i > 1; i--)
		if (strcmp(h->points.items[h->spans.items[i - 1].first].started, p->started) <= 0)
			return i;
	return 1;
}

static void print_change(FILE *out, const archive_history *h, const archive_change *c)
{
	char *when = kept_minute(c->first_after.started), times[FIGURE_SIZE];

	figure_times(c->speedup, times);
	if (c->stack_changed)
		table_item(out, 2, c->speedup < 1 ? "SLOWER" : "FASTER", "%s from %s on, with stack %zu", times, when,
		           stack_of(h, &c->first_after));
	else
		table_item(out, 2, c->speedup < 1 ? "SLOWER" : "FASTER", "%s from %s on; the stack did not change there: "
		           "evenhand attribute archive:%.*s archive:%.*s", times, when, DIGITS, c->last_before.digest, DIGITS,
		           c->first_after.digest);
	free(when);
}

static void print_notes(FILE *out, const archive_note_list *notes)
{
	for (size_t i = 0; i < notes->count; i++) {
		const archive_note *n = &notes->items[i];
		char *when = kept_minute(n->at);

		table_item(out, 2, "note", "%s: %s%s%s", when, n->words, n->author[0] != '\0' ? ", " : "", n->author);
		free(when);
	}
}

static void print_history(FILE *out, const archive_history *h)
{
	counted c = counted_of(h);
	char *title = line_words(&h->line);
	const archive_point *last = &h->points.items[h->points.count - 1];
	char *value = kept_value(&h->line, last), *when = kept_minute(last->started);

	table_wrap(out, title, 0);
	if (c.count > 0)
		draw(out, h, &c);
	table_item(out, 2, "last", "%s, %s", when, value);
	if (h->older)
		table_item(out, 2, "shown", "the last %zu result%s; --last 0 shows older ones, too", h->points.count,
		           h->points.count == 1 ? "" : "s");
	if (c.count < h->points.count)
		table_item(out, 2, "left out", "%zu of %zu results, whose row does not count", h->points.count - c.count,
		           h->points.count);
	for (size_t i = 0; i < h->spans.count; i++)
		print_span(out, h, i);
	for (size_t i = 0; i < h->changes.count; i++)
		print_change(out, h, &h->changes.items[i]);
	print_notes(out, &h->notes);
	free(when);
	free(value);
	free(title);
	free(c.before);
	free(c.values);
}

void kept_histories(FILE *out, const archive_history_list *histories)
{
	for (size_t i = 0; i < histories->count; i++) {
		if (i > 0)
			fputc('\n', out);
		print_history(out, &histories->items[i]);
	}
}

/* ---- changes --------------------------------------------------------------------------------- */

static bool same_place(const archive_change *a, const archive_change *b)
{
	return strcmp(a->line.executor, b->line.executor) == 0 && strcmp(a->line.device, b->line.device) == 0 &&
	       strcmp(a->first_after.digest, b->first_after.digest) == 0 &&
	       strcmp(a->last_before.digest, b->last_before.digest) == 0;
}

static void place_row(table *t, const archive_change *c)
{
	char times[FIGURE_SIZE], before[40], after[40];
	char *values, *results = memory_format("%llu, %llu", (unsigned long long)c->results_before,
	                                       (unsigned long long)c->results_after);

	figure_times(c->speedup, times);
	text_format_si(c->before, figure_unit(c->line.metric), before);
	text_format_si(c->after, figure_unit(c->line.metric), after);
	values = memory_format("%s -> %s", before, after);
	table_row(t, (const char *const[]){ c->speedup < 1 ? "SLOWER" : "FASTER", times, c->line.id, values, results });
	table_paint(t, 0, c->speedup < 1 ? COLOUR_RED : COLOUR_GREEN);
	free(values);
	free(results);
}

/* All changes at the place of the one that is given. */
static void print_place(FILE *out, const archive_change_list *all, const archive_change *first, bool *done)
{
	table *t = table_new("lrnll");
	char *when = kept_minute(first->first_after.started);
	char *title = memory_format("%s%s%s%s, from %s on", first->line.executor, first->line.device[0] != '\0' ? " (" : "",
	                            first->line.device, first->line.device[0] != '\0' ? ")" : "", when);
	char *groups = first->stack_changed ? groups_words(&first->groups) :
	               memory_text("nothing: the stack was the same; see what else differed with the command below");

	table_wrap(out, title, 0);
	table_head(t, (const char *const[]){ "", "", "case", "median before -> after", "results" });
	for (size_t i = 0; i < all->count; i++)
		if (same_place(first, &all->items[i])) {
			place_row(t, &all->items[i]);
			done[i] = true;
		}
	(void)table_print(t, out);
	table_item(out, 2, "changed there", "%s", groups);
	print_notes(out, &first->notes);
	table_item(out, 2, "next", "evenhand attribute archive:%.*s archive:%.*s", DIGITS, first->last_before.digest, DIGITS,
	           first->first_after.digest);
	fputc('\n', out);
	table_free(t);
	free(groups);
	free(title);
	free(when);
}

/* Frees it. */
static void put_sentence(FILE *out, char *words)
{
	table_sentence(out, words);
	free(words);
}

void kept_changes(FILE *out, const archive_change_list *changes, const archive_looked *looked, double margin)
{
	bool *done = memory_get((changes->count + 1) * sizeof(*done));

	for (size_t i = 0; i < changes->count; i++)
		if (!done[i])
			print_place(out, changes, &changes->items[i], done);
	put_sentence(out, memory_format("%zu change%s of more than %g %% among %llu values of %llu lines (case, executor, "
	                                "protocol).", changes->count, changes->count == 1 ? "" : "s", margin * 100,
	                                (unsigned long long)looked->points, (unsigned long long)looked->lines));
	if (looked->few > 0)
		put_sentence(out, memory_format("%llu of them have fewer than 10 results, too few to tell; compare two "
		                                "results instead.", (unsigned long long)looked->few));
	free(done);
}
