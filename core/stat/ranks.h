/* SPDX-License-Identifier: Apache-2.0 */
/* The test of Mann and Whitney (1947): whether two groups of values are draws of one distribution.
 * Pure, and the same bits on every machine. */
#ifndef STAT_RANKS_H
#define STAT_RANKS_H

#include <stddef.h>

/* The two-sided p-value, n, m >= 1.  Exact where n + m is at most RANKS_EXACT: at least 2 divided by
 * the number of ways to choose n of n + m values.  Above, by the normal approximation.  Equal values
 * count against a difference. */
#define RANKS_EXACT 80
double ranks_p(const double *a, size_t n, const double *b, size_t m);
/* The least p-value that n and m values can have: 2 divided by those ways. */
double ranks_least(size_t n, size_t m);

#endif
