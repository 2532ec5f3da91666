/* SPDX-License-Identifier: Apache-2.0 */
/* The record as C structs.  record/record.def has every member, with what it says; status.def and
 * flag.def what statuses and flags mean.  base/layout.h reads, writes and compares them. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#define LAYOUT_FILE "record/record.def"
#define LAYOUT_NAME(name) record_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* What a status or a flag means; all texts may be "". */
typedef struct record_mark {
	const char *word;
	const char *sentence;
	const char *remedy;    /* what to do about it                                            */
	const char *follows;   /* rules of the contract that look at it, as a comma list         */
	bool counts;           /* samples of such an execution are part of the row's numbers     */
} record_mark;

const record_mark *record_status_mark(enum record_status status);
const record_mark *record_flag_mark(enum record_flag flag);

/* Whether samples of that status are part of the row's numbers. */
static inline bool record_counts(enum record_status status)
{
	return record_status_mark(status)->counts;
}

/* Whether the cases' times are latencies of requests that arrive as they like. */
static inline bool record_is_load(const record_settings *s)
{
	return s->scenario == RECORD_SCENARIO_SERVER || s->scenario == RECORD_SCENARIO_CLOSED ||
	       s->scenario == RECORD_SCENARIO_KNEE;
}

#endif
