/* SPDX-License-Identifier: Apache-2.0 */
/* Describes an executor without measuring: a child process opens the device, describes the stack
 * and ends.  Libraries that a driver loads only for a kernel are not in it. */
#ifndef RUN_SURVEY_H
#define RUN_SURVEY_H

#include "base/error.h"
#include "record/record.h"

/* plugin: path of the backend; index and executor: of the device; options: BACKEND.KEY=VALUE,
 * NULL-terminated, or NULL.  Caller frees *record with layout_free.  Fails with the child's own
 * sentence, with EH_E_TIMEOUT after 30 s, with EH_E_CHILD when it crashed. */
eh_status survey_executor(const char *plugin, uint32_t index, const char *executor,
                          const char *const *options, record_executor **record, eh_error *error);

/* The hidden subcommand of the child: prints a discover_survey as one line. */
int survey_child(const char *plugin, uint32_t index);

#endif
