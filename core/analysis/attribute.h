/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layer moved a number: the difference of two results' stacks with its owners, the change of
 * the numbers, and whether the one can be put down to the other.  Results and stacks in between
 * split a confounded change into steps with one group each.  docs/attribution.md.
 */
#ifndef ANALYSIS_ATTRIBUTE_H
#define ANALYSIS_ATTRIBUTE_H

#include "analysis/stacks.h"
#include "contract/contract.h"

enum attribution_answer {
	ATTRIBUTION_ATTRIBUTABLE,   /* every step changes one group                               */
	ATTRIBUTION_NO_CHANGE,      /* no layer differs, and every case is equivalent             */
	ATTRIBUTION_UNEXPLAINED,    /* no layer differs, and a case moved beyond its margin       */
	ATTRIBUTION_UNDECIDED,      /* no layer differs, and no verdict was reached               */
	ATTRIBUTION_CONFOUNDED,
	ATTRIBUTION_NOT_COMPARABLE  /* the contract refuses the comparison                        */
};

/* A stack that could be measured here to come between. */
typedef struct attribution_candidate { const char *name; const cJSON *record; } attribution_candidate;

typedef struct attribution_stop {
	const result *result;                    /* NULL: a candidate that is still to be measured */
	const char *name;                        /* of the executor                               */
	const char *path;                        /* of the result; NULL for a candidate           */
} attribution_stop;

typedef struct attribution_step {
	stack_difference *stacks;                /* of the stop and the next                      */
	comparison *numbers;                     /* NULL unless both have a result                */
} attribution_step;

typedef struct attribution {
	const result *from, *to;
	stack_difference *stacks;                /* of from and to                                */
	comparison *numbers;
	enum attribution_answer answer;
	attribution_stop *stops;                 /* from, what comes between, to                  */
	size_t stop_count;
	attribution_step *steps;                 /* stop_count - 1                                */
	size_t missing;                          /* further stacks that would separate the groups */
	size_t proposed;                         /* of them, candidates among the stops           */
	size_t moved, compared;                  /* cases beyond their margin; with a verdict     */
	double speedup;                          /* geometric mean over the cases that compare, 0 = none */
	interval speedup_interval;               /* of the means of the lower and the upper ends  */
} attribution;

/* results[0] is where one comes from, results[1] where one arrives, the others may lie between.
 * The results and candidates must outlive what is returned.  margin 0 = the protocol's. */
attribution *attribute_results(const result *const *results, size_t count,
                               const attribution_candidate *candidates, size_t candidate_count,
                               double margin);
void attribution_free(attribution *a);
const char *attribution_answer_name(enum attribution_answer answer);

#endif
