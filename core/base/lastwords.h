/* SPDX-License-Identifier: Apache-2.0 */
/* The end of what a process wrote to its stderr. */
#ifndef BASE_LASTWORDS_H
#define BASE_LASTWORDS_H

#include <stddef.h>

/* Zeroed: empty. */
typedef struct last_words {
	char bytes[512];
	size_t size;
} last_words;

void last_words_add(last_words *words, const char *data, size_t size);
/* The end as one clean line.  If text was cut off, it starts at a line or a word.  Changes *words. */
void last_words_tell(last_words *words, char *out, size_t size);

#endif
