/* SPDX-License-Identifier: Apache-2.0 */
/* Ed25519 keys (OpenSSL's libcrypto).  Own keys are PEM files in the user's configuration folder
 * (evenhand/keys/NAME.pem, mode 0600, and NAME.pub to give away); keys of others that the user
 * trusts are evenhand/trusted/NAME.json.  None is used that somebody else could have put there or
 * changed (base/trust.h). */
#ifndef AUDIT_KEY_H
#define AUDIT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "audit/audit_structs.h"
#include "base/error.h"

enum { AUDIT_SIGNATURE_HEX = 128 };

/* A public key; the fingerprint is the SHA-256 of its 32 bytes. */
typedef struct audit_public {
	char key[65];
	char fingerprint[65];
} audit_public;

/* A key that can sign. */
typedef struct audit_key audit_key;

/* malloc'd $XDG_CONFIG_HOME/evenhand/SUB or ~/.config/evenhand/SUB; NULL when there is none. */
char *audit_folder(const char *sub);
/* Whether it may name a key: small letters, digits, '-', '_' and '.', not beginning with '.'. */
bool audit_name_ok(const char *name);
/* malloc'd path of the file NAMESUFFIX there; EH_E_USAGE for a name that is not valid. */
eh_status audit_key_path(const char *sub, const char *name, const char *suffix, char **out,
                         eh_error *error);
/* Makes the folder SUB where it is missing, for the user alone, and refuses one that others can write or
 * own, or could exchange: EH_E_UNAVAILABLE. */
eh_status audit_key_folder(const char *sub, eh_error *error);
/* Makes a file of that mode under a name that does not exist, whole or not at all: EH_E_USAGE. */
eh_status audit_key_file(const char *path, mode_t mode, const char *data, size_t size, eh_error *error);

/* Makes a pair of files and never overwrites one; passphrase NULL or "" leaves the private key
 * unencrypted.  The comment stands above the public key. */
eh_status audit_key_make(const char *name, const char *comment, const char *passphrase,
                         audit_public *made, eh_error *error);
/* By the name of an own key, or by path where it has a '/'.  EH_E_UNAVAILABLE for a file that others
 * can read or write (base/trust.h).  An encrypted one takes its passphrase
 * from EVENHAND_KEY_PASSPHRASE, else from the terminal. */
eh_status audit_key_open(const char *name, audit_key **out, eh_error *error);
const audit_public *audit_key_public(const audit_key *key);
const char *audit_key_name(const audit_key *key);
void audit_key_close(audit_key *key); /* NULL is fine */

/* From a PEM file of anybody, or an own key's name. */
eh_status audit_public_read(const char *path, audit_public *out, eh_error *error);
/* From the file of an own key, which others must not be able to write (base/trust.h). */
eh_status audit_public_own(const char *path, audit_public *out, eh_error *error);
/* From 64 hex digits; false when they are none. */
bool audit_public_of(const char *hex, audit_public *out);

eh_status audit_sign_bytes(const audit_key *key, const void *data, size_t size,
                           char hex[AUDIT_SIGNATURE_HEX + 1], eh_error *error);
bool audit_verify_bytes(const audit_public *key, const void *data, size_t size, const char *hex);

/* ---- trusted keys ---------------------------------------------------------------------------- */

/* Own keys and trusted ones, each by name.  Initialises *out, which the caller clears. */
eh_status audit_keyring_read(audit_keyring *out, eh_error *error);
/* The same, with the error kept for whoever asks for trust; layout_clear frees the ring. */
typedef struct audit_keys { audit_keyring ring; eh_error error; } audit_keys;
void audit_keys_read(audit_keys *out);
/* What the ring says of the key, all entries together, into an initialised struct; nothing is set
 * where it has none. */
void audit_keyring_find(const audit_keyring *ring, const char *fingerprint, audit_known_key *out);
/* A key by the ring's name for it, or from a file. */
eh_status audit_keyring_key(const audit_keyring *ring, const char *name, audit_public *out,
                            eh_error *error);
/* Never overwrites a name. */
eh_status audit_trust_add(const char *name, const audit_public *key, const audit_role_list *roles,
                          eh_error *error);
eh_status audit_trust_remove(const char *name, eh_error *error);

#endif
