/* SPDX-License-Identifier: Apache-2.0 */
/* Results for other programs: CSV, JUnit's XML, OpenMetrics.  docs/exports.md says what each is for,
 * export.def which columns there are.  All print to the given stream, whose errors stay in it. */
#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include <stdio.h>

#include "report/grid.h"

#define LAYOUT_FILE "report/export.def"
#define LAYOUT_NAME(name) name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* Row `row` of the grid of one of its results into an initialised struct; false where the result has
 * no such case. */
bool export_fill(const grid *g, size_t row, size_t result, export_case *out);

void export_csv(FILE *out, const grid *g);
/* One row for each sample of each execution, also of those that do not count. */
void export_samples(FILE *out, const grid *g);
/* A suite for each result.  A case that failed or is invalid fails, and one that is SLOWER; what was not
 * measured is skipped. */
void export_junit(FILE *out, const grid *g);
/* Gauges, as Prometheus and its textfile collector read them. */
void export_metrics(FILE *out, const grid *g);

#endif
