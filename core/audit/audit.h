/* SPDX-License-Identifier: Apache-2.0 */
/* Who vouches for a result: detached signatures (RESULT.sig), amendments (RESULT.amendments) and
 * what they prove (docs/audit.md).  who.verified in a record proves nothing. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "audit/audit_key.h"
#include "audit/audit_structs.h"
#include "base/error.h"
#include "record/result.h"

/* What is signed: a result, or the manifest of a bundle. */
typedef struct audit_subject {
	enum audit_subject_kind kind;
	const char *digest;        /* the record's digest; that of the manifest's bytes        */
	const char *file_sha256;   /* of the bytes as they are                                 */
	const text_list *redacted; /* members of the result; NULL for a manifest               */
} audit_subject;

/* Borrows from the result. */
audit_subject audit_subject_of(const result *r);

/* Checks RESULT.sig and RESULT.amendments, where there are such files, of a result that was read.
 * What is malformed is a problem; an error is a file that cannot be read. */
eh_status audit_trust(const result *r, audit_evidence **out, eh_error *error);
/* The same from texts, NULL where there is none. */
audit_evidence *audit_evidence_of(const char *signatures, const char *amendments,
                                  const audit_subject *subject, const audit_keyring *ring);
/* For a result whose signatures, amendments or trusted keys cannot be read, with that error. */
audit_evidence *audit_evidence_unreadable(const eh_error *error);
void audit_evidence_free(audit_evidence *e); /* NULL is fine */
/* EH_E_ALTERED with the first problem when a signature or an amendment does not hold. */
eh_status audit_refuse_broken(const result *r, eh_error *error);

/* ---- making ---------------------------------------------------------------------------------- */

/* result_read, and the bytes that were read (malloc'd). */
eh_status audit_read(const char *path, result **out, char **bytes, size_t *size, eh_error *error);

/* Adds a signature to SIGNED.sig, or begins the file.  Refuses a second one of the same key. */
eh_status audit_sign(const char *signed_path, const audit_subject *subject, const audit_key *key,
                     enum audit_role role, eh_error *error);
/* The new text of the file of signatures, malloc'd; `before` is the present one or NULL, `name`
 * stands for it in messages. */
eh_status audit_signatures_add(const char *before, const char *name, const audit_subject *subject,
                               const audit_key *key, enum audit_role role, char **out,
                               eh_error *error);

/* Appends to RESULT.amendments.  A redaction rewrites the result (in one step) after the amendment
 * that announces it is safe.  `member` is NULL unless it is a redaction. */
eh_status audit_amend(const char *result_path, enum audit_amendment_kind kind, const char *words,
                      const char *member, const audit_key *key, eh_error *error);

#endif
