/* SPDX-License-Identifier: Apache-2.0 */
/* What measuring a case at once (measure.c) and in turns (turnwork.c) share. */
#ifndef MEASURE_MEASURE_INSIDE_H
#define MEASURE_MEASURE_INSIDE_H

#include "measure/calibrate.h"
#include "measure/casework.h"
#include "measure/tune.h"

struct measure {
	session *s;
	calibration clocks;
	canary *canary;  /* NULL = none runs around the cases                                 */
	bool wanted;     /* a canary was asked for                                            */
	telemetry *sensors;  /* NULL = none, or no case has asked for them so far             */
	bool sensors_opened;
	uint64_t seed;
	measure_winners winners; /* zeroed: nothing is remembered                             */
};

/* A record without samples. */
record_execution *measure_record(enum record_status status);
/* Sets *w up for the case, without a record.  Returns why nothing can be measured, as a record; NULL
 * when it can. */
record_execution *measure_begin(measure *m, const plan_case *c, measure_report report, void *context,
                                bool *lost, casework *w);
/* In the tuned tier: searches.  false when there is no winner; the record of *w has failed then. */
bool measure_tune(const measure *m, casework *w, record_tuning *tuning, tune_winner *winner);
/* Flags that belong to the worker. */
void measure_end(const measure *m, casework *w);

#endif
