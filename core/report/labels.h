/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the report room: short names of cases and of executors, each unique on its page. */
#ifndef REPORT_LABELS_H
#define REPORT_LABELS_H

#include "record/result.h"

/* One full and one brief name for each. */
typedef struct labels { char **full, **brief; size_t count; } labels;

/* Of case ids.  Full: the words of the id in columns, "triad  f32 64M"; words that all ids of the
 * same first word share are left out, the longest first, while the columns take more than `width`.
 * Brief: the fewest words that name the case, "fma f32". */
void labels_cases(labels *l, const char *const *ids, size_t count, size_t width);
/* malloc'd: the words of a full label with one space between. */
char *labels_words(const char *full);
/* The executor's name in its run. */
const char *labels_name(const result *r);
/* Of executors.  Full: the name in the run, or the part of the path that differs where all have one
 * name.  Brief: without the backend and an index 0, as far as that stays unique. */
void labels_executors(labels *l, const result *const *results, size_t count);
void labels_clear(labels *l);

#endif
