/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan: every case of a protocol, parameters resolved and checked, work counted.  It needs
 * the workloads, through a finder, and no device.  The canonical form of a protocol is made from
 * its plan: everything that shapes a number, with defaults written out.  Its SHA-256 identifies
 * the protocol.
 */
#ifndef PROTOCOL_PLAN_H
#define PROTOCOL_PLAN_H

#include "protocol/protocol.h"

typedef struct plan_case {
	char *id;                     /* unique in the plan: "triad.f32.64MiB", "gemm.f32.512.tuned" */
	const protocol_section *section;
	const eh_workload *workload;
	enum record_tier tier;
	eh_case values;               /* every parameter, in the workload's order             */
	eh_work work;                 /* at those values                                      */
} plan_case;

typedef struct plan {
	const protocol *protocol;     /* borrowed: outlives the plan                          */
	plan_case *cases;             /* in the protocol's order                              */
	size_t case_count;
	record_plan *canonical;
	char digest[65];
} plan;

/* Returns the workload or NULL with *error filled; what it returns outlives the plan. */
typedef const eh_workload *(*plan_finder)(void *context, const char *name, eh_error *error);

/* At most 10,000 cases.  Errors name file and line. */
eh_status plan_make(const protocol *p, plan_finder find, void *context, plan **out,
                    eh_error *error);
void plan_free(plan *p);
const plan_case *plan_case_by_id(const plan *p, const char *id);

/* A copy of base's values with the text of `key` replaced: how the tuned tier makes its
 * candidates.  *out and *work are filled; free with plan_values_free. */
eh_status plan_values_with(const plan_case *base, const char *const *keys,
                           const char *const *texts, size_t count, eh_case *out, eh_work *work,
                           eh_error *error);
void plan_values_free(eh_case *values);

#endif
