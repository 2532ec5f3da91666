/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layer moved a number: which cases moved by the contract, what differs between the stacks of
 * two results, and whether the one is the cause of the other.  A layer, its maker and its owner are
 * named only beside cases that moved.  Results and stacks in between split a confounded change into
 * steps that change one group each.  docs/attribution.md.
 */
#ifndef ANALYSIS_ATTRIBUTE_H
#define ANALYSIS_ATTRIBUTE_H

#include "analysis/analysis.h"

/* A stack of this machine that could be measured to come between. */
typedef struct attribution_candidate {
	const char *name;              /* of the executor                                         */
	const record_executor *record;
} attribution_candidate;

/* From results[0] to results[1]; the others may lie between.  The results outlive what is returned;
 * exit_code is left to the caller.  margin 0 = the protocol's; protocol: as `evenhand run` takes
 * it. */
attribution *attribute_results(const result *const *results, size_t count,
                               const attribution_candidate *candidates, size_t candidate_count,
                               double margin, const char *protocol);
void attribution_free(attribution *a); /* NULL is fine */

/* ---- parts, for attribute.c ------------------------------------------------------------------ */

/* Fills `runs` from the rest. */
void attribute_plan_runs(attribution *a, const result *const *results, double margin);

#endif
