/* SPDX-License-Identifier: Apache-2.0 */
/* Results on one screen: one alone, or several against one of them. */
#ifndef REPORT_SCREEN_H
#define REPORT_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

#include "record/result.h"

/* Each case with its value, half of its 95 % interval, its share of the ceiling that the run
 * measured, and its status where that is not the same for all.  ids: which cases; empty: all.  stack:
 * with the layers in a line.  False when writing failed. */
bool report_values(FILE *out, const result *r, const text_list *ids, bool stack);
/* The end of a run: its results against the reference, or the only one alone. */
bool report_run(FILE *out, const result *const *results, size_t count, const result *reference);

#endif
