/* SPDX-License-Identifier: Apache-2.0 */
/* The results of a run, written from its journal, by every command that measures. */
#ifndef CLI_WRITTEN_RESULTS_H
#define CLI_WRITTEN_RESULTS_H

#include "record/result.h"
#include "run/run.h"

typedef eh_status (*written_results_visit)(void *context, const char *executor, const char *path,
                                           const result_summary *summary, eh_error *error);

/*
 * Writes the result of every executor of the run, each under the lock of the one that is there, and
 * calls visit for each that is written.  One that is signed, amended or locked stays as it is
 * (audit_replace), and does not keep the others from being written.  The error is the first one; later
 * ones are logged.  Where the journal is still there, an error of the file system or of a lock ends with
 * where what was measured is, and that `next`, a command, writes what is missing.  EH_E_IO also when the
 * journal was removed.
 */
eh_status written_results(const run_outcome *outcome, const char *next, written_results_visit visit,
                          void *context, eh_error *error);

#endif
