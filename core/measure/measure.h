/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring one case on one opened device, from building its program to the record.  Rules:
 * docs/method.md.  Nothing here knows of processes, files or results.
 */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include <cjson/cJSON.h>

#include "measure/clocktrial.h"
#include "plugin/session.h"
#include "protocol/plan.h"

/* What the instrument itself can do on this device. */
typedef struct instrument {
	uint64_t host_resolution_ns;   /* smallest step of clock_now_ns seen                    */
	uint64_t host_overhead_ns;     /* one call                                              */
	clocktrial host;               /* does it ever step back?                               */
	char host_reason[192];         /* it does: no row of this execution can be valid        */
	uint64_t launch_ns;            /* null work: record, wait, by the host clock, median    */
	uint64_t launch_least_ns, launch_most_ns;
	uint64_t device_resolution_ns; /* smallest non-zero step of mark_elapsed seen           */
	clocktrial device;             /* marks in a row; readings 0 = not tried                */
	bool device_time;              /* marks passed their trial and may be used              */
	char device_time_reason[192];  /* why not, else empty                                   */
	bool device_time_false;        /* marks told, without any error, times that cannot be:
	                                  no row of a protocol with the device clock is valid   */
	char wait_reason[192];         /* how waiting returned early, else empty: then no row of
	                                  this execution can be valid                           */
} instrument;

typedef struct measure measure; /* a session prepared for measuring */

/* Calibrates the clocks and sets up the canary (when asked for). */
eh_status measure_new(session *s, bool want_canary, uint64_t seed, measure **out,
                      eh_error *error);
/* The same with the canary's source given, or NULL and the reason why there is none. */
eh_status measure_new_from(session *s, bool want_canary, uint64_t seed, const eh_source *source,
                           const char *missing, measure **out, eh_error *error);
const instrument *measure_instrument(const measure *m);
cJSON *measure_instrument_json(const measure *m);
/* Starts the probes but those of these names (NULL-terminated, may be NULL); else the first case that
 * asks for telemetry starts all. */
void measure_open_sensors(measure *m, const char *const *without);
void measure_free(measure *m);

/* Called now and then while a case is measured, never inside a timed region. */
typedef struct measure_progress {
	const char *stage;     /* "build", "prepare", "verify", "warm-up", "sample", ...         */
	uint64_t samples;      /* so far                                                         */
	double median_ns;      /* per operation, 0 = none yet                                    */
	double half_width;     /* of its interval, relative; 0 = none yet                        */
} measure_progress;
typedef void (*measure_report)(void *context, const measure_progress *progress);

/*
 * Always gives a record, whatever happens (docs/result-format.md, "execution"): status is valid,
 * not-converged, unsupported, failed or invalid, with reasons.  *lost is set when the device
 * cannot be used any more.
 */
cJSON *measure_case(measure *m, const plan_case *c, measure_report report, void *context,
                    bool *lost);

/* A record for a case that was not measured: {status, reasons: [reason]}. */
cJSON *measure_absent(const char *status, const char *reason);

#endif
