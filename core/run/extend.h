/* SPDX-License-Identifier: Apache-2.0 */
/* More executions after a pilot: how many, by what the pilot's samples say (stat/pilot.h), and in
 * which order. */
#ifndef RUN_EXTEND_H
#define RUN_EXTEND_H

#include "record/journal.h"
#include "run/ledger.h"
#include "run/manifest.h"

/* After a pilot: appends the "pilot" line (record_line_pilot).  An executor's plan is the largest
 * need of its cases. */
eh_status extend_decide(const manifest *m, journal *j, const char *journal_path, eh_error *error);
/* malloc'd slots after the pilot, *count of them, from the ledger's plans in the order of the
 * seed. */
schedule_slot *extend_slots(const manifest *m, const ledger *l, size_t *count);

#endif
