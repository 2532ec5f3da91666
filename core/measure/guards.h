/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards: facts of the machine around a case that measure/disturb.h does not see (limits of a
 * container, lack of memory, other processes on the device, clocks, heat), read before and after
 * it; and warnings, once per run, about settings that make numbers unsteady.  Nothing is changed.
 */
#ifndef MEASURE_GUARDS_H
#define MEASURE_GUARDS_H

#include "measure/telemetry.h"
#include "record/record.h"

/* Totals since the machine started, of which a record has the increase. */
typedef struct guards_totals {
	uint64_t throttled;       /* periods in which the container's limit stopped the process;
	                             LAYOUT_NO_UINT = not known                                 */
	double throttled_seconds; /* for how long; NAN = not known                              */
	double stalled_seconds;   /* in which somebody waited for memory; NAN = not known       */
} guards_totals;

/* Fill an initialised record before and after a case.  root: "" = this machine, else a recorded
 * one.  sensors may be NULL. */
void guards_begin(record_guards *g, guards_totals *before, const char *root, telemetry *sensors);
void guards_end(record_guards *g, const guards_totals *before, const char *root,
                telemetry *sensors);
/* Sentences, each with its remedy, about settings of the machine at root: governor, battery,
 * load, the container's limit. */
void guards_warnings(const char *root, text_list *out);
/* Logs those of this machine. */
void guards_warn(void);

#endif
