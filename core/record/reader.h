/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of reading: what the head and the rows share. */
#ifndef RECORD_READER_H
#define RECORD_READER_H

#include <stdatomic.h>

#include "base/json.h"
#include "record/check.h"
#include "record/parts.h"
#include "record/result.h"

enum { READER_THREADS_MAX = 8 };

typedef struct row_memory { json_arena *arena; size_t opened; } row_memory;

typedef struct result_memory {
	json_arena *head;
	json_arena *kept[READER_THREADS_MAX]; /* the rows' trees, or what a keeper took of them */
	result_parts parts;
	row_memory *rows;              /* of a lean result                                     */
} result_memory;

typedef struct reader {
	const char *name, *text;
	result *r;
	const cJSON **plans, **seals;  /* by row; NULL where there is none                     */
	size_t *executions;            /* by row: how many it has; SIZE_MAX: it is malformed    */
	run_order order;
	findings *found;               /* by row                                               */
	bool trees;                    /* they are kept                                        */
	const result_keeper *keeper;   /* NULL: nothing is kept but the samples                 */
	atomic_size_t next;
} reader;

/* Reads and checks every row, by as many threads as there are processors and work for them; what
 * cannot be started, others do.  This thread does `meanwhile` first. */
void reader_take_rows(reader *all, void (*meanwhile)(void *), void *context);

#endif
