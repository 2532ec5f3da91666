/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/bundle.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "record/result.h"
#include "record/journal.h"

extern const command command_bundle;

typedef struct pack_options {
	bundle_settings settings;
	const char *out, *key, *unpack;
	bool force, list;
} pack_options;

static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A journal that one of the results was built from. */
static eh_status check_journal(const pack_options *o, eh_error *error)
{
	const char *path = o->settings.journal;
	record_line line;
	bool ours = false;
	eh_status status = journal_line_at(path, 0, &line, error);

	if (status == EH_OK && line.kind != RECORD_LINE_RUN)
		status = error_set(error, EH_E_FORMAT, "%s is no journal: it does not begin with a run", path);
	for (size_t i = 0; i < o->settings.result_count && status == EH_OK && !ours; i++) {
		result *r = NULL;

		status = result_read_lean(o->settings.results[i], &r, error);
		ours = status == EH_OK && strcmp(r->record->run.id, line.run.id) == 0;
		result_free(r);
	}
	if (status == EH_OK && !ours)
		status = error_set(error, EH_E_USAGE, "%s is the journal of another run than the results'",
		                   path);
	record_line_clear(&line);
	return status;
}

static eh_status pack(pack_options *o, eh_error *error)
{
	audit_key *key = NULL;
	eh_status status = EH_OK;

	if (!o->force && file_exists(o->out))
		return error_set(error, EH_E_USAGE, "%s is there already; --force replaces it", o->out);
	if (o->settings.kernels != NULL && !is_folder(o->settings.kernels))
		return error_set(error, EH_E_USAGE, "--kernels %s: there is no such folder",
		                 o->settings.kernels);
	if (o->settings.journal != NULL)
		status = check_journal(o, error);
	if (status == EH_OK && o->key != NULL)
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

/* What was unpacked into the folder, and the folder. */
static void remove_members(const bundle *b, const char *folder)
{
	for (size_t i = 0; i < b->count; i++) {
		char *path = path_join(folder, b->members[i].name);

		(void)unlink(path);
		for (char *slash = strrchr(path, '/'); slash > path + strlen(folder);
		     slash = strrchr(path, '/')) {
			*slash = '\0';
			(void)rmdir(path);
		}
		free(path);
	}
	(void)rmdir(folder);
}

/* The folder is whole under its name, or it is not there. */
static eh_status extract(const bundle *b, const char *folder, eh_error *error)
{
	size_t size = strlen(folder);
	char *partial;
	eh_status status;

	while (size > 1 && folder[size - 1] == '/')
		size--;
	partial = memory_format("%.*s.tmp-%ld", (int)size, folder, (long)getpid());
	status = dir_make(partial, error);
	if (status == EH_OK)
		status = bundle_extract(b, partial, error);
	if (status == EH_OK && rename(partial, folder) != 0)
		status = error_system(error, errno, "cannot make the folder '%s'", folder);
	if (status != EH_OK)
		remove_members(b, partial);
	free(partial);
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
		status = extract(&b, o->unpack, error);
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
		if (*i + 1 >= argc || argv[*i + 1][0] == '\0')
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
	if (o->list && o->unpack != NULL)
		return error_set(error, EH_E_USAGE, "--list or --unpack, not both");
	if (o->list || o->unpack != NULL)
		return o->settings.result_count > 1 || o->out != NULL || o->key != NULL || o->force ||
		       o->settings.journal != NULL || o->settings.kernels != NULL ?
			error_set(error, EH_E_USAGE, "--list and --unpack take one bundle, and no other "
			          "flag") :
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
	.values = "-o --key --journal --kernels --unpack",
};
