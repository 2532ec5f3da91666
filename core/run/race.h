/* SPDX-License-Identifier: Apache-2.0 */
/* What a run in lockstep has measured so far, and what is decided by it: every executor against the
 * reference, the first of the run.  Only times and rounds, by indices; no clocks, no processes. */
#ifndef RUN_RACE_H
#define RUN_RACE_H

#include "base/layout.h"
#include "protocol/plan.h"
#include "stat/lockstep.h"

/* Looks at the samples of a pair after which it may stop, at most; they share the error. */
#define RACE_LOOKS 3

typedef struct race race;

/* One execution of a case by one executor. */
typedef struct race_place { size_t executor, index; uint64_t execution; } race_place;

race *race_new(const plan *p, size_t executors, uint64_t executions);
void race_free(race *r); /* NULL is fine */

/* Adds the times of a turn, per operation.  origin_ns tells groups that took turns together from
 * others: only their rounds pair. */
void race_add(race *r, race_place at, uint64_t origin_ns, uint64_t round, const number_list *times);
/* The case of an executor against the reference, over all executions so far. */
lockstep_ratio race_pair(const race *r, size_t executor, size_t index, bool last);
/* Value of an executor: the median of its rounds, and the relative half-width of its interval in that
 * execution (INFINITY: too few). */
double race_value(const race *r, race_place at, double *half_width);

#endif
