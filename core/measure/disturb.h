/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the machine, not the case, slowed while a case was measured. */
#ifndef MEASURE_DISTURB_H
#define MEASURE_DISTURB_H

#include <cjson/cJSON.h>

#include "measure/canary.h"

/* Counters of this process and machine at one time. */
typedef struct disturb_counters {
	uint64_t wall_ns;
	uint64_t waited_ns;     /* its threads were ready to run and no processor was free; the
	                           sum over them, so that it may grow faster than wall_ns        */
	bool waited_known;
	uint64_t own_ns;        /* CPU time of this process                                      */
	uint64_t busy_ns;       /* of everybody on the machine; 0 = not known                    */
	uint64_t switches;      /* times it was preempted                                        */
	double steal_seconds;   /* taken by the hypervisor; < 0 = not known                      */
} disturb_counters;

/* What happened around and in the samples of one attempt. */
typedef struct disturb_facts {
	bool canary;                   /* the next two are there                                 */
	canary_times before, after;
	disturb_counters begin, end;   /* of the sampling alone                                  */
} disturb_facts;

void disturb_read(disturb_counters *out);
/* The canary is slower after the case than before it by more than is usual. */
bool disturb_moved(const canary_times *before, const canary_times *after);
/* How much the machine was disturbed, 0 = not; a sentence for each sign of it is added to words. */
double disturb_judge(const disturb_facts *facts, cJSON *words);

#endif
