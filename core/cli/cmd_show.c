/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/audit.h"
#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "cli/command.h"
#include "report/layers.h"
#include "report/report.h"

extern const command command_show;

static void print_json(const result *r)
{
	char *body = json_text(r->root, true);

	puts(body);
	free(body);
}

/* A folder is answered with a result in it. */
static eh_status refuse_folder(const char *path, eh_error *error)
{
	char **names = dir_list(path, ".json", error);
	char *example = names != NULL && names[0] != NULL ? path_join(path, names[0]) : NULL;

	(void)error_set(error, EH_E_USAGE, "%s is a folder; show takes one result%s%s (compare takes "
	                "folders)", path, example != NULL ? ", e.g. " : "",
	                example != NULL ? example : "");
	free(example);
	dir_list_free(names);
	return EH_E_USAGE;
}

/* What is printed of the record. */
typedef struct flags { bool json, verbose, layers, protocol; } flags;

/* With who vouches for it, and what was said about it since. */
static eh_status show_whole(const result *r, bool verbose, eh_error *error)
{
	audit_evidence *evidence = NULL;
	eh_status status = audit_trust(r, &evidence, error);

	(void)report_result(stdout, r, verbose);
	if (status == EH_OK)
		(void)report_evidence(stdout, r->path, evidence);
	audit_evidence_free(evidence);
	return status;
}

static int show(const char *path, const flags *f)
{
	eh_error error = ERROR_INIT;
	result *r;
	struct stat info;
	eh_status status = stat(path, &info) == 0 && S_ISDIR(info.st_mode) ?
		refuse_folder(path, &error) : result_read(path, &r, &error);

	if (status != EH_OK)
		return command_fail(&command_show, &error);
	if (f->json)
		print_json(r);
	else if (f->layers)
		(void)report_layers(stdout, &r->record->executor);
	else if (f->protocol)
		(void)fputs(json_string(json_path(r->root, "protocol"), "text", ""), stdout);
	else
		status = show_whole(r, f->verbose, &error);
	result_free(r);
	if (status != EH_OK)
		return command_fail(&command_show, &error);
	return command_printed(&command_show, EXIT_CODE_OK);
}

static int show_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	flags f = { .verbose = log_level() >= EH_LOG_INFO };
	bool options = true;
	const char *path = NULL;
	int i;

	for (i = 1; i < argc; i++) {
		if (options && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
			return command_help(&command_show);
		if (options && strcmp(argv[i], "--") == 0) {
			options = false;
		} else if (options && strcmp(argv[i], "--json") == 0) {
			f.json = true;
		} else if (options && strcmp(argv[i], "--layers") == 0) {
			f.layers = true;
		} else if (options && strcmp(argv[i], "--protocol") == 0) {
			f.protocol = true;
		} else if (options && (strcmp(argv[i], "-v") == 0 ||
		                       strcmp(argv[i], "--verbose") == 0)) {
			f.verbose = true;
		} else if (options && argv[i][0] == '-') {
			(void)error_set(&error, EH_E_USAGE, "unknown flag '%s'", argv[i]);
			return command_fail(&command_show, &error);
		} else if (path != NULL) {
			(void)error_set(&error, EH_E_USAGE, "one result at a time; `evenhand compare` "
			                "takes several");
			return command_fail(&command_show, &error);
		} else {
			path = argv[i];
		}
	}
	if (f.json + f.layers + f.protocol > 1) {
		(void)error_set(&error, EH_E_USAGE, "--json, --layers or --protocol: one of them");
		return command_fail(&command_show, &error);
	}
	if (path == NULL || path[0] == '\0') {
		(void)error_set(&error, EH_E_USAGE, "which result?");
		return command_fail(&command_show, &error);
	}
	return show(path, &f);
}

const command command_show = {
	.name = "show",
	.summary = "print a result for people, after checking that nobody altered it",
	.help = "usage: evenhand show RESULT [--json | --layers | --protocol] [-v]\n"
	        "\n"
	        "Prints one result: who measured what, the layers of the executor, and every case with\n"
	        "its status, the median time of one operation with its 95 % interval, the rate, and how\n"
	        "many samples in how many executions it rests on.  Below stand the reasons of the cases\n"
	        "that are not valid.  The structure, the digests and every derived number are checked\n"
	        "first; a file that was altered is refused at the place that shows it.\n"
	        "\n"
	        "  --json      the checked record as JSON\n"
	        "  --layers    the layers of the executor with their owners, and nothing else\n"
	        "  --protocol  the text of the protocol that was run, and nothing else\n"
	        "  -v          every layer with path, digest and fields; quartiles, canary and compiler of\n"
	        "              each case\n"
	        "\n"
	        "examples:\n"
	        "  evenhand show results/quick-1/host-gcc-12.json\n"
	        "  evenhand show --json R.json | jq '.cases[] | {id, rate: .derived.rate}'\n",
	.run = show_run,
};
