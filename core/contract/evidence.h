/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The evidence of a result and of its rows: how far a number can be relied upon, and why not
 * further.  The rules of the contract that look at one side alone decide it (contract/rules.c), so
 * a comparison and every other command say the same of a row.
 */
#ifndef CONTRACT_EVIDENCE_H
#define CONTRACT_EVIDENCE_H

#include "contract/contract.h"

/* Of a row, or with row NULL of the result as a whole, into an initialised struct.  The reasons of
 * a row are its own; its level is never better than that of the result. */
void evidence_judge(const result *r, const result_row *row, bool certified, evidence *out);
/* The same for many rows: whole is what the first gave of their result. */
void evidence_judge_row(const result *r, const result_row *row, const evidence *whole,
                        bool certified, evidence *out);

/* Of a result and of its rows, in their order. */
typedef struct evidence_table { const result *of; evidence whole; evidence *rows; } evidence_table;
/* The result must outlive it. */
evidence_table evidence_judge_all(const result *r, bool certified);
void evidence_table_free(evidence_table *t);

/* The reason of that rule; NULL where it does not fire.  e may be NULL. */
const contract_reason *evidence_reason(const evidence *e, const char *id);
/* The first of the most severe reasons; NULL without any. */
const contract_reason *evidence_worst(const evidence *e);

#endif
