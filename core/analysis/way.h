/* SPDX-License-Identifier: Apache-2.0 */
/* The way from one stack to another by way of others that leaves the fewest changes together:
 * inside of the analysis room. */
#ifndef ANALYSIS_WAY_H
#define ANALYSIS_WAY_H

#include "analysis/attribute.h"

/* Fills the steps, and what could be measured to separate changes: proposed and missing.  As
 * attribute_results. */
void way_make_steps(attribution *a, const result *const *results, size_t count,
                    const attribution_candidate *candidates, size_t candidate_count, double margin);

#endif
