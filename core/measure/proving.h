/* SPDX-License-Identifier: Apache-2.0 */
/* A proof while it runs: what its parts showed, for the suspicions that follow from it. */
#ifndef MEASURE_PROVING_H
#define MEASURE_PROVING_H

#include "measure/proof.h"
#include "measure/proof_part.h"

typedef struct proving {
	sampler *s;
	verify_state *v;
	proof *out;
	size_t parts;          /* kept so far                                                 */
	bool again;            /* further parts are not recorded                              */
	uint64_t least_ns;     /* that a part lasts, so that reading back does not drown it   */
	uint64_t takes;        /* samples in a part                                           */
	uint64_t part_ns;      /* how long the newest part took                               */
	proof_part kept;       /* sums over the parts that were kept                          */
	uint64_t unclaimed_ns; /* the most seen of a wait that was not claimed                */
	uint64_t drained_ns;   /* the most seen of reading back                               */
	uint64_t excess_ns;    /* reading the output back took so much longer than usual      */
	uint64_t lone_ns;      /* one operation whose output was overwritten before           */
	uint64_t few;          /* operations of a part of a batch                             */
	uint_list few_ns;      /* their times                                                 */
	uint_list many_ns;     /* and those of whole batches taken beside them                */
	proof_claims claims;   /* of the parts, sample by sample                              */
} proving;

/* Parts until there are `least` and they took least_ns in all; the last one's output was overwritten
 * before. */
eh_status proving_parts(proving *r, size_t least, uint64_t least_ns, eh_error *error);

/* Whether the evidence contradicts itself or the samples: findings of r->out. */
eh_status proving_judge(proving *r, eh_error *error);

#endif
