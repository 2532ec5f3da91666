/* SPDX-License-Identifier: Apache-2.0 */
/* Percentiles: how many samples they need, and what they are known to.  Pure, and the same bits on
 * every machine.  docs/method.md, "Percentiles". */
#ifndef STAT_PERCENTILE_H
#define STAT_PERCENTILE_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/statistics.h"

/* The ones that a protocol may declare and that records hold, ascending. */
typedef struct percentile {
	const char *name; /* "p99.9" */
	double quantile;
} percentile;
#define PERCENTILE_COUNT 5
extern const percentile percentile_table[PERCENTILE_COUNT];
/* NULL for a name that is none of them, such as "median". */
const percentile *percentile_find(const char *name);

/* The fewest samples for which a percentile may be stated: the chance that at most one of n exceeds
 * the quantile q is then at most 1 - confidence (MLPerf's early stopping; 64 for 0.9 and 0.99). */
#define PERCENTILE_CONFIDENCE 0.99
size_t percentile_least(double q, double confidence);

/* The smallest value that at least q of the n values do not exceed; 0 < q < 1. */
double percentile_value(const double *values, size_t n, double q);
/* The rank of that value, from 0. */
size_t percentile_rank(size_t n, double q);

#endif
