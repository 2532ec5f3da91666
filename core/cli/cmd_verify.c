/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/inspect.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "cli/replan.h"
#include "report/verification.h"

typedef struct verify_options {
	bool json, require;
	const char *key;      /* a fingerprint, a name or a file; NULL: any                    */
	char fingerprint[65]; /* of that key; set by find_key()                                */
} verify_options;

/* ---- the key --------------------------------------------------------------------------------- */

/* Sets o->fingerprint where --key was given. */
static eh_status find_key(verify_options *o, eh_error *error)
{
	audit_keyring ring;
	audit_public key;
	eh_status status;

	if (o->key == NULL)
		return EH_OK;
	if (strlen(o->key) == 64 && strspn(o->key, "0123456789abcdef") == 64) {
		memcpy(o->fingerprint, o->key, sizeof(o->fingerprint));
		return EH_OK;
	}
	status = audit_keyring_read(&ring, error);
	if (status == EH_OK)
		status = audit_keyring_key(&ring, o->key, &key, error);
	if (status == EH_OK)
		memcpy(o->fingerprint, key.fingerprint, sizeof(o->fingerprint));
	layout_clear(audit_keyring_layout(), &ring);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int code_of(enum audit_answer answer)
{
	static const int codes[] = {
		[AUDIT_CONSISTENT] = EXIT_CODE_OK, [AUDIT_HOLDS] = EXIT_CODE_OK,
		[AUDIT_ALTERED] = EXIT_CODE_NEGATIVE,
		[AUDIT_NOT_SIGNED] = EXIT_CODE_INCONCLUSIVE, [AUDIT_NO_RESULT] = EXIT_CODE_USAGE,
		[AUDIT_EVIDENCE_UNREADABLE] = EXIT_CODE_ENVIRONMENT
	};

	return codes[answer];
}

/* From the mildest to the most severe. */
static int worse(int a, int b)
{
	static const int order[] = { EXIT_CODE_OK, EXIT_CODE_INCONCLUSIVE, EXIT_CODE_NEGATIVE,
		                     EXIT_CODE_USAGE, EXIT_CODE_ENVIRONMENT };
	size_t x = 0, y = 0, i;

	for (i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		x = order[i] == a ? i : x;
		y = order[i] == b ? i : y;
	}
	return order[x > y ? x : y];
}

static void print_all(const verify_options *o, const audit_verification *all)
{
	if (o->json)
		command_layout(audit_verification_layout(), all);
	for (size_t i = 0; i < all->reports.count && !o->json; i++)
		(void)report_verification(stdout, &all->reports.items[i]);
}

/* Adds the reports of one word of the command line. */
static eh_status inspect(const char *word, audit_verification *all, eh_error *error)
{
	char **paths;
	size_t count;
	eh_status status = cli_inputs_paths(&word, 1, true, &paths, &count, error);

	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = audit_inspect(paths[i], replan, all, error);
	cli_inputs_paths_free(paths, count);
	return status;
}

/* Looks at everything that can be read; the errors of the rest are printed. */
static void inspect_all(cli_call *call, const verify_options *o)
{
	audit_verification all;

	layout_init(audit_verification_layout(), &all);
	for (size_t i = 0; i < call->count; i++) {
		eh_error error = ERROR_INIT;

		if (inspect(call->words[i], &all, &error) != EH_OK)
			call->code = worse(call->code, command_fail(call->command, &error));
	}
	for (size_t i = 0; i < all.reports.count; i++) {
		audit_report *r = &all.reports.items[i];

		if (o->require || o->key != NULL)
			audit_require_signature(r, o->key != NULL ? o->fingerprint : NULL);
		call->code = worse(call->code, code_of(r->answer));
	}
	print_all(o, &all);
	layout_clear(audit_verification_layout(), &all);
}

static eh_status verify(cli_call *call, eh_error *error)
{
	verify_options o = *(const verify_options *)call->options;
	eh_status status = find_key(&o, error);

	if (status == EH_OK)
		inspect_all(call, &o);
	return status;
}

const cli_command cmd_verify = {
	.name = "verify",
	.group = CLI_EVIDENCE,
	.summary = "check results and bundles: structure, digests, every derived number, "
	           "signatures",
	.about = "Checks without measuring anything: no accelerator or backend is needed. Of each "
	         "result it checks the structure, the protocol, that every case is that of the plan, "
	         "everything that follows from samples and instruments, the evidence of every case, "
	         "all digests, and the signatures (RESULT.sig) and amendments (RESULT.amendments) "
	         "beside it. Where its workloads are installed, the protocol's text is planned again. "
	         "Everything that does not hold is printed with its place, the stated and the "
	         "recomputed value. A forger who computes everything anew is consistent too: only a "
	         "signature says who vouches. docs/audit.md says what this proves.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, verify },
		{ 0 } },
	.options = (const cli_option[]){
		{ "require-signature", OPTION_FLAG, offsetof(verify_options, require),
		  .about = "fail unless a key that you trust as tester signed each result" },
		{ "key", OPTION_KEY, offsetof(verify_options, key),
		  .about = "fail unless this key signed: a name, a file or a fingerprint",
		  .value = "KEY" },
		CLI_JSON(verify_options), { 0 } },
	.size = sizeof(verify_options),
	.exits = (const cli_item[]){
		{ "0", "everything is consistent, signed or not" },
		{ "1", "something was altered, or a signature does not hold" },
		{ "2", "it is consistent, but not signed as required" },
		{ "4", "a file is no result, or wrong usage" },
		{ "5", "a file cannot be read, or what is beside a result that is consistent" },
		{ NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand verify results/quick-1",
		"evenhand verify --require-signature --json X.evenhand | jq '.reports[].evidence.level'", NULL },
};
