/* SPDX-License-Identifier: Apache-2.0 */
/* Which parts of a run are done.  Its journal is the only source. */
#ifndef RUN_LEDGER_H
#define RUN_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "protocol/plan.h"

typedef struct ledger ledger;

/* Borrows names and plan.  asked: the cases that are measured, NULL = all; the others count as done.
 * Each executor has `executions` to do.  When `most` is larger, these
 * are a pilot, and the run is not whole until a "pilot" line plans up to `most`. */
ledger *ledger_new(const plan *p, const char *const *names, size_t executors, uint64_t executions,
                   uint64_t most, const bool *asked);
void ledger_free(ledger *l); /* NULL is fine */

/* Reads the lines appended since the last call.  EH_E_FORMAT for a line of another run. */
eh_status ledger_read(ledger *l, const char *journal_path, eh_error *error);

/* execution is from 1, executor and case are indices. */
bool ledger_has(const ledger *l, uint64_t execution, size_t executor, size_t index);
bool ledger_described(const ledger *l, uint64_t execution, size_t executor);
/* Cases without a line, of the executions planned so far. */
size_t ledger_missing(const ledger *l);
/* Whether a pilot is still to be evaluated. */
bool ledger_undecided(const ledger *l);
uint64_t ledger_planned(const ledger *l, size_t executor);
/* Every case has its line and every execution its executor record, and nothing is undecided. */
bool ledger_whole(const ledger *l);
/* The same of one execution of one executor. */
size_t ledger_missing_in(const ledger *l, uint64_t execution, size_t executor);
/* Whether the journal has a case of it. */
bool ledger_begun(const ledger *l, uint64_t execution, size_t executor);
/* Digest of the stack in its first record; "" while there is none. */
const char *ledger_digest(const ledger *l, size_t executor);
/* Cases for which no worker started are to be measured again. */
void ledger_forget_unstarted(ledger *l);
/* Whether the journal's last line ends a session of the run. */
bool ledger_ended(const ledger *l);
bool ledger_ended_complete(const ledger *l); /* its last line says so */

#endif
