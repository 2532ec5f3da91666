/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a workload's parameters: one word checked against the parameter's domain. */
#ifndef PROTOCOL_VALUES_H
#define PROTOCOL_VALUES_H

#include <stdbool.h>

#include "base/error.h"
#include "evenhand/workload.h"
#include "record/record.h"

/* Fills number and a malloc'd canonical text; key is the parameter's own.  EH_E_USAGE when the
 * word is not of the domain ("bytes is 16KiB to 16GiB, not '1'"); EH_E_INCOMPATIBLE when the
 * workload's declaration is not well formed. */
eh_status values_parse(const eh_workload *workload, const eh_param *param, const char *word,
                       eh_value *out, eh_error *error);

const eh_param *values_param(const eh_workload *workload, const char *key);
size_t values_param_count(const eh_workload *workload);

/* Whether cases of this tier can be measured: portable always, tuned where a parameter is searched,
 * vendor where a library does the work. */
bool values_offers(const eh_workload *workload, enum record_tier tier);

/* Calls describe and checks its answer.  EH_OK, or the workload's refusal. */
eh_status values_describe(const eh_workload *workload, const eh_case *values, eh_work *work,
                          eh_error *error);

/* A case of its own: the words "KEY=VALUE" as given, the other parameters at their default.  EH_E_USAGE
 * for a key that there is not (with the nearest), one that is missing, or a value that is refused.  Free
 * *out with plan_values_free (protocol/plan.h). */
eh_status values_given(const eh_workload *workload, const char *const *settings, size_t count,
                       eh_case *out, eh_work *work, eh_error *error);

#endif
