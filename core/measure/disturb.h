/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the machine, not the case, slowed while a case was measured. */
#ifndef MEASURE_DISTURB_H
#define MEASURE_DISTURB_H

#include "measure/load.h"

/* Counters of this process and machine at one time. */
typedef struct disturb_counters {
	load_counters load;
	uint64_t waited_ns;     /* its threads were ready to run and no processor was free; the
	                           sum over them, so it may grow faster than the wall time       */
	bool waited_known;
	uint64_t busy_ns;       /* CPU time of everybody on the machine; 0 = not known           */
} disturb_counters;

void disturb_read(disturb_counters *out);
/* How much the machine was disturbed, 0 = not at all.  Adds a sentence for each sign of it to
 * words.  The counters are those before and after the samples; canary NULL = there is none. */
double disturb_judge(const record_canary *canary, const disturb_counters *begin,
                     const disturb_counters *end, text_list *words);

#endif
