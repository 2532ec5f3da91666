/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the report room: the parts of a printed comparison. */
#ifndef REPORT_COMPARISON_PARTS_H
#define REPORT_COMPARISON_PARTS_H

#include "report/figure.h"
#include "report/report.h"

/* The reasons of a row as notes under it; those of level comparable only with verbose. */
void comparison_notes(table *t, const comparison_row *row, bool verbose);
/* The results that are compared, and the reasons about them as a whole. */
bool comparison_head(FILE *out, const comparison *comparisons, size_t count, bool verbose);
/* "host:clang-14: 3 FASTER, 1 ABSENT", and the means. */
bool comparison_counts(FILE *out, const comparison *c);
/* The cells of a row.  A side without a number shows its status, "-" where it has no such case. */
void comparison_cells(const comparison_row *row, char base[FIGURE_SIZE], char other[FIGURE_SIZE],
                      char speedup[FIGURE_SIZE]);

#endif
