/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON.  cJSON's own writer takes 15 digits when the value read back is within one
 * epsilon, which is another number, and makes NaN null. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/shortest.h"
#include "base/text.h"

enum style { STYLE_LINE, STYLE_PRETTY, STYLE_CANONICAL };

/* Where the text goes: all of it stays, or a full buffer goes into the digest. */
typedef struct sink {
	char *data;
	size_t size, room;
	digest *into; /* NULL: all stays */
} sink;

enum { DIGEST_CHUNK = 1 << 14 };

static void write_value(sink *t, const cJSON *item, enum style style, int level);

static void flush(sink *t)
{
	digest_add(t->into, t->data, t->size);
	t->size = 0;
}

/* Room for more bytes, of which a digest takes at most a chunk at once. */
static void make_room(sink *t, size_t more)
{
	if (t->room - t->size >= more)
		return;
	if (t->into != NULL && more <= t->room) {
		flush(t);
		return;
	}
	t->room = t->room > 0 ? t->room : 256;
	while (t->room - t->size < more)
		t->room *= 2;
	t->data = memory_grow(t->data, t->room);
}

static void put(sink *t, const char *data, size_t size)
{
	make_room(t, size);
	memcpy(t->data + t->size, data, size);
	t->size += size;
}

static void put_char(sink *t, char c)
{
	make_room(t, 1);
	t->data[t->size++] = c;
}

/* What stands for itself in a string: 1. */
static const unsigned char plain[256] = {
	[' '] = 1, [0x21] = 1, [0x23 ... 0x5b] = 1, [0x5d ... 0xff] = 1
};

static void put_escape(sink *t, char c)
{
	static const char digits[] = "0123456789abcdef";
	char unicode[6] = { '\\', 'u', '0', '0', digits[c >> 4 & 15], digits[c & 15] };

	switch (c) {
	case '"': put(t, "\\\"", 2); break;
	case '\\': put(t, "\\\\", 2); break;
	case '\b': put(t, "\\b", 2); break;
	case '\f': put(t, "\\f", 2); break;
	case '\n': put(t, "\\n", 2); break;
	case '\r': put(t, "\\r", 2); break;
	case '\t': put(t, "\\t", 2); break;
	default: put(t, unicode, sizeof(unicode)); break;
	}
}

static void write_string(sink *t, const char *s)
{
	put_char(t, '"');
	for (;;) {
		size_t size = 0;

		while (plain[(unsigned char)s[size]])
			size++;
		put(t, s, size);
		s += size;
		if (*s == '\0')
			break;
		put_escape(t, *s++);
	}
	put_char(t, '"');
}

/* A plugin or driver may have changed the process's locale. */
static void force_point(char *number)
{
	char *comma = strchr(number, ',');

	if (comma != NULL)
		*comma = '.';
}

static void put_power(sink *t, int exponent)
{
	char power[16];

	put(t, power, (size_t)snprintf(power, sizeof(power), "e%+d", exponent));
}

/* Number::toString of ECMAScript, which RFC 8785 prescribes. */
static void write_shortest(sink *t, double value)
{
	char digits[20];
	int k, n;

	if (!(value < 0) && !(value > 0)) {
		put(t, "0", 1);
		return;
	}
	if (value < 0)
		put(t, "-", 1);
	k = (int)shortest_digits(fabs(value), digits, &n);
	n++;
	if (k <= n && n <= 21) {
		put(t, digits, (size_t)k);
		put(t, "000000000000000000000", (size_t)(n - k));
	} else if (0 < n && n < k) {
		put(t, digits, (size_t)n);
		put(t, ".", 1);
		put(t, digits + n, (size_t)(k - n));
	} else if (-6 < n && n <= 0) {
		put(t, "0.000000", (size_t)(2 - n));
		put(t, digits, (size_t)k);
	} else if (k == 1) {
		put(t, digits, 1);
		put_power(t, n - 1);
	} else {
		put(t, digits, 1);
		put_char(t, '.');
		put(t, digits + 1, (size_t)(k - 1));
		put_power(t, n - 1);
	}
}

/* Of a value that an int64_t can hold. */
static bool is_whole(double value)
{
	double whole = (double)(int64_t)value;

	return whole >= value && whole <= value;
}

static void write_whole(sink *t, double value)
{
	uint64_t rest = (uint64_t)fabs(value);
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest != 0);
	if (value < 0)
		digits[--at] = '-';
	put(t, digits + at, sizeof(digits) - at);
}

static void write_number(sink *t, double value, enum style style)
{
	char number[40];

	if (!isfinite(value)) {
		fputs("evenhand: error: a number that is not finite cannot be written; this is a bug\n",
		      stderr);
		abort();
	}
	if (fabs(value) <= 9007199254740992.0 && is_whole(value)) {
		write_whole(t, value);
	} else if (style == STYLE_CANONICAL) {
		write_shortest(t, value);
	} else {
		snprintf(number, sizeof(number), "%.17g", value);
		force_point(number);
		put(t, number, strlen(number));
	}
}

static void write_break(sink *t, enum style style, int level)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";

	if (style != STYLE_PRETTY)
		return;
	put(t, "\n", 1);
	for (; level > 0; level -= 16)
		put(t, tabs, level < 16 ? (size_t)level : 16);
}

static void write_array(sink *t, const cJSON *array, enum style style, int level)
{
	bool flat = true; /* plain values stand in one line */
	const cJSON *item;

	cJSON_ArrayForEach(item, array)
		if (cJSON_IsArray(item) || cJSON_IsObject(item))
			flat = false;
	put_char(t, '[');
	cJSON_ArrayForEach(item, array) {
		if (item != array->child)
			put(t, ", ", flat && style == STYLE_PRETTY ? 2 : 1);
		if (!flat)
			write_break(t, style, level + 1);
		write_value(t, item, style, level + 1);
	}
	if (!flat)
		write_break(t, style, level);
	put_char(t, ']');
}

/* A member with the first bytes of its name as a number that orders as they do; 0 where that is not
 * the order of the names. */
typedef struct member { const cJSON *item; uint64_t order; } member;

static uint64_t order_of(const char *name)
{
	uint64_t order = 0;

	for (int i = 0; i < 8; i++) {
		if ((unsigned char)*name >= 0x80)
			return 0;
		order = order << 8 | (unsigned char)*name;
		name += *name != '\0';
	}
	return order;
}

/* Orders names by their UTF-16 code units: as their bytes, but for characters above U+FFFF,
 * whose surrogates come before U+E000. */
static int by_utf16(const void *a, const void *b)
{
	const member *m = a;
	const member *n = b;
	const unsigned char *x = (const unsigned char *)m->item->string;
	const unsigned char *y = (const unsigned char *)n->item->string;

	if (m->order != 0 && n->order != 0 && m->order != n->order)
		return m->order < n->order ? -1 : 1;
	while (*x != '\0' && *x == *y) {
		x++;
		y++;
	}
	if (*x >= 0xf0 && (*y == 0xee || *y == 0xef))
		return -1;
	if (*y >= 0xf0 && (*x == 0xee || *x == 0xef))
		return 1;
	return (*x > *y) - (*x < *y);
}

/* Most objects are small, and qsort gets memory for each. */
static void sort_members(member *members, size_t count)
{
	for (size_t i = 0; i < count; i++)
		members[i].order = order_of(members[i].item->string);
	if (count > 32) {
		qsort(members, count, sizeof(*members), by_utf16);
		return;
	}
	for (size_t i = 1; i < count; i++) {
		member one = members[i];
		size_t at = i;

		for (; at > 0 && by_utf16(&members[at - 1], &one) > 0; at--)
			members[at] = members[at - 1];
		members[at] = one;
	}
}

static void write_object(sink *t, const cJSON *object, enum style style, int level)
{
	enum { FEW = 32 };
	member few[FEW];
	member *many = NULL;
	member *members;
	size_t count = 0, i = 0;
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
		count++;
	if (count > FEW)
		many = memory_get(count * sizeof(*many));
	members = many != NULL ? many : few;
	cJSON_ArrayForEach(item, object)
		members[i++].item = item;
	if (style == STYLE_CANONICAL)
		sort_members(members, count);
	put_char(t, '{');
	for (i = 0; i < count; i++) {
		if (i > 0)
			put_char(t, ',');
		write_break(t, style, level + 1);
		write_string(t, members[i].item->string);
		put(t, ": ", style == STYLE_PRETTY ? 2 : 1);
		write_value(t, members[i].item, style, level + 1);
	}
	if (count > 0)
		write_break(t, style, level);
	put_char(t, '}');
	free(many);
}

static void write_word(sink *t, const char *word)
{
	put(t, word, strlen(word));
}

static void write_value(sink *t, const cJSON *item, enum style style, int level)
{
	switch (item->type & 0xff) {
	case cJSON_Object: write_object(t, item, style, level); break;
	case cJSON_Array: write_array(t, item, style, level); break;
	case cJSON_String: write_string(t, item->valuestring); break;
	case cJSON_Number: write_number(t, item->valuedouble, style); break;
	case cJSON_True: write_word(t, "true"); break;
	case cJSON_False: write_word(t, "false"); break;
	default: write_word(t, "null"); break;
	}
}

static char *written(const cJSON *item, enum style style)
{
	sink t = { 0 };

	write_value(&t, item, style, 0);
	put_char(&t, '\0');
	return t.data;
}

char *json_text(const cJSON *item, bool pretty)
{
	return written(item, pretty ? STYLE_PRETTY : STYLE_LINE);
}

char *json_canonical(const cJSON *item)
{
	return written(item, STYLE_CANONICAL);
}

void json_digest(const cJSON *item, char hex[65])
{
	sink t = { .data = memory_grow(NULL, DIGEST_CHUNK), .room = DIGEST_CHUNK,
		   .into = digest_new() };

	write_value(&t, item, STYLE_CANONICAL, 0);
	flush(&t);
	digest_end(t.into, hex);
	free(t.data);
}
