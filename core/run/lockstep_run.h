/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The design lockstep: the workers of all executors are alive at once, every one with the same case
 * open, and one at a time has the turn.  Rounds are Latin squares, drawn anew.  Executors that are
 * decided against the reference rest, and what is open gets their time, within the budget.  What does
 * not fit together (memory, a device for one process, a regime that needs a time of its own) is
 * measured one after the other.  docs/method.md, "Lockstep".
 */
#ifndef RUN_LOCKSTEP_RUN_H
#define RUN_LOCKSTEP_RUN_H

#include "run/slotwork.h"

/* As slot_run, for all executions of all executors.  begin_ns: when the run began, on clock_now_ns. */
eh_status lockstep_run(const slot_context *c, uint64_t begin_ns, eh_error *error);

/* How many executions fit in the protocol's budget, at least and at most those that it declares. */
uint64_t lockstep_run_executions(const protocol *p, size_t cases, size_t executors);

#endif
