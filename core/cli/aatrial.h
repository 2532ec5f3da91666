/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A against A: the same protocol on the same executors, in pairs of runs, one after the other.  No run
 * is in two pairs, so the ratios are independent except for slow drifts, which should be seen.  The
 * outcome is stored as the executors' noise floors (run/noise.h).
 */
#ifndef CLI_AATRIAL_H
#define CLI_AATRIAL_H

#include "run/noise.h"

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

/* Sets *out, which the caller frees, also on failure: one record per executor, with the ratios of every
 * case; a case may have fewer than NOISEFLOOR_LEAST.  Runs go to a folder below TMPDIR that is removed, after
 * a kill by the next one (base/fresh.h).
 * EH_E_INTERRUPTED after a signal. */
eh_status aatrial_run(const aatrial_options *options, noise_record_list *out, eh_error *error);

#endif
