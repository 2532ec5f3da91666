/* SPDX-License-Identifier: Apache-2.0 */
/* What the recorded facts of the machine around an execution mean.  The worker that records them
 * and readers of the record judge by the same functions. */
#ifndef RECORD_SURROUNDINGS_H
#define RECORD_SURROUNDINGS_H

#include <stdbool.h>

#include "record/record.h"

/* Whether the canary's times before and after the samples differ by more than usual. */
bool surroundings_moved(const record_canary *c);
/* How much the machine was disturbed, 0 = not at all; the first judges only the canary, the second
 * the guards of a case of that wall time.  Each adds a sentence to words for each sign, the second
 * flags too.  Signs that another attempt would not change add nothing to the sum. */
double surroundings_canary(const record_canary *c, text_list *words);
double surroundings_guards(const record_guards *g, double wall_seconds, record_flag_list *flags,
                           text_list *words);
/* Flags a canary that differs from its reference, and processor time that the hypervisor took. */
void surroundings_flag_canary(const record_canary *c, record_flag_list *flags);
void surroundings_flag_load(const record_load *l, record_flag_list *flags);

#endif
