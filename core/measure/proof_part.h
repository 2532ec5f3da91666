/* SPDX-License-Identifier: Apache-2.0 */
/* Operations timed in both ways: as samples are, and by the host's clock until data are read back. */
#ifndef MEASURE_PROOF_PART_H
#define MEASURE_PROOF_PART_H

#include "measure/sampler.h"

typedef struct proof_part {
	uint64_t operations;
	uint64_t claimed_ns;   /* timed as samples are                                        */
	uint64_t waited_ns;    /* by the host's clock, until waiting returned                  */
	uint64_t drained_ns;   /* then reading a word back                                    */
	uint64_t unclaimed_ns; /* the most that the device's clock left out of a wait           */
	uint64_t last_ns;      /* the wait of the last sample                                 */
} proof_part;

/* Claims of samples, as many as there is room for. */
typedef struct proof_claims {
	uint64_t *ns;
	size_t count, room;
} proof_claims;

/* Adds one sample of `count` operations to *sum, without a drain. */
eh_status proof_part_take(sampler *s, uint64_t count, proof_part *sum, eh_error *error);
/* The time until a mark behind `count` operations has passed, asked again and again: nobody is woken. */
eh_status proof_part_ask(sampler *s, uint64_t count, uint64_t *ns, eh_error *error);
/* The time of one operation that compares with those of others taken so: by the samples' clock where it
 * is fine enough for one. */
uint64_t proof_part_single(const sampler *s, const proof_part *part);
/* `takes` samples of `count` operations each, then a drain.  claims may be NULL. */
eh_status proof_part_run(sampler *s, uint64_t takes, uint64_t count, proof_part *out,
                         proof_claims *claims, eh_error *error);

#endif
