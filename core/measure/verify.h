/* SPDX-License-Identifier: Apache-2.0 */
/* Verification around and inside the timing, in the order of evenhand/workload.h. */
#ifndef MEASURE_VERIFY_H
#define MEASURE_VERIFY_H

#include "measure/prepared.h"

typedef struct verification {
	eh_check selftest, before, after; /* struct_size 0 = not done                    */
	bool blind;                       /* check passed on poisoned outputs             */
	uint64_t during, during_failed;
	char during_detail[192];          /* of the first that failed                     */
	uint64_t check_ns;                /* the quickest check so far, 0 = none          */
} verification;

/* selftest when there is one; for each set poison, one operation, wait, check; poison again, and a
 * check that has to fail. */
eh_status verify_before(prepared *p, verification *v, eh_error *error);
/* Overwrites the outputs that the last of the next `operations` operations writes (0: that the last
 * one wrote) and waits. */
eh_status verify_poison(prepared *p, uint64_t operations, eh_error *error);
/* Checks the last operation; counts it as one of `during`. */
eh_status verify_during(prepared *p, verification *v, eh_error *error);
/* With several sets, into v->after as well: the outputs of all overwritten, one operation on each, in
 * batches like those of the samples, and then every one checked: none of a batch was left out. */
eh_status verify_each(prepared *p, verification *v, uint64_t batch, eh_error *error);
/* Checks the last operation into *check; *ns is the time that took. */
eh_status verify_check(prepared *p, verification *v, eh_check *check, uint64_t *ns,
                       eh_error *error);

/* True only if the check passed, compared something and nothing failed. */
bool verify_passed(const eh_check *check);
/* malloc'd sentence about the first failure among what was done, NULL when there is none. */
char *verify_failure(const verification *v);
cJSON *verify_json(const verification *v);

#endif
