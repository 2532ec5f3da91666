/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an executor was seen to reach in a run: the rates and costs that its other cases are judged
 * by.  Each comes from a case of the same result; nothing is taken from data sheets.  Which cases
 * give which ceiling: docs/diagnosis.md.
 */
#ifndef ANALYSIS_CEILINGS_H
#define ANALYSIS_CEILINGS_H

#include "analysis/analysis.h"

/* Appends all but those of the caches. */
void ceilings_find(const record_result *r, ceiling_list *out);
/* NULL where there is none.  of: precision or direction; NULL: the first of the kind. */
const ceiling *ceilings_of(const ceiling_list *all, enum ceiling_kind kind, const char *of);
/* The tightest bandwidth for a case's data, in an initialised struct; false where there is none. */
bool ceilings_bandwidth(const ceiling_list *all, const record_result *r, const record_case *row,
                        ceiling *out);
/* malloc'd; NULL for NULL. */
ceiling *ceilings_copy(const ceiling *c);

/* ---- facts of a case ------------------------------------------------------------------------- */

/* Median per operation in ns; 0 without samples. */
double ceilings_time(const record_case *row);
/* Whether its flags say that something else used the machine. */
bool ceilings_disturbed(const record_case *row);
/* Whether it counts and its output was verified before and after in every execution. */
bool ceilings_sound(const record_case *row);
/* The text of a parameter; "" where there is none. */
const char *ceilings_parameter(const record_case *row, const char *key);

#endif
