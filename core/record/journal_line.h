/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to journal*.c: the text of a line, and its chain (record/journal.h). */
#ifndef RECORD_JOURNAL_LINE_H
#define RECORD_JOURNAL_LINE_H

#include <stdbool.h>

#include "record/journal.h"

/* The bytes [0, size) of a line here are without its newline. */

/* malloc'd: the line of the JSON object body[0 .. size) with its chain and its newline; *chain is
 * moved from that of the line before to its own. */
char *journal_line_seal(const char *body, size_t size, char chain[65], size_t *line_size);
/* The same of a line as a struct. */
char *journal_line_text(const void *line, enum record_line_kind kind, char chain[65], size_t *line_size);

/* Sets *chain to what stands where a line has its chain; false when these are not 64 hex digits. */
bool journal_line_states(const char *body, size_t size, char chain[65]);
/* Whether the line has a chain in its form. */
bool journal_line_complete(const char *body, size_t size);
/* Whether the line's chain follows from that of a line before; *chain becomes what follows, whether the
 * line states it or not, and "" where the line has no chain. */
bool journal_line_follows(const char *body, size_t size, const char before[65], char chain[65]);
/* The bytes without the chain are body[0 .. returned). */
size_t journal_line_cut_chain(char *body, size_t size);

/* The caller clears *line; on failure it is empty.  Changes body. */
eh_status journal_line_read(char *body, size_t size, const char *path, long offset, record_line *line,
                            eh_error *error);
/* malloc'd, for people: what the beginning of a damaged line says that it held. */
char *journal_line_guess(const char *body, size_t size);

#endif
