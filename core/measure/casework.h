/* SPDX-License-Identifier: Apache-2.0 */
/* A case while it is measured: what it depends on, and the record that grows. */
#ifndef MEASURE_CASEWORK_H
#define MEASURE_CASEWORK_H

#include "measure/canary.h"
#include "measure/measure.h"
#include "measure/sampler.h"
#include "measure/telemetry.h"

typedef struct casework {
	const session *s;
	const instrument *clocks;
	canary *canary;            /* NULL = none runs around the case                           */
	telemetry *sensors;        /* NULL = none are read                                       */
	uint64_t first_ns;         /* when the first sample began; 0 = there is none             */
	uint64_t run_begin_ns;     /* of a sustained run; run_end_ns 0 = there is none           */
	uint64_t run_end_ns;
	double idle_watts;         /* before it; < 0 = not known                                 */
	uint64_t seed;             /* of this case and attempt                                   */
	uint64_t deadline_ns;      /* when its timeout ends it; 0 = never                        */
	const plan_case *c;
	measure_report report;     /* may be NULL                                                */
	void *context;
	bool *lost;
	cJSON *record;
	cJSON *reasons, *flags;    /* in record                                                  */
} casework;

/* {status, reasons: [], flags: []} */
cJSON *casework_record(const char *status);
/* The first status that says that there is no number stays.  The reason is copied. */
void casework_conclude(casework *w, const char *status, const char *reason);
/* For a malloc'd reason, which is freed. */
void casework_conclude_free(casework *w, const char *status, char *reason);
/* unsupported or failed, by the status of a backend or workload. */
void casework_fail(casework *w, eh_status status, const eh_error *error);
void casework_flag(casework *w, const char *flag);
/* Reports that a stage begins. */
void casework_enter(const casework *w, const char *stage);

/* The samples with what belongs to them; starts_ns when asked for. */
void casework_samples(casework *w, const sampler *s, bool starts);
/* Marks what the reader of the series should know; nothing is dropped. */
void casework_series(casework *w, sampler *s);
/* half_width, and not-converged with the width reached. */
void casework_width(casework *w, const sampler *s);
void casework_canary(casework *w, const canary_times *before, const canary_times *after);

#endif
