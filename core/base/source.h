/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of a file or of memory that are read in parts, so that a large file is never in memory as a
 * whole.  Files are read, not mapped: a mapped file that somebody cuts ends the program. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

typedef struct source_bytes {
	const char *name;      /* for messages; borrowed                                        */
	const char *bytes;     /* borrowed; NULL: they are read from fd                         */
	int fd;
	size_t start, size;    /* the part of the file                                          */
	struct stat opened;    /* how the file was                                              */
} source_bytes;

/* EH_E_IO for a file that is not regular or larger than LIMIT_FILE.  Needs source_close. */
eh_status source_open(const char *path, source_bytes *out, eh_error *error);
/* The same for an open regular file, which it takes. */
eh_status source_of_file(int fd, const char *name, source_bytes *out, eh_error *error);
void source_close(source_bytes *s);
source_bytes source_of_bytes(const char *name, const char *bytes, size_t size);

/* Reads bytes that it has.  Any thread.  EH_E_IO, also for a file that became shorter. */
eh_status source_read(const source_bytes *s, size_t from, size_t size, char *out, eh_error *error);
/* EH_E_IO with the sentence that the file was changed since it was opened. */
eh_status source_changed(const source_bytes *s, eh_error *error);
/* The same where it was. */
eh_status source_check(const source_bytes *s, eh_error *error);
/* The SHA-256 of all bytes. */
eh_status source_digest(const source_bytes *s, char hex[65], eh_error *error);

/* A view that moves over a source from its start to its end. */
typedef struct source_window {
	const source_bytes *of;
	const char *bytes;     /* those of the window; borrowed                                 */
	size_t from, size;     /* where it is in the source                                     */
	char *room;
	eh_status status;      /* of the last move                                              */
	eh_error *error;
} source_window;

/* Begins before the first byte. */
source_window source_window_of(const source_bytes *s, eh_error *error);
/* Moves to the next bytes.  false at the end, or when they cannot be read: then status is not EH_OK. */
bool source_window_next(source_window *w);
void source_window_free(source_window *w);

/* A byte of a source with its line and column, both from 1, for messages. */
typedef struct source_place { source_window window; size_t at, line, column; } source_place;
/* The first byte.  Needs source_window_free for its window. */
source_place source_place_of(const source_bytes *s);
/* Moves forward, as far as the bytes can be read. */
void source_place_move(source_place *place, size_t to);

#endif
