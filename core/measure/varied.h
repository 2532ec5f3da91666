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

/*
 * After proof_run.  As many pairs as fit in half the time that the samples may take, a few when
 * new inputs take long; none, with the reason in out->skipped, when the case would not end before
 * deadline_ns (0 = none) for them, or when there are no new inputs.  Checks the last output: a
 * failure is record->after of v.  *differs: in this series and in a second one.
 */
eh_status varied_run(sampler *s, verify_state *v, const proof *p, uint64_t deadline_ns,
                     record_varied *out, bool *differs, eh_error *error);

#endif
