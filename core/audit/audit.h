/* SPDX-License-Identifier: Apache-2.0 */
/* Who vouches for a result: detached signatures (RESULT.sig), amendments (RESULT.amendments) and
 * what they prove (docs/audit.md).  What a record says of itself in who.verified proves nothing. */
#ifndef AUDIT_AUDIT_H
#define AUDIT_AUDIT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "audit/audit_key.h"
#include "base/error.h"
#include "record/result.h"

/* What is signed: a result, or the manifest of a bundle. */
typedef struct audit_subject {
	const char *kind;        /* "result" or "manifest"                                     */
	const char *digest;      /* the record's digest; that of the manifest's bytes          */
	const char *file_sha256; /* of the bytes as they are                                   */
	const cJSON *record;     /* for redactions; NULL for a manifest                        */
} audit_subject;

/* In ascending order of what may be relied on. */
enum audit_level {
	AUDIT_UNREADABLE,/* what is beside it, or the trusted keys, cannot be read              */
	AUDIT_BROKEN,    /* a signature or an amendment does not hold                          */
	AUDIT_UNSIGNED,
	AUDIT_UNKNOWN,   /* signed, by a key that the user does not trust                      */
	AUDIT_SIGNED,    /* signed by a key trusted as tester                                  */
	AUDIT_VERIFIED   /* and, by another key, trusted as verifier                           */
};

typedef struct audit_signature {
	audit_public key;
	unsigned role;           /* AUDIT_TESTER or AUDIT_VERIFIER                             */
	bool holds;
	bool trusted;            /* for this role                                              */
	char *signer, *time;     /* as the signature states; unproven                          */
	char *trusted_name;      /* the user's name for the key; NULL                          */
} audit_signature;

enum audit_amendment_kind { AUDIT_NOTE, AUDIT_DISPUTE, AUDIT_REDACT };

typedef struct audit_amendment {
	enum audit_amendment_kind kind;
	audit_public key;
	bool trusted;            /* by a key trusted for anything                              */
	char *text, *member, *time, *signer;
	char *trusted_name;
} audit_amendment;

/* Everything beside a result, checked. */
typedef struct audit_evidence {
	enum audit_level level;
	audit_signature *signatures;
	size_t signature_count;
	audit_amendment *amendments;
	size_t amendment_count;
	char **problems;         /* sentences: what does not hold                              */
	size_t problem_count;
	char sentence[256];      /* "signed by alice (tester)", for a table                    */
} audit_evidence;

/* Reads RESULT.sig and RESULT.amendments; neither need be there.  EH_E_FORMAT does not happen: what
 * is malformed is a problem.  An error is a file that cannot be read. */
eh_status audit_evidence_read(const char *result_path, const audit_subject *subject,
                              audit_evidence **out, eh_error *error);
/* The same from texts, NULL where there is none. */
audit_evidence *audit_evidence_of(const char *signatures, const char *amendments,
                                  const audit_subject *subject, const audit_keyring *ring);
/* What is said of a result whose evidence cannot be read, with that error. */
audit_evidence *audit_evidence_unreadable(const eh_error *error);
void audit_evidence_free(audit_evidence *e);
/* For a result that was read. */
eh_status audit_trust(const result *r, audit_evidence **out, eh_error *error);
const char *audit_level_name(enum audit_level level);

/* ---- making ---------------------------------------------------------------------------------- */

/* Adds a signature to SIGNED.sig (or begins it).  Refuses a second one of the same key and role. */
eh_status audit_sign(const char *signed_path, const audit_subject *subject, const audit_key *key,
                     unsigned role, eh_error *error);
/* The new text of the file of signatures, malloc'd; `before` is the present one or NULL. */
eh_status audit_signatures_add(const char *before, const char *name, const audit_subject *subject,
                               const audit_key *key, unsigned role, char **out, eh_error *error);

/* Appends to RESULT.amendments.  A redaction rewrites the result (in one step) after the amendment
 * that announces it is safe. */
eh_status audit_amend(const char *result_path, enum audit_amendment_kind kind, const char *words,
                      const char *member, const audit_key *key, eh_error *error);

#endif
