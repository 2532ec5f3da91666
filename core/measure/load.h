/* SPDX-License-Identifier: Apache-2.0 */
/* What this process and the hypervisor did while a case was measured. */
#ifndef MEASURE_LOAD_H
#define MEASURE_LOAD_H

#include "record/record.h"

typedef struct load_counters {
	uint64_t wall_ns;
	uint64_t cpu_ns;        /* of this process, user and system                              */
	uint64_t switches;      /* times the kernel preempted it                                 */
	double steal_seconds;   /* taken by the hypervisor, over all processors; NAN = not known */
} load_counters;

/* root: "" = this machine, else a recorded one; only the steal is read from it. */
void load_read(load_counters *out, const char *root);
/* Fills an initialised record with what happened since `start` on this machine. */
void load_since(const load_counters *start, record_load *out);

#endif
