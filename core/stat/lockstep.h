/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two sides that took turns of a few milliseconds.  A round of all executors gives one value a side,
 * a quantile of the samples that it took in that round, so a disturbance of a round hits both sides.
 * The ratio follows from the rounds that both sides share.  Two or three executions (fresh processes)
 * put their rounds together where they agree; where they do not, the spread between them makes the
 * interval.  Four and more are weighted by their rounds and that spread.  Pure, and the same bits on every machine.  docs/method.md,
 * "Lockstep", has the rules and what they reach.
 */
#ifndef STAT_LOCKSTEP_H
#define STAT_LOCKSTEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/decision.h"
#include "stat/statistics.h"

#define LOCKSTEP_QUARTILE 0.25 /* the quantile of a round for the statistic lower-quartile     */
#define LOCKSTEP_MEDIAN 0.5
#define LOCKSTEP_LEAST 3       /* shared rounds; an execution with fewer is left out           */
#define LOCKSTEP_SMALL 0.05    /* of two or three executions two have to show a smaller difference */

/* The rounds of n >= 1 samples: the round of each sample is in `rounds`, ascending.  Writes each
 * round once to `numbers` and the quantile q of its samples to `values`, which have room for n;
 * returns how many rounds there are. */
size_t lockstep_round_values(const double *samples, const uint64_t *rounds, size_t n, double q,
                             uint64_t *numbers, double *values);

/* The rounds of an execution, ascending, each once, with their values (times, > 0). */
typedef struct lockstep_execution {
	uint64_t number;        /* its number in the run, from 1                                */
	const uint64_t *rounds;
	const double *values;
	size_t count;
} lockstep_execution;

/* Executions in ascending order of their numbers. */
typedef struct lockstep_side {
	const lockstep_execution *executions;
	size_t count;
} lockstep_side;

typedef struct lockstep_terms {
	double margin;          /* differences up to it count as none: 0.02 is 2 %              */
	double share;           /* of DECISION_ERROR, for this look (lockstep_share); 0 is 1     */
	size_t executions;      /* that there will be, for `more`; 0: no more than there are    */
	size_t cases;           /* comparisons that share the error of FASTER and SLOWER; 0: 1  */
} lockstep_terms;

typedef struct lockstep_ratio {
	/* Time of a / time of b: above 1, b is faster.  0: no ratio, because no execution has
	 * LOCKSTEP_LEAST shared rounds or a value is not above 0. */
	double ratio;
	/* Of confidence 1 - 0.05 x share, so that all looks together err in at most 5 %; {0, infinity}
	 * for too few rounds. */
	interval around;
	interval equal;         /* the same for twice the error, for EQUIVALENT                 */
	double p;               /* of a ratio of 1, two-sided, by share; not times cases        */
	size_t rounds;          /* shared rounds that were used                                 */
	size_t executions;      /* executions that have them                                    */
	bool agree;             /* whether executions say the same; false for one execution     */
	enum decision decision; /* by decision_of, with p times cases and no floor              */
	/* Further rounds that would probably decide it, by the center and the spread so far; for one
	 * execution, as if another one agreed with it.  0: it is decided, or more rounds of these
	 * executions will not help. */
	size_t more;
} lockstep_ratio;

/* The share of the error that one of that many looks at growing samples has.  The last of several has
 * three quarters, because nearly all pairs are judged there. */
double lockstep_share(size_t looks, bool last);

/* Executions are matched by number, their rounds by number.  Exchanging the sides gives the inverse
 * ratio and interval, and the same p, to the last bit. */
lockstep_ratio lockstep_compare(const lockstep_side *a, const lockstep_side *b,
                                lockstep_terms terms);

#endif
