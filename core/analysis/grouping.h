/* SPDX-License-Identifier: Apache-2.0 */
/* Which differences of two stacks are one change: inside of the analysis room. */
#ifndef ANALYSIS_GROUPING_H
#define ANALYSIS_GROUPING_H

#include "analysis/analysis.h"

typedef struct grouping_change {
	const record_layer *from, *to;   /* NULL: absent on that side                            */
	stack_change words;
	size_t leader;                   /* index of a change of the same group, its own at first */
} grouping_change;

typedef struct grouping {
	const record_executor *a, *b;
	grouping_change *changes;
	size_t count;
} grouping;

/* Moves the words of all changes into groups.  Files on one side only are no change of their own
 * when there is another; returns their number. */
uint64_t grouping_make(grouping *g, stack_group_list *groups);

#endif
