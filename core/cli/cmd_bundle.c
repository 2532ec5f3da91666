/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "audit/bundle.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "cli/replan.h"
#include "cli/whole_bundle.h"

typedef struct bundle_options {
	const char *out, *key, *journal, *kernels, *folder;
	bool force, list, json;
} bundle_options;

static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* What is packed is not replaced by the pack. */
static eh_status refuse_file(const bundle_options *o, const char *input, const char *suffix, eh_error *error)
{
	char *path = memory_format("%s%s", input, suffix);
	struct stat in, out;
	eh_status status = EH_OK;

	if (stat(o->out, &out) == 0 && stat(path, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
		status = error_set(error, EH_E_USAGE, "%s is packed, and would be replaced by the bundle: name another "
		                   "file by -o", path);
	free(path);
	return status;
}

static eh_status refuse_input(const bundle_options *o, const char *input, eh_error *error)
{
	static const char *const suffixes[] = { "", ".sig", ".amendments" };
	eh_status status = EH_OK;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes) && status == EH_OK; i++)
		status = refuse_file(o, input, suffixes[i], error);
	return status;
}

static void print_packed(const bundle_options *o, size_t results)
{
	/* Borrowed texts: it is not cleared. */
	answer_bundle packed = { .bundle = (char *)o->out, .results = results, .signed_by = (char *)o->key };

	if (o->json)
		command_layout(answer_bundle_layout(), &packed);
	else
		command_put(stdout, "%s: %zu result%s%s\n", o->out, results, results > 1 ? "s" : "",
		            packed.signed_by != NULL ? ", signed" : "");
}

static eh_status pack_results(const bundle_options *o, char **paths, size_t count, eh_error *error)
{
	bundle_settings settings = { .results = (const char *const *)paths, .result_count = count,
		                     .journal = o->journal, .kernels = o->kernels, .plan = replan };
	audit_key *key = NULL;
	eh_status status = EH_OK;

	if (o->key != NULL)
		status = audit_key_open(o->key, &key, error);
	settings.key = key;
	if (status == EH_OK)
		status = bundle_write(&settings, o->out, error);
	if (status == EH_OK)
		print_packed(o, count);
	audit_key_close(key);
	return status;
}

static eh_status pack(cli_call *call, eh_error *error)
{
	const bundle_options *o = call->options;
	char **paths;
	size_t count;
	eh_status status;

	if (!o->force && file_exists(o->out))
		return error_set(error, EH_E_USAGE, "%s already exists; --force replaces it", o->out);
	if (o->kernels != NULL && !is_folder(o->kernels))
		return error_set(error, EH_E_USAGE, "--kernels %s: there is no such folder", o->kernels);
	status = cli_inputs_paths(call->words, call->count, false, &paths, &count, error);
	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = refuse_input(o, paths[i], error);
	if (status == EH_OK && o->journal != NULL)
		status = refuse_input(o, o->journal, error);
	if (status == EH_OK)
		status = pack_results(o, paths, count, error);
	cli_inputs_paths_free(paths, count);
	return status;
}

static void print_members(const bundle *b, bool json)
{
	answer_member_list list = { NULL, 0 };

	for (size_t i = 0; i < b->count; i++) {
		answer_member *m = layout_append(answer_member_layout(), &list);

		m->name = b->members[i].name;
		m->bytes = b->members[i].size;
		if (!json)
			command_put(stdout, "%10zu  %s\n", b->members[i].size, m->name);
	}
	if (json)
		command_layout_list(answer_member_layout(), &list);
	/* The names are the bundle's. */
	free(list.items);
}

static eh_status list(cli_call *call, eh_error *error)
{
	const bundle_options *o = call->options;
	bundle b;
	eh_status status = bundle_read(call->words[0], &b, error);

	if (status != EH_OK)
		return status;
	print_members(&b, o->json);
	bundle_free(&b);
	return EH_OK;
}

/* Into a new folder.  Only what verify accepts is unpacked: the very bytes that it looked at. */
static eh_status unpack(cli_call *call, eh_error *error)
{
	const bundle_options *o = call->options;
	bundle b;
	eh_status status;

	if (file_exists(o->folder))
		return error_set(error, EH_E_USAGE, "%s already exists; name a new folder", o->folder);
	status = whole_bundle_read(call->words[0], "unpacked", &b, error);
	if (status != EH_OK)
		return status;
	status = bundle_extract(&b, o->folder, error);
	if (status == EH_OK && o->json)
		print_members(&b, true);
	else if (status == EH_OK)
		command_put(stdout, "%s: %zu files\n", o->folder, b.count);
	bundle_free(&b);
	return status;
}

enum { PACK, LIST, UNPACK };

const cli_command cmd_bundle = {
	.name = "bundle",
	.group = CLI_EVIDENCE,
	.summary = "pack results with all that a stranger needs to check and repeat them",
	.about = "Packs results, their signatures and amendments, their protocols and the kernel "
	         "texts that were measured into one archive (tar and gzip) with a manifest of "
	         "SHA-256 digests. What it wrote is verified before it has its name, so nothing is packed "
	         "that `verify` would refuse. The same files give the same bytes. RESULT is a file "
	         "or a folder. Commands that read results read bundles.",
	.forms = (const cli_form[]){
		{ NULL, { { "RESULT", .kind = OPTION_PATH, .many = true } }, NULL, pack },
		{ "--list", { { "BUNDLE", .kind = OPTION_PATH } }, NULL, list },
		{ "--unpack", { { "BUNDLE", .kind = OPTION_PATH } }, NULL, unpack }, { 0 } },
	.options = (const cli_option[]){
		{ "output", OPTION_PATH, offsetof(bundle_options, out),
		  .about = "the bundle, such as X.evenhand", .value = "FILE",
		  .forms = CLI_FORM(PACK), .letter = 'o', .required = true },
		{ "key", OPTION_KEY, offsetof(bundle_options, key),
		  .about = "sign the manifest with this key", .value = "NAME",
		  .forms = CLI_FORM(PACK) },
		{ "journal", OPTION_PATH, offsetof(bundle_options, journal),
		  .about = "add the run's journal; it holds the secret behind redactions, so no result may have one",
		  .value = "FILE", .forms = CLI_FORM(PACK) },
		{ "kernels", OPTION_PATH, offsetof(bundle_options, kernels),
		  .about = "look for kernel texts there first", .value = "DIR",
		  .forms = CLI_FORM(PACK) },
		{ "force", OPTION_FLAG, offsetof(bundle_options, force),
		  .about = "replace a file that is there", .forms = CLI_FORM(PACK) },
		{ "list", OPTION_FLAG, offsetof(bundle_options, list),
		  .about = "list the members of a bundle", .forms = CLI_FORM(LIST), .rivals = 1 },
		{ "unpack", OPTION_PATH, offsetof(bundle_options, folder),
		  .about = "unpack a bundle that holds (verify) into a new folder", .value = "DIR",
		  .forms = CLI_FORM(UNPACK), .rivals = 1 },
		CLI_JSON(bundle_options), { 0 } },
	.size = sizeof(bundle_options),
	.exits = (const cli_item[]){
		{ "4", "a result or kernel text that `verify` would refuse, or wrong usage; nothing is left" },
		{ "5", "disk, rights, or more than a bundle may have; nothing is left" },
		{ NULL, NULL } },
	.examples = (const char *const[]){ "evenhand bundle results/quick-1 -o quick.evenhand",
		                           "evenhand bundle quick.evenhand --unpack quick", NULL },
};
