/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards: what the machine around a case tells that measure/disturb.h does not see - limits of a
 * container, memory that runs out, others on the device, clocks, heat - read before and after it;
 * and what of this machine's settings makes numbers unsteady, warned about once per run.
 * Everything is read, recorded and said; nothing is ever changed.
 */
#ifndef MEASURE_GUARDS_H
#define MEASURE_GUARDS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/telemetry.h"

typedef struct guards {
	uint64_t wall_ns;
	double load;              /* 1-minute average of the machine; < 0 = not known           */
	int64_t running;          /* ready or running threads of all processes; -1 = not known  */
	int64_t throttled;        /* periods in which the container's limit stopped us; -1      */
	double throttled_seconds; /* and for how long; < 0 = not known                          */
	double stalled_seconds;   /* somebody waited for memory; < 0 = not known                */
	double clock_mhz;         /* mean of the processors; < 0 = not known                    */
	double device_users;      /* processes on the device, this one included; < 0            */
	double temperature_c;     /* of the device; < 0 = not known                             */
} guards;

/* root: "" = this machine, else a recorded one.  sensors may be NULL. */
void guards_read(guards *out, const char *root, telemetry *sensors);
/* The record's "guards". */
cJSON *guards_json(const guards *before, const guards *after);
/* How much the case was disturbed, 0 = not; a sentence with the remedy for each sign is added to
 * words.  What another attempt would not change adds a sentence and nothing to the sum. */
double guards_disturbed(const guards *before, const guards *after, cJSON *words);

/* Sentences, each with its remedy, about settings of the machine at root: governor, battery,
 * load, the container's limit.  An array, may be empty. */
cJSON *guards_warnings(const char *root);
/* Tells them on stderr. */
void guards_warn(void);

#endif
