/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the coordinator and a worker say to each other.  The job is one JSON text on the worker's
 * stdin; the worker answers in JSON lines on its stdout, each with a member "event":
 *
 *   {"event": "unready", "code", "message"}                 it failed before its backend's start
 *   {"event": "start"}                                      the backend starts now
 *   {"event": "begin", "case": ID}                          the watchdog of the case starts
 *   {"event": "stage", "stage", "samples", "median_ns", "half_width"}
 *   {"event": "done", "case": ID, "status"}                 its line is in the journal
 *   {"event": "log", "level", "message"}                    a warning, to be told once
 *   {"event": "probe", "name"}                              it dies in that probe's code
 *   {"event": "cannot", "code", "message"}                  backend or device could not start
 *   {"event": "lost", "message"}                            the device is gone, it ends early
 *   {"event": "journal", "code", "message"}                 the journal cannot be written
 *   {"event": "end"}                                        all is done; it closes the device
 */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct job_case {
	const char *id;
	size_t position;              /* from 1, in the execution                                */
} job_case;

typedef struct job {
	const char *journal;          /* path                                                    */
	const char *plugin;           /* path                                                    */
	const char *executor;         /* name                                                    */
	uint64_t execution;
	uint64_t coordinator;         /* process id: a worker without it must not go on          */
	bool canary;
	bool progress;                /* somebody watches the numbers                            */
	bool replacement;             /* an earlier worker of this execution died                */
	const char *protocol_source, *protocol_text, *protocol_digest;
	uint64_t protocol_seed;
	const char *const *options;   /* BACKEND.KEY=VALUE, NULL-terminated                      */
	const char *const *without;   /* names of probes that ended a worker, NULL-terminated    */
	job_case *cases;
	size_t case_count;
} job;

/* malloc'd. */
char *job_text(const job *j);
/* What *out points to lives until job_free. */
eh_status job_read(const char *body, size_t size, job **out, eh_error *error);
void job_free(job *j);

#endif
