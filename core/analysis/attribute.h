/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layer moved a number: what differs between the stacks of two results, by how much the
 * numbers changed, and whether the one is the cause of the other.  Results and stacks in between
 * split a confounded change into steps that change one group each.  docs/attribution.md.
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
 * protocol and exit_code are left to the caller.  margin 0 = the protocol's. */
attribution *attribute_results(const result *const *results, size_t count,
                               const attribution_candidate *candidates, size_t candidate_count,
                               double margin);
void attribution_free(attribution *a); /* NULL is fine */

#endif
