/* SPDX-License-Identifier: Apache-2.0 */
/* What the analysis room answers, as structs.  analysis/analysis.def has every member. */
#ifndef ANALYSIS_ANALYSIS_H
#define ANALYSIS_ANALYSIS_H

#include "contract/contract.h"
#include "record/record.h"

#define LAYOUT_FILE "analysis/analysis.def"
#define LAYOUT_NAME(name) name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* malloc'd: the rules that allow a case no verdict, "a, b"; "" when none of its own does. */
char *analysis_rules_against(const comparison_row *row);

#endif
