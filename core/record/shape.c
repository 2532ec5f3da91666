/* SPDX-License-Identifier: Apache-2.0 */
#include "record/shape.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool is_digits(const char *s)
{
	uint64_t value;

	return text_parse_uint(s, &value);
}

static bool is_uint(const cJSON *item)
{
	if ((item->type & 0xff) == cJSON_Number)
		return item->valuedouble >= 0 && item->valuedouble <= 0x1p53 &&
		       (double)(int64_t)item->valuedouble >= item->valuedouble;
	return cJSON_IsString(item) && is_digits(item->valuestring);
}

static bool is_int(const cJSON *item)
{
	return cJSON_IsNumber(item) && fabs(item->valuedouble) <= 0x1p31 &&
	       item->valuedouble == floor(item->valuedouble);
}

static bool is_sha256(const cJSON *item)
{
	return cJSON_IsString(item) && strlen(item->valuestring) == 64 &&
	       strspn(item->valuestring, "0123456789abcdef") == 64;
}

static bool is_word(const cJSON *item, const char *words)
{
	const char *s = words;
	size_t length;

	if (!cJSON_IsString(item))
		return false;
	length = strlen(item->valuestring);
	for (;;) {
		size_t word = strcspn(s, "|");

		if (word == length && memcmp(s, item->valuestring, word) == 0)
			return true;
		if (s[word] == '\0')
			return false;
		s += word + 1;
	}
}

static bool is_number(const cJSON *item)
{
	return cJSON_IsNumber(item) && isfinite(item->valuedouble);
}

static bool is_scalar(const cJSON *item)
{
	return cJSON_IsString(item) || cJSON_IsBool(item) || is_number(item);
}

static bool is_array_of(const cJSON *item, enum shape_kind kind)
{
	const cJSON *element;

	if (!cJSON_IsArray(item))
		return false;
	cJSON_ArrayForEach(element, item) {
		if (kind == SHAPE_TEXT ? !cJSON_IsString(element) :
		    kind == SHAPE_UINT ? !is_uint(element) : !is_number(element))
			return false;
	}
	return true;
}

static bool is_map_of(const cJSON *item, enum shape_kind kind)
{
	const cJSON *element;

	if (!cJSON_IsObject(item))
		return false;
	cJSON_ArrayForEach(element, item) {
		if (kind == SHAPE_TEXT ? !cJSON_IsString(element) :
		    kind == SHAPE_TEXTS ? !is_array_of(element, SHAPE_TEXT) :
		    kind == SHAPE_NUMBER ? !is_number(element) : !is_scalar(element))
			return false;
	}
	return true;
}

static const char *kind_words(enum shape_kind kind)
{
	switch (kind) {
	case SHAPE_TEXT: return "text";
	case SHAPE_WORD: return "one of";
	case SHAPE_BOOL: return "true or false";
	case SHAPE_NUMBER: return "a number";
	case SHAPE_UINT: return "a whole number that is not negative";
	case SHAPE_INT: return "a whole number";
	case SHAPE_SHA256: return "a SHA-256 of 64 hex digits";
	case SHAPE_SHA256_OR_EMPTY: return "a SHA-256 of 64 hex digits, or empty";
	case SHAPE_TEXTS: return "an array of texts";
	case SHAPE_UINTS: return "an array of whole numbers that are not negative";
	case SHAPE_NUMBERS: return "an array of numbers";
	case SHAPE_TEXT_MAP: return "an object of texts";
	case SHAPE_TEXTS_MAP: return "an object of arrays of texts";
	case SHAPE_OBJECT: return "an object";
	case SHAPE_OBJECTS: return "an array of objects";
	case SHAPE_MAP: return "an object of objects";
	case SHAPE_NUMBER_MAP: return "an object of numbers";
	case SHAPE_SCALAR_MAP: return "an object of texts, numbers, true or false";
	case SHAPE_SCALAR: return "text, a number, true or false";
	}
	return "something else";
}

static bool kind_holds(const cJSON *item, const shape *member)
{
	switch (member->kind) {
	case SHAPE_TEXT: return cJSON_IsString(item);
	case SHAPE_WORD: return is_word(item, member->words);
	case SHAPE_BOOL: return cJSON_IsBool(item);
	case SHAPE_NUMBER: return is_number(item);
	case SHAPE_UINT: return is_uint(item);
	case SHAPE_INT: return is_int(item);
	case SHAPE_SHA256: return is_sha256(item);
	case SHAPE_SHA256_OR_EMPTY:
		return is_sha256(item) || (cJSON_IsString(item) && item->valuestring[0] == '\0');
	case SHAPE_TEXTS: return is_array_of(item, SHAPE_TEXT);
	case SHAPE_UINTS: return is_array_of(item, SHAPE_UINT);
	case SHAPE_NUMBERS: return is_array_of(item, SHAPE_NUMBER);
	case SHAPE_TEXT_MAP: return is_map_of(item, SHAPE_TEXT);
	case SHAPE_TEXTS_MAP: return is_map_of(item, SHAPE_TEXTS);
	case SHAPE_OBJECT:
	case SHAPE_MAP: return cJSON_IsObject(item);
	case SHAPE_OBJECTS: return cJSON_IsArray(item);
	case SHAPE_NUMBER_MAP: return is_map_of(item, SHAPE_NUMBER);
	case SHAPE_SCALAR_MAP: return is_map_of(item, SHAPE_SCALAR);
	case SHAPE_SCALAR: return is_scalar(item);
	}
	return false;
}

/* Text from the file in a message: short, and without what a terminal would obey. */
static void quote(const char *s, char out[48])
{
	size_t i;

	for (i = 0; i < 40 && s[i] != '\0'; i++)
		out[i] = (unsigned char)s[i] < 0x20 || s[i] == 0x7f ? '?' : s[i];
	out[i] = '\0';
	if (s[i] != '\0')
		memcpy(out + i, "...", 4);
}

/* A step of a member's path; spelt out only where there is something to say. */
typedef struct step {
	const struct step *above;
	const char *text;  /* a member's name, or the place the check began at                */
	size_t index;      /* of an element, where text is NULL                                */
} step;

static void spell(const step *at, text *out)
{
	char key[48];

	if (at->above != NULL)
		spell(at->above, out);
	if (at->text == NULL) {
		text_add(out, "[%zu]", at->index);
		return;
	}
	/* The first is our own text. */
	if (at->above == NULL) {
		text_add(out, "%s", at->text);
		return;
	}
	quote(at->text, key);
	text_add(out, "%s%s", out->size > 0 ? "." : "", key);
}

__attribute__((format(printf, 4, 5)))
static eh_status refuse(const char *name, const step *at, eh_error *error, const char *format, ...)
{
	text place = { 0 };
	text words = { 0 };
	char sentence[256];
	va_list args;

	spell(at, &place);
	va_start(args, format);
	(void)vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	text_add(&words, "%s %s", place.size > 0 ? place.data : "the whole", sentence);
	(void)error_set(error, EH_E_FORMAT, "%s: %s", name, words.data);
	text_free(&words);
	text_free(&place);
	return EH_E_FORMAT;
}

static eh_status check_object(const cJSON *item, const shape *members, const char *name,
                              const step *at, eh_error *error);

static eh_status check_member(const cJSON *item, const shape *member, const char *name,
                              const step *at, eh_error *error)
{
	const cJSON *element;
	step inner = { at, NULL, 0 };

	if (!kind_holds(item, member))
		return refuse(name, at, error, "is not %s%s%s", kind_words(member->kind),
		              member->kind == SHAPE_WORD ? " " : "",
		              member->kind == SHAPE_WORD ? member->words : "");
	if (member->kind == SHAPE_OBJECT)
		return check_object(item, member->inner, name, at, error);
	if (member->kind != SHAPE_OBJECTS && member->kind != SHAPE_MAP)
		return EH_OK;
	cJSON_ArrayForEach(element, item) {
		eh_status status;

		inner.text = member->kind == SHAPE_MAP ? element->string : NULL;
		status = check_object(element, member->inner, name, &inner, error);
		if (status != EH_OK)
			return status;
		inner.index++;
	}
	return EH_OK;
}

static bool is_named(const shape *m, const char *name)
{
	return m->key[0] == name[0] && strcmp(m->key, name) == 0;
}

/* The members in the table's order; what is in nobody's table is refused. */
static eh_status find_members(const cJSON *item, const shape *members, const cJSON **found,
                              const char *name, const step *at, eh_error *error)
{
	const shape *m = members;
	const cJSON *child;

	cJSON_ArrayForEach(child, item) {
		const shape *from = m;

		/* They mostly stand in the table's order. */
		while (m->key != NULL && !is_named(m, child->string))
			m++;
		if (m->key == NULL)
			for (m = members; m < from && !is_named(m, child->string); m++)
				;
		if (m->key == NULL || (m == from && !is_named(m, child->string))) {
			step inner = { at, child->string, 0 };

			return refuse(name, &inner, error, "is not part of the format");
		}
		found[m - members] = child;
		m++;
	}
	return EH_OK;
}

static eh_status check_object(const cJSON *item, const shape *members, const char *name,
                              const step *at, eh_error *error)
{
	const cJSON *found[SHAPE_MEMBERS_MAX] = { NULL };
	step inner = { at, NULL, 0 };
	const shape *m;
	eh_status status;

	if (!cJSON_IsObject(item))
		return refuse(name, at, error, "is not an object");
	status = find_members(item, members, found, name, at, error);
	for (m = members; m->key != NULL && status == EH_OK; m++) {
		const cJSON *child = found[m - members];

		inner.text = m->key;
		if (child != NULL)
			status = check_member(child, m, name, &inner, error);
		else if (!m->optional)
			status = refuse(name, &inner, error, "is missing");
	}
	return status;
}

eh_status shape_check(const cJSON *item, const shape *members, const char *name, const char *place,
                      eh_error *error)
{
	step root = { NULL, place, 0 };

	return check_object(item, members, name, &root, error);
}
