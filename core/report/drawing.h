/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as drawings of one line, for terminals, beside the numbers: numbers in, malloc'd text out.  With
 * `unicode` of characters for drawing, else of ASCII; both take as many columns. */
#ifndef REPORT_DRAWING_H
#define REPORT_DRAWING_H

#include <stdbool.h>
#include <stddef.h>

/* A share of 1 that fills `width` columns, and the end of these: "#####.....:...|".  Marks are shares, seen
 * where the bar does not reach them. */
char *drawing_bar(double share, size_t width, const double *marks, size_t count, bool unicode);
/* How many values lie in each of `width` equal parts from low to high; others are left out.  No
 * part is a space, so that the text stays one word. */
char *drawing_shape(const double *values, size_t n, double low, double high, size_t width, bool unicode);
/* A ratio and its interval on a logarithmic axis from 1 / range to range, with 1 in the middle: "  |  -o-".
 * `width` is odd.  What is beyond an end is an arrow there. */
char *drawing_ratio(double ratio, double low, double high, double range, size_t width, bool unicode);

#endif
