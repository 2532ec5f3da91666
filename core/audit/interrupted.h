/* SPDX-License-Identifier: Apache-2.0 */
/* A redaction replaces two files: RESULT.amendments, then RESULT.  The first replacement decides: a
 * process that ends between both leaves a redaction that is announced and not made.  Whoever meets it
 * can make it, as the amendment has the digest of what must come out.  Anybody who can write to the
 * folder can announce one, so commands make it unasked only for a key that the user trusts.  Inside of
 * the audit room. */
#ifndef AUDIT_INTERRUPTED_H
#define AUDIT_INTERRUPTED_H

#include <stdbool.h>

#include "audit/audit_structs.h"
#include "base/text.h"
#include "record/result.h"

typedef struct interrupted {
	text_list members;  /* that are announced and not redacted                               */
	text_list redacted; /* all members that are redacted when it is finished                 */
	char file_sha256[65]; /* of the result's text when it is finished                        */
	bool made;          /* meanwhile, by another process: the file has these bytes           */
	bool trusted;       /* all of these members were announced by keys that the user trusts  */
	char *announcer;    /* for people: the first such key that is not trusted, else the first */
} interrupted;

/* Whether there is one, by amendments that hold; *out needs interrupted_clear in any case.  Reads the
 * file again, since another process may be at work, with little of it in memory. */
bool interrupted_find(const result *r, const audit_checked_amendment_list *amendments, interrupted *out);
void interrupted_clear(interrupted *i);
/* malloc'd sentence for people. */
char *interrupted_text(const interrupted *i, const char *path);

#endif
