/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sides measured in rounds: the i-th executions of both ran close together in time, so a
 * disturbance (a drifting clock, a neighbour) affected both.  The ratio is the median of the
 * rounds' ratios; its interval is that of a median between order statistics
 * (statistics_fine_interval), which needs no model of how rounds differ.  docs/sequence.md.
 */
#ifndef STAT_ROUNDS_H
#define STAT_ROUNDS_H

#include "stat/statistics.h"

/* Fewer rounds have no interval of 95 % confidence. */
#define ROUNDS_LEAST 6

/* malloc'd: b / a of each round.  Both sides have the same number of executions. */
double *rounds_ratios(const statistics_side *a, const statistics_side *b);
/* The median of n ratios, with its interval; {0, infinity} when n is too small for the confidence
 * (n < ROUNDS_LEAST at 0.95). */
double rounds_ratio(const double *ratios, size_t n, double confidence, interval *out);
/* The two-sided p-value of the median not being below (or above) the threshold: one minus the
 * largest confidence at which the whole interval is there.  1 when no interval is. */
double rounds_p(const double *ratios, size_t n, double threshold, bool below);

#endif
