/* SPDX-License-Identifier: Apache-2.0 */
/* A test of paired times: whether the first ones differ from the second ones.  Pure. */
#ifndef STAT_PAIRS_H
#define STAT_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAIRS_LEAST 5      /* pairs for a test of the medians                                  */
#define PAIRS_FEW 2        /* pairs for any test                                               */
#define PAIRS_LIMIT 0.10   /* the medians may differ by this share                             */
#define PAIRS_MISSES 10    /* pairs of which one may disagree, from twice as many on           */

/* True when the medians differ by more than the limit and all pairs but at most one differ in the
 * same direction by at least half the limit; of many pairs, all but one in PAIRS_MISSES.  With fewer
 * than PAIRS_LEAST pairs: when all differ in the same direction by a factor of two. */
bool pairs_differ(const uint64_t *first, const uint64_t *second, size_t count);

#endif
