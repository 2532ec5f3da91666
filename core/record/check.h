/* SPDX-License-Identifier: Apache-2.0 */
/* What a record must agree with itself about.  Inside of the result room. */
#ifndef RECORD_CHECK_H
#define RECORD_CHECK_H

#include <cjson/cJSON.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "record/findings.h"
#include "record/rowpool.h"

#define ALTERED ": the file was altered"

/* The format, its version and the structure, where rows_apart of all but the rows; false when it
 * is none. */
bool check_structure(const cJSON *head, bool rows_apart, const char *name, findings *f);
/* Everything but the rows, in the order of a report.  `executions` has the count of each row. */
void check_protocol(const cJSON *head, findings *f);
void check_executions(const cJSON *head, const size_t *executions, size_t rows, findings *f);
void check_sections(const cJSON *head, findings *f);
void check_text(const cJSON *head, findings *f);
void check_run(const cJSON *head, bool has_samples, findings *f);
/* What is should be what is wanted; `what` says why: "protocol.canonical says". */
void check_expect(findings *f, enum finding_check check, const char *place, const cJSON *is,
                  const cJSON *want, const char *what);
void check_salts(const cJSON *head, findings *f);
void check_digest(const cJSON *head, findings *f);

/* The executions that run.order lists, and how many rows have each; several threads may count. */
typedef struct run_order {
	bool sound;              /* ascending; else nothing is looked up in it                  */
	uint64_t *numbers;
	atomic_size_t *rows;
	size_t count;
} run_order;
void run_order_take(const cJSON *head, run_order *order, findings *f);
void run_order_count(run_order *order, const cJSON *row);
bool run_order_lists(const run_order *order, uint64_t number);
void run_order_free(run_order *order);
/* Once every row was counted: listed are the executions of which a case has something, and done are
 * those that every case has. */
void check_order(const cJSON *head, const run_order *order, size_t rows, findings *f);

/* One row whose structure holds, with its pool; plan and seal are NULL when there is none for it.
 * The arena has room for what is recomputed. */
typedef struct row_given {
	size_t index;
	const record_pool *pool;
	const cJSON *plan, *seal;
	const run_order *order;
	json_arena *arena;
} row_given;
void check_row(const cJSON *row, const row_given *given, findings *f);

#endif
