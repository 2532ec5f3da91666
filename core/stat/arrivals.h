/* SPDX-License-Identifier: Apache-2.0 */
/* When requests arrive, and what a queue makes of it: pure functions. */
#ifndef STAT_ARRIVALS_H
#define STAT_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

/* Poisson arrivals of `rate` per second (> 0): a(i) = a(i-1) - ln U / rate, in nanoseconds from
 * the start, from the seed alone.  The first lies at 0. */
void arrivals_poisson(uint64_t *at_ns, size_t count, double rate, uint64_t seed);

/* When each request would be done by one server that takes `service_ns` for each, in order of
 * arrival (Lindley's recursion). */
void arrivals_served(const uint64_t *at_ns, size_t count, uint64_t service_ns, uint64_t *done_ns);

/* Mean time in the system of M/D/1, in service times: 1 + rho / (2 (1 - rho)) for 0 <= rho < 1
 * (Pollaczek and Khinchine). */
double arrivals_md1(double rho);

#endif
