/* SPDX-License-Identifier: Apache-2.0 */
/* Signed JSON objects, and files of them.  Inside of the audit room. */
#ifndef AUDIT_ENVELOPE_H
#define AUDIT_ENVELOPE_H

#include <cjson/cJSON.h>

#include "audit/audit_key.h"
#include "record/shape.h"

#define ENVELOPE_SIGNATURES "evenhand-signatures"
#define ENVELOPE_AMENDMENT "evenhand-amendment"

extern const shape envelope_signatures[];
extern const shape envelope_amendment[];

/* Adds signer, public_key, fingerprint, time and signature.  The signature is over CONTEXT, a line
 * feed and the canonical form of the object without its member "signature". */
eh_status envelope_seal(cJSON *object, const char *context, const audit_key *key, eh_error *error);
/* Whether the signature holds and the fingerprint is that of the key, which is put into *key. */
bool envelope_holds(const cJSON *object, const char *context, audit_public *key);
/* "2026-11-21T00:02:22Z", now. */
void envelope_time(char out[32]);

#endif
