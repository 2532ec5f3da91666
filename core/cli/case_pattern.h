/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of cases on the command line: --case PATTERN, and the CASE of explain. */
#ifndef CLI_CASE_PATTERN_H
#define CLI_CASE_PATTERN_H

#include "base/error.h"
#include "base/layout.h"
#include "cli/option.h"
#include "record/result.h"

/* Adds to *out the ids that a pattern matches: the id itself, else a pattern of the shell, else all
 * ids that begin with its first word and have the others in its order.  Words stand between dots or
 * spaces, as in printed names of cases ("xfer h2d 16M" of xfer.h2d.pinned.16MiB).  EH_E_USAGE, with the nearest ids, where it matches none; `source` names what has the ids. */
eh_status case_pattern_match(const char *pattern, const char *const *ids, size_t count,
                             const char *source, text_list *out, eh_error *error);
/* The ids of the results' cases that match any of the patterns; *out is empty without patterns. */
eh_status case_pattern_select(const option_list *patterns, result *const *results, size_t count,
                              text_list *out, eh_error *error);

#endif
