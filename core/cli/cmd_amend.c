/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "audit/audit.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/input_results.h"

typedef struct amend_options {
	const char *key, *note, *dispute, *member, *reason;
	bool json;
} amend_options;

static void print_amendment(const char *path, const char *kind, const char *member, bool json)
{
	cJSON *root;

	if (!json) {
		printf("%s.amendments: %s added%s%s\n", path, kind, member != NULL ?
		       "; taken out of the result: " : "", member != NULL ? member : "");
		return;
	}
	root = cJSON_CreateObject();
	json_add_string(root, "file", path);
	json_add_string(root, "added", kind);
	if (member != NULL)
		json_add_string(root, "member", member);
	command_json(root);
}

static eh_status amend(cli_call *call, eh_error *error)
{
	static const char *const kinds[] = { "note", "dispute", "redaction" };
	const amend_options *o = call->options;
	const char *path = call->words[0];
	enum audit_amendment_kind kind = o->note != NULL ? AUDIT_NOTE : o->dispute != NULL ?
	                                 AUDIT_DISPUTE : AUDIT_REDACT;
	const char *words = o->note != NULL ? o->note : o->dispute != NULL ? o->dispute : o->reason;
	audit_key *key = NULL;
	eh_status status = cli_inputs_refuse(path, error);

	if (status == EH_OK)
		status = audit_key_open(o->key, &key, error);
	if (status == EH_OK)
		status = audit_amend(path, kind, words, o->member, key, error);
	if (status == EH_OK)
		print_amendment(path, kinds[kind], o->member, o->json);
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
	         "executor.layers[N].path, and executor.layers[N].fields.NAME.value of an "
	         "identifier (uuid, serial, pci, path, host name). RESULT is one file.",
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
