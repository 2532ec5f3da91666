/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A report as one HTML file that needs nothing else: styles, script and the chart library are in
 * it, its policy (Content-Security-Policy) allows no request, and its tables say everything without
 * JavaScript.  docs/report.md explains it to readers.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "report/grid.h"

/* Writes the report of a grid: of one result (GRID_ALONE), or of several.  folder: with page.css and
 * the scripts, paths_data("page").  EH_E_IO when one of them cannot be read, before anything is
 * written; errors of writing stay in the stream. */
eh_status page_report(FILE *out, const grid *g, const char *folder, eh_error *error);
/* How a report begins, so that it can be told from other files. */
#define PAGE_BEGINS "<!DOCTYPE html>\n<!-- evenhand report -->\n"

#endif
