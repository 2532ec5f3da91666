/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/grouping.h"
#include "base/text.h"
#include "record/disclosure.h"
#include "record/nameplate.h"
#include "record/setting.h"

/* ---- facts about a layer --------------------------------------------------------------------- */

const char *stacks_field_text(const record_layer *layer, const char *name)
{
	const record_field *f = record_layer_field(layer, name);

	return f != NULL ? text_or_empty(f->value.text) : "";
}

static bool is_file(const record_layer *layer)
{
	return layer->layer == RECORD_LAYER_MAPPED_OBJECT;
}

/* ---- which layers count ---------------------------------------------------------------------- */

/* Kernels are what is measured; a workload's file comes with the harness. */
static bool is_kernel(const record_layer *layer)
{
	return is_file(layer) && strcmp(stacks_field_text(layer, "role"), "kernel") == 0;
}

/* On a processor the backend's layer of the hardware repeats the processor under another name.  The
 * layers of the host come before it and already have the processor. */
static bool repeats_processor(const record_executor *e, const record_layer *layer)
{
	if (strcmp(text_or_empty(e->device.type), "cpu") != 0 || layer->layer != RECORD_LAYER_HARDWARE)
		return false;
	for (const record_layer *each = e->layers.items; each < layer; each++)
		if (each->layer == RECORD_LAYER_HOST)
			return true;
	return false;
}

/* malloc'd: the name that stays from version to version. */
static char *stem_of(const record_layer *layer)
{
	return is_file(layer) ? setting_object_stem(layer->name) : memory_text(layer->name);
}

static bool same_layer(const record_layer *a, const record_layer *b)
{
	char *x, *y;
	bool same;

	if (a->layer != b->layer)
		return false;
	x = stem_of(a);
	y = stem_of(b);
	same = strcmp(x, y) == 0;
	free(y);
	free(x);
	return same;
}

/* ---- what differs in a layer ----------------------------------------------------------------- */

/* Facts of the moment, facts that another layer has too, and facts that do not change the speed. */
static bool is_noise(const record_layer *layer, const record_field *field)
{
	const char *name = field->name;
	static const char *const site[] = { "tester", "party", "sponsor", "price", "notes",
	                                    "location" };

	if (!disclosure_is_lasting(layer, field))
		return true;
	for (size_t i = 0; layer->layer == RECORD_LAYER_SITE && i < sizeof(site) / sizeof(*site); i++)
		if (strcmp(site[i], name) == 0)
			return true;
	if (layer->layer == RECORD_LAYER_SITE && nameplate_is_key(name))
		return true;
	/* The C library is a mapped file with a digest. */
	return layer->layer == RECORD_LAYER_OPERATING_SYSTEM && strcmp(name, "libc") == 0;
}

static bool says_nothing(const record_field *f)
{
	return f->source == RECORD_SOURCE_UNAVAILABLE ||
	       (f->value.kind == SCALAR_TEXT && f->value.text[0] == '\0');
}

static char *value_text(const record_field *f)
{
	if (f == NULL)
		return memory_text("(not recorded)");
	if (f->value.kind == SCALAR_TEXT && f->value.text[0] == '\0')
		return memory_text("(nothing)");
	return scalar_text(&f->value);
}

static void add_field(text *t, const char *name, const record_field *from, const record_field *to)
{
	char *x = value_text(from), *y = value_text(to);

	text_add(t, "%s%s: %s -> %s", t->size > 0 ? "; " : "", name, x, y);
	free(y);
	free(x);
}

/* A field that one side lacks counts only where the other's says something: it may have come with
 * another version of evenhand. */
static void add_fields(text *t, const record_layer *a, const record_layer *b)
{
	for (size_t i = 0; i < a->fields.count; i++) {
		const record_field *f = &a->fields.items[i], *other = record_layer_field(b, f->name);

		if (!is_noise(a, f) && (other != NULL ? !scalar_same(&f->value, &other->value)
		                                            : !says_nothing(f)))
			add_field(t, f->name, f, other);
	}
	for (size_t i = 0; i < b->fields.count; i++) {
		const record_field *f = &b->fields.items[i];

		if (!is_noise(b, f) && record_layer_field(a, f->name) == NULL && !says_nothing(f))
			add_field(t, f->name, NULL, f);
	}
}

/* malloc'd; "" when either is absent, when they are two different things, all of whose fields
 * differ, and of settings, whose title has the value. */
static char *fields_text(const record_layer *a, const record_layer *b)
{
	text t = { 0 };

	if (a != NULL && b != NULL && same_layer(a, b) && !setting_is(a)) {
		const char *x = text_or_empty(a->sha256), *y = text_or_empty(b->sha256);

		if (strcmp(x, y) != 0 && x[0] != '\0' && y[0] != '\0')
			text_add(&t, "sha256: %.12s -> %.12s", x, y);
		add_fields(&t, a, b);
	}
	return t.data != NULL ? t.data : memory_text("");
}

/* malloc'd.  Files carry their version in their name. */
static char *layer_words(const record_layer *layer)
{
	const char *version = is_file(layer) ? "" : text_or_empty(layer->version);

	return memory_format("%s%s%s", layer->name, version[0] != '\0' ? " " : "", version);
}

/* malloc'd "configuration LP_NUM_THREADS: (not set) -> 1". */
static char *setting_text(const grouping *g, const record_layer *a, const record_layer *b)
{
	char *x = setting_words(a, b, &g->a->layers), *y = setting_words(b, a, &g->b->layers);
	char *all = memory_format("%s %s: %s -> %s",
	                          record_layer_kind_word(RECORD_LAYER_CONFIGURATION),
	                          (b != NULL ? b : a)->name, x, y);

	free(y);
	free(x);
	return all;
}

/* malloc'd: what follows the arrow; a name that stays is not repeated. */
static char *later_words(const record_layer *a, const record_layer *b)
{
	const char *version = text_or_empty(b->version);
	bool stays = a != NULL && !is_file(b) && strcmp(a->name, b->name) == 0 && version[0] != '\0' &&
	             text_or_empty(a->version)[0] != '\0' && strcmp(a->version, version) != 0;

	return stays ? memory_text(version) : layer_words(b);
}

static char *what_text(const grouping *g, const record_layer *a, const record_layer *b)
{
	const record_layer *either = b != NULL ? b : a;
	const char *kind = is_file(either) ? "file" : record_layer_kind_word(either->layer);
	char *x = a != NULL ? layer_words(a) : NULL, *y = b != NULL ? later_words(a, b) : NULL, *all;

	if (setting_is(either))
		all = setting_text(g, a, b);
	else if (x == NULL)
		all = memory_format("%s %s added", kind, y);
	else if (y == NULL)
		all = memory_format("%s %s removed", kind, x);
	else if (strcmp(x, y) == 0)
		all = memory_format("%s %s changed", kind, x);
	else
		all = memory_format("%s %s -> %s", kind, x, y);
	free(y);
	free(x);
	return all;
}

static void add_change(grouping *g, const record_layer *a, const record_layer *b)
{
	const record_layer *either = b != NULL ? b : a;
	grouping_change *c;

	g->changes = memory_grow(g->changes, (g->count + 1) * sizeof(*g->changes));
	c = &g->changes[g->count];
	*c = (grouping_change){ .from = a, .to = b, .leader = g->count++ };
	c->words.kind = a == NULL ? STACK_ADDED : b == NULL ? STACK_REMOVED : STACK_CHANGED;
	c->words.layer = either->layer;
	c->words.what = what_text(g, a, b);
	c->words.fields = fields_text(a, b);
	c->words.maker = memory_text(text_or_empty(either->maker));
	c->words.owner = memory_text(text_or_empty(either->owner));
}

/* ---- pairing --------------------------------------------------------------------------------- */

/* The layers of one side that are not paired yet; NULL for those that are. */
typedef struct side { const record_layer **items; size_t count; } side;

static side collect(const record_executor *e)
{
	side s = { memory_get((e->layers.count + 1) * sizeof(*s.items)), 0 };

	for (size_t i = 0; i < e->layers.count; i++) {
		const record_layer *layer = &e->layers.items[i];

		if (!is_kernel(layer) && !repeats_processor(e, layer))
			s.items[s.count++] = layer;
	}
	return s;
}

static bool differ(const record_layer *a, const record_layer *b)
{
	char *fields = fields_text(a, b);
	bool yes = (setting_is(a) && !setting_same(a, b)) || fields[0] != '\0' || strcmp(a->name, b->name) != 0 ||
	           strcmp(text_or_empty(a->version), text_or_empty(b->version)) != 0;

	free(fields);
	return yes;
}

static bool same_kind(const record_layer *a, const record_layer *b)
{
	return a->layer == b->layer && !is_file(a) && !setting_is(a);
}

/* Pairs what is alike, in order; what does not differ is no change. */
static void pair(grouping *g, const side *a, const side *b,
                 bool (*alike)(const record_layer *, const record_layer *))
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; a->items[i] != NULL && k < b->count; k++) {
			if (b->items[k] == NULL || !alike(a->items[i], b->items[k]))
				continue;
			if (differ(a->items[i], b->items[k]))
				add_change(g, a->items[i], b->items[k]);
			a->items[i] = b->items[k] = NULL;
		}
}

/* A stack that was not run has not mapped everything yet. */
static bool may_be_late(const record_layer *layer, const record_executor *other)
{
	return is_file(layer) || (setting_is(layer) && !setting_is_read(layer, &other->layers));
}

/* A site that declares nothing but facts which do not change the speed. */
static bool is_idle_site(const record_layer *layer)
{
	for (size_t i = 0; i < layer->fields.count; i++)
		if (!is_noise(layer, &layer->fields.items[i]))
			return false;
	return layer->layer == RECORD_LAYER_SITE;
}

/* Whether a layer that the other stack lacks is a change. */
static bool counts_alone(const record_layer *layer, const record_executor *other, bool brief)
{
	return !is_idle_site(layer) && !(brief && may_be_late(layer, other));
}

static void take_rest(grouping *g, const side *a, const side *b, bool brief)
{
	for (size_t i = 0; i < a->count; i++)
		if (a->items[i] != NULL && counts_alone(a->items[i], g->b, brief))
			add_change(g, a->items[i], NULL);
	for (size_t k = 0; k < b->count; k++)
		if (b->items[k] != NULL && counts_alone(b->items[k], g->a, brief))
			add_change(g, NULL, b->items[k]);
}

uint64_t stacks_compare(const record_executor *a, const record_executor *b, bool brief,
                        stack_group_list *groups)
{
	grouping g = { .a = a, .b = b };
	side x = collect(a), y = collect(b);
	uint64_t followers;

	pair(&g, &x, &y, same_layer);
	pair(&g, &x, &y, same_kind);
	take_rest(&g, &x, &y, brief);
	followers = grouping_make(&g, groups);
	free(g.changes);
	free(y.items);
	free(x.items);
	return followers;
}

size_t stacks_changes(const record_executor *a, const record_executor *b, bool brief)
{
	attribution_step *step = layout_new(attribution_step_layout());
	size_t count;

	(void)stacks_compare(a, b, brief, &step->groups);
	count = step->groups.count;
	layout_free(attribution_step_layout(), step);
	return count;
}
