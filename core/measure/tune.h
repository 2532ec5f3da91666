/* SPDX-License-Identifier: Apache-2.0 */
/* The tuned tier: searching the workload's declared space within the declared budget. */
#ifndef MEASURE_TUNE_H
#define MEASURE_TUNE_H

#include "measure/measure.h"

typedef struct tune_winner {
	eh_case values;    /* plan_values_free                                                */
	eh_work work;
} tune_winner;

/*
 * Tries the case as declared first, then the product of all tune lists in seeded order until the
 * budget (wall time, building included) is spent.  Every candidate is verified before it is timed.
 * A search that `known` has is not made again: *record is that search, and `earlier` says so.  Its winner
 * is verified as every case is.  Fails when no candidate is valid, or the device is lost.  *record is initialised, and filled in
 * any case.
 */
eh_status tune_search(const session *s, const record_instrument *clocks, const plan_case *c,
                      uint64_t seed, const measure_winners *known, measure_report report, void *context, record_tuning *record,
                      tune_winner *out, eh_error *error);

#endif
