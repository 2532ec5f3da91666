/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a case is limited by the hardware or by the software above it, judged by what the same
 * executor reached in the same run.  The decision, its order and its thresholds: docs/diagnosis.md.
 */
#ifndef ANALYSIS_DIAGNOSE_H
#define ANALYSIS_DIAGNOSE_H

#include "analysis/analysis.h"

/* Thresholds of the decision. */
#define DIAGNOSE_IDLE 0.20          /* of the wall time, from which the device counts as idle   */
#define DIAGNOSE_LAUNCHES 3.0       /* a kernel shorter than so many launches is a short one     */
#define DIAGNOSE_ENQUEUE 0.80       /* of the wall time in the calls that launch                 */
#define DIAGNOSE_NEAR 0.80          /* of a ceiling: the hardware limits                         */
#define DIAGNOSE_FAR 0.50           /* of a ceiling: the software limits                         */
#define DIAGNOSE_ABOVE 1.02         /* of a ceiling: something is wrong                          */
#define DIAGNOSE_GRAPH 1.15         /* a replay so much faster confirms that launching limits    */
#define DIAGNOSE_OTHER 1.10         /* another provider so much faster proves it was the software */
#define DIAGNOSE_THROTTLED 0.10     /* of the time, from which power or heat limits too           */

/* others: results of further executors; those on the same device show what other software makes of
 * it.  patterns: which cases (fnmatch), none: all.  The results outlive what is returned; exit_code
 * is left to the caller. */
diagnosis *diagnose_result(const result *r, const result *const *others, size_t other_count,
                           const char *const *patterns, size_t pattern_count);
void diagnosis_free(diagnosis *d); /* NULL is fine */
/* The number of cases with that answer. */
size_t diagnose_count(const diagnosis *d, enum diagnosis_answer answer);
/* Whether both executors are on one device, as far as their records tell. */
bool diagnose_same_device(const record_executor *a, const record_executor *b);

/* ---- parts, for diagnose.c ------------------------------------------------------------------- */

/* Sets the share of the time in which the device was idle, with a note. */
void diagnose_idle(diagnosis_case *c, const ceiling_list *all);
/* Sets the share of the time in which power or heat held the device back. */
void diagnose_power(diagnosis_case *c);
/* Other tiers, graphs and other executors; what they prove overrules the thresholds. */
void diagnose_counterfactuals(diagnosis *d, const result *of, const result *const *others,
                              size_t other_count);

#endif
