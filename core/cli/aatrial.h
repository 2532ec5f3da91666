/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A against A: the same protocol on the same executors, two runs a pair, one pair after the other.
 * No run is in two pairs, so the pairs' ratios are independent but for what drifts slowly, and that
 * is to be seen.  What comes out is stored as the executors' noise floors (run/noise.h).
 */
#ifndef CLI_AATRIAL_H
#define CLI_AATRIAL_H

#include <cjson/cJSON.h>

#include "base/error.h"

typedef struct aatrial_progress {
	const char *protocol;
	size_t run, runs;         /* this one, from 1, of so many                             */
	uint64_t left_ns;         /* expected; 0 = not known yet                              */
} aatrial_progress;

typedef struct aatrial_options {
	const char *protocol;     /* name or path                                             */
	const char *selectors;    /* NULL = all                                               */
	const char *site;         /* site file, or NULL                                       */
	size_t pairs;
	void (*report)(void *context, const aatrial_progress *p); /* before each run; or NULL */
	void *context;
} aatrial_options;

/* An array of records for noise_write, one per executor, without classes and digest; each has
 * "missing", the ids of cases of which fewer pairs than NOISEFLOOR_LEAST gave a ratio (they are not
 * in "cases").  Runs go to a folder below TMPDIR that is removed.  EH_E_INTERRUPTED after a signal. */
eh_status aatrial_run(const aatrial_options *options, cJSON **out, eh_error *error);

#endif
