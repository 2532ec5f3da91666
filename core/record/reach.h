/* SPDX-License-Identifier: Apache-2.0 */
/* Where a text stands: in values of the record, and in any JSON text.  Small and capital letters are the
 * same (base/letters.h), and a part of a longer text counts.  Not found are other ways to write the same
 * characters (Unicode normal forms; one letter for two), and hex digits of a text in which small and
 * capital letters are mixed in another way than in the one looked for. */
#ifndef RECORD_REACH_H
#define RECORD_REACH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/layout.h"

/* Shorter texts stand everywhere: they are not looked for. */
enum { REACH_LEAST = 4 };

/* A text to look for, all in small letters.  All zeros finds nothing. */
typedef struct reach {
	text_list forms;  /* the text; it, its small and its capital letters in hex digits; an
	                   * identifier without its dashes, or one of 32 digits with those of a UUID */
	text_list paths;  /* paths in it, which count where they stand whole                     */
} reach;

/* Into a zeroed struct; nothing for a text that is too short. */
void reach_set(reach *r, const char *value);
void reach_clear(reach *r);
/* Whether the byte stands between paths, or is no part of a text. */
bool reach_ends_word(char c);
/* Whether the value holds the text, or with its %XX replaced. */
bool reach_holds(const reach *r, const char *value);
/* Appends the places of a JSON text that hold it, "cases[3].reasons[0]".  The salts of a record are
 * passed over.  `name` stands for the text in messages. */
eh_status reach_find(const reach *r, const char *body, size_t size, const char *name,
                     text_list *places, eh_error *error);

#endif
