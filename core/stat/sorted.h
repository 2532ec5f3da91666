/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of values in ascending order: the same bits as those of statistics.h and percentile.h,
 * without sorting again.  Pure. */
#ifndef STAT_SORTED_H
#define STAT_SORTED_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/statistics.h"

/* Sorts n values, none of them NaN, in O(n log n) for any order. */
void sorted_make(double *values, size_t n);
/* malloc'd sorted copy. */
double *sorted_copy(const double *values, size_t n);

double sorted_median(const double *sorted, size_t n);
double sorted_quantile(const double *sorted, size_t n, double q);
double sorted_mad(const double *sorted, size_t n);
/* The distance from the center at position `rank` (from 0) of the n sorted distances. */
double sorted_distance(const double *sorted, size_t n, double center, size_t rank);

#endif
