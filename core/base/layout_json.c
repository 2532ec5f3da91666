/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding and encoding structs by their layout. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/layout.h"
#include "base/layout_inside.h"
#include "base/text.h"

/* ---- places ---------------------------------------------------------------------------------- */

/* A step of a member's path.  The path becomes text only for a message. */
typedef struct step {
	const struct step *above;
	const char *key;   /* a member's name, or the place of the root; NULL for an element   */
	size_t index;      /* the element's index                                              */
} step;

typedef struct decoder {
	const char *name;
	eh_error *error;
} decoder;

/* Makes text of a file fit for a message: short, without control characters. */
static void quote(const char *s, char out[48])
{
	size_t i;

	for (i = 0; i < 40 && s[i] != '\0'; i++)
		out[i] = (unsigned char)s[i] < 0x20 || s[i] == 0x7f ? '?' : s[i];
	out[i] = '\0';
	if (s[i] != '\0')
		memcpy(out + i, "...", 4);
}

static void spell(const step *at, text *out)
{
	char key[48];

	if (at->above != NULL)
		spell(at->above, out);
	if (at->key == NULL) {
		text_add(out, "[%zu]", at->index);
	} else if (at->above == NULL) {
		text_add(out, "%s", at->key);
	} else {
		quote(at->key, key);
		text_add(out, "%s%s", out->size > 0 ? "." : "", key);
	}
}

__attribute__((format(printf, 3, 4)))
static eh_status refuse(const decoder *d, const step *at, const char *format, ...)
{
	text place = { 0 };
	char sentence[512];
	va_list args;

	spell(at, &place);
	va_start(args, format);
	(void)vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	(void)error_set(d->error, EH_E_FORMAT, "%s: %s %s", d->name,
	                place.size > 0 ? place.data : "the whole", sentence);
	text_free(&place);
	return EH_E_FORMAT;
}

static const char *kind_words(enum layout_kind kind)
{
	switch (kind) {
	case LAYOUT_TEXT: return "text";
	case LAYOUT_SHA256: return "a SHA-256 of 64 hex digits";
	case LAYOUT_SHA256_OR_EMPTY: return "a SHA-256 of 64 hex digits, or empty";
	case LAYOUT_BOOL:
	case LAYOUT_MAYBE: return "true or false";
	case LAYOUT_NUMBER: return "a number";
	case LAYOUT_UINT: return "a whole number that is not negative";
	case LAYOUT_INT: return "a whole number";
	case LAYOUT_SCALAR: return "text, a number, true or false";
	case LAYOUT_WORD:
	case LAYOUT_WORDS: return "one of";
	case LAYOUT_TEXTS: return "an array of texts";
	case LAYOUT_UINTS: return "an array of whole numbers that are not negative";
	case LAYOUT_NUMBERS: return "an array of numbers";
	case LAYOUT_TEXT_MAP: return "an object of texts";
	case LAYOUT_NUMBER_MAP: return "an object of numbers";
	case LAYOUT_TEXTS_MAP: return "an object of arrays of texts";
	case LAYOUT_OBJECT: return "an object";
	case LAYOUT_LIST: return "an array of objects";
	case LAYOUT_MAP: return "an object of objects";
	}
	return "";
}

/* "is not one of portable|tuned|vendor". */
static eh_status refuse_kind(const decoder *d, const layout_field *f, const step *at)
{
	text words = { 0 };
	eh_status status;

	for (size_t i = 0; f->words != NULL && i < f->words()->count; i++)
		text_add(&words, "%s%s", i > 0 ? "|" : " ", f->words()->items[i].word);
	status = refuse(d, at, "is not %s%.400s", kind_words(f->kind),
	                words.data != NULL ? words.data : "");
	text_free(&words);
	return status;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static bool is_number(const cJSON *item)
{
	return cJSON_IsNumber(item) && isfinite(item->valuedouble);
}

static bool is_sha256(const char *s)
{
	return strlen(s) == 64 && strspn(s, "0123456789abcdef") == 64;
}

static bool take_text(const layout_field *f, const cJSON *item, char **out)
{
	if (!cJSON_IsString(item))
		return false;
	if (f->kind == LAYOUT_SHA256 && !is_sha256(item->valuestring))
		return false;
	if (f->kind == LAYOUT_SHA256_OR_EMPTY && item->valuestring[0] != '\0' &&
	    !is_sha256(item->valuestring))
		return false;
	*out = memory_text(item->valuestring);
	return true;
}

static bool take_uint(const cJSON *item, uint64_t *out)
{
	/* Each value has one spelling: a string of digits only above 2^53. */
	return json_as_uint(item, out) && *out != LAYOUT_NO_UINT &&
	       (cJSON_IsNumber(item) || (*out > UINT64_C(1) << 53 && item->valuestring[0] != '0'));
}

static bool take_int(const cJSON *item, int *out)
{
	if (!is_number(item) || fabs(item->valuedouble) > INT_MAX ||
	    item->valuedouble != floor(item->valuedouble))
		return false;
	*out = (int)item->valuedouble;
	return true;
}

static bool take_scalar(const cJSON *item, scalar *out)
{
	if (cJSON_IsString(item))
		*out = (scalar){ .kind = SCALAR_TEXT, .text = memory_text(item->valuestring) };
	else if (is_number(item))
		*out = (scalar){ .kind = SCALAR_NUMBER, .number = item->valuedouble };
	else if (cJSON_IsBool(item))
		*out = (scalar){ .kind = SCALAR_BOOL, .truth = cJSON_IsTrue(item) };
	else
		return false;
	return true;
}

static bool take_word(const layout_field *f, const cJSON *item, int *out)
{
	if (!cJSON_IsString(item))
		return false;
	*out = layout_word_value(f->words(), item->valuestring, strlen(item->valuestring));
	return *out != 0;
}

/* Decodes one element of an array and appends it. */
static bool take_element(const layout_field *f, const cJSON *item, void *list)
{
	switch (f->kind) {
	case LAYOUT_WORDS:
		return take_word(f, item, layout_list_grow(list, sizeof(int)));
	case LAYOUT_UINTS:
		return take_uint(item, layout_list_grow(list, sizeof(uint64_t)));
	case LAYOUT_NUMBERS:
		*(double *)layout_list_grow(list, sizeof(double)) = item->valuedouble;
		return is_number(item);
	default: /* TEXTS */
		if (!cJSON_IsString(item))
			return false;
		text_list_add(list, item->valuestring);
		return true;
	}
}

static bool take_array(const layout_field *f, const cJSON *item, void *list)
{
	const cJSON *element;

	if (!cJSON_IsArray(item))
		return false;
	layout_list_present(list, sizeof(uint64_t));
	cJSON_ArrayForEach(element, item)
		if (!take_element(f, element, list))
			return false;
	return true;
}

static bool take_pair(const layout_field *f, const cJSON *item, void *map)
{
	static const layout_field texts = { .kind = LAYOUT_TEXTS };
	texts_pair *pair;

	if (f->kind == LAYOUT_TEXT_MAP) {
		if (!cJSON_IsString(item))
			return false;
		text_map_add(map, item->string, item->valuestring);
		return true;
	}
	if (f->kind == LAYOUT_NUMBER_MAP) {
		number_map_add(map, item->string, item->valuedouble);
		return is_number(item);
	}
	pair = layout_list_grow(map, sizeof(*pair));
	pair->key = memory_text(item->string);
	return take_array(&texts, item, &pair->value);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether the member names of an object are unique. */
static bool names_differ(const cJSON *item)
{
	size_t count = (size_t)cJSON_GetArraySize(item), n = 0;
	const cJSON *child;
	char **names;
	bool differ = true;

	if (count < 2)
		return true;
	names = memory_get(count * sizeof(*names));
	cJSON_ArrayForEach(child, item)
		names[n++] = child->string;
	qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 1; i < n && differ; i++)
		differ = strcmp(names[i - 1], names[i]) != 0;
	free(names);
	return differ;
}

static bool take_pairs(const layout_field *f, const cJSON *item, void *map)
{
	const cJSON *element;

	if (!cJSON_IsObject(item))
		return false;
	layout_list_present(map, sizeof(texts_pair));
	cJSON_ArrayForEach(element, item)
		if (!take_pair(f, element, map))
			return false;
	return true;
}

static bool take_plain(const layout_field *f, const cJSON *item, void *member)
{
	switch (f->kind) {
	case LAYOUT_TEXT:
	case LAYOUT_SHA256:
	case LAYOUT_SHA256_OR_EMPTY: return take_text(f, item, member);
	case LAYOUT_BOOL:
		*(bool *)member = cJSON_IsTrue(item);
		return cJSON_IsBool(item);
	case LAYOUT_MAYBE:
		*(enum maybe *)member = cJSON_IsTrue(item) ? MAYBE_YES : MAYBE_NO;
		return cJSON_IsBool(item);
	case LAYOUT_NUMBER:
		*(double *)member = item->valuedouble;
		return is_number(item);
	case LAYOUT_UINT: return take_uint(item, member);
	case LAYOUT_INT: return take_int(item, member);
	case LAYOUT_SCALAR: return take_scalar(item, member);
	case LAYOUT_WORD: return take_word(f, item, member);
	case LAYOUT_TEXT_MAP:
	case LAYOUT_NUMBER_MAP:
	case LAYOUT_TEXTS_MAP: return take_pairs(f, item, member);
	default: return take_array(f, item, member);
	}
}

static eh_status take_object(const decoder *d, const layout *l, const cJSON *item, const step *at,
                             void *object);

static eh_status take_list(const decoder *d, const layout_field *f, const cJSON *item,
                           const step *at, void *member)
{
	const layout *inner = f->inner();
	step next = { at, NULL, 0 };
	const cJSON *element;

	layout_list_present(member, inner->size);
	cJSON_ArrayForEach(element, item) {
		void *object = layout_append(inner, member);
		eh_status status;

		if (f->kind == LAYOUT_MAP) {
			char *key = memory_text(element->string);

			memcpy(object, &key, sizeof(key));
			next.key = element->string;
		}
		status = take_object(d, inner, element, &next, object);
		if (status != EH_OK)
			return status;
		next.index++;
	}
	return EH_OK;
}

static eh_status take_member(const decoder *d, const layout_field *f, const cJSON *item,
                             const step *at, void *member)
{
	bool named = f->kind == LAYOUT_MAP || f->kind == LAYOUT_TEXT_MAP ||
	             f->kind == LAYOUT_NUMBER_MAP || f->kind == LAYOUT_TEXTS_MAP;
	void *object = member;

	if (named && cJSON_IsObject(item) && !names_differ(item))
		return refuse(d, at, "has a member twice");
	if (f->kind == LAYOUT_OBJECT) {
		if (f->optional) {
			object = layout_new(f->inner());
			memcpy(member, &object, sizeof(object));
		}
		return take_object(d, f->inner(), item, at, object);
	}
	if (f->kind == LAYOUT_LIST || f->kind == LAYOUT_MAP)
		return (f->kind == LAYOUT_LIST ? cJSON_IsArray(item) : cJSON_IsObject(item)) ?
		       take_list(d, f, item, at, member) : refuse_kind(d, f, at);
	return take_plain(f, item, member) ? EH_OK : refuse_kind(d, f, at);
}

/* The field of that key.  Members are mostly in the table's order, so the search starts at
 * `from`. */
static size_t find_field(const layout *l, const char *key, size_t from)
{
	for (size_t i = 0; i < l->count; i++) {
		size_t at = from + i < l->count ? from + i : from + i - l->count;

		if (strcmp(l->fields[at].key, key) == 0)
			return at;
	}
	return l->count;
}

static eh_status check_missing(const decoder *d, const layout *l, uint64_t seen, const step *at)
{
	for (size_t i = 0; i < l->count; i++) {
		step next = { at, l->fields[i].key, 0 };

		if (!l->fields[i].optional && (seen >> i & 1) == 0)
			return refuse(d, &next, "is missing");
	}
	return EH_OK;
}

static eh_status take_object(const decoder *d, const layout *l, const cJSON *item, const step *at,
                             void *object)
{
	uint64_t seen = 0;
	size_t next_field = 0;
	const cJSON *child;

	if (!cJSON_IsObject(item))
		return refuse(d, at, "is not an object");
	cJSON_ArrayForEach(child, item) {
		size_t i = find_field(l, child->string, next_field);
		step next = { at, child->string, 0 };
		eh_status status;

		if (i == l->count)
			return refuse(d, &next, "is not part of the format");
		if ((seen >> i & 1) != 0)
			return refuse(d, &next, "occurs twice");
		seen |= UINT64_C(1) << i;
		next_field = i + 1;
		status = take_member(d, &l->fields[i], child, &next,
		                     (char *)object + l->fields[i].offset);
		if (status != EH_OK)
			return status;
	}
	return check_missing(d, l, seen, at);
}

eh_status layout_decode(const layout *l, const cJSON *item, const char *name, const char *place,
                        void *object, eh_error *error)
{
	decoder d = { name, error };
	step root = { NULL, place, 0 };
	eh_status status = take_object(&d, l, item, &root, object);

	if (status != EH_OK)
		layout_clear(l, object);
	return status;
}

eh_status layout_read(const layout *l, const char *body, size_t size, const char *name,
                      void *object, eh_error *error)
{
	cJSON *tree;
	eh_status status = json_parse(body, size, name, &tree, error);

	if (status != EH_OK)
		return status;
	status = layout_decode(l, tree, name, "", object, error);
	cJSON_Delete(tree);
	return status;
}

/* ---- encoding -------------------------------------------------------------------------------- */

static cJSON *uint_item(uint64_t value)
{
	char digits[24];

	if (value <= UINT64_C(1) << 53)
		return cJSON_CreateNumber((double)value);
	(void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	return cJSON_CreateString(digits);
}

static cJSON *text_item(const char *value)
{
	/* json_add_string replaces invalid UTF-8. */
	cJSON *holder = cJSON_CreateObject();
	cJSON *item = json_add_string(holder, "text", value);

	item = cJSON_DetachItemViaPointer(holder, item);
	cJSON_Delete(holder);
	return item;
}

static cJSON *scalar_item(const scalar *s)
{
	switch (s->kind) {
	case SCALAR_TEXT: return text_item(s->text);
	case SCALAR_NUMBER: return cJSON_CreateNumber(s->number);
	case SCALAR_BOOL: return cJSON_CreateBool(s->truth);
	case SCALAR_ABSENT: break;
	}
	return NULL;
}

char *scalar_text(const scalar *s)
{
	cJSON *item = s->kind != SCALAR_TEXT ? scalar_item(s) : NULL;
	char *words = item != NULL ? json_text(item, false) : memory_text(text_or_empty(s->text));

	cJSON_Delete(item);
	return words;
}

static int word_at(const void *member)
{
	int value;

	memcpy(&value, member, sizeof(value));
	return value;
}

static void encode_pair(const layout_field *f, const void *items, size_t i, cJSON *out)
{
	const text_pair *texts = items;
	const number_pair *numbers = items;
	const texts_pair *lists = items;
	cJSON *array;

	if (f->kind == LAYOUT_TEXT_MAP) {
		json_add_string(out, texts[i].key, texts[i].value);
	} else if (f->kind == LAYOUT_NUMBER_MAP) {
		json_add_double(out, numbers[i].key, numbers[i].value);
	} else {
		array = json_add_array(out, lists[i].key);
		for (size_t j = 0; j < lists[i].value.count; j++)
			json_append_string(array, lists[i].value.items[j]);
	}
}

static const void *element_at(const layout_field *f, const void *items, size_t i)
{
	return (const char *)items + i * f->inner()->size;
}

static void encode_element(const layout_field *f, const void *items, size_t i, cJSON *out)
{
	switch (f->kind) {
	case LAYOUT_WORDS:
		json_append_string(out, layout_word_of(f->words(), ((const int *)items)[i]));
		break;
	case LAYOUT_UINTS:
		cJSON_AddItemToArray(out, uint_item(((const uint64_t *)items)[i]));
		break;
	case LAYOUT_NUMBERS:
		cJSON_AddItemToArray(out, cJSON_CreateNumber(((const double *)items)[i]));
		break;
	case LAYOUT_TEXTS:
		json_append_string(out, ((char *const *)items)[i]);
		break;
	case LAYOUT_LIST:
		cJSON_AddItemToArray(out, layout_encode(f->inner(), element_at(f, items, i)));
		break;
	case LAYOUT_MAP:
		json_set(out, layout_pointer(element_at(f, items, i)),
		         layout_encode(f->inner(), element_at(f, items, i)));
		break;
	default:
		encode_pair(f, items, i, out);
	}
}

static cJSON *encode_list(const layout_field *f, const void *member)
{
	bool named = f->kind == LAYOUT_MAP || f->kind == LAYOUT_TEXT_MAP ||
	             f->kind == LAYOUT_NUMBER_MAP || f->kind == LAYOUT_TEXTS_MAP;
	size_t count;
	const void *items = layout_list(member, &count);
	cJSON *out;

	if (items == NULL && f->optional)
		return NULL;
	out = named ? cJSON_CreateObject() : cJSON_CreateArray();
	for (size_t i = 0; items != NULL && i < count; i++)
		encode_element(f, items, i, out);
	return out;
}

static cJSON *encode_object(const layout_field *f, const void *member)
{
	const void *object = f->optional ? layout_pointer(member) : member;

	return object != NULL ? layout_encode(f->inner(), object) : NULL;
}

static cJSON *encode_text(const layout_field *f, const char *value)
{
	return value == NULL && f->optional ? NULL : text_item(value);
}

/* NULL when the member is absent. */
static cJSON *encode_member(const layout_field *f, const void *member)
{
	switch (f->kind) {
	case LAYOUT_TEXT:
	case LAYOUT_SHA256:
	case LAYOUT_SHA256_OR_EMPTY: return encode_text(f, layout_pointer(member));
	case LAYOUT_BOOL: return cJSON_CreateBool(*(const bool *)member);
	case LAYOUT_MAYBE:
		return word_at(member) == MAYBE_ABSENT ? NULL :
		       cJSON_CreateBool(word_at(member) == MAYBE_YES);
	case LAYOUT_NUMBER:
		return isnan(*(const double *)member) ? NULL : cJSON_CreateNumber(*(const double *)member);
	case LAYOUT_UINT:
		return f->optional && *(const uint64_t *)member == LAYOUT_NO_UINT ? NULL :
		       uint_item(*(const uint64_t *)member);
	case LAYOUT_INT:
		return word_at(member) == LAYOUT_NO_INT ? NULL : cJSON_CreateNumber(word_at(member));
	case LAYOUT_SCALAR: return scalar_item(member);
	case LAYOUT_WORD:
		return word_at(member) == 0 ? NULL :
		       cJSON_CreateString(layout_word_of(f->words(), word_at(member)));
	case LAYOUT_OBJECT: return encode_object(f, member);
	default: return encode_list(f, member);
	}
}

cJSON *layout_encode(const layout *l, const void *object)
{
	cJSON *out = cJSON_CreateObject();

	for (size_t i = 0; i < l->count; i++) {
		const layout_field *f = &l->fields[i];
		cJSON *item = encode_member(f, (const char *)object + f->offset);

		/* CS: the name is a constant and is not copied. */
		if (item != NULL && !cJSON_AddItemToObjectCS(out, f->key, item))
			abort();
	}
	return out;
}

char *layout_text(const layout *l, const void *object, bool pretty)
{
	cJSON *tree = layout_encode(l, object);
	char *body = json_text(tree, pretty);

	cJSON_Delete(tree);
	return body;
}

char *layout_list_text(const layout *inner, const void *list, bool pretty)
{
	size_t count;
	const char *items = layout_list(list, &count);
	cJSON *array = cJSON_CreateArray();
	char *body;

	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(array, layout_encode(inner, items + i * inner->size));
	body = json_text(array, pretty);
	cJSON_Delete(array);
	return body;
}

char *layout_canonical(const layout *l, const void *object, const char *without)
{
	cJSON *tree = layout_encode(l, object);
	char *body;

	if (without != NULL)
		cJSON_DeleteItemFromObjectCaseSensitive(tree, without);
	body = json_canonical(tree);
	cJSON_Delete(tree);
	return body;
}

void layout_digest(const layout *l, const void *object, char hex[65])
{
	cJSON *tree = layout_encode(l, object);

	json_digest(tree, hex);
	cJSON_Delete(tree);
}

cJSON *layout_member_encode(const layout_field *field, const void *object)
{
	return encode_member(field, (const char *)object + field->offset);
}

char *layout_member_text(const layout_field *field, const void *object)
{
	cJSON *item = layout_member_encode(field, object);
	char *body, *shown;

	if (item == NULL)
		return NULL;
	body = json_text(item, false);
	shown = memory_format("%.56s%s", body, strlen(body) > 56 ? "..." : "");
	for (char *c = shown; *c != '\0'; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	free(body);
	cJSON_Delete(item);
	return shown;
}
