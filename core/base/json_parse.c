/* SPDX-License-Identifier: Apache-2.0 */
/* A strict reader of JSON's grammar that makes cJSON's trees.  cJSON's own lets much pass: raw
 * control characters, "01", "1.", "-", U+0000 that cuts a string, unpaired surrogates, numbers cut
 * after 63 characters; and takes most of the time that reading a large result takes. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

enum { LEVELS_MAX = 64, NUMBER_MAX = 60, FEW_MEMBERS = 32 };

typedef struct scan {
	const char *text, *end, *at;
	const char *name;
	eh_error *error;
	bool build;
	json_arena *arena; /* NULL: nodes and texts are malloc'd                               */
	size_t size;       /* bytes of the last string that was built                          */
	cJSON spare;       /* stands for every node where none is built                        */
} scan;

static eh_status refuse(const scan *s, const char *what)
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

static bool take(scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool is_digit(const scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Not zeroed. */
static void *get(const scan *s, size_t size)
{
	if (s->arena != NULL)
		return json_arena_raw(s->arena, size);
	/* cJSON_Delete frees it. */
	return memory_grow(NULL, size);
}

static cJSON *new_node(scan *s)
{
	cJSON *item = s->build ? get(s, sizeof(*item)) : &s->spare;

	*item = (cJSON){ 0 };
	return item;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* The double of mantissa * 10^exponent where one correctly rounded operation gives it. */
static bool exact_number(uint64_t mantissa, int exponent, double *value)
{
#if FLT_EVAL_METHOD == 0
	static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
		                         1e21, 1e22 };

	if (mantissa > UINT64_C(1) << 53 || exponent < -22 || exponent > 22)
		return false;
	*value = exponent < 0 ? (double)mantissa / powers[-exponent] :
	                        (double)mantissa * powers[exponent];
	return true;
#else
	*value = (double)mantissa;
	return mantissa <= UINT64_C(1) << 53 && exponent == 0;
#endif
}

/* Takes digits into *mantissa as long as they fit; gives how many there were. */
static int take_digits(scan *s, uint64_t *mantissa, bool *fits)
{
	const char *from = s->at;

	for (; is_digit(s); s->at++) {
		if (*mantissa > (UINT64_MAX - 9) / 10)
			*fits = false;
		else
			*mantissa = *mantissa * 10 + (uint64_t)(*s->at - '0');
	}
	return s->at - from > INT_MAX ? INT_MAX : (int)(s->at - from);
}

static eh_status slow_number(scan *s, const char *from, double *value)
{
	char copy[NUMBER_MAX + 1];
	size_t size = (size_t)(s->at - from);

	memcpy(copy, from, size);
	copy[size] = '\0';
	if (text_parse_double(copy, value) && isfinite(*value))
		return EH_OK;
	s->at = from;
	return refuse(s, "a number beyond the range of a double");
}

static eh_status read_exponent(scan *s, int *exponent, bool *fits)
{
	uint64_t value = 0;
	bool negative;

	if (!take(s, 'e') && !take(s, 'E'))
		return EH_OK;
	negative = take(s, '-');
	if (!negative)
		take(s, '+');
	if (take_digits(s, &value, fits) == 0)
		return refuse(s, "a digit is missing in the exponent");
	if (value > 1000)
		*fits = false;
	else
		*exponent += negative ? -(int)value : (int)value;
	return EH_OK;
}

static eh_status read_number(scan *s, double *value)
{
	const char *from = s->at;
	bool negative = take(s, '-');
	uint64_t mantissa = 0;
	bool fits = true;
	int exponent = 0;
	eh_status status;

	if (!take(s, '0') && take_digits(s, &mantissa, &fits) == 0)
		return refuse(s, "a digit is missing");
	if (mantissa == 0 && is_digit(s))
		return refuse(s, "a number does not begin with 0");
	if (take(s, '.')) {
		int count = take_digits(s, &mantissa, &fits);

		if (count == 0)
			return refuse(s, "a digit is missing after the point");
		exponent = count > NUMBER_MAX ? 0 : -count;
	}
	status = read_exponent(s, &exponent, &fits);
	if (status != EH_OK)
		return status;
	if (s->at - from > NUMBER_MAX) {
		s->at = from;
		return refuse(s, "a number of more than 60 characters");
	}
	if (!fits || !exact_number(mantissa, exponent, value))
		return slow_number(s, from, value);
	if (negative)
		*value = -*value;
	return EH_OK;
}

/* Most numbers are a few digits; false, and nothing taken, for all others. */
static bool read_digits(scan *s, double *value)
{
	enum { FEW = 15 };
	const char *p = s->at;
	const char *until = s->end - p > FEW ? p + FEW : s->end;
	uint64_t mantissa = 0;

	if (*p == '0' || *p == '-')
		return false;
	for (; p < until && *p >= '0' && *p <= '9'; p++)
		mantissa = mantissa * 10 + (uint64_t)(*p - '0');
	if (p == until || *p == '.' || *p == 'e' || *p == 'E')
		return false;
	s->at = p;
	*value = (double)mantissa;
	return true;
}

static eh_status put_number(scan *s, cJSON *item)
{
	eh_status status = read_digits(s, &item->valuedouble) ? EH_OK :
	                   read_number(s, &item->valuedouble);

	item->type |= cJSON_Number;
	if (status != EH_OK)
		item->valuedouble = 0;
	item->valueint = item->valuedouble >= INT_MAX ? INT_MAX :
	                 item->valuedouble <= INT_MIN ? INT_MIN : (int)item->valuedouble;
	return status;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The four digits of \uXXXX; -1 when they are not. */
static long hex4(const char *p)
{
	long value = 0;

	for (int i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			value = value * 16 + (c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value * 16 + (c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			value = value * 16 + (c - 'A' + 10);
		else
			return -1;
	}
	return value;
}

/* At the backslash. */
static eh_status check_escape(scan *s)
{
	long unit;

	if (s->end - s->at < 2)
		return refuse(s, "the text ends within a string");
	if (s->at[1] != 'u') {
		if (s->at[1] == '\0' || strchr("\"\\/bfnrt", s->at[1]) == NULL)
			return refuse(s, "there is no such escape sequence");
		s->at += 2;
		return EH_OK;
	}
	unit = s->end - s->at >= 6 ? hex4(s->at + 2) : -1;
	if (unit < 0)
		return refuse(s, "\\u is followed by four hexadecimal digits");
	if (unit == 0)
		return refuse(s, "the character U+0000 is not allowed");
	if (unit >= 0xdc00 && unit <= 0xdfff)
		return refuse(s, "a surrogate without its first half");
	if (unit >= 0xd800 && unit <= 0xdbff) {
		long low = s->end - s->at >= 12 && s->at[6] == '\\' && s->at[7] == 'u' ?
		           hex4(s->at + 8) : -1;

		if (low < 0xdc00 || low > 0xdfff)
			return refuse(s, "a surrogate without its second half");
		s->at += 6;
	}
	s->at += 6;
	return EH_OK;
}

/* The first byte from p on that is a control, a quote, a backslash or none of ASCII. */
static const char *plain_end(const char *p, const char *end)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	static const uint64_t ones = UINT64_C(0x0101010101010101), highs = UINT64_C(0x8080808080808080);

	for (; end - p >= 8; p += 8) {
		uint64_t word;
		uint64_t quotes;
		uint64_t backslashes;
		uint64_t found;

		memcpy(&word, p, sizeof(word));
		quotes = word ^ ones * '"';
		backslashes = word ^ ones * '\\';
		/* A byte below the one subtracted borrows, so the lowest one found is right. */
		found = ((quotes - ones) | (backslashes - ones) | (word - ones * 0x20) | word) & highs;
		if (found != 0)
			return p + __builtin_ctzll(found) / 8;
	}
#endif
	while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
	       *p != '\\')
		p++;
	return p;
}

/* Over the string; *plain when it holds no escape. */
static eh_status check_string(scan *s, bool *plain)
{
	eh_status status;

	*plain = true;
	s->at++;
	while ((s->at = plain_end(s->at, s->end)) < s->end) {
		unsigned char c = (unsigned char)*s->at;
		size_t size;

		if (c == '"') {
			s->at++;
			return EH_OK;
		}
		if (c == '\\') {
			*plain = false;
			status = check_escape(s);
			if (status != EH_OK)
				return status;
			continue;
		}
		if (c < 0x20)
			return refuse(s, "a control character within a string");
		size = c < 0x80 ? 1 : text_utf8_size(s->at, (size_t)(s->end - s->at));
		if (size == 0)
			return refuse(s, "bytes that are not UTF-8");
		s->at += size;
	}
	return refuse(s, "the text ends within a string");
}

static char *put_utf8(char *out, unsigned long c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

/* The escape was checked. */
static char *put_escape(char *out, const char **at)
{
	static const char letters[] = "bfnrt", meant[] = "\b\f\n\r\t";
	const char *p = *at;
	const char *letter;
	unsigned long c;

	if (p[1] != 'u') {
		letter = strchr(letters, p[1]);
		*out++ = letter != NULL ? meant[letter - letters] : p[1];
		*at += 2;
		return out;
	}
	c = (unsigned long)hex4(p + 2);
	*at += 6;
	if (c >= 0xd800 && c <= 0xdbff) {
		c = 0x10000 + ((c - 0xd800) << 10) + ((unsigned long)hex4(p + 8) - 0xdc00);
		*at += 6;
	}
	return put_utf8(out, c);
}

/* *out is NULL where nothing is built. */
static eh_status read_string(scan *s, char **out)
{
	const char *from = s->at + 1;
	const char *until;
	bool plain;
	char *to;
	eh_status status = check_string(s, &plain);

	*out = NULL;
	if (status != EH_OK || !s->build)
		return status;
	until = s->at - 1;
	s->size = (size_t)(until - from);
	/* What is escaped is never shorter than what is meant. */
	to = *out = get(s, (size_t)(until - from) + 1);
	if (plain) {
		memcpy(to, from, (size_t)(until - from));
		to[until - from] = '\0';
		return EH_OK;
	}
	while (from < until) {
		if (*from == '\\')
			to = put_escape(to, &from);
		else
			*to++ = *from++;
	}
	*to = '\0';
	s->size = (size_t)(to - *out);
	return EH_OK;
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
		return refuse(s, "a member's name in quotes is missing");
	status = read_string(s, &item->string);
	if (status != EH_OK)
		return status;
	skip_space(s);
	return take(s, ':') ? EH_OK : refuse(s, "':' is missing");
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
		return refuse(s, "more than 64 levels");
	s->at++;
	parent->type |= close == '}' ? cJSON_Object : cJSON_Array;
	skip_space(s);
	if (take(s, close))
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
		if (take(s, close))
			return seen.twice || seen.count > FEW_MEMBERS ?
			       refuse_twice(s, parent, seen.count) : EH_OK;
		if (!take(s, ','))
			return refuse(s, close == '}' ? "',' or '}' is missing" : "',' or ']' is missing");
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
		return refuse(s, "a value is missing");
	if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9'))
		return put_number(s, item);
	if (*s->at == '{')
		return read_children(s, level, '}', item);
	if (*s->at == '[')
		return read_children(s, level, ']', item);
	if (*s->at == '"') {
		item->type |= cJSON_String;
		return read_string(s, &item->valuestring);
	}
	if (take_word(s, "true"))
		item->type |= cJSON_True;
	else if (take_word(s, "false"))
		item->type |= cJSON_False;
	else if (take_word(s, "null"))
		item->type |= cJSON_NULL;
	else
		return refuse(s, "this is not a JSON value");
	return EH_OK;
}

static eh_status read_whole(scan *s, int level, cJSON **out)
{
	cJSON *item = new_node(s);
	eh_status status = read_value(s, level, item);

	if (status == EH_OK) {
		skip_space(s);
		if (s->at != s->end)
			status = refuse(s, "there is text after the value");
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
