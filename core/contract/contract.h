/* SPDX-License-Identifier: Apache-2.0 */
/* The comparability contract: whether two results may be compared, and what the comparison says. */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include "audit/agreement.h"
#include "base/layout.h"
#include "record/result.h"

/* Whether a rule fires for one side; detail (size bytes) then says what there is to it, or is left
 * alone.  The row is NULL in scope CONTRACT_RESULT. */
typedef bool contract_side(const result *r, const result_row *row, char *detail, size_t size);
/* Whether a rule fires for two sides; detail then says what differs. */
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
	const audit_team_list *agreed; /* that must have agreed to the protocols before the runs; NULL: nobody */
} contract_options;

/* Whether its protocol is a certified one. */
bool contract_declares_certified(const result *r);

/* a is the baseline; both must outlive what is returned.  Never fails: what cannot be compared says
 * why. */
comparison *contract_compare_with(const result *a, const result *b, contract_options options);
comparison *contract_compare(const result *a, const result *b, double margin);
/* The same into an initialised struct. */
void contract_compare_into(comparison *c, const result *a, const result *b,
                           contract_options options);
void comparison_free(comparison *c); /* NULL is fine */
/* A row as a comparison shows it; `whole` is the evidence of its result.  Free with layout_free. */
comparison_side *contract_row_side(const result *of, const result_row *row, const evidence *whole);

/* What a ratio with its interval says of the margin and of the noise floor (0: there is none). */
/* The interval that the verdict follows from; NULL where there is none. */
const interval *contract_interval(const comparison_row *row);
enum comparison_verdict contract_verdict(comparison_ratio speedup, double margin, double floor);
/* Baseline time / other time of a row that has a speedup, by the same method, with an interval of
 * confidence 1 - 0.05 / share; {0, infinity} where there are too few executions or rounds for it. */
comparison_ratio contract_speedup(const comparison *c, const comparison_row *row, size_t share);

/* Where teams had to agree: the next reason, behind `after` or with NULL the first, why the comparison is
 * not as agreed; NULL at the end. */
const contract_reason *comparison_departure(const comparison *c, const contract_reason *after);
/* How many cases have that verdict. */
size_t comparison_count(const comparison *c, enum comparison_verdict verdict);
/* Whether one of the two runs was asked for the case. */
bool comparison_asked(const comparison *c, const comparison_row *row);
/* Whether a rule of that id is among the reasons. */
bool contract_cites(const contract_reason_list *reasons, const char *id);
/* How many different binaries of the kernel, or kernels of the library, the executions that count
 * ran. */
size_t contract_binaries(const result_row *r);
/* Drops the cases that are not in the list; counts and means are then those of the rest, verdicts
 * stay as they were judged among all. */
void comparison_keep(comparison *c, const text_list *ids);

/* What a script may call a failure. */
enum comparison_failure {
	COMPARISON_SLOWER = 1, COMPARISON_FASTER = 2,
	COMPARISON_OPEN = 4,         /* a case without a verdict                                   */
	COMPARISON_NOT_MEASURED = 8  /* a case that is not comparable, or did not run on one side  */
};
/* Of comparisons together.  By `fail_on`, a mask of comparison_failure: EXIT_CODE_NEGATIVE for a
 * faster or slower case, else _NOT_COMPARABLE, else _INCONCLUSIVE; without any of these _OK.
 * _NOT_COMPARABLE always where no case at all could be compared, or one of them is not as agreed. */
int comparison_exit_code(const comparison_list *all, unsigned fail_on);

#endif
