/* SPDX-License-Identifier: Apache-2.0 */
/* What people read: tables on a terminal.  All print to the given stream and return false when
 * writing failed (a full disk, a closed pipe). */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "audit/audit.h"
#include "contract/contract.h"
#include "record/result.h"

/* Everything that a result tells of its stack and of those cases (empty: all). */
bool report_result(FILE *out, const result *r, const text_list *ids);
/* The record as JSON, without the line's end; `depth` is how many tabs its first line stands after. */
bool report_record(FILE *out, const result *r, unsigned depth);
/* Who vouches for the result, its disputes, notes and redactions, a line each after `name`; nothing
 * where there is neither signature nor amendment. */
bool report_evidence(FILE *out, const char *name, const audit_evidence *e);
/* A table whose columns line up; cells are copied.  On a terminal that is too narrow, columns give way: align
 * has a letter for each column.
 *   l r  left and right; whole, as numbers and verdicts are
 *   n    left, a name: its middle gives way to a sign
 *   w    left, words: they go on below
 *   b    left, a drawing of a number that stands beside it: it is left out */
typedef struct table table;
table *table_new(const char *align);
/* As many cells as align has letters; each is cleaned (table_clean). */
void table_row(table *t, const char *const *cells);
/* A row of names of columns, which give way as names do. */
void table_head(table *t, const char *const *cells);
enum table_colour { COLOUR_NONE, COLOUR_BOLD, COLOUR_RED, COLOUR_GREEN, COLOUR_YELLOW };
/* Colours a cell of the row added last, where the table is printed with colours.  The cell's text has to say
 * the same. */
void table_paint(table *t, size_t column, enum table_colour colour);
void table_rule(table *t);
/* Spaces between columns, 2 unless told. */
void table_gap(table *t, size_t gap);
/* A line of text over the whole width, indented, wrapped. */
void table_note(table *t, const char *note);
/* The same, not indented. */
void table_heading(table *t, const char *words);
bool table_print(table *t, FILE *out);
void table_free(table *t);
#define TABLE_WIDTH 80 /* what pages try to stay within, and notes do, where there is no terminal */
/* The columns that a page has: the terminal's, or TABLE_WIDTH. */
size_t table_room(FILE *out);
/* The same for prose, whose lines are shorter on a wide terminal. */
size_t table_measure(FILE *out);
/* The columns that the rows take. */
size_t table_columns(const table *t);
/* Columns that UTF-8 text takes on a terminal. */
size_t table_width(const char *s);
/* malloc'd copy with '?' for every byte that a terminal would obey, that turns the direction of
 * writing, or that is not UTF-8, and a space for line ends and tabs: names come from drivers and
 * from others' files. */
char *table_clean(const char *s);
/* malloc'd: at most so many columns of clean text, the middle of a longer one replaced by the sign. */
char *table_elided(const char *s, size_t most, const char *sign);
/* malloc'd: the words at *rest that fit into so many columns, at least a character; moves *rest behind them. */
char *table_piece(const char **rest, size_t columns);
bool table_spaces(FILE *out, size_t n);
/* Prints the text, cleaned, wrapped at table_measure(), following lines two columns further in. */
bool table_wrap(FILE *out, const char *note, size_t indent);
/* Prints the text, cleaned: wrapped on a terminal, else one line, which programs may read. */
bool table_sentence(FILE *out, const char *words);
/* Prints a label and its text, cleaned, which starts `column` columns after the label and wraps below
 * itself. */
bool table_labelled(FILE *out, size_t column, const char *label, const char *words);
/* Prints a label and its text, cleaned, which starts TABLE_LABEL columns after the label and wraps
 * below itself. */
#define TABLE_LABEL 14
__attribute__((format(printf, 4, 5)))
bool table_item(FILE *out, size_t indent, const char *label, const char *format, ...);

#endif
