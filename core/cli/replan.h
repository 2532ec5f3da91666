/* SPDX-License-Identifier: Apache-2.0 */
/* Planning the protocol of a record again, with the workloads of this installation. */
#ifndef CLI_REPLAN_H
#define CLI_REPLAN_H

#include "audit/planned.h"

/* An audit_planner. */
void replan(const record_result *r, audit_planned *out);

#endif
