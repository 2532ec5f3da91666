/* SPDX-License-Identifier: Apache-2.0 */
/* The proof run: the same operations on new inputs, timed as samples are and also by the host's clock
 * until their output is read back.  docs/method.md, "Suspicion and proof". */
#ifndef MEASURE_PROOF_H
#define MEASURE_PROOF_H

#include "measure/sampler.h"

typedef struct proof {
	record_proof *record;    /* given                                                      */
	uint64_t deadline_ns;    /* given: when the case has to end; 0 = never                 */
	bool inputs_unchanged;   /* new inputs are zeros again, so that a stale output looks like a
	                            new one                                                  */
	uint64_t vary_ns;        /* changing the inputs of one set took                        */
	uint32_t variant;        /* of the inputs; later ones are new, too                     */
	bool paired;             /* the two times below were taken                             */
	uint64_t fresh_ns;       /* one operation on new inputs                                */
	uint64_t repeated_ns;    /* and one on the same inputs, written again                  */
	enum record_status verdict; /* valid, unproven or invalid                              */
	char *failure;           /* malloc'd sentence that says why, else NULL                 */
} proof;

/*
 * Changes the inputs, runs, checks: fills record->after of v and *out.  Call it after the last
 * sample.  A suspicion is tried again in pairs (measure/doubts.h), which are added to s->doubts.
 */
eh_status proof_run(sampler *s, verify_state *v, proof *out, eh_error *error);

/* Keeps the most severe finding.  Takes the sentence. */
void proof_find(proof *out, enum record_status verdict, char *sentence);

#endif
