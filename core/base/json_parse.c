/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of JSON's grammar that makes cJSON's trees.  cJSON's own lets much pass: raw
 * control characters, "01", "1.", "-", U+0000 that cuts a string, unpaired surrogates, numbers cut
 * after 63 characters; and takes most of the time that reading a large result takes. */
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/text.h"

enum { LEVELS_MAX = 64, FEW_MEMBERS = 32 };

eh_status scan_refuse(const scan *s, const char *what)
{
	size_t line = 1, column = 1;

	for (const char *p = s->text; p < s->at; p++) {
		if (*p == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)*p & 0xc0) != 0x80) {
			column++;
		}
	}
	return error_set(s->error, EH_E_FORMAT, "%s:%zu:%zu: %s", s->name, line, column, what);
}

static void skip_space(scan *s)
{
	/* Mostly there is none. */
	if (s->at < s->end && (unsigned char)*s->at > ' ')
		return;
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
		s->at++;
}

void *scan_get(const scan *s, size_t size)
{
	if (s->arena != NULL)
		return json_arena_raw(s->arena, size);
	/* cJSON_Delete frees it. */
	return memory_grow(NULL, size);
}

static cJSON *new_node(scan *s)
{
	cJSON *item = s->build ? scan_get(s, sizeof(*item)) : &s->spare;

	*item = (cJSON){ 0 };
	return item;
}

/* ---- objects and arrays ---------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *duplicate_of_many(const cJSON *object, size_t count)
{
	const char **names = memory_get(count * sizeof(*names));
	const char *found = NULL;
	const cJSON *member;
	size_t i = 0;

	cJSON_ArrayForEach(member, object)
		names[i++] = member->string;
	qsort(names, count, sizeof(*names), by_text);
	for (i = 1; i < count && found == NULL; i++)
		if (strcmp(names[i - 1], names[i]) == 0)
			found = names[i];
	free(names);
	return found;
}

/* The name of a member that the object has twice, or NULL. */
static const char *duplicate_in(const cJSON *object, size_t count)
{
	const cJSON *a, *b;

	if (count > FEW_MEMBERS)
		return duplicate_of_many(object, count);
	for (a = object->child; a != NULL; a = a->next)
		for (b = a->next; b != NULL; b = b->next)
			if (a->string[0] == b->string[0] && strcmp(a->string, b->string) == 0)
				return a->string;
	return NULL;
}

static eh_status read_value(scan *s, int level, cJSON *item);

static eh_status read_name(scan *s, cJSON *item)
{
	eh_status status;

	skip_space(s);
	if (s->at == s->end || *s->at != '"')
		return scan_refuse(s, "a member's name in quotes is missing");
	status = scan_string(s, &item->string);
	if (status != EH_OK)
		return status;
	skip_space(s);
	return scan_take(s, ':') ? EH_OK : scan_refuse(s, "':' is missing");
}

static eh_status refuse_twice(const scan *s, const cJSON *object, size_t count)
{
	const char *twice = s->build ? duplicate_in(object, count) : NULL;

	if (twice == NULL)
		return EH_OK;
	return error_set(s->error, EH_E_FORMAT, "%s: the member \"%.80s\" is there twice in one object",
	                 s->name, twice);
}

/* The names of an object so far: a name whose bit is not set is new. */
typedef struct names { uint64_t bits; size_t count; bool twice; } names;

static uint64_t bit_of(const char *name, size_t size)
{
	uint64_t mixed = size;

	for (size_t i = 0; i < 3 && name[i] != '\0'; i++)
		mixed = mixed << 8 | (unsigned char)name[i];
	return UINT64_C(1) << (mixed * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

static void names_add(names *n, const cJSON *object, const cJSON *member, size_t size)
{
	const char *name = member->string;
	uint64_t bit;
	const cJSON *other;

	if (name == NULL || ++n->count > FEW_MEMBERS || n->twice)
		return;
	bit = bit_of(name, size);
	if (n->bits & bit)
		for (other = object->child; other != member && !n->twice; other = other->next)
			n->twice = other->string[0] == name[0] && strcmp(other->string, name) == 0;
	n->bits |= bit;
}

static eh_status read_children(scan *s, int level, char close, cJSON *parent)
{
	names seen = { 0 };
	cJSON *last = NULL;
	eh_status status;

	if (level >= LEVELS_MAX)
		return scan_refuse(s, "more than 64 levels");
	s->at++;
	parent->type |= close == '}' ? cJSON_Object : cJSON_Array;
	skip_space(s);
	if (scan_take(s, close))
		return EH_OK;
	for (;;) {
		cJSON *child = new_node(s);

		/* Linked at once, so that deleting the root deletes it; cJSON keeps the last child
		 * in the first one's prev. */
		if (s->build) {
			child->prev = last;
			if (last == NULL)
				parent->child = child;
			else
				last->next = child;
			parent->child->prev = child;
			last = child;
		}
		status = EH_OK;
		if (close == '}') {
			status = read_name(s, child);
			if (status == EH_OK)
				names_add(&seen, parent, child, s->size);
		}
		if (status == EH_OK)
			status = read_value(s, level + 1, child);
		if (status != EH_OK)
			return status;
		skip_space(s);
		if (scan_take(s, close))
			return seen.twice || seen.count > FEW_MEMBERS ?
			       refuse_twice(s, parent, seen.count) : EH_OK;
		if (!scan_take(s, ','))
			return scan_refuse(s, close == '}' ? "',' or '}' is missing" : "',' or ']' is missing");
	}
}

static bool take_word(scan *s, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(s->end - s->at) < size || memcmp(s->at, word, size) != 0)
		return false;
	s->at += size;
	return true;
}

static eh_status read_value(scan *s, int level, cJSON *item)
{
	skip_space(s);
	if (s->at == s->end)
		return scan_refuse(s, "a value is missing");
	if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9'))
		return scan_number(s, item);
	if (*s->at == '{')
		return read_children(s, level, '}', item);
	if (*s->at == '[')
		return read_children(s, level, ']', item);
	if (*s->at == '"') {
		item->type |= cJSON_String;
		return scan_string(s, &item->valuestring);
	}
	if (take_word(s, "true"))
		item->type |= cJSON_True;
	else if (take_word(s, "false"))
		item->type |= cJSON_False;
	else if (take_word(s, "null"))
		item->type |= cJSON_NULL;
	else
		return scan_refuse(s, "this is not a JSON value");
	return EH_OK;
}

static eh_status read_whole(scan *s, int level, cJSON **out)
{
	cJSON *item = new_node(s);
	eh_status status = read_value(s, level, item);

	if (status == EH_OK) {
		skip_space(s);
		if (s->at != s->end)
			status = scan_refuse(s, "there is text after the value");
	}
	if (status != EH_OK && s->build && s->arena == NULL)
		cJSON_Delete(item);
	else if (status == EH_OK)
		*out = item;
	return status;
}

eh_status json_check(const char *given, size_t size, const char *name, eh_error *error)
{
	scan s = { .text = given, .end = given + size, .at = given, .name = name, .error = error };
	cJSON *none;

	return read_whole(&s, 0, &none);
}

eh_status json_parse(const char *given, size_t size, const char *name, cJSON **out, eh_error *error)
{
	scan s = { .text = given, .end = given + size, .at = given, .name = name, .error = error,
		   .build = true };

	return read_whole(&s, 0, out);
}

eh_status json_parse_part(json_arena *arena, const char *given, json_span part, int level,
                          const char *name, cJSON **out, eh_error *error)
{
	scan s = { .text = given, .end = given + part.end, .at = given + part.start, .name = name,
		   .error = error, .build = true, .arena = arena };

	return read_whole(&s, level, out);
}
