/* SPDX-License-Identifier: Apache-2.0 */
/* What a record must agree with itself about.  Inside of reading: docs/result-format.md, "Digests", has
 * the order. */
#ifndef RECORD_CHECK_H
#define RECORD_CHECK_H

#include <stdbool.h>

#include "record/derive.h"
#include "record/findings.h"
#include "record/record.h"

/* protocol.digest, name and version against the plan. */
void check_protocol(const record_result *r, findings *f);
/* run.executions against the rows and the plan. */
void check_executions(const record_result *r, findings *f);
/* Every salt belongs to a text that may be redacted; every section of the tree has its digest. */
void check_salts(const cJSON *root, findings *f);
void check_sections(const cJSON *root, record_result *r, findings *f);
/* What protocol.text states against the plan. */
void check_text(const record_result *r, findings *f);
/* Times, noise floor, layers. */
void check_run(const record_result *r, findings *f);

/* run.order, to look executions up in. */
typedef struct run_order {
	const record_order_list *list; /* borrowed                                               */
	bool sound;                    /* both numbers ascend; else nothing is looked up          */
} run_order;
run_order run_order_take(const record_result *r, findings *f);
bool run_order_lists(const run_order *order, uint64_t execution);
/* Listed are the executions that a case has, and done are those that every case has. */
void check_order(const record_result *r, const run_order *order, findings *f);
/* The digest of the whole. */
void check_digest(const record_result *r, findings *f);

/* One row: its plan (NULL when there is none), its executions, what is derived, its digest.  `hex` is
 * that of its bytes, which mostly are its canonical form. */
void check_row(const record_result *r, size_t index, const run_order *order, const record_pool *pool,
               const char *hex, findings *f);

#endif
