/* SPDX-License-Identifier: Apache-2.0 */
/* Which differences of two stacks are one change: inside of the analysis room. */
#ifndef ANALYSIS_GROUPING_H
#define ANALYSIS_GROUPING_H

#include "analysis/stacks.h"

/* Fills groups, the changes' group, and followers; drops followers from the changes when there is
 * something they can follow from. */
void grouping_make(stack_difference *d, const cJSON *a, const cJSON *b);

#endif
