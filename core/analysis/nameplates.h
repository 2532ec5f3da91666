/* SPDX-License-Identifier: Apache-2.0 */
/* What was measured beside what the site file declares of the maker's figures (record/nameplate.h). */
#ifndef ANALYSIS_NAMEPLATES_H
#define ANALYSIS_NAMEPLATES_H

#include "analysis/analysis.h"

/* Fills `nameplate` of the ceilings of compute and memory for which the record declares one. */
void nameplates_add(const record_executor *of, ceiling_list *all);
/* What the record declares for a case of that rate, in an initialised struct: for arithmetic in its
 * precision, or for the memory where its data is beyond the caches.  False where there is none. */
bool nameplates_of_case(const record_result *of, const record_case *row, double rate,
                        beside_nameplate *out);
/* malloc'd: "62 % of the maker's 989 TFLOP/s (declared: NVIDIA H100 data sheet)". */
char *nameplates_words(const beside_nameplate *n, const char *unit);

#endif
