/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to reading: what is kept of rows for the checks across them, so that the rows themselves need
 * not be in memory. */
#ifndef RECORD_ROW_SUMS_H
#define RECORD_ROW_SUMS_H

#include <pthread.h>
#include <stdbool.h>

#include "record/record.h"

/* run.order, for looking executions up. */
typedef struct run_order {
	const record_order_list *list; /* borrowed                                               */
	bool sound;                    /* both numbers ascend; if not, nothing is looked up       */
} run_order;
bool run_order_lists(const run_order *order, uint64_t execution);

/* Where a case was measured within an execution. */
typedef struct row_place { uint64_t execution, position; uint32_t row, index; } row_place;

typedef struct row_sum {
	uint32_t executions;
	bool sound;              /* its structure is valid                                       */
	bool asked;              /* run.asked names it                                           */
} row_sum;

typedef struct row_sums {
	const run_order *order;  /* borrowed                                                     */
	const char **asked;      /* run.asked, sorted                                            */
	size_t asked_count;
	row_sum *rows;
	size_t row_count, executions;
	bool samples;            /* some execution that counts has samples                       */
	size_t *listed;          /* for each element of run.order the executions in rows          */
	row_place *places;
	size_t place_count, place_room;
	pthread_mutex_t lock;
} row_sums;

/* For that many rows of a record, whose head is borrowed. */
void row_sums_make(row_sums *s, const record_result *head, const run_order *order, size_t row_count);
/* Adds a row that is sound.  Any thread.  false, beyond LIMIT_EXECUTIONS. */
bool row_sums_add(row_sums *s, const record_case *row, size_t index);
void row_sums_clear(row_sums *s);

#endif
