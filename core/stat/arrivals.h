/* SPDX-License-Identifier: Apache-2.0 */
/* When requests arrive.  Pure. */
#ifndef STAT_ARRIVALS_H
#define STAT_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

/* Fills at_ns with Poisson arrivals of `rate` per second (> 0), in nanoseconds from the start:
 * a(0) = 0, a(i) = a(i-1) - ln U / rate.  The same seed gives the same times. */
void arrivals_poisson(uint64_t *at_ns, size_t count, double rate, uint64_t seed);

#endif
