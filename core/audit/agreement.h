/* SPDX-License-Identifier: Apache-2.0 */
/* A team's agreement to a protocol: a signed file, and what a record has of the files that its run had
 * when it began (docs/agreement.md). */
#ifndef AUDIT_AGREEMENT_H
#define AUDIT_AGREEMENT_H

#include "audit/audit_key.h"
#include "record/record.h"

#define AGREEMENT_SUFFIX ".agreement"

/* What a team agrees to; all is borrowed. */
typedef struct agreement_subject {
	const char *protocol;
	uint64_t version;
	const char *digest;  /* of the plan */
	const char *team;    /* audit_name_ok */
} agreement_subject;

/* Signs and writes a new file, and fills an initialised *out.  *already: the file that is there says the
 * same, is *out, and stays.  EH_E_USAGE when it says something else. */
eh_status agreement_sign(const char *path, const agreement_subject *s, const audit_key *key,
                         record_agreement *out, bool *already, eh_error *error);
/* Reads a file into an initialised struct.  EH_E_FORMAT for what is no agreement, EH_E_ALTERED where its
 * signature does not hold. */
eh_status agreement_read(const char *path, record_agreement *out, eh_error *error);
/* Whether name, time and signature hold, whoever has the key. */
bool agreement_holds(const record_agreement *a);

/* ---- teams ----------------------------------------------------------------------------------- */

/* A name of the user's keyring, and its key. */
typedef struct audit_team { const char *name; audit_public key; } audit_team;
typedef struct audit_team_list { audit_team *items; size_t count; } audit_team_list;

/* Borrows the names, NULL-terminated; free out->items.  EH_E_NOT_FOUND for a name that the ring does not
 * have; EH_E_USAGE for a name that stands twice or for two keys, and for one key under two of the names. */
eh_status audit_teams_find(const audit_keyring *ring, char *const *names, audit_team_list *out,
                           eh_error *error);
/* Fills an initialised struct: what the record shows of the team's agreement to its protocol. */
void agreement_judge(const record_result *r, const audit_team *team, audit_checked_agreement *out);

#endif
