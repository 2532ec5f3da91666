/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand attribute` prints. */
#ifndef REPORT_ATTRIBUTION_H
#define REPORT_ATTRIBUTION_H

#include <stdio.h>

#include "analysis/attribute.h"

/* false when writing failed. */
bool report_attribution(FILE *out, const attribution *a, bool verbose);

/* The layers that differ, after an empty line; owners: each with its own, which belongs only beside
 * cases that moved. */
bool report_groups(FILE *out, const stack_group_list *groups, uint64_t followers, bool owners);

#endif
