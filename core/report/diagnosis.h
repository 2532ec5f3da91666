/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand diagnose` prints. */
#ifndef REPORT_DIAGNOSIS_H
#define REPORT_DIAGNOSIS_H

#include <stdio.h>

#include "analysis/diagnose.h"

/* verbose: also the evidence of cases that have an answer.  false when writing failed. */
bool report_diagnosis(FILE *out, const diagnosis *d, bool verbose);
cJSON *report_diagnosis_json(const diagnosis *d);

#endif
