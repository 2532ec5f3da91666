/* SPDX-License-Identifier: Apache-2.0 */
/* What a run shows on stderr while it goes on: one line that is rewritten on a terminal; plain
 * lines now and then elsewhere, when informative messages are asked for. */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct progress progress;

/* total_ns: what all cases that are still to do are expected to take together, by their
 * protocol; only the ratio to progress_done matters. */
progress *progress_new(bool quiet, uint64_t total_ns);
bool progress_watched(const progress *p); /* numbers inside a case are shown */
void progress_free(progress *p);          /* takes the line off; NULL is fine */

/* Texts are copied. */
void progress_slot(progress *p, const char *executor, uint64_t execution, uint64_t executions);
void progress_case(progress *p, const char *id, size_t number, size_t count);
void progress_stage(progress *p, const char *stage, double median_ns, double half_width);
void progress_done(progress *p, const char *status, uint64_t expected_ns);

#endif
