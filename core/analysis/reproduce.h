/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a second run of the same protocol gives what the first one gave, case by case, by the
 * contract.  Rules: docs/reproduction.md. */
#ifndef ANALYSIS_REPRODUCE_H
#define ANALYSIS_REPRODUCE_H

#include "analysis/analysis.h"

/* Differences up to it are not material; more where the protocol or the noise floor ask for it. */
#define REPRODUCE_MATERIAL 0.02

/* Fills an initialised struct; both results outlive it. */
void reproduce_judge(const result *before, const result *now, reproduction *out);

/* malloc'd sentence: in what the plan that this program makes differs from the one that was
 * measured; NULL when they are the same. */
char *reproduce_plan_difference(const record_plan *before, const record_plan *here);

#endif
