/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: one JSON object per line, appended as work finishes, never rewritten.  Each append is
 * one write, then fdatasync: a killed process loses at most the line being written.  Readers ignore
 * an incomplete last line; opening cuts a damaged end off.  One process at a time writes.
 *
 * record/record.def lists the lines and their members.  Reading is strict: a member that is unknown,
 * missing or of another type is EH_E_FORMAT with the file and the byte offset of the line.  The last
 * member of each line is "chain": the SHA-256 of the chain of the line before ("" before the first)
 * and of this line's bytes without that member.  A line that was changed, removed or inserted
 * afterwards is EH_E_ALTERED.  Whoever computes the chain again can still forge a journal.
 */
#ifndef RECORD_JOURNAL_H
#define RECORD_JOURNAL_H

#include <stdint.h>

#include "base/error.h"
#include "base/source.h"
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
	record_line_salvage salvage;
	record_line_end end;
} record_line;

/* An empty line of that kind. */
void record_line_init(record_line *line, enum record_line_kind kind);
/* Frees the content of a line; a zeroed line is empty. */
void record_line_clear(record_line *line);

/* Creates a journal with its first line atomically, for writing until it is closed.  EH_E_USAGE when
 * the file exists. */
eh_status journal_create(const char *path, const record_line_run *first, journal **out, eh_error *error);
/* Opens a journal for appending.  What is damaged at its end, with no whole line behind it, is cut off
 * with a warning: a torn write.  EH_E_ALTERED, and nothing is changed, when the first line is damaged,
 * or one that whole lines follow.  EH_E_UNAVAILABLE while another process writes it.  EH_E_IO for a link. */
eh_status journal_open(const char *path, journal **out, eh_error *error);
/* On failure the file is unchanged; where that is not possible either, the line may stay, in part or, if
 * only fdatasync failed, whole, and further appends are EH_E_IO. */
eh_status journal_append(journal *j, const record_line *line, eh_error *error);
void journal_close(journal *j); /* NULL is fine */
/* Where the open journal is now: others can move or remove its folder, and put another in its place. */
enum journal_place { JOURNAL_THERE, JOURNAL_MOVED, JOURNAL_REMOVED };
enum journal_place journal_where(const journal *j);
const char *journal_path(const journal *j); /* as it was opened */

/* Calls visit for each whole line until it returns a status other than EH_OK.  One line is in
 * memory at a time; visit may move parts out of it (layout_move).  `offset` is for
 * journal_line_at. */
typedef eh_status (*journal_visit)(void *context, record_line *line, long offset, eh_error *error);
eh_status journal_each(const char *path, journal_visit visit, void *context, eh_error *error);
/* The same for bytes in memory; their name is for messages. */
eh_status journal_each_of(const source_bytes *from, journal_visit visit, void *context, eh_error *error);
/* Makes a journal with a damaged line, which whole lines follow, usable again: keeps the lines that follow
 * from a line before, less those that rely on what may have been lost, writes a line of kind "salvage"
 * behind the first one, and warns of each line that is lost.  The journal as it was found stays beside
 * it, under path.damaged-DIGEST.  A journal without such damage stays as it is.  A process that is
 * killed leaves the one journal or the other.  EH_E_ALTERED when the first line is damaged.  Before anything is
 * replaced, accept gets the first line: its status, if not EH_OK, is returned. */
eh_status journal_salvage(const char *path, journal_visit accept, void *context, eh_error *error);

/* A place between two lines; zeroed: before the first. */
typedef struct journal_cursor { long offset; char chain[65]; } journal_cursor;
/* Starts at the cursor, and moves it behind the last line visited. */
eh_status journal_each_from(const char *path, journal_cursor *cursor, journal_visit visit,
                            void *context, eh_error *error);
/* Reads the line at `offset`, without regard to those before it.  The caller clears *line; on failure
 * it is empty. */
eh_status journal_line_at(const char *path, long offset, record_line *line, eh_error *error);
/* The same of a line that was visited: `at` is the cursor that its visitor saw.  EH_E_ALTERED when the line
 * is not the one that it was. */
eh_status journal_line_again(const char *path, const journal_cursor *at, record_line *line,
                             eh_error *error);
/* The first line of bytes in memory, as journal_line_at reads it. */
eh_status journal_first_of(const source_bytes *from, record_line *line, eh_error *error);

#endif
