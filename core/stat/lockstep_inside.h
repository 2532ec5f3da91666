/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of lockstep*.c: the rounds that two sides share. */
#ifndef STAT_LOCKSTEP_INSIDE_H
#define STAT_LOCKSTEP_INSIDE_H

#include "stat/lockstep.h"

#define SHOWN_P 0.1      /* an execution with at most this p-value of its own shows a difference */
#define MORE_MOST 1e6    /* more rounds than this are none that help                           */
#define WEIGHTED_LEAST 4 /* executions from which on they are weighted (lockstep_weighted.c)   */

/* An execution: its differences, their median and its standard error. */
typedef struct part {
	const double *d;
	size_t count;
	double center, error;
} part;

typedef struct shared {
	double *all;     /* log(time of a) - log(time of b) of each round, execution by execution */
	size_t rounds;
	part *parts;
	size_t count;    /* 0: nothing can be said                                              */
	double sigma;    /* the standard error of one round                                     */
	bool flipped;    /* all signs were changed; the first difference is never negative      */
} shared;

/* Logarithms: a center, its interval and the p-value of 0. */
typedef struct estimate {
	double center;
	interval around;
	interval equal;  /* for twice the error                                                  */
	double p;
} estimate;

/* Free with shared_free. */
shared shared_make(const lockstep_side *a, const lockstep_side *b);
void shared_free(shared *s);
/* Whether the centers of the executions differ by no more than their rounds explain: they do in one
 * of ten cases in which all executions are the same.  True for one execution. */
bool shared_alike(const shared *s);
/* From the centers of WEIGHTED_LEAST executions or more, weighted by their rounds and the spread
 * between them. */
estimate weighted_estimate(const shared *s, double confidence);
/* How many rounds that many executions need together for an interval of that half-width; INFINITY
 * when the spread between executions makes it wider. */
double weighted_rounds(const shared *s, size_t executions, double confidence, double half_width);
/* Whether the centers of the executions are farther apart than those of processes with that variance
 * are in nine of ten cases. */
bool shared_beyond(const shared *s, double variance);

#endif
