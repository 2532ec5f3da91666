/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: one JSON object per line, appended as work finishes, never rewritten.  Each append is
 * one write under a lock, then fdatasync: a killed process loses at most the line being written.
 * Readers ignore an incomplete last line; the next append cuts it off.
 * record/record.def lists the lines and their members.  Reading is strict: a member that is unknown,
 * missing or of another type is EH_E_FORMAT with the file and the byte offset of the line.
 */
#ifndef RECORD_JOURNAL_H
#define RECORD_JOURNAL_H

#include <stdint.h>

#include "base/error.h"
#include "record/record.h"

typedef struct journal journal;

/* A line of any kind. */
typedef union record_line {
	enum record_line_kind kind; /* the first member of all of them                         */
	record_line_run run;
	record_line_executor executor;
	record_line_instrument instrument;
	record_line_case one_case;
	record_line_pilot pilot;
	record_line_noise noise;
	record_line_end end;
} record_line;

/* An empty line of that kind. */
void record_line_init(record_line *line, enum record_line_kind kind);
/* Frees the content of a line; a zeroed line is empty. */
void record_line_clear(record_line *line);

/* Roles that one process at a time can hold, until it closes the journal or ends. */
enum journal_role { JOURNAL_COORDINATOR = 1, JOURNAL_WORKER = 2 };

/* Creates a journal with its first line atomically and holds JOURNAL_COORDINATOR.  EH_E_USAGE when
 * the file exists. */
eh_status journal_create(const char *path, const record_line_run *first, journal **out, eh_error *error);
/* Opens a journal for appending; cuts an incomplete last line. */
eh_status journal_open(const char *path, journal **out, eh_error *error);
/* On failure the file is unchanged. */
eh_status journal_append(journal *j, const record_line *line, eh_error *error);
void journal_close(journal *j); /* NULL is fine */

/* EH_E_UNAVAILABLE when another process holds that role for longer than wait_ns. */
eh_status journal_hold(journal *j, enum journal_role role, uint64_t wait_ns, eh_error *error);
void journal_release(journal *j, enum journal_role role);

/* Calls visit for each whole line until it returns a status other than EH_OK.  One line is in
 * memory at a time; visit may move parts out of it (layout_move).  `offset` is for
 * journal_line_at. */
typedef eh_status (*journal_visit)(void *context, record_line *line, long offset, eh_error *error);
eh_status journal_each(const char *path, journal_visit visit, void *context, eh_error *error);
/* Starts at the line at *offset; sets *offset to the end of the last line visited. */
eh_status journal_each_from(const char *path, long *offset, journal_visit visit, void *context,
                            eh_error *error);
/* Reads the line at `offset`.  The caller clears *line; on failure it is empty. */
eh_status journal_line_at(const char *path, long offset, record_line *line, eh_error *error);

#endif
