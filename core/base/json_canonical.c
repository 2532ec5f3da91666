/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical form of RFC 8785, and JSON as a text.  cJSON prints everything but numbers: it
 * would print 15 digits where they are within one epsilon, and so change 2^53. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"

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
		size_t size = text_utf8_size(s, strlen(s) < 4 ? strlen(s) : 4);

		if (size == 0)
			text_add_bytes(t, "\xef\xbf\xbd", 3);
		else
			text_add_bytes(t, s, size);
		s += size > 0 ? size : 1;
	}
}

char *json_clean(const char *s)
{
	text clean = { 0 };

	add_clean(&clean, s);
	text_add_bytes(&clean, "", 0);
	return clean.data;
}

void json_put_string(text *t, const char *s)
{
	cJSON item = { .type = cJSON_String };
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
	item.valuestring = json_clean(s);
	escaped = memory_insist(cJSON_PrintUnformatted(&item));
	text_add_bytes(t, escaped, strlen(escaped));
	free(escaped);
	free(item.valuestring);
}

/* ---- the canonical form ---------------------------------------------------------------------- */

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

static int by_name(const void *a, const void *b)
{
	return json_name_order((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

const cJSON **json_sorted(const cJSON *item, size_t *count)
{
	const cJSON **children;
	const cJSON *child;
	size_t n = 0;

	*count = (size_t)cJSON_GetArraySize(item);
	children = memory_grow(NULL, *count * sizeof(*children));
	cJSON_ArrayForEach(child, item)
		children[n++] = child;
	if (cJSON_IsObject(item))
		qsort(children, n, sizeof(*children), by_name);
	return children;
}

static void add_canonical(text *t, const cJSON *item);

static void add_members(text *t, const cJSON *item)
{
	size_t count;
	const cJSON **members = json_sorted(item, &count);

	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			text_add_bytes(t, ",", 1);
		json_put_string(t, members[i]->string);
		text_add_bytes(t, ":", 1);
		add_canonical(t, members[i]);
	}
	free(members);
}

static void add_elements(text *t, const cJSON *item)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, item) {
		if (element != item->child)
			text_add_bytes(t, ",", 1);
		add_canonical(t, element);
	}
}

static void add_canonical(text *t, const cJSON *item)
{
	switch (item->type & 0xff) {
	case cJSON_Object:
		text_add_bytes(t, "{", 1);
		add_members(t, item);
		text_add_bytes(t, "}", 1);
		break;
	case cJSON_Array:
		text_add_bytes(t, "[", 1);
		add_elements(t, item);
		text_add_bytes(t, "]", 1);
		break;
	case cJSON_Number: json_put_number(t, item->valuedouble); break;
	case cJSON_String: json_put_string(t, item->valuestring); break;
	case cJSON_True: text_add_bytes(t, "true", 4); break;
	case cJSON_False: text_add_bytes(t, "false", 5); break;
	default: text_add_bytes(t, "null", 4); break;
	}
}

char *json_canonical(const cJSON *item)
{
	text t = { 0 };

	add_canonical(&t, item);
	text_add_bytes(&t, "", 0);
	return t.data;
}

void json_digest(const cJSON *item, char hex[65])
{
	text t = { 0 };

	add_canonical(&t, item);
	digest_bytes(t.data, t.size, hex);
	text_free(&t);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Replaces numbers by raw items with their shortest texts. */
static void fix_numbers(cJSON *item)
{
	cJSON *child;

	if (cJSON_IsNumber(item)) {
		text number = { 0 };

		json_put_number(&number, item->valuedouble);
		item->valuestring = number.data;
		item->type = (item->type & ~0xff) | cJSON_Raw;
	}
	cJSON_ArrayForEach(child, item)
		fix_numbers(child);
}

char *json_text(const cJSON *item, bool pretty)
{
	cJSON *copy = json_copy(item);
	char *out;

	fix_numbers(copy);
	out = memory_insist(pretty ? cJSON_Print(copy) : cJSON_PrintUnformatted(copy));
	cJSON_Delete(copy);
	/* cJSON writes a tab after the colon; tabs in strings are escaped, so this finds only its
	 * own. */
	for (char *p = out; (p = strstr(p, ":\t")) != NULL;)
		p[1] = ' ';
	return out;
}
