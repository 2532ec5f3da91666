/* SPDX-License-Identifier: Apache-2.0 */
/* Strings of JSON: checked, then taken out of their escapes. */
#include <string.h>

#include "base/json_scan.h"
#include "base/text.h"

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
		return scan_refuse(s, "the text ends within a string");
	if (s->at[1] != 'u') {
		if (s->at[1] == '\0' || strchr("\"\\/bfnrt", s->at[1]) == NULL)
			return scan_refuse(s, "there is no such escape sequence");
		s->at += 2;
		return EH_OK;
	}
	unit = s->end - s->at >= 6 ? hex4(s->at + 2) : -1;
	if (unit < 0)
		return scan_refuse(s, "\\u is followed by four hexadecimal digits");
	if (unit == 0)
		return scan_refuse(s, "the character U+0000 is not allowed");
	if (unit >= 0xdc00 && unit <= 0xdfff)
		return scan_refuse(s, "a surrogate without its first half");
	if (unit >= 0xd800 && unit <= 0xdbff) {
		long low = s->end - s->at >= 12 && s->at[6] == '\\' && s->at[7] == 'u' ?
		           hex4(s->at + 8) : -1;

		if (low < 0xdc00 || low > 0xdfff)
			return scan_refuse(s, "a surrogate without its second half");
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
			return scan_refuse(s, "a control character within a string");
		size = c < 0x80 ? 1 : text_utf8_size(s->at, (size_t)(s->end - s->at));
		if (size == 0)
			return scan_refuse(s, "bytes that are not UTF-8");
		s->at += size;
	}
	return scan_refuse(s, "the text ends within a string");
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

eh_status scan_string(scan *s, char **out)
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
	to = *out = scan_get(s, (size_t)(until - from) + 1);
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
