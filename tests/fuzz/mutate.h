/* SPDX-License-Identifier: Apache-2.0 */
/* Damage at random: one edit of a text, by bytes, tokens and lines. */
#ifndef TESTS_FUZZ_MUTATE_H
#define TESTS_FUZZ_MUTATE_H

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/text.h"

enum { MUTANT_MOST = 1 << 16 }; /* bytes; what would be larger is left as it is */

typedef struct mutate_tokens { const char *const *items; size_t count; } mutate_tokens;
typedef struct mutant { char *data; size_t size; } mutant;

static inline void mutate_splice(mutant *s, size_t at, size_t drop, const char *with, size_t size)
{
	char *made;

	if (s->size - drop + size > MUTANT_MOST)
		return;
	made = memory_get(s->size - drop + size + 1);
	memcpy(made, s->data, at);
	memcpy(made + at, with, size);
	memcpy(made + at + size, s->data + at + drop, s->size - at - drop);
	free(s->data);
	s->data = made;
	s->size = s->size - drop + size;
}

/* Start and size, with its newline, of a line picked at random. */
static inline void mutate_pick_line(random_state *r, const mutant *s, size_t *at, size_t *size)
{
	size_t from = (size_t)random_below(r, s->size), to = from;

	while (from > 0 && s->data[from - 1] != '\n')
		from--;
	while (to < s->size && s->data[to] != '\n')
		to++;
	*at = from;
	*size = to - from + (to < s->size);
}

/* One edit; lines are also taken from the others. */
static inline void mutate_once(random_state *r, mutant *s, const mutant *all, size_t count,
                               mutate_tokens tokens)
{
	uint64_t kind = random_below(r, 12);
	const char *token = tokens.items[random_below(r, tokens.count)];
	const mutant *other = &all[random_below(r, count)];
	size_t at = s->size > 0 ? (size_t)random_below(r, s->size) : 0, from, size;
	char byte = (char)random_below(r, 256), *copy;

	if (s->size == 0 || kind < 2) {
		mutate_splice(s, at, 0, token, strlen(token));
		return;
	}
	switch (kind) {
	case 2: /* one byte becomes another */
		s->data[at] = byte;
		return;
	case 3: /* one bit */
		s->data[at] = (char)(s->data[at] ^ (1 << random_below(r, 8)));
		return;
	case 4: /* a NUL */
		mutate_splice(s, at, 0, "", 1);
		return;
	case 5: /* some bytes go */
		size = (size_t)random_below(r, 20);
		mutate_splice(s, at, size < s->size - at ? size : s->size - at, "", 0);
		return;
	case 6: /* the end goes */
		mutate_splice(s, at, s->size - at, "", 0);
		return;
	case 7: /* a line goes */
		mutate_pick_line(r, s, &from, &size);
		mutate_splice(s, from, size, "", 0);
		return;
	case 8: /* a line comes twice, maybe elsewhere */
		mutate_pick_line(r, s, &from, &size);
		copy = memory_get(size + 1);
		memcpy(copy, s->data + from, size);
		mutate_pick_line(r, s, &at, &from);
		mutate_splice(s, at, 0, copy, size);
		free(copy);
		return;
	case 9: /* a word is replaced */
		size = 0;
		while (at + size < s->size && s->data[at + size] > ' ')
			size++;
		mutate_splice(s, at, size, token, strlen(token));
		return;
	case 10: /* a stretch is repeated, to make long lines */
		size = (size_t)random_below(r, s->size - at < 300 ? s->size - at : 300);
		copy = memory_get(size + 1);
		memcpy(copy, s->data + at, size);
		mutate_splice(s, at, 0, copy, size);
		free(copy);
		return;
	default: /* a line of another file */
		if (other->size == 0)
			return;
		mutate_pick_line(r, other, &from, &size);
		mutate_splice(s, at, 0, other->data + from, size);
		return;
	}
}

#endif
