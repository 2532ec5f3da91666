/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* Without memory nothing can be undone.  What stands under its final name is whole at any time, and the
 * next writer removes what was being written. */
__attribute__((noreturn)) static void exhausted(void)
{
	static const char said[] = "evenhand: error: the memory that this process may have is used up; "
	                           "allow it more (ulimit -v, the container's limit), or give it fewer "
	                           "and smaller files\n";

	(void)!write(STDERR_FILENO, said, sizeof(said) - 1);
	_exit(EXIT_CODE_ENVIRONMENT);
}

void *memory_insist(void *p)
{
	if (p == NULL)
		exhausted();
	return p;
}

void *memory_get(size_t size)
{
	return memory_insist(calloc(1, size > 0 ? size : 1));
}

void *memory_grow(void *old, size_t size)
{
	return memory_insist(realloc(old, size > 0 ? size : 1));
}

char *memory_text(const char *s)
{
	size_t size = strlen(s) + 1;

	return memcpy(memory_get(size), s, size);
}

char *memory_format(const char *format, ...)
{
	char *out = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&out, format, args) < 0)
		exhausted();
	va_end(args);
	return out;
}

/* ---- growing text ---------------------------------------------------------------------------- */

char *text_reserve(text *t, size_t more)
{
	size_t room = t->room > 0 ? t->room : 64;

	if (more > SIZE_MAX / 2 - t->size)
		exhausted();
	while (room < t->size + more + 1)
		room *= 2;
	if (room != t->room) {
		t->data = memory_grow(t->data, room);
		t->room = room;
	}
	return t->data;
}

void text_add(text *t, const char *format, ...)
{
	va_list args, again;
	int size;

	(void)text_reserve(t, 120);
	va_start(args, format);
	va_copy(again, args);
	size = vsnprintf(t->data + t->size, t->room - t->size, format, args);
	va_end(args);
	if (size < 0)
		exhausted();
	if ((size_t)size >= t->room - t->size) {
		(void)text_reserve(t, (size_t)size);
		vsnprintf(t->data + t->size, (size_t)size + 1, format, again);
	}
	va_end(again);
	t->size += (size_t)size;
}

void text_free(text *t)
{
	free(t->data);
	*t = (text){ 0 };
}

/* ---- reading numbers ------------------------------------------------------------------------- */

/* Reads the digits at *s and moves *s behind them. */
static bool take_uint(const char **s, uint64_t *out)
{
	const char *p = *s;
	uint64_t value = 0;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*s = p;
	*out = value;
	return true;
}

bool text_parse_uint(const char *s, uint64_t *out)
{
	uint64_t value;

	if (!take_uint(&s, &value) || *s != '\0')
		return false;
	*out = value;
	return true;
}

bool text_parse_bytes(const char *s, uint64_t *out)
{
	static const struct { const char *suffix; uint64_t factor; } units[] = {
		{ "", 1 }, { "B", 1 },
		{ "KiB", UINT64_C(1) << 10 }, { "MiB", UINT64_C(1) << 20 },
		{ "GiB", UINT64_C(1) << 30 }, { "TiB", UINT64_C(1) << 40 },
		{ "KB", UINT64_C(1000) }, { "MB", UINT64_C(1000000) },
		{ "GB", UINT64_C(1000000000) }, { "TB", UINT64_C(1000000000000) },
	};
	uint64_t value;

	if (!take_uint(&s, &value))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(s, units[i].suffix) != 0)
			continue;
		if (value > UINT64_MAX / units[i].factor)
			return false;
		*out = value * units[i].factor;
		return true;
	}
	return false;
}

static locale_t c_locale;
static pthread_once_t c_locale_once = PTHREAD_ONCE_INIT;

static void make_c_locale(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c_locale == (locale_t)0)
		exhausted();
}

bool text_parse_double(const char *s, double *out)
{
	char *end;
	double value;

	/* strtod would also accept white space, hexadecimal, inf and nan. */
	if (s[0] == '\0' || s[strspn(s, "0123456789+-.eE")] != '\0')
		return false;
	(void)pthread_once(&c_locale_once, make_c_locale);
	value = strtod_l(s, &end, c_locale);
	if (end == s || *end != '\0' || !isfinite(value))
		return false;
	*out = value;
	return true;
}

static const struct duration_unit { const char *suffix; uint64_t ns; } duration_units[] = {
	{ "s", UINT64_C(1000000000) }, { "ms", UINT64_C(1000000) }, { "us", UINT64_C(1000) },
	{ "ns", 1 },
};
enum { DURATION_UNITS = sizeof(duration_units) / sizeof(duration_units[0]) };

bool text_parse_duration(const char *s, uint64_t *ns)
{
	uint64_t whole, fraction = 0, scale = 1, unit = 0, total;

	if (!take_uint(&s, &whole))
		return false;
	if (*s == '.') {
		s++;
		if (!isdigit((unsigned char)*s))
			return false;
		for (; isdigit((unsigned char)*s); s++) {
			if (scale >= UINT64_C(1000000000)) {
				if (*s != '0')
					return false;
				continue;
			}
			fraction = fraction * 10 + (uint64_t)(*s - '0');
			scale *= 10;
		}
	}
	for (size_t i = 0; i < DURATION_UNITS; i++)
		if (strcmp(s, duration_units[i].suffix) == 0)
			unit = duration_units[i].ns;
	/* Fractions of a nanosecond are refused. */
	if (unit == 0 || whole > UINT64_MAX / unit || fraction * unit % scale != 0)
		return false;
	total = whole * unit;
	if (fraction * unit / scale > UINT64_MAX - total)
		return false;
	*ns = total + fraction * unit / scale;
	return true;
}

/* ---- writing numbers ------------------------------------------------------------------------- */

void text_format_bytes(uint64_t bytes, char out[32])
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	while (bytes > 0 && bytes % 1024 == 0 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	snprintf(out, 32, "%llu%s", (unsigned long long)bytes, units[unit]);
}

void text_about_bytes(uint64_t bytes, char out[32])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1023.5 && unit < 4; unit++)
		value /= 1024;
	snprintf(out, 32, value < 999.5 ? "%.3g %s" : "%.0f %s", value, units[unit]);
}

void text_format_duration(uint64_t ns, char out[32])
{
	size_t i = 0;

	if (ns > 0)
		while (ns % duration_units[i].ns != 0)
			i++;
	snprintf(out, 32, "%llu%s", (unsigned long long)(ns / duration_units[i].ns),
	         duration_units[i].suffix);
}

/* value, scaled into 1 .. 999.9, with four significant digits. */
static void format_scaled(double value, char *out, size_t size)
{
	int decimals = fabs(value) < 9.9995 ? 3 : fabs(value) < 99.995 ? 2 : fabs(value) < 999.95;

	snprintf(out, size, "%.*f", decimals, value);
}

static void format_prefixed(double value, const char *const *prefixes, int least, int most,
                            const char *unit, char *out, size_t size)
{
	char number[32];
	int power = 0;

	if (!isfinite(value)) {
		snprintf(out, size, "-");
		return;
	}
	if (value != 0)
		power = (int)floor(log10(fabs(value)) / 3.0);
	if (power < least)
		power = least;
	/* 999.96 rounds to 1.000 of the next unit. */
	if (power < most && fabs(value) * pow(1000.0, -power) >= 999.95)
		power++;
	if (power > most)
		power = most;
	format_scaled(value * pow(1000.0, -power), number, sizeof(number));
	snprintf(out, size, "%s %s%s", number, prefixes[power - least], unit);
}

void text_format_ns(double ns, char out[32])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	format_prefixed(ns, units, 0, 3, "", out, 32);
}

void text_format_si(double value, const char *unit, char out[40])
{
	static const char *const units[] = { "n", "u", "m", "", "k", "M", "G", "T", "P", "E" };

	format_prefixed(value, units, -3, 6, unit, out, 40);
}

/* ---- patterns -------------------------------------------------------------------------------- */

bool text_matches(const char *patterns, const char *s)
{
	char *copy = memory_text(patterns), *rest = copy, *word;
	bool found = false;

	while (!found && (word = strsep(&rest, ",")) != NULL) {
		size_t end;

		word += strspn(word, " \t");
		for (end = strlen(word); end > 0 && (word[end - 1] == ' ' || word[end - 1] == '\t');)
			word[--end] = '\0';
		found = fnmatch(word, s, FNM_CASEFOLD) == 0;
	}
	free(copy);
	return found;
}

/* ---- UTF-8 ----------------------------------------------------------------------------------- */

size_t text_utf8_size(const char *s, size_t size)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t want;

	if (size == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	want = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || size < want)
		return 0;
	for (size_t i = 1; i < want; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* An overlong form, a surrogate, or above U+10FFFF. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return want;
}

/* Marks that turn the direction of writing, and line ends by another name: U+200E, U+200F, U+2028
 * to U+202E, U+2066 to U+2069. */
static bool turns_text(const unsigned char *p, size_t size)
{
	if (size != 3 || p[0] != 0xe2)
		return false;
	return p[1] == 0x80 ? p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae) :
	       p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

void text_clean(char *s)
{
	size_t left = strlen(s);

	while (left > 0) {
		const unsigned char *p = (const unsigned char *)s;
		size_t size = text_utf8_size(s, left);
		/* C1: an 8-bit terminal obeys U+0080 to U+009F as it does ESC. */
		bool control = size == 0 || p[0] < 0x20 || p[0] == 0x7f ||
		               (p[0] == 0xc2 && p[1] <= 0x9f) || turns_text(p, size);

		if (size == 0)
			size = 1;
		if (*s == '\n' || *s == '\t' || *s == '\r')
			*s = ' ';
		else if (control)
			memset(s, '?', size);
		s += size;
		left -= size;
	}
}

char *text_clean_copy(const char *array, size_t size)
{
	char *copy = memory_format("%.*s", (int)size, array);

	text_clean(copy);
	return copy;
}

bool text_is_clean(const char *s)
{
	char *copy = text_clean_copy(s, strlen(s));
	bool same = strcmp(copy, s) == 0;

	free(copy);
	return same;
}

/* ---- the nearest word ------------------------------------------------------------------------ */

enum { WORD_MAX = 63 };

/* Edits (insert, delete, replace, swap of neighbours) from a to b, both at most WORD_MAX long. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 2];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t na = strlen(a), nb = strlen(b);

	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *spare = before;

		before = above;
		above = row;
		row = spare;
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

char *text_shell_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                            "_@%+=:,./-";
	text t = { 0 };

	if (word[0] != '\0' && word[strspn(word, plain)] == '\0')
		return memory_text(word);
	text_add(&t, "'");
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			text_add(&t, "'\\''");
		else
			text_add_bytes(&t, word, 1);
	}
	text_add(&t, "'");
	return t.data;
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count)
{
	size_t size = strlen(word);
	size_t limit = 1 + size / 3;
	const char *best = NULL;

	if (size == 0 || size > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t d;

		if (strlen(candidates[i]) > WORD_MAX)
			continue;
		d = distance(word, candidates[i]);
		/* d == size means that every letter was replaced. */
		if (d <= limit && d < size) {
			best = candidates[i];
			limit = d > 0 ? d - 1 : 0;
			if (d == 0)
				break;
		}
	}
	return best;
}
