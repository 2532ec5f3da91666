/* SPDX-License-Identifier: Apache-2.0 */
#include "base/letters.h"

#include <locale.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#include "base/text.h"

/* A wint_t is a character's number in Unicode, as in glibc, which says so with __STDC_ISO_10646__. */
typedef wint_t converter(wint_t c, locale_t locale);

static locale_t letters;
static pthread_once_t letters_once = PTHREAD_ONCE_INIT;

static void make_letters(void)
{
	letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (letters == (locale_t)0)
		letters = memory_insist(newlocale(LC_CTYPE_MASK, "C", (locale_t)0));
}

char *letters_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c >= 0x10000) {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
	} else if (c >= 0x800) {
		*to++ = (char)(0xe0 | c >> 12);
	}
	*to++ = (char)(c >= 0x800 ? 0x80 | (c >> 6 & 0x3f) : 0xc0 | c >> 6);
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* Of a valid sequence. */
static uint32_t number_of(const unsigned char *p, size_t size)
{
	uint32_t c = size == 1 ? p[0] : p[0] & (0x7fU >> size);

	for (size_t i = 1; i < size; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

/* Whether the bytes, which are no character, may be the begin of one. */
static bool is_cut(const unsigned char *p, size_t size)
{
	size_t want = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;

	if (p[0] < 0xc2 || p[0] > 0xf4 || size >= want)
		return false;
	for (size_t i = 1; i < size; i++)
		if ((p[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Converts the character at s.  Returns how many bytes it takes, 1 where there is none, 0 where it is cut. */
static size_t convert(char *s, size_t size, converter *to)
{
	size_t taken = text_utf8_size(s, size);
	char other[4];
	wint_t c;

	if (taken == 0)
		return is_cut((const unsigned char *)s, size) ? 0 : 1;
	(void)pthread_once(&letters_once, make_letters);
	c = to((wint_t)number_of((const unsigned char *)s, taken), letters);
	if (letters_put(other, (uint32_t)c) == other + taken)
		memcpy(s, other, taken);
	return taken;
}

/* Makes ASCII small, eight bytes at a time, up to the first other byte.  Returns how many bytes those are. */
static size_t small_ascii(char *s, size_t size)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	size_t at = 0;

	for (; size - at >= sizeof(each); at += sizeof(each)) {
		uint64_t w;

		memcpy(&w, s + at, sizeof(w));
		if ((w & 0x80 * each) != 0)
			break;
		/* From 'A' on the first sum has the high bit, behind 'Z' the second one, too. */
		w |= ((w + 0x3f * each) & ~(w + 0x25 * each) & 0x80 * each) >> 2;
		memcpy(s + at, &w, sizeof(w));
	}
	for (; at < size && (unsigned char)s[at] < 0x80; at++)
		if (s[at] >= 'A' && s[at] <= 'Z')
			s[at] = (char)(s[at] | 0x20);
	return at;
}

size_t letters_small(char *s, size_t size)
{
	size_t at = small_ascii(s, size), taken;

	/* What begins no character is passed over here, for the sake of files that are no text. */
	while (at < size && (taken = (unsigned char)s[at] < 0xc2 ? 1 : convert(s + at, size - at, towlower_l)) > 0) {
		at += taken;
		at += small_ascii(s + at, size - at);
	}
	return at;
}

size_t letters_capital(char *s, size_t size)
{
	size_t at = 0, taken;

	while (at < size && (taken = convert(s + at, size - at, towupper_l)) > 0)
		at += taken;
	return at;
}

size_t letters_columns(const char *s, size_t *size)
{
	size_t taken = text_utf8_size(s, strnlen(s, 4));
	locale_t before;
	int columns;

	*size = taken > 0 ? taken : 1;
	if (taken < 2)
		return taken == 0 || ((unsigned char)*s >= ' ' && *s != '\177');
	(void)pthread_once(&letters_once, make_letters);
	before = uselocale(letters);
	columns = wcwidth((wchar_t)number_of((const unsigned char *)s, taken));
	(void)uselocale(before);
	return columns < 0 ? 1 : (size_t)columns;
}
