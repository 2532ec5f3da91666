/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "audit/audit.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/finished.h"
#include "cli/input_results.h"

static const char *const roles[] = { "tester", "verifier", NULL };

typedef struct sign_options { const char *key; int role; bool json; } sign_options;

static void set_answer(const sign_options *o, const char *path, const audit_key *key, answer_signature *out)
{
	text_set(&out->file, path);
	text_set(&out->role, roles[o->role]);
	text_set(&out->fingerprint, audit_key_public(key)->fingerprint);
}

static eh_status sign_one(const sign_options *o, const char *path, const audit_key *key,
                          answer_signature *out, eh_error *error)
{
	audit_finished finished;
	eh_status status = audit_sign_result(path, key, o->role == 0 ? AUDIT_TESTER : AUDIT_VERIFIER,
	                                     &out->already, &finished, error);

	out->finished = finished.members;
	out->announced_by = finished.announcer;
	set_answer(o, path, key, out);
	return status;
}

static void print_signed(const sign_options *o, const answer_signature *s)
{
	command_put(stdout, "%s.sig: %ssigned by %s as %s, fingerprint %s\n", s->file,
	            s->already ? "already " : "", o->key, s->role, s->fingerprint);
}

/* An error is printed, and is in the answer. */
static void say_error(cli_call *call, answer_signature *s, eh_status status, eh_error *error)
{
	text_set(&s->error, error->message);
	command_unsound(call, status, true, error);
}

static void sign_path(cli_call *call, const char *path, const audit_key *key, answer_signature_list *list)
{
	const sign_options *o = call->options;
	answer_signature *s = layout_append(answer_signature_layout(), list);
	eh_error error = ERROR_INIT;
	eh_status status = sign_one(o, path, key, s, &error);

	if (!o->json)
		finished_print(stdout, s->file, &s->finished, s->announced_by);
	if (status == EH_OK && !o->json)
		print_signed(o, s);
	if (status != EH_OK)
		say_error(call, s, status, &error);
}

/* The results that a word names: a file or a folder. */
typedef struct named { const char *word; char **paths; size_t count; eh_status status; eh_error error; } named;

static void sign_named(cli_call *call, named *n, const audit_key *key, answer_signature_list *list)
{
	if (n->status != EH_OK) {
		answer_signature *s = layout_append(answer_signature_layout(), list);

		set_answer(call->options, n->word, key, s);
		say_error(call, s, n->status, &n->error);
		return;
	}
	for (size_t i = 0; i < n->count; i++)
		sign_path(call, n->paths[i], key, list);
}

/* Signs what can be signed. */
static eh_status sign_all(cli_call *call, named *all, eh_error *error)
{
	const sign_options *o = call->options;
	answer_signature_list list = { NULL, 0 };
	audit_key *key = NULL;
	eh_status status = audit_key_open(o->key, &key, error);

	for (size_t i = 0; i < call->count && status == EH_OK; i++)
		sign_named(call, &all[i], key, &list);
	if (status == EH_OK && o->json)
		command_layout_list(answer_signature_layout(), &list);
	layout_list_clear(answer_signature_layout(), &list);
	audit_key_close(key);
	return status;
}

static eh_status sign(cli_call *call, eh_error *error)
{
	named *all = memory_get((call->count + 1) * sizeof(*all));
	bool any = false;
	eh_status status;

	for (size_t i = 0; i < call->count; i++) {
		named *n = &all[i];

		*n = (named){ .word = call->words[i], .error = ERROR_INIT };
		n->status = cli_inputs_paths(&n->word, 1, false, &n->paths, &n->count, &n->error);
		any = any || n->status == EH_OK;
	}
	if (!any)
		*error = all[0].error;
	status = any ? sign_all(call, all, error) : all[0].status;
	for (size_t i = 0; i < call->count; i++)
		cli_inputs_paths_free(all[i].paths, all[i].count);
	free(all);
	return status;
}

const cli_command cmd_sign = {
	.name = "sign",
	.group = CLI_EVIDENCE,
	.summary = "sign results, as the one who measured or as a second party who checked them",
	.about = "Checks each result and the evidence of its rows, then adds a signature to RESULT.sig, over the record's "
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
		{ "5", "a result that cannot be opened, another command holds the result, its folder cannot be written, its group "
		       "would lose it, or a key that others could have changed or read" },
		{ NULL, NULL } },
	.examples = (const char *const[]){ "evenhand sign results/quick-1/host-gcc-12.json --key lab", NULL },
};
