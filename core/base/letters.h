/* SPDX-License-Identifier: Apache-2.0 */
/* Small and capital letters of UTF-8, in place: letters whose other form takes as many bytes, which are
 * nearly all.  The others stay, and so does what is not UTF-8.  Letters are those of the locale C.UTF-8;
 * where the C library has none, those of ASCII. */
#ifndef BASE_LETTERS_H
#define BASE_LETTERS_H

#include <stddef.h>
#include <stdint.h>

/* Return how many bytes are done: all, but for the begin of a character that the end cuts off. */
size_t letters_small(char *s, size_t size);
size_t letters_capital(char *s, size_t size);
/* Writes the character, of 1 to 4 bytes, and returns where it ends. */
char *letters_put(char *to, uint32_t c);

#endif
