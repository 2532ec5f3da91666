/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/ranks.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "stat/student.h"

/* So many degrees of freedom are as good as a normal distribution. */
#define NORMAL_FREEDOM 1000

/* The pairs (a, b) with a above b or equal to it; `below`: with a below b or equal. */
static size_t pairs_above(const double *a, size_t n, const double *b, size_t m, size_t *below)
{
	size_t above = 0;

	*below = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++) {
			above += a[i] >= b[k];
			*below += a[i] <= b[k];
		}
	return above;
}

/*
 * P(U <= u), where U counts the pairs with a above b among n and m draws of one distribution.  The
 * largest value is one of the n with probability n / (n + m), and is then above all m:
 * f(n, m, u) = n / (n + m) f(n - 1, m, u - m) + m / (n + m) f(n, m - 1, u).
 */
static double at_most(size_t n, size_t m, size_t u)
{
	double *f = memory_get((n + 1) * (u + 1) * sizeof(*f)); /* of the current m, by n and u */
	double sum = 0;

	for (size_t i = 0; i <= n; i++)
		f[i * (u + 1)] = 1;
	for (size_t k = 1; k <= m; k++) {
		for (size_t i = 1; i <= n; i++) {
			double share = (double)i / (double)(i + k);
			double *at = f + i * (u + 1);
			const double *before = at - (u + 1);

			for (size_t j = 0; j <= u; j++)
				at[j] = (1 - share) * at[j] + (j >= k ? share * before[j - k] : 0);
		}
	}
	for (size_t j = 0; j <= u; j++)
		sum += f[n * (u + 1) + j];
	free(f);
	return sum;
}

static double approximate(size_t n, size_t m, size_t u)
{
	double pairs = (double)n * (double)m;
	double deviate = (pairs / 2 - (double)u - 0.5) / sqrt(pairs * (double)(n + m + 1) / 12);

	return deviate > 0 ? student_beyond(NORMAL_FREEDOM, deviate) : 1;
}

double ranks_p(const double *a, size_t n, const double *b, size_t m)
{
	size_t below;
	size_t above = pairs_above(a, n, b, m, &below);
	size_t least = above < below ? above : below;

	if (2 * least >= n * m)
		return 1;
	return fmin(1, n + m > RANKS_EXACT ? approximate(n, m, least) : 2 * at_most(n, m, least));
}

double ranks_least(size_t n, size_t m)
{
	double least = 2;

	for (size_t i = 1; i <= n; i++)
		least *= (double)i / (double)(m + i);
	return least;
}
