/* SPDX-License-Identifier: Apache-2.0 */
/* Two executors, layer by layer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "contract/condition.h"

static bool same_layer(const cJSON *a, const cJSON *b)
{
	return strcmp(json_string(a, "layer", ""), json_string(b, "layer", "")) == 0 &&
	       strcmp(json_string(a, "name", ""), json_string(b, "name", "")) == 0;
}

/* The nth layer of that kind and name, counted from 0. */
static const cJSON *layer_find(const cJSON *layers, const cJSON *like, size_t nth)
{
	const cJSON *layer;

	cJSON_ArrayForEach(layer, layers)
		if (same_layer(layer, like) && nth-- == 0)
			return layer;
	return NULL;
}

static size_t layer_number(const cJSON *layers, const cJSON *me)
{
	const cJSON *layer;
	size_t before = 0;

	cJSON_ArrayForEach(layer, layers) {
		if (layer == me)
			break;
		before += same_layer(layer, me);
	}
	return before;
}

/* Fields of the moment ("now-...") are not the stack. */
static bool lasting_fields_in(const cJSON *a, const cJSON *b)
{
	const cJSON *field;

	cJSON_ArrayForEach(field, json_path(a, "fields")) {
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(json_path(b, "fields"),
		                                                     field->string);

		if (strncmp(field->string, "now-", 4) == 0)
			continue;
		if (other == NULL || !cJSON_Compare(json_path(field, "value"),
		                                    json_path(other, "value"), true))
			return false;
	}
	return true;
}

static bool layer_equal(const cJSON *a, const cJSON *b)
{
	return strcmp(json_string(a, "version", ""), json_string(b, "version", "")) == 0 &&
	       strcmp(json_string(a, "sha256", ""), json_string(b, "sha256", "")) == 0 &&
	       lasting_fields_in(a, b) && lasting_fields_in(b, a);
}

/* A mapped file that is not part of the stack (a kernel, a workload) is no layer of it. */
static bool of_stack(const cJSON *layer)
{
	return strcmp(json_string(layer, "layer", ""), "mapped-object") != 0 ||
	       strcmp(json_string(json_path(layer, "fields.role"), "value", "stack"), "stack") == 0;
}

static bool is_mapped(const cJSON *layer)
{
	return strcmp(json_string(layer, "layer", ""), "mapped-object") == 0;
}

/* "compiler gcc 12.2.0 | clang 14.0.6"; the name stands once when it is the same. */
static void add_difference(text *t, const cJSON *a, const cJSON *b)
{
	const cJSON *known = a != NULL ? a : b;
	const char *va = a != NULL ? json_string(a, "version", "") : "";
	const char *vb = b != NULL ? json_string(b, "version", "") : "";
	const char *na = a != NULL ? json_string(a, "name", "") : "absent";
	const char *nb = b != NULL ? json_string(b, "name", "") : "absent";
	bool same_name = strcmp(na, nb) == 0;

	text_add(t, "%s%s %s", t->size > 0 ? "; " : "", json_string(known, "layer", ""), na);
	if (same_name && strcmp(va, vb) == 0)
		return;
	text_add(t, "%s%s |%s%s%s%s", va[0] != '\0' ? " " : "", va, same_name ? "" : " ",
	         same_name ? "" : nb, vb[0] != '\0' ? " " : "", vb);
}

/* The layers of one side that the other has in no version, or has differently. */
typedef struct odd_layers { const cJSON **items; size_t count; } odd_layers;

static odd_layers odd_of(const cJSON *mine, const cJSON *theirs, size_t *mapped)
{
	size_t room = (size_t)cJSON_GetArraySize(mine) + 1;
	odd_layers odd = { memory_get(room * sizeof(const cJSON *)), 0 };
	const cJSON *layer;

	cJSON_ArrayForEach(layer, mine) {
		const cJSON *other = layer_find(theirs, layer, layer_number(mine, layer));

		if (!of_stack(layer) || (other != NULL && layer_equal(layer, other)))
			continue;
		if (is_mapped(layer))
			(*mapped)++;
		else
			odd.items[odd.count++] = layer;
	}
	return odd;
}

/* Takes from `from` what stands against `layer`: the same name, else the same kind. */
static const cJSON *take_partner(odd_layers *from, const cJSON *layer)
{
	size_t best = from->count;
	const cJSON *partner;
	size_t i;

	for (i = 0; i < from->count; i++) {
		if (from->items[i] == NULL || strcmp(json_string(from->items[i], "layer", ""),
		                                     json_string(layer, "layer", "")) != 0)
			continue;
		if (best == from->count || same_layer(from->items[i], layer))
			best = i;
	}
	if (best == from->count)
		return NULL;
	partner = from->items[best];
	from->items[best] = NULL;
	return partner;
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
	const cJSON *la = json_path(a->root, "executor.layers");
	const cJSON *lb = json_path(b->root, "executor.layers");
	size_t mapped_a = 0;
	size_t mapped_b = 0;
	odd_layers odd_a = odd_of(la, lb, &mapped_a);
	odd_layers odd_b = odd_of(lb, la, &mapped_b);
	text t = { 0 };
	size_t count = 0;
	size_t i;

	for (i = 0; i < odd_a.count; i++, count++)
		add_difference(&t, odd_a.items[i], take_partner(&odd_b, odd_a.items[i]));
	for (i = 0; i < odd_b.count; i++) {
		if (odd_b.items[i] == NULL)
			continue;
		add_difference(&t, NULL, odd_b.items[i]);
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
