/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of all executors in one execution of a run in lockstep: started, asked, ended.  Inside
 * the design lockstep. */
#ifndef RUN_LOCKSTEP_GROUP_H
#define RUN_LOCKSTEP_GROUP_H

#include "base/random.h"
#include "run/race.h"
#include "run/slotwork.h"
#include "run/timetable.h"

/* One executor in one execution. */
typedef struct lane {
	size_t executor;
	slotwork w;
	supervised *s;       /* NULL: no worker is alive                                         */
	bool over;           /* nothing more is measured of it in this execution                 */
	bool could;          /* a worker could start                                             */
	bool alone;          /* it could not start beside the others                             */
	bool launched;       /* by the newest call of launch_missing                             */
	/* Of the case in progress: */
	bool open, rests;
	uint64_t turn_ns;
	uint64_t sampled_ns; /* in turns so far, without audits                                  */
	size_t samples;
} lane;

/* An execution of all executors. */
typedef struct group {
	const slot_context *c;
	race *race;
	timetable *time;
	uint64_t execution;
	uint64_t executions; /* that are expected; cases of an execution beyond are left out     */
	lane *lanes;         /* [executors of the run]                                           */
	size_t count;
	random_state random;
} group;

/* Starts the workers that are missing, of the lanes that are measured alone or of the others. */
eh_status lockstep_group_start(group *g, bool alone, eh_error *error);
/* Ends all workers in order; nothing more is measured of their lanes. */
eh_status lockstep_group_finish(group *g, eh_error *error);
/* Stops what is alive after a failure; the error that led here stays. */
void lockstep_group_abandon(group *g);

/* Tells the lane's worker a command, and waits for the answer.  l->s is NULL afterwards when the
 * worker ended; what became of its case is in the journal then. */
eh_status lane_ask(lane *l, const worker_command *command, worker_event *answer, eh_error *error);
eh_status lane_await(lane *l, worker_event *answer, eh_error *error);

#endif
