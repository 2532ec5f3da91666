/* SPDX-License-Identifier: Apache-2.0 */
/* Verification around and inside the timing, in the order of evenhand/workload.h. */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include "measure/prepared.h"

typedef struct verify_state {
	record_verification *record;
	bool blind;                       /* check passed on poisoned outputs             */
	char during_detail[192];          /* of the first that failed                     */
	uint64_t check_ns;                /* the quickest check so far, 0 = none          */
} verify_state;

/* Fills an initialised record, which outlives *v. */
void verify_init(verify_state *v, record_verification *record);
/* The self-test when there is one; then for each set: poison, one operation, wait, check; poison
 * again, and a check that has to fail. */
eh_status verify_before(prepared *p, verify_state *v, eh_error *error);
/* Overwrites the outputs that the last of the next `operations` operations writes (0: that the last
 * one wrote) and waits. */
eh_status verify_poison(prepared *p, uint64_t operations, eh_error *error);
/* Checks the last operation; counts it as one of `during`. */
eh_status verify_during(prepared *p, verify_state *v, eh_error *error);
/* With several sets: overwrites the outputs of all, runs one operation on each, in batches like
 * those of the samples, and checks every one, so that an operation left out of a batch is found.
 * The checks are merged into record->after. */
eh_status verify_each(prepared *p, verify_state *v, uint64_t batch, eh_error *error);
/* Checks the last operation; a check that *check held is replaced.  *ns is the time that took. */
eh_status verify_check(prepared *p, verify_state *v, record_check **check, uint64_t *ns,
                       eh_error *error);

/* True only if the check passed, compared something and nothing failed; NULL = not done. */
bool verify_passed(const record_check *check);
/* malloc'd sentence about the first failure, NULL when there is none. */
char *verify_failure(const verify_state *v);

#endif
