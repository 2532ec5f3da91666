/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether an operation takes as long on inputs it has never seen as on inputs it has: pairs of
 * single operations, the first on new inputs, the second on the same ones written once more.
 * A stack that recognises repeated work is fast on the second alone.  docs/method.md.
 */
#ifndef MEASURE_VARIED_H
#define MEASURE_VARIED_H

#include "measure/proof.h"

#define VARIED_PAIRS 11      /* at most, unless they differ                                      */

/*
 * After proof_run, whose pair is the first.  As many pairs as fit in the time of the proof; more of
 * them only while they differ, until that is settled.  None, with the reason in out->skipped, when
 * the proof took none.  Checks the last output: a failure is record->after of v.  What is found is
 * added to p.  *differs: new inputs take longer.
 */
eh_status varied_run(sampler *s, verify_state *v, proof *p, record_varied *out, bool *differs,
                     eh_error *error);

#endif
