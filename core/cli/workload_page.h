/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand workload` says of workloads: filled from the plugin, printed for people. */
#ifndef CLI_WORKLOAD_PAGE_H
#define CLI_WORKLOAD_PAGE_H

#include "cli/answer.h"
#include "evenhand/workload.h"

/* Name, summary, precisions and tiers; path and installed are the caller's. */
void workload_summarise(const eh_workload *workload, answer_workload *out);
/* Everything but the workload's path: parameters, and the work of the case with the settings (words
 * KEY=VALUE).  Without settings a case that cannot be counted is no error. */
eh_status workload_describe(const eh_workload *workload, const char *const *settings, size_t count,
                            answer_workload_page *out, eh_error *error);

void workload_print_list(const answer_workload_list *all);
void workload_print_page(const answer_workload_page *page);

#endif
