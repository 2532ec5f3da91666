/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a run.  A slot is one execution of one executor; all slots of execution n come
 * before those of execution n + 1.  With interleaving the executors of an execution are shuffled,
 * and its cases too: all executors of an execution take the cases in the same order, so that the
 * order affects all alike.  Each shuffle depends only on the seed and the number of the
 * execution: a run that is resumed, or extended after its pilot, continues in the same order.
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
/* malloc'd slots after execution `done`, up to planned[executor] of each executor; *count of them.
 * Positions continue those of schedule_slots. */
schedule_slot *schedule_more(uint64_t seed, bool interleave, uint64_t done, const uint64_t *planned,
                             size_t executors, size_t *count);
/* malloc'd indices of the cases in the order of that execution. */
size_t *schedule_cases(uint64_t seed, bool interleave, uint64_t execution, size_t cases);

#endif
