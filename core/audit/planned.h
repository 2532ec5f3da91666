/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a record's plan is the one that its protocol's text declares.  Planning needs workloads,
 * which the judge does not know: whoever has them lends a function. */
#ifndef AUDIT_PLANNED_H
#define AUDIT_PLANNED_H

#include "record/findings.h"
#include "record/record.h"
#include "record/result.h"

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

/* Plans the record's text and compares the plan and, row by row, the programs. */
typedef struct audit_plan_check {
	result_watch watch;      /* lent to result_examine                                       */
	audit_planner *planner;
	audit_planned planned;
	bool programs;           /* the plans are equal, so that programs are compared            */
	findings found;          /* by comparing the plans                                       */
	char *why;
} audit_plan_check;

/* planner NULL: nothing can be planned.  Stays where it is until audit_plan_check_end. */
void audit_plan_check_begin(audit_plan_check *c, audit_planner *planner);
/* Adds a finding where the text gives another plan than protocol.canonical, or a row ran another
 * kernel than its case has.  Returns the malloc'd reason when that could not be checked, else NULL. */
char *audit_plan_check_end(audit_plan_check *c, findings *f);

#endif
