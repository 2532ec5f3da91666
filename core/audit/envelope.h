/* SPDX-License-Identifier: Apache-2.0 */
/* Signed structs, and files of them.  Inside of the audit room. */
#ifndef AUDIT_ENVELOPE_H
#define AUDIT_ENVELOPE_H

#include "audit/audit_key.h"

/* A kind of signed struct.  A signature is over the word of `format`, a line feed and the canonical
 * form of the struct without its member "signature". */
typedef struct envelope {
	const layout *(*layout)(void);
	const layout_words *(*format)(void);
} envelope;

extern const envelope envelope_signature, envelope_amendment, envelope_agreement;

/* Sets signer, public_key, fingerprint, time and signature. */
eh_status envelope_seal(const envelope *kind, void *object, const audit_key *key, eh_error *error);
/* Whether the signature holds and the fingerprint is that of the key. */
bool envelope_holds(const envelope *kind, const void *object);

/* Reads a file of signatures into an initialised struct. */
eh_status envelope_signatures_read(const char *body, const char *name, audit_signature_file *out,
                                   eh_error *error);
/* Reads the amendment in the line at *at into an initialised struct; moves *at to the next line. */
eh_status envelope_amendment_next(const char **at, const char *name, audit_amendment *out,
                                  eh_error *error);
/* EH_E_FORMAT unless the version is 1. */
eh_status envelope_version(uint64_t version, const char *name, eh_error *error);

#endif
