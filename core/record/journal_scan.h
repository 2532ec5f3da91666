/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to journal*.c: the lines of a file as bytes, and where its chain breaks. */
#ifndef RECORD_JOURNAL_SCAN_H
#define RECORD_JOURNAL_SCAN_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "base/source.h"
#include "record/journal.h"

/* A file that is read line by line.  All zeros is closed. */
typedef struct journal_lines {
	FILE *in;
	char *body;       /* of the line, size bytes without the newline                        */
	size_t size, room;
	bool whole;       /* whether it has a newline                                           */
	long offset, next;
	size_t number;    /* of the line, from 1 where reading began                            */
} journal_lines;

eh_status journal_lines_open(journal_lines *l, const char *path, long offset, eh_error *error);
/* From the beginning of an open file, which stays open; l moves its offset. */
eh_status journal_lines_of(journal_lines *l, int fd, const char *path, eh_error *error);
/* Of bytes in memory, which l borrows. */
eh_status journal_lines_in(journal_lines *l, const source_bytes *from, eh_error *error);
/* Reads a line; false at the end, or when it cannot be read. */
bool journal_lines_next(journal_lines *l);
/* Closes it and returns `status`, or EH_E_IO where that is EH_OK and reading failed. */
eh_status journal_lines_close(journal_lines *l, const char *path, eh_status status, eh_error *error);

/* Where the chain breaks first. */
typedef struct journal_scan {
	size_t line;      /* its number, from 1; 0: nowhere                                     */
	long offset, size; /* of the line, and of the file                                      */
	bool followed;    /* whether a whole line with a chain stands behind it                 */
	char *held;       /* what the line says that it held                                    */
	char chain[65];   /* of the last line before it                                         */
} journal_scan;

/* Of the open file; path is for the messages.  An empty file, or one without a first line, has its break
 * in line 1. */
eh_status journal_scan_file(int fd, const char *path, journal_scan *found, eh_error *error);
void journal_scan_clear(journal_scan *found);
/* Calls visit (NULL = only reads) with the first line, whether its chain fits or not. */
eh_status journal_scan_plan(int fd, const char *path, journal_visit visit, void *context, eh_error *error);
/* EH_E_ALTERED with the place and the remedy; EH_E_FORMAT for a first line that is malformed. */
eh_status journal_scan_refuse(int fd, const char *path, const journal_scan *found, eh_error *error);

/* Opens and locks the file that the path names, for reading and writing.  A link is not followed, nor one
 * of somebody else's on the way (base/trust.h): what it leads to is not to be cut or written. */
eh_status journal_lock(const char *path, int *fd, eh_error *error);

#endif
