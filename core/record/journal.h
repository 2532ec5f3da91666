/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: one JSON object a line, appended as things finish, never rewritten.  Every append
 * is one write under a lock, then fdatasync, so that killing any process at any moment loses at
 * most the line being written; a torn last line is recognised and cut off when appending goes on.
 * Line kinds (member "kind"): "run" (first line), "executor", "instrument", "case", "pilot" (once, when
 * a pilot has been evaluated), "noise" (what `evenhand calibrate` found of an executor before), "end".
 */
#ifndef RECORD_JOURNAL_H
#define RECORD_JOURNAL_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "base/error.h"

typedef struct journal journal;

/* What an open journal can be held as; one process each, until it closes the journal or ends. */
enum journal_role { JOURNAL_COORDINATOR = 1, JOURNAL_WORKER = 2 };

/* Makes it with its first line, in one step, and holds it as JOURNAL_COORDINATOR; EH_E_USAGE when
 * the file exists. */
eh_status journal_create(const char *path, const cJSON *first, journal **out, eh_error *error);
/* For appending; cuts a torn last line. */
eh_status journal_open(const char *path, journal **out, eh_error *error);
/* A line that cannot be written whole leaves the file as it was. */
eh_status journal_append(journal *j, const cJSON *line, eh_error *error);
void journal_close(journal *j); /* NULL is fine */

/* EH_E_UNAVAILABLE when another process holds that role for longer than wait_ns. */
eh_status journal_hold(journal *j, enum journal_role role, uint64_t wait_ns, eh_error *error);
void journal_release(journal *j, enum journal_role role);

/* Calls visit for each whole line, one in memory at a time; visit returns EH_OK to go on.
 * `offset` is the line's position for journal_line_at. */
typedef eh_status (*journal_visit)(void *context, const cJSON *line, long offset, eh_error *error);
eh_status journal_each(const char *path, journal_visit visit, void *context, eh_error *error);
/* The same from the line at *offset on; *offset becomes the end of the last whole line. */
eh_status journal_each_from(const char *path, long *offset, journal_visit visit, void *context,
                            eh_error *error);
eh_status journal_line_at(const char *path, long offset, cJSON **out, eh_error *error);

#endif
