/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "audit/audit.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/input_results.h"

typedef struct amend_options {
	const char *key, *note, *dispute, *member, *reason;
	bool json;
} amend_options;

static void print_amended(const answer_amendment *a, bool json)
{
	if (json)
		command_layout(answer_amendment_layout(), a);
	else
		printf("%s.amendments: %s added%s%s\n", a->file, a->added, a->member != NULL ?
		       "; taken out of the result: " : "", a->member != NULL ? a->member : "");
}

static eh_status amend(cli_call *call, eh_error *error)
{
	const amend_options *o = call->options;
	const char *words = o->note != NULL ? o->note : o->dispute != NULL ? o->dispute : o->reason;
	enum audit_amendment_kind kind = o->note != NULL ? AUDIT_NOTE : o->dispute != NULL ?
	                                 AUDIT_DISPUTE : AUDIT_REDACT;
	/* Borrowed texts: it is not cleared. */
	answer_amendment done = { .file = (char *)call->words[0], .member = (char *)o->member,
		             .added = (char *)(kind == AUDIT_REDACT ? "redaction" :
		                               audit_amendment_kind_word(kind)) };
	audit_key *key = NULL;
	eh_status status = cli_inputs_refuse(done.file, error);

	if (status == EH_OK)
		status = audit_key_open(o->key, &key, error);
	if (status == EH_OK)
		status = audit_amend(done.file, kind, words, o->member, key, error);
	if (status == EH_OK)
		print_amended(&done, o->json);
	audit_key_close(key);
	return status;
}

#define RESULT_ALONE { { "RESULT", .kind = OPTION_PATH } }

enum { NOTE, DISPUTE, REDACT };

const cli_command cmd_amend = {
	.name = "amend",
	.group = CLI_EVIDENCE,
	.summary = "add a signed note or dispute to a result, or redact a name in it",
	.about = "What was measured never changes. An amendment is a signed line in "
	         "RESULT.amendments, chained to the one before it; `show` and `compare` print "
	         "notes and disputes beside the numbers. A redaction also takes one text out of "
	         "RESULT and leaves a commitment in its place, so that every digest and signature "
	         "still verifies. Only what tells who or which machine can be redacted: "
	         "who.tester, who.sponsor, executor.device.uuid, executor.device.pci, "
	         "executor.layers[N].path and .owner, and executor.layers[N].fields.NAME.value of "
	         "an identifier (uuid, serial, pci, path, host name) or of a setting (NAME is "
	         "`value`, the layer of the kind configuration). RESULT is one file.",
	.forms = (const cli_form[]){
		{ "--note", RESULT_ALONE, NULL, amend },
		{ "--dispute", RESULT_ALONE, NULL, amend },
		{ "--redact", RESULT_ALONE, NULL, amend }, { 0 } },
	.options = (const cli_option[]){
		{ "note", OPTION_TEXT, offsetof(amend_options, note),
		  .about = "something that a reader should know", .value = "TEXT",
		  .forms = CLI_FORM(NOTE), .rivals = 1 },
		{ "dispute", OPTION_TEXT, offsetof(amend_options, dispute),
		  .about = "why the result should not be relied on", .value = "TEXT",
		  .forms = CLI_FORM(DISPUTE), .rivals = 1 },
		{ "redact", OPTION_TEXT, offsetof(amend_options, member),
		  .about = "what to take out", .value = "MEMBER", .forms = CLI_FORM(REDACT),
		  .rivals = 1 },
		{ "reason", OPTION_TEXT, offsetof(amend_options, reason),
		  .about = "why it is taken out", .value = "TEXT", .forms = CLI_FORM(REDACT),
		  .required = true },
		{ "key", OPTION_KEY, offsetof(amend_options, key),
		  .about = "an own key, or a PEM file (with a /)", .value = "NAME",
		  .preset = "default" },
		CLI_JSON(amend_options), { 0 } },
	.size = sizeof(amend_options),
	.exits = (const cli_item[]){
		{ "4", "altered, not redactable, wrong usage, or no such key" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand amend R.json --dispute 'The fan of this machine had failed.'",
		"evenhand amend R.json --redact executor.device.uuid --reason 'asset policy'", NULL },
};
