/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to build*.c: the state of building a result from a journal. */
#ifndef RECORD_BUILDER_H
#define RECORD_BUILDER_H

#include "base/files.h"
#include "record/journal.h"
#include "record/result.h"

/* The place of a case's line in the journal. */
typedef struct builder_line {
	bool unstarted;   /* no worker came as far as the case                                    */
	size_t case_index;
	uint64_t execution;
	journal_cursor at;
} builder_line;

typedef struct builder {
	const char *journal_path, *executor;
	const record_executor *outline; /* may be NULL                                         */
	record_line_run run;       /* the first line; parts of it have moved to `record`       */
	record_line_pilot pilot;   /* kind is 0 when there is no such line                     */
	record_result record;      /* without the cases, which are written one by one          */
	const record_planned_case **by_id; /* the plan's cases, sorted                         */
	builder_line *lines;       /* of this executor, by case and execution                  */
	size_t line_count, line_room;
	journal_cursor at;         /* of the line that the first pass is at                    */
	char stack[65];            /* of the worker whose instrument was read last; "": unknown */
	char measured_on[65];      /* of the last case that no executor line follows yet; ""   */
	char described_on[65];     /* of the last executor line; ""                           */
	uint64_t spent_ns;         /* wall time of all sessions; LAYOUT_NO_UINT: unknown        */
	file_writer *out;
	result_summary summary;
} builder;

/* First pass over the journal: fills everything but out and summary.  EH_E_NOT_FOUND when the run has
 * no such executor. */
eh_status builder_scan(builder *b, eh_error *error);
/* Completes record.run and record.executor after the scan.  Returns whether every planned execution
 * has every case. */
bool builder_finish_head(builder *b);

#endif
