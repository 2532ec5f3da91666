/* SPDX-License-Identifier: Apache-2.0 */
/* Binomial probabilities, computed with + - * / only: the same bits on every machine.  The error is
 * about 1e-14; terms below 1e-18 are ignored.  No allocation. */
#ifndef STAT_BINOMIAL_H
#define STAT_BINOMIAL_H

#include <stdbool.h>
#include <stddef.h>

/* X is the number of successes in n trials of probability p, 0 <= p <= 1. */
double binomial_at_most(size_t n, double p, size_t k);  /* P(X <= k) */
double binomial_at_least(size_t n, double p, size_t k); /* P(X >= k) */
/* P(X > n/2) + P(X = n/2) / 2. */
double binomial_majority(size_t n, double p);

#endif
