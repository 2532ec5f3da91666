/* SPDX-License-Identifier: Apache-2.0 */
/* What this process and the machine around it did while a case was measured. */
#ifndef MEASURE_LOAD_H
#define MEASURE_LOAD_H

#include <cjson/cJSON.h>
#include <stdint.h>

typedef struct load {
	uint64_t wall_ns;
	uint64_t cpu_ns;        /* of this process, user and system                          */
	uint64_t switches;      /* times it was preempted                                    */
	double steal_seconds;   /* taken by the hypervisor, over all CPUs; < 0 = not known    */
} load;

/* The counters as they stand. */
void load_read(load *out);
/* What happened since `start`, as the record's "load". */
cJSON *load_since(const load *start);
/* Parses the first line of /proc/stat; < 0 when it has no steal column.  For tests. */
double load_steal(const char *stat_line, long ticks_per_second);

#endif
