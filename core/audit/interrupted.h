/* SPDX-License-Identifier: Apache-2.0 */
/* A redaction replaces two files: RESULT.amendments, then RESULT.  The first replacement decides: a
 * process that ends between both leaves a redaction that is announced and not made.  Whoever meets it
 * can make it, as the amendment has the digest of what must come out.  Inside of the audit room. */
#ifndef AUDIT_INTERRUPTED_H
#define AUDIT_INTERRUPTED_H

#include <stdbool.h>

#include "base/text.h"
#include "record/result.h"

typedef struct interrupted {
	text_list members;  /* that are announced and not redacted                               */
	text_list redacted; /* all members that are redacted when it is finished                 */
	text after;         /* the result's text when it is finished                             */
	char file_sha256[65]; /* of that text                                                    */
	bool made;          /* meanwhile, by another process: the file has these bytes           */
} interrupted;

/* Whether there is one; *out needs interrupted_clear in any case.  `amendments` NULL: there is none.
 * Reads the file again, since another process may be at work.  Signatures are not checked. */
bool interrupted_find(const result *r, const char *amendments, interrupted *out);
void interrupted_clear(interrupted *i);
/* malloc'd sentence for people. */
char *interrupted_text(const interrupted *i, const char *path);

#endif
