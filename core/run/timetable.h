/* SPDX-License-Identifier: Apache-2.0 */
/* How a run's budget is shared out among the cases that are left: each gets what it needs, up to a
 * level that is the same for all and within limits, less what cases take beside their rounds.  So
 * small needs are met first.  What nobody needs goes to all in proportion.  There are as many executions,
 * within limits, as leave each case the rounds that it needs for an interval of its own.  Pure; times are
 * of one clock. */
#ifndef RUN_TIMETABLE_H
#define RUN_TIMETABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An execution with fewer rounds has no interval of its own. */
#define TIMETABLE_ROUNDS 6

typedef struct timetable {
	uint64_t end_ns;         /* when the last round must be over; 0 = there is no budget      */
	uint64_t reserve_ns;     /* of the budget, after that                                     */
	size_t cases;            /* of an execution                                             */
	uint64_t executions;     /* at most                                                     */
	uint64_t least;          /* executions at least, whatever they take                     */
	double *needs_ns;        /* [cases] for rounds, in each execution to come; INFINITY at
	                          * first: as much as there is                                  */
	double *round_ns;        /* [cases] of a round; 0 at first                              */
	double *besides_ns;      /* [cases] what a case takes beside its rounds; 0 at first     */
	uint64_t beside_ns;      /* the same of all; the newest count most                      */
	uint64_t start_ns;       /* what starting and ending an execution takes                 */
} timetable;

/* begin_ns: when the run began. */
timetable *timetable_new(size_t cases, uint64_t executions, uint64_t begin_ns, uint64_t budget_ns,
                         uint64_t end_reserve_ns);
void timetable_free(timetable *t); /* NULL is fine */

/* What a case took beside its rounds. */
void timetable_took(timetable *t, size_t index, uint64_t beside_ns);
/* How many executions there will be: those in which each case has TIMETABLE_ROUNDS, by what cases took so
 * far.  Never fewer than `least`, nor than `execution`, the one that runs.  left: as for timetable_slice;
 * all false when `execution` is over.  The number grows again when cases take less than before. */
uint64_t timetable_executions(const timetable *t, uint64_t now_ns, uint64_t execution,
                              const bool *left);
/* Time for the rounds of a case.  left: whether each case of this execution is still to come, itself
 * included.  UINT64_MAX without a budget. */
uint64_t timetable_slice(const timetable *t, uint64_t now_ns, uint64_t execution, size_t index,
                         const bool *left);
/* Whether rounds must end, so that the case can be closed in time. */
bool timetable_over(const timetable *t, uint64_t now_ns);
/* Whether half of what is kept for the end is spent as well. */
bool timetable_late(const timetable *t, uint64_t now_ns);

#endif
