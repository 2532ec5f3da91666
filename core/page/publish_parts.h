/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the page room: what the pages of an archive share. */
#ifndef PAGE_PUBLISH_PARTS_H
#define PAGE_PUBLISH_PARTS_H

#include <stdio.h>

#include "page/publish_folder.h"
#include "stat/statistics.h"

/* A median of results, with its 95 % interval; of fewer than six, around is their range. */
typedef struct publish_level { double median; interval around; } publish_level;

/* A lasting change, with what its line says of the levels before and after. */
typedef struct publish_change {
	archive_change of;
	publish_level before, after;
	interval speedup;
} publish_change;

/* What is kept of a line after its page was written. */
typedef struct publish_line {
	archive_line line;
	archive_point last;       /* the newest that counts; digest is empty where none does    */
	char *anchor;             /* malloc'd "case-....html#line-..."                          */
	uint64_t all;             /* its results of the filter's times                         */
	size_t number;            /* of its page among those of the case                       */
	size_t first_change, changes; /* in publishing.changes                                 */
} publish_line;

typedef struct publishing {
	archive *a;
	const publish_options *o;
	publish_folder folder;
	bool charts;              /* the chart library is there                                */
	publish_line *lines;      /* by case, then executor                                    */
	size_t line_count;
	publish_change *changes;  /* by line                                                   */
	size_t change_count;
	archive_looked looked;
	archive_history_list now; /* of the case whose page comes next, at most PUBLISH_CASE_LINES */
	size_t number;            /* of that page among those of the case, from 1               */
} publishing;

/* Lines on a page of a case. */
enum { PUBLISH_CASE_LINES = 100 };

/* Which lines a table has; NULL: all. */
typedef struct publish_pick {
	const char *executor, *protocol, *protocol_digest, *id;
	size_t number;            /* of the page of the case; 0: any                           */
	const publish_line *line; /* this one alone                                            */
} publish_pick;
bool publish_picks(const publish_pick *pick, const publish_line *l);

/* ---- files ----------------------------------------------------------------------------------- */

typedef eh_status publish_body(FILE *out, publishing *p, const publish_pick *pick, eh_error *error);
/* Writes a page: head, what `body` writes, foot. */
eh_status publish_page(publishing *p, const char *name, const char *title, publish_body *body,
                       const publish_pick *pick, eh_error *error);
/* page.css, page.js and the chart library. */
eh_status publish_assets(publishing *p, eh_error *error);

/* ---- pages ----------------------------------------------------------------------------------- */

publish_body publish_index, publish_changes, publish_group, publish_case;
/* A line of a case, with its chart; rows: of its results. */
void publish_history(FILE *out, const publishing *p, const archive_history *h, const publish_line *l, size_t rows);

/* ---- tables ---------------------------------------------------------------------------------- */

void publish_put_lines(FILE *out, const publishing *p, const publish_pick *pick);
/* Slower ones first, the largest first; most: so many, at most PUBLISH_CHANGES. */
enum { PUBLISH_CHANGES = 1000 };
void publish_put_changes(FILE *out, const publishing *p, const publish_pick *pick, size_t most);
/* The newest results. */
eh_status publish_put_results(FILE *out, const publishing *p, eh_error *error);
/* Executors, or protocols, with links to their pages. */
void publish_put_groups(FILE *out, const publishing *p, bool protocols);
/* Nothing without any. */
void publish_put_notes(FILE *out, const archive_note_list *notes);

/* ---- cells ----------------------------------------------------------------------------------- */

/* Of n >= 1 values. */
publish_level publish_level_of(const double *values, size_t n);
/* malloc'd "22.30 [22.25-22.41] MB/s". */
char *publish_level_words(publish_level v, enum record_metric metric);
/* The layers that changed, with their makers and owners; or that the stack did not, and what to do. */
void publish_put_cause(FILE *out, const archive_change *c);
/* The layers of groups alone. */
void publish_put_layers(FILE *out, const stack_group_list *groups);
/* malloc'd: the options of the command line that select the same. */
char *publish_selecting(const publishing *p, const publish_pick *pick);
/* malloc'd: the file of the page of a case, an executor or a protocol. */
char *publish_case_page(const char *id, size_t number);
char *publish_executor_page(const archive_line *l);
char *publish_protocol_page(const archive_line *l);

#endif
