/* SPDX-License-Identifier: Apache-2.0 */
/* The proof run: the same operations by the host clock, ended by reading their output back. */
#ifndef MEASURE_PROOF_H
#define MEASURE_PROOF_H

#include "measure/sampler.h"

typedef struct proof {
	record_proof *record;    /* ns_per_operation: of the quickest part of the run         */
	bool inputs_unchanged;   /* new inputs are zeros again, so that a stale output looks like a
	                            new one                                                  */
	uint64_t vary_ns;        /* changing the inputs of one set took                        */
	char *failure;           /* malloc'd sentence when it contradicts the samples, else NULL */
} proof;

/*
 * Changes the inputs, runs, checks: fills record->after of v and *out, whose record is given.  Call
 * it after the last sample.  A suspicion is tried again for up to two seconds; only one that shows
 * each time is a failure.
 */
eh_status proof_run(sampler *s, verify_state *v, proof *out, eh_error *error);

#endif
