/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the report room: numbers as people read them, and colours. */
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
/* The value of a row in its metric, from a time per operation and its interval: a rate for
 * bytes/s and flop/s, the time of one for s.  "" when there is no time. */
void figure_row(const result_row *row, double center, interval around, char out[FIGURE_SIZE]);
/* The same as numbers: value and interval in the metric's base unit. */
void figure_value(const result_row *row, double center, interval around, double *value,
                  interval *value_interval);

/* True for a terminal, unless NO_COLOR is set and not empty. */
bool figure_colours(FILE *out);
enum table_colour figure_verdict_colour(enum comparison_verdict v);

#endif
