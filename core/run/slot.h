/* SPDX-License-Identifier: Apache-2.0 */
/* The design sequence: one execution of one executor after the other.  Starts workers until each case
 * of a slot has a line in the journal. */
#ifndef RUN_SLOT_H
#define RUN_SLOT_H

#include "run/slotwork.h"

/* EH_OK when every case has its line, measured or failed; EH_E_INTERRUPTED; EH_E_UNAVAILABLE when
 * no worker can be started for a reason other than the executor's: its cases stay open.  Other
 * failures end the run (the journal cannot be written). */
eh_status slot_run(const slot_context *c, const schedule_slot *slot, eh_error *error);

#endif
