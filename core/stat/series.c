/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "stat/changepoints.h"
#include "stat/independence.h"
#include "stat/modes.h"
#include "stat/sorted.h"
#include "stat/statistics.h"

static const double band_share = 0.01;     /* of the level                                 */
static const double band_ticks = 3;
static const double tick_share = 0.1;      /* of the level: a sample is 10 steps of its clock */
static const double disturbed_share = 0.05; /* of all samples                              */
static const double spread_share = 0.001;  /* of the level: smaller spreads count as equal */
/* Standard deviates that about one in a hundred independent series exceeds. */
static const double lag1_least = 2.6;
static const double signs_least = 3;
static const double runs_least = 3.2;
static const double trend_least = 3.2;

/* The timer's tick: the smallest difference of two values, limited to the largest plausible tick,
 * as a few exact values may be further apart. */
static double tick_of(const double *sorted, size_t n, double level)
{
	double most = tick_share * level;
	double tick = 0;

	for (size_t i = 1; i < n; i++) {
		double step = sorted[i] - sorted[i - 1];

		if (step > 0 && (tick <= 0 || step < tick))
			tick = step;
	}
	return most > 0 && tick > most ? most : tick;
}

static bool alike(double a, double b, double band)
{
	return a - b <= band && b - a <= band;
}

/* The first segment of the steady part.  Goes back from the last segment while segments are
 * equivalent; skips disturbances of together at most a small share of all samples. */
static size_t steady_begin(const series *s, size_t n)
{
	double level = s->segments[s->segment_count - 1].median;
	size_t begin = s->segment_count - 1;
	size_t disturbed = 0;

	for (size_t i = begin; i-- > 0;) {
		if (alike(s->segments[i].median, level, s->band))
			begin = i;
		else
			disturbed += s->segments[i].count;
		if ((double)disturbed > disturbed_share * (double)n)
			break;
	}
	return begin;
}

static void classify(series *s, size_t n)
{
	const series_segment *last = &s->segments[s->segment_count - 1];
	size_t begin = steady_begin(s, n);
	bool faster = false;

	if (s->segments[begin].first > n - n / 4) {
		s->class = SERIES_NO_STEADY_STATE;
		return;
	}
	s->steady_first = s->segments[begin].first;
	s->steady_count = n - s->steady_first;
	if (begin == 0) {
		s->class = SERIES_FLAT;
		return;
	}
	for (size_t i = 0; i < begin; i++)
		faster |= s->segments[i].median < last->median - s->band;
	s->class = faster ? SERIES_SLOWDOWN : SERIES_WARM_UP;
}

/* Fills the segments of s, given their first samples.  The median of all samples is known. */
static void fill_segments(series *s, const double *values, size_t n, const size_t *firsts,
                          double median)
{
	s->segments = memory_get(s->segment_count * sizeof(*s->segments));
	for (size_t i = 0; i < s->segment_count; i++) {
		series_segment *segment = &s->segments[i];

		segment->first = firsts[i];
		segment->count = (i + 1 < s->segment_count ? firsts[i + 1] : n) - firsts[i];
		segment->median = segment->count == n ? median :
		                  statistics_median(values + segment->first, segment->count);
	}
}

/* Medians of the first and the last quarter of the samples that count. */
typedef struct trend { double begin, end; } trend;

/* The trend of the samples that count. */
static trend find_trend(series *s, const double *values)
{
	const double *v = values + s->steady_first;
	size_t quarter = (s->steady_count + 3) / 4;
	trend t = { statistics_median(v, quarter),
		    statistics_median(v + s->steady_count - quarter, quarter) };

	s->trend_z = independence_trend(v, s->steady_count);
	s->change = t.begin > 0 ? t.end / t.begin - 1 : 0;
	return t;
}

/* Whether the trend is significant and the change is more than `least`. */
static bool trend_beyond(const series *s, trend t, double least)
{
	return (s->trend_z > trend_least || s->trend_z < -trend_least) &&
	       !alike(t.begin, t.end, least);
}

/* The sum of the distances from the medians of the segments. */
static double distance_from_steps(const series *s, const double *values)
{
	double sum = 0;

	for (size_t i = 0; i < s->segment_count; i++)
		for (size_t k = 0; k < s->segments[i].count; k++)
			sum += fabs(values[s->segments[i].first + k] - s->segments[i].median);
	return sum;
}

/* The sum of the distances from a straight line through the medians of the first and the last third
 * (Tukey's resistant line). */
static double distance_from_line(const double *values, size_t n)
{
	size_t third = n / 3;
	double begin = statistics_median(values, third);
	double end = statistics_median(values + n - third, third);
	double slope = (end - begin) / (double)(n - third);
	double *rest = memory_get(n * sizeof(*rest));
	double middle, sum = 0;

	for (size_t i = 0; i < n; i++)
		rest[i] = values[i] - slope * (double)i;
	middle = statistics_median(rest, n);
	for (size_t i = 0; i < n; i++)
		sum += fabs(rest[i] - middle);
	free(rest);
	return sum;
}

/* Whether steps are those of a steady drift: a straight line describes them as well. */
static bool is_a_line(const series *s, const double *values, size_t n)
{
	return (s->class == SERIES_SLOWDOWN || s->class == SERIES_WARM_UP) &&
	       distance_from_line(values, n) <= distance_from_steps(s, values);
}

/* `sorted` are the samples that count. */
static void test_independence(series *s, const double *values, const double *sorted,
                              double spread_least)
{
	const double *v = values + s->steady_first;
	size_t n = s->steady_count;
	double median = sorted_median(sorted, n);
	double signs = independence_signs_about(v, n, median);
	double noise = 1 / sqrt((double)n); /* deviation of lag1 for independent samples */

	s->lag1 = statistics_lag1(v, n);
	s->runs_z = independence_runs_about(v, n, median);
	s->modes = modes_of_sorted(sorted, n, spread_least);
	s->widening = 1;
	if (s->class == SERIES_SHORT) {
		s->drifting = false;
		return;
	}
	s->autocorrelated = s->lag1 > lag1_least * noise || signs > signs_least * noise;
	s->not_random = s->runs_z > runs_least || s->runs_z < -runs_least;
	s->multimodal = s->modes > 1;
	if (s->autocorrelated || s->not_random)
		s->widening = independence_widening_about(v, n, median);
	s->dependent = s->widening > 1 &&
	               (double)n < SERIES_EFFECTIVE * s->widening * s->widening;
}

void series_analyse_sorted(const double *values, size_t n, double *sorted, series *out)
{
	double level;
	double tick;
	double spread_least;
	trend t;
	size_t *firsts;

	memcpy(sorted, values, n * sizeof(*sorted));
	sorted_make(sorted, n);
	level = sorted_median(sorted, n);
	tick = tick_of(sorted, n, level);
	spread_least = spread_share * level;

	memset(out, 0, sizeof(*out));
	out->steady_count = n;
	out->band = band_share * level;
	if (out->band < band_ticks * tick)
		out->band = band_ticks * tick;
	if (spread_least < tick / 2)
		spread_least = tick / 2;
	if (!(spread_least > 0))
		spread_least = 1; /* all are 0 */
	out->class = SERIES_SHORT;
	if (n >= SERIES_LEAST) {
		out->segment_count = changepoints_of(values, sorted, n, spread_least, &firsts);
	} else {
		out->segment_count = 1;
		firsts = memory_get(sizeof(*firsts));
	}
	fill_segments(out, values, n, firsts, level);
	free(firsts);
	if (n >= SERIES_LEAST)
		classify(out, n);
	/* A series that drifts by more than the band is not steady, even without a change point. */
	t = find_trend(out, values);
	if (n >= SERIES_LEAST && (trend_beyond(out, t, out->band) || is_a_line(out, values, n))) {
		bool whole = out->steady_count == n;

		out->class = SERIES_NO_STEADY_STATE;
		out->steady_first = 0;
		out->steady_count = n;
		if (!whole)
			t = find_trend(out, values);
	}
	if (out->steady_count < n) {
		memcpy(sorted, values + out->steady_first, out->steady_count * sizeof(*sorted));
		sorted_make(sorted, out->steady_count);
	}
	out->drifting = trend_beyond(out, t, spread_least);
	test_independence(out, values, sorted, spread_least);
}

void series_analyse(const double *values, size_t n, series *out)
{
	double *sorted = memory_get(n * sizeof(*sorted));

	series_analyse_sorted(values, n, sorted, out);
	free(sorted);
}

void series_free(series *s)
{
	free(s->segments);
	memset(s, 0, sizeof(*s));
}

bool series_has_interval(const series *s)
{
	return s->class != SERIES_NO_STEADY_STATE && !s->dependent;
}

const char *series_class_name(enum series_class class)
{
	switch (class) {
	case SERIES_SHORT: return "short";
	case SERIES_FLAT: return "flat";
	case SERIES_WARM_UP: return "warm-up";
	case SERIES_SLOWDOWN: return "slowdown";
	case SERIES_NO_STEADY_STATE: return "no-steady-state";
	}
	return "short";
}

size_t series_flags(const series *s, const char *flags[SERIES_FLAGS_MOST])
{
	size_t count = 0;

	if (s->class == SERIES_WARM_UP)
		flags[count++] = "warm-up-in-samples";
	if (s->class == SERIES_SLOWDOWN)
		flags[count++] = "slowdown";
	if (s->class == SERIES_NO_STEADY_STATE)
		flags[count++] = "no-steady-state";
	if (s->autocorrelated)
		flags[count++] = "autocorrelated";
	if (s->not_random)
		flags[count++] = "not-random";
	if (s->dependent)
		flags[count++] = "dependent";
	if (s->drifting)
		flags[count++] = "drifting";
	if (s->multimodal)
		flags[count++] = "multimodal";
	return count;
}
