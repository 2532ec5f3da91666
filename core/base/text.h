/* SPDX-License-Identifier: Apache-2.0 */
/* Text: growing buffers, allocation, numbers with units, the nearest word. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A growing text.  All zeros is the empty text, with data NULL; otherwise data ends with a NUL. */
typedef struct text { char *data; size_t size, room; } text;
__attribute__((format(printf, 2, 3)))
void text_add(text *t, const char *format, ...);
/* Makes room for `size` more bytes and a NUL; returns t->data. */
__attribute__((returns_nonnull))
char *text_reserve(text *t, size_t size);
static inline void text_add_bytes(text *t, const char *data, size_t size)
{
	char *out = t->data;

	if (out == NULL || t->room - t->size <= size)
		out = text_reserve(t, size);
	if (size > 0)
		memcpy(out + t->size, data, size);
	t->size += size;
	out[t->size] = '\0';
}
void text_free(text *t);

/* Allocation; aborts with a message when memory is exhausted. */
void *memory_get(size_t size);               /* zeroed */
void *memory_grow(void *old, size_t size);
void *memory_insist(void *p);                /* returns p; aborts if it is NULL */
char *memory_text(const char *s);            /* strdup */
__attribute__((format(printf, 1, 2)))
char *memory_format(const char *format, ...); /* asprintf */

/* "64MiB", "1GiB", "4096", "16KiB", "2KB" (2000).  false for anything else and on overflow. */
bool text_parse_bytes(const char *s, uint64_t *out);
bool text_parse_uint(const char *s, uint64_t *out); /* digits only, no overflow */
bool text_parse_double(const char *s, double *out); /* finite, whole string, C locale */
/* "1.5s", "20ms", "500us", "100ns" to nanoseconds. */
bool text_parse_duration(const char *s, uint64_t *ns);
/* The shortest exact spelling: 67108864 -> "64MiB", 1000 -> "1000". */
void text_format_bytes(uint64_t bytes, char out[32]);
/* "14.1 GiB": three significant digits. */
void text_about_bytes(uint64_t bytes, char out[32]);
/* The shortest exact spelling for text_parse_duration: 20000000 -> "20ms". */
void text_format_duration(uint64_t ns, char out[32]);
/* "12.34 us": four significant digits with an SI unit. */
void text_format_ns(double ns, char out[32]);
/* value with an SI prefix: (1.234e10, "B/s") -> "12.34 GB/s". */
void text_format_si(double value, const char *unit, char out[40]);

/* Whether one of a comma list of patterns (*, ?, [...]; any case) is the whole of s. */
bool text_matches(const char *patterns, const char *s);

/* The number of bytes of the UTF-8 character at s, of size bytes; 0 when it is not valid UTF-8. */
size_t text_utf8_size(const char *s, size_t size);
/* Makes one line of valid UTF-8 that no terminal obeys, of the same size: tabs and newlines become
 * spaces; '?' replaces bytes that are not UTF-8, other control characters, of 8 bits, too, and marks
 * that turn the direction of writing or end lines. */
void text_clean(char *s);
/* Whether text_clean would leave it as it is. */
bool text_is_clean(const char *s);
/* The same for an array that a plugin filled and need not have terminated. */
#define text_clean_array(array) ((array)[sizeof(array) - 1] = '\0', text_clean(array))
/* malloc'd: the clean text of such an array of `size` bytes. */
char *text_clean_copy(const char *array, size_t size);

/* malloc'd: the word as a literal shell word, quoted if needed. */
char *text_shell_word(const char *word);

/* The candidate nearest to word by edit distance, NULL when the distance of all is above
 * 1 + length / 3. */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

#endif
