/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the first times of pairs differ from the second ones. */
#ifndef STAT_PAIRS_H
#define STAT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAIRS_LEAST 5      /* for a test of the medians                                        */
#define PAIRS_FEW 2        /* fewer say nothing                                                */
#define PAIRS_LIMIT 0.10   /* by which the medians may differ                                  */

/* The medians differ by more than the limit, and all pairs but at most one agree which of the two is
 * slower, by at least half the limit.  Of fewer than PAIRS_LEAST pairs: all, in one direction, by a
 * factor of two. */
bool pairs_differ(const uint64_t *first, const uint64_t *second, size_t count);

#endif
