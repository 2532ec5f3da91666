/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scenarios with requests: `server` (an open loop: Poisson arrivals, whether earlier requests are
 * done or not), `closed` (a fixed number outstanding at all times) and `knee` (the highest rate of
 * `server` that keeps its limit).  A request is one operation of the case.  One thread issues them
 * into one in-order queue.  docs/sequence.md, "Scenarios".
 */
#ifndef MEASURE_SCENARIO_H
#define MEASURE_SCENARIO_H

#include "measure/measure.h"
#include "measure/prepared.h"
#include "stat/trace.h"

typedef struct scenario_load {
	double rate;            /* arrivals per second; 0 = closed                             */
	size_t concurrency;     /* outstanding at most                                         */
	size_t requests;
	uint64_t time_max_ns;   /* no request is issued after that                             */
	uint64_t seed;
} scenario_load;

/*
 * Plays one load, from an idle queue to an idle queue, times by the host's clock.  Memory and
 * marks are taken before the first request.  With a concurrency above 1 the backend has to offer
 * mark_passed: EH_E_UNSUPPORTED else.  The trace is what was done: trace_free; it is shorter when
 * the time was over.
 */
eh_status scenario_play(prepared *p, const scenario_load *load, trace **out, eh_error *error);

typedef struct scenario {
	trace *requests;        /* of the load whose latencies are the samples                 */
	trace_summary summary;  /* of them                                                     */
	char *failure;          /* malloc'd sentence: no number follows, else NULL             */
	char *missed;           /* malloc'd sentence: the limit was not held, else NULL        */
	record_scenario *record; /* the caller may take it and leave NULL                      */
} scenario;

/* Requests that a rule needs at least: those of its statistic. */
size_t scenario_requests(const record_settings *rules);

/* Plays the declared scenario; only where record_is_load().  Call it after the warm-up.  *out is
 * filled with EH_OK alone. */
eh_status scenario_run(prepared *p, const record_settings *rules, uint64_t seed,
                       measure_report report, void *context, scenario *out, eh_error *error);
void scenario_free(scenario *s);

#endif
