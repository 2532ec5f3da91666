/* SPDX-License-Identifier: Apache-2.0 */
/* A case on an executor under a protocol, over time: a chart, and everything in it as tables. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/chart.h"
#include "page/page_parts.h"
#include "page/publish_parts.h"
#include "report/figure.h"
#include "report/kept.h"

/* ---- the chart ------------------------------------------------------------------------------- */

static const char *value_name(enum record_metric metric)
{
	return metric == RECORD_METRIC_BYTES ? "data rate, higher is better" :
	       metric == RECORD_METRIC_FLOPS ? "arithmetic rate, higher is better" :
	                                       "time of an operation, lower is better";
}

static int64_t seconds_of(const char *at)
{
	int64_t seconds;

	return clock_wall_seconds(at, &seconds) ? seconds : 0;
}

/* As the points have it: the page draws a mark at a point's own place. */
static void add_mark(chart *c, enum chart_sign sign, const char *at, const char *label)
{
	chart_mark *m = layout_append(chart_mark_layout(), &c->marks);

	m->sign = sign;
	text_set(&m->label, label);
	m->at = (double)(float)((double)seconds_of(at) - (double)c->x_epoch);
}

static void add_marks(chart *c, const archive_history *h)
{
	int64_t seconds;

	for (size_t i = 1; i < h->spans.count; i++) {
		char *label = memory_format("stack %zu", i + 1);

		add_mark(c, CHART_STACK, h->points.items[h->spans.items[i].first].started, label);
		free(label);
	}
	for (size_t i = 0; i < h->changes.count; i++) {
		const archive_change *change = &h->changes.items[i];
		bool slower = change->speedup < 1;
		char times[FIGURE_SIZE], *label;

		figure_times(change->speedup, times);
		label = memory_format("%s, %s", times, slower ? "slower" : "faster");
		add_mark(c, slower ? CHART_SLOWER : CHART_FASTER, change->first_after.started, label);
		free(label);
	}
	for (size_t i = 0; i < h->notes.count; i++)
		if (clock_wall_seconds(h->notes.items[i].at, &seconds))
			add_mark(c, CHART_NOTE, h->notes.items[i].at, "note");
}

static void add_points(chart *c, const archive_history *h)
{
	size_t room = h->points.count + 1, n = 0;
	double *v = memory_get(4 * room * sizeof(*v));
	chart_line *l;

	for (size_t i = 0; i < h->points.count; i++) {
		const archive_point *p = &h->points.items[i];

		if (!(p->value > 0))
			continue;
		v[n] = (double)seconds_of(p->started) - (double)c->x_epoch;
		v[room + n] = p->value;
		v[2 * room + n] = p->low > 0 ? p->low : p->value;
		v[3 * room + n] = p->high > 0 ? p->high : p->value;
		n++;
	}
	l = chart_add(c, "value", 0, NULL);
	l->points = true;
	chart_points(l, v, v + room, n);
	chart_intervals(l, v + 2 * room, v + 3 * room, n);
	free(v);
}

static void put_chart(FILE *out, const archive_history *h)
{
	chart *c = layout_new(chart_layout());
	int64_t first = seconds_of(h->points.items[0].started);
	char *caption = memory_format("%s on %s, %s: values with their 95 %% intervals", h->line.id, h->line.executor,
	                              h->line.protocol);

	c->x_epoch = first > 0 ? (uint64_t)first : 0;
	chart_axes(c, (chart_axis){ "start of the run (UTC)", "", false },
	           (chart_axis){ value_name(h->line.metric), figure_unit(h->line.metric), false });
	text_list_add(&c->groups, "value");
	add_points(c, h);
	add_marks(c, h);
	chart_put(out, c, caption);
	free(caption);
	layout_free(chart_layout(), c);
}

/* ---- stacks and changes ---------------------------------------------------------------------- */

static void put_span(FILE *out, const archive_history *h, size_t i)
{
	const archive_span *s = &h->spans.items[i];
	double *values = memory_get((s->count + 1) * sizeof(*values));
	char *when = kept_minute(h->points.items[s->first].started), *median, *digest;
	size_t n = 0;

	for (size_t k = s->first; k < s->first + s->count; k++)
		if (h->points.items[k].value > 0)
			values[n++] = h->points.items[k].value;
	median = n > 0 ? publish_level_words(publish_level_of(values, n), h->line.metric) :
	                 memory_text("no value counts");
	digest = memory_format("%.*s", KEPT_DIGITS, s->stack);
	markup_put(out, "<tr><th scope=\"row\">%zu</th><td class=\"value\">%s</td><td>%llu</td><td class=\"value\">%s</td>"
	           "<td class=\"cause\">", i + 1, when, (unsigned long long)s->count, median);
	if (i > 0)
		publish_put_layers(out, &s->groups);
	else
		markup_put(out, "the first here");
	markup_put(out, "</td><td><code>%s</code></td></tr>\n", digest);
	free(digest);
	free(median);
	free(when);
	free(values);
}

static void put_spans(FILE *out, const archive_history *h)
{
	static const char *const heads[] = { "stack", "from (UTC)", "results", "median [interval]", "layers that changed",
		                             "digest" };
	char *caption = memory_format("Stacks of %s, with the median of %s under %s on each", h->line.executor, h->line.id,
	                              h->line.protocol);

	page_table(out, caption);
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < h->spans.count; i++)
		put_span(out, h, i);
	page_table_end(out);
	free(caption);
}

/* ---- results --------------------------------------------------------------------------------- */

static void put_point(FILE *out, const archive_history *h, size_t i, size_t stack)
{
	const archive_point *point = &h->points.items[i];
	char *when = kept_minute(point->started), *value = kept_value(&h->line, point), *doubt = kept_doubt(point);
	char *digest = memory_format("%.*s", KEPT_DIGITS, point->digest);

	markup_put(out, "<tr><td class=\"value\">%s</td><td class=\"value\">%s</td><td>%s</td><td>%zu</td><td>%llu</td>"
	           "<td>%llu</td><td><code>%s</code></td></tr>\n", when, value, doubt, stack,
	           (unsigned long long)point->executions, (unsigned long long)point->samples, digest);
	free(digest);
	free(doubt);
	free(value);
	free(when);
}

/* The newest first. */
static void put_points(FILE *out, const archive_history *h, size_t rows)
{
	static const char *const heads[] = { "started (UTC)", "value [95 % interval]", "", "stack", "executions", "samples",
		                             "result" };
	char *caption = memory_format("%s on %s, %s: its results, the newest first", h->line.id, h->line.executor,
	                              h->line.protocol);
	size_t span = h->spans.count;

	page_table(out, caption);
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = h->points.count; i > 0 && h->points.count - i < rows; i--) {
		while (span > 1 && h->spans.items[span - 1].first > i - 1)
			span--;
		put_point(out, h, i - 1, span);
	}
	page_table_end(out);
	free(caption);
}

/* ---- the line -------------------------------------------------------------------------------- */

static void put_facts(FILE *out, const publishing *p, const archive_history *h, uint64_t all, size_t counts, size_t rows)
{
	const archive_line *l = &h->line;
	const publish_pick pick = { .executor = l->executor, .protocol = l->protocol };
	char *selecting = publish_selecting(p, &pick), *id = text_shell_word(l->id);
	size_t shown = h->points.count < rows ? h->points.count : rows;

	markup_put(out, "<dl class=\"notes\">\n<dt>case</dt><dd>%s, %s, %s%s%s</dd>\n", l->workload, l->precision,
	           record_tier_word(l->tier), l->parameters[0] != '\0' ? "; " : "", l->parameters);
	if (l->uuid[0] != '\0')
		markup_put(out, "<dt>device</dt><dd>%s</dd>\n", l->uuid);
	markup_put(out, "<dt>protocol</dt><dd><code class=\"digest\">%s</code></dd>\n", l->protocol_digest);
	if (counts < h->points.count)
		markup_put(out, "<dt>left out</dt><dd>%zu of %zu results, whose row does not count</dd>\n",
		           h->points.count - counts, h->points.count);
	if (all > shown)
		markup_put(out, "<dt>shown</dt><dd>the newest %zu of %llu results in the table, %zu in the chart; "
		           "<code>evenhand archive query %s%s --last 0</code> lists all</dd>\n", shown,
		           (unsigned long long)all, h->points.count, id, selecting);
	markup_put(out, "</dl>\n");
	free(id);
	free(selecting);
}

static void put_sentence(FILE *out, const archive_history *h, const publish_line *l, size_t counts)
{
	char *first = kept_minute(h->points.items[0].started);
	char *value = kept_value(&h->line, &l->last), *when = kept_minute(text_or_empty(l->last.started));

	markup_put(out, "<p>%zu value%s since %s.", counts, counts == 1 ? "" : "s", first);
	if (counts > 0)
		markup_put(out, " The newest that counts: %s, %s.", value, when);
	markup_put(out, " %zu stack%s, %zu lasting change%s.</p>\n", h->spans.count, h->spans.count == 1 ? "" : "s",
	           h->changes.count, h->changes.count == 1 ? "" : "s");
	free(when);
	free(value);
	free(first);
}

void publish_history(FILE *out, const publishing *p, const archive_history *h, const publish_line *l, size_t rows)
{
	const publish_pick own = { .line = l };
	size_t counts = 0;

	for (size_t i = 0; i < h->points.count; i++)
		counts += h->points.items[i].value > 0;
	markup_put(out, "<section id=\"%s\"><h2>%s%s%s%s, %s</h2>\n", strchr(l->anchor, '#') + 1, h->line.executor,
	           h->line.device[0] != '\0' ? " (" : "", h->line.device, h->line.device[0] != '\0' ? ")" : "",
	           h->line.protocol);
	put_sentence(out, h, l, counts);
	if (p->charts && counts > 1)
		put_chart(out, h);
	if (l->changes > 0)
		publish_put_changes(out, p, &own, PUBLISH_CHANGES);
	put_spans(out, h);
	publish_put_notes(out, &h->notes);
	put_facts(out, p, h, l->all, counts, rows);
	markup_put(out, "<details><summary><h3>Results</h3></summary>\n");
	put_points(out, h, rows);
	markup_put(out, "</details></section>\n");
}
