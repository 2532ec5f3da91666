/* SPDX-License-Identifier: Apache-2.0 */
/* A worker process as its coordinator sees it: its job, commands and answers, time limits, its end.
 * What it answers is in the journal before the next command. */
#ifndef RUN_SUPERVISE_H
#define RUN_SUPERVISE_H

#include "protocol/plan.h"
#include "record/journal.h"
#include "run/progress.h"
#include "run/worker.h"

enum supervise_fate {
	SUPERVISE_ENDED,       /* by itself, when it was told to                                  */
	SUPERVISE_DIED,        /* crashed, hung, was killed, or lost its device                   */
	SUPERVISE_CANNOT,      /* backend or device could not start                               */
	SUPERVISE_STOP,        /* not the executor's fault, or no other worker can be started: the
	                        * run has to stop and can be resumed                              */
	SUPERVISE_JOURNAL,     /* the journal cannot be written                                   */
	SUPERVISE_INTERRUPTED  /* stopped by a signal to us                                       */
};

typedef struct supervise_end {
	enum supervise_fate fate;
	eh_status code;        /* why, when CANNOT, STOP or JOURNAL                               */
	char *reason;          /* malloc'd sentence, NULL when ENDED or INTERRUPTED               */
	bool died;             /* crashed or was killed, and not for hanging                      */
	bool describing;       /* while its backend described its stack                           */
	char *during;          /* malloc'd id of the case in progress, or NULL                     */
	char *probe;           /* malloc'd name of the probe that ended it, or NULL               */
} supervise_end;

/* Where a worker's answers go; outlives the worker. */
typedef struct supervise_place {
	const plan *plan;
	journal *journal;
	progress *shown;
	const char *label;     /* of the executor in this run                                     */
} supervise_place;

typedef struct supervised supervised;

/* Starts a worker, which loads its backend and opens the device.  NULL with *end filled when there is
 * none. */
supervised *supervise_start(const worker_job *j, const supervise_place *place, supervise_end *end);
/* Waits until the device is open.  false when the worker has ended instead: *end is filled, and the
 * worker is freed. */
bool supervise_up(supervised *s, supervise_end *end);
/* Lets it try its clocks, while nothing else is going on; its instrument is in the journal then, and
 * cases may come.  false as above. */
bool supervise_calibrate(supervised *s, supervise_end *end);
/* Gives a command. */
void supervise_tell(supervised *s, const worker_command *command);
/* Waits for the answer to it, at most as long as is left of the time of the case: the sum over its
 * commands.  answer (may be NULL) is initialised; it is without the record, which is in the journal.
 * false when the worker has ended instead: *end is filled, and the worker is freed. */
bool supervise_await(supervised *s, worker_event *answer, supervise_end *end);
/* Both. */
bool supervise_ask(supervised *s, const worker_command *command, worker_event *answer,
                   supervise_end *end);
/* Tells the worker to describe its stack and to end; await: waits until it has. */
void supervise_finish(supervised *s);
void supervise_finish_await(supervised *s, supervise_end *end);
/* Asks it to end; supervise_stop waits for that. */
void supervise_signal(supervised *s);
/* Stops it after a signal to us; the record of its stack is kept if it comes in time. */
void supervise_stop(supervised *s);
void supervise_end_free(supervise_end *end);

/* A command for a case of the plan. */
worker_command supervise_command(enum worker_command_kind kind, const plan_case *c, uint64_t position);

/* How long measuring that case is expected to take. */
uint64_t supervise_expected_ns(const plan_case *c);

#endif
