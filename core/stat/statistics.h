/* SPDX-License-Identifier: Apache-2.0 */
/* Pure statistics: no clocks, no I/O.  Sources of the formulas: docs/method.md. */
#ifndef STAT_STATISTICS_H
#define STAT_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct interval { double low, high; } interval;

/* All take n >= 1 values in any order and leave them as they are unless said otherwise. */
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
/* The same of the quantile q, 0 < q < 1. */
bool statistics_quantile_ranks(size_t n, double q, double confidence, size_t *low, size_t *high);
bool statistics_quantile_interval(const double *values, size_t n, double q, double confidence,
                                  interval *out);
/* That of the median between order statistics, by the interpolation of Hettmansperger and Sheather
 * (1986), so that it covers as often as it says and not a little more; its ends `widening` times
 * (>= 1) as many ranks from the middle, for samples that are not independent. */
bool statistics_fine_interval(const double *values, size_t n, double confidence,
                                 double widening, interval *out);

/* Correlation of neighbours; 0 for a constant series and for n < 2. */
double statistics_lag1(const double *values, size_t n);

/*
 * Executions of samples.  The center is the median of the execution medians; its intervals are
 * those of a hierarchical percentile bootstrap (executions, then samples in them), not by drawing
 * but from its exact distribution: no seed, and the same bits on every machine.  Of the two middle
 * values of an even number a resample takes either with the same probability.
 * There is at least one execution, and every execution has samples, in any order.
 */
typedef struct statistics_side {
	const double *const *samples; /* [executions][counts[i]]                               */
	const size_t *counts;
	size_t executions;
	double quantile; /* 0: the median; else this percentile (percentile.h) of each execution
	                    stands for its median, and the center is their median       */
	const double *const *sorted; /* the same samples in ascending order; NULL: not at hand */
} statistics_side;
double statistics_execution(const statistics_side *side, size_t e); /* what stands for it */
double statistics_center(const statistics_side *side);
interval statistics_center_interval(const statistics_side *side, double confidence);
/* The ratio of the centers b / a, with its interval; {0, infinity} where a has a sample that is
 * not positive. */
double statistics_ratio(const statistics_side *a, const statistics_side *b, double confidence,
                        interval *out);
/* The same for whoever asks more than once about two sides, which it borrows. */
typedef struct statistics_pair statistics_pair;
statistics_pair *statistics_pair_new(const statistics_side *a, const statistics_side *b);
double statistics_pair_ratio(const statistics_pair *p, double confidence, interval *out);
/* The bootstrap's probabilities that b / a is below and above the threshold: the interval
 * of confidence c is on one side of the threshold when the other side's probability, with that of
 * the threshold itself, is below (1 - c) / 2. */
void statistics_pair_tails(const statistics_pair *p, double threshold, double *below,
                           double *above);
void statistics_pair_free(statistics_pair *p); /* NULL is fine */

#endif
