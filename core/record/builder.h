/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of building: what is taken from a journal before the rows are put together. */
#ifndef RECORD_BUILDER_H
#define RECORD_BUILDER_H

#include "base/files.h"
#include "record/journal.h"
#include "record/result.h"

/* Where a line of a case is. */
typedef struct builder_line {
	size_t case_index;
	uint64_t execution;
	long offset;
} builder_line;

typedef struct builder {
	const char *journal_path, *executor;
	record_line_run run;       /* the first line, without what moved to the record         */
	record_line_pilot pilot;   /* kind is 0 where there is none                            */
	record_result record;      /* all but the cases, which are written one by one          */
	const record_planned_case **by_id; /* the plan's cases, sorted                         */
	builder_line *lines;       /* of our executor, by case and execution                   */
	size_t line_count, line_room;
	file_writer *out;
	result_summary summary;
} builder;

/* First pass over the journal: fills everything but out and summary.  EH_E_NOT_FOUND when the run has
 * no such executor. */
eh_status builder_scan(builder *b, eh_error *error);
/* Completes record.run and record.executor after the scan; returns whether every planned execution has
 * every case. */
bool builder_finish_head(builder *b);

#endif
