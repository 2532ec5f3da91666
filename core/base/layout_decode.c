/* SPDX-License-Identifier: Apache-2.0 */
/* Reading structs from JSON text by their layout. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/layout.h"
#include "base/layout_inside.h"
#include "base/limits.h"
#include "base/text.h"

/* ---- places ---------------------------------------------------------------------------------- */

/* Each step of a path but the first has entered a bracket, of which json_scan allows 64. */
enum { STEPS_MAX = 66 };

/* A step of a member's path. */
typedef struct step {
	const char *key;   /* a member's name, or the place of the root; NULL for an element   */
	size_t index;      /* the element's index                                              */
} step;

typedef struct decoder {
	json_scan scan;
	const layout_field *field; /* the member that is read                                 */
	step path[STEPS_MAX];      /* its path, which becomes text only for a message         */
	size_t depth;              /* the number of steps                                     */
	size_t spent;              /* memory of the values                                    */
} decoder;

static void go_to(decoder *d, const char *key, size_t index)
{
	assert(d->depth < STEPS_MAX);
	d->path[d->depth++] = (step){ key, index };
}

static void go_back(decoder *d)
{
	d->depth--;
}

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

static void spell(const decoder *d, text *out)
{
	char key[48];

	text_add(out, "%s", d->path[0].key);
	for (size_t i = 1; i < d->depth; i++) {
		if (d->path[i].key == NULL) {
			text_add(out, "[%zu]", d->path[i].index);
		} else {
			quote(d->path[i].key, key);
			text_add(out, "%s%s", out->size > 0 ? "." : "", key);
		}
	}
}

static eh_status refuse_with(const decoder *d, eh_status code, const char *sentence)
{
	text place = { 0 };

	spell(d, &place);
	(void)error_set(d->scan.error, code, "%s: %s %s", d->scan.name,
	                place.size > 0 ? place.data : "the whole", sentence);
	text_free(&place);
	return code;
}

/* Refuses the member at the path. */
__attribute__((format(printf, 2, 3)))
static eh_status refuse(const decoder *d, const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return refuse_with(d, EH_E_FORMAT, sentence);
}

/* Lists grow to twice their size. */
enum { GROWTH = 2 };

/* What an allocation of so many bytes takes in the common C libraries. */
static size_t allocated(size_t size)
{
	size_t whole = (size + 8 + 15) / 16 * 16;

	return whole < 32 ? 32 : whole;
}

/* Counts memory that a value takes.  A text of 3 bytes may be a value of 40, so the file's size alone is
 * no bound. */
static eh_status spend(decoder *d, size_t size)
{
	char sentence[120];

	d->spent += size;
	if (d->scan.memory == 0 || d->spent <= d->scan.memory)
		return EH_OK;
	(void)snprintf(sentence, sizeof(sentence), "and the values before it take more than %zu MiB of "
	               "memory, which no result needs", d->scan.memory / LIMIT_MIB);
	return refuse_with(d, EH_E_NO_MEMORY, sentence);
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
static eh_status refuse_value(const decoder *d)
{
	const layout_field *f = d->field;
	text words = { 0 };
	eh_status status;

	for (size_t i = 0; f->words != NULL && i < f->words()->count; i++)
		text_add(&words, "%s%s", i > 0 ? "|" : " ", f->words()->items[i].word);
	status = refuse(d, "is not %s%.400s", kind_words(f->kind),
	                words.data != NULL ? words.data : "");
	text_free(&words);
	return status;
}

/* Refuses the next value, whose type is wrong.  If it is not valid JSON, that is the error. */
static eh_status refuse_type(decoder *d)
{
	eh_status status = json_scan_skip(&d->scan);

	return status == EH_OK ? refuse_value(d) : status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static eh_status take_quoted(decoder *d, json_quoted *out)
{
	return json_scan_peek(&d->scan) == '"' ? json_scan_string(&d->scan, out) : refuse_type(d);
}

static eh_status take_text(decoder *d, char **out)
{
	json_quoted string = { 0 };
	eh_status status = take_quoted(d, &string);

	if (status == EH_OK && string.size > LIMIT_TEXT)
		status = refuse_with(d, EH_E_NO_MEMORY, "is a text of more than 4 MiB, which no record needs");
	if (status == EH_OK)
		status = spend(d, allocated(string.size));
	if (status == EH_OK)
		*out = json_quoted_text(string);
	return status;
}

static eh_status take_sha256(decoder *d, char **out)
{
	eh_status status = take_text(d, out);
	size_t size = status == EH_OK ? strlen(*out) : 0;

	if (status != EH_OK || (size == 0 && d->field->kind == LAYOUT_SHA256_OR_EMPTY))
		return status;
	return size == 64 && strspn(*out, "0123456789abcdef") == 64 ? EH_OK : refuse_value(d);
}

static eh_status take_bool(decoder *d, bool *out)
{
	char c = json_scan_peek(&d->scan);

	return c == 't' || c == 'f' ? json_scan_bool(&d->scan, out) : refuse_type(d);
}

static eh_status take_maybe(decoder *d, enum maybe *out)
{
	bool truth = false;
	eh_status status = take_bool(d, &truth);

	*out = truth ? MAYBE_YES : MAYBE_NO;
	return status;
}

static eh_status take_number(decoder *d, double *out)
{
	return json_starts_number(json_scan_peek(&d->scan)) ? json_scan_number(&d->scan, out) :
	                                                      refuse_type(d);
}

/* Each value has one spelling: a string of digits only above 2^53. */
static eh_status take_large(decoder *d, uint64_t *out)
{
	char *digits = NULL;
	eh_status status = take_text(d, &digits);

	if (status != EH_OK)
		return status;
	if (digits[0] == '0' || !text_parse_uint(digits, out) || *out <= UINT64_C(1) << 53 ||
	    *out == LAYOUT_NO_UINT)
		status = refuse_value(d);
	free(digits);
	return status;
}

static eh_status take_uint(decoder *d, uint64_t *out)
{
	double number = 0;
	eh_status status;

	if (json_scan_peek(&d->scan) == '"')
		return take_large(d, out);
	status = take_number(d, &number);
	if (status != EH_OK)
		return status;
	if (!(number >= 0) || number > 0x1p53 || number != floor(number))
		return refuse_value(d);
	*out = (uint64_t)number;
	return EH_OK;
}

static eh_status take_int(decoder *d, int *out)
{
	double number = 0;
	eh_status status = take_number(d, &number);

	if (status != EH_OK)
		return status;
	if (fabs(number) > INT_MAX || number != floor(number))
		return refuse_value(d);
	*out = (int)number;
	return EH_OK;
}

static eh_status take_scalar(decoder *d, scalar *out)
{
	char c = json_scan_peek(&d->scan);

	if (c == '"') {
		out->kind = SCALAR_TEXT;
		return take_text(d, &out->text);
	}
	if (c == 't' || c == 'f') {
		out->kind = SCALAR_BOOL;
		return take_bool(d, &out->truth);
	}
	out->kind = SCALAR_NUMBER;
	return take_number(d, &out->number);
}

static eh_status take_word(decoder *d, int *out)
{
	json_quoted word = { 0 };
	eh_status status = take_quoted(d, &word);

	if (status != EH_OK)
		return status;
	/* No word of a layout has a character that must be escaped. */
	*out = word.escaped ? 0 : layout_word_value(d->field->words(), word.bytes, word.size);
	return *out != 0 ? EH_OK : refuse_value(d);
}

/* ---- arrays and objects ---------------------------------------------------------------------- */

/* Enters the next value if it is an array or object of that kind. */
static eh_status enter(decoder *d, char opening, bool *more)
{
	return json_scan_peek(&d->scan) == opening ? json_scan_enter(&d->scan, more) : refuse_type(d);
}

static eh_status take_name(decoder *d, char **out)
{
	json_quoted name;
	eh_status status = json_scan_name(&d->scan, &name);

	if (status == EH_OK)
		status = spend(d, allocated(name.size));
	if (status == EH_OK)
		*out = json_quoted_text(name);
	return status;
}

static eh_status take_element(decoder *d, enum layout_kind kind, void *list)
{
	switch (kind) {
	case LAYOUT_WORDS: return take_word(d, layout_list_grow(list, sizeof(int)));
	case LAYOUT_UINTS: return take_uint(d, layout_list_grow(list, sizeof(uint64_t)));
	case LAYOUT_NUMBERS: return take_number(d, layout_list_grow(list, sizeof(double)));
	default: return take_text(d, layout_list_grow(list, sizeof(char *)));
	}
}

static eh_status take_array(decoder *d, enum layout_kind kind, void *list)
{
	bool more = false;
	eh_status status = enter(d, '[', &more);

	layout_list_present(list, sizeof(uint64_t));
	if (status == EH_OK)
		status = spend(d, allocated(8 * sizeof(uint64_t)));
	while (status == EH_OK && more) {
		status = spend(d, kind == LAYOUT_TEXTS ? GROWTH * sizeof(char *) : sizeof(uint64_t));
		if (status == EH_OK)
			status = take_element(d, kind, list);
		if (status == EH_OK)
			status = json_scan_more(&d->scan, ']', &more);
	}
	return status;
}

static eh_status take_pair(decoder *d, void *map)
{
	text_pair *texts;
	number_pair *numbers;
	texts_pair *lists;
	eh_status status;

	switch (d->field->kind) {
	case LAYOUT_TEXT_MAP:
		texts = layout_list_grow(map, sizeof(*texts));
		status = take_name(d, &texts->key);
		return status == EH_OK ? take_text(d, &texts->value) : status;
	case LAYOUT_NUMBER_MAP:
		numbers = layout_list_grow(map, sizeof(*numbers));
		status = take_name(d, &numbers->key);
		return status == EH_OK ? take_number(d, &numbers->value) : status;
	default: /* TEXTS_MAP */
		lists = layout_list_grow(map, sizeof(*lists));
		status = take_name(d, &lists->key);
		return status == EH_OK ? take_array(d, LAYOUT_TEXTS, &lists->value) : status;
	}
}

/* Refuses a map with a doubled name. */
static eh_status check_names(const decoder *d, const layout_field *f, const void *map)
{
	size_t count;
	const void **sorted = layout_map_sorted(f, map, &count);
	bool differ = true;

	for (size_t i = 1; i < count && differ; i++)
		differ = strcmp(layout_pointer(sorted[i - 1]), layout_pointer(sorted[i])) != 0;
	free(sorted);
	return differ ? EH_OK : refuse(d, "has a member twice");
}

static eh_status take_pairs(decoder *d, void *map)
{
	const layout_field *f = d->field;
	bool more = false;
	eh_status status = enter(d, '{', &more);

	layout_list_present(map, layout_item_size(f));
	while (status == EH_OK && more) {
		status = spend(d, GROWTH * layout_item_size(f));
		if (status == EH_OK)
			status = take_pair(d, map);
		if (status == EH_OK)
			status = json_scan_more(&d->scan, '}', &more);
	}
	return status == EH_OK ? check_names(d, f, map) : status;
}

static eh_status take_object(decoder *d, const layout *l, void *object);

static eh_status take_list(decoder *d, void *member)
{
	const layout *inner = d->field->inner();
	bool more = false;
	eh_status status = enter(d, '[', &more);

	layout_list_present(member, inner->size);
	if (status == EH_OK)
		status = spend(d, allocated(inner->size));
	for (size_t i = 0; status == EH_OK && more; i++) {
		go_to(d, NULL, i);
		status = spend(d, GROWTH * inner->size);
		if (status == EH_OK)
			status = take_object(d, inner, layout_append(inner, member));
		go_back(d);
		if (status == EH_OK)
			status = json_scan_more(&d->scan, ']', &more);
	}
	return status;
}

static eh_status take_map(decoder *d, void *member)
{
	const layout_field *f = d->field;
	const layout *inner = f->inner();
	bool more = false;
	eh_status status = enter(d, '{', &more);

	layout_list_present(member, inner->size);
	while (status == EH_OK && more) {
		char **object = layout_append(inner, member);

		status = spend(d, GROWTH * inner->size);
		if (status == EH_OK)
			status = take_name(d, object);
		go_to(d, *object, 0);
		if (status == EH_OK)
			status = take_object(d, inner, object);
		go_back(d);
		if (status == EH_OK)
			status = json_scan_more(&d->scan, '}', &more);
	}
	return status == EH_OK ? check_names(d, f, member) : status;
}

static eh_status take_inner(decoder *d, void *member)
{
	const layout *inner = d->field->inner();
	void *object = member;

	eh_status status = EH_OK;

	if (d->field->optional) {
		status = spend(d, allocated(inner->size));
		object = layout_new(inner);
		memcpy(member, &object, sizeof(object));
	}
	return status == EH_OK ? take_object(d, inner, object) : status;
}

static eh_status take_member(decoder *d, void *member)
{
	switch (d->field->kind) {
	case LAYOUT_TEXT: return take_text(d, member);
	case LAYOUT_SHA256:
	case LAYOUT_SHA256_OR_EMPTY: return take_sha256(d, member);
	case LAYOUT_BOOL: return take_bool(d, member);
	case LAYOUT_MAYBE: return take_maybe(d, member);
	case LAYOUT_NUMBER: return take_number(d, member);
	case LAYOUT_UINT: return take_uint(d, member);
	case LAYOUT_INT: return take_int(d, member);
	case LAYOUT_SCALAR: return take_scalar(d, member);
	case LAYOUT_WORD: return take_word(d, member);
	case LAYOUT_WORDS:
	case LAYOUT_TEXTS:
	case LAYOUT_UINTS:
	case LAYOUT_NUMBERS: return take_array(d, d->field->kind, member);
	case LAYOUT_TEXT_MAP:
	case LAYOUT_NUMBER_MAP:
	case LAYOUT_TEXTS_MAP: return take_pairs(d, member);
	case LAYOUT_OBJECT: return take_inner(d, member);
	case LAYOUT_LIST: return take_list(d, member);
	case LAYOUT_MAP: return take_map(d, member);
	}
	return EH_OK;
}

/* ---- members of a layout --------------------------------------------------------------------- */

/* The members read so far.  Texts have them in the order of the table or of their names, so that the
 * next one is mostly the next in one of these. */
typedef struct progress {
	const layout_order *order;
	uint64_t seen;             /* by index in the table                                   */
	size_t next;               /* index in the table                                      */
	size_t next_named;         /* index in the order of names                             */
} progress;

static bool takes(decoder *d, const layout *l, size_t field)
{
	return json_scan_takes_key(&d->scan, l->fields[field].key, l->fields[field].key_size);
}

/* The field of the next name, which is moved over; l->count if there is none, with the name in
 * *unknown. */
static eh_status find_field(decoder *d, const layout *l, progress *p, size_t *found, char **unknown)
{
	json_quoted name;
	eh_status status;

	*found = p->next;
	(void)json_scan_peek(&d->scan);
	if (p->next < l->count && takes(d, l, p->next))
		return EH_OK;
	for (size_t i = 0; i < l->count; i++) {
		size_t at = p->next_named + i;

		*found = p->order->fields[at < l->count ? at : at - l->count];
		if (takes(d, l, *found))
			return EH_OK;
	}
	/* It may be written with escapes. */
	status = json_scan_string(&d->scan, &name);
	if (status != EH_OK)
		return status;
	*unknown = json_quoted_text(name);
	for (*found = 0; *found < l->count; (*found)++)
		if (strcmp(l->fields[*found].key, *unknown) == 0)
			break;
	return EH_OK;
}

/* Reads one member, from its name on. */
static eh_status take_field(decoder *d, const layout *l, progress *p, void *object)
{
	size_t i = 0;
	char *written = NULL;
	eh_status status = find_field(d, l, p, &i, &written);

	go_to(d, i < l->count ? l->fields[i].key : written, 0);
	if (status == EH_OK && i == l->count)
		status = refuse(d, "is not part of the format");
	else if (status == EH_OK && (p->seen >> i & 1) != 0)
		status = refuse(d, "occurs twice");
	if (status == EH_OK)
		status = json_scan_colon(&d->scan);
	if (status == EH_OK) {
		p->seen |= UINT64_C(1) << i;
		p->next = i + 1;
		p->next_named = p->order->ranks[i] + 1U;
		d->field = &l->fields[i];
		status = take_member(d, (char *)object + l->fields[i].offset);
	}
	go_back(d);
	free(written);
	return status;
}

static eh_status check_missing(decoder *d, const layout *l, uint64_t seen)
{
	for (size_t i = 0; i < l->count; i++) {
		if (l->fields[i].optional || (seen >> i & 1) != 0)
			continue;
		go_to(d, l->fields[i].key, 0);
		return refuse(d, "is missing");
	}
	return EH_OK;
}

static eh_status take_object(decoder *d, const layout *l, void *object)
{
	progress p = { .order = layout_order_of(l) };
	bool more = false;
	eh_status status;

	if (json_scan_peek(&d->scan) != '{') {
		status = json_scan_skip(&d->scan);
		return status == EH_OK ? refuse(d, "is not an object") : status;
	}
	status = json_scan_enter(&d->scan, &more);
	while (status == EH_OK && more) {
		status = take_field(d, l, &p, object);
		if (status == EH_OK)
			status = json_scan_more(&d->scan, '}', &more);
	}
	return status == EH_OK ? check_missing(d, l, p.seen) : status;
}

eh_status layout_scan(const layout *l, json_scan scan, const char *place, void *object)
{
	decoder d = { .scan = scan };
	eh_status status;

	go_to(&d, place, 0);
	status = take_object(&d, l, object);
	if (status == EH_OK)
		status = json_scan_end(&d.scan);
	if (status != EH_OK)
		layout_clear(l, object);
	return status;
}

eh_status layout_read(const layout *l, const char *body, size_t size, const char *name,
                      void *object, eh_error *error)
{
	return layout_scan(l, json_scan_of(body, (json_span){ 0, size }, 0, name, error), "", object);
}
