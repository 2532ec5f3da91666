/* SPDX-License-Identifier: Apache-2.0 */
/* The rounds of one case in lockstep: turns of the executors that have it open, looks at what is
 * decided, and who rests.  Inside the design lockstep. */
#ifndef RUN_LOCKSTEP_ROUNDS_H
#define RUN_LOCKSTEP_ROUNDS_H

#include "run/lockstep_group.h"

/* A case in progress, and those that take it together. */
typedef struct stage {
	group *g;
	const plan_case *c;
	size_t index, position;
	lane **players;
	size_t count;
	uint64_t origin_ns, until_ns, looks_done;
	uint64_t shown_ns;   /* when the terminal was drawn                                      */
} stage;

/* Rounds until all rest, or until slice_ns (UINT64_MAX: without end) or the budget is over. */
eh_status lockstep_play(stage *s, uint64_t slice_ns, eh_error *error);

/* Whether the pair differs by so much that more rounds would change nothing. */
bool lockstep_is_clear(const lockstep_ratio *pair);

#endif
