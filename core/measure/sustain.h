/* SPDX-License-Identifier: Apache-2.0 */
/* The sustained regime: the work without a pause for a declared time. */
#ifndef MEASURE_SUSTAIN_H
#define MEASURE_SUSTAIN_H

#include "measure/sampler.h"
#include "measure/telemetry.h"

typedef struct sustain {
	telemetry *sensors;       /* NULL = there are none                                       */
	uint64_t entry_waited_ns;
	const char *entry;        /* "not asked", "no sensor", "temperature", "clock"            */
	bool entry_still;         /* the condition held before the longest wait was over         */
	bool idle_known;
	double idle_watts;        /* before the work began                                       */
	uint64_t merged;          /* takings in a sample                                         */
	uint64_t drains;          /* looks whether work was left over                            */
	uint64_t begin_ns, end_ns;
	uint64_t operations;
} sustain;

/* Waits until the device stands still, at most rules->sustain_entry_ns; measures idle power. */
void sustain_enter(sustain *run, const record_settings *rules, measure_report report,
                   void *context);
/*
 * The run itself, after the warm-up: the samples are all takings of sustain_time_ns, merged so that
 * they fit.  s->half_width is that of the last quarter of the windows; the last result is checked,
 * as one of v->during.
 */
eh_status sustain_run(sustain *run, sampler *s, verification *v, eh_error *error);
/* Adds what the sensors tell about the run to the record's "sustained": energy with the power at
 * rest (idle_watts, < 0 = not known), or why there is none, and the share of time in each state of
 * throttling.  After telemetry_stop, which takes the reading behind the end. */
void sustain_sensed(cJSON *sustained, telemetry *sensors, uint64_t begin_ns, uint64_t end_ns,
                    double idle_watts);
/* The record's "sustained". */
cJSON *sustain_json(const sustain *run, const sampler *s);

#endif
