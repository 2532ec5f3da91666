/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the values of a series are independent draws of one distribution.  Pure, and the same
 * bits on every machine. */
#ifndef STAT_INDEPENDENCE_H
#define STAT_INDEPENDENCE_H

#include <stddef.h>

/* The runs test of Wald and Wolfowitz about the given median: a standard normal deviate.  It is
 * negative when there are few runs, that is when neighbours are alike; 0 when there are too few
 * values.  Values at the median are left out. */
double independence_runs_about(const double *values, size_t n, double median);

/* The trend test of Mann and Kendall, corrected for ties: a standard normal deviate.  It is
 * positive when later values are larger; 0 for a constant series. */
double independence_trend(const double *values, size_t n);

/* Lag-1 autocorrelation of the signs about the median, which outliers do not dominate. */
double independence_signs_about(const double *values, size_t n, double median);

/* The factor by which the median's interval is wider than that of independent values: the root of
 * 1 + 2 (sum of the signs' autocorrelations up to the first insignificant one). */
double independence_widening_about(const double *values, size_t n, double median);

#endif
