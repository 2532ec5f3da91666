/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two executors layer by layer, and which differences are one change.  Layers of one file or one
 * release, or that can only be exchanged together (all below another programming interface), are
 * one group.  The rules: docs/attribution.md.
 */
#ifndef ANALYSIS_STACKS_H
#define ANALYSIS_STACKS_H

#include "analysis/analysis.h"

/* Appends the groups, and returns the number of mapped files on one side only, which follow from
 * them.  brief: one side was described without running a kernel, so that such a file says
 * nothing. */
uint64_t stacks_compare(const record_executor *a, const record_executor *b, bool brief,
                        stack_group_list *groups);
/* The number of groups alone. */
size_t stacks_changes(const record_executor *a, const record_executor *b, bool brief);

/* The text of the layer's field of that name; "" where there is none. */
const char *stacks_field_text(const record_layer *layer, const char *name);

#endif
