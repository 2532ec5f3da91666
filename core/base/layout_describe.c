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

static void put_words(text *out, const layout_words *words)
{
	text_add(out, "\"enum\":");
	for (size_t i = 0; i < words->count; i++)
		text_add(out, "%s\"%s\"", i > 0 ? "," : "[", words->items[i].word);
	text_add(out, "]");
}

static void put_type(text *out, const char *type)
{
	text_add(out, "\"type\":\"%s\"", type);
}

static void put_reference(text *out, const char *name)
{
	text_add(out, "\"$ref\":\"#/$defs/%s\"", name);
}

/* The schema of one value of the field, without braces. */
static void put_value(text *out, const layout_field *f)
{
	switch (f->kind) {
	case LAYOUT_TEXT:
	case LAYOUT_TEXTS:
	case LAYOUT_TEXT_MAP: put_type(out, "string"); break;
	case LAYOUT_SHA256: put_reference(out, "sha256"); break;
	case LAYOUT_SHA256_OR_EMPTY: put_reference(out, "sha256-or-empty"); break;
	case LAYOUT_BOOL:
	case LAYOUT_MAYBE: put_type(out, "boolean"); break;
	case LAYOUT_NUMBER:
	case LAYOUT_NUMBERS:
	case LAYOUT_NUMBER_MAP: put_type(out, "number"); break;
	case LAYOUT_UINT:
	case LAYOUT_UINTS: put_reference(out, "uint"); break;
	case LAYOUT_INT: put_reference(out, "int"); break;
	case LAYOUT_SCALAR: text_add(out, "\"type\":[\"string\",\"number\",\"boolean\"]"); break;
	case LAYOUT_WORD:
	case LAYOUT_WORDS: put_words(out, f->words()); break;
	case LAYOUT_TEXTS_MAP: text_add(out, "\"type\":\"array\",\"items\":{\"type\":\"string\"}"); break;
	case LAYOUT_OBJECT:
	case LAYOUT_LIST:
	case LAYOUT_MAP: put_reference(out, f->inner()->name); break;
	}
}

/* What a field has around its values; NULL for nothing. */
static const char *container_of(enum layout_kind kind)
{
	switch (kind) {
	case LAYOUT_WORDS:
	case LAYOUT_TEXTS:
	case LAYOUT_UINTS:
	case LAYOUT_NUMBERS:
	case LAYOUT_LIST: return "\"type\":\"array\",\"items\":{";
	case LAYOUT_TEXT_MAP:
	case LAYOUT_NUMBER_MAP:
	case LAYOUT_TEXTS_MAP:
	case LAYOUT_MAP: return "\"type\":\"object\",\"additionalProperties\":{";
	default: return NULL;
	}
}

static void put_field(text *out, const layout_field *f)
{
	const char *container = container_of(f->kind);

	text_add(out, "\"%s\":{%s", f->key, container != NULL ? container : "");
	put_value(out, f);
	text_add(out, "%s,\"description\":", container != NULL ? "}" : "");
	json_put_string(out, f->sentence);
	text_add(out, "}");
}

/* The schema of an object, without braces. */
static void put_object(text *out, const layout *l)
{
	const char *between = "";

	text_add(out, "\"description\":");
	json_put_string(out, l->sentence);
	text_add(out, ",\"type\":\"object\",\"required\":[");
	for (size_t i = 0; i < l->count; i++) {
		if (l->fields[i].optional)
			continue;
		text_add(out, "%s\"%s\"", between, l->fields[i].key);
		between = ",";
	}
	text_add(out, "],\"properties\":{");
	for (size_t i = 0; i < l->count; i++) {
		text_add(out, i > 0 ? "," : "");
		put_field(out, &l->fields[i]);
	}
	text_add(out, "},\"additionalProperties\":false");
}

static const char plain_definitions[] =
	"\"uint\":{\"description\":\"A whole number of 64 bits that is not negative: a number up to "
	"2^53, digits above.\",\"oneOf\":[{\"type\":\"integer\",\"minimum\":0,\"maximum\":"
	"9007199254740992},{\"type\":\"string\",\"pattern\":\"^[1-9][0-9]{15,19}$\"}]},"
	"\"int\":{\"type\":\"integer\",\"minimum\":-2147483647,\"maximum\":2147483647},"
	"\"sha256\":{\"type\":\"string\",\"pattern\":\"^[0-9a-f]{64}$\"},"
	"\"sha256-or-empty\":{\"type\":\"string\",\"pattern\":\"^([0-9a-f]{64})?$\"}";

char *layout_schema(const layout *root, const char *title)
{
	collection c = { 0 };
	text out = { 0 };
	char *indented;

	collect(&c, root);
	text_add(&out, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"%s\",",
	         title);
	put_object(&out, root);
	text_add(&out, ",\"$defs\":{%s", plain_definitions);
	for (size_t i = 1; i < c.layout_count; i++) {
		text_add(&out, ",\"%s\":{", c.layouts[i]->name);
		put_object(&out, c.layouts[i]);
		text_add(&out, "}");
	}
	text_add(&out, "}}");
	indented = json_indent(out.data);
	text_free(&out);
	collection_free(&c);
	return indented;
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

/* ---- tables in JSON -------------------------------------------------------------------------- */

static const char *kind_key(enum layout_kind kind)
{
	switch (kind) {
	case LAYOUT_TEXT: return "text";
	case LAYOUT_SHA256: return "sha256";
	case LAYOUT_SHA256_OR_EMPTY: return "sha256-or-empty";
	case LAYOUT_BOOL: return "bool";
	case LAYOUT_MAYBE: return "maybe";
	case LAYOUT_NUMBER: return "number";
	case LAYOUT_UINT: return "uint";
	case LAYOUT_INT: return "int";
	case LAYOUT_SCALAR: return "scalar";
	case LAYOUT_WORD: return "word";
	case LAYOUT_WORDS: return "words";
	case LAYOUT_TEXTS: return "texts";
	case LAYOUT_UINTS: return "uints";
	case LAYOUT_NUMBERS: return "numbers";
	case LAYOUT_TEXT_MAP: return "text-map";
	case LAYOUT_NUMBER_MAP: return "number-map";
	case LAYOUT_TEXTS_MAP: return "texts-map";
	case LAYOUT_OBJECT: return "object";
	case LAYOUT_LIST: return "list";
	case LAYOUT_MAP: return "map";
	}
	return "";
}

static void table_field(text *out, const layout_field *f)
{
	const char *of = f->words != NULL ? f->words()->name : f->inner != NULL ? f->inner()->name : "";

	text_add(out, "\"%s\": {\"kind\": \"%s\", \"of\": \"%s\", \"need\": \"%s\", \"unit\": \"%s\", \"since\": %u, "
	         "\"sentence\": ", f->key, kind_key(f->kind), of, f->optional ? "may" : "must", f->unit, f->since);
	json_put_string(out, f->sentence);
	text_add(out, "}");
}

static void table_layout(text *out, const layout *l)
{
	text_add(out, "\"%s\": {\"sentence\": ", l->name);
	json_put_string(out, l->sentence);
	text_add(out, ", \"members\": {");
	for (size_t i = 0; i < l->count; i++) {
		text_add(out, "%s\n", i > 0 ? "," : "");
		table_field(out, &l->fields[i]);
	}
	text_add(out, "}}");
}

static void table_words(text *out, const layout_words *words)
{
	text_add(out, "\"%s\": {", words->name);
	for (size_t i = 0; i < words->count; i++) {
		text_add(out, "%s\n\"%s\": ", i > 0 ? "," : "", words->items[i].word);
		json_put_string(out, words->items[i].sentence);
	}
	text_add(out, "}");
}

void layout_tables(const layout *const *roots, text *out)
{
	collection c = { 0 };

	for (; *roots != NULL; roots++)
		collect(&c, *roots);
	text_add(out, "\"structs\": {");
	for (size_t i = 0; i < c.layout_count; i++) {
		text_add(out, "%s\n", i > 0 ? "," : "");
		table_layout(out, c.layouts[i]);
	}
	text_add(out, "},\n\"words\": {");
	for (size_t i = 0; i < c.word_count; i++) {
		text_add(out, "%s\n", i > 0 ? "," : "");
		table_words(out, c.words[i]);
	}
	text_add(out, "}");
	collection_free(&c);
}
