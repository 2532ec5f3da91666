/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/input_results.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit.h"
#include "audit/bundle.h"
#include "audit/inspect.h"
#include "base/files.h"
#include "base/memory_bound.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/archiving.h"

static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* ---- files that are no results --------------------------------------------------------------- */

/* How the text of a file begins, what it is then, and the command that takes it. */
static const struct { const char *begins, *is, *command, *after; } others[] = {
	{ "{\"kind\":\"run\"", "the journal of a run", "evenhand run --resume", "" },
	{ "[claim]", "a claim", "evenhand claim", " RESULT..." },
	{ "[protocol]", "a protocol", "evenhand run", "" },
	{ "[site]", "a site file", "evenhand site check", "" },
};

/* The first line that is neither empty nor a comment. */
static const char *first_line(const char *line)
{
	line += strspn(line, " \t\r\n");
	while (*line == '#' || *line == ';') {
		line += strcspn(line, "\n");
		line += strspn(line, " \t\r\n");
	}
	return line;
}

static eh_status refuse_as(const char *path, const char *is, const char *command, const char *argument,
                           const char *after, eh_error *error)
{
	char *word = text_shell_word(argument);

	(void)error_set(error, EH_E_USAGE, "%s is %s, not a result; use: %s %s%s", path, is, command, word,
	                after);
	free(word);
	return EH_E_USAGE;
}

/* The journal's folder is what run --resume takes. */
static eh_status refuse_text(const char *path, const char *start, eh_error *error)
{
	const char *line = first_line(start), *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		char *argument;

		if (strncmp(line, others[i].begins, strlen(others[i].begins)) != 0)
			continue;
		argument = i > 0 ? memory_text(path) : slash == NULL ? memory_text(".") :
		           memory_format("%.*s", (int)(slash - path), path);
		(void)refuse_as(path, others[i].is, others[i].command, argument, others[i].after, error);
		free(argument);
		return EH_E_USAGE;
	}
	return EH_OK;
}

/* The first bytes of a regular file; empty where it is none. */
static void read_start(const char *path, char *out, size_t size)
{
	int fd = file_open_at(AT_FDCWD, path, O_RDONLY);
	ssize_t got = fd >= 0 ? read(fd, out, size - 1) : 0;

	out[got > 0 ? got : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

eh_status cli_inputs_refuse(const char *path, eh_error *error)
{
	char start[4096];

	if (is_folder(path))
		return error_set(error, EH_E_USAGE, "%s is a folder; name a file in it", path);
	if (bundle_is(path))
		return refuse_as(path, "a bundle", "evenhand bundle --unpack DIR", path, "", error);
	read_start(path, start, sizeof(start));
	return refuse_text(path, start, error);
}

/* After a result could not be read: what the file is, where that is known. */
static eh_status explain(const char *path, eh_status status, eh_error *error)
{
	return status == EH_E_FORMAT && cli_inputs_refuse(path, error) != EH_OK ? EH_E_USAGE : status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void add(cli_input *in, result *r)
{
	in->results = memory_grow(in->results, (in->count + 1) * sizeof(*in->results));
	in->results[in->count++] = r;
}

static eh_status add_source(cli_input *in, const source_bytes *from, eh_error *error)
{
	result *r;
	eh_status status = result_read_source(from, &r, error);

	if (status == EH_OK)
		add(in, r);
	return status;
}

/* With who vouches for it, so that the bundle is unpacked once. */
static eh_status add_member(cli_input *in, const bundle *b, const bundle_member *m,
                            const audit_keys *keys, eh_error *error)
{
	source_bytes from = bundle_bytes(b, m);
	char *name = path_join(in->word, m->name);
	audit_evidence *found = NULL;
	eh_error why = ERROR_INIT;
	eh_status status;

	from.name = name;
	status = add_source(in, &from, error);
	if (status == EH_OK) {
		(void)audit_trust_member(b, m->name, in->results[in->count - 1], keys, &found, &why);
		audit_trust_keep(in->results[in->count - 1], found, &why);
	}
	free(name);
	return status;
}

static eh_status add_members(cli_input *in, const bundle *b, eh_error *error)
{
	audit_keys keys;
	eh_status status = EH_OK;

	audit_keys_read(&keys);
	for (size_t i = 0; i < b->count && status == EH_OK; i++)
		if (bundle_is_result(&b->members[i]))
			status = add_member(in, b, &b->members[i], &keys, error);
	layout_clear(audit_keyring_layout(), &keys.ring);
	return status;
}

static eh_status add_bundle(cli_input *in, eh_error *error)
{
	bundle b;
	eh_status status = bundle_read(in->word, &b, error);

	if (status == EH_OK) {
		status = add_members(in, &b, error);
		bundle_free(&b);
	}
	return status;
}

static eh_status add_file(cli_input *in, const char *path, eh_error *error)
{
	result *r;
	char *bytes;
	size_t size;
	eh_status status;

	if (!file_exists(path) && bundle_member_read(path, &bytes, &size, NULL) == EH_OK) {
		source_bytes from = source_of_bytes(path, bytes, size);

		status = add_source(in, &from, error);
		free(bytes);
		return status;
	}
	status = result_read(path, &r, error);
	if (status == EH_OK)
		add(in, r);
	return explain(path, status, error);
}

static eh_status add_folder(cli_input *in, eh_error *error)
{
	char **paths;
	size_t count = 0;
	eh_status status = cli_inputs_paths(&in->word, 1, false, &paths, &count, error);

	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = add_file(in, paths[i], error);
	if (status == EH_E_FORMAT || status == EH_E_USAGE) {
		char *why = memory_text(error->message);

		(void)error_set(error, status, count > 0 ? "%s; name the result files instead" : "%s", why);
		free(why);
	}
	cli_inputs_paths_free(paths, count);
	return status;
}

static eh_status add_archived(cli_input *in, eh_error *error)
{
	eh_status status = archiving_read(in->word, &in->results, &in->count, error);

	in->folder = in->count > 1;
	return status;
}

static eh_status read_word(cli_input *in, eh_error *error)
{
	bool is_bundle = bundle_is(in->word);

	if (archiving_is(in->word) && !file_exists(in->word))
		return add_archived(in, error);
	in->folder = is_bundle || is_folder(in->word);
	if (!in->folder)
		return add_file(in, in->word, error);
	return is_bundle ? add_bundle(in, error) : add_folder(in, error);
}

typedef struct reading {
	cli_input *inputs;
	struct { eh_status status; eh_error error; } *outcomes;
} reading;

static void read_one(void *context, size_t i)
{
	reading *all = context;

	all->outcomes[i].error = (eh_error)ERROR_INIT;
	all->outcomes[i].status = read_word(&all->inputs[i], &all->outcomes[i].error);
}

eh_status cli_inputs_read(const char *const *words, size_t count, cli_input **out,
                          eh_error *error)
{
	reading all = { .inputs = memory_get((count + 1) * sizeof(*all.inputs)) };
	eh_status status = EH_OK;

	struct rlimit before = memory_bind("");

	all.outcomes = memory_get((count + 1) * sizeof(*all.outcomes));
	for (size_t i = 0; i < count; i++)
		all.inputs[i].word = words[i];
	parallel_each(count, read_one, &all);
	memory_unbind(&before);
	for (size_t i = 0; i < count && status == EH_OK; i++) {
		status = all.outcomes[i].status;
		if (status != EH_OK && error != NULL)
			*error = all.outcomes[i].error;
	}
	free(all.outcomes);
	if (status == EH_OK)
		*out = all.inputs;
	else
		cli_inputs_free(all.inputs, count);
	return status;
}

eh_status cli_inputs_of_bundle(const char *word, const bundle *b, cli_input **out, eh_error *error)
{
	struct rlimit before = memory_bind("");
	cli_input *in = memory_get(sizeof(*in));
	eh_status status;

	*in = (cli_input){ .word = word, .folder = true };
	status = add_members(in, b, error);
	memory_unbind(&before);
	if (status == EH_OK)
		*out = in;
	else
		cli_inputs_free(in, 1);
	return status;
}

static void free_one(void *context, size_t i)
{
	cli_input *in = (cli_input *)context + i;

	for (size_t k = 0; k < in->count; k++)
		result_free(in->results[k]);
	free(in->results);
}

void cli_inputs_free(cli_input *inputs, size_t count)
{
	parallel_each(count, free_one, inputs);
	free(inputs);
}

result **cli_inputs_all(const cli_input *inputs, size_t count, size_t *total)
{
	result **all = NULL;

	*total = 0;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < inputs[i].count; k++) {
			all = memory_grow(all, (*total + 1) * sizeof(*all));
			all[(*total)++] = inputs[i].results[k];
		}
	return all;
}

eh_status cli_inputs_single(const cli_input *in, const char *role, eh_error *error)
{
	if (in->count == 1)
		return EH_OK;
	return error_set(error, EH_E_USAGE, "%s is one result, but %s has %zu; name one, such as %s", role,
	                 in->word, in->count, in->results[0]->path);
}

/* ---- the reference --------------------------------------------------------------------------- */

static const char *name_of(const result *r)
{
	const char *label = text_or_empty(r->record->run.label);

	return label[0] != '\0' ? label : r->record->executor.name;
}

/* How a result is named: as a whole, or by a part of the executor's name. */
static bool named_whole(const result *r, const char *name)
{
	return strcmp(name_of(r), name) == 0 || strcmp(r->record->executor.name, name) == 0 ||
	       strcmp(r->path, name) == 0;
}

static bool named_partly(const result *r, const char *name)
{
	return strstr(name_of(r), name) != NULL;
}

static eh_status refuse_name(result *const *all, size_t count, const char *option, const char *name,
                             eh_error *error)
{
	text names = { 0 };

	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(name_of(all[i]), name_of(all[i - 1])) != 0)
			text_add(&names, "%s%s", i > 0 ? ", " : "", name_of(all[i]));
	(void)error_set(error, EH_E_USAGE, "%s %s: no result of that executor or file is among those to "
	                "compare; there is %s", option, name, count > 0 ? names.data : "none");
	text_free(&names);
	return EH_E_USAGE;
}

eh_status cli_inputs_find(result *const *all, size_t count, const char *option, const char *name,
                          const result **out, eh_error *error)
{
	static bool (*const ways[])(const result *, const char *) = { named_whole, named_partly };
	const result *found = NULL;

	for (size_t way = 0; way < 2 && found == NULL; way++)
		for (size_t i = 0; i < count; i++) {
			if (!ways[way](all[i], name))
				continue;
			if (found != NULL)
				return error_set(error, EH_E_USAGE, "%s %s: %s and %s both are; name the file "
				                 "instead", option, name, found->path, all[i]->path);
			found = all[i];
		}
	if (found == NULL)
		return refuse_name(all, count, option, name, error);
	*out = found;
	return EH_OK;
}

const result *cli_inputs_first(result *const *all, size_t count)
{
	const record_design *design = all[0]->record->run.design;

	for (size_t n = 0; design != NULL && n < design->executors.count; n++)
		for (size_t i = 0; i < count; i++)
			if (strcmp(name_of(all[i]), design->executors.items[n]) == 0)
				return all[i];
	return all[0];
}

eh_status cli_inputs_reference(const cli_input *inputs, size_t count, const char *name,
                               const result **out, eh_error *error)
{
	size_t all_count;
	result **all;
	eh_status status = EH_OK;

	if (name == NULL) {
		*out = cli_inputs_first(inputs[0].results, inputs[0].count);
		return EH_OK;
	}
	all = cli_inputs_all(inputs, count, &all_count);
	status = cli_inputs_find(all, all_count, "--baseline", name, out, error);
	free(all);
	return status;
}

/* ---- paths ----------------------------------------------------------------------------------- */

static void add_path(char ***paths, size_t *count, char *path)
{
	*paths = memory_grow(*paths, (*count + 1) * sizeof(**paths));
	(*paths)[(*count)++] = path;
}

static eh_status add_names(const char *folder, char ***paths, size_t *count, eh_error *error)
{
	char **names = dir_list(folder, ".json", error);
	size_t i;

	if (names == NULL)
		return error->code;
	for (i = 0; names[i] != NULL; i++)
		add_path(paths, count, path_join(folder, names[i]));
	dir_list_free(names);
	return i > 0 ? EH_OK :
	       error_set(error, EH_E_NOT_FOUND, "%s: holds no result (no file NAME.json)", folder);
}

eh_status cli_inputs_paths(const char *const *words, size_t count, bool bundles, char ***out,
                       size_t *out_count, eh_error *error)
{
	eh_status status = EH_OK;

	*out = NULL;
	*out_count = 0;
	for (size_t i = 0; i < count && status == EH_OK; i++) {
		if (is_folder(words[i]))
			status = add_names(words[i], out, out_count, error);
		else if (!bundle_is(words[i]) || !bundles)
			status = cli_inputs_refuse(words[i], error);
		if (status == EH_OK && !is_folder(words[i]))
			add_path(out, out_count, memory_text(words[i]));
	}
	return status;
}

void cli_inputs_paths_free(char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}
