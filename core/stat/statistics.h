/* SPDX-License-Identifier: Apache-2.0 */
/* Pure statistics: no clocks, no I/O.  Sources of the formulas: docs/method.md. */
#ifndef STAT_STATISTICS_H
#define STAT_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct interval { double low, high; } interval;

/* Functions take n >= 1 values in any order and do not change them, unless noted. */
double statistics_median(const double *values, size_t n);
/* Quantile by linear interpolation between order statistics (Hyndman and Fan, type 7). */
double statistics_quantile(const double *values, size_t n, double q);
double statistics_mad(const double *values, size_t n); /* median absolute deviation, unscaled */

/* The value at position `rank` (from 0) when sorted; reorders `values`.  No allocation. */
double statistics_select(double *values, size_t n, size_t rank);

/* Ranks (from 0) of the two order statistics that bound the median of n values with at least
 * that confidence; false when n is too small.  Exact binomial.  No allocation. */
bool statistics_median_ranks(size_t n, double confidence, size_t *low, size_t *high);
/* Distribution-free interval of the median from order statistics (binomial); false when n is
 * too small for that confidence (n < 6 at 0.95). */
bool statistics_median_interval(const double *values, size_t n, double confidence, interval *out);
/* The same for the quantile q, 0 < q < 1. */
bool statistics_quantile_ranks(size_t n, double q, double confidence, size_t *low, size_t *high);
bool statistics_quantile_interval(const double *values, size_t n, double q, double confidence,
                                  interval *out);
/* The interval of the median, interpolated between order statistics (Hettmansperger and Sheather
 * 1986): its coverage is closer to the confidence than that of statistics_median_interval.  For
 * samples that are not independent its ends are `widening` (>= 1) times as many ranks from the
 * middle. */
bool statistics_fine_interval(const double *values, size_t n, double confidence,
                                 double widening, interval *out);

/* Correlation of neighbours; 0 for a constant series and for n < 2. */
double statistics_lag1(const double *values, size_t n);

/*
 * One side of a comparison: executions with their samples.  The center is the median of the
 * executions' medians.  Its interval is that of a hierarchical percentile bootstrap (executions,
 * then their samples), computed from the exact distribution: no seed, and the same bits on every
 * machine.  A resample of even size takes either of its two middle values with the same
 * probability. There is at least one execution; every execution has samples, in any order.
 */
typedef struct statistics_side {
	const double *const *samples; /* [executions][counts[i]]                               */
	const size_t *counts;
	size_t executions;
	double quantile; /* 0: the median; else the center is the median of this percentile
	                    (percentile.h) of the executions                            */
	const double *const *sorted; /* the same samples in ascending order; may be NULL     */
} statistics_side;
/* The number of all samples. */
size_t statistics_samples(const statistics_side *side);
/* The median or percentile of execution e. */
double statistics_execution(const statistics_side *side, size_t e);
double statistics_center(const statistics_side *side);
interval statistics_center_interval(const statistics_side *side, double confidence);
/* The ratio of the centers b / a, with its interval; {0, infinity} when a has a sample that is not
 * positive. */
double statistics_ratio(const statistics_side *a, const statistics_side *b, double confidence,
                        interval *out);
/* Two sides prepared for several questions; borrows them. */
typedef struct statistics_pair statistics_pair;
statistics_pair *statistics_pair_new(const statistics_side *a, const statistics_side *b);
double statistics_pair_ratio(const statistics_pair *p, double confidence, interval *out);
/* The bootstrap's probabilities that b / a is below and above the threshold.  The interval of
 * confidence c is on one side of the threshold when the probability of the other side, including
 * the threshold itself, is below (1 - c) / 2. */
void statistics_pair_tails(const statistics_pair *p, double threshold, double *below,
                           double *above);
void statistics_pair_free(statistics_pair *p); /* NULL is fine */

#endif
