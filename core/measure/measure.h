/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring one case on one opened device, from building its program to the record.  Rules:
 * docs/method.md.  Nothing here knows of processes, files or results.
 */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include "plugin/session.h"
#include "protocol/plan.h"
#include "record/record.h"

typedef struct measure measure; /* a session prepared for measuring */

/* Calibrates the clocks and sets up the canary (when asked for). */
eh_status measure_new(session *s, bool want_canary, uint64_t seed, measure **out,
                      eh_error *error);
/* The same with the canary's source given, or NULL and the reason why there is none. */
eh_status measure_new_from(session *s, bool want_canary, uint64_t seed, const eh_source *source,
                           const char *missing, measure **out, eh_error *error);
/* Its `execution` is 0: the caller knows the number. */
const record_instrument *measure_instrument(const measure *m);
/* Starts the probes except those of these names (NULL-terminated, may be NULL).  Without this call
 * the first case that asks for telemetry starts all. */
void measure_open_sensors(measure *m, const char *const *without);
void measure_free(measure *m);

/*
 * Searches of the tuned tier that were made on this executor, for measure_remember.  `key` (64 hex digits)
 * stands for everything that a search follows from but the executor and the seed.
 */
typedef struct measure_winners {
	/* Fills *out, which is initialised; false, and *out as it was, where there is none. */
	bool (*find)(void *context, const char *key, record_tuning *out);
	void (*keep)(void *context, const char *key, const record_tuning *search);
	void *context;
} measure_winners;

/* From now on a case whose search is known takes its winner, and new ones are kept.  Without this call
 * every case searches. */
void measure_remember(measure *m, const measure_winners *winners);

/* Called now and then while a case is measured, never inside a timed region. */
typedef struct measure_progress {
	const char *stage;     /* "build", "prepare", "verify", "warm-up", "sample", ...         */
	uint64_t samples;      /* so far                                                         */
	double median_ns;      /* per operation, 0 = none yet                                    */
	double half_width;     /* of its interval, relative; 0 = none yet                        */
} measure_progress;
typedef void (*measure_report)(void *context, const measure_progress *progress);

/*
 * Always returns a record, the caller's (layout_free), with its status and reasons; `execution` and
 * `position` are left to the caller.  *lost: the device cannot be used any more.
 */
record_execution *measure_case(measure *m, const plan_case *c, measure_report report, void *context,
                               bool *lost);

/* The record of a case that was not measured. */
record_execution *measure_absent(enum record_status status, const char *reason);

#endif
