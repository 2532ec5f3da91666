/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit_key.h"
#include "audit/envelope.h"
#include "base/files.h"
#include "base/text.h"
#include "base/trust.h"

/* ---- reading --------------------------------------------------------------------------------- */

static void set_key(audit_known_key *known, const audit_public *key)
{
	text_set(&known->public_key, key->key);
	text_set(&known->fingerprint, key->fingerprint);
}

static eh_status read_own(const char *path, audit_known_key *known, eh_error *error)
{
	audit_public key;
	eh_status status = audit_public_own(path, &key, error);

	known->own = true;
	word_list_add(&known->trusted_as, AUDIT_TESTER);
	if (status == EH_OK)
		set_key(known, &key);
	return status;
}

static eh_status check_trusted(const audit_trusted_key *file, const char *path, audit_public *key,
                               eh_error *error)
{
	if (!audit_public_of(file->public_key, key) || strcmp(key->fingerprint, file->fingerprint) != 0)
		return error_set(error, EH_E_FORMAT, "%s: the fingerprint is not that of the key", path);
	return envelope_version(file->format_version, path, error);
}

static eh_status read_trusted(const char *path, audit_known_key *known, eh_error *error)
{
	audit_trusted_key file;
	audit_public key;
	char *body = NULL;
	size_t size;
	eh_status status = trust_read(path, TRUST_FILE, &body, &size, NULL, error);

	layout_init(audit_trusted_key_layout(), &file);
	if (status == EH_OK)
		status = layout_read(audit_trusted_key_layout(), body, size, path, &file, error);
	if (status == EH_OK)
		status = check_trusted(&file, path, &key, error);
	if (status == EH_OK) {
		set_key(known, &key);
		for (size_t i = 0; i < file.roles.count; i++)
			word_list_add(&known->trusted_as, file.roles.items[i]);
	}
	layout_clear(audit_trusted_key_layout(), &file);
	free(body);
	return status;
}

typedef eh_status read_key(const char *path, audit_known_key *known, eh_error *error);

static eh_status read_folder(audit_keyring *ring, const char *sub, const char *suffix,
                             read_key *read, eh_error *error)
{
	char *folder = audit_folder(sub);
	char **names = folder != NULL ? dir_list(folder, suffix, error) : NULL;
	eh_status status = folder != NULL && names == NULL ? EH_E_IO : EH_OK;

	for (size_t i = 0; names != NULL && names[i] != NULL && status == EH_OK; i++) {
		audit_known_key *known = layout_append(audit_known_key_layout(), &ring->keys);
		char *path = path_join(folder, names[i]);

		known->name = memory_format("%.*s", (int)(strlen(names[i]) - strlen(suffix)), names[i]);
		status = read(path, known, error);
		free(path);
	}
	dir_list_free(names);
	free(folder);
	return status;
}

eh_status audit_keyring_read(audit_keyring *out, eh_error *error)
{
	eh_status status;

	layout_init(audit_keyring_layout(), out);
	status = read_folder(out, "keys", ".pub", read_own, error);
	if (status == EH_OK)
		status = read_folder(out, "trusted", ".json", read_trusted, error);
	return status;
}

void audit_keys_read(audit_keys *out)
{
	out->error = (eh_error)ERROR_INIT;
	(void)audit_keyring_read(&out->ring, &out->error);
}

void audit_keyring_find(const audit_keyring *ring, const char *fingerprint, audit_known_key *out)
{
	for (size_t i = 0; i < ring->keys.count; i++) {
		const audit_known_key *known = &ring->keys.items[i];

		if (strcmp(known->fingerprint, fingerprint) != 0)
			continue;
		text_set(&out->name, known->name);
		text_set(&out->fingerprint, known->fingerprint);
		text_set(&out->public_key, known->public_key);
		out->own = out->own || known->own;
		for (size_t k = 0; k < known->trusted_as.count; k++)
			word_list_add(&out->trusted_as, known->trusted_as.items[k]);
	}
}

eh_status audit_keyring_key(const audit_keyring *ring, const char *name, audit_public *out,
                            eh_error *error)
{
	for (size_t i = 0; i < ring->keys.count; i++)
		if (strcmp(ring->keys.items[i].name, name) == 0 &&
		    audit_public_of(ring->keys.items[i].public_key, out))
			return EH_OK;
	return audit_public_read(name, out, error);
}

/* ---- trusting -------------------------------------------------------------------------------- */

static eh_status write_trusted(const char *path, const audit_public *key,
                               const audit_role_list *roles, eh_error *error)
{
	audit_trusted_key file;
	char *body;
	eh_status status;

	layout_init(audit_trusted_key_layout(), &file);
	file.format = AUDIT_TRUSTED_KEY;
	file.format_version = 1;
	text_set(&file.public_key, key->key);
	text_set(&file.fingerprint, key->fingerprint);
	for (size_t i = 0; i < roles->count; i++)
		word_list_add(&file.roles, roles->items[i]);
	body = layout_text(audit_trusted_key_layout(), &file, true);
	status = audit_key_file(path, 0600, body, strlen(body), error);
	free(body);
	layout_clear(audit_trusted_key_layout(), &file);
	return status;
}

eh_status audit_trust_add(const char *name, const audit_public *key, const audit_role_list *roles,
                          eh_error *error)
{
	char *path = NULL;
	eh_status status = audit_key_path("trusted", name, ".json", &path, error);

	if (status == EH_OK && file_exists(path))
		status = error_set(error, EH_E_USAGE, "a key is already trusted under the name %s; choose "
		                   "another with --name, or `evenhand key distrust %s`", name, name);
	if (status == EH_OK)
		status = audit_key_folder("trusted", error);
	if (status == EH_OK)
		status = write_trusted(path, key, roles, error);
	free(path);
	return status;
}

eh_status audit_trust_remove(const char *name, eh_error *error)
{
	char *path = NULL;
	eh_status status = audit_key_path("trusted", name, ".json", &path, error);

	if (status == EH_OK && unlink(path) != 0)
		status = errno == ENOENT ?
			error_set(error, EH_E_NOT_FOUND, "no key is trusted under the name %s", name) :
			error_system(error, errno, "cannot remove '%s'", path);
	free(path);
	return status;
}
