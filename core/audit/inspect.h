/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that can be checked of a result or a bundle without measuring anything. */
#ifndef AUDIT_INSPECT_H
#define AUDIT_INSPECT_H

#include "audit/audit.h"

typedef struct audit_report {
	char *path;                /* "X.evenhand: results/host.json" within a bundle          */
	bool bundle;               /* this is the bundle itself                                */
	findings found;            /* of the record                                            */
	char **problems;           /* of the bundle: its members and kernel texts; NULL         */
	audit_evidence *evidence;  /* NULL when the record has no structure                    */
	char *executor, *protocol; /* what it is of; "" when not even that is known            */
	char *digest;
	size_t cases;
} audit_report;

typedef struct audit_reports { audit_report *items; size_t count; } audit_reports;

/* Adds a report for a result, or one for a bundle and one for each result in it.  What does not
 * hold is in the reports; an error is a file that cannot be read, or is no archive. */
eh_status audit_inspect(const char *path, audit_reports *out, eh_error *error);
/* Whether all holds; unsigned does. */
bool audit_report_holds(const audit_report *r);
/* Whether what does not hold is only that it is no result or malformed. */
bool audit_report_malformed(const audit_report *r);
enum audit_answer {
	AUDIT_HOLDS,
	AUDIT_ALTERED,             /* something does not hold                                  */
	AUDIT_NOT_SIGNED,          /* it holds, but is not signed as required                  */
	AUDIT_NO_RESULT,
	AUDIT_EVIDENCE_UNREADABLE  /* the record holds; what is beside it cannot be read       */
};
/* `require`: a key that is trusted as tester has to have signed; `fingerprint`: this key; NULL: any. */
enum audit_answer audit_report_answer(const audit_report *r, bool require, const char *fingerprint);
void audit_reports_free(audit_reports *reports);

#endif
