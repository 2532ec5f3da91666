/* SPDX-License-Identifier: Apache-2.0 */
/* Charts: figures that page.js draws from the JSON beside them (charts.def).  What they show stands
 * in tables of the page too: a reader without JavaScript misses no number. */
#ifndef PAGE_CHART_H
#define PAGE_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "report/grid.h"

#define LAYOUT_FILE "page/charts.def"
#define LAYOUT_NAME(name) name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

typedef struct chart_axis { const char *name, *unit; bool log; } chart_axis;

/* Into an initialised struct. */
void chart_axes(chart *c, chart_axis x, chart_axis y);
/* The same; the groups are the results of the grid, in their order. */
void chart_begin(chart *c, const grid *g, chart_axis x, chart_axis y);
/* A line without coordinates; valid until the next. */
chart_line *chart_add(chart *c, const char *name, size_t group, const char *set);
/* The coordinates of n points. */
void chart_points(chart_line *l, const double *x, const double *y, size_t n);
void chart_intervals(chart_line *l, const double *low, const double *high, size_t n);
/* Writes the figure; nothing for a chart without lines. */
void chart_put(FILE *out, const chart *c, const char *caption);

#endif
