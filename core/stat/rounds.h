/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sides measured in rounds: the i-th executions of both came one soon after the other, and what
 * the machine did then (a clock that wanders, a neighbour) fell on both.  The ratio is the median of
 * the rounds' ratios, and its interval is that of a median between order statistics
 * (statistics_fine_interval), which needs no model of how rounds differ.  docs/method.md, "Rounds".
 */
#ifndef STAT_ROUNDS_H
#define STAT_ROUNDS_H

#include "stat/statistics.h"

/* Fewer have no interval of 95 % confidence. */
#define ROUNDS_LEAST 6

/* b / a of each round; both sides have as many executions.  malloc'd. */
double *rounds_ratios(const statistics_side *a, const statistics_side *b);
/* The median of n ratios, with its interval; {0, infinity} where n is too small for the confidence
 * (n < ROUNDS_LEAST at 0.95). */
double rounds_ratio(const double *ratios, size_t n, double confidence, interval *out);
/* One minus the largest confidence at which the interval is below the threshold, or above it: the
 * p-value, on both sides, of the median not being there.  1 when no interval is. */
double rounds_p(const double *ratios, size_t n, double threshold, bool below);

#endif
