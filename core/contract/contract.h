/* SPDX-License-Identifier: Apache-2.0 */
/* The comparability contract: whether two results may be compared, and what the comparison says. */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "base/layout.h"
#include "record/result.h"

/* Whether a rule fires; detail (size bytes) then says what differs.  The rows are NULL in scope
 * CONTRACT_RESULT. */
typedef bool contract_condition(const result *a, const result *b, const result_row *x,
                                const result_row *y, char *detail, size_t size);

const layout *interval_layout(void);

#define LAYOUT_FILE "contract/comparison.def"
#define LAYOUT_NAME(name) name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* The table of contract/rules.c; not to be freed. */
const contract *contract_rules(void);

/* Executions on each side below which no verdict is given: of separate processes in sequence, of one
 * run in lockstep, and when certified. */
#define CONTRACT_EXECUTIONS 5
#define CONTRACT_EXECUTIONS_LOCKSTEP 2
#define CONTRACT_EXECUTIONS_CERTIFIED 10

typedef struct contract_options {
	double margin;    /* differences up to it count as none; 0 = as the protocols say         */
	bool certified;   /* the stricter levels; a certified protocol on either side implies them */
} contract_options;

/* a is the baseline; both must outlive what is returned.  Never fails: what cannot be compared says
 * why. */
comparison *contract_compare_with(const result *a, const result *b, contract_options options);
comparison *contract_compare(const result *a, const result *b, double margin);
/* The same into an initialised struct. */
void contract_compare_into(comparison *c, const result *a, const result *b,
                           contract_options options);
void comparison_free(comparison *c); /* NULL is fine */

/* Baseline time / other time of a row that has a speedup, by the same method, with an interval of
 * confidence 1 - 0.05 / share; {0, infinity} where there are too few executions or rounds for it. */
comparison_ratio contract_speedup(const comparison *c, const comparison_row *row, size_t share);

/* How many cases have that verdict. */
size_t comparison_count(const comparison *c, enum comparison_verdict verdict);
/* Whether a rule of that id is among the reasons. */
bool contract_cites(const contract_reason_list *reasons, const char *id);
/* How many different binaries of the kernel the executions that count ran. */
size_t contract_binaries(const result_row *r);
/* EXIT_CODE_NEGATIVE when a case is SLOWER; else _NOT_COMPARABLE when the results or a case are not
 * comparable, or no case was compared; else _INCONCLUSIVE when strict and a case has no verdict;
 * else _OK. */
int comparison_exit_code(const comparison *c, bool strict);

#endif
