/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the page room: the sections of a report, each with a heading of its own, and what they
 * share. */
#ifndef PAGE_PAGE_PARTS_H
#define PAGE_PAGE_PARTS_H

#include <stdio.h>

#include "report/grid.h"

/* The answer in a sentence, the grid, and what is open and why: the first screen. */
void page_answer(FILE *out, const grid *g);
/* Who measured what under which protocol: a line for each result. */
void page_results(FILE *out, const grid *g);
/* All values, ratios and verdicts side by side. */
void page_values(FILE *out, const grid *g);
/* What limits the cases: roofs, ceilings, and rates over the size of the data. */
void page_limits(FILE *out, const grid *g);
/* Every case with its samples, sensors, and everything that explain says. */
void page_cases(FILE *out, const grid *g);
/* Which layers differ, and every layer of each stack. */
void page_stacks(FILE *out, const grid *g);
/* The rules of the contract that fired. */
void page_rules(FILE *out, const grid *g);
/* What failed, was left out or is not supported, and why. */
void page_missing(FILE *out, const grid *g);
/* Protocol, digests, signatures, and the commands that measure the same again. */
void page_records(FILE *out, const grid *g);

/* ---- shared ---------------------------------------------------------------------------------- */

/* The charts of the results' row of a case: samples, sensors, windows, requests. */
void page_series(FILE *out, const grid *g, size_t row);

/* A section with its anchor and heading; markup_put(out, "</section>\n") ends it. */
void page_section(FILE *out, const char *anchor, const char *heading);
/* A table that scrolls within its place; the caption is read to who cannot see it. */
void page_table(FILE *out, const char *caption);
void page_table_end(FILE *out);
/* A row of heads in its <thead>, and <tbody>. */
void page_heads(FILE *out, const char *const *heads, size_t count);

#endif
