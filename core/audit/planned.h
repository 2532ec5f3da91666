/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a record's plan is the one that its protocol's text declares.  Planning needs workloads,
 * which the judge does not know: whoever has them lends a function. */
#ifndef AUDIT_PLANNED_H
#define AUDIT_PLANNED_H

#include "record/findings.h"
#include "record/record.h"

/* What a protocol's text gives when it is planned. */
typedef struct audit_planned {
	record_plan plan;
	record_program_list programs; /* kernel and defines of each case                         */
	bool made;
	bool at_fault;           /* not made because of the text, not of what is missing here     */
	char *why;               /* malloc'd sentence where it was not made                       */
} audit_planned;

/* Plans the record's protocol.text into *out, whose plan is initialised. */
typedef void audit_planner(const record_result *r, audit_planned *out);

/* Adds a finding where the text gives another plan than protocol.canonical, or a row ran another
 * kernel than its case has.  Returns the malloc'd reason when that could not be checked, else NULL.
 * plan NULL: nothing can be planned. */
char *audit_check_plan(const record_result *r, audit_planner *plan, findings *f);

#endif
