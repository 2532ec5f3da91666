/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many texts looked for at once among a file's bytes.  A text of n bytes has n - 3 blocks of 4
 * bytes, so it is enough to look at every (n - 3)th block of the file, n being the size of the
 * shortest text, and to compare where the block is one of the texts'.  So no text may be short.
 */
#ifndef EXECUTOR_NEEDLES_H
#define EXECUTOR_NEEDLES_H

#include <stddef.h>

/* What may stand beside an occurrence that counts. */
enum needle_edges {
	NEEDLE_NAME,  /* a variable's name: a word of its own.  Upper-case ones of 7 bytes or more
	                 with an underscore may touch letters, as Rust puts no byte between texts */
	NEEDLE_FILE,  /* whole components of a path                                             */
	NEEDLE_START  /* the start of an absolute path                                          */
};

typedef struct needles needles;
needles *needles_new(void);
void needles_free(needles *n); /* NULL is fine */

/* Adds a text, which is copied; `tag` comes with its hits.  A name or file of 5 or 6 bytes must
 * stand between two zero bytes, a file also between a slash and one; a shorter text is ignored. */
void needles_add(needles *n, const char *what, enum needle_edges edges, size_t tag);

/* An occurrence that counts: `at` points to the text, `end` behind the bytes that were searched. */
typedef void needles_hit(void *context, enum needle_edges edges, size_t tag, const char *at,
                         const char *end);

/* The bytes before and behind the searched ones count as zeros, but not as those around a short
 * text. */
void needles_search(needles *n, const char *bytes, size_t size, needles_hit *hit, void *context);

#endif
