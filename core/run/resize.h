/* SPDX-License-Identifier: Apache-2.0 */
/* Plans again where the chosen devices ask for other sizes. */
#ifndef RUN_RESIZE_H
#define RUN_RESIZE_H

#include "protocol/plan.h"
#include "run/discover.h"
#include "run/run.h"

/* All executors of a run get the sizes of the largest device: its class, its last-level cache
 * and its compute units.  The options may set each.  Replaces *made when sizes change; NULL after an
 * error.  EH_E_UNAVAILABLE when values are given in what a device does not tell, and the protocol
 * assumes nothing. */
eh_status resize_plan(const run_options *o, protocol *p, plan **made, const selected *chosen,
                      size_t count, eh_error *error);

#endif
