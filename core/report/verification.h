/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand verify` prints of one result or bundle. */
#ifndef REPORT_VERIFICATION_H
#define REPORT_VERIFICATION_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

#include "audit/inspect.h"

bool report_verification(FILE *out, const audit_report *r, enum audit_answer answer);
cJSON *report_verification_json(const audit_report *r, enum audit_answer answer);

#endif
