/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the terminal that a stream goes to.  One that goes to no terminal, such as a file, has no
 * columns, no colours and UTF-8.  Threads: the first call of terminal_unicode() is of one alone. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Whether somebody reads it on a terminal. */
bool terminal_is(FILE *out);
/* COLUMNS and LINES, else what the terminal says, else 80 and 24; 0 where it goes to no terminal. */
size_t terminal_columns(FILE *out);
size_t terminal_lines(FILE *out);
/* Whether the terminal does more than to print one line after another (TERM). */
bool terminal_able(FILE *out);
/* Whether colours may be used: on such a terminal, unless NO_COLOR is set and not empty. */
bool terminal_colours(FILE *out);
/* Whether it takes UTF-8, as the locale says. */
bool terminal_unicode(FILE *out);
/* Takes malloc'd UTF-8 and returns what the stream takes of it: the same, or ASCII, malloc'd, with "+-" for
 * the sign and '?' for every column of another character. */
char *terminal_words(FILE *out, char *words);
/* From here stdout goes to the terminal of that descriptor, by way of something that holds it; -1: it goes
 * there itself. */
void terminal_stdout(int fd);

#endif
