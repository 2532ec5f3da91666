/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand attribute` prints. */
#ifndef REPORT_ATTRIBUTION_H
#define REPORT_ATTRIBUTION_H

#include <stdio.h>

#include "analysis/attribute.h"

/* protocol: how `evenhand run` is told the protocol of the results.  false when writing failed. */
bool report_attribution(FILE *out, const attribution *a, const char *protocol, bool verbose);
cJSON *report_attribution_json(const attribution *a, const char *protocol);

/* The layers that differ with their owners, after an empty line. */
bool report_stack_difference(FILE *out, const stack_difference *d);
cJSON *report_stack_groups_json(const stack_difference *d);

#endif
