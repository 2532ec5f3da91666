/* SPDX-License-Identifier: Apache-2.0 */
/* The tuned tier: searching the workload's declared space within the declared budget. */
#ifndef MEASURE_TUNE_H
#define MEASURE_TUNE_H

#include "measure/measure.h"

typedef struct tuned {
	eh_case values;    /* of the winner; plan_values_free                                 */
	eh_work work;
	cJSON *record;     /* the record's "tuning"; the caller's                             */
} tuned;

/*
 * Tries the case as declared first, then the product of all tune lists in seeded order until the
 * budget (wall time, building included) is spent.  Every candidate is verified before it is timed.
 * Fails when no candidate is valid, or the device is lost; *out->record is set all the same.
 */
eh_status tune_search(const session *s, const instrument *clocks, const plan_case *c,
                      uint64_t seed, measure_report report, void *context, tuned *out,
                      eh_error *error);
void tune_free(tuned *t); /* not the record */

#endif
