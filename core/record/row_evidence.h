/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the evidence that a case asks for is there and agrees with its samples.  Absent evidence
 * is as bad as a contradiction.  Asked of executions that count; the answers are phrases, NULL =
 * nothing is wrong. */
#ifndef RECORD_ROW_EVIDENCE_H
#define RECORD_ROW_EVIDENCE_H

#include <stdbool.h>

#include "record/record.h"

/* A row of a result, prepared for questions about its executions; borrows both. */
typedef struct row_evidence {
	const record_result *result;
	const record_case *row;
	bool data, program;      /* some execution that counts records them                     */
} row_evidence;
row_evidence row_evidence_of(const record_result *r, const record_case *row);

/* Below this share of the proof's time the harness does not take an execution for proved. */
extern const double row_evidence_least_claim;
/* Of the proof: "absent". */
const char *row_evidence_proof(const record_case *row, const record_execution *e);
/* Of the verification. */
const char *row_evidence_verification(const record_execution *e);
/* The name of other evidence that is absent: "a canary, which the protocol declares". */
const char *row_evidence_missing(const row_evidence *of, const record_execution *e);

/* The share of the proof's time per operation that the samples claim; INFINITY where nobody can
 * tell, as with requests, which overlap. */
double row_evidence_claim(const record_case *row, const record_execution *e);

#endif
