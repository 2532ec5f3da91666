/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/command.h"

extern const command command_bundle;

typedef struct pack_options {
	bundle_settings settings;
	const char *out, *key, *unpack;
	bool force, list;
} pack_options;

static eh_status pack(pack_options *o, eh_error *error)
{
	audit_key *key = NULL;
	eh_status status = EH_OK;

	if (!o->force && file_exists(o->out))
		return error_set(error, EH_E_USAGE, "%s is there already; --force replaces it", o->out);
	if (o->key != NULL)
		status = audit_key_open(o->key, &key, error);
	o->settings.key = key;
	if (status == EH_OK)
		status = bundle_write(&o->settings, o->out, error);
	if (status == EH_OK)
		printf("%s: %zu result%s%s\n", o->out, o->settings.result_count,
		       o->settings.result_count > 1 ? "s" : "", key != NULL ? ", signed" : "");
	audit_key_close(key);
	return status;
}

/* Into a folder that is made for it. */
static eh_status unpack(const pack_options *o, eh_error *error)
{
	bundle b;
	eh_status status = bundle_read(o->settings.results[0], &b, error);

	if (status != EH_OK)
		return status;
	if (o->list) {
		for (size_t i = 0; i < b.count; i++)
			printf("%10zu  %s\n", b.members[i].size, b.members[i].name);
	} else if (file_exists(o->unpack)) {
		status = error_set(error, EH_E_USAGE, "%s is there already; name a folder that is not",
		                   o->unpack);
	} else {
		status = dir_make(o->unpack, error);
		if (status == EH_OK)
			status = bundle_extract(&b, o->unpack, error);
		if (status == EH_OK)
			printf("%s: %zu files\n", o->unpack, b.count);
	}
	bundle_free(&b);
	return status;
}

static eh_status take_flag(int argc, char **argv, int *i, pack_options *o, eh_error *error)
{
	const struct { const char *flag; const char **value; } flags[] = {
		{ "-o", &o->out }, { "--key", &o->key }, { "--journal", &o->settings.journal },
		{ "--kernels", &o->settings.kernels }, { "--unpack", &o->unpack }
	};

	if (strcmp(argv[*i], "--force") == 0 || strcmp(argv[*i], "--list") == 0) {
		*(argv[*i][2] == 'f' ? &o->force : &o->list) = true;
		return EH_OK;
	}
	for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
		if (strcmp(argv[*i], flags[f].flag) != 0)
			continue;
		if (*i + 1 >= argc)
			return error_set(error, EH_E_USAGE, "flag '%s' needs a value", flags[f].flag);
		*flags[f].value = argv[++*i];
		return EH_OK;
	}
	return error_set(error, EH_E_USAGE, "unknown flag '%s'", argv[*i]);
}

static eh_status act(pack_options *o, eh_error *error)
{
	if (o->settings.result_count == 0)
		return error_set(error, EH_E_USAGE, "which results?");
	if (o->list || o->unpack != NULL)
		return o->settings.result_count > 1 || o->out != NULL ?
			error_set(error, EH_E_USAGE, "--list and --unpack take one bundle") :
			unpack(o, error);
	if (o->out == NULL)
		return error_set(error, EH_E_USAGE, "where to? -o X.evenhand");
	return pack(o, error);
}

static int bundle_run(int argc, char **argv)
{
	eh_error error = ERROR_INIT;
	pack_options o = { .out = NULL };
	const char **paths = memory_get(((size_t)argc + 1) * sizeof(char *));
	bool options = true;
	int code = -1;

	o.settings.results = paths;
	for (int i = 1; i < argc && code < 0; i++) {
		if (!options || argv[i][0] != '-')
			paths[o.settings.result_count++] = argv[i];
		else if (strcmp(argv[i], "--") == 0)
			options = false;
		else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			code = command_help(&command_bundle);
		else if (take_flag(argc, argv, &i, &o, &error) != EH_OK)
			code = command_fail(&command_bundle, &error);
	}
	if (code < 0)
		code = act(&o, &error) == EH_OK ? command_printed(&command_bundle, EXIT_CODE_OK) :
		                                  command_fail(&command_bundle, &error);
	free(paths);
	return code;
}

const command command_bundle = {
	.name = "bundle",
	.summary = "pack results with all that a stranger needs to check and repeat them",
	.help = "usage: evenhand bundle RESULT... -o X.evenhand [--key NAME] [--journal FILE]\n"
	        "                       [--kernels FOLDER] [--force]\n"
	        "       evenhand bundle X.evenhand --list\n"
	        "       evenhand bundle X.evenhand --unpack FOLDER\n"
	        "\n"
	        "Packs results, their signatures and amendments, their protocols and the kernel texts that\n"
	        "were measured into one archive (tar and gzip) with a manifest of SHA-256 digests.  Every\n"
	        "result is checked first, and every kernel text must give the digest in the result.  The\n"
	        "same files give the same bytes.  `evenhand verify` reads bundles.\n"
	        "\n"
	        "  -o FILE           the bundle\n"
	        "  --key NAME        sign the manifest\n"
	        "  --journal FILE    add the run's journal; it holds the secret behind redactions\n"
	        "  --kernels FOLDER  look for kernel texts there first\n"
	        "  --force           replace a file that is there\n"
	        "  --list            what is in a bundle\n"
	        "  --unpack FOLDER   unpack into a new folder\n"
	        "\n"
	        "exit codes: 0 done; 4 altered, wrong usage, or a kernel text that was not measured; 5 cannot\n"
	        "read or write\n"
	        "\n"
	        "example:\n"
	        "  evenhand bundle results/quick-1/*.json -o quick.evenhand\n",
	.run = bundle_run,
};
