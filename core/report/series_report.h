/* SPDX-License-Identifier: Apache-2.0 */
/* What series of samples are like; `evenhand series` and `show --samples` print it. */
#ifndef REPORT_SERIES_REPORT_H
#define REPORT_SERIES_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "record/record.h"

#define LAYOUT_FILE "report/series_report.def"
#define LAYOUT_NAME(name) name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* The half-width of an interval, relative to the median, up to which a series has converged. */
#define SERIES_HALF_WIDTH 0.01

/* Adds an execution of n >= 1 times, finite and not negative, which are borrowed. */
void series_report_add(series_report *r, const char *name, const double *values, size_t n);
/* Fills what follows from all executions, of which there is at least one. */
void series_report_finish(series_report *r, double wanted);

/* For people; false when writing failed. */
bool series_report_print(FILE *out, const series_report *r);
/* The picture of one, as wide as the page, with its segments below. */
void series_plot(FILE *out, const series_one *one);
/* The picture of n >= 1 values, 3 to 9 lines high. */
void series_draw(FILE *out, const double *values, size_t n, size_t height);
/* A line below it: where the parts that begin at these values are, numbered from 1. */
void series_marks(FILE *out, const char *label, const size_t *firsts, size_t count, size_t n);
/* malloc'd, for a terminal: how the values lie, without the lowest and highest 2 %: "5.1 |:=@=:..:| 5.9"; NULL
 * elsewhere, and for few values. */
char *series_shape(FILE *out, const double *values, size_t n);

#endif
