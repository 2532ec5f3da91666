/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/grouping.h"
#include "base/json.h"
#include "base/text.h"

/* ---- which layers count ---------------------------------------------------------------------- */

static bool is_kind(const cJSON *layer, const char *kind)
{
	return strcmp(json_string(layer, "layer", ""), kind) == 0;
}

/* Kernels are what is measured; a workload's file comes with the harness. */
static bool is_kernel(const cJSON *layer)
{
	return is_kind(layer, "mapped-object") &&
	       strcmp(json_string(json_path(layer, "fields.role"), "value", "stack"), "kernel") == 0;
}

/* On a processor, what the backend calls the device repeats the processor under another name: the
 * layers of the host come first and have it already. */
static bool repeats_processor(const cJSON *record, const cJSON *layer)
{
	const cJSON *each;
	bool past_host = false;

	if (strcmp(json_string(json_path(record, "device"), "type", ""), "cpu") != 0 ||
	    !is_kind(layer, "hardware"))
		return false;
	cJSON_ArrayForEach(each, json_path(record, "layers")) {
		if (each == layer)
			return past_host;
		past_host = past_host || is_kind(each, "host");
	}
	return false;
}

static bool counts(const cJSON *record, const cJSON *layer)
{
	return !is_kernel(layer) && !repeats_processor(record, layer);
}

/* "libLLVM" of libLLVM-15.so.1: the name that stays from version to version; malloc'd. */
static char *stem_of(const cJSON *layer)
{
	char *name = memory_text(json_string(layer, "name", "")), *so;
	size_t end;

	if (!is_kind(layer, "mapped-object"))
		return name;
	so = strstr(name, ".so");
	if (so == NULL)
		return name;
	*so = '\0';
	for (end = strlen(name); end > 0 && strchr("0123456789.", name[end - 1]) != NULL;)
		end--;
	if (end > 1 && name[end - 1] == '-' && name[end] != '\0')
		name[end - 1] = '\0';
	return name;
}

static bool same_layer(const cJSON *a, const cJSON *b)
{
	char *x, *y;
	bool same;

	if (!is_kind(a, json_string(b, "layer", "")))
		return false;
	x = stem_of(a);
	y = stem_of(b);
	same = strcmp(x, y) == 0;
	free(y);
	free(x);
	return same;
}

/* ---- what differs inside ---------------------------------------------------------------------- */

/* Facts of the moment, what is told twice, and what is no condition of the speed. */
static bool is_noise(const cJSON *layer, const char *key)
{
	static const char *const site[] = { "tester", "party", "sponsor", "price", "notes",
	                                    "location" };

	if (strncmp(key, "now-", 4) == 0)
		return true;
	for (size_t i = 0; is_kind(layer, "site") && i < sizeof(site) / sizeof(*site); i++)
		if (strcmp(site[i], key) == 0)
			return true;
	/* The library is a mapped file with a digest. */
	return is_kind(layer, "operating-system") && strcmp(key, "libc") == 0;
}

static char *value_text(const cJSON *field)
{
	const cJSON *value = json_path(field, "value");

	if (field == NULL)
		return memory_text("(not recorded)");
	if (cJSON_IsString(value))
		return memory_text(value->valuestring[0] != '\0' ? value->valuestring : "(nothing)");
	return json_text(value, false);
}

/* A field that one record lacks came with another version of the program, unless there is a value
 * that says something. */
static void add_fields(text *t, const cJSON *a, const cJSON *b, bool reverse)
{
	const cJSON *field;

	cJSON_ArrayForEach(field, json_path(a, "fields")) {
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(json_path(b, "fields"),
		                                                     field->string);
		char *mine, *theirs;

		if (is_noise(a, field->string) || (reverse && other != NULL))
			continue;
		if (other == NULL && (strcmp(json_string(field, "source", ""), "unavailable") == 0 ||
		                      strcmp(json_string(field, "value", "?"), "") == 0))
			continue;
		if (other != NULL && cJSON_Compare(json_path(field, "value"), json_path(other, "value"),
		                                   true))
			continue;
		mine = value_text(field);
		theirs = value_text(other);
		text_add(t, "%s%s: %s -> %s", t->size > 0 ? "; " : "", field->string,
		         reverse ? theirs : mine, reverse ? mine : theirs);
		free(theirs);
		free(mine);
	}
}

static char *fields_text(const cJSON *a, const cJSON *b)
{
	const char *sha_a = json_string(a, "sha256", ""), *sha_b = json_string(b, "sha256", "");
	text t = { 0 };
	char *copy;

	/* Of two different things every field differs. */
	if (a != NULL && b != NULL && same_layer(a, b)) {
		if (strcmp(sha_a, sha_b) != 0 && sha_a[0] != '\0' && sha_b[0] != '\0')
			text_add(&t, "sha256: %.12s -> %.12s", sha_a, sha_b);
		add_fields(&t, a, b, false);
		add_fields(&t, b, a, true);
	}
	copy = memory_text(t.data != NULL ? t.data : "");
	text_free(&t);
	return copy;
}

static bool differs(const cJSON *a, const cJSON *b)
{
	char *fields;
	bool yes = strcmp(json_string(a, "version", ""), json_string(b, "version", "")) != 0 ||
	           strcmp(json_string(a, "name", ""), json_string(b, "name", "")) != 0;

	if (yes)
		return true;
	fields = fields_text(a, b);
	yes = fields[0] != '\0';
	free(fields);
	return yes;
}

static char *layer_words(const cJSON *layer)
{
	const char *version = json_string(layer, "version", "");
	/* Files carry their version in their name. */
	bool shown = version[0] != '\0' && !is_kind(layer, "mapped-object");

	return memory_format("%s%s%s", json_string(layer, "name", ""), shown ? " " : "",
	                     shown ? version : "");
}

static char *what_text(const cJSON *a, const cJSON *b)
{
	const char *kind = json_string(a != NULL ? a : b, "layer", "");
	const char *shown = strcmp(kind, "mapped-object") == 0 ? "file" : kind;
	char *x = a != NULL ? layer_words(a) : NULL, *y = b != NULL ? layer_words(b) : NULL, *all;

	if (x == NULL)
		all = memory_format("%s %s added", shown, y);
	else if (y == NULL)
		all = memory_format("%s %s removed", shown, x);
	else if (strcmp(x, y) == 0)
		all = memory_format("%s %s changed", shown, x);
	else
		all = memory_format("%s %s -> %s", shown, x, y);
	free(y);
	free(x);
	return all;
}

/* ---- pairing --------------------------------------------------------------------------------- */

static void add_change(stack_difference *d, const cJSON *a, const cJSON *b)
{
	stack_change *c;

	d->changes = memory_grow(d->changes, (d->change_count + 1) * sizeof(*d->changes));
	c = &d->changes[d->change_count++];
	*c = (stack_change){ .from = a, .to = b, .what = what_text(a, b), .fields = fields_text(a, b),
		             .owner = json_string(b != NULL ? b : a, "owner", "") };
}

typedef struct sides { const cJSON **a, **b; size_t a_count, b_count; } sides;

static size_t collect(const cJSON *record, const cJSON ***out)
{
	const cJSON *layers = json_path(record, "layers"), *layer;
	const cJSON **items = memory_get(((size_t)cJSON_GetArraySize(layers) + 1) * sizeof(*items));
	size_t count = 0;

	cJSON_ArrayForEach(layer, layers)
		if (counts(record, layer))
			items[count++] = layer;
	*out = items;
	return count;
}

/* First each with its namesake, in order; equal ones drop out. */
static void pair_names(stack_difference *d, const sides *s)
{
	for (size_t i = 0; i < s->a_count; i++)
		for (size_t k = 0; k < s->b_count; k++) {
			if (s->b[k] == NULL || !same_layer(s->a[i], s->b[k]))
				continue;
			if (differs(s->a[i], s->b[k]))
				add_change(d, s->a[i], s->b[k]);
			s->a[i] = NULL;
			s->b[k] = NULL;
			break;
		}
}

/* Then what is left with what stands in its place: the same kind. */
static void pair_kinds(stack_difference *d, const sides *s)
{
	for (size_t i = 0; i < s->a_count; i++)
		for (size_t k = 0; s->a[i] != NULL && k < s->b_count; k++) {
			if (s->b[k] == NULL || is_kind(s->a[i], "mapped-object") ||
			    !is_kind(s->b[k], json_string(s->a[i], "layer", "")))
				continue;
			add_change(d, s->a[i], s->b[k]);
			s->a[i] = NULL;
			s->b[k] = NULL;
		}
}

static void take_rest(stack_difference *d, const sides *s, bool brief)
{
	for (size_t i = 0; i < s->a_count; i++)
		if (s->a[i] != NULL && !(brief && is_kind(s->a[i], "mapped-object")))
			add_change(d, s->a[i], NULL);
	for (size_t k = 0; k < s->b_count; k++)
		if (s->b[k] != NULL && !(brief && is_kind(s->b[k], "mapped-object")))
			add_change(d, NULL, s->b[k]);
}

stack_difference *stacks_compare(const cJSON *a, const cJSON *b, bool brief)
{
	stack_difference *d = memory_get(sizeof(*d));
	sides s = { 0 };

	s.a_count = collect(a, &s.a);
	s.b_count = collect(b, &s.b);
	pair_names(d, &s);
	pair_kinds(d, &s);
	take_rest(d, &s, brief);
	free(s.a);
	free(s.b);
	grouping_make(d, a, b);
	return d;
}

void stacks_free(stack_difference *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->change_count; i++) {
		free(d->changes[i].what);
		free(d->changes[i].fields);
	}
	for (size_t i = 0; i < d->group_count; i++)
		free(d->groups[i].title);
	free(d->changes);
	free(d->groups);
	free(d);
}
