/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of a grid that the same can be said of. */
#ifndef REPORT_GRID_GROUPS_H
#define REPORT_GRID_GROUPS_H

#include "report/grid.h"

/* A cell by its column and row; the reference is column g->count. */
typedef struct place { size_t column, row; } place;
typedef struct group { char *what; place *places; size_t count; } group;
typedef struct groups { group *items; size_t count; } groups;

/* Adds a cell to the group of those words; once: unless it is the one added last. */
void group_add(groups *all, const char *what, size_t column, size_t row);
void group_add_once(groups *all, const char *what, size_t column, size_t row);
/* A cell of the reference, which each column has: added once. */
void group_add_reference(groups *all, const char *what, const grid *g, size_t column, size_t row);
void groups_free(groups *all);
/* malloc'd "clang-15 gemm, pocl copy, and 2 more". */
char *group_names(const grid *g, const group *of);

#endif
