/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand verify` prints of one result or bundle. */
#ifndef REPORT_VERIFICATION_H
#define REPORT_VERIFICATION_H

#include <stdbool.h>
#include <stdio.h>

#include "audit/inspect.h"

/* false when it could not be written. */
bool report_verification(FILE *out, const audit_report *r);

#endif
