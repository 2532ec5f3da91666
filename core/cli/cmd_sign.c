/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "audit/audit.h"
#include "cli/cli_evidence.h"
#include "cli/command.h"
#include "cli/input_results.h"

static const char *const roles[] = { "tester", "verifier", NULL };

typedef struct sign_options { const char *key; int role; bool json; } sign_options;

static eh_status sign_one(const sign_options *o, const char *path, const audit_key *key,
                          cli_signed_file *out, eh_error *error)
{
	result *r = NULL;
	eh_status status = result_read(path, &r, error);

	if (status == EH_OK)
		status = audit_refuse_broken(r, error);
	if (status == EH_OK) {
		audit_subject subject = audit_subject_of(r);

		status = audit_sign(path, &subject, key, o->role == 0 ? AUDIT_TESTER : AUDIT_VERIFIER, error);
	}
	text_set(&out->file, path);
	text_set(&out->role, roles[o->role]);
	text_set(&out->fingerprint, audit_key_public(key)->fingerprint);
	result_free(r);
	return status;
}

static void print_signed(const sign_options *o, const cli_signed_file *s)
{
	printf("%s.sig: signed by %s as %s, fingerprint %s\n", s->file, o->key, s->role, s->fingerprint);
}

static eh_status sign_all(const sign_options *o, char **paths, size_t count, const audit_key *key,
                          eh_error *error)
{
	cli_signed_file_list list = { NULL, 0 };
	eh_status status = EH_OK;

	for (size_t i = 0; i < count && status == EH_OK; i++) {
		cli_signed_file *s = layout_append(cli_signed_file_layout(), &list);

		status = sign_one(o, paths[i], key, s, error);
		if (status == EH_OK && !o->json)
			print_signed(o, s);
	}
	if (status == EH_OK && o->json)
		command_layout_list(cli_signed_file_layout(), &list);
	for (size_t i = 0; i < list.count; i++)
		layout_clear(cli_signed_file_layout(), &list.items[i]);
	free(list.items);
	return status;
}

static eh_status sign(cli_call *call, eh_error *error)
{
	const sign_options *o = call->options;
	audit_key *key = NULL;
	char **paths;
	size_t count;
	eh_status status = cli_inputs_paths(call->words, call->count, false, &paths, &count, error);

	if (status == EH_OK)
		status = audit_key_open(o->key, &key, error);
	if (status == EH_OK)
		status = sign_all(o, paths, count, key, error);
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
