/* SPDX-License-Identifier: Apache-2.0 */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/audit_key.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "report/report.h"

static const char *const role_words[] = { "tester", "verifier", NULL };

typedef struct key_options {
	const char *name, *comment;
	unsigned roles;         /* a bit for each of role_words */
	bool json, passphrase;
} key_options;

/* ---- new ------------------------------------------------------------------------------------- */

static eh_status ask_twice(char out[256], eh_error *error)
{
	const char *given = getenv("EVENHAND_KEY_PASSPHRASE");

	if (given != NULL) {
		if (strlen(given) < 8 || strlen(given) > 255)
			return error_set(error, EH_E_USAGE, "EVENHAND_KEY_PASSPHRASE must have 8 to "
			                 "255 bytes");
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
	char *folder = audit_folder("keys");
	answer_key made = { memory_format("%s/%s.pem", folder, name),
		              memory_format("%s/%s.pub", folder, name), encrypted,
		              memory_text(key->fingerprint) };

	if (json) {
		command_layout(answer_key_layout(), &made);
	} else {
		command_put(stdout, "private key  %s (keep it secret%s)\n", made.private_key,
		            encrypted ? "" : "; it is not encrypted");
		command_put(stdout, "public key   %s (give it to those who should trust you)\n", made.public_key);
		printf("fingerprint  %s\n", made.fingerprint);
	}
	layout_clear(answer_key_layout(), &made);
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

/* malloc'd "tester and verifier". */
static char *roles_text(const audit_role_list *roles)
{
	text out = { 0 };

	for (size_t i = 0; i < roles->count; i++)
		text_add(&out, "%s%s", i > 0 ? " and " : "", audit_role_word(roles->items[i]));
	return out.data != NULL ? out.data : memory_text("none");
}

static void print_list(const audit_keyring *ring)
{
	table *t = table_new("nlwl");

	table_head(t, (const char *[]){ "key", "whose", "trusted as", "fingerprint" });
	table_rule(t);
	for (size_t i = 0; i < ring->keys.count; i++) {
		const audit_known_key *key = &ring->keys.items[i];
		char *roles = roles_text(&key->trusted_as);

		table_row(t, (const char *[]){ key->name, key->own ? "yours" : "another's", roles,
			                       key->fingerprint });
		free(roles);
	}
	if (ring->keys.count == 0)
		(void)table_sentence(stdout, "no keys; `evenhand key new` makes one, `evenhand key trust FILE` trusts another's");
	else
		(void)table_print(t, stdout);
	table_free(t);
}

static eh_status list_keys(cli_call *call, eh_error *error)
{
	const key_options *o = call->options;
	audit_keyring ring;
	eh_status status = audit_keyring_read(&ring, error);

	if (status == EH_OK && o->json)
		command_layout(audit_keyring_layout(), &ring);
	else if (status == EH_OK)
		print_list(&ring);
	layout_clear(audit_keyring_layout(), &ring);
	return status;
}

static void print_key(const audit_known_key *key)
{
	char *roles = roles_text(&key->trusted_as);

	printf("name         %s\nfingerprint  %s\npublic key   %s\ntrusted as   %s\n",
	       key->name != NULL ? key->name : "(not among your keys)", key->fingerprint, key->public_key,
	       roles);
	free(roles);
}

/* What the ring says of the key, which need not be in it. */
static void describe(const audit_keyring *ring, const audit_public *key, audit_known_key *out)
{
	text_set(&out->fingerprint, key->fingerprint);
	text_set(&out->public_key, key->key);
	audit_keyring_find(ring, key->fingerprint, out);
}

static eh_status show_key(cli_call *call, eh_error *error)
{
	const key_options *o = call->options;
	audit_keyring ring;
	audit_known_key known;
	audit_public key;
	eh_status status = audit_keyring_read(&ring, error);

	layout_init(audit_known_key_layout(), &known);
	if (status == EH_OK)
		status = audit_keyring_key(&ring, call->count > 0 ? call->words[0] : "default", &key, error);
	if (status == EH_OK)
		describe(&ring, &key, &known);
	if (status == EH_OK && o->json)
		command_layout(audit_known_key_layout(), &known);
	else if (status == EH_OK)
		print_key(&known);
	layout_clear(audit_known_key_layout(), &known);
	layout_clear(audit_keyring_layout(), &ring);
	return status;
}

/* ---- trust ----------------------------------------------------------------------------------- */

/* malloc'd: the file's name up to the first dot. */
static char *name_of_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;

	return memory_format("%.*s", (int)strcspn(base, "."), base);
}

/* The bits of --role; a tester without it. */
static void take_roles(unsigned bits, audit_role_list *out)
{
	if (bits == 0 || (bits & 1U) != 0)
		word_list_add(out, AUDIT_TESTER);
	if ((bits & 2U) != 0)
		word_list_add(out, AUDIT_VERIFIER);
}

static void print_trusted(const audit_known_key *key, bool json)
{
	char *roles = roles_text(&key->trusted_as);

	if (json)
		command_layout(audit_known_key_layout(), key);
	else
		printf("%s is trusted as %s: %s\n", key->name, roles, key->fingerprint);
	free(roles);
}

/* Warns of each other name under which the key counts, as before the command. */
static void warn_of_others(const audit_keys *before, const char *name, const char *fingerprint)
{
	if (before->error.code != EH_OK)
		log_write(EH_LOG_WARN, "whether the same key counts under another name is not known: %s",
		          before->error.message);
	for (size_t i = 0; i < before->ring.keys.count; i++) {
		const audit_known_key *key = &before->ring.keys.items[i];

		if (key->fingerprint == NULL || strcmp(key->fingerprint, fingerprint) != 0)
			continue;
		if (key->own)
			log_write(EH_LOG_WARN, "the same key is your own key %s, which counts as tester", key->name);
		else if (strcmp(key->name, name) != 0)
			log_write(EH_LOG_WARN, "the same key is still trusted as %s: `evenhand key distrust %s`",
			          key->name, key->name);
	}
}

static eh_status trust_key(cli_call *call, eh_error *error)
{
	const key_options *o = call->options;
	audit_known_key known;
	audit_public key;
	audit_keys before;
	eh_status status = audit_public_read(call->words[0], &key, error);

	if (status != EH_OK)
		return status;
	audit_keys_read(&before);
	layout_init(audit_known_key_layout(), &known);
	known.name = o->name != NULL ? memory_text(o->name) : name_of_file(call->words[0]);
	text_set(&known.fingerprint, key.fingerprint);
	text_set(&known.public_key, key.key);
	take_roles(o->roles, &known.trusted_as);
	status = audit_trust_add(known.name, &key, &known.trusted_as, error);
	if (status == EH_OK) {
		print_trusted(&known, o->json);
		(void)fflush(stdout);
		warn_of_others(&before, known.name, known.fingerprint);
	}
	layout_clear(audit_known_key_layout(), &known);
	layout_clear(audit_keyring_layout(), &before.ring);
	return status;
}

/* Of the key that is trusted under the name; "" where its file could not be read. */
static const char *trusted_fingerprint(const audit_keys *keys, const char *name)
{
	for (size_t i = 0; i < keys->ring.keys.count; i++) {
		const audit_known_key *key = &keys->ring.keys.items[i];

		if (!key->own && strcmp(key->name, name) == 0 && key->fingerprint != NULL)
			return key->fingerprint;
	}
	return "";
}

static eh_status distrust_key(cli_call *call, eh_error *error)
{
	const char *name = call->words[0];
	audit_keys before;
	eh_status status;

	audit_keys_read(&before);
	status = audit_trust_remove(name, error);
	if (status == EH_OK) {
		printf("%s is no longer trusted\n", name);
		(void)fflush(stdout);
		warn_of_others(&before, name, trusted_fingerprint(&before, name));
	}
	layout_clear(audit_keyring_layout(), &before.ring);
	return status;
}

enum { NEW, LIST, SHOW, TRUST, DISTRUST };

const cli_command cmd_key = {
	.name = "key",
	.group = CLI_EVIDENCE,
	.summary = "make keys for signing, and say whose keys are trusted",
	.about = "Keys are Ed25519 in PEM files below $XDG_CONFIG_HOME/evenhand "
	         "(~/.config/evenhand). Your own keys count as testers. The fingerprint is the "
	         "SHA-256 of the public key's 32 bytes. No key is used that others could have put there "
	         "or changed, nor a private one that they can read: the sentence that refuses it has the "
	         "remedy (exit code 5).",
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
		{ "4", "wrong usage, or a name that is taken" },
		{ "5", "keys that others could have changed or read" }, { NULL, NULL } },
	.examples = (const char *const[]){ "evenhand key new lab --comment 'Benchmark lab'",
		                           "evenhand key trust lab.pub --role verifier", NULL },
};
