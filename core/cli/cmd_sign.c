/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "audit/audit.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/input_results.h"

static const char *const roles[] = { "tester", "verifier", NULL };

typedef struct sign_options { const char *key; int role; bool json; } sign_options;

static void print_signature(const sign_options *o, const char *path, const audit_key *key, cJSON *list)
{
	const char *fingerprint = audit_key_public(key)->fingerprint;
	cJSON *item;

	if (!o->json) {
		printf("%s.sig: signed by %s as %s, fingerprint %s\n", path, o->key, roles[o->role], fingerprint);
		return;
	}
	item = cJSON_CreateObject();
	json_add_string(item, "file", path);
	json_add_string(item, "role", roles[o->role]);
	json_add_string(item, "fingerprint", fingerprint);
	cJSON_AddItemToArray(list, item);
}

static eh_status sign_one(const sign_options *o, const char *path, const audit_key *key, cJSON *list,
                          eh_error *error)
{
	audit_evidence *evidence = NULL;
	result *r = NULL;
	eh_status status = result_read_lean(path, &r, error);

	if (status == EH_OK)
		status = audit_trust(r, &evidence, error);
	if (status == EH_OK && evidence->level == AUDIT_BROKEN)
		status = error_set(error, EH_E_ALTERED, "%s: %s; repair that before it is signed again", path,
		                   evidence->problems[0]);
	if (status == EH_OK) {
		audit_subject subject = { "result", json_string(r->root, "digest", ""), r->file_sha256,
			                  r->root };

		status = audit_sign(path, &subject, key, o->role == 0 ? AUDIT_TESTER : AUDIT_VERIFIER, error);
	}
	if (status == EH_OK)
		print_signature(o, path, key, list);
	audit_evidence_free(evidence);
	result_free(r);
	return status;
}

static eh_status sign(cli_call *call, eh_error *error)
{
	const sign_options *o = call->options;
	cJSON *list = cJSON_CreateArray();
	audit_key *key = NULL;
	char **paths;
	size_t count;
	eh_status status = cli_inputs_paths(call->words, call->count, false, &paths, &count, error);

	if (status == EH_OK)
		status = audit_key_open(o->key, &key, error);
	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = sign_one(o, paths[i], key, list, error);
	if (status == EH_OK && o->json)
		command_json(list);
	else
		cJSON_Delete(list);
	audit_key_close(key);
	cli_inputs_paths_free(paths, count);
	return status;
}

const cli_command cmd_sign = {
	.name = "sign",
	.group = CLI_EVIDENCE,
	.summary = "sign results, as the one who measured or as a second party who checked them",
	.about = "Checks each result, then adds a signature to RESULT.sig, over the record's "
	         "digest and the bytes of the file. A tester vouches for having measured it; a "
	         "verifier, with another key, for having checked it. A result that both signed "
	         "counts as verified for everyone who trusts the keys (`evenhand key trust`). "
	         "RESULT is a file or a folder.\n\n"
	         "A key with a passphrase takes it from EVENHAND_KEY_PASSPHRASE or asks at the "
	         "terminal.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, sign }, { 0 } },
	.options = (const cli_option[]){
		{ "key", OPTION_KEY, offsetof(sign_options, key),
		  .about = "an own key, or a PEM file (with a /)", .value = "NAME",
		  .preset = "default" },
		{ "as", OPTION_WORD, offsetof(sign_options, role),
		  .about = "the role in which to sign", .words = roles, .preset = "tester" },
		CLI_JSON(sign_options), { 0 } },
	.size = sizeof(sign_options),
	.exits = (const cli_item[]){
		{ "4", "altered, no result, signed by this key before, or no such key" },
		{ NULL, NULL } },
	.examples = (const char *const[]){ "evenhand sign results/quick-1/host-gcc-12.json --key lab", NULL },
};
