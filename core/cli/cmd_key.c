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

extern const command command_key;

typedef struct key_options {
	const char *what, *of;  /* subcommand and its argument                                 */
	const char *name, *comment;
	unsigned roles;
	bool json, passphrase;
} key_options;

static int fail(eh_error *error)
{
	return command_fail(&command_key, error);
}

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

static int make_key(const key_options *o)
{
	eh_error error = ERROR_INIT;
	const char *name = o->name != NULL ? o->name : "default";
	char passphrase[256] = "";
	audit_public made;
	char *folder;
	eh_status status = o->passphrase ? ask_twice(passphrase, &error) : EH_OK;

	if (status == EH_OK)
		status = audit_key_make(name, o->comment, passphrase, &made, &error);
	OPENSSL_cleanse(passphrase, sizeof(passphrase));
	if (status != EH_OK)
		return fail(&error);
	folder = audit_folder("keys");
	printf("private key  %s/%s.pem (keep it secret%s)\n"
	       "public key   %s/%s.pub (give it to those who are to trust you)\n"
	       "fingerprint  %s\n", folder, name, o->passphrase ? "" : "; it is not encrypted",
	       folder, name, made.fingerprint);
	free(folder);
	return EXIT_CODE_OK;
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
	char *body;

	for (size_t i = 0; i < ring->count; i++) {
		cJSON *item = cJSON_CreateObject();

		json_add_string(item, "name", ring->items[i].name);
		json_add_bool(item, "own", ring->items[i].own);
		json_add_string(item, "trusted_as", roles_word(ring->items[i].roles));
		json_add_string(item, "fingerprint", ring->items[i].key.fingerprint);
		json_add_string(item, "public_key", ring->items[i].key.key);
		cJSON_AddItemToArray(list, item);
	}
	body = json_text(root, true);
	puts(body);
	free(body);
	cJSON_Delete(root);
}

static int list_keys(const key_options *o)
{
	eh_error error = ERROR_INIT;
	audit_keyring ring;
	table *t;

	if (audit_keyring_read(&ring, &error) != EH_OK)
		return fail(&error);
	if (o->json) {
		print_list_json(&ring);
	} else if (ring.count == 0) {
		puts("no keys; `evenhand key new` makes one, `evenhand key trust FILE` trusts another's");
	} else {
		t = table_new("llll");
		table_row(t, (const char *[]){ "key", "whose", "trusted as", "fingerprint" });
		table_rule(t);
		for (size_t i = 0; i < ring.count; i++)
			table_row(t, (const char *[]){ ring.items[i].name,
				                       ring.items[i].own ? "yours" : "another's",
				                       roles_word(ring.items[i].roles),
				                       ring.items[i].key.fingerprint });
		(void)table_print(t, stdout);
		table_free(t);
	}
	audit_keyring_free(&ring);
	return EXIT_CODE_OK;
}

static int show_key(const key_options *o)
{
	eh_error error = ERROR_INIT;
	const char *name = o->of != NULL ? o->of : "default";
	audit_keyring ring;
	audit_public key;
	const char *known = NULL;
	unsigned roles;

	if (audit_keyring_read(&ring, &error) != EH_OK)
		return fail(&error);
	key.key[0] = '\0';
	for (size_t i = 0; i < ring.count; i++)
		if (strcmp(ring.items[i].name, name) == 0)
			key = ring.items[i].key;
	if (key.key[0] == '\0' && audit_public_read(name, &key, &error) != EH_OK) {
		audit_keyring_free(&ring);
		return fail(&error);
	}
	roles = audit_keyring_roles(&ring, &key, &known);
	printf("name         %s\nfingerprint  %s\npublic key   %s\ntrusted as   %s\n",
	       known != NULL ? known : "(not among your keys)", key.fingerprint, key.key,
	       roles_word(roles));
	audit_keyring_free(&ring);
	return EXIT_CODE_OK;
}

/* ---- trust ----------------------------------------------------------------------------------- */

static int trust_key(const key_options *o)
{
	eh_error error = ERROR_INIT;
	audit_public key;
	char *name = NULL;
	unsigned roles = o->roles != 0 ? o->roles : (unsigned)AUDIT_TESTER;
	eh_status status;

	if (o->of == NULL) {
		(void)error_set(&error, EH_E_USAGE, "which public key file?");
		return fail(&error);
	}
	if (o->name != NULL) {
		name = memory_text(o->name);
	} else {
		const char *slash = strrchr(o->of, '/');
		const char *base = slash != NULL ? slash + 1 : o->of;

		name = memory_format("%.*s", (int)strcspn(base, "."), base);
	}
	status = audit_public_read(o->of, &key, &error);
	if (status == EH_OK)
		status = audit_trust_add(name, &key, roles, &error);
	if (status == EH_OK)
		printf("%s is trusted as %s: %s\n", name, roles_word(roles), key.fingerprint);
	free(name);
	return status == EH_OK ? EXIT_CODE_OK : fail(&error);
}

static int distrust_key(const key_options *o)
{
	eh_error error = ERROR_INIT;

	if (o->of == NULL) {
		(void)error_set(&error, EH_E_USAGE, "which key?");
		return fail(&error);
	}
	if (audit_trust_remove(o->of, &error) != EH_OK)
		return fail(&error);
	printf("%s is not trusted any more\n", o->of);
	return EXIT_CODE_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool take_role(const char *word, unsigned *roles)
{
	if (strcmp(word, "tester") == 0)
		*roles |= AUDIT_TESTER;
	else if (strcmp(word, "verifier") == 0)
		*roles |= AUDIT_VERIFIER;
	else
		return false;
	return true;
}

static eh_status take_flag(int argc, char **argv, int *i, key_options *o, eh_error *error)
{
	const char *flag = argv[*i];
	bool more = *i + 1 < argc;

	if (strcmp(flag, "--json") == 0)
		o->json = true;
	else if (strcmp(flag, "--passphrase") == 0)
		o->passphrase = true;
	else if ((strcmp(flag, "-o") == 0 || strcmp(flag, "--name") == 0) && more && o->name != NULL)
		return error_set(error, EH_E_USAGE, "-o or --name, not both");
	else if ((strcmp(flag, "-o") == 0 || strcmp(flag, "--name") == 0) && more)
		o->name = argv[++*i];
	else if (strcmp(flag, "--comment") == 0 && more)
		o->comment = argv[++*i];
	else if (strcmp(flag, "--role") == 0 && more && take_role(argv[*i + 1], &o->roles))
		++*i;
	else
		return error_set(error, EH_E_USAGE, strcmp(flag, "--role") == 0 ?
		                 "flag '%s' takes tester or verifier" : "unknown flag '%s', or its value "
		                 "is missing", flag);
	return EH_OK;
}

/* Refuses a flag that the subcommand would pass over. */
static eh_status check_flags(const key_options *o, eh_error *error)
{
	bool new = strcmp(o->what, "new") == 0, trust = strcmp(o->what, "trust") == 0;
	bool known = new || trust || strcmp(o->what, "list") == 0 || strcmp(o->what, "show") == 0 ||
	             strcmp(o->what, "distrust") == 0;
	const char *flag = o->json && strcmp(o->what, "list") != 0 ? "--json" :
	                   o->passphrase && !new ? "--passphrase" :
	                   o->comment != NULL && !new ? "--comment" :
	                   o->roles != 0 && !trust ? "--role" :
	                   o->name != NULL && !new && !trust ? "a name by flag" : NULL;

	if (known && flag != NULL)
		return error_set(error, EH_E_USAGE, "key %s does not take %s", o->what, flag);
	if (new && o->of != NULL)
		return error_set(error, EH_E_USAGE, "\"%s\" is not expected; key new -o NAME names it", o->of);
	return EH_OK;
}

static int key_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	key_options o = { .what = NULL };
	int code = EXIT_CODE_USAGE;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_key);
		if (argv[i][0] == '-') {
			if (take_flag(argc, argv, &i, &o, &error) != EH_OK)
				return fail(&error);
		} else if (o.what == NULL) {
			o.what = argv[i];
		} else if (o.of == NULL) {
			o.of = argv[i];
		} else {
			(void)error_set(&error, EH_E_USAGE, "\"%s\" is not expected", argv[i]);
			return fail(&error);
		}
	}
	if (o.what != NULL && check_flags(&o, &error) != EH_OK)
		return fail(&error);
	if (o.what != NULL && strcmp(o.what, "new") == 0)
		code = make_key(&o);
	else if (o.what != NULL && strcmp(o.what, "list") == 0 && o.of == NULL)
		code = list_keys(&o);
	else if (o.what != NULL && strcmp(o.what, "show") == 0)
		code = show_key(&o);
	else if (o.what != NULL && strcmp(o.what, "trust") == 0)
		code = trust_key(&o);
	else if (o.what != NULL && strcmp(o.what, "distrust") == 0)
		code = distrust_key(&o);
	else {
		(void)error_set(&error, EH_E_USAGE, "new, list, show, trust or distrust?");
		return fail(&error);
	}
	return command_printed(&command_key, code);
}

const command command_key = {
	.name = "key",
	.summary = "make keys for signing, and say whose keys are trusted",
	.help = "usage: evenhand key new [-o NAME] [--comment TEXT] [--passphrase]\n"
	        "       evenhand key list [--json]\n"
	        "       evenhand key show [NAME|FILE]\n"
	        "       evenhand key trust FILE [--name NAME] [--role tester] [--role verifier]\n"
	        "       evenhand key distrust NAME\n"
	        "\n"
	        "Keys are Ed25519 in PEM files below $XDG_CONFIG_HOME/evenhand (~/.config/evenhand).\n"
	        "`new` makes keys/NAME.pem, which only you can read, and keys/NAME.pub to give away; it\n"
	        "never overwrites one.  `trust` notes whose signatures count, and as what: a tester vouches\n"
	        "for having measured, a verifier for having checked it as another party.  Your own keys\n"
	        "count as testers.  The fingerprint is the SHA-256 of the public key's 32 bytes.\n"
	        "\n"
	        "  -o NAME, --name NAME  the name, without which it is \"default\", or the file's\n"
	        "  --comment TEXT        a line above the public key\n"
	        "  --passphrase          encrypt the private key; the passphrase is asked for, or in\n"
	        "                        EVENHAND_KEY_PASSPHRASE\n"
	        "  --role ROLE           tester (without the flag) or verifier; both may be given\n"
	        "  --json                the list as JSON\n"
	        "\n"
	        "exit codes: 0 done; 4 wrong usage, or a name that is taken; 5 cannot read or write\n"
	        "\n"
	        "examples:\n"
	        "  evenhand key new -o lab --comment 'Benchmark lab'\n"
	        "  evenhand key trust lab.pub --role verifier\n",
	.run = key_run,
	.values = "-o --name --comment",
	.again = "--role",
};
