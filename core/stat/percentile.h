/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles and how many samples they need.  Pure, and the same bits on every machine.
 * docs/sequence.md. */
#ifndef STAT_PERCENTILE_H
#define STAT_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/statistics.h"

/* The percentiles that protocols may declare and records hold, in ascending order. */
typedef struct percentile {
	const char *name; /* "p99.9" */
	double quantile;
} percentile;
#define PERCENTILE_COUNT 5
extern const percentile percentile_table[PERCENTILE_COUNT];
/* NULL for any other name, such as "median". */
const percentile *percentile_find(const char *name);

/* The fewest samples n for which a percentile may be stated: the probability that at most one of
 * them exceeds the quantile q is at most 1 - confidence (MLPerf's early stopping).  64 for q = 0.9
 * and 0.99. */
#define PERCENTILE_CONFIDENCE 0.99
size_t percentile_least(double q, double confidence);

/* The smallest value that at least the share q of the n values does not exceed; 0 < q < 1. */
double percentile_value(const double *values, size_t n, double q);
/* The rank of that value, from 0. */
size_t percentile_rank(size_t n, double q);

#endif
