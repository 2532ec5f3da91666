/* SPDX-License-Identifier: Apache-2.0 */
/* Values in ascending order, and what can be read off them: the same bits as of statistics.h and
 * percentile.h, for whoever asks more than once.  Pure. */
#ifndef STAT_SORTED_H
#define STAT_SORTED_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/statistics.h"

/* Sorts n values, none of them NaN, in time n log n whatever their order. */
void sorted_make(double *values, size_t n);
/* malloc'd copy in order. */
double *sorted_copy(const double *values, size_t n);

double sorted_median(const double *sorted, size_t n);
double sorted_quantile(const double *sorted, size_t n, double q);
double sorted_mad(const double *sorted, size_t n);
/* The distance from the center that rank (from 0) of the n distances are not above. */
double sorted_distance(const double *sorted, size_t n, double center, size_t rank);

#endif
