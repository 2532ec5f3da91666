/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that backends put together: kernel sources, layers, notes, log lines. */
#ifndef SHARED_WORDING_H
#define SHARED_WORDING_H

#include "evenhand/backend.h"

/* The text to compile, malloc'd, or NULL when memory is out: the macros as #define lines, the
 * prelude, the body.  The macros are lines because some option parsers break values with blanks or
 * quotes. */
char *wording_source(const eh_source *source);

/* The same with another prelude. */
char *wording_source_with(const eh_source *source, const char *prelude);

/* Gives a compiler's messages to the caller of program_build: cut to log_size and terminated; text
 * NULL is "". */
void wording_log(const char *text, char *log, size_t log_size);

/* For a log that is not available: writes the answer of the call for it. name NULL = unknown. */
void wording_no_log(const char *where, const char *name, int64_t native, char *log,
                    size_t log_size);

/* Makes one line: blanks for control characters, blanks at the ends cut. */
void wording_tidy(char *text);

/* At most room - 1 bytes of text to out, cut at a word and then ending in "..."; room is 8 or more. */
void wording_shorten(const char *text, char *out, size_t room);

/* The layer's file; none where the path has no room, for half a path is another file's. */
void wording_path(eh_layer *layer, const char *path);

/* Appends "key=value" to layer->detail, after "; " if it is not the first.  An empty value is left
 * out; a value that does not fit is cut at a word and ends in "...". */
void wording_detail(eh_layer *layer, const char *key, const char *value);
void wording_detail_number(eh_layer *layer, const char *key, uint64_t value);

/* Facts that the vendor's API did not report, each with the call and its answer. */
typedef struct wording_gaps {
	char text[512];
} wording_gaps;

/* Adds "FACT, because WHERE returned NAME (NATIVE)"; facts in a row of one answer share it. */
void wording_gap(wording_gaps *gaps, const char *fact, const char *where, const char *name,
                 int64_t native);
/* Appends them to layer->detail as "unknown=...", in place of the facts. */
void wording_detail_gaps(eh_layer *layer, const wording_gaps *gaps);
/* Warns of them in the core's log, where no layer can hold them; does nothing without any. */
void wording_say_gaps(const eh_host *host, const char *device, const wording_gaps *gaps);

/* Adds a line to notes (text of `size` bytes) if it fits whole and is not there yet. */
__attribute__((format(printf, 3, 4)))
void wording_note(char *notes, size_t size, const char *format, ...);

/* One line to the core's log. */
__attribute__((format(printf, 3, 4)))
void wording_say(const eh_host *host, int level, const char *format, ...);

/* Sixteen bytes as 8-4-4-4-12. */
void wording_uuid(const unsigned char bytes[16], char *out, size_t size);

#endif
