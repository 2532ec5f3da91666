/* SPDX-License-Identifier: Apache-2.0 */
/* Text: growing buffers, numbers with units, the nearest word. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty.  data is always terminated once something was added. */
typedef struct text { char *data; size_t size, room; } text;
__attribute__((format(printf, 2, 3)))
void text_add(text *t, const char *format, ...);
void text_add_bytes(text *t, const char *data, size_t size);
void text_free(text *t);

/* malloc and friends that abort with a message on exhausted memory. */
void *memory_get(size_t size);               /* zeroed */
void *memory_grow(void *old, size_t size);
void *memory_insist(void *p);                /* p, which a library allocated */
char *memory_text(const char *s);            /* strdup */
__attribute__((format(printf, 1, 2)))
char *memory_format(const char *format, ...); /* asprintf */

/* "64MiB", "1GiB", "4096", "16KiB", "2KB" (10^3).  false on anything else or overflow. */
bool text_parse_bytes(const char *s, uint64_t *out);
bool text_parse_uint(const char *s, uint64_t *out); /* digits only, no overflow */
bool text_parse_double(const char *s, double *out); /* finite, whole string, C locale */
/* "1.5s", "20ms", "500us", "100ns" to nanoseconds. */
bool text_parse_duration(const char *s, uint64_t *ns);
/* The shortest exact spelling: 67108864 -> "64MiB", 1000 -> "1000". */
void text_format_bytes(uint64_t bytes, char out[32]);
/* The shortest exact spelling, to be read back: 20000000 -> "20ms". */
void text_format_duration(uint64_t ns, char out[32]);
/* "12.34 us": four significant digits with an SI unit. */
void text_format_ns(double ns, char out[32]);
/* value with an SI prefix: (1.234e10, "B/s") -> "12.34 GB/s". */
void text_format_si(double value, const char *unit, char out[40]);

/* Bytes of the UTF-8 character at s (size bytes are there), 0 when it is not valid UTF-8. */
size_t text_utf8_size(const char *s, size_t size);

/* malloc'd: the word as a shell takes it literally, in quotes where it must be. */
char *text_shell_word(const char *word);

/* The candidate nearest to word by edit distance, NULL when none is near (over 1 + len/3). */
const char *text_nearest(const char *word, const char *const *candidates, size_t count);

#endif
