/* SPDX-License-Identifier: Apache-2.0 */
/* One execution of one executor: starts workers until each of its cases has a line in the
 * journal. */
#ifndef RUN_SLOT_H
#define RUN_SLOT_H

#include "record/journal.h"
#include "run/ledger.h"
#include "run/manifest.h"
#include "run/progress.h"

typedef struct slot_context {
	const manifest *manifest;
	ledger *ledger;
	journal *journal;
	const char *journal_path;
	progress *shown;
	text_list *without;       /* probes that ended a worker: not read any more in this run      */
} slot_context;

/* EH_OK when every case has its line, measured or failed; EH_E_INTERRUPTED; EH_E_UNAVAILABLE when
 * no worker can be started for a reason other than the executor's: its cases stay open.  Other
 * failures end the run (the journal cannot be written). */
eh_status slot_run(const slot_context *c, const schedule_slot *slot, eh_error *error);

#endif
