/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an archive's pages: lines, changes, results, executors and protocols. */
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"
#include "page/publish_parts.h"
#include "report/figure.h"
#include "report/kept.h"

enum { LINES_MOST = 5000, RESULTS_MOST = 20 };

/* ---- cells ----------------------------------------------------------------------------------- */

static void put_executor(FILE *out, const archive_line *l)
{
	char *page = publish_executor_page(l);

	markup_put(out, "<td><a href=\"%s\">%s</a>%s%s%s</td>", page, l->executor, l->device[0] != '\0' ? " (" : "",
	           l->device, l->device[0] != '\0' ? ")" : "");
	free(page);
}

static void put_protocol(FILE *out, const archive_line *l)
{
	char *page = publish_protocol_page(l);

	markup_put(out, "<td><a href=\"%s\">%s</a></td>", page, l->protocol);
	free(page);
}

static void put_when(FILE *out, const char *started)
{
	char *when = kept_minute(started);

	markup_put(out, "<td class=\"value\">%s</td>", when);
	free(when);
}

/* "0.911 [0.905-0.915], slower", and since when */
static void put_times(FILE *out, const publish_change *c)
{
	char times[FIGURE_SIZE], *when = kept_minute(c->of.first_after.started);

	figure_ratio(c->of.speedup, c->speedup, times);
	markup_put(out, "<td class=\"value %s\"><span>%s, %s</span> <div>from %s</div></td>", c->of.speedup < 1 ? "slower" :
	           "faster", times, c->of.speedup < 1 ? "slower" : "faster", when);
	free(when);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void put_line(FILE *out, const publishing *p, const publish_line *l)
{
	char *value = kept_value(&l->line, &l->last), *doubt = kept_doubt(&l->last);

	markup_put(out, "<tr><th scope=\"row\"><a href=\"%s\">%s</a></th>", l->anchor, l->line.id);
	put_executor(out, &l->line);
	put_protocol(out, &l->line);
	markup_put(out, "<td class=\"value\">%s", value);
	if (l->last.digest != NULL && doubt[0] != '\0')
		markup_put(out, " <span class=\"badge weak\">%s</span>", doubt);
	markup_put(out, "</td>");
	put_when(out, text_or_empty(l->last.started));
	markup_put(out, "<td>%llu</td>", (unsigned long long)l->all);
	if (l->changes > 0)
		put_times(out, &p->changes[l->first_change + l->changes - 1]);
	else
		markup_put(out, "<td>none</td>");
	markup_put(out, "</tr>\n");
	free(doubt);
	free(value);
}

void publish_put_lines(FILE *out, const publishing *p, const publish_pick *pick)
{
	static const char *const heads[] = { "case", "executor (device)", "protocol", "newest value [95 % interval]",
		                             "started (UTC)", "results",
		                             "last change: times as fast [95 % interval], from (UTC)" };
	size_t count = 0;

	markup_put(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Cases over time\" "
	           "data-search=\"Search cases, executors, devices, protocols:\"><table><caption>A line for each case, "
	           "executor, device and protocol</caption>\n");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < p->line_count; i++)
		if (publish_picks(pick, &p->lines[i]) && ++count <= LINES_MOST)
			put_line(out, p, &p->lines[i]);
	page_table_end(out);
	if (count > LINES_MOST) {
		char *selecting = publish_selecting(p, pick);

		markup_put(out, "<p class=\"legend\">The first %d of %zu lines. <code>evenhand archive history '*'%s</code> "
		           "lists all; the pages of executors have theirs.</p>\n", LINES_MOST, count, selecting);
		free(selecting);
	}
}

/* ---- changes --------------------------------------------------------------------------------- */

static void put_level(FILE *out, const char *word, publish_level v, uint64_t results, enum record_metric metric)
{
	char *words = publish_level_words(v, metric);

	markup_put(out, "<div>%s %s, %llu results</div>", word, words, (unsigned long long)results);
	free(words);
}

static void put_change(FILE *out, const publish_line *l, const publish_change *c)
{
	markup_put(out, "<tr><th scope=\"row\"><a href=\"%s\">%s</a></th>", l->anchor, l->line.id);
	put_times(out, c);
	put_executor(out, &l->line);
	put_protocol(out, &l->line);
	markup_put(out, "<td class=\"value\">");
	put_level(out, "before", c->before, c->of.results_before, l->line.metric);
	put_level(out, "after", c->after, c->of.results_after, l->line.metric);
	markup_put(out, "</td><td class=\"cause\">");
	publish_put_cause(out, &c->of);
	markup_put(out, "</td></tr>\n");
}

typedef struct found { const publish_line *line; const publish_change *change; } found;

static int largest(const void *a, const void *b)
{
	const found *x = a, *y = b;

	if (x->change->of.speedup != y->change->of.speedup)
		return x->change->of.speedup < y->change->of.speedup ? -1 : 1;
	return strcmp(x->line->anchor, y->line->anchor);
}

/* malloc'd, sorted. */
static found *find_changes(const publishing *p, const publish_pick *pick, size_t *count)
{
	found *all = memory_get((p->change_count + 1) * sizeof(*all));

	*count = 0;
	for (size_t i = 0; i < p->line_count; i++)
		for (size_t k = 0; k < p->lines[i].changes && publish_picks(pick, &p->lines[i]); k++)
			all[(*count)++] = (found){ &p->lines[i], &p->changes[p->lines[i].first_change + k] };
	if (*count > 0)
		qsort(all, *count, sizeof(*all), largest);
	return all;
}

void publish_put_changes(FILE *out, const publishing *p, const publish_pick *pick, size_t most)
{
	static const char *const heads[] = { "case", "times as fast [95 % interval], from (UTC)", "executor (device)", "protocol",
		                             "median [95 % interval]", "what changed there" };
	size_t count;
	found *all = find_changes(p, pick, &count);

	if (count == 0)
		markup_put(out, "<p>No lasting change of more than %g %%.</p>\n", p->o->margin * 100);
	if (count > 0) {
		page_table(out, "Lasting changes, what became slower first");
		page_heads(out, heads, sizeof(heads) / sizeof(*heads));
		for (size_t i = 0; i < count && i < most; i++)
			put_change(out, all[i].line, all[i].change);
		page_table_end(out);
	}
	if (count > most)
		markup_put(out, most == PUBLISH_CHANGES ?
		           "<p class=\"legend\">The first %zu of %zu; <code>evenhand archive regressions --faster</code> lists all.</p>\n" :
		           "<p class=\"legend\">The first %zu of %zu; <a href=\"changes.html\">more of them</a>.</p>\n", most, count);
	free(all);
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_entry(FILE *out, const archive_entry *e)
{
	char *digest = memory_format("%.*s", KEPT_DIGITS, e->digest);

	markup_put(out, "<tr>");
	put_when(out, e->started);
	markup_put(out, "<td>%s</td><td>%s</td><td>%s</td><td class=\"value\">%llu%s</td><td>%s</td><td>", e->executor,
	           e->device, e->protocol, (unsigned long long)e->cases,
	           e->status == RECORD_COMPLETE ? "" : " (incomplete)", e->tester);
	for (size_t i = 0; i < e->marks.count; i++)
		markup_put(out, "%s%s", i > 0 ? ", " : "", e->marks.items[i]);
	markup_put(out, "</td><td><code>%s</code></td></tr>\n", digest);
	free(digest);
}

eh_status publish_put_results(FILE *out, const publishing *p, eh_error *error)
{
	static const char *const heads[] = { "started (UTC)", "executor", "device", "protocol", "cases", "measured by",
		                             "marks", "result" };
	archive_filter f = p->o->filter;
	archive_entry_list entries = { 0 };
	const publish_pick all = { 0 };
	char *selecting = publish_selecting(p, &all);
	eh_status status;

	f.last = RESULTS_MOST;
	status = archive_list(p->a, &f, &entries, error);
	page_table(out, "The newest results");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < entries.count; i++)
		put_entry(out, &entries.items[i]);
	page_table_end(out);
	if (entries.count == RESULTS_MOST)
		markup_put(out, "<p class=\"legend\">The newest %d. <code>evenhand archive list%s --last 0</code> lists all."
		           "</p>\n", RESULTS_MOST, selecting);
	layout_list_clear(archive_entry_layout(), &entries);
	free(selecting);
	return status;
}

/* ---- executors and protocols ----------------------------------------------------------------- */

typedef struct group { const publish_line *first; size_t lines, changes; const char *newest; } group;

static bool in_group(const group *g, const archive_line *l, bool protocols)
{
	return protocols ? strcmp(g->first->line.protocol, l->protocol) == 0 &&
	                   strcmp(g->first->line.protocol_digest, l->protocol_digest) == 0 :
	                   strcmp(g->first->line.executor, l->executor) == 0;
}

static void add_line(group **all, size_t *count, const publish_line *l, bool protocols)
{
	group *g = *all;

	while (g < *all + *count && !in_group(g, &l->line, protocols))
		g++;
	if (g == *all + *count) {
		*all = memory_grow(*all, (*count + 1) * sizeof(**all));
		g = *all + (*count)++;
		*g = (group){ .first = l, .newest = "" };
	}
	g->lines++;
	g->changes += l->changes;
	if (l->last.started != NULL && strcmp(l->last.started, g->newest) > 0)
		g->newest = l->last.started;
}

void publish_put_groups(FILE *out, const publishing *p, bool protocols)
{
	const char *const heads[] = { protocols ? "protocol" : "executor", protocols ? "digest" : "device", "lines",
		                      "lasting changes", "newest value (UTC)" };
	group *all = NULL;
	size_t count = 0;

	for (size_t i = 0; i < p->line_count; i++)
		add_line(&all, &count, &p->lines[i], protocols);
	page_table(out, protocols ? "Protocols" : "Executors, each with the device of its first line");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < count; i++) {
		const archive_line *l = &all[i].first->line;
		char *page = protocols ? publish_protocol_page(l) : publish_executor_page(l);
		char *digest = memory_format("%.*s", KEPT_DIGITS, l->protocol_digest);

		markup_put(out, "<tr><th scope=\"row\"><a href=\"%s\">%s</a></th><td>%s</td><td>%zu</td><td>%zu</td>", page,
		           protocols ? l->protocol : l->executor, protocols ? digest : l->device, all[i].lines,
		           all[i].changes);
		put_when(out, all[i].newest);
		markup_put(out, "</tr>\n");
		free(digest);
		free(page);
	}
	page_table_end(out);
	free(all);
}
