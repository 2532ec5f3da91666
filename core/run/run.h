/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run: the coordinator.  For each execution, for each executor (in seeded random order), one
 * fresh worker process measures every case (in seeded random order) and appends each to the
 * journal; the coordinator watches the clock and replaces a worker that died.  The journal is all a
 * run leaves; one result per executor is built from it one room higher (result/result.h).
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct run_options {
	const char *protocol;     /* name or path; NULL with resume                               */
	const char *selectors;    /* NULL = all                                                   */
	const char *folder;       /* NULL = results/NAME-VERSION-TIME                             */
	uint64_t executions;      /* 0 = the protocol's; else recorded as a deviation             */
	bool resume;              /* complete the run in folder                                   */
	bool quiet;               /* no progress                                                  */
	bool temporary;           /* whoever asked removes the folder: nothing is to be resumed   */
	const char *site;         /* site file; NULL: $EVENHAND_SITE, else the user's             */
} run_options;

typedef struct run_outcome {
	char *folder;
	char *journal;            /* its path                                                     */
	char **executors;         /* names, NULL-terminated                                       */
	bool complete;            /* every case of every execution has its line                   */
	bool interrupted;
	bool stopped;             /* no worker can be started now; never complete                 */
} run_outcome;

/* EH_OK also when cases failed or a signal ended it: see the outcome and the journal.  When the
 * run had to stop for a reason that is not an executor's, EH_E_UNAVAILABLE with the sentence,
 * and the outcome is filled with `stopped`. */
eh_status run_execute(const run_options *options, run_outcome *outcome, eh_error *error);
void run_outcome_free(run_outcome *outcome);

/* malloc'd "results/NAME-VERSION" TAG "-20261121T000222Z", with -2, -3, ... when that is taken. */
char *run_folder_name(const char *name, uint64_t version, const char *tag, const char *started);
/* malloc'd "DIR/opencl-pocl-0.json": where the result of an executor belongs. */
char *run_result_path(const char *folder, const char *executor);

/* The hidden subcommand of the worker: reads its job from stdin, reports progress in lines on
 * stdout, appends to the journal.  Returns the exit code. */
int worker_main(void);

#endif
