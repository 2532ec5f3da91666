/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analysis of a series of samples in the order they were taken: whether and from where on it is
 * steady, whether its samples are independent, how many modes it has.  Pure, and the same bits on
 * every machine, in O(n log n).  docs/sequence.md, "Series", has the rules and how often they are
 * right.
 */
#ifndef STAT_SERIES_H
#define STAT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

enum series_class {
	SERIES_SHORT,            /* too few samples for a class */
	SERIES_FLAT,
	SERIES_WARM_UP,          /* steady after slower parts */
	SERIES_SLOWDOWN,         /* steady after parts of which at least one was faster */
	SERIES_NO_STEADY_STATE
};
#define SERIES_LEAST 20 /* samples that a class needs */

typedef struct series_segment {
	size_t first, count;
	double median;
} series_segment;

typedef struct series {
	enum series_class class;
	series_segment *segments; /* free with series_free */
	size_t segment_count;
	size_t steady_first, steady_count; /* the samples that count: all if no part is steady */
	double band;              /* medians that differ by less are equivalent */
	/* Of the samples that count: */
	double lag1;
	double runs_z, trend_z;   /* standard normal deviates of the runs and the trend test */
	double change;            /* median of the last quarter over that of the first, minus 1 */
	size_t modes;
	bool autocorrelated, not_random, drifting, multimodal;
	/* The factor by which an interval is wider than that of independent samples, >= 1. */
	double widening;
	/* They depend on each other so much that they are worth fewer than SERIES_EFFECTIVE independent
	 * ones: what varies slowly was not seen often enough to say how much. */
	bool dependent;
} series;
#define SERIES_EFFECTIVE 30

/* n >= 1 times, finite and not negative. */
void series_analyse(const double *values, size_t n, series *out);
/* The same; also writes the samples that count, in ascending order, to the first steady_count
 * places of `sorted`, which has room for n. */
void series_analyse_sorted(const double *values, size_t n, double *sorted, series *out);
void series_free(series *s);
/* Whether an interval of the median can be given: there is a steady state, and the samples are not
 * too dependent. */
bool series_has_interval(const series *s);
const char *series_class_name(enum series_class class); /* "no-steady-state" */

/* The flags of docs/result-format.md that the series has; returns their number. */
#define SERIES_FLAGS_MOST 8
size_t series_flags(const series *s, const char *flags[SERIES_FLAGS_MOST]);

#endif
