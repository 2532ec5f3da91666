/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an executor was seen to reach in a run: the rates and costs that its other cases are judged
 * by.  Each comes from a case of the same result; nothing is taken from data sheets: what the site
 * file declares of them stands beside it (nameplates.h).  Which cases give which ceiling:
 * docs/diagnosis.md.
 */
#ifndef ANALYSIS_CEILINGS_H
#define ANALYSIS_CEILINGS_H

#include "analysis/analysis.h"
#include "contract/evidence.h"

/* Appends all but those of the caches.  Rows of bad evidence give none. */
void ceilings_find(const evidence_table *t, ceiling_list *out);
/* NULL where there is none.  of: precision or direction; NULL: the first of the kind. */
const ceiling *ceilings_of(const ceiling_list *all, enum ceiling_kind kind, const char *of);
/* Appends the best bandwidth of each working set that a warm stream has, the smallest set first. */
void ceilings_of_sets(const evidence_table *t, ceiling_list *out);
/* The tightest bandwidth for a case's data, in an initialised struct; false where there is none. */
bool ceilings_bandwidth(const ceiling_list *all, const ceiling_list *sets, const record_result *of,
                        const record_case *row, ceiling *out);
/* Whether the data of a case is beyond the caches of the result's device. */
bool ceilings_beyond(const record_result *of, const record_case *row);
/* malloc'd; NULL for NULL. */
ceiling *ceilings_copy(const ceiling *c);

/* ---- facts of a case ------------------------------------------------------------------------- */

/* The time of an operation in ns, by the statistic of its protocol unless that is a percentile of
 * slow ones; 0 without samples. */
double ceilings_time(const record_case *row);
/* The ends of its interval; 0 and 0 where it has none. */
interval ceilings_interval(const record_case *row);
/* The text of a parameter; "" where there is none. */
const char *ceilings_parameter(const record_case *row, const char *key);

#endif
