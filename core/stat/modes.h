/* SPDX-License-Identifier: Apache-2.0 */
/* How many modes a distribution has.  Pure, and the same bits on every machine. */
#ifndef STAT_MODES_H
#define STAT_MODES_H

#include <stddef.h>

/* The number of modes of n >= 1 values in ascending order; 1 when there are too few values.  Modes
 * closer than `spread_least` (> 0) count as one.  modes.c has the rule. */
size_t modes_of_sorted(const double *sorted, size_t n, double spread_least);

#endif
