/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/groups.h"

#include <math.h>

#include "stat/plain_math.h"
#include "stat/processes.h"
#include "stat/ranks.h"
#include "stat/student.h"

static double mean_log(const double *values, size_t n)
{
	double mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += plain_log(values[i]) / (double)n;
	return mean;
}

static double squares_about(const double *values, size_t n, double mean)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++) {
		double d = plain_log(values[i]) - mean;

		squares += d * d;
	}
	return squares;
}

static double size_p(const double *a, size_t n, const double *b, size_t m)
{
	double x = mean_log(a, n), y = mean_log(b, m);
	size_t freedom = n + m - 2;
	/* Of one side: the ratio of two has twice the variance. */
	double variance = PROCESSES_SPREAD * PROCESSES_SPREAD / 2;

	if (freedom == 0)
		return 1;
	variance = fmax(variance, (squares_about(a, n, x) + squares_about(b, m, y)) / (double)freedom);
	return student_beyond(freedom, fabs(x - y) / sqrt(variance * (1 / (double)n + 1 / (double)m)));
}

double groups_p(const double *a, size_t n, const double *b, size_t m)
{
	for (size_t i = 0; i < n; i++)
		if (!(a[i] > 0))
			return 1;
	for (size_t i = 0; i < m; i++)
		if (!(b[i] > 0))
			return 1;
	return fmin(ranks_p(a, n, b, m), size_p(a, n, b, m));
}
