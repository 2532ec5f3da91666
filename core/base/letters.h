/* SPDX-License-Identifier: Apache-2.0 */
/* What the locale C.UTF-8 knows of characters; where the C library has none, what it knows of ASCII. */
#ifndef BASE_LETTERS_H
#define BASE_LETTERS_H

#include <stddef.h>
#include <stdint.h>

/* Make small and capital letters, in place: of letters whose other form takes as many bytes, which are nearly
 * all.  The others stay, and so does what is not UTF-8.  Return how many bytes are done: all, but for the
 * begin of a character that the end cuts off. */
size_t letters_small(char *s, size_t size);
size_t letters_capital(char *s, size_t size);
/* Writes the character, of 1 to 4 bytes, and returns where it ends. */
char *letters_put(char *to, uint32_t c);
/* How many columns of a terminal the character at s takes, and in *size its bytes.  A byte that is no
 * character takes one, as terminals show a sign in its place; a control character takes none. */
size_t letters_columns(const char *s, size_t *size);

#endif
