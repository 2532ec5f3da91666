/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

/* Writes the digits of value without a NUL; returns their number, at most 20. */
static int put_digits(uint64_t value, char *out)
{
	char reversed[20];
	int count = 0;

	do
		reversed[count++] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	for (int i = 0; i < count; i++)
		out[i] = reversed[count - 1 - i];
	return count;
}

static bool reads_back(uint64_t significand, int exponent, double value)
{
	char decimal[40];
	int size = put_digits(significand, decimal);
	double back;

	decimal[size++] = 'e';
	if (exponent < 0)
		decimal[size++] = '-';
	size += put_digits((uint64_t)abs(exponent), decimal + size);
	decimal[size] = '\0';
	return text_parse_double(decimal, &back) && !(back < value) && !(back > value);
}

/* Rounds value > 0 to that many significant digits: the result times 10^*exponent. */
static uint64_t rounded(double value, int digits, int *exponent)
{
	char decimal[40];
	uint64_t significand = 0;
	const char *p;

	snprintf(decimal, sizeof(decimal), "%.*e", digits - 1, value);
	/* The decimal point depends on the locale: only digits are taken. */
	for (p = decimal; *p != 'e'; p++)
		if (*p >= '0' && *p <= '9')
			significand = significand * 10 + (uint64_t)(*p - '0');
	*exponent = atoi(p + 1) - (digits - 1);
	return significand;
}

/* Whether the nearest decimal of some digits reads back as value, or the next one above: doubles
 * above a power of two are twice as far apart as those below it. */
static bool nearest_reads_back(uint64_t *significand, int exponent, double value)
{
	int power;

	if (reads_back(*significand, exponent, value))
		return true;
	return frexp(value, &power) <= 0.5 && reads_back(++*significand, exponent, value);
}

/* The shortest for numbers below DBL_MIN, which have any number of digits. */
static uint64_t shortest_subnormal(double value, int *exponent)
{
	uint64_t significand;

	for (int digits = 1;; digits++) {
		significand = rounded(value, digits, exponent);
		if (digits == DBL_DECIMAL_DIG || nearest_reads_back(&significand, *exponent, value))
			return significand;
	}
}

/* The shortest decimal that reads back as value > 0; of several the nearest. */
static uint64_t shortest(double value, int *exponent)
{
	double millionths = nearbyint(value * 1e6);
	uint64_t all, best, fewer;
	int power;

	/* Numbers with few decimals.  Division rounds as reading does: if the quotient equals the
	 * value, this decimal reads back. */
	*exponent = -6;
	if (millionths < 1e15 && !(millionths / 1e6 < value) && !(millionths / 1e6 > value))
		return (uint64_t)millionths;
	if (value < DBL_MIN)
		return shortest_subnormal(value, exponent);
	all = rounded(value, DBL_DECIMAL_DIG, &power);
	best = all;
	*exponent = power;
	/* 16 digits, then 15: if fewer are enough, the rest are zeros. */
	for (uint64_t scale = 10; scale <= 100; scale *= 10) {
		int at = power + (scale == 10 ? 1 : 2);

		/* What was rounded to a half already must be rounded from the value. */
		fewer = all % scale == scale / 2 ? rounded(value, DBL_DECIMAL_DIG - (at - power), &at) :
		                                   (all + scale / 2) / scale;
		if (!nearest_reads_back(&fewer, at, value))
			break;
		best = fewer;
		*exponent = at;
	}
	return best;
}

/* Number::toString of ECMAScript for value > 0. */
static void put_shortest(double value, char *out, size_t room)
{
	char digits[24];
	int exponent, count, point;
	uint64_t significand = shortest(value, &exponent);

	while (significand % 10 == 0) {
		significand /= 10;
		exponent++;
	}
	count = put_digits(significand, digits);
	digits[count] = '\0';
	point = count + exponent; /* the number of digits before the point */
	if (count <= point && point <= 21)
		snprintf(out, room, "%s%.*s", digits, exponent, "000000000000000000000");
	else if (0 < point && point <= 21)
		snprintf(out, room, "%.*s.%s", point, digits, digits + point);
	else if (-6 < point && point <= 0)
		snprintf(out, room, "0.%.*s%s", -point, "00000", digits);
	else
		snprintf(out, room, "%c%s%se%+d", digits[0], count > 1 ? "." : "", digits + 1,
		         point - 1);
}

void json_put_uint(text *t, uint64_t value)
{
	char digits[20];
	int size = put_digits(value, digits);

	if (value > UINT64_C(1) << 53)
		text_add_bytes(t, "\"", 1);
	text_add_bytes(t, digits, (size_t)size);
	if (value > UINT64_C(1) << 53)
		text_add_bytes(t, "\"", 1);
}

void json_put_number(text *t, double value)
{
	double size = fabs(value);
	char digits[48];

	if (!isfinite(value)) {
		fputs("evenhand: error: a number is not finite; this is a bug\n", stderr);
		abort();
	}
	if (value < 0)
		text_add_bytes(t, "-", 1);
	if (size <= 0x1p53 && (double)(uint64_t)size >= size) {
		text_add_bytes(t, digits, (size_t)put_digits((uint64_t)size, digits));
		return;
	}
	put_shortest(size, digits, sizeof(digits));
	text_add_bytes(t, digits, strlen(digits));
}

/* ---- strings --------------------------------------------------------------------------------- */

/* Appends s with bytes that are not UTF-8 replaced by U+FFFD: texts of drivers may have them. */
static void add_clean(text *t, const char *s)
{
	while (*s != '\0') {
		size_t size = text_utf8_size(s, strnlen(s, 4));

		if (size == 0)
			text_add_bytes(t, "\xef\xbf\xbd", 3);
		else
			text_add_bytes(t, s, size);
		s += size > 0 ? size : 1;
	}
}

void json_put_string(text *t, const char *s)
{
	cJSON item = { .type = cJSON_String };
	text clean = { 0 };
	char *escaped;
	size_t size = 0;

	while ((unsigned char)s[size] >= ' ' && (unsigned char)s[size] < 0x80 && s[size] != '"' &&
	       s[size] != '\\')
		size++;
	if (s[size] == '\0') {
		text_add_bytes(t, "\"", 1);
		text_add_bytes(t, s, size);
		text_add_bytes(t, "\"", 1);
		return;
	}
	/* cJSON escapes as RFC 8785 requires. */
	add_clean(&clean, s);
	item.valuestring = clean.data;
	escaped = memory_insist(cJSON_PrintUnformatted(&item));
	text_add_bytes(t, escaped, strlen(escaped));
	free(escaped);
	text_free(&clean);
}

int json_name_order(const char *a, const char *b)
{
	const unsigned char *x = (const unsigned char *)a;
	const unsigned char *y = (const unsigned char *)b;

	while (*x != '\0' && *x == *y) {
		x++;
		y++;
	}
	/* The order of UTF-16 units is that of the bytes, except that characters above U+FFFF come
	 * before U+E000. */
	if (*x >= 0xee && *y >= 0xee && (*x >= 0xf0) != (*y >= 0xf0))
		return *x >= 0xf0 ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* ---- indented texts -------------------------------------------------------------------------- */

static size_t quoted_size(const char *s)
{
	const char *p = s + 1;

	while (*p != '"')
		p += *p == '\\' ? 2 : 1;
	return (size_t)(p - s) + 1;
}

static void put_line(text *t, const char *before, unsigned depth)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";

	text_add_bytes(t, before, strlen(before));
	text_add_bytes(t, "\n", 1);
	for (unsigned most = sizeof(tabs) - 1; depth > 0; depth -= depth < most ? depth : most)
		text_add_bytes(t, tabs, depth < most ? depth : most);
}

/* A bracket or what is between two values; `objects` has a bit for each open bracket, 1 for an object. */
static void put_mark(text *t, char mark, uint64_t *objects, unsigned *depth)
{
	bool in_object = (*objects & 1) != 0;

	if (mark == '{' || mark == '[') {
		*objects = *objects << 1 | (mark == '{');
		++*depth;
	} else if (mark == '}' || mark == ']') {
		*objects >>= 1;
		--*depth;
	}
	if (mark == '{')
		put_line(t, "{", *depth);
	else if (mark == '}')
		put_line(t, "", *depth);
	else if (mark == ',' && in_object)
		put_line(t, ",", *depth);
	if (mark != '{' && (mark != ',' || !in_object))
		text_add_bytes(t, &mark, 1);
	if (mark == ':' || (mark == ',' && !in_object))
		text_add_bytes(t, " ", 1);
}

void json_put_indented(text *t, const char *body, unsigned depth)
{
	uint64_t objects = 0;

	for (size_t size; *body != '\0'; body += size) {
		size = *body == '"' ? quoted_size(body) : strcspn(body, "{}[],:\"");
		if (size > 0) {
			text_add_bytes(t, body, size);
		} else if (strncmp(body, "{}", 2) == 0) {
			text_add_bytes(t, body, size = 2);
		} else {
			put_mark(t, *body, &objects, &depth);
			size = 1;
		}
	}
}

char *json_indent(const char *body)
{
	text t = { 0 };

	json_put_indented(&t, body, 0);
	return t.data;
}
