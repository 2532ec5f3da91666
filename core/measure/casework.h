/* SPDX-License-Identifier: Apache-2.0 */
/* A case while it is measured: what it depends on, and the record that grows. */
#ifndef MEASURE_CASEWORK_H
#define MEASURE_CASEWORK_H

#include "measure/canary.h"
#include "measure/disturb.h"
#include "measure/measure.h"
#include "measure/sampler.h"
#include "measure/telemetry.h"

typedef struct casework {
	const session *s;
	const record_instrument *clocks;
	canary *canary;            /* NULL = none runs around the case                           */
	telemetry *sensors;        /* NULL = none are read                                       */
	uint64_t first_ns;         /* when the samples began and ended; 0 = there are none       */
	uint64_t last_ns;
	disturb_counters begin;    /* before and after the samples                               */
	disturb_counters end;
	uint64_t seed;             /* of this case and attempt                                   */
	uint64_t deadline_ns;      /* when its timeout ends it; 0 = never                        */
	const plan_case *c;
	measure_report report;     /* may be NULL                                                */
	void *context;
	bool turns;                /* samples are taken in turns with other executors            */
	bool *lost;
	record_execution *record;
} casework;

/* The first status that says that there is no number stays.  The reason is copied. */
void casework_conclude(casework *w, enum record_status status, const char *reason);
/* unsupported or failed, by the status of a backend or workload. */
void casework_fail(casework *w, eh_status status, eh_error *error);
void casework_flag(casework *w, enum record_flag flag);
/* Reports that a stage begins. */
void casework_enter(const casework *w, const char *stage);

/* Records the samples and the members that belong to them; starts_ns when asked for. */
void casework_samples(casework *w, const sampler *s, bool starts);
/* Flags what the samples are like, in their order; none is dropped. */
void casework_series(casework *w, sampler *s);
/* Records half_width, and not-converged with the limit that was not met. */
void casework_width(casework *w, const sampler *s);

#endif
