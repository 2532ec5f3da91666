/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand diagnose` prints. */
#ifndef REPORT_DIAGNOSIS_H
#define REPORT_DIAGNOSIS_H

#include <stdio.h>

#include "analysis/diagnose.h"

/* verbose: with the evidence of every case.  false when writing failed. */
bool report_diagnosis(FILE *out, const diagnosis *d, bool verbose);

#endif
