/* SPDX-License-Identifier: Apache-2.0 */
/* Reading JSON with cJSON.  A pass over the bytes before and a pass over the tree after parsing
 * refuse inputs that cJSON accepts but RFC 8259 or this program does not. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

enum { LEVELS_MAX = 64, NUMBER_MAX = 60 };

typedef struct scan {
	const char *text;     /* the whole text, for the place in messages                      */
	const char *at, *end; /* the part not read yet                                          */
	const char *name;
	eh_error *error;
} scan;

/* EH_E_FORMAT with the place of s->at: "NAME:3:17: what". */
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

/* ---- the pass over the bytes ----------------------------------------------------------------- */

/* Accepts \uXXXX except U+0000, which would end the C string.  cJSON checks surrogates. */
static bool is_unicode_escape(const char *p, const char *end)
{
	bool zero = true;

	for (int i = 2; i < 6; i++) {
		if (end - p <= i || !isxdigit((unsigned char)p[i]))
			return false;
		zero = zero && p[i] == '0';
	}
	return !zero;
}

/* Moves from the opening quote to behind the closing one. */
static eh_status check_string(scan *s)
{
	const char *end = s->end;
	size_t size;

	for (s->at++; s->at < end; s->at += size) {
		const char *at = s->at;
		unsigned char c;

		while (at < end && *at >= ' ' && *at != '"' && *at != '\\')
			at++;
		s->at = at;
		if (at == end)
			break;
		c = (unsigned char)*at;
		size = 1;
		if (c == '"') {
			s->at++;
			return EH_OK;
		}
		if (c == '\\') {
			size = 2;
			if (s->end - s->at < 2)
				break;
			if (s->at[1] == 'u' && !is_unicode_escape(s->at, s->end))
				return refuse(s, "\\u takes four hexadecimal digits, not all 0");
		} else if (c < ' ') {
			return refuse(s, "a control character within a string");
		} else if (c >= 0x80) {
			size = text_utf8_size(s->at, (size_t)(s->end - s->at));
			if (size == 0)
				return refuse(s, "bytes that are not UTF-8");
		}
	}
	s->at = s->end;
	return refuse(s, "the text ends within a string");
}

static bool skip_digits(scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
		s->at++;
	return s->at > from;
}

static bool skip(scan *s, char a, char b)
{
	if (s->at == s->end || (*s->at != a && *s->at != b))
		return false;
	s->at++;
	return true;
}

static bool is_finite(const char *number, size_t size)
{
	char copy[NUMBER_MAX + 1];
	double value;

	memcpy(copy, number, size);
	copy[size] = '\0';
	return text_parse_double(copy, &value);
}

/* Moves from the first digit or the minus to behind the number. */
static eh_status check_number(scan *s)
{
	const char *from = s->at;
	bool power;

	(void)skip(s, '-', '-');
	if (!skip(s, '0', '0') && !skip_digits(s))
		return refuse(s, "a digit is missing");
	if (from[*from == '-'] == '0' && skip_digits(s))
		return refuse(s, "a number does not begin with 0");
	if (skip(s, '.', '.') && !skip_digits(s))
		return refuse(s, "a digit is missing after the point");
	power = skip(s, 'e', 'E');
	if (power)
		(void)skip(s, '+', '-');
	if (power && !skip_digits(s))
		return refuse(s, "a digit is missing in the exponent");
	/* cJSON would cut a number after 63 characters. */
	if (s->at - from > NUMBER_MAX)
		return refuse(s, "a number of more than 60 characters");
	if (power && !is_finite(from, (size_t)(s->at - from)))
		return refuse(s, "a number beyond the range of a double");
	return EH_OK;
}

/* Checks one string, number or other byte; *level counts the open brackets. */
static eh_status check_token(scan *s, int *level)
{
	unsigned char c = (unsigned char)*s->at;

	if (c == '"')
		return check_string(s);
	if (c == '-' || (c >= '0' && c <= '9'))
		return check_number(s);
	/* cJSON would treat every control character as white space and skip a byte order mark. */
	if ((c < ' ' && c != '\n' && c != '\t' && c != '\r') || c >= 0x80)
		return refuse(s, "a byte that is not part of JSON");
	if ((c == '{' || c == '[') && ++*level > LEVELS_MAX)
		return refuse(s, "more than 64 levels");
	*level -= c == '}' || c == ']';
	s->at++;
	return EH_OK;
}

/* Checks that brackets are closed, too: cJSON 1.7.15 reads one byte too far in a text that ends
 * after a comma. */
static eh_status check_bytes(scan *s, int level)
{
	int open = level;
	eh_status status = EH_OK;

	while (s->at < s->end && status == EH_OK)
		status = check_token(s, &open);
	if (status == EH_OK && open > level)
		return refuse(s, "the text ends within an object or array");
	return status;
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* A member name that occurs twice in one object, or NULL. */
static const char *doubled_name(const cJSON *item)
{
	const char *found = NULL;
	const cJSON *child;

	if (cJSON_IsObject(item)) {
		size_t count;
		const cJSON **members = json_sorted(item, &count);

		for (size_t i = 1; i < count && found == NULL; i++)
			if (strcmp(members[i - 1]->string, members[i]->string) == 0)
				found = members[i]->string;
		free(members);
	}
	for (child = item->child; child != NULL && found == NULL; child = child->next)
		found = doubled_name(child);
	return found;
}

static eh_status check_names(const char *name, const cJSON *item, eh_error *error)
{
	const char *doubled = doubled_name(item);

	if (doubled == NULL)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "%s: the member \"%.80s\" occurs twice in one object",
	                 name, doubled);
}

eh_status json_parse_at(const char *given, json_span part, int level, const char *name, cJSON **out,
                        eh_error *error)
{
	scan s = { .text = given, .at = given + part.start, .end = given + part.end, .name = name,
		   .error = error };
	eh_status status = check_bytes(&s, level);
	cJSON *item;

	if (status != EH_OK)
		return status;
	errno = 0;
	item = cJSON_ParseWithLengthOpts(given + part.start, part.end - part.start, &s.at, false);
	if (item == NULL && errno == ENOMEM)
		memory_insist(NULL);
	if (item == NULL) {
		(void)refuse(&s, "this is not valid JSON");
		return EH_E_FORMAT;
	}
	while (s.at < s.end && isspace((unsigned char)*s.at))
		s.at++;
	if (s.at < s.end) {
		cJSON_Delete(item);
		(void)refuse(&s, "there is text after the value");
		return EH_E_FORMAT;
	}
	*out = item;
	return EH_OK;
}

eh_status json_parse(const char *given, size_t size, const char *name, cJSON **out, eh_error *error)
{
	cJSON *item;
	eh_status status = json_parse_at(given, (json_span){ 0, size }, 0, name, &item, error);

	if (status != EH_OK)
		return status;
	status = check_names(name, item, error);
	if (status == EH_OK)
		*out = item;
	else
		cJSON_Delete(item);
	return status;
}

eh_status json_read(const char *path, cJSON **out, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status = file_read(path, &data, &size, error);

	if (status != EH_OK)
		return status;
	status = json_parse(data, size, path, out, error);
	free(data);
	return status;
}
