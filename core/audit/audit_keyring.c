/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit_key.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "record/shape.h"

#define FORMAT "evenhand-trusted-key"

static const shape trusted_shape[] = {
	{ "format", SHAPE_WORD, false, NULL, FORMAT },
	{ "format_version", SHAPE_UINT, false, NULL, NULL },
	{ "public_key", SHAPE_SHA256, false, NULL, NULL },
	{ "fingerprint", SHAPE_SHA256, false, NULL, NULL },
	{ "roles", SHAPE_TEXTS, false, NULL, NULL },
	{ NULL, SHAPE_TEXT, false, NULL, NULL }
};

static audit_trusted *add(audit_keyring *ring, const char *name)
{
	audit_trusted *t;
	size_t size = strcspn(name, "/");

	ring->items = memory_grow(ring->items, (ring->count + 1) * sizeof(*ring->items));
	t = &ring->items[ring->count++];
	memset(t, 0, sizeof(*t));
	/* Without its suffix, .pub or .json. */
	while (size > 0 && name[size - 1] != '.')
		size--;
	if (size > 0)
		size--;
	if (size > AUDIT_NAME_MAX)
		size = AUDIT_NAME_MAX;
	memcpy(t->name, name, size);
	return t;
}

static eh_status read_trusted(const char *path, audit_trusted *t, eh_error *error)
{
	cJSON *root = NULL;
	const cJSON *role;
	eh_status status = json_read(path, &root, error);

	if (status == EH_OK)
		status = shape_check(root, trusted_shape, path, "", error);
	if (status == EH_OK && (!audit_public_of(json_string(root, "public_key", ""), &t->key) ||
	                        strcmp(t->key.fingerprint, json_string(root, "fingerprint", "")) != 0))
		status = error_set(error, EH_E_FORMAT, "%s: the fingerprint is not that of the key", path);
	cJSON_ArrayForEach(role, json_path(root, "roles")) {
		if (status != EH_OK)
			break;
		t->roles |= strcmp(role->valuestring, "tester") == 0 ? (unsigned)AUDIT_TESTER :
		            strcmp(role->valuestring, "verifier") == 0 ? (unsigned)AUDIT_VERIFIER : 0;
	}
	cJSON_Delete(root);
	return status;
}

static eh_status read_folder(audit_keyring *ring, const char *sub, const char *suffix,
                             eh_error *error)
{
	char *folder = audit_folder(sub);
	char **names = folder != NULL ? dir_list(folder, suffix, error) : NULL;
	eh_status status = folder != NULL && names == NULL ? EH_E_IO : EH_OK;

	for (size_t i = 0; names != NULL && names[i] != NULL && status == EH_OK; i++) {
		char *path = path_join(folder, names[i]);
		audit_trusted *t = add(ring, names[i]);

		t->own = strcmp(sub, "keys") == 0;
		if (t->own) {
			t->roles = AUDIT_TESTER;
			status = audit_public_read(path, &t->key, error);
		} else {
			status = read_trusted(path, t, error);
		}
		free(path);
	}
	dir_list_free(names);
	free(folder);
	return status;
}

eh_status audit_keyring_read(audit_keyring *out, eh_error *error)
{
	eh_status status;

	memset(out, 0, sizeof(*out));
	status = read_folder(out, "keys", ".pub", error);
	if (status == EH_OK)
		status = read_folder(out, "trusted", ".json", error);
	if (status != EH_OK)
		audit_keyring_free(out);
	return status;
}

void audit_keyring_free(audit_keyring *ring)
{
	free(ring->items);
	memset(ring, 0, sizeof(*ring));
}

unsigned audit_keyring_roles(const audit_keyring *ring, const audit_public *key, const char **name)
{
	unsigned roles = 0;

	*name = NULL;
	for (size_t i = 0; i < ring->count; i++) {
		if (strcmp(ring->items[i].key.key, key->key) != 0)
			continue;
		roles |= ring->items[i].roles;
		*name = ring->items[i].name;
	}
	return roles;
}

static eh_status trusted_path(const char *name, char **folder, char **path, eh_error *error)
{
	if (!audit_name_ok(name))
		return error_set(error, EH_E_USAGE, "'%.80s' is no name: small letters, digits, '-', '_' "
		                 "and '.' make one", name);
	*folder = audit_folder("trusted");
	if (*folder == NULL)
		return error_set(error, EH_E_IO, "there is no place for keys: set HOME or "
		                 "XDG_CONFIG_HOME");
	*path = memory_format("%s/%s.json", *folder, name);
	return EH_OK;
}

eh_status audit_trust_add(const char *name, const audit_public *key, unsigned roles,
                          eh_error *error)
{
	char *folder = NULL, *path = NULL, *body;
	cJSON *root, *list;
	eh_status status = trusted_path(name, &folder, &path, error);

	if (status == EH_OK && file_exists(path))
		status = error_set(error, EH_E_USAGE, "a key is trusted under the name %s already; "
		                   "choose another with --name, or `evenhand key distrust %s`", name, name);
	if (status == EH_OK)
		status = dir_make(folder, error);
	if (status == EH_OK) {
		root = cJSON_CreateObject();
		json_add_string(root, "format", FORMAT);
		json_add_uint(root, "format_version", 1);
		json_add_string(root, "public_key", key->key);
		json_add_string(root, "fingerprint", key->fingerprint);
		list = json_add_array(root, "roles");
		if ((roles & AUDIT_TESTER) != 0)
			json_append_string(list, "tester");
		if ((roles & AUDIT_VERIFIER) != 0)
			json_append_string(list, "verifier");
		body = json_text(root, true);
		status = file_write(path, body, strlen(body), error);
		free(body);
		cJSON_Delete(root);
	}
	free(path);
	free(folder);
	return status;
}

eh_status audit_trust_remove(const char *name, eh_error *error)
{
	char *folder = NULL, *path = NULL;
	eh_status status = trusted_path(name, &folder, &path, error);

	if (status == EH_OK && unlink(path) != 0)
		status = errno == ENOENT ? error_set(error, EH_E_NOT_FOUND, "no key is trusted under the "
		                                     "name %s", name) :
		                           error_system(error, errno, "cannot remove '%s'", path);
	free(path);
	free(folder);
	return status;
}
