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
	double back;

	snprintf(decimal, sizeof(decimal), "%llue%d", (unsigned long long)significand, exponent);
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

/* The shortest decimal that reads back as value > 0; of several the nearest. */
static uint64_t shortest(double value, int *exponent)
{
	/* Start with 15 digits: if fewer are enough for a normal number, the rest are zeros. */
	int digits = value < DBL_MIN ? 1 : 15;
	double millionths = nearbyint(value * 1e6);
	uint64_t significand;
	int power;

	/* Fast path for numbers with few decimals.  Division rounds as reading does: if the
	 * quotient equals the value, this decimal reads back. */
	*exponent = -6;
	if (millionths < 1e15 && !(millionths / 1e6 < value) && !(millionths / 1e6 > value))
		return (uint64_t)millionths;
	for (;; digits++) {
		significand = rounded(value, digits, exponent);
		if (digits == DBL_DECIMAL_DIG || reads_back(significand, *exponent, value))
			return significand;
		/* Doubles above a power of two are twice as far apart as those below it: the next
		 * decimal above may read back although the nearest one, below, does not. */
		if (frexp(value, &power) <= 0.5 && reads_back(significand + 1, *exponent, value))
			return significand + 1;
	}
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

void json_number(double value, char out[48])
{
	double size = fabs(value);

	if (!isfinite(value)) {
		fputs("evenhand: error: a number is not finite; this is a bug\n", stderr);
		abort();
	}
	if (value < 0)
		*out++ = '-';
	if (size <= 9007199254740992.0 && (double)(uint64_t)size >= size)
		out[put_digits((uint64_t)size, out)] = '\0';
	else
		put_shortest(size, out, 47);
}

/* ---- the canonical form ---------------------------------------------------------------------- */

/* Orders members by the UTF-16 code units of their names.  This is the order of their bytes, except
 * that characters above U+FFFF come before U+E000. */
static int by_utf16(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)(*(const cJSON *const *)a)->string;
	const unsigned char *y = (const unsigned char *)(*(const cJSON *const *)b)->string;

	while (*x != '\0' && *x == *y) {
		x++;
		y++;
	}
	if (*x >= 0xee && *y >= 0xee && (*x >= 0xf0) != (*y >= 0xf0))
		return *x >= 0xf0 ? -1 : 1;
	return (*x > *y) - (*x < *y);
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
		qsort(children, n, sizeof(*children), by_utf16);
	return children;
}

static void add_canonical(text *t, const cJSON *item);

/* As text_add_bytes, inlined because most pieces are short. */
static inline void put(text *t, const char *data, size_t size)
{
	if (t->room <= t->size + size) {
		text_add_bytes(t, data, size);
		return;
	}
	memcpy(t->data + t->size, data, size);
	t->size += size;
}

static void add_string(text *t, const char *s)
{
	const cJSON item = { .type = cJSON_String, .valuestring = (char *)s };
	size_t size = 0;
	char *escaped;

	while ((unsigned char)s[size] >= ' ' && s[size] != '"' && s[size] != '\\')
		size++;
	if (s[size] == '\0') {
		put(t, "\"", 1);
		put(t, s, size);
		put(t, "\"", 1);
		return;
	}
	/* cJSON escapes as RFC 8785 requires. */
	escaped = memory_insist(cJSON_PrintUnformatted(&item));
	put(t, escaped, strlen(escaped));
	free(escaped);
}

static void add_members(text *t, const cJSON *item)
{
	size_t count;
	const cJSON **members = json_sorted(item, &count);

	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			put(t, ",", 1);
		add_string(t, members[i]->string);
		put(t, ":", 1);
		add_canonical(t, members[i]);
	}
	free(members);
}

static void add_elements(text *t, const cJSON *item)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, item) {
		if (element != item->child)
			put(t, ",", 1);
		add_canonical(t, element);
	}
}

static void add_canonical(text *t, const cJSON *item)
{
	char number[48];

	switch (item->type & 0xff) {
	case cJSON_Object:
		put(t, "{", 1);
		add_members(t, item);
		put(t, "}", 1);
		break;
	case cJSON_Array:
		put(t, "[", 1);
		add_elements(t, item);
		put(t, "]", 1);
		break;
	case cJSON_Number:
		json_number(item->valuedouble, number);
		put(t, number, strlen(number));
		break;
	case cJSON_String: add_string(t, item->valuestring); break;
	case cJSON_True: put(t, "true", 4); break;
	case cJSON_False: put(t, "false", 5); break;
	default: put(t, "null", 4); break;
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
	char number[48];
	cJSON *child;

	if (cJSON_IsNumber(item)) {
		json_number(item->valuedouble, number);
		item->valuestring = memory_text(number);
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
