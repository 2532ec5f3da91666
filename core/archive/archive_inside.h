/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the archive share. */
#ifndef ARCHIVE_ARCHIVE_INSIDE_H
#define ARCHIVE_ARCHIVE_INSIDE_H

#include "analysis/stacks.h"
#include "archive/archive.h"

/* The lines that a filter wants, by case, then executor; needs layout_list_clear. */
eh_status archive_lines_find(archive *a, const archive_filter *f, archive_line_list *out, eh_error *error);
/* Newest first; *older, if not NULL: whether older ones were left out. */
eh_status archive_points(archive *a, const archive_filter *f, int64_t line, archive_point_list *out,
                         bool *older, eh_error *error);

/* The one that a result has; LOCAL members, too. */
eh_status archive_point_of(archive *a, int64_t line, int64_t of, archive_point *out, eh_error *error);
/* Rows of time_ns, value, result, stack of the points that count, oldest first; db_end ends them. */
eh_status archive_times(archive *a, const archive_filter *f, int64_t line, db_rows **rows, eh_error *error);

/* Stacks, which are read from the archive when they are needed. */
typedef struct archive_stacks archive_stacks;
archive_stacks *archive_stacks_new(archive *a);
void archive_stacks_free(archive_stacks *s);
/* Appends the groups of layers that differ between the stacks of two points. */
eh_status archive_stacks_differ(archive_stacks *s, const archive_point *from, const archive_point *to,
                                stack_group_list *groups, eh_error *error);

/* Where the level of n times changes for good by more than margin; `stacks` are their stacks' keys.
 * Returns the number of levels; *firsts (malloc'd) has where each begins, the first at 0. */
size_t archive_levels(const double *times, const int64_t *stacks, size_t n, double margin, size_t **firsts);
/* The median of level k of `count`. */
double archive_level(const double *times, const size_t *firsts, size_t count, size_t n, size_t k);
/* Appends the annotations about a line between two times, both included. */
void archive_notes_between(const archive_note_list *notes, const archive_line *line, const char *from, const char *to,
                           archive_note_list *out);
/* Fills the changes of histories, for the better and the worse; the points of each are oldest first. */
eh_status archive_changes_of(archive *a, archive_stacks *stacks, archive_history *histories, size_t count,
                             double margin, const archive_note_list *notes, eh_error *error);

#endif
