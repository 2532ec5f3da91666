/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "base/json.h"
#include "cli/command.h"

extern const command command_sign;

static eh_status sign(const char *path, const char *key_name, unsigned role, eh_error *error)
{
	audit_key *key = NULL;
	audit_evidence *evidence = NULL;
	result *r = NULL;
	eh_status status = result_read_lean(path, &r, error);

	if (status == EH_OK)
		status = audit_trust(r, &evidence, error);
	if (status == EH_OK && evidence->level == AUDIT_BROKEN)
		status = error_set(error, EH_E_ALTERED, "%s: %s; it is not signed again before that is "
		                   "mended", path, evidence->problems[0]);
	if (status == EH_OK)
		status = audit_key_open(key_name, &key, error);
	if (status == EH_OK) {
		audit_subject subject = { "result", json_string(r->root, "digest", ""), r->file_sha256,
			                  r->root };

		status = audit_sign(path, &subject, key, role, error);
		if (status == EH_OK)
			printf("%s.sig: signed by %s as %s, fingerprint %s\n", path, key_name,
			       role == AUDIT_VERIFIER ? "verifier" : "tester",
			       audit_key_public(key)->fingerprint);
	}
	audit_key_close(key);
	audit_evidence_free(evidence);
	result_free(r);
	return status;
}

static int sign_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	const char *path = NULL, *key = "default";
	unsigned role = AUDIT_TESTER;
	bool options = true;

	for (int i = 1; i < argc; i++) {
		bool more = i + 1 < argc;

		if (options && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
			return command_help(&command_sign);
		if (options && strcmp(argv[i], "--") == 0) {
			options = false;
		} else if (options && strcmp(argv[i], "--key") == 0 && more) {
			key = argv[++i];
		} else if (options && strcmp(argv[i], "--as") == 0 && more &&
		           (strcmp(argv[i + 1], "tester") == 0 ||
		            strcmp(argv[i + 1], "verifier") == 0)) {
			role = argv[++i][0] == 'v' ? AUDIT_VERIFIER : AUDIT_TESTER;
		} else if (options && argv[i][0] == '-') {
			(void)error_set(&error, EH_E_USAGE, strcmp(argv[i], "--as") == 0 ?
			                "flag '%s' takes tester or verifier" :
			                "unknown flag '%s', or its value is missing", argv[i]);
			return command_fail(&command_sign, &error);
		} else if (path != NULL) {
			(void)error_set(&error, EH_E_USAGE, "one result at a time");
			return command_fail(&command_sign, &error);
		} else {
			path = argv[i];
		}
	}
	if (path == NULL) {
		(void)error_set(&error, EH_E_USAGE, "which result?");
		return command_fail(&command_sign, &error);
	}
	if (sign(path, key, role, &error) != EH_OK)
		return command_fail(&command_sign, &error);
	return command_printed(&command_sign, EXIT_CODE_OK);
}

const command command_sign = {
	.name = "sign",
	.summary = "sign a result, as the one who measured or as a second party who checked it",
	.help = "usage: evenhand sign RESULT [--key NAME] [--as tester|verifier]\n"
	        "\n"
	        "Checks the result, then adds a signature to RESULT.sig, over the record's digest and the\n"
	        "bytes of the file.  A tester vouches for having measured it; a verifier, with another\n"
	        "key, for having checked it.  A result that both signed counts as verified for everyone\n"
	        "who trusts the keys (evenhand key trust).\n"
	        "\n"
	        "  --key NAME   an own key, or a PEM file (with a '/'); without it, \"default\"\n"
	        "  --as ROLE    tester (without the flag) or verifier\n"
	        "\n"
	        "A key with a passphrase takes it from EVENHAND_KEY_PASSPHRASE or asks at the terminal.\n"
	        "\n"
	        "exit codes: 0 signed; 4 altered, no result, signed by this key before, or no such key;\n"
	        "5 cannot read or write\n"
	        "\n"
	        "example:\n"
	        "  evenhand sign results/quick-1/host-gcc-12.json --key lab\n",
	.run = sign_run,
	.values = "--key --as",
};
