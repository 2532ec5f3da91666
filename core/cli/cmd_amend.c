/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/finished.h"
#include "cli/input_results.h"
#include "record/redact.h"

typedef struct amend_options {
	const char *key, *note, *dispute, *member, *hidden, *reason;
	bool json, finish;
} amend_options;

/* Takes the lists. */
static void take_amended(answer_amendment *answer, audit_amended *done)
{
	answer->already = done->before;
	answer->redacted = done->redacted;
	answer->finished = done->finished.members;
	answer->announced_by = done->finished.announcer;
	answer->remains = done->remains;
	answer->nearby = done->nearby;
	*done = (audit_amended){ .unsearched = done->unsearched };
}

/* why: nothing was added. */
static void print_amended(const answer_amendment *a, const char *why)
{
	finished_print(stdout, a->file, &a->finished, a->announced_by);
	if (a->already)
		command_put(stdout, "%s: %s; nothing was changed\n", a->file, why);
	else if (strcmp(a->added, "nothing") != 0)
		command_put(stdout, a->redacted.count > 0 ? "%s.amendments: %s added;" : "%s.amendments: %s added\n",
		            a->file, a->added);
	else if (a->finished.count == 0)
		command_put(stdout, "%s: there is nothing to finish\n", a->file);
	finished_print_list(stdout, " taken out of the result:", &a->redacted);
}

static void warn(const answer_amendment *a, bool unsearched)
{
	if (a->remains.count > 0)
		finished_print_list(stderr, "evenhand amend: the text still stands where it cannot be redacted, because "
		                    "digests or signatures cover it as it is; to publish without it, "
		                    "measure again:", &a->remains);
	finished_print_list(stderr, "evenhand amend: beside the result the text stands in", &a->nearby);
	if (a->redacted.count > 0 && unsearched)
		(void)fputs("evenhand amend: the text is so short that it was not looked for elsewhere\n",
		            stderr);
	if (a->redacted.count > 0)
		(void)fputs("evenhand amend: copies of the result and bundles made before keep the text\n",
		            stderr);
}

/* Prints, and gives the exit code: negative where the text still stands in what is given away. */
static int answer(const amend_options *o, const char *file, const char *added, audit_amended *done)
{
	answer_amendment a;
	int code;

	layout_init(answer_amendment_layout(), &a);
	text_set(&a.file, file);
	text_set(&a.added, added);
	text_set(&a.member, o->member);
	take_amended(&a, done);
	if (o->json)
		command_layout(answer_amendment_layout(), &a);
	else
		print_amended(&a, o->hidden != NULL ? "no text that can be redacted holds this one" :
		              "this redaction was made already");
	warn(&a, done->unsearched);
	code = a.remains.count > 0 ? EXIT_CODE_NEGATIVE : EXIT_CODE_OK;
	layout_clear(answer_amendment_layout(), &a);
	return code;
}

static audit_request request_of(const amend_options *o)
{
	if (o->note != NULL)
		return (audit_request){ .kind = AUDIT_NOTE, .words = o->note };
	if (o->dispute != NULL)
		return (audit_request){ .kind = AUDIT_DISPUTE, .words = o->dispute };
	return (audit_request){ AUDIT_REDACT, o->reason, o->member, o->hidden };
}

static eh_status amend(cli_call *call, eh_error *error)
{
	const amend_options *o = call->options;
	const audit_request q = request_of(o);
	const char *added = o->finish ? "nothing" :
	                    q.kind == AUDIT_REDACT ? "redaction" : audit_amendment_kind_word(q.kind);
	audit_amended done = { .before = false };
	audit_key *key = NULL;
	eh_status status = cli_inputs_refuse(call->words[0], error);

	if (status == EH_OK && !o->finish)
		status = audit_key_open(o->key, &key, error);
	if (status == EH_OK)
		status = audit_amend(call->words[0], &q, key, &done, error);
	/* What was done before an error is said first. */
	if (status == EH_OK || done.redacted.count > 0)
		call->code = answer(o, call->words[0], added, &done);
	else if (done.finished.members.count > 0)
		(void)answer(o, call->words[0], "nothing", &done);
	audit_amended_clear(&done);
	audit_key_close(key);
	return status;
}

#define RESULT_ALONE { { "RESULT", .kind = OPTION_PATH } }

enum { NOTE, DISPUTE, REDACT, REDACT_TEXT, FINISH };

const cli_command cmd_amend = {
	.name = "amend",
	.group = CLI_EVIDENCE,
	.summary = "add a signed note or dispute to a result, or redact a name in it",
	.about = "What was measured never changes. An amendment is a signed line in "
	         "RESULT.amendments, chained to the one before it; `show` and `compare` print "
	         "notes and disputes beside the numbers. RESULT is one file.\n\n"
	         "A redaction also takes texts out of RESULT and leaves commitments in their place, so "
	         "that every digest and signature still verifies: the member, and every other that may be "
	         "redacted and holds its text, in any case of letters or as part of a longer one. Only "
	         "what tells who or which machine can be redacted: " REDACT_MEMBERS ". Where the text "
	         "still stands is said: in the rest of the result, its signatures and its amendments, "
	         "where nothing can take it out (exit code 1), and in other files of its folder, such as "
	         "the run's journal. Texts of less than 4 bytes are not looked for.\n\n"
	         "A redaction is announced in RESULT.amendments first. If it is interrupted behind that, "
	         "--finish, or the next command that signs or amends RESULT, finishes it, and says who "
	         "announced it. For a key that you do not trust, only --finish does, for the owner of "
	         "RESULT: what is taken out is gone for good. Commands that "
	         "sign or amend one result wait for each other, 30 seconds at most.",
	.forms = (const cli_form[]){
		{ "--note", RESULT_ALONE, NULL, amend },
		{ "--dispute", RESULT_ALONE, NULL, amend },
		{ "--redact", RESULT_ALONE, NULL, amend },
		{ "--redact-text", RESULT_ALONE, NULL, amend },
		{ "--finish", RESULT_ALONE, NULL, amend }, { 0 } },
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
		{ "redact-text", OPTION_TEXT, offsetof(amend_options, hidden),
		  .about = "a text, such as a name, to take out with every member that holds it",
		  .value = "TEXT", .forms = CLI_FORM(REDACT_TEXT), .rivals = 1 },
		{ "reason", OPTION_TEXT, offsetof(amend_options, reason),
		  .about = "why it is taken out", .value = "TEXT",
		  .forms = CLI_FORM(REDACT) | CLI_FORM(REDACT_TEXT), .required = true },
		{ "finish", OPTION_FLAG, offsetof(amend_options, finish),
		  .about = "finish a redaction that was interrupted, if there is one; needs no key",
		  .forms = CLI_FORM(FINISH), .rivals = 1 },
		{ "key", OPTION_KEY, offsetof(amend_options, key),
		  .about = "an own key, or a PEM file (with a /)", .value = "NAME",
		  .forms = CLI_FORM(NOTE) | CLI_FORM(DISPUTE) | CLI_FORM(REDACT) | CLI_FORM(REDACT_TEXT),
		  .preset = "default" },
		CLI_JSON(amend_options), { 0 } },
	.size = sizeof(amend_options),
	.exits = (const cli_item[]){
		{ "1", "redacted, but the text still stands in what belongs to the result" },
		{ "4", "altered, not redactable, wrong usage, no such key, or a key that you do not "
		       "trust announced a redaction" },
		{ "5", "another command holds the result, its folder cannot be written, its group "
		       "would lose it, or a key that others could have changed or read" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand amend R.json --dispute 'The fan of this machine had failed.'",
		"evenhand amend R.json --redact executor.device.uuid --reason 'asset policy'",
		"evenhand amend R.json --redact-text jane --reason privacy", NULL },
};
