/* SPDX-License-Identifier: Apache-2.0 */
/* Which layers differ, who makes and who owns them, and all layers of each stack. */
#include <stdlib.h>

#include "analysis/stacks.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"
#include "record/disclosure.h"
#include "record/redact.h"
#include "record/setting.h"

static const char *or_dash(const char *words)
{
	return words == NULL || words[0] == '\0' ? "-" : redact_is_mark(words) ? "(redacted)" : words;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* Changes that are one have a heading. */
static void put_group(FILE *out, const stack_group *group)
{
	if (group->changes.count > 1)
		markup_put(out, "<tr class=\"first\"><th scope=\"rowgroup\" colspan=\"5\">%s, which can only change "
		         "together:</th></tr>\n", group->title);
	for (size_t i = 0; i < group->changes.count; i++) {
		const stack_change *c = &group->changes.items[i];

		markup_put(out, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
		         record_layer_kind_word(c->layer), c->what, c->fields, or_dash(c->maker),
		         or_dash(c->owner));
	}
}

static void put_difference(FILE *out, const grid *g, size_t column)
{
	static const char *const heads[] = { "layer", "change", "facts that differ", "made by", "owned by" };
	const comparison *c = &g->comparisons[column];
	stack_group_list groups = { 0 };
	uint64_t followers = stacks_compare(&c->a->record->executor, &c->b->record->executor, false, &groups);
	char *caption = g->mode == GRID_PAIRED ?
	                memory_format("%s before and after", grid_column(g, column)) :
	                memory_format("From %s to %s", g->executors.full[0], g->executors.full[column + 1]);

	if (groups.count == 0) {
		markup_put(out, "<p>%s: no layer differs.</p>\n", caption);
	} else {
		page_table(out, caption);
		page_heads(out, heads, sizeof(heads) / sizeof(*heads));
		for (size_t i = 0; i < groups.count; i++) {
			put_group(out, &groups.items[i]);
		}
		page_table_end(out);
		if (followers > 0)
			markup_put(out, "<p>%llu more files and settings on one side only follow from these.</p>\n",
			         (unsigned long long)followers);
	}
	free(caption);
	layout_list_clear(stack_group_layout(), &groups);
}

/* ---- one stack ------------------------------------------------------------------------------- */

static void put_fields(FILE *out, const record_layer *layer)
{
	for (size_t i = 0; i < layer->fields.count; i++) {
		const record_field *f = &layer->fields.items[i];
		char *value = scalar_text(&f->value);

		markup_put(out, "%s%s=%s", i > 0 ? "; " : "", f->name, redact_is_mark(value) ? "(redacted)" : value);
		free(value);
	}
}

static void put_layer(FILE *out, const record_layer *layer)
{
	char *version = setting_is(layer) ? setting_words(layer, NULL, NULL) :
	                memory_text(text_or_empty(layer->version));

	markup_put(out, "<tr><td>%s</td><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td><td>%s</td>",
	         record_layer_kind_word(layer->layer), or_dash(layer->name), or_dash(version),
	         or_dash(layer->maker), or_dash(layer->owner), record_source_word(layer->source));
	markup_put(out, "<td>%s</td><td><code class=\"digest\">%s</code></td><td class=\"facts\">", text_or_empty(layer->path),
	         text_or_empty(layer->sha256));
	if (!setting_is(layer))
		put_fields(out, layer);
	markup_put(out, "</td></tr>\n");
	free(version);
}

static void put_stack(FILE *out, const grid *g, size_t i)
{
	static const char *const heads[] = { "layer", "name", "version", "made by", "owned by", "source",
		                             "file", "SHA-256", "facts" };
	const record_executor *e = &grid_result(g, i)->record->executor;
	char *name = grid_full_name(g, i), *caption = memory_format("All layers of %s", name);

	markup_put(out, "<details><summary>%s</summary>\n", caption);
	page_table(out, caption);
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t k = 0; k < e->layers.count; k++)
		if (disclosure_is_stack(&e->layers.items[k]))
			put_layer(out, &e->layers.items[k]);
	page_table_end(out);
	markup_put(out, "</details>\n");
	free(caption);
	free(name);
}

void page_stacks(FILE *out, const grid *g)
{
	page_section(out, "stacks", "What differs between the stacks");
	for (size_t k = 0; k < g->count && g->mode != GRID_ALONE; k++)
		put_difference(out, g, k);
	for (size_t i = 0; i < grid_results(g); i++)
		put_stack(out, g, i);
	markup_put(out, "</section>\n");
}
