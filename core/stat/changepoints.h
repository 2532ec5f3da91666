/* SPDX-License-Identifier: Apache-2.0 */
/* Where a series changes its level or its spread.  Pure, and the same bits on every machine. */
#ifndef STAT_CHANGEPOINTS_H
#define STAT_CHANGEPOINTS_H

#include <stddef.h>

#define CHANGEPOINTS_SEGMENT 5 /* the shortest segment, in samples */

/* Cuts n >= 1 values into the segments that describe them best.  Returns the number of segments;
 * *out (malloc'd) has the index of the first sample of each, beginning with 0.  `sorted` has the
 * values in ascending order.  Spreads below `spread_least` (> 0) count as equal.  A single outlier
 * is not a segment.  Runs in O(n). */
size_t changepoints_of(const double *values, const double *sorted, size_t n, double spread_least,
                       size_t **out);

#endif
