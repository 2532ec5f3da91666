/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparisons on one page: rows are cases, columns executors, a cell is one short answer.  Text and
 * Markdown are printed from it.  docs/reading-a-comparison.md explains it to readers.
 */
#ifndef REPORT_GRID_H
#define REPORT_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "contract/contract.h"
#include "report/labels.h"

enum grid_kind {
	GRID_BLANK,  /* "-": nothing to compare with, or no such case                          */
	GRID_FASTER,
	GRID_SLOWER,
	GRID_EQUAL,
	GRID_OPEN,   /* no verdict                                                             */
	GRID_WORD,   /* not run, or not supported                                              */
	GRID_BAD     /* invalid, failed, or not comparable                                     */
};

typedef struct grid_cell {
	enum grid_kind kind;
	char *text;                /* "1.31x", "~", ".97-1.04?", "no fp64", "X", "-"           */
	const comparison_row *row; /* NULL: the comparison has no such case                    */
} grid_cell;

/* A number and its unit, or a word and "". */
typedef struct grid_value { char *number, *unit; } grid_value;

typedef struct grid_row {
	const char *id;
	grid_value reference;
	grid_cell *cells;          /* one per comparison                                       */
} grid_row;

/* A line below the grid: what it is about, "" where that is the whole page, and the sentence. */
typedef struct grid_note { char *mark, *words; } grid_note;
typedef struct grid_notes { grid_note *items; size_t count; } grid_notes;

enum grid_mode {
	GRID_AGAINST, /* all comparisons have one baseline                                         */
	GRID_PAIRED,  /* each executor against its own other result                                */
	GRID_ALONE    /* one result, compared with itself                                          */
};

typedef struct grid {
	const comparison *comparisons; /* borrowed, at least one                               */
	size_t count;
	enum grid_mode mode;
	char *title, *margin;      /* "quick@1 on 6 executors ...", "2 %" ("" where no case has one) */
	labels executors;          /* of the reference, then of the columns; paired: of the columns only */
	labels cases;
	grid_row *rows;
	size_t row_count;
	size_t kinds[GRID_BAD + 1]; /* number of cells                                         */
	text_list legend;          /* the signs that occur, then the counts                    */
	grid_notes notes;
} grid;

/* Borrows the comparisons. */
void grid_make(grid *g, const comparison *comparisons, size_t count, enum grid_mode mode);
void grid_clear(grid *g);
/* The name of a column. */
const char *grid_column(const grid *g, size_t column);

/* Within table_room(); all false when writing failed. */
bool grid_print(FILE *out, const grid *g);
bool grid_print_title(FILE *out, const grid *g);
bool grid_print_notes(FILE *out, const grid *g);
bool grid_print_markdown(FILE *out, const grid *g);
/* Each case with every value and ratio, their intervals, and every rule that fired; the details have
 * the results, their rules, and the means as well. */
bool grid_print_cases(FILE *out, const grid *g);
bool grid_print_details(FILE *out, const grid *g);

/* All results: the reference, paired the reference of each column, then the others; alone the one. */
size_t grid_results(const grid *g);
/* How many of them are references: they come first. */
size_t grid_references(const grid *g);
const result *grid_result(const grid *g, size_t i);
const comparison_source *grid_source(const grid *g, size_t i);
/* The name of its column or of the reference. */
const char *grid_result_name(const grid *g, size_t i);

/* malloc'd: its name for a page that has room, and says before or after where it is paired. */
char *grid_full_name(const grid *g, size_t result);
/* Whether others are compared with the result. */
bool grid_is_reference(const grid *g, size_t result);
/* Its row of a case, NULL where it has none. */
const result_row *grid_result_row(const grid *g, size_t row, size_t result);
/* The comparison's row that has the result as its other side, or for a reference the first that has
 * it as the baseline; NULL where there is none. */
const comparison_row *grid_compared(const grid *g, size_t row, size_t result);
/* Its side of that row, or NULL. */
const comparison_side *grid_side(const grid *g, size_t row, size_t result);
/* malloc'd: the words of the case's label. */
char *grid_case_name(const grid *g, size_t row);

/* ---- parts ----------------------------------------------------------------------------------- */

/* malloc'd texts, malloc'd: a value has its unit where that differs from the one above. */
char **grid_values(const grid *g);
struct table;
void grid_paint(struct table *t, const grid_cell *cell, size_t column);
/* The rows of one other result beside its reference. */
bool grid_print_two(FILE *out, const grid *g);
/* malloc'd: with its interval, where it has one: "1.31x [1.28-1.34]". */
char *grid_cell_interval(const grid_cell *cell);
/* What a cell says in place of a number: "no fp64", "not run", "X", "-". */
const char *grid_word(const result *of, const result_row *row);
/* malloc'd: what would decide an open case. */
char *grid_open_words(const comparison *c, const comparison_row *row);
/* malloc'd. */
char *grid_title(const grid *g);
char *grid_margin(const grid *g);
void grid_notes_fill(grid *g);
void grid_differs_fill(grid *g);
void grid_facts_fill(grid *g);
void grid_errors_fill(grid *g);
void grid_answers_fill(grid *g);
/* Takes the words. */
void grid_note_add(grid *g, const char *mark, char *words);
/* Takes the words; a long text comes back cut between two words. */
char *grid_shortened(char *words);

#endif
