/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the largest load that an executor sustains.  The rate is doubled until a point
 * fails, then bisected until the largest rate that passed and the smallest that failed are within
 * 5 %.  Pure.
 */
#ifndef STAT_KNEE_H
#define STAT_KNEE_H

#include <stdbool.h>
#include <stddef.h>

#define KNEE_WITHIN 0.05
#define KNEE_POINTS 40     /* at most */
#define KNEE_BUDGET 8      /* a search ends after this many times time-max                  */
#define KNEE_PLATEAU 0.98  /* the saturation point reaches this share of the best rate      */

typedef struct knee_point {
	double rate;           /* requests offered per second                                  */
	double completed;      /* requests completed per second                                */
	bool passed;
} knee_point;

typedef struct knee {
	double passed, failed; /* largest and smallest rate so far; 0 = none                   */
	double next;           /* the rate to try now; 0 = the search has ended                */
	size_t count;
	knee_point points[KNEE_POINTS];
} knee;

void knee_begin(knee *k, double first); /* first > 0 */
/* Adds the outcome at k->next and chooses the next rate. */
void knee_told(knee *k, double completed, bool passed);
/* The smallest rate among n points that completes at least KNEE_PLATEAU of the most that any point
 * completed; 0 without points. */
double knee_saturation(const knee_point *points, size_t n);

#endif
