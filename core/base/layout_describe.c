/* SPDX-License-Identifier: Apache-2.0 */
#include "base/layout_describe.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* ---- what a layout holds --------------------------------------------------------------------- */

/* The layouts and enums in use, each once, in the order of first use. */
typedef struct collection {
	const layout **layouts;
	size_t layout_count;
	const layout_words **words;
	size_t word_count;
} collection;

static bool take(const void ***list, size_t *count, const void *one)
{
	for (size_t i = 0; i < *count; i++)
		if ((*list)[i] == one)
			return false;
	*list = memory_grow(*list, (*count + 1) * sizeof(**list));
	(*list)[(*count)++] = one;
	return true;
}

static void collect(collection *c, const layout *l)
{
	if (!take((const void ***)(void *)&c->layouts, &c->layout_count, l))
		return;
	for (size_t i = 0; i < l->count; i++) {
		if (l->fields[i].words != NULL)
			(void)take((const void ***)(void *)&c->words, &c->word_count,
			           l->fields[i].words());
		if (l->fields[i].inner != NULL)
			collect(c, l->fields[i].inner());
	}
}

static void collection_free(collection *c)
{
	free(c->layouts);
	free(c->words);
}

/* ---- JSON Schema ----------------------------------------------------------------------------- */

static cJSON *refer(const char *name)
{
	cJSON *out = cJSON_CreateObject();
	char *path = memory_format("#/$defs/%s", name);

	json_add_string(out, "$ref", path);
	free(path);
	return out;
}

static cJSON *typed(const char *type)
{
	cJSON *out = cJSON_CreateObject();

	json_add_string(out, "type", type);
	return out;
}

static cJSON *array_of(cJSON *items)
{
	cJSON *out = typed("array");

	json_set(out, "items", items);
	return out;
}

static cJSON *map_of(cJSON *values)
{
	cJSON *out = typed("object");

	json_set(out, "additionalProperties", values);
	return out;
}

static cJSON *scalar_schema(void)
{
	cJSON *out = cJSON_CreateObject();
	cJSON *types = json_add_array(out, "type");

	json_append_string(types, "string");
	json_append_string(types, "number");
	json_append_string(types, "boolean");
	return out;
}

static cJSON *words_schema(const layout_words *words)
{
	cJSON *out = cJSON_CreateObject();
	cJSON *list = json_add_array(out, "enum");

	for (size_t i = 0; i < words->count; i++)
		json_append_string(list, words->items[i].word);
	return out;
}

static cJSON *field_schema(const layout_field *f)
{
	switch (f->kind) {
	case LAYOUT_TEXT: return typed("string");
	case LAYOUT_SHA256: return refer("sha256");
	case LAYOUT_SHA256_OR_EMPTY: return refer("sha256-or-empty");
	case LAYOUT_BOOL:
	case LAYOUT_MAYBE: return typed("boolean");
	case LAYOUT_NUMBER: return typed("number");
	case LAYOUT_UINT: return refer("uint");
	case LAYOUT_INT: return refer("int");
	case LAYOUT_SCALAR: return scalar_schema();
	case LAYOUT_WORD: return words_schema(f->words());
	case LAYOUT_WORDS: return array_of(words_schema(f->words()));
	case LAYOUT_TEXTS: return array_of(typed("string"));
	case LAYOUT_UINTS: return array_of(refer("uint"));
	case LAYOUT_NUMBERS: return array_of(typed("number"));
	case LAYOUT_TEXT_MAP: return map_of(typed("string"));
	case LAYOUT_NUMBER_MAP: return map_of(typed("number"));
	case LAYOUT_TEXTS_MAP: return map_of(array_of(typed("string")));
	case LAYOUT_OBJECT: return refer(f->inner()->name);
	case LAYOUT_LIST: return array_of(refer(f->inner()->name));
	case LAYOUT_MAP: return map_of(refer(f->inner()->name));
	}
	return cJSON_CreateObject();
}

static void fill_object(cJSON *out, const layout *l)
{
	cJSON *required, *properties;

	json_add_string(out, "description", l->sentence);
	json_add_string(out, "type", "object");
	required = json_add_array(out, "required");
	properties = json_add_object(out, "properties");
	for (size_t i = 0; i < l->count; i++) {
		const layout_field *f = &l->fields[i];
		cJSON *schema = field_schema(f);

		json_add_string(schema, "description", f->sentence);
		json_set(properties, f->key, schema);
		if (!f->optional)
			json_append_string(required, f->key);
	}
	json_add_bool(out, "additionalProperties", false);
}

static const char plain_definitions[] =
	"{\"uint\":{\"description\":\"A whole number of 64 bits that is not negative: a number up to "
	"2^53, digits above.\",\"oneOf\":[{\"type\":\"integer\",\"minimum\":0,\"maximum\":"
	"9007199254740992},{\"type\":\"string\",\"pattern\":\"^[1-9][0-9]{15,19}$\"}]},"
	"\"int\":{\"type\":\"integer\",\"minimum\":-2147483647,\"maximum\":2147483647},"
	"\"sha256\":{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{64}$\"},"
	"\"sha256-or-empty\":{\"type\":\"string\",\"pattern\":\"^([0-9a-f]{64})?$\"}}";

cJSON *layout_schema(const layout *root, const char *title)
{
	cJSON *out = cJSON_CreateObject();
	cJSON *definitions = cJSON_Parse(plain_definitions);
	collection c = { 0 };

	collect(&c, root);
	json_add_string(out, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_add_string(out, "title", title);
	fill_object(out, root);
	for (size_t i = 1; i < c.layout_count; i++)
		fill_object(json_add_object(definitions, c.layouts[i]->name), c.layouts[i]);
	json_set(out, "$defs", definitions);
	collection_free(&c);
	return out;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static const char *kind_name(const layout_field *f)
{
	switch (f->kind) {
	case LAYOUT_TEXT: return "text";
	case LAYOUT_SHA256: return "SHA-256";
	case LAYOUT_SHA256_OR_EMPTY: return "SHA-256 or empty";
	case LAYOUT_BOOL:
	case LAYOUT_MAYBE: return "bool";
	case LAYOUT_NUMBER: return "number";
	case LAYOUT_UINT: return "uint";
	case LAYOUT_INT: return "int";
	case LAYOUT_SCALAR: return "text, number or bool";
	case LAYOUT_TEXTS: return "texts";
	case LAYOUT_UINTS: return "uints";
	case LAYOUT_NUMBERS: return "numbers";
	case LAYOUT_TEXT_MAP: return "texts by name";
	case LAYOUT_NUMBER_MAP: return "numbers by name";
	case LAYOUT_TEXTS_MAP: return "lists of texts by name";
	default: return "";
	}
}

static void add_link(text *out, const char *name, const char *after)
{
	text_add(out, "[%s](#%s)%s", name, name, after);
}

static void add_kind(text *out, const layout_field *f)
{
	switch (f->kind) {
	case LAYOUT_WORD: add_link(out, f->words()->name, ""); break;
	case LAYOUT_WORDS: add_link(out, f->words()->name, " list"); break;
	case LAYOUT_OBJECT: add_link(out, f->inner()->name, ""); break;
	case LAYOUT_LIST: add_link(out, f->inner()->name, " list"); break;
	case LAYOUT_MAP: add_link(out, f->inner()->name, " by name"); break;
	default: text_add(out, "%s", kind_name(f));
	}
}

static void add_layout(text *out, const layout *l)
{
	text_add(out, "### %s\n\n%s\n\n| member | type | unit | | meaning |\n|---|---|---|---|---|\n",
	         l->name, l->sentence);
	for (size_t i = 0; i < l->count; i++) {
		const layout_field *f = &l->fields[i];

		text_add(out, "| `%s` | ", f->key);
		add_kind(out, f);
		text_add(out, " | %s | %s | %s |\n", f->unit, f->optional ? "optional" : "", f->sentence);
	}
	text_add(out, "\n");
}

static void add_words(text *out, const layout_words *words)
{
	text_add(out, "### %s\n\n%s\n\n| word | meaning |\n|---|---|\n", words->name, words->sentence);
	for (size_t i = 0; i < words->count; i++)
		text_add(out, "| `%s` | %s |\n", words->items[i].word, words->items[i].sentence);
	text_add(out, "\n");
}

void layout_markdown(const layout *const *roots, text *out)
{
	collection c = { 0 };

	for (; *roots != NULL; roots++)
		collect(&c, *roots);
	for (size_t i = 0; i < c.layout_count; i++)
		add_layout(out, c.layouts[i]);
	for (size_t i = 0; i < c.word_count; i++)
		add_words(out, c.words[i]);
	collection_free(&c);
}
