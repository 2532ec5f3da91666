/* SPDX-License-Identifier: Apache-2.0 */
/* Binomial probabilities from + - * / alone: the same bits on every machine.  An error of about
 * 1e-14; what is below 1e-18 counts as nothing.  No allocation. */
#ifndef STAT_BINOMIAL_H
#define STAT_BINOMIAL_H

#include <stdbool.h>
#include <stddef.h>

/* X counts the successes of n trials of chance p, 0 <= p <= 1. */
double binomial_at_most(size_t n, double p, size_t k);  /* P(X <= k) */
double binomial_at_least(size_t n, double p, size_t k); /* P(X >= k) */
/* P(X > n/2) + P(X = n/2) / 2. */
double binomial_majority(size_t n, double p);

#endif
