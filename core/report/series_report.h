/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand series` says about numbers, for people and for programs. */
#ifndef REPORT_SERIES_REPORT_H
#define REPORT_SERIES_REPORT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "stat/series.h"
#include "stat/statistics.h"

#define SERIES_CONFIDENCE 0.95
/* The half-width of an interval, relative to the median, from which on a series has converged. */
#define SERIES_HALF_WIDTH 0.01

/* One execution. */
typedef struct series_one {
	const char *name;
	const double *values;  /* borrowed, as is name */
	size_t n;
	series like;
	const double *counted; /* the samples that count, in values */
	size_t counted_n;
	double median;         /* of them */
	interval around;       /* of it; absent with fewer than 6 */
	bool has_interval;
} series_one;

/* All of a file. */
typedef struct series_all {
	series_one *ones;
	size_t count;
	double center;         /* the median of the medians */
	interval around;
	bool has_interval;
	double half_width;     /* relative; 0 without an interval */
	double wanted;
	bool steady;           /* none of them has no steady state */
	bool converged;        /* steady, and not wider than wanted */
} series_all;

/* Analyses ones[0, count), of which name, values and n are filled. */
void series_all_make(series_all *all, series_one *ones, size_t count, double wanted);
void series_all_free(series_all *all); /* not ones itself */

cJSON *series_all_json(const series_all *all);
bool series_all_print(FILE *out, const series_all *all);
/* The picture of one, with its segments below. */
void series_plot(FILE *out, const series_one *one);

#endif
