/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to reading: checks that a record is consistent.  docs/result-format.md, "Digests", has
 * the order. */
#ifndef RECORD_CHECK_H
#define RECORD_CHECK_H

#include <stdbool.h>

#include "record/derive.h"
#include "record/findings.h"
#include "record/record.h"
#include "record/row_sums.h"

/* Checks protocol.digest, name and version against the plan. */
void check_protocol(const record_result *r, findings *f);
/* Checks run.executions against the rows and the plan. */
void check_executions(const record_result *r, const row_sums *rows, findings *f);
/* Checks that every salt belongs to a text that may be redacted. */
void check_salts(record_result *r, findings *f);
/* Checks the digests of the sections. */
void check_sections(record_result *r, findings *f);
/* Checks the statements of protocol.text against the plan. */
void check_text(const record_result *r, findings *f);
/* Checks times, noise floor and layers. */
void check_run(const record_result *r, const row_sums *rows, findings *f);

/* run.order, which the record lends; adds a finding where it does not ascend. */
run_order run_order_take(const record_result *r, findings *f);
/* Checks that run.order lists the executions of the cases, and that the number done is right: those
 * that every case has. */
void check_order(const record_result *r, const row_sums *rows, findings *f);
/* Checks the digest of the whole record. */
void check_digest(const record_result *r, findings *f);

/* A row while it is checked. */
typedef struct row_check {
	const record_result *result;
	const record_case *row;
	const run_order *order;
	bool stack_changed;      /* check_stack_changed                                          */
	size_t index;            /* of the row                                                   */
	findings *f;
} row_check;
/* malloc'd "cases[3]" or "cases[3].derived.rate". */
char *check_place(const row_check *c, const char *above, const char *name);
/* Adds "cases[3].executions[1].MEMBER SENTENCE"; takes the sentence. */
void check_add(const row_check *c, eh_status code, enum finding_check check, size_t index,
               const char *member, char *sentence);

/* Checks a row: its plan, its executions, its derived members, its digest.  `hex` is the digest of
 * its canonical form.  The record needs no rows. */
void check_row(const row_check *c, const record_pool *pool, const char *hex);
/* Checks what the samples and instruments of the row's executions imply about the rest of them. */
void check_implied(const row_check *c, const record_pool *pool);
/* Checks that the clocks and times of the row's executions fit together. */
void check_times(const row_check *c);

/* Checks the digest of the stack and the order of the instruments. */
void check_executor(const record_result *r, findings *f);
/* Whether the stack changed during the run: it has the layers of its first execution then, and the
 * protocol's deviations say so. */
bool check_stack_changed(const record_result *r);
/* Checks that the programs of a row are those of one compiler, which the stack has. */
void check_programs(const row_check *c);
/* Checks that an execution has no two cases at one position. */
void check_positions(row_sums *rows, findings *f);

#endif
