/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_scan.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/text.h"

enum { LEVELS_MAX = 64, NUMBER_MAX = 60 };

#define INVALID "this is not valid JSON"

void json_place_move(json_place *place, const char *to)
{
	for (; place->at < to; place->at++) {
		if (*place->at == '\n') {
			place->line++;
			place->column = 1;
		} else if (((unsigned char)*place->at & 0xc0) != 0x80) {
			place->column++;
		}
	}
}

/* EH_E_FORMAT with the place of s->at: "NAME:3:17: what". */
static eh_status refuse(const json_scan *s, const char *what)
{
	json_place place = s->behind.at != NULL && s->at >= s->behind.at ? s->behind : s->from;

	if (s->error == NULL)
		return EH_E_FORMAT;
	json_place_move(&place, s->at);
	(void)error_set(s->error, EH_E_FORMAT, "%s:%zu:%zu: %s", s->name, place.line, place.column,
	                what);
	return EH_E_FORMAT;
}

/* Refuses the byte at s->at, which cannot stand there. */
static eh_status refuse_byte(const json_scan *s)
{
	unsigned char c = s->at < s->end ? (unsigned char)*s->at : ' ';

	if (s->at == s->end && s->level > 0)
		return refuse(s, "the text ends within an object or array");
	return refuse(s, c < ' ' || c >= 0x80 ? "a byte that is not part of JSON" : INVALID);
}

json_scan json_scan_of(const char *given, json_span part, int level, const char *name,
                       eh_error *error)
{
	return (json_scan){ .from = { given, 1, 1 }, .at = given + part.start, .end = given + part.end,
		            .name = name, .level = level, .error = error };
}

static inline void skip_space(json_scan *s)
{
	while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

char json_scan_peek(json_scan *s)
{
	skip_space(s);
	return s->at < s->end ? *s->at : '\0';
}

/* ---- arrays and objects ---------------------------------------------------------------------- */

eh_status json_scan_enter(json_scan *s, bool *more)
{
	char open = json_scan_peek(s), closing = open == '{' ? '}' : ']';

	*more = false;
	if (open != '{' && open != '[')
		return refuse_byte(s);
	if (s->level == LEVELS_MAX)
		return refuse(s, "more than 64 levels");
	s->at++;
	s->level++;
	*more = json_scan_peek(s) != closing;
	if (!*more) {
		s->at++;
		s->level--;
	}
	return EH_OK;
}

eh_status json_scan_more(json_scan *s, char closing, bool *more)
{
	skip_space(s);
	if (s->at == s->end || (*s->at != ',' && *s->at != closing))
		return refuse_byte(s);
	*more = *s->at++ == ',';
	s->level -= !*more;
	return EH_OK;
}

eh_status json_scan_colon(json_scan *s)
{
	skip_space(s);
	if (s->at == s->end || *s->at != ':')
		return refuse_byte(s);
	s->at++;
	return EH_OK;
}

eh_status json_scan_name(json_scan *s, json_quoted *out)
{
	eh_status status = json_scan_string(s, out);

	return status == EH_OK ? json_scan_colon(s) : status;
}

/* ---- strings --------------------------------------------------------------------------------- */

/* True only if none of eight bytes is a control, a quote, a backslash or outside ASCII; false for
 * some others, too. */
static bool are_plain(const char *eight)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t bytes, quotes, slashes;

	memcpy(&bytes, eight, sizeof(bytes));
	quotes = bytes ^ ones * '"';
	slashes = bytes ^ ones * '\\';
	return (((quotes - ones) | (slashes - ones) | (bytes - ones * ' ') | bytes) & ones << 7) == 0;
}

/* The four hexadecimal digits at p, or -1. */
static long hex4(const char *p, const char *end)
{
	char digits[5] = "";

	for (int i = 0; i < 4; i++) {
		if (end - p <= i || !isxdigit((unsigned char)p[i]))
			return -1;
		digits[i] = p[i];
	}
	return strtol(digits, NULL, 16);
}

/* Moves behind the escape at s->at. */
static eh_status skip_escape(json_scan *s)
{
	const char *from = s->at;
	char c = s->end - s->at >= 2 ? s->at[1] : '\0';
	long unit, low;

	if (c != 'u') {
		if (c == '\0' || strchr("\"\\/bfnrt", c) == NULL)
			return refuse(s, INVALID);
		s->at += 2;
		return EH_OK;
	}
	unit = hex4(s->at + 2, s->end);
	if (unit <= 0) /* U+0000 would end the C string */
		return refuse(s, "\\u takes four hexadecimal digits, not all 0");
	s->at += 6;
	if (unit < 0xd800 || unit > 0xdfff)
		return EH_OK;
	/* A high surrogate takes a low one. */
	if (unit <= 0xdbff && s->end - s->at >= 2 && s->at[0] == '\\' && s->at[1] == 'u') {
		low = hex4(s->at + 2, s->end);
		if (low < 0)
			return refuse(s, "\\u takes four hexadecimal digits, not all 0");
		s->at += 6;
		if (low >= 0xdc00 && low <= 0xdfff)
			return EH_OK;
	}
	s->at = from;
	return refuse(s, INVALID);
}

/* Moves behind the byte or bytes at s->at, which are not plain. */
static eh_status skip_special(json_scan *s)
{
	unsigned char c = (unsigned char)*s->at;
	size_t size;

	if (c == '\\')
		return skip_escape(s);
	if (c < ' ')
		return refuse(s, "a control character within a string");
	size = text_utf8_size(s->at, (size_t)(s->end - s->at));
	if (size == 0)
		return refuse(s, "bytes that are not UTF-8");
	s->at += size;
	return EH_OK;
}

static inline bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

eh_status json_scan_string(json_scan *s, json_quoted *out)
{
	eh_status status = EH_OK;

	if (json_scan_peek(s) != '"')
		return refuse_byte(s);
	out->bytes = ++s->at;
	out->escaped = false;
	while (status == EH_OK) {
		while (s->end - s->at >= 8 && are_plain(s->at))
			s->at += 8;
		while (s->at < s->end && is_plain(*s->at))
			s->at++;
		if (s->at == s->end)
			return refuse(s, "the text ends within a string");
		if (*s->at == '"')
			break;
		out->escaped |= *s->at == '\\';
		status = skip_special(s);
	}
	out->size = (size_t)(s->at++ - out->bytes);
	return status;
}

bool json_quoted_is(json_quoted string, const char *plain)
{
	return string.size == strlen(plain) && memcmp(string.bytes, plain, string.size) == 0;
}

char *json_quoted_text(json_quoted string)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char *meaning;
	cJSON *item;

	if (!string.escaped) {
		meaning = memory_grow(NULL, string.size + 1);
		memcpy(meaning, string.bytes, string.size);
		meaning[string.size] = '\0';
		return meaning;
	}
	/* With its quotes.  The string is valid, so that only memory can fail.  cJSON keeps the place
	 * of the last error for all threads. */
	(void)pthread_mutex_lock(&lock);
	item = memory_insist(cJSON_ParseWithLength(string.bytes - 1, string.size + 2));
	(void)pthread_mutex_unlock(&lock);
	meaning = memory_text(item->valuestring);
	cJSON_Delete(item);
	return meaning;
}

/* ---- numbers and words ----------------------------------------------------------------------- */

/* A number as it is written: digits x 10^power; exact unless there are too many digits. */
typedef struct decimal { uint64_t digits; int count, power; } decimal;

/* Moves over digits; false when there are none. */
static bool take_digits(json_scan *s, decimal *d)
{
	const char *from = s->at;

	for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
		d->digits = d->digits * 10 + (uint64_t)(*s->at - '0');
		d->count += d->digits > 0;
	}
	return s->at > from;
}

static bool take(json_scan *s, char a, char b)
{
	if (s->at == s->end || (*s->at != a && *s->at != b))
		return false;
	s->at++;
	return true;
}

/* Moves over an exponent, if there is one. */
static eh_status take_exponent(json_scan *s, decimal *d)
{
	decimal exponent = { 0 };
	bool negative;

	if (!take(s, 'e', 'E'))
		return EH_OK;
	negative = s->at < s->end && *s->at == '-';
	(void)take(s, '+', '-');
	if (!take_digits(s, &exponent))
		return refuse(s, "a digit is missing in the exponent");
	if (exponent.count > 4)
		exponent.digits = 9999;
	d->power += negative ? -(int)exponent.digits : (int)exponent.digits;
	return EH_OK;
}

/* Moves behind the number at s->at. */
static eh_status take_decimal(json_scan *s, decimal *d)
{
	const char *point;

	(void)take(s, '-', '-');
	if (take(s, '0', '0')) {
		if (take_digits(s, d))
			return refuse(s, "a number does not begin with 0");
	} else if (!take_digits(s, d)) {
		return refuse(s, "a digit is missing");
	}
	if (take(s, '.', '.')) {
		point = s->at;
		if (!take_digits(s, d))
			return refuse(s, "a digit is missing after the point");
		d->power -= (int)(s->at - point);
	}
	return take_exponent(s, d);
}

/* One division or product of exact doubles rounds as reading the text does (Clinger, "How to read
 * floating point numbers accurately", 1990). */
static bool convert_quickly(const decimal *d, double *out)
{
	static const double powers[] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21,
		                         1e22 };

	if (d->count > 15 || d->power < -22 || d->power > 22)
		return false;
	*out = d->power < 0 ? (double)d->digits / powers[-d->power] :
	                      (double)d->digits * powers[d->power];
	return true;
}

eh_status json_scan_number(json_scan *s, double *out)
{
	const char *from;
	decimal d = { 0 };
	eh_status status;
	char copy[NUMBER_MAX + 1];
	size_t size;

	if (!json_starts_number(json_scan_peek(s)))
		return refuse_byte(s);
	from = s->at;
	status = take_decimal(s, &d);
	if (status != EH_OK)
		return status;
	size = (size_t)(s->at - from);
	if (size > NUMBER_MAX)
		return refuse(s, "a number of more than 60 characters");
	if (convert_quickly(&d, out)) {
		*out = *from == '-' ? -*out : *out;
		return EH_OK;
	}
	memcpy(copy, from, size);
	copy[size] = '\0';
	return text_parse_double(copy, out) ? EH_OK :
	       refuse(s, "a number beyond the range of a double");
}

static bool take_word(json_scan *s, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(s->end - s->at) < size || memcmp(s->at, word, size) != 0)
		return false;
	s->at += size;
	return true;
}

eh_status json_scan_bool(json_scan *s, bool *out)
{
	(void)json_scan_peek(s);
	*out = take_word(s, "true");
	return *out || take_word(s, "false") ? EH_OK : refuse_byte(s);
}

/* ---- any value ------------------------------------------------------------------------------- */

static eh_status skip_inside(json_scan *s, char closing)
{
	json_quoted name;
	bool more = false;
	eh_status status = json_scan_enter(s, &more);

	while (status == EH_OK && more) {
		if (closing == '}')
			status = json_scan_name(s, &name);
		if (status == EH_OK)
			status = json_scan_skip(s);
		if (status == EH_OK)
			status = json_scan_more(s, closing, &more);
	}
	return status;
}

eh_status json_scan_skip(json_scan *s)
{
	char c = json_scan_peek(s);
	json_quoted string;
	double number;
	bool truth;

	if (c == '{' || c == '[')
		return skip_inside(s, c == '{' ? '}' : ']');
	if (c == '"')
		return json_scan_string(s, &string);
	if (json_starts_number(c))
		return json_scan_number(s, &number);
	if (c == 'n')
		return take_word(s, "null") ? EH_OK : refuse_byte(s);
	return json_scan_bool(s, &truth);
}

eh_status json_scan_find(json_scan *s, const char *key, bool *found)
{
	bool more = false;
	eh_status status = json_scan_peek(s) == '{' ? json_scan_enter(s, &more) : json_scan_skip(s);

	*found = false;
	while (status == EH_OK && more) {
		json_quoted name;

		status = json_scan_name(s, &name);
		if (status == EH_OK && json_quoted_is(name, key)) {
			*found = true;
			return EH_OK;
		}
		if (status == EH_OK)
			status = json_scan_skip(s);
		if (status == EH_OK)
			status = json_scan_more(s, '}', &more);
	}
	return status;
}

eh_status json_scan_end(json_scan *s)
{
	skip_space(s);
	return s->at == s->end ? EH_OK : refuse(s, "there is text after the value");
}
