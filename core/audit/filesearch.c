/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/filesearch.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/letters.h"
#include "base/text.h"

enum { CHUNK = 1 << 18 };

/* ---- spellings ------------------------------------------------------------------------------- */

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ?
	       tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* The number that `count` hex digits make; -1: they are none. */
static long number(const char *digits, int count)
{
	long value = 0;

	for (int i = 0; i < count; i++) {
		if (digit(digits[i]) < 0)
			return -1;
		value = 16 * value + digit(digits[i]);
	}
	return value;
}

/* Makes the character small that ends there, if its begin is there, too. */
static void make_small(const char *begin, char *end)
{
	char *at = end;

	while (at > begin && end - at < 4) {
		at--;
		if (((unsigned char)*at & 0xc0) != 0x80)
			break;
	}
	if (text_utf8_size(at, (size_t)(end - at)) == (size_t)(end - at))
		(void)letters_small(at, (size_t)(end - at));
}

/* Decodes one escape, in small letters, behind what is decoded from `begin` on.  Returns how many bytes it
 * takes, 0 when it is none, or may be cut. */
typedef size_t decoder(const char *in, size_t size, const char *begin, char **to);

static size_t decode_percent(const char *in, size_t size, const char *begin, char **to)
{
	long c = size >= 3 ? number(in + 1, 2) : -1;

	if (c < 0)
		return 0;
	*(*to)++ = (char)c;
	make_small(begin, *to);
	return 3;
}

static size_t decode_unicode(const char *in, size_t size, char **to)
{
	long c = size >= 6 ? number(in + 2, 4) : -1, low = -1;

	if (c < 0)
		return 0;
	if (c >= 0xd800 && c < 0xdc00 && size >= 12 && in[6] == '\\' && in[7] == 'u')
		low = number(in + 8, 4);
	if (low >= 0xdc00 && low < 0xe000) {
		*to = letters_put(*to, (uint32_t)(0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00)));
		return 12;
	}
	*to = letters_put(*to, (uint32_t)c);
	return 6;
}

static size_t decode_json(const char *in, size_t size, const char *begin, char **to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter = size >= 2 && in[1] != '\0' ? strchr(letters, in[1]) : NULL;

	if (size >= 2 && in[1] == 'u') {
		size_t taken = decode_unicode(in, size, to);

		if (taken > 0)
			make_small(begin, *to);
		return taken;
	}
	if (letter == NULL)
		return 0;
	*(*to)++ = meant[letter - letters];
	return 2;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* Bytes in one spelling, as they come, made small. */
typedef struct stage {
	decoder *decode;   /* NULL: as they are                                                   */
	char escape;       /* that begins what it decodes                                        */
	size_t longest;    /* escape                                                             */
	text rest;         /* not decoded yet: it may be a part of an escape, or of a character  */
	text seen;         /* decoded; its end is searched again with what follows               */
	bool cut;          /* something was before it                                            */
} stage;

static void drop(text *t, size_t size)
{
	memmove(t->data, t->data + size, t->size - size);
	t->size -= size;
}

/* Makes the bytes small.  Returns how many of them are whole characters, or none at all. */
static size_t small_bytes(text *bytes, bool last)
{
	size_t size = letters_small(bytes->data, bytes->size);

	return last ? bytes->size : size;
}

/* Decodes what is whole; the escapes are not longer than what they mean. */
static void decode(stage *s, bool last)
{
	char *to = text_reserve(&s->seen, s->rest.size) + s->seen.size;
	size_t at = 0, size = s->rest.size;

	if (s->decode == NULL)
		size = small_bytes(&s->rest, last);
	while (at < size) {
		const char *in = s->rest.data + at;
		const char *next = s->decode != NULL ? memchr(in, s->escape, size - at) : NULL;
		size_t plain = next != NULL ? (size_t)(next - in) : size - at, taken;

		memcpy(to, in, plain);
		to += plain;
		at += plain;
		if (next == NULL)
			break;
		if (size - at < s->longest && !last)
			break;
		taken = s->decode(next, size - at, s->seen.data, &to);
		if (taken == 0)
			*to++ = *next;
		at += taken > 0 ? taken : 1;
	}
	s->seen.size = (size_t)(to - s->seen.data);
	drop(&s->rest, at);
}

/* ---- searching ------------------------------------------------------------------------------- */

typedef struct search {
	const reach *reach;
	size_t longest;    /* text of it                                                         */
	stage stages[3];
} search;

static size_t longest_of(const text_list *list, size_t longest)
{
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->items[i]) > longest)
			longest = strlen(list->items[i]);
	return longest;
}

static bool has(const stage *s, const char *wanted)
{
	return memmem(s->seen.data, s->seen.size, wanted, strlen(wanted)) != NULL;
}

/* A path counts where it stands whole. */
static bool has_whole(const stage *s, const char *path, bool last)
{
	const size_t size = strlen(path);
	const char *begin = s->seen.data, *end = begin + s->seen.size;

	for (const char *at = begin; (at = memmem(at, (size_t)(end - at), path, size)) != NULL; at++) {
		bool starts = at == begin ? !s->cut : reach_ends_word(at[-1]);
		bool ends = at + size == end ? last : reach_ends_word(at[size]);

		if (starts && ends)
			return true;
	}
	return false;
}

/* Searches what came; keeps as much of it as may be the beginning of a text, which is more than a
 * character. */
static bool look(const search *s, stage *at, bool last)
{
	bool found = false;

	for (size_t i = 0; i < s->reach->forms.count && !found; i++)
		found = has(at, s->reach->forms.items[i]);
	for (size_t i = 0; i < s->reach->paths.count && !found; i++)
		found = has_whole(at, s->reach->paths.items[i], last);
	if (at->seen.size > s->longest + 1) {
		drop(&at->seen, at->seen.size - (s->longest + 1));
		at->cut = true;
	}
	return found;
}

/* The next bytes, in each spelling.  What JSON's escapes mean may have %XX. */
static bool take(search *s, const char *bytes, size_t size, bool last)
{
	text come = { 0 };
	bool found = false;

	text_add_bytes(&come, bytes, size);
	for (size_t i = 0; i < 3 && !found; i++) {
		stage *at = &s->stages[i];
		size_t before = at->seen.size;

		text_add_bytes(&at->rest, come.data, come.size);
		decode(at, last);
		come.size = 0;
		text_add_bytes(&come, at->seen.data + before, at->seen.size - before);
		found = look(s, at, last);
	}
	text_free(&come);
	return found;
}

static enum filesearch search_all(search *s, int fd, size_t *left)
{
	char *chunk = memory_get(CHUNK);
	enum filesearch answer = FILESEARCH_ABSENT;
	ssize_t got = 1;

	while (got != 0 && answer == FILESEARCH_ABSENT) {
		got = read(fd, chunk, CHUNK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			answer = FILESEARCH_UNREADABLE;
		} else if ((size_t)got > *left) {
			answer = FILESEARCH_TOO_LARGE;
		} else {
			*left -= (size_t)got;
			answer = take(s, chunk, (size_t)got, got == 0) ? FILESEARCH_FOUND :
			         FILESEARCH_ABSENT;
		}
	}
	free(chunk);
	return answer;
}

enum filesearch filesearch_of(const reach *r, int fd, size_t *left)
{
	search s = { .reach = r, .stages = { { .escape = '\0' }, { decode_json, '\\', 12, .cut = false },
		                 { decode_percent, '%', 3, .cut = false } } };
	enum filesearch answer;
	struct stat info;

	if (fstat(fd, &info) != 0)
		return FILESEARCH_UNREADABLE;
	if ((size_t)info.st_size > *left)
		return FILESEARCH_TOO_LARGE;
	s.longest = longest_of(&r->paths, longest_of(&r->forms, 0));
	answer = search_all(&s, fd, left);
	for (size_t i = 0; i < 3; i++) {
		text_free(&s.stages[i].rest);
		text_free(&s.stages[i].seen);
	}
	return answer;
}
