/* SPDX-License-Identifier: Apache-2.0 */
/* How precise a series of samples is: the number that sampling stops by and a record states.  Pure,
 * and the same on every machine, so that readers of a record get what the worker got. */
#ifndef STAT_PRECISION_H
#define STAT_PRECISION_H

#include <stddef.h>
#include <stdint.h>

/*
 * The half-width of the interval of the quantile, relative to its value; quantile 0 is the median.
 * The interval lies between order statistics.  NAN when n is too small for the confidence, or the
 * value is 0.  Reorders `values`; no allocation.
 */
double precision_half_width(double *values, size_t n, double quantile, double confidence);
/* The same for values in ascending order, in no time. */
double precision_of_sorted(const double *sorted, size_t n, double quantile, double confidence);

/* Of samples in rounds (stat/lockstep.h): that of the median of the rounds' values, each the quantile
 * of its samples, 0 < quantile < 1. */
double precision_of_rounds(const uint64_t *times_ns, const uint64_t *rounds, size_t n, double quantile,
                           double confidence);

#endif
