/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/needles.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { BLOCK = 4, LEAST = 7, FRAMED_LEAST = 5, HASHES = 1 << 16 };

typedef struct needle {
	char *bytes;              /* size bytes, with those that must stand around a short text    */
	size_t size, tag;
	enum needle_edges edges;
	bool framed, loose;       /* it has them; it may touch letters                             */
} needle;

/* A block of a text, `offset` bytes behind its start. */
typedef struct block { size_t needle, offset; struct block *next; } block;

struct needles {
	needle *items;
	size_t count;
	size_t stride;            /* from one block of the file to the next; 0: no tables yet      */
	unsigned char *seen;      /* one bit per hash: whether a block has it                     */
	block **first;            /* per hash                                                     */
	block *blocks;
};

needles *needles_new(void)
{
	return memory_get(sizeof(needles));
}

static void clear_tables(needles *n)
{
	free(n->seen);
	free(n->first);
	free(n->blocks);
	n->seen = NULL;
	n->first = NULL;
	n->blocks = NULL;
	n->stride = 0;
}

void needles_free(needles *n)
{
	if (n == NULL)
		return;
	for (size_t i = 0; i < n->count; i++)
		free(n->items[i].bytes);
	free(n->items);
	clear_tables(n);
	free(n);
}

/* ---- the texts ------------------------------------------------------------------------------- */

static bool is_loose(const char *name)
{
	return strchr(name, '_') != NULL && strpbrk(name, "abcdefghijklmnopqrstuvwxyz") == NULL;
}

static needle *append(needles *n, const char *what, enum needle_edges edges, size_t tag)
{
	needle *added;

	clear_tables(n);
	n->items = memory_grow(n->items, (n->count + 1) * sizeof(*n->items));
	added = &n->items[n->count++];
	*added = (needle){ .bytes = memory_text(what), .size = strlen(what), .tag = tag,
	                   .edges = edges };
	return added;
}

/* With a byte before it and a zero behind. */
static void append_framed(needles *n, const char *what, char before, enum needle_edges edges,
                          size_t tag)
{
	needle *added = append(n, what, edges, tag);

	free(added->bytes);
	added->bytes = memory_get(added->size + 2);
	added->bytes[0] = before;
	memcpy(added->bytes + 1, what, added->size);
	added->size += 2;
	added->framed = true;
}

void needles_add(needles *n, const char *what, enum needle_edges edges, size_t tag)
{
	size_t size = strlen(what);

	if (size >= LEAST) {
		append(n, what, edges, tag)->loose = edges == NEEDLE_NAME && is_loose(what);
	} else if (size >= FRAMED_LEAST && edges != NEEDLE_START) {
		append_framed(n, what, '\0', edges, tag);
		if (edges == NEEDLE_FILE)
			append_framed(n, what, '/', edges, tag);
	}
}

/* ---- the tables ------------------------------------------------------------------------------ */

static inline uint32_t hash_at(const char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof(word));
	return word * UINT32_C(0x9e3779b1) >> 16;
}

static size_t shortest(const needles *n)
{
	size_t least = n->items[0].size;

	for (size_t i = 1; i < n->count; i++)
		if (n->items[i].size < least)
			least = n->items[i].size;
	return least;
}

static void enter(needles *n, size_t index)
{
	for (size_t offset = 0; offset < n->stride; offset++) {
		uint32_t hash = hash_at(n->items[index].bytes + offset);
		block *b = &n->blocks[index * n->stride + offset];

		*b = (block){ index, offset, n->first[hash] };
		n->first[hash] = b;
		n->seen[hash / 8] |= (unsigned char)(1U << hash % 8);
	}
}

static void make_tables(needles *n)
{
	n->stride = shortest(n) - BLOCK + 1;
	n->seen = memory_get(HASHES / 8);
	n->first = memory_get(HASHES * sizeof(*n->first));
	n->blocks = memory_get(n->count * n->stride * sizeof(*n->blocks));
	for (size_t i = 0; i < n->count; i++)
		enter(n, i);
}

/* ---- the edges ------------------------------------------------------------------------------- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_component(char c)
{
	return is_letter(c) || c == '.' || c == '-' || c == '+';
}

static bool edges_fit(const needle *one, char before, char behind)
{
	if (one->framed)
		return true;
	switch (one->edges) {
	case NEEDLE_NAME:
		return one->loose ? before != '_' && behind != '_'
		                  : !is_letter(before) && !is_letter(behind);
	case NEEDLE_FILE:
		return !is_component(before) && !is_component(behind);
	case NEEDLE_START:
		return !is_component(before) && before != '/' && before != '~';
	}
	return false;
}

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct haystack {
	const char *bytes;
	size_t size;
	needles_hit *hit;
	void *context;
} haystack;

static void try_at(const haystack *h, const needle *one, size_t at)
{
	size_t end = at + one->size;

	if (one->size > h->size - at || memcmp(h->bytes + at, one->bytes, one->size) != 0)
		return;
	if (edges_fit(one, at > 0 ? h->bytes[at - 1] : '\0', end < h->size ? h->bytes[end] : '\0'))
		h->hit(h->context, one->edges, one->tag, h->bytes + at + one->framed,
		       h->bytes + h->size);
}

void needles_search(needles *n, const char *bytes, size_t size, needles_hit *hit, void *context)
{
	const haystack h = { bytes, size, hit, context };

	if (n->count == 0)
		return;
	if (n->stride == 0)
		make_tables(n);
	for (size_t at = 0; at + BLOCK <= size; at += n->stride) {
		uint32_t hash = hash_at(bytes + at);

		if ((n->seen[hash / 8] >> hash % 8 & 1) == 0)
			continue;
		for (const block *b = n->first[hash]; b != NULL; b = b->next)
			if (b->offset <= at)
				try_at(&h, &n->items[b->needle], at - b->offset);
	}
}
