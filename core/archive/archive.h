/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The archive: many results in a database, with their original bytes, and a row for each of their
 * cases.  A result is there once, by its digest, however often and by however many writers it is
 * added.  docs/archive.md explains it to users, archive_schema.c has the tables.  One thread for each
 * archive.
 */
#ifndef ARCHIVE_ARCHIVE_H
#define ARCHIVE_ARCHIVE_H

#include <stdbool.h>

#include "analysis/analysis.h"
#include "archive/db.h"
#include "base/error.h"
#include "record/result.h"

#define LAYOUT_FILE "archive/archive.def"
#define LAYOUT_NAME(name) name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* Rows of a result that are written together, at most. */
enum { ARCHIVE_ROWS = 20 };

typedef struct archive {
	db *db;
	char *where; /* for messages: without a password                                       */
	char *inserts[ARCHIVE_ROWS + 1]; /* of archive_add: its statements                        */
} archive;

/* malloc'd: what --db says, else EVENHAND_ARCHIVE, else archive.db in the user's data folder; NULL with
 * an error where there is none. */
char *archive_place(const char *asked, eh_error *error);
/* Opens it and brings its tables to this version; `make`: where it is not there, else EH_E_NOT_FOUND.
 * EH_E_FORMAT for one of a newer evenhand, and for a file that is none.  *out needs archive_close. */
eh_status archive_open(const char *where, bool make, archive *out, eh_error *error);
void archive_close(archive *a);
/* The version of its tables: how many steps of archive_schema.c were made. */
uint64_t archive_steps(void);

/* ---- adding ---------------------------------------------------------------------------------- */

/* A result made ready. */
typedef struct archive_item archive_item;

/* Takes over the result; borrows the bytes of its file and the texts beside it (NULL: none).  Any
 * thread. */
archive_item *archive_item_make(result *of, const void *bytes, size_t size, const char *signatures,
                                const char *amendments);
void archive_item_free(archive_item *i); /* NULL is fine */
const result *archive_item_result(const archive_item *i);

/* One that was there stays as it is, but for longer signatures and amendments.  A copy with more redactions
 * takes its place, and the texts that were taken out leave the archive. */
enum archive_outcome { ARCHIVE_ADDED, ARCHIVE_WAS_THERE, ARCHIVE_REDACTED };

/* In one transaction.  EH_E_USAGE for a copy that lacks some redactions and has others. */
eh_status archive_add(archive *a, archive_item *const *items, size_t count, enum archive_outcome *outcomes,
                      eh_error *error);

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct archive_filter {
	const char *executor, *device, *protocol, *tester; /* parts of their names; NULL: any      */
	const char *since, *until; /* "2026-11-29", "2026-11-29T12"; NULL: any.  Both included      */
	const text_list *cases;    /* ids; NULL: all                                               */
	uint64_t last;             /* the newest so many, of each line in a history; 0: all        */
} archive_filter;

/* The ids of all cases, each once, sorted. */
eh_status archive_cases(archive *a, text_list *out, eh_error *error);
/* Newest first. */
eh_status archive_list(archive *a, const archive_filter *f, archive_entry_list *out, eh_error *error);
eh_status archive_query(archive *a, const archive_filter *f, archive_row_list *out, eh_error *error);
/* Changes by more than `margin` of the time. */
eh_status archive_histories(archive *a, const archive_filter *f, double margin, archive_history_list *out,
                            eh_error *error);
/* The same one by one, by case, then executor; visit may move the history's members away. */
typedef eh_status archive_visit(void *context, archive_history *h, eh_error *error);
eh_status archive_each_history(archive *a, const archive_filter *f, double margin, archive_visit *visit,
                               void *context, eh_error *error);
/* How many points a line has within the filter's times. */
eh_status archive_count(archive *a, const archive_filter *f, const archive_line *line, uint64_t *out, eh_error *error);
/* The largest first; `faster`: also those for the better.  *lines, *points: what was
 * looked at; *few: lines that are too short for a change. */
typedef struct archive_looked { uint64_t lines, points, few; } archive_looked;
eh_status archive_changes(archive *a, const archive_filter *f, double margin, bool faster,
                          archive_change_list *out, archive_looked *looked, eh_error *error);

/* ---- results --------------------------------------------------------------------------------- */

typedef struct archive_file {
	char *name, *bytes, *signatures, *amendments; /* malloc'd; the last two may be NULL           */
	size_t size;
} archive_file;

/* The original bytes of a result, by its digest; needs archive_file_clear.  EH_E_ALTERED where they are
 * not those that were added. */
eh_status archive_get(archive *a, const char *sha256, archive_file *out, eh_error *error);
void archive_file_clear(archive_file *f);
/* The same, read, with who vouches for it; `word` stands for the archive in its path. */
eh_status archive_read(archive *a, const char *sha256, const char *word, result **out, eh_error *error);
/* The digests that a word names: a mark, or the beginning, 6 digits at least, of one digest.
 * EH_E_USAGE with the marks that there are. */
eh_status archive_find(archive *a, const char *word, text_list *digests, eh_error *error);

/* ---- names and annotations ------------------------------------------------------------------- */

/* Gives the name to these results and to no other. */
eh_status archive_mark(archive *a, const char *name, const text_list *digests, eh_error *error);
/* note->at: as `since` of a filter. */
eh_status archive_annotate(archive *a, const archive_note *note, eh_error *error);
eh_status archive_notes(archive *a, archive_note_list *out, eh_error *error);

#endif
