/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables whose names occur in the objects of the stack. */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "executor/configuration.h"
#include "executor/layer.h"
#include "executor/unrecorded.h"

enum { VALUE_MAX = 4096 };

typedef struct variable { char *name; const char *value; text_list readers; } variable;

struct configvariables { variable *items; size_t count; };

/* ---- which may be recorded ------------------------------------------------------------------- */

static bool is_name(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	return name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const variable *)a)->name, ((const variable *)b)->name);
}

/* As getenv has it: of two variables with one name the first. */
static bool is_first(const char *const *environment, const char *name, const char *value)
{
	return configuration_variable(environment, name) == value;
}

configvariables *configvariables_new(const char *const *environment, needles *n)
{
	configvariables *v = memory_get(sizeof(*v));

	for (size_t i = 0; environment[i] != NULL; i++) {
		const char *equals = strchr(environment[i], '=');
		char *name = memory_format("%.*s", (int)strcspn(environment[i], "="), environment[i]);

		if (equals == NULL || !is_name(name) || !is_first(environment, name, equals + 1) ||
		    unrecorded_reason(UNRECORDED_VARIABLE, name) != NULL) {
			free(name);
			continue;
		}
		v->items = memory_grow(v->items, (v->count + 1) * sizeof(*v->items));
		v->items[v->count++] = (variable){ name, equals + 1, { 0 } };
	}
	if (v->count > 0)
		qsort(v->items, v->count, sizeof(*v->items), by_name);
	for (size_t i = 0; i < v->count; i++)
		needles_add(n, v->items[i].name, NEEDLE_NAME, i);
	return v;
}

void configvariables_free(configvariables *v)
{
	for (size_t i = 0; i < v->count; i++) {
		free(v->items[i].name);
		text_list_clear(&v->items[i].readers);
	}
	free(v->items);
	free(v);
}

/* ---- which are read -------------------------------------------------------------------------- */

void configvariables_hit(configvariables *v, size_t tag, const configuration_object *object)
{
	variable *one = &v->items[tag];

	if (!text_list_has(&one->readers, object->name) &&
	    !(object->program && unrecorded_reason(UNRECORDED_PROGRAM, one->name) != NULL))
		text_list_add(&one->readers, object->name);
}

void configvariables_pieces(configvariables *v, const configuration_object *object)
{
	for (size_t i = 0; i < v->count; i++)
		if (unrecorded_in_pieces(object->name, v->items[i].name))
			configvariables_hit(v, i, object);
}

void configvariables_visit(const configvariables *v, configvariables_each *each, void *context)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->items[i].readers.count > 0)
			each(context, v->items[i].name, v->items[i].value, &v->items[i].readers);
}

/* ---- their values ---------------------------------------------------------------------------- */

static bool is_secret(const char *name)
{
	return text_matches("*TOKEN*, *KEY*, *PASSWORD*, *PASSWD*, *PASSPHRASE*, *SECRET*, *CREDENTIAL*",
	                    name);
}

/* Whether a record can hold it, and people can read it. */
static bool is_plain(const char *value)
{
	size_t size = strlen(value), step;

	for (size_t i = 0; i < size; i += step) {
		step = text_utf8_size(value + i, size - i);
		if (step == 0 || (unsigned char)value[i] < ' ' || value[i] == 0x7f)
			return false;
	}
	return size <= VALUE_MAX;
}

/* malloc'd: the value, or its digest. */
static char *value_text(const variable *v)
{
	char hex[65];

	if (!is_secret(v->name) && is_plain(v->value))
		return memory_text(v->value);
	digest_bytes(v->value, strlen(v->value), hex);
	return memory_format("sha256:%s", hex);
}

typedef struct adding { const char *const *initial; record_layer_list *layers; } adding;

static void add_one(void *context, const char *name, const char *value, const text_list *readers)
{
	const adding *a = context;
	const char *before = configuration_variable(a->initial, name);
	const variable one = { (char *)(uintptr_t)name, value, { 0 } };
	record_layer *layer = configuration_layer(a->layers, name, readers);
	char *shown = value_text(&one);

	layer_text(layer, "value", shown, RECORD_SOURCE_MEASURED);
	if (before == NULL || strcmp(before, value) != 0)
		layer_text(layer, "set-by", "worker", RECORD_SOURCE_MEASURED);
	free(shown);
}

void configvariables_add(const configvariables *v, const char *const *initial,
                         record_layer_list *layers)
{
	adding a = { initial, layers };

	configvariables_visit(v, add_one, &a);
}
