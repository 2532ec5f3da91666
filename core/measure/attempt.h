/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt at a case, in three parts: preparing it, sampling, proving the samples. */
#ifndef MEASURE_ATTEMPT_H
#define MEASURE_ATTEMPT_H

#include "measure/casework.h"
#include "measure/sustain.h"

typedef struct attempt {
	casework *w;
	prepared p;
	sampler s;
	verify_state v;
	sustain run;
	bool opened;       /* p is                                                              */
	bool sampling;     /* the output was right, so s is there                                */
	eh_status status;  /* the first that is not EH_OK, with its error                        */
	eh_error error;
} attempt;

/* Fills the record of *w with everything that needs the case prepared with these values. */
void attempt_run(casework *w, const eh_case *values, const eh_work *work);

/* The parts of it.  Between open and close the attempt stays where it is.  After attempt_warm samples
 * may be taken while attempt_goes_on. */
void attempt_open(attempt *a, casework *w, const eh_case *values, const eh_work *work);
bool attempt_goes_on(const attempt *a);
/* Batch, trial of waiting, warm-up. */
void attempt_warm(attempt *a);
void attempt_sample(attempt *a);
/* After it the record has the samples, their proof and what follows from both. */
void attempt_close(attempt *a);

#endif
