/* SPDX-License-Identifier: Apache-2.0 */
/* Where a series changes its level or its spread.  Pure, and the same bits on every machine. */
#ifndef STAT_CHANGEPOINTS_H
#define STAT_CHANGEPOINTS_H

#include <stddef.h>

#define CHANGEPOINTS_SEGMENT 5 /* the shortest segment, in samples */

/* First samples of the segments that describe the n >= 1 values best, the first being 0; their
 * number is the result, *out is malloc'd.  `sorted` has the values in ascending order.  Spreads below
 * `spread_least` (> 0) are not told apart.  Single outliers make no segment.  Time is bounded by a
 * multiple of n. */
size_t changepoints_of(const double *values, const double *sorted, size_t n, double spread_least,
                       size_t **out);

#endif
