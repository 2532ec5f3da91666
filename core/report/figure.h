/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the report room: numbers as people read them. */
#ifndef REPORT_FIGURE_H
#define REPORT_FIGURE_H

#include <stdbool.h>
#include <stdio.h>

#include "contract/contract.h"
#include "report/report.h"

#define FIGURE_SIZE 96

/* "21.34 [21.20-21.40] GB/s": one unit for the three, four significant digits of the first. */
void figure_interval(double center, interval around, const char *unit, char out[FIGURE_SIZE]);
/* "1.082 [1.071-1.090]" */
void figure_ratio(double center, interval around, char out[FIGURE_SIZE]);
/* "41.2" and "GB/s": two to four digits, the last not finer than the width of the interval. */
void figure_value(double center, interval around, const char *unit, char number[FIGURE_SIZE],
                  char prefixed[FIGURE_SIZE]);
/* Pads malloc'd numbers so that their points stand below each other; words stay as they are. */
void figure_align(char **numbers, size_t count);
/* "41.2", "0.4" and "GB/s": both with the digits that half of the interval has reason for. */
void figure_half_width(double center, interval around, const char *unit, char number[FIGURE_SIZE],
                       char half[FIGURE_SIZE], char prefixed[FIGURE_SIZE]);
/* "1.31x"; "1/830x" below a fiftieth; digits enough to differ from 1. */
void figure_times(double ratio, char out[FIGURE_SIZE]);
/* ".97-1.04", rounded outwards. */
void figure_range(interval around, char out[FIGURE_SIZE]);
/* "B/s", "FLOP/s" or "s". */
const char *figure_unit(enum record_metric metric);

#endif
