/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "audit/audit.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/finished.h"
#include "cli/input_results.h"

static const char *const roles[] = { "tester", "verifier", NULL };

typedef struct sign_options { const char *key; int role; bool json; } sign_options;

static eh_status sign_one(const sign_options *o, const char *path, const audit_key *key,
                          answer_signature *out, eh_error *error)
{
	audit_finished finished;
	eh_status status = audit_sign_result(path, key, o->role == 0 ? AUDIT_TESTER : AUDIT_VERIFIER,
	                                     &out->already, &finished, error);

	out->finished = finished.members;
	out->announced_by = finished.announcer;
	text_set(&out->file, path);
	text_set(&out->role, roles[o->role]);
	text_set(&out->fingerprint, audit_key_public(key)->fingerprint);
	return status;
}

static void print_signed(const sign_options *o, const answer_signature *s)
{
	printf("%s.sig: %ssigned by %s as %s, fingerprint %s\n", s->file, s->already ? "already " : "",
	       o->key, s->role, s->fingerprint);
}

/* Signs what can be signed; an error of one result is printed, and is in its answer. */
static void sign_all(cli_call *call, char **paths, size_t count, const audit_key *key)
{
	const sign_options *o = call->options;
	answer_signature_list list = { NULL, 0 };

	for (size_t i = 0; i < count; i++) {
		answer_signature *s = layout_append(answer_signature_layout(), &list);
		eh_error error = ERROR_INIT;
		eh_status status = sign_one(o, paths[i], key, s, &error);

		if (status != EH_OK)
			text_set(&s->error, error.message);
		if (!o->json)
			finished_print(stdout, s->file, &s->finished, s->announced_by);
		if (status == EH_OK && !o->json)
			print_signed(o, s);
		if (status != EH_OK)
			command_unsound(call, status, true, &error);
	}
	if (o->json)
		command_layout_list(answer_signature_layout(), &list);
	layout_list_clear(answer_signature_layout(), &list);
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
		sign_all(call, paths, count, key);
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
	         "RESULT is a file or a folder. Of several, each that can be signed is signed, and the exit "
	         "code is the highest. What the key has signed in this role stays as it is. "
	         "A redaction of RESULT that was interrupted is finished first, if you trust the key that "
	         "announced it (`evenhand help amend`). "
	         "Commands that sign or amend one result wait for each other, 30 seconds at "
	         "most.\n\n"
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
		{ "4", "altered, no result, signed by this key before in the other role, no such key, or a "
		       "key that you do not trust announced a redaction" },
		{ "5", "another command holds the result, its folder cannot be written, its group "
		       "would lose it, or a key that others could have changed or read" },
		{ NULL, NULL } },
	.examples = (const char *const[]){ "evenhand sign results/quick-1/host-gcc-12.json --key lab", NULL },
};
