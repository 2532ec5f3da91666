/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "audit/audit.h"
#include "cli/command.h"

extern const command command_amend;

typedef struct amend_options {
	const char *path, *key, *note, *dispute, *member, *reason;
} amend_options;

static eh_status take_flag(int argc, char **argv, int *i, amend_options *o, eh_error *error)
{
	const struct { const char *flag; const char **value; } flags[] = {
		{ "--key", &o->key }, { "--note", &o->note }, { "--dispute", &o->dispute },
		{ "--redact", &o->member }, { "--reason", &o->reason }
	};

	for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
		if (strcmp(argv[*i], flags[f].flag) != 0)
			continue;
		if (*i + 1 >= argc || argv[*i + 1][0] == '\0')
			return error_set(error, EH_E_USAGE, "flag '%s' needs a value", flags[f].flag);
		*flags[f].value = argv[++*i];
		return EH_OK;
	}
	return error_set(error, EH_E_USAGE, "unknown flag '%s'", argv[*i]);
}

static eh_status amend(const amend_options *o, eh_error *error)
{
	enum audit_amendment_kind kind = o->note != NULL ? AUDIT_NOTE : o->dispute != NULL ?
	                                 AUDIT_DISPUTE : AUDIT_REDACT;
	const char *words = o->note != NULL ? o->note : o->dispute != NULL ? o->dispute : o->reason;
	audit_key *key = NULL;
	eh_status status;

	if ((o->note != NULL) + (o->dispute != NULL) + (o->member != NULL) != 1)
		return error_set(error, EH_E_USAGE, "one of --note, --dispute and --redact");
	if ((o->member != NULL) != (o->reason != NULL))
		return error_set(error, EH_E_USAGE, "--redact and --reason go together");
	status = audit_key_open(o->key, &key, error);
	if (status == EH_OK)
		status = audit_amend(o->path, kind, words, o->member, key, error);
	if (status == EH_OK)
		printf("%s.amendments: %s added%s%s\n", o->path, kind == AUDIT_NOTE ? "a note" :
		       kind == AUDIT_DISPUTE ? "a dispute" : "a redaction",
		       kind == AUDIT_REDACT ? "; taken out of the result: " : "",
		       kind == AUDIT_REDACT ? o->member : "");
	audit_key_close(key);
	return status;
}

static int amend_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	amend_options o = { .key = "default" };

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_amend);
		if (argv[i][0] == '-') {
			if (take_flag(argc, argv, &i, &o, &error) != EH_OK)
				return command_fail(&command_amend, &error);
		} else if (o.path != NULL) {
			(void)error_set(&error, EH_E_USAGE, "one result at a time");
			return command_fail(&command_amend, &error);
		} else {
			o.path = argv[i];
		}
	}
	if (o.path == NULL)
		(void)error_set(&error, EH_E_USAGE, "which result?");
	if (o.path == NULL || amend(&o, &error) != EH_OK)
		return command_fail(&command_amend, &error);
	return command_printed(&command_amend, EXIT_CODE_OK);
}

const command command_amend = {
	.name = "amend",
	.summary = "add a signed note or dispute to a result, or redact a name in it",
	.help = "usage: evenhand amend RESULT --note TEXT [--key NAME]\n"
	        "       evenhand amend RESULT --dispute TEXT [--key NAME]\n"
	        "       evenhand amend RESULT --redact MEMBER --reason TEXT [--key NAME]\n"
	        "\n"
	        "What was measured never changes.  An amendment is a signed line in RESULT.amendments,\n"
	        "chained to the one before it; show and compare print notes and disputes beside the\n"
	        "numbers.  A redaction also takes one text out of RESULT and leaves a commitment in its\n"
	        "place, so that every digest and signature still verifies.  Only what tells who or which\n"
	        "machine can be redacted: who.tester, who.sponsor, executor.device.uuid,\n"
	        "executor.device.pci, executor.layers[N].path, executor.layers[N].fields.NAME.value of\n"
	        "an identifier (uuid, serial, pci, path, host name).\n"
	        "\n"
	        "  --note TEXT      something a reader should know\n"
	        "  --dispute TEXT   why the result should not be relied on\n"
	        "  --redact MEMBER  what to take out, with\n"
	        "  --reason TEXT    why\n"
	        "  --key NAME       an own key, or a PEM file (with a '/'); without it, \"default\"\n"
	        "\n"
	        "exit codes: 0 done; 4 altered, not redactable, wrong usage, or no such key; 5 cannot read or\n"
	        "write\n"
	        "\n"
	        "examples:\n"
	        "  evenhand amend R.json --dispute 'The fan of this machine had failed.'\n"
	        "  evenhand amend R.json --redact executor.device.uuid --reason 'asset policy'\n",
	.run = amend_run,
	.values = "--note --dispute --redact --reason --key",
};
