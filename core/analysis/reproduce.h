/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a second run of the same protocol says what the first one said, case by case, by the
 * contract.  Rules: docs/reproduction.md.
 */
#ifndef ANALYSIS_REPRODUCE_H
#define ANALYSIS_REPRODUCE_H

#include "analysis/stacks.h"
#include "contract/contract.h"

/* Differences up to it are not material; larger where the protocol or the noise floor ask for it. */
#define REPRODUCE_MATERIAL 0.02

enum reproduction_answer { REPRODUCTION_YES, REPRODUCTION_NO, REPRODUCTION_INCONCLUSIVE };

typedef struct reproduction_case {
	const comparison_row *row;  /* the first run is its baseline                              */
	enum reproduction_answer answer;
	bool counts;                /* false: unsupported both times, which says nothing          */
	char why[160];
} reproduction_case;

typedef struct reproduction {
	const result *before, *now;
	enum reproduction_answer answer;
	comparison *numbers;
	stack_difference *stacks;
	reproduction_case *cases;   /* numbers->row_count                                         */
	size_t counts[REPRODUCTION_INCONCLUSIVE + 1]; /* of the cases that count                  */
} reproduction;

/* Both outlive what is returned. */
reproduction *reproduce_judge(const result *before, const result *now);
void reproduction_free(reproduction *r);
const char *reproduction_answer_name(enum reproduction_answer answer);

/* Why this program does not plan what the record's plan says: malloc'd sentence; NULL when the
 * plans are one. */
char *reproduce_plan_difference(const result *before, const cJSON *canonical, const char *digest);

#endif
