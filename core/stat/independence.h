/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the values of a series are independent draws of one distribution.  Pure, and the same
 * bits on every machine. */
#ifndef STAT_INDEPENDENCE_H
#define STAT_INDEPENDENCE_H

#include <stddef.h>

/* Wald and Wolfowitz: the number of runs above and below the given median, as a standard normal deviate;
 * values at the median are left out.  Negative: too few runs, neighbours are alike.  0 when there
 * are too few values to say. */
double independence_runs_about(const double *values, size_t n, double median);

/* Mann and Kendall: how consistently later values are larger, as a standard normal deviate,
 * corrected for ties; 0 for a constant series. */
double independence_trend(const double *values, size_t n);

/* Lag-1 autocorrelation of the signs about the median: outliers have no more say than others. */
double independence_signs_about(const double *values, size_t n, double median);

/* How many times as wide as that of independent values the interval of the median is: the root of
 * 1 + 2 (sum of the signs' autocorrelations up to the first that chance explains). */
double independence_widening_about(const double *values, size_t n, double median);

#endif
