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

/* Checks RESULT.sig and RESULT.amendments, where there are such files, of a result that was read: once,
 * and keeps what it found, or the error, with the result, which owns *out.  What is malformed is a problem;
 * an error is a file that cannot be read.  Any thread. */
eh_status audit_trust(const result *r, const audit_evidence **out, eh_error *error);
/* Gives audit_trust its answer, before anybody asked: takes `found`, or copies the error when that is NULL. */
void audit_trust_keep(const result *r, audit_evidence *found, const eh_error *error);
/* The same from texts, NULL where there is none. */
audit_evidence *audit_evidence_of(const char *signatures, const char *amendments,
                                  const audit_subject *subject, const audit_keyring *ring);
/* For a result whose signatures, amendments or trusted keys cannot be read, with that error. */
audit_evidence *audit_evidence_unreadable(const eh_error *error);
void audit_evidence_free(audit_evidence *e); /* NULL is fine */
/* EH_E_ALTERED with the first problem when a signature or an amendment does not hold; EH_E_USAGE when a
 * redaction is not finished. */
eh_status audit_refuse_broken(const result *r, eh_error *error);

/* ---- making ---------------------------------------------------------------------------------- */

/* result_read of an open file, at its start, and the bytes that were read (malloc'd); the path is for messages. */
eh_status audit_read(int fd, const char *path, result **out, char **bytes, size_t *size, eh_error *error);

/* A redaction that had been interrupted, and was finished first.  All zeros is none. */
typedef struct audit_finished {
	text_list members; /* that were taken out                                                 */
	char *announcer;   /* for people: the user's name for the key, or what is known of it      */
} audit_finished;

void audit_finished_clear(audit_finished *f);

/* Signs a result that holds, and whose rows have their evidence; no other command changes it meanwhile.  *before: the key had signed it in
 * this role already, and nothing is added.  EH_E_USAGE when it had in another role, or when a key that
 * the user does not trust announced a redaction that is not made.  *finished is set also after a failure,
 * and needs audit_finished_clear in any case. */
eh_status audit_sign_result(const char *path, const audit_key *key, enum audit_role role,
                            bool *before, audit_finished *finished, eh_error *error);
/* The new text of the file of signatures, malloc'd; `before` is the present one or NULL, `name`
 * stands for it in messages. */
eh_status audit_signatures_add(const char *before, const char *name, const audit_subject *subject,
                               const audit_key *key, enum audit_role role, char **out,
                               eh_error *error);

/* What to add to RESULT.amendments; all is borrowed. */
typedef struct audit_request {
	enum audit_amendment_kind kind;
	const char *words;  /* the note, the dispute, or the reason                               */
	const char *member; /* of a redaction: what to take out, ...                              */
	const char *hidden; /* ... or, with member NULL, a text wherever it can be taken out      */
} audit_request;

/* What was done.  All zeros is empty. */
typedef struct audit_amended {
	text_list redacted; /* members that were taken out                                        */
	audit_finished finished;
	text_list remains;  /* places of the result, its signatures and amendments that still hold the
	                     * text                                                               */
	text_list nearby;   /* files of the folder that do, as sentences                          */
	bool unsearched;    /* the text is too short to be looked for                             */
	bool before;        /* the same was done already                                          */
} audit_amended;

/* Appends to RESULT.amendments; no other command changes the result meanwhile.  A redaction takes out
 * the member and every other that holds its text.  It is announced in RESULT.amendments in one step;
 * then the result is replaced.  Whatever ends the process between, the next command that signs or
 * amends finishes it, for a key that the user trusts; with key NULL that is all, and the owner of the
 * result may do it for any key.  *out says what was done also after a failure, and needs
 * audit_amended_clear in any case. */
eh_status audit_amend(const char *path, const audit_request *q, const audit_key *key,
                      audit_amended *out, eh_error *error);
void audit_amended_clear(audit_amended *a);

/* Before a result is built anew: locks the one that is there.  EH_E_USAGE when signatures or amendments
 * are beside it, which would not hold of another one; a redacted text would come back.  *lock is for
 * file_lock_release, -1 when there is no result yet. */
eh_status audit_replace(const char *path, int *lock, eh_error *error);

#endif
