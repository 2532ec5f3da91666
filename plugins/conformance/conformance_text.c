/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance_text.h"

#include <stdio.h>
#include <string.h>

/* The number of bytes that a character with this first byte has; 0: none begins so. */
static size_t character_bytes(unsigned char first)
{
	return first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 :
	       first < 0xf5 ? 4 : 0;
}

/* The number of bytes at s, of `left`, that belong to one character of UTF-8; 0: none.  *whole says
 * whether all of its bytes are there. */
static size_t character(const unsigned char *s, size_t left, bool *whole)
{
	const size_t bytes = character_bytes(s[0]);
	const unsigned char low = s[0] == 0xe0 ? 0xa0 : s[0] == 0xf0 ? 0x90 : 0x80;
	const unsigned char high = s[0] == 0xed ? 0x9f : s[0] == 0xf4 ? 0x8f : 0xbf;

	for (size_t i = 1; i < bytes && i < left; i++)
		if (s[i] < (i == 1 ? low : 0x80) || s[i] > (i == 1 ? high : 0xbf))
			return 0;
	*whole = bytes <= left;
	return bytes <= left ? bytes : left;
}

/* Terminals also obey U+0080 to U+009f. */
static bool is_control(const unsigned char *s, size_t bytes, bool lines)
{
	if (bytes == 2 && s[0] == 0xc2)
		return s[1] < 0xa0;
	return bytes == 1 && (s[0] < 0x20 || s[0] == 0x7f) &&
	       !(lines && (s[0] == '\n' || s[0] == '\t' || s[0] == '\r'));
}

const char *text_fault(const char *text, size_t room, int flags)
{
	static char fault[80];
	const unsigned char *s = (const unsigned char *)text;
	const size_t size = strnlen(text, room);
	const bool may_end = (flags & TEXT_CUT) != 0 || size + 1 == room;
	bool whole = true;

	if (size == room)
		return "is not terminated";
	for (size_t at = 0; at < size;) {
		const size_t bytes = character(s + at, size - at, &whole);

		if (bytes == 0 || (!whole && !may_end)) {
			(void)snprintf(fault, sizeof(fault), "is not UTF-8: byte %zu is 0x%02x", at, s[at]);
			return fault;
		}
		if (is_control(s + at, bytes, (flags & TEXT_LINES) != 0)) {
			(void)snprintf(fault, sizeof(fault), "has the control character 0x%02x at byte %zu",
			               s[at + bytes - 1], at);
			return fault;
		}
		at += bytes;
	}
	return NULL;
}
