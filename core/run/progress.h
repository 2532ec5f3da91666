/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of a run on stderr: lines that are rewritten on a terminal; elsewhere a plain line
 * now and then, when the log level is info. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress progress;

/* total_ns: expected time of all remaining cases; only its ratio to the times of progress_done
 * matters. */
progress *progress_new(bool quiet, uint64_t total_ns);
bool progress_watched(const progress *p); /* whether numbers within a case are shown */
void progress_free(progress *p);          /* removes the line; NULL is fine */

/* Texts are copied; numbers may be NaN. */
void progress_slot(progress *p, const char *executor, uint64_t execution, uint64_t executions);
void progress_case(progress *p, const char *id, size_t number, size_t count);
void progress_stage(progress *p, const char *stage, double median_ns, double half_width);
/* Lines below the status line, replaced whole; copied. */
void progress_lines(progress *p, const char *const *lines, size_t count);
/* Until when the run lasts, on clock_now_ns, instead of an estimate; 0 = an estimate. */
void progress_until(progress *p, uint64_t end_ns);
void progress_done(progress *p, const char *status, uint64_t expected_ns);

#endif
