/* SPDX-License-Identifier: Apache-2.0 */
/* The work of one slot, an execution of an executor: which of its cases lack a line, starting a
 * worker for them, and what its end decides. */
#ifndef RUN_SLOTWORK_H
#define RUN_SLOTWORK_H

#include "base/text.h"
#include "run/ledger.h"
#include "run/manifest.h"
#include "run/supervise.h"

typedef struct slot_context {
	const manifest *manifest;
	ledger *ledger;
	journal *journal;
	const char *journal_path;
	progress *shown;
	text_list *without;       /* probes that ended a worker: not read any more in this run      */
} slot_context;

/* Starts of a worker that dies before it comes as far as a case.  Two more than one: what kills it may
 * be a moment's lack of memory, and what does not pass costs little time. */
enum { SLOTWORK_STARTS = 3 };

typedef struct slotwork {
	const slot_context *context;
	const schedule_slot *slot;
	const char *name;        /* of the executor in the run                                    */
	size_t *order;           /* of all cases; position i is order[i - 1]                       */
	size_t missing;          /* cases without a line, when a worker was started or settled     */
	bool replacement;        /* of an earlier worker of this slot                              */
	bool undescribed;        /* a worker died when its backend described its stack             */
	unsigned starts;         /* workers in a row that died before they came as far as a case   */
	supervise_place place;
} slotwork;

/* Borrows both. */
void slotwork_begin(slotwork *w, const slot_context *c, const schedule_slot *slot);
void slotwork_end(slotwork *w);
/* Whether the case at that position has its line. */
bool slotwork_has(const slotwork *w, size_t position);

/* A worker for the slot, whose device is still to be opened (supervise_up, supervise_calibrate). */
supervised *slotwork_launch(const slotwork *w, supervise_end *end);
/* The same, ready for cases.  Both: NULL with *end filled when it could not start. */
supervised *slotwork_start(const slotwork *w, supervise_end *end);
/* Writes failed lines for the cases that the worker's end decides; *again when another worker is
 * worth starting.  Fails when the end of the worker is the end of the run. */
eh_status slotwork_settle(slotwork *w, const supervise_end *end, bool *again, eh_error *error);
/* Writes the line of a case that the budget leaves no time for. */
eh_status slotwork_skip(slotwork *w, size_t position, eh_error *error);
/* Fails when the worker's end is the end of the run: a signal, the journal, SUPERVISE_STOP. */
eh_status slotwork_end_of_run(const slotwork *w, const supervise_end *end, eh_error *error);
/* Makes sure that the slot has the record of its stack: tries a worker for it, unless none could
 * start, and else writes what is known without the backend. */
eh_status slotwork_describe(slotwork *w, bool try_worker, eh_error *error);

#endif
