/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In which order things run.  A slot is one execution of one executor; the slots of execution n
 * all come before those of execution n + 1.  With interleaving the executors of an execution are
 * shuffled, and its cases too: all executors of an execution take them in the same order, so that
 * what the order does to a case is alike for all.  Each shuffle is a function of the seed and the
 * number of the execution alone, so that a run that is resumed, or that gets more executions after
 * its pilot, goes on in the order that it would have had.
 */
#ifndef RUN_SCHEDULE_H
#define RUN_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct schedule_slot {
	uint64_t execution; /* from 1                                                             */
	size_t executor;    /* index                                                              */
	size_t position;    /* from 1, among all slots of the run                                 */
} schedule_slot;

/* malloc'd, executions * executors of them, in the order in which they run. */
schedule_slot *schedule_slots(uint64_t seed, bool interleave, uint64_t executions,
                              size_t executors);
/* The executions after `done`, of each executor up to planned[executor]; their positions go on from
 * those of schedule_slots.  An executor that is to run no more is left out of the shuffled order.
 * malloc'd; *count of them. */
schedule_slot *schedule_more(uint64_t seed, bool interleave, uint64_t done, const uint64_t *planned,
                             size_t executors, size_t *count);
/* malloc'd indices of the cases in the order of that execution. */
size_t *schedule_cases(uint64_t seed, bool interleave, uint64_t execution, size_t cases);

#endif
