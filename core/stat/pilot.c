/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/pilot.h"

#include <math.h>
#include <string.h>

#include "stat/percentile.h"
#include "stat/statistics.h"
#include "stat/student.h"

/* For normal values the standard error of the median is that of the mean times this. */
#define MEDIAN_OVER_MEAN 1.2533141373155003
/* The confidence of the interval that gives a center's standard error, and the interval's
 * half-width in standard errors.  The interval needs 6 samples. */
#define OWN_CONFIDENCE 0.95
#define OWN_DEVIATES 1.959963984540054

static double deviation(const double *values, size_t n)
{
	double mean = 0;
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
}

void pilot_execution_of(const double *values, size_t n, double quantile, pilot_execution *out)
{
	interval own;
	bool known = quantile > 0 ?
	             statistics_quantile_interval(values, n, quantile, OWN_CONFIDENCE, &own) :
	             statistics_median_interval(values, n, OWN_CONFIDENCE, &own);

	memset(out, 0, sizeof(*out));
	out->center = quantile > 0 ? percentile_value(values, n, quantile) :
	                             statistics_median(values, n);
	out->samples = (double)n;
	out->error = known ? (own.high - own.low) / 2 / OWN_DEVIATES :
	                     MEDIAN_OVER_MEAN * deviation(values, n) / sqrt((double)n);
}

/* Sets `needed` and `reached` by Stein's rule: the smallest number N of executions for which
 * t(n - 1) * spread / sqrt(N) is at most the half-width. */
static void dimension(size_t n, pilot_target target, pilot_finding *out)
{
	double width = student_deviate(n - 1, target.confidence) * MEDIAN_OVER_MEAN * out->spread;
	double wanted = ceil(width * width / (target.half_width * target.half_width));
	size_t most = target.most > n ? target.most : n;

	out->reached = wanted <= (double)most;
	out->needed = !out->reached ? most : wanted > (double)n ? (size_t)wanted : n;
}

void pilot_plan(const pilot_execution *executions, size_t n, pilot_target target,
                pilot_finding *out)
{
	double mean = 0;
	double squares = 0;
	double errors = 0;
	double noise = 0; /* the variance of the center that one sample would have */
	double samples = 0;
	double others = 0;
	double ratio;

	memset(out, 0, sizeof(*out));
	out->needed = n;
	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		mean += executions[i].center / (double)n;
	for (size_t i = 0; i < n; i++) {
		const pilot_execution *e = &executions[i];

		squares += (e->center - mean) * (e->center - mean);
		errors += e->error * e->error / (double)n;
		noise += e->error * e->error * e->samples / (double)n;
		samples += e->sample_ns;
		others += e->other_ns;
	}
	out->center = mean;
	if (!(mean > 0)) {
		out->reached = true;
		return;
	}
	squares /= (double)(n - 1);
	out->spread = sqrt(squares) / mean;
	out->within = sqrt(fmin(errors, squares)) / mean;
	out->between = sqrt(fmax(squares - errors, 0)) / mean;
	dimension(n, target, out);
	/* Kalibera and Jones (2013), section 7: the root of the ratio of costs times the ratio of
	 * variances of the two levels. */
	ratio = out->between > 0 && samples > 0 ?
	        others / samples * noise / (mean * mean * out->between * out->between) : 0;
	out->optimum = ratio > 0 ? ceil(sqrt(ratio)) : 0;
}
