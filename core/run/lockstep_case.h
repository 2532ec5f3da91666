/* SPDX-License-Identifier: Apache-2.0 */
/* One case of one execution in lockstep: opened by all who lack it, measured in rounds, closed. */
#ifndef RUN_LOCKSTEP_CASE_H
#define RUN_LOCKSTEP_CASE_H

#include "run/lockstep_group.h"

/* order: the cases of this execution, as schedule_cases; position: which of them, from 1.  alone: for
 * the lanes that cannot be alive beside others. */
eh_status lockstep_case(group *g, const size_t *order, size_t position, bool alone, eh_error *error);

#endif
