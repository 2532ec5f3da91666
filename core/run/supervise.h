/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one worker process: its job, its events, its time limits, its end. */
#ifndef RUN_SUPERVISE_H
#define RUN_SUPERVISE_H

#include "protocol/plan.h"
#include "run/progress.h"
#include "run/worker.h"

enum supervise_fate {
	SUPERVISE_ENDED,       /* by itself, after every case of its job                          */
	SUPERVISE_DIED,        /* crashed, hung, was killed, or lost its device                   */
	SUPERVISE_CANNOT,      /* backend or device could not start                               */
	SUPERVISE_STOP,        /* not the executor's fault, or no other worker can be started: the
	                        * run has to stop and can be resumed                              */
	SUPERVISE_JOURNAL,     /* it could not write the journal                                  */
	SUPERVISE_INTERRUPTED  /* stopped by a signal to us                                       */
};

typedef struct supervise_end {
	enum supervise_fate fate;
	eh_status code;        /* why, when CANNOT, STOP or JOURNAL                               */
	char *reason;          /* malloc'd sentence, NULL when ENDED or INTERRUPTED               */
	char *during;          /* malloc'd id of the case in progress, or NULL                     */
	char *probe;           /* malloc'd name of the probe that ended it, or NULL               */
} supervise_end;

/* Runs one worker to its end and fills *end. */
void supervise_worker(const worker_job *j, const plan *p, progress *shown, supervise_end *end);
void supervise_end_free(supervise_end *end);

/* How long measuring that case is expected to take. */
uint64_t supervise_expected_ns(const plan_case *c);

#endif
