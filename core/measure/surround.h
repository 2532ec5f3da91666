/* SPDX-License-Identifier: Apache-2.0 */
/* What is observed around an attempt at a case: canary, guards, the worker's load, sensors. */
#ifndef MEASURE_SURROUND_H
#define MEASURE_SURROUND_H

#include "measure/casework.h"
#include "measure/guards.h"

typedef struct surround {
	record_guards *guards;
	guards_totals before;
	load_counters start;
	record_canary *canary;  /* NULL = none runs                                              */
	bool watched;           /* its run before the attempt is there                           */
} surround;

/* false when the canary failed, and the row with it. */
bool surround_begin(surround *s, casework *w);
/* After the attempt, also one that did not begin.  Completes the record, and returns how much the
 * attempt was disturbed, 0 = not at all. */
double surround_end(surround *s, casework *w);
/* The same after turns: what other executors did in theirs is no disturbance. */
void surround_end_turns(surround *s, casework *w);

#endif
