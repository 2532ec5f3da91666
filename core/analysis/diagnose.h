/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a case is limited by the hardware or by the software above it, judged against what the
 * same executor reached in the same run.  The decision, its order and its thresholds:
 * docs/diagnosis.md.
 */
#ifndef ANALYSIS_DIAGNOSE_H
#define ANALYSIS_DIAGNOSE_H

#include "analysis/ceilings.h"
#include "contract/contract.h"

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

enum diagnosis_answer {
	DIAGNOSIS_HARDWARE,
	DIAGNOSIS_MIXED,
	DIAGNOSIS_SOFTWARE,
	DIAGNOSIS_CEILING,    /* the case gives a ceiling: there is nothing to hold it against     */
	DIAGNOSIS_ABSENT,     /* the executor does not support it                                  */
	DIAGNOSIS_UNKNOWN,    /* no ceiling was measured for it                                    */
	DIAGNOSIS_INVALID,    /* its evidence does not count                                       */
	DIAGNOSIS_DEFECT      /* above the ceiling: counted wrong, or not where it was thought     */
};

typedef struct diagnosis_case {
	const result_row *row;
	enum diagnosis_answer answer;
	const char *limit;    /* "compute", "memory", "cache", "link", "launch", "host", "kernel",
	                         "provider", "tuning"; "" where nothing is named                    */
	double time_ns;       /* per operation; 0: none                                            */
	double intensity;     /* flops per byte; < 0: none                                         */
	ceiling compute, bandwidth, link; /* it is held against; value 0: none                     */
	double share;         /* of the binding ceiling; < 0: none                                 */
	double idle;          /* of the wall time; < 0: cannot be told                             */
	double throttled;     /* of the time; < 0: not seen                                        */
	bool power_limited;
	char **notes;         /* the evidence, in sentences                                        */
	size_t note_count;
} diagnosis_case;

typedef struct diagnosis {
	const result *of;
	ceilings ceilings;
	diagnosis_case *cases;
	size_t count;
	size_t counts[DIAGNOSIS_DEFECT + 1];
	char **notes;         /* about the others                                                  */
	size_t note_count;
} diagnosis;

/* others: results of further executors, of which those on the same device are counterfactuals.
 * patterns: which cases (fnmatch), none: all.  The results outlive what is returned. */
diagnosis *diagnose_result(const result *r, const result *const *others, size_t other_count,
                           const char *const *patterns, size_t pattern_count);
void diagnosis_free(diagnosis *d);
const char *diagnosis_answer_name(enum diagnosis_answer answer);
/* Whether both executors sit on one device, as far as their records tell. */
bool diagnose_same_device(const result *a, const result *b);

/* ---- parts, for diagnose.c ------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4)))
void diagnose_note(char ***notes, size_t *count, const char *format, ...);
/* The share of the wall time in which the device had nothing to do, < 0 when nothing tells;
 * with its note. */
double diagnose_idle(diagnosis_case *c, const ceilings *all);
/* The largest share of the time that power or heat held it back, < 0 when nothing was seen. */
double diagnose_throttled(const result_row *row, const char **channel);
/* What makes the evidence invalid, as a note; true when something does. */
bool diagnose_invalid(diagnosis_case *c);
/* Other tiers, graphs and other executors: they overrule thresholds. */
void diagnose_counterfactuals(diagnosis *d, const result *const *others, size_t other_count);

#endif
