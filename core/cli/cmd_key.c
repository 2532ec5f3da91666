/* SPDX-License-Identifier: Apache-2.0 */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit_key.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "report/report.h"

static const char *const role_words[] = { "tester", "verifier", NULL };

typedef struct key_options {
	const char *name, *comment;
	unsigned roles;         /* bits of enum audit_role: the order of role_words */
	bool json, passphrase;
} key_options;

/* ---- new ------------------------------------------------------------------------------------- */

static eh_status ask_twice(char out[256], eh_error *error)
{
	const char *given = getenv("EVENHAND_KEY_PASSPHRASE");

	if (given != NULL) {
		if (strlen(given) < 8 || strlen(given) > 255)
			return error_set(error, EH_E_USAGE, "EVENHAND_KEY_PASSPHRASE has fewer than 8 or "
			                 "more than 255 bytes");
		snprintf(out, 256, "%s", given);
		return EH_OK;
	}
	if (!isatty(STDIN_FILENO) ||
	    EVP_read_pw_string_min(out, 8, 255, "passphrase (8 or more characters): ", 1) != 0)
		return error_set(error, EH_E_USAGE, "no passphrase: set EVENHAND_KEY_PASSPHRASE, or type "
		                 "it twice at a terminal");
	return EH_OK;
}

static void print_made(const char *name, const audit_public *key, bool encrypted, bool json)
{
	char *folder = audit_folder("keys"), *private = memory_format("%s/%s.pem", folder, name);
	char *public = memory_format("%s/%s.pub", folder, name);
	cJSON *root = cJSON_CreateObject();

	json_add_string(root, "private_key", private);
	json_add_string(root, "public_key", public);
	json_add_bool(root, "encrypted", encrypted);
	json_add_string(root, "fingerprint", key->fingerprint);
	if (json) {
		command_json(root);
	} else {
		printf("private key  %s (keep it secret%s)\n"
		       "public key   %s (give it to those who are to trust you)\n"
		       "fingerprint  %s\n", private, encrypted ? "" : "; it is not encrypted", public,
		       key->fingerprint);
		cJSON_Delete(root);
	}
	free(public);
	free(private);
	free(folder);
}

static eh_status make_key(cli_call *call, eh_error *error)
{
	const key_options *o = call->options;
	const char *name = call->count > 0 ? call->words[0] : "default";
	char passphrase[256] = "";
	audit_public made;
	eh_status status = o->passphrase ? ask_twice(passphrase, error) : EH_OK;

	if (status == EH_OK)
		status = audit_key_make(name, o->comment, passphrase, &made, error);
	OPENSSL_cleanse(passphrase, sizeof(passphrase));
	if (status == EH_OK)
		print_made(name, &made, o->passphrase, o->json);
	return status;
}

/* ---- list, show ------------------------------------------------------------------------------ */

static const char *roles_word(unsigned roles)
{
	return roles == AUDIT_TESTER ? "tester" : roles == AUDIT_VERIFIER ? "verifier" :
	       roles == 0 ? "none" : "tester and verifier";
}

static void print_list_json(const audit_keyring *ring)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list = json_add_array(root, "keys");

	for (size_t i = 0; i < ring->count; i++) {
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "name", ring->items[i].name);
		json_add_bool(item, "own", ring->items[i].own);
		json_add_string(item, "trusted_as", roles_word(ring->items[i].roles));
		json_add_string(item, "fingerprint", ring->items[i].key.fingerprint);
		json_add_string(item, "public_key", ring->items[i].key.key);
		cJSON_AddItemToArray(list, item);
	}
	command_json(root);
}

static void print_list(const audit_keyring *ring)
{
	table *t = table_new("llll");

	table_row(t, (const char *[]){ "key", "whose", "trusted as", "fingerprint" });
	table_rule(t);
	for (size_t i = 0; i < ring->count; i++)
		table_row(t, (const char *[]){ ring->items[i].name, ring->items[i].own ? "yours" : "another's",
			                       roles_word(ring->items[i].roles),
			                       ring->items[i].key.fingerprint });
	if (ring->count == 0)
		puts("no keys; `evenhand key new` makes one, `evenhand key trust FILE` trusts another's");
	else
		(void)table_print(t, stdout);
	table_free(t);
}

static eh_status list_keys(cli_call *call, eh_error *error)
{
	const key_options *o = call->options;
	audit_keyring ring;
	eh_status status = audit_keyring_read(&ring, error);

	if (status != EH_OK)
		return status;
	if (o->json)
		print_list_json(&ring);
	else
		print_list(&ring);
	audit_keyring_free(&ring);
	return EH_OK;
}

/* By the name of a known key, or from a file. */
static eh_status find_key(const audit_keyring *ring, const char *name, audit_public *out, eh_error *error)
{
	for (size_t i = 0; i < ring->count; i++)
		if (strcmp(ring->items[i].name, name) == 0) {
			*out = ring->items[i].key;
			return EH_OK;
		}
	return audit_public_read(name, out, error);
}

static void print_key(const audit_public *key, const char *name, const char *trusted, bool json)
{
	cJSON *root;

	if (!json) {
		printf("name         %s\nfingerprint  %s\npublic key   %s\ntrusted as   %s\n",
		       name != NULL ? name : "(not among your keys)", key->fingerprint, key->key, trusted);
		return;
	}
	root = cJSON_CreateObject();
	json_add_string(root, "name", name);
	json_add_string(root, "fingerprint", key->fingerprint);
	json_add_string(root, "public_key", key->key);
	json_add_string(root, "trusted_as", trusted);
	command_json(root);
}

static eh_status show_key(cli_call *call, eh_error *error)
{
	const key_options *o = call->options;
	audit_keyring ring;
	audit_public key;
	const char *known = NULL;
	eh_status status = audit_keyring_read(&ring, error);

	if (status != EH_OK)
		return status;
	status = find_key(&ring, call->count > 0 ? call->words[0] : "default", &key, error);
	if (status == EH_OK) {
		unsigned roles = audit_keyring_roles(&ring, &key, &known);

		print_key(&key, known, roles_word(roles), o->json);
	}
	audit_keyring_free(&ring);
	return status;
}

/* ---- trust ----------------------------------------------------------------------------------- */

/* malloc'd: the file's name up to the first dot. */
static char *name_of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;

	return memory_format("%.*s", (int)strcspn(base, "."), base);
}

static eh_status trust_key(cli_call *call, eh_error *error)
{
	const key_options *o = call->options;
	char *name = o->name != NULL ? memory_text(o->name) : name_of_file(call->words[0]);
	unsigned roles = o->roles != 0 ? o->roles : (unsigned)AUDIT_TESTER;
	audit_public key;
	eh_status status = audit_public_read(call->words[0], &key, error);

	if (status == EH_OK)
		status = audit_trust_add(name, &key, roles, error);
	if (status == EH_OK && o->json)
		print_key(&key, name, roles_word(roles), true);
	else if (status == EH_OK)
		printf("%s is trusted as %s: %s\n", name, roles_word(roles), key.fingerprint);
	free(name);
	return status;
}

static eh_status distrust_key(cli_call *call, eh_error *error)
{
	eh_status status = audit_trust_remove(call->words[0], error);

	if (status == EH_OK)
		printf("%s is not trusted any more\n", call->words[0]);
	return status;
}

enum { NEW, LIST, SHOW, TRUST, DISTRUST };

const cli_command cmd_key = {
	.name = "key",
	.group = CLI_EVIDENCE,
	.summary = "make keys for signing, and say whose keys are trusted",
	.about = "Keys are Ed25519 in PEM files below $XDG_CONFIG_HOME/evenhand "
	         "(~/.config/evenhand). Your own keys count as testers. The fingerprint is the "
	         "SHA-256 of the public key's 32 bytes.",
	.forms = (const cli_form[]){
		{ "new", { { "NAME", .kind = OPTION_TEXT, .optional = true } },
		  "make keys/NAME.pem, which only you can read, and keys/NAME.pub to give away; "
		  "NAME is `default` unless given; no key is overwritten", make_key },
		{ "list", { { 0 } }, "list own and trusted keys", list_keys },
		{ "show", { { "KEY", .kind = OPTION_KEY, .optional = true } },
		  "print a key, by name or from a file", show_key },
		{ "trust", { { "FILE", .kind = OPTION_PATH } },
		  "note that signatures of this key count, as tester (vouches for having measured) "
		  "or as verifier (for having checked it as another party)", trust_key },
		{ "distrust", { { "NAME", .kind = OPTION_KEY } }, "trust a key no longer",
		  distrust_key }, { 0 } },
	.options = (const cli_option[]){
		{ "name", OPTION_TEXT, offsetof(key_options, name),
		  .about = "the name of the trusted key; without it that of the file",
		  .value = "NAME", .forms = CLI_FORM(TRUST) },
		{ "role", OPTION_WORDS, offsetof(key_options, roles),
		  .about = "what the key is trusted as; without it tester; both may be given",
		  .words = role_words, .forms = CLI_FORM(TRUST) },
		{ "comment", OPTION_TEXT, offsetof(key_options, comment),
		  .about = "a line above the public key", .value = "TEXT", .forms = CLI_FORM(NEW) },
		{ "passphrase", OPTION_FLAG, offsetof(key_options, passphrase),
		  .about = "encrypt the private key; the passphrase is EVENHAND_KEY_PASSPHRASE, or "
		           "is asked for", .forms = CLI_FORM(NEW) },
		{ "json", OPTION_FLAG, offsetof(key_options, json),
		  .about = "print JSON",
		  .forms = CLI_FORM(NEW) | CLI_FORM(LIST) | CLI_FORM(SHOW) | CLI_FORM(TRUST) },
		{ 0 } },
	.size = sizeof(key_options),
	.exits = (const cli_item[]){
		{ "4", "wrong usage, or a name that is taken" }, { NULL, NULL } },
	.examples = (const char *const[]){ "evenhand key new lab --comment 'Benchmark lab'",
		                           "evenhand key trust lab.pub --role verifier", NULL },
};
