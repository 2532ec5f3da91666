/* SPDX-License-Identifier: Apache-2.0 */
/* Cells and words that several pages of an archive have. */
#include <stdlib.h>
#include <string.h>

#include "base/markup.h"
#include "base/text.h"
#include "page/publish_parts.h"
#include "report/figure.h"
#include "report/kept.h"
#include "report/layers.h"

static bool same(const char *wanted, const char *is)
{
	return wanted == NULL || strcmp(wanted, is) == 0;
}

bool publish_picks(const publish_pick *pick, const publish_line *l)
{
	return (pick->line == NULL || pick->line == l) && same(pick->executor, l->line.executor) &&
	       same(pick->protocol, l->line.protocol) && same(pick->protocol_digest, l->line.protocol_digest) &&
	       same(pick->id, l->line.id) && (pick->number == 0 || pick->number == l->number);
}

char *publish_executor_page(const archive_line *l)
{
	return publish_name("executor", l->executor);
}

char *publish_case_page(const char *id, size_t number)
{
	char *key = number > 1 ? memory_format("%s\n%zu", id, number) : memory_text(id), *name = publish_name("case", key);

	free(key);
	return name;
}

/* Two texts of a protocol may have one name. */
char *publish_protocol_page(const archive_line *l)
{
	char *key = memory_format("%s %s", l->protocol, l->protocol_digest), *name = publish_name("protocol", key);

	free(key);
	return name;
}

publish_level publish_level_of(const double *values, size_t n)
{
	publish_level v = { .median = statistics_median(values, n), .around = { values[0], values[0] } };

	if (statistics_median_interval(values, n, 0.95, &v.around))
		return v;
	for (size_t i = 1; i < n; i++) {
		v.around.low = values[i] < v.around.low ? values[i] : v.around.low;
		v.around.high = values[i] > v.around.high ? values[i] : v.around.high;
	}
	return v;
}

char *publish_level_words(publish_level v, enum record_metric metric)
{
	char words[FIGURE_SIZE];

	if (v.around.low < v.around.high)
		figure_interval(v.median, v.around, figure_unit(metric), words);
	else
		text_format_si(v.median, figure_unit(metric), words);
	return memory_text(words);
}

/* "driver 535.1 -> 550.2 (Example)": no line ends within an arrow. */
static void put_layer(FILE *out, const stack_group *g)
{
	char *title = memory_text(g->title), *rest = title, *who = layers_who(g->maker, g->owner);

	markup_put(out, "<div>");
	for (char *arrow; (arrow = strstr(rest, " -> ")) != NULL; rest = arrow + strlen(" -> ")) {
		*arrow = '\0';
		markup_put(out, "%s <span class=\"value\">-&gt;</span> ", rest);
	}
	markup_put(out, who[0] != '\0' ? "%s (%s)</div>" : "%s</div>", rest, who);
	free(who);
	free(title);
}

void publish_put_layers(FILE *out, const stack_group_list *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		put_layer(out, &groups->items[i]);
	if (groups->count == 0)
		markup_put(out, "what a stack is told by its files changed, and no layer that counts");
}

/* What differed where the stack did not change. */
static void put_attribute(FILE *out, const archive_change *c)
{
	char *before = memory_format("%.*s", KEPT_DIGITS, c->last_before.digest);
	char *after = memory_format("%.*s", KEPT_DIGITS, c->first_after.digest);

	markup_put(out, "The stack did not change there. <code>evenhand attribute archive:%s archive:%s</code> says "
	           "what else differed.", before, after);
	free(before);
	free(after);
}

void publish_put_cause(FILE *out, const archive_change *c)
{
	if (c->stack_changed)
		publish_put_layers(out, &c->groups);
	else
		put_attribute(out, c);
	for (size_t i = 0; i < c->notes.count; i++) {
		char *when = kept_minute(c->notes.items[i].at);

		markup_put(out, "<div>note, %s: %s</div>", when, c->notes.items[i].words);
		free(when);
	}
}

/* " --NAME 'VALUE'" where there is a value. */
static void add_option(text *t, const char *name, const char *value)
{
	char *word = text_shell_word(text_or_empty((char *)value));

	if (value != NULL)
		text_add(t, " --%s %s", name, word);
	free(word);
}

char *publish_selecting(const publishing *p, const publish_pick *pick)
{
	const archive_filter *f = &p->o->filter;
	text t = { 0 };

	add_option(&t, "executor", pick->executor != NULL ? pick->executor : f->executor);
	add_option(&t, "device", f->device);
	add_option(&t, "protocol", pick->protocol != NULL ? pick->protocol : f->protocol);
	add_option(&t, "since", f->since);
	add_option(&t, "until", f->until);
	return t.data != NULL ? t.data : memory_text("");
}

void publish_put_notes(FILE *out, const archive_note_list *notes)
{
	if (notes->count == 0)
		return;
	markup_put(out, "<dl class=\"notes\">\n");
	for (size_t i = 0; i < notes->count; i++) {
		const archive_note *n = &notes->items[i];
		char *when = kept_minute(n->at);

		markup_put(out, "<dt>note, %s</dt><dd>%s%s%s%s%s</dd>\n", when, n->words, n->author[0] != '\0' ? ", " : "",
		           n->author, n->executor[0] != '\0' ? "; about executors with " : "", n->executor);
		free(when);
	}
	markup_put(out, "</dl>\n");
}
