/* SPDX-License-Identifier: Apache-2.0 */
/* How many modes a distribution has.  Pure, and the same bits on every machine. */
#ifndef STAT_MODES_H
#define STAT_MODES_H

#include <stddef.h>

/* The number of modes of n >= 1 values in ascending order, 1 where there are too few to tell.  Differences below
 * `spread_least` (> 0) make no mode of their own.  docs/method.md says when two are two. */
size_t modes_of_sorted(const double *sorted, size_t n, double spread_least);

#endif
