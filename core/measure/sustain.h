/* SPDX-License-Identifier: Apache-2.0 */
/* The sustained regime: the work without a pause for a declared time. */
#ifndef MEASURE_SUSTAIN_H
#define MEASURE_SUSTAIN_H

#include "measure/sampler.h"
#include "measure/telemetry.h"

typedef struct sustain {
	telemetry *sensors;        /* NULL = there are none                                      */
	record_sustained *record;  /* made by sustain_enter; the caller's                        */
} sustain;

/* Waits until temperature or clock are steady, at most rules->sustain_entry_ns; measures idle
 * power. */
void sustain_enter(sustain *run, const record_settings *rules, measure_report report,
                   void *context);
/*
 * The run itself, after the warm-up.  Samples last for sustain_time_ns without a gap and are merged
 * so that they fit.  s->half_width is that of the last quarter of the windows; the last result is
 * checked, as one of record->during of v.
 */
eh_status sustain_run(sustain *run, sampler *s, verify_state *v, eh_error *error);
/* Records the energy of the run, or why it is not known.  After telemetry_stop, which takes the
 * reading behind the end. */
void sustain_energy(record_sustained *out, telemetry *sensors, uint64_t begin_ns, uint64_t end_ns);

#endif
