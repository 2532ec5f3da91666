/* SPDX-License-Identifier: Apache-2.0 */
/* When requests arrive.  Pure. */
#ifndef STAT_ARRIVALS_H
#define STAT_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

/* Poisson arrivals of `rate` per second (> 0): a(i) = a(i-1) - ln U / rate, in nanoseconds from
 * the start, from the seed alone.  The first lies at 0. */
void arrivals_poisson(uint64_t *at_ns, size_t count, double rate, uint64_t seed);

#endif
