/* SPDX-License-Identifier: Apache-2.0 */
/* Two executors, layer by layer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"
#include "record/disclosure.h"
#include "record/setting.h"

static bool same_layer(const record_layer *a, const record_layer *b)
{
	return a->layer == b->layer && strcmp(a->name, b->name) == 0;
}

/* The nth layer of that kind and name, counted from 0. */
static const record_layer *layer_find(const record_layer_list *layers, const record_layer *like,
                                      size_t nth)
{
	for (size_t i = 0; i < layers->count; i++)
		if (same_layer(&layers->items[i], like) && nth-- == 0)
			return &layers->items[i];
	return NULL;
}

static size_t layer_number(const record_layer_list *layers, const record_layer *me)
{
	size_t before = 0;

	for (const record_layer *layer = layers->items; layer < me; layer++)
		before += same_layer(layer, me);
	return before;
}

static bool lasting_fields_in(const record_layer *a, const record_layer *b)
{
	for (size_t i = 0; i < a->fields.count; i++) {
		const record_field *field = &a->fields.items[i];
		const record_field *other = record_layer_field(b, field->name);

		if (!disclosure_is_lasting(a, field))
			continue;
		if (other == NULL || !scalar_same(&field->value, &other->value))
			return false;
	}
	return true;
}

static bool layer_equal(const record_layer *a, const record_layer *b)
{
	return strcmp(text_or_empty(a->version), text_or_empty(b->version)) == 0 &&
	       strcmp(text_or_empty(a->sha256), text_or_empty(b->sha256)) == 0 &&
	       lasting_fields_in(a, b) && lasting_fields_in(b, a);
}

static bool is_mapped(const record_layer *layer)
{
	return layer->layer == RECORD_LAYER_MAPPED_OBJECT;
}

/* "compiler gcc 12.2.0 | clang 14.0.6"; the name stands once when it is the same. */
static void add_difference(text *t, const record_layer *a, const record_layer *b)
{
	const record_layer *known = a != NULL ? a : b;
	const char *va = a != NULL ? text_or_empty(a->version) : "";
	const char *vb = b != NULL ? text_or_empty(b->version) : "";
	const char *na = a != NULL ? a->name : "absent";
	const char *nb = b != NULL ? b->name : "absent";
	bool same_name = strcmp(na, nb) == 0;

	text_add(t, "%s%s %s", t->size > 0 ? "; " : "", record_layer_kind_word(known->layer), na);
	if (same_name && strcmp(va, vb) == 0)
		return;
	text_add(t, "%s%s |%s%s%s%s", va[0] != '\0' ? " " : "", va, same_name ? "" : " ",
	         same_name ? "" : nb, vb[0] != '\0' ? " " : "", vb);
}

/* "configuration LP_NUM_THREADS 1 | (not set)" */
static void add_setting(text *t, const record_layer *a, const record_layer_list *la,
                        const record_layer *b, const record_layer_list *lb)
{
	char *va = setting_words(a, b, la), *vb = setting_words(b, a, lb);
	const record_layer *known = a != NULL ? a : b;

	text_add(t, "%s%s %s %s | %s", t->size > 0 ? "; " : "",
	         record_layer_kind_word(known->layer), known->name, va, vb);
	free(vb);
	free(va);
}

/* The layers of one side that the other has in no version, or has differently. */
typedef struct odd_layers { const record_layer **items; size_t count; } odd_layers;

static odd_layers odd_of(const record_layer_list *mine, const record_layer_list *theirs,
                         size_t *mapped)
{
	odd_layers odd = { memory_get((mine->count + 1) * sizeof(const record_layer *)), 0 };

	for (size_t i = 0; i < mine->count; i++) {
		const record_layer *layer = &mine->items[i];
		const record_layer *other = layer_find(theirs, layer, layer_number(mine, layer));

		if (!disclosure_is_stack(layer) || (other != NULL && layer_equal(layer, other)))
			continue;
		if (is_mapped(layer))
			(*mapped)++;
		else
			odd.items[odd.count++] = layer;
	}
	return odd;
}

/* Takes from `from` what stands against `layer`: the same name, else the same kind.  Two settings of
 * different names are nothing to each other. */
static const record_layer *take_partner(odd_layers *from, const record_layer *layer)
{
	size_t best = from->count;
	const record_layer *partner;
	size_t i;

	for (i = 0; i < from->count; i++) {
		if (from->items[i] == NULL || from->items[i]->layer != layer->layer)
			continue;
		if ((best == from->count && !setting_is(layer)) ||
		    same_layer(from->items[i], layer))
			best = i;
	}
	if (best == from->count)
		return NULL;
	partner = from->items[best];
	from->items[best] = NULL;
	return partner;
}

static void add_either(text *t, const record_layer *a, const record_layer_list *la,
                       const record_layer *b, const record_layer_list *lb)
{
	if (setting_is(a != NULL ? a : b))
		add_setting(t, a, la, b, lb);
	else
		add_difference(t, a, b);
}

/* Cut between characters, not inside one. */
static void copy_cut(const text *t, char *out, size_t size)
{
	size_t end = t->size;

	if (t->data != NULL && t->size >= size) {
		end = size - 5;
		while (end > 0 && (t->data[end] & 0xc0) == 0x80)
			end--;
	}
	snprintf(out, size, "%.*s%s", (int)end, t->data != NULL ? t->data : "",
	         end < t->size ? " ..." : "");
}

size_t condition_layer_list(const result *a, const result *b, char *out, size_t size)
{
	const record_layer_list *la = &a->record->executor.layers;
	const record_layer_list *lb = &b->record->executor.layers;
	size_t mapped_a = 0;
	size_t mapped_b = 0;
	odd_layers odd_a = odd_of(la, lb, &mapped_a);
	odd_layers odd_b = odd_of(lb, la, &mapped_b);
	text t = { 0 };
	size_t count = 0;
	size_t i;

	for (i = 0; i < odd_a.count; i++, count++)
		add_either(&t, odd_a.items[i], la, take_partner(&odd_b, odd_a.items[i]), lb);
	for (i = 0; i < odd_b.count; i++) {
		if (odd_b.items[i] == NULL)
			continue;
		add_either(&t, NULL, la, odd_b.items[i], lb);
		count++;
	}
	if (mapped_a + mapped_b > 0) {
		text_add(&t, "%smapped objects %zu | %zu", t.size > 0 ? "; " : "", mapped_a,
		         mapped_b);
		count++;
	}
	copy_cut(&t, out, size);
	text_free(&t);
	free(odd_a.items);
	free(odd_b.items);
	return count;
}
