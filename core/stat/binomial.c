/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each term is computed from its neighbour, outwards from the most probable one, until terms are
 * negligible; then all are divided by their sum.  This needs no factorials and no powers.
 */
#include "stat/plain_arithmetic.h"

#include "stat/binomial.h"

static const double nothing = 1e-20;

/* Sums of the terms below, at and above k; together 1. */
typedef struct parts { double below, at, above; } parts;

static void parts_add(parts *sums, size_t j, size_t place, double term)
{
	if (j < place)
		sums->below += term;
	else if (j > place)
		sums->above += term;
	else
		sums->at += term;
}

static parts divide(size_t n, double p, size_t place)
{
	double odds = p / (1 - p);
	size_t mode = (size_t)((double)(n + 1) * p);
	parts sums = { 0, 0, 0 };
	double term = 1;
	double all;

	if (mode > n)
		mode = n;
	parts_add(&sums, mode, place, 1);
	for (size_t j = mode; j < n; j++) {
		term *= (double)(n - j) / (double)(j + 1) * odds;
		parts_add(&sums, j + 1, place, term);
		if (term < nothing)
			break;
	}
	term = 1;
	for (size_t j = mode; j > 0; j--) {
		term *= (double)j / ((double)(n - j + 1) * odds);
		parts_add(&sums, j - 1, place, term);
		if (term < nothing)
			break;
	}
	all = sums.below + sums.at + sums.above;
	sums.below /= all;
	sums.at /= all;
	sums.above /= all;
	return sums;
}

double binomial_at_most(size_t n, double p, size_t k)
{
	parts sums;

	if (k >= n || p <= 0)
		return 1;
	if (p >= 1)
		return 0;
	sums = divide(n, p, k);
	return sums.below + sums.at;
}

double binomial_at_least(size_t n, double p, size_t k)
{
	parts sums;

	if (k == 0 || p >= 1)
		return k <= n ? 1 : 0;
	if (p <= 0 || k > n)
		return 0;
	sums = divide(n, p, k);
	return sums.above + sums.at;
}

double binomial_majority(size_t n, double p)
{
	parts sums;

	if (p <= 0)
		return 0;
	if (p >= 1)
		return 1;
	sums = divide(n, p, n / 2);
	return n % 2 == 1 ? sums.above : sums.above + sums.at / 2;
}
