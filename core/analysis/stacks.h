/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two executors layer by layer, and what of it is one change.  Layers that are one file, one
 * release, or that can only be exchanged together (the whole stack below another programming
 * interface) are one group: one thing that somebody did.  The rules: docs/attribution.md.
 */
#ifndef ANALYSIS_STACKS_H
#define ANALYSIS_STACKS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct stack_change {
	const cJSON *from, *to;  /* layers, borrowed from the records; NULL: absent there        */
	char *what;              /* "compiler gcc 12.2.0 -> clang 14.0.6"                        */
	char *fields;            /* "flags: -O2 -> -O3; ..."; "" when none differs               */
	const char *owner;       /* borrowed; "" when nobody owns it                             */
	size_t group;
} stack_change;

typedef struct stack_group {
	const char *layer;       /* kind of the layer that leads it                              */
	char *title;             /* what leads it, in words                                      */
	const char *owner;
	size_t changes;
} stack_group;

typedef struct stack_difference {
	stack_change *changes;
	size_t change_count;
	stack_group *groups;
	size_t group_count;
	size_t followers;        /* mapped files on one side only, which follow from the groups  */
} stack_difference;

/* a, b: executor records, which must outlive what is returned.  When `brief`, one of them was
 * described without running a kernel: a mapped file that only one has says nothing. */
stack_difference *stacks_compare(const cJSON *a, const cJSON *b, bool brief);
void stacks_free(stack_difference *d); /* NULL is fine */

#endif
