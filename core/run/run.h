/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The coordinator of a run.  For each execution and each executor (in seeded random order) a fresh
 * worker process measures every case (in seeded random order) and sends it over its pipe; the
 * coordinator alone writes the journal.  It enforces time limits and replaces a worker that died.  A run leaves only its journal;
 * record/result.h builds one result per executor from it.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"

typedef struct run_options {
	const char *protocol;     /* name or path; NULL with resume                               */
	const char *selectors;    /* NULL = all                                                   */
	const char *executor;     /* exactly this one, instead of selectors; NULL: none             */
	const char *folder;       /* NULL = results/NAME-VERSION-TIME                             */
	const char *cases;        /* comma list of patterns of ids; NULL = all                    */
	uint64_t executions;      /* 0 = the protocol's; else recorded as a deviation             */
	enum record_size_class size_class; /* 0 = that of the largest device; where the protocol has
	                           * several                                                      */
	uint64_t cache_bytes;     /* that sizes in caches follow; 0 = that of the largest device    */
	uint64_t compute_units;   /* that numbers in units follow; 0 = those of the largest device  */
	const char *device_file;  /* of run_plan_make: devices described by a file; NULL: found     */
	bool resume;              /* complete the run in folder                                   */
	bool salvage;             /* with resume: go on from what is sound in a damaged journal    */
	bool quiet;               /* no progress                                                  */
	bool temporary;           /* the caller removes the folder: messages suggest no --resume   */
	const record_agreement_list *agreements; /* that hold; NULL: none                          */
	bool agreements_asked;    /* one to another plan is refused; else it is left out with a warning */
	const char *site;         /* site file; NULL: $EVENHAND_SITE, else the user's             */
	uint64_t begin_ns;        /* when the command began, on clock_now_ns: a budget counts from it */
} run_options;

typedef struct run_outcome {
	char *folder;
	char *journal;            /* its path                                                     */
	char **executors;         /* names, NULL-terminated                                       */
	bool complete;            /* every case of every execution has its line                   */
	bool interrupted;
	bool stopped;             /* no worker could be started; never complete                   */
	record_executor *outlines;  /* [executors] what is known of one that no worker has described
	                           * yet, for result_build; else without a name                   */
	struct journal *held;     /* so that nobody else goes on with the run before its results
	                           * are written                                                  */
} run_outcome;

/* Structs of the record under names of this file. */
#define run_design record_design_kind
#define run_design_words record_design_kind_words
#define run_design_word record_design_kind_word
#define run_size_class record_size_class
#define run_size_class_words record_size_class_words
#define run_size_class_word record_size_class_word

#define LAYOUT_FILE "run/plan.def"
#define LAYOUT_NAME(name) run_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* Fills an initialised plan of what run_execute would do. */
eh_status run_plan_make(const run_options *options, run_plan *out, eh_error *error);

/* EH_OK also when cases failed or a signal ended the run: the outcome and the journal tell.
 * EH_E_UNAVAILABLE when the run had to stop for a reason other than an executor's; the outcome is
 * filled then, with `stopped`. */
eh_status run_execute(const run_options *options, run_outcome *outcome, eh_error *error);
/* The status, or EH_E_IO with a sentence when the journal that a run has open is no longer at its path. */
eh_status run_journal_gone(const struct journal *held, eh_status status, eh_error *error);
void run_outcome_free(run_outcome *outcome);

/* malloc'd "results/NAME-VERSION" TAG "-20261121T000222Z", with -2, -3, ... when that exists. */
char *run_folder_name(const char *name, uint64_t version, const char *tag, const char *started);
/* malloc'd "DIR/opencl-pocl-0.json": where the result of an executor belongs. */
char *run_result_path(const char *folder, const char *executor);

/* The hidden subcommand of the worker: reads its job from stdin and writes events to stdout
 * (run/worker.def).  Returns the exit code. */
int worker_main(void);

#endif
