/* SPDX-License-Identifier: Apache-2.0 */
/* What may have moved a case though no layer differs, as far as two records show it: inside of the
 * analysis room. */
#ifndef ANALYSIS_CONDITIONS_H
#define ANALYSIS_CONDITIONS_H

#include "analysis/analysis.h"

/* Appends what the records show of the slower side of a case that moved, and not of the other. */
void conditions_find(const comparison *c, const comparison_row *row, attribution_cause_list *out);

#endif
