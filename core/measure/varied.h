/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an operation takes as long on inputs it has never seen as on inputs it has: pairs of
 * single operations, the first on new inputs, the second on the same ones written once more.
 * A stack that recognises repeated work is fast on the second alone.  docs/method.md.
 */
#ifndef MEASURE_VARIED_H
#define MEASURE_VARIED_H

#include "measure/proof.h"

#define VARIED_PAIRS 11      /* wanted                                                           */

typedef struct varied {
	uint64_t new_ns[VARIED_PAIRS], repeated_ns[VARIED_PAIRS];
	size_t count;
	uint32_t first;          /* variant of the first pair's inputs                           */
	bool differs;            /* in this series and in a second one                           */
	char skipped[160];       /* why there is none, else empty                                */
} varied;

/* After proof_run.  As many pairs as fit in half the time that the samples may take, a few when
 * new inputs take long; none, with the reason, when the case would not end before deadline_ns (0 =
 * none) for them, or when there are no new inputs.  Checks the last output: v->after. */
eh_status varied_run(sampler *s, verification *v, const proof *p, uint64_t deadline_ns, varied *out,
                     eh_error *error);
cJSON *varied_json(const varied *out);

#endif
