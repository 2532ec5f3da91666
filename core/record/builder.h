/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of building: what is taken from a journal before the rows are put together. */
#ifndef RECORD_BUILDER_H
#define RECORD_BUILDER_H

#include <cjson/cJSON.h>

#include "base/files.h"
#include "record/result.h"

typedef struct case_line {
	size_t case_index;
	uint64_t execution;
	long offset;
} case_line;

typedef struct planned {
	const char *id;
	const cJSON *json;
	size_t index;
} planned;

typedef struct builder {
	const char *journal_path, *executor;
	cJSON *run;            /* the journal's first line                                    */
	cJSON *record;         /* the first executor record of ours                           */
	cJSON *instruments;    /* one per execution                                           */
	cJSON *deviations;     /* what the run itself adds to the protocol's                  */
	cJSON *end;            /* the last "end" line                                         */
	cJSON *pilot;          /* the "pilot" line, where there is one                        */
	cJSON *noise;          /* the last noise floor of our executor, where one is known    */
	planned *cases;        /* in the plan's order                                         */
	planned *by_id;        /* sorted                                                      */
	size_t case_count;
	case_line *lines;      /* ours                                                        */
	size_t line_count, line_room;
	file_writer *out;
	cJSON *digests;
	const char *status;
	result_summary summary;
} builder;

/* The first pass over the journal: everything but the rows, whose lines are noted in the order of
 * the cases and executions.  EH_E_NOT_FOUND when the run has no such executor. */
eh_status builder_scan(builder *b, eh_error *error);
/* The sections of the record: all of it but its rows and digests.  *whole: every planned execution
 * has every case.  cJSON_Delete it before the builder is freed. */
cJSON *builder_head(const builder *b, bool *whole);

#endif
