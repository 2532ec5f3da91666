/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searching the largest load that an executor takes: the rate is doubled until a point fails, then
 * bisected until the largest that passed and the smallest that failed are within 5 %.  Pure.
 */
#ifndef STAT_KNEE_H
#define STAT_KNEE_H

#include <stdbool.h>
#include <stddef.h>

#define KNEE_WITHIN 0.05
#define KNEE_POINTS 40     /* at most */
#define KNEE_BUDGET 8      /* times time-max, after which a search ends with what it has         */
#define KNEE_PLATEAU 0.98  /* the saturation point reaches this share of the most completed */

typedef struct knee_point {
	double rate;           /* requests per second asked for                                */
	double completed;      /* per second                                                   */
	bool passed;
} knee_point;

typedef struct knee {
	double passed, failed; /* largest and smallest rate so far; 0 = none                   */
	double next;           /* to try now; 0 = the search has ended                         */
	size_t count;
	knee_point points[KNEE_POINTS];
} knee;

void knee_begin(knee *k, double first); /* first > 0 */
/* The outcome at k->next. */
void knee_told(knee *k, double completed, bool passed);
/* The smallest rate among n points whose completions reach 98 % of the most that any point
 * completed; 0 without points. */
double knee_saturation(const knee_point *points, size_t n);

#endif
