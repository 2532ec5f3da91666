/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/trust.h"
#include "plugin/object_file.h"
#include "plugin/plugin.h"

static const struct { const char *variable, *folder, *word; } kinds[] = {
	[PLUGIN_BACKEND] = { "EVENHAND_BACKEND_PATH", "backends", "backend" },
	[PLUGIN_WORKLOAD] = { "EVENHAND_WORKLOAD_PATH", "workloads", "workload" },
	[PLUGIN_PROBE] = { "EVENHAND_PROBE_PATH", "probes", "probe" },
	[PLUGIN_CONFORMANCE] = { "EVENHAND_CONFORMANCE_PATH", "conformance", "conformance suite" },
};

const char *plugin_kind_word(enum plugin_kind kind)
{
	return kinds[kind].word;
}

/* Appends the folder and takes ownership of it; frees it when it is listed already. */
static size_t add_folder(char **folders, size_t count, char *folder)
{
	char *real;

	if (folder == NULL)
		return count;
	real = realpath(folder, NULL);
	for (size_t i = 0; i < count; i++) {
		char *other = realpath(folders[i], NULL);
		bool same = strcmp(folders[i], folder) == 0 ||
		            (real != NULL && other != NULL && strcmp(real, other) == 0);

		free(other);
		if (same) {
			free(folder);
			free(real);
			return count;
		}
	}
	free(real);
	folders[count] = folder;
	return count + 1;
}

char **plugin_folders(enum plugin_kind kind)
{
	const char *list = getenv(kinds[kind].variable);
	size_t room = 4, count = 0;
	char **folders, *user;

	for (const char *c = list; c != NULL && *c != '\0'; c++)
		room += *c == ':';
	folders = memory_get(room * sizeof(*folders));
	while (list != NULL && *list != '\0') {
		size_t size = strcspn(list, ":");

		if (size > 0)
			count = add_folder(folders, count, memory_format("%.*s", (int)size, list));
		list += size + (list[size] == ':');
	}
	user = paths_user_data(kinds[kind].folder);
	if (user != NULL)
		count = add_folder(folders, count, user);
	count = add_folder(folders, count, paths_library(kinds[kind].folder));
	folders[count] = NULL;
	return folders;
}

void plugin_folders_free(char **folders)
{
	for (size_t i = 0; folders != NULL && folders[i] != NULL; i++)
		free(folders[i]);
	free(folders);
}

/* Sets the status of files[count], whose path and name are set. */
static void judge_file(plugin_file *files, size_t count, eh_status folder_status,
                       const char *folder_reason)
{
	plugin_file *file = &files[count];
	eh_error error = ERROR_INIT;
	size_t earlier = 0;

	file->status = folder_status;
	if (folder_status != EH_OK) {
		file->reason = memory_text(folder_reason);
		return;
	}
	file->status = object_file_trust(file->path, NULL, &error);
	if (file->status != EH_OK) {
		file->reason = memory_text(error.message);
		return;
	}
	while (earlier < count && (files[earlier].status != EH_OK ||
	                           strcmp(files[earlier].name, file->name) != 0))
		earlier++;
	if (earlier == count)
		return;
	file->shadowed = true;
	file->status = EH_E_INVALID_ARGUMENT;
	file->reason = memory_format("shadowed by %s", files[earlier].path);
}

size_t plugin_search(enum plugin_kind kind, plugin_file **out)
{
	char **folders = plugin_folders(kind);
	plugin_file *files = NULL;
	size_t count = 0;

	for (size_t f = 0; folders[f] != NULL; f++) {
		eh_error error = ERROR_INIT;
		char **names = dir_list(folders[f], ".so", &error);
		eh_status folder_status;

		if (names == NULL) {
			log_write(EH_LOG_WARN, "%s; its plugins are left out", error.message);
			continue;
		}
		folder_status = names[0] != NULL ? trust_open(folders[f], TRUST_FOLDER, NULL, NULL, &error) : EH_OK;

		for (size_t n = 0; names[n] != NULL; n++) {
			if (strlen(names[n]) <= strlen(".so"))
				continue;
			files = memory_grow(files, (count + 1) * sizeof(*files));
			files[count] = (plugin_file){
				.path = path_join(folders[f], names[n]),
				.name = memory_format("%.*s",
				                      (int)(strlen(names[n]) - strlen(".so")), names[n]),
			};
			judge_file(files, count++, folder_status, error.message);
		}
		dir_list_free(names);
	}
	plugin_folders_free(folders);
	*out = files;
	return count;
}

void plugin_files_free(plugin_file *files, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(files[i].path);
		free(files[i].name);
		free(files[i].reason);
	}
	free(files);
}

/* "no backend is called 'x'; there are host, opencl (looked in A, B)". */
static eh_status report_miss(enum plugin_kind kind, const char *name, const plugin_file *files,
                             size_t count, eh_error *error)
{
	const char **names = memory_get((count + 1) * sizeof(*names));
	char **folders = plugin_folders(kind);
	text there = { 0 }, looked = { 0 };
	const char *near;
	size_t usable = 0;
	eh_status status;

	for (size_t i = 0; i < count; i++) {
		if (files[i].status != EH_OK)
			continue;
		names[usable++] = files[i].name;
		text_add(&there, "%s%s", usable > 1 ? ", " : "", files[i].name);
	}
	for (size_t i = 0; folders[i] != NULL; i++)
		text_add(&looked, "%s%s", i > 0 ? ", " : "", folders[i]);
	near = text_nearest(name, names, usable);
	status = error_set(error, EH_E_NOT_FOUND,
	                   "no %s is called '%s'%s%s%s; there %s %s (looked in %s)",
	                   kinds[kind].word, name, near != NULL ? ": did you mean '" : "",
	                   near != NULL ? near : "", near != NULL ? "'" : "",
	                   usable == 1 ? "is" : "are", usable > 0 ? there.data : "none",
	                   looked.data != NULL ? looked.data : "no folder");
	text_free(&there);
	text_free(&looked);
	plugin_folders_free(folders);
	free(names);
	return status;
}

static eh_status load(enum plugin_kind kind, const char *path, const void **out, eh_error *error)
{
	const eh_workload *workload = NULL;
	const eh_conformance *suite = NULL;
	eh_status status = kind == PLUGIN_WORKLOAD ? plugin_load_workload(path, &workload, error)
	                                           : plugin_load_conformance(path, &suite, error);

	*out = kind == PLUGIN_WORKLOAD ? (const void *)workload : (const void *)suite;
	return status;
}

size_t plugin_next(plugin_file *files, size_t count, size_t i)
{
	size_t next = i + 1;

	while (next < count && !(files[next].shadowed && strcmp(files[next].name, files[i].name) == 0))
		next++;
	if (next < count) {
		files[next].status = EH_OK;
		files[next].shadowed = false;
		free(files[next].reason);
		files[next].reason = NULL;
	}
	return next;
}

/* Loads the first file of that name that is not refused, with a warning when it is not the first at
 * all; the error is that of the first.  *path, if path is not NULL, is its malloc'd path. */
static eh_status find(enum plugin_kind kind, const char *name, const void **out, char **path,
                      eh_error *error)
{
	plugin_file *files;
	size_t count = plugin_search(kind, &files), met = 0;
	eh_error first = ERROR_INIT, own = ERROR_INIT;
	eh_status status = EH_E_NOT_FOUND;

	for (size_t i = 0; i < count && status != EH_OK; i++) {
		if (strcmp(files[i].name, name) != 0)
			continue;
		status = files[i].status;
		if (status == EH_OK || files[i].shadowed)
			status = load(kind, files[i].path, out, &own);
		else
			(void)error_set(&own, status, "%s", files[i].reason);
		if (status == EH_OK && path != NULL)
			*path = memory_text(files[i].path);
		if (met++ == 0)
			first = own;
		else if (status == EH_OK)
			log_write(EH_LOG_WARN, "%s; %s is used instead", first.message, files[i].path);
	}
	if (met == 0)
		(void)report_miss(kind, name, files, count, &first);
	if (status != EH_OK && error != NULL)
		*error = first;
	plugin_files_free(files, count);
	return status != EH_OK ? first.code : EH_OK;
}

const eh_workload *plugin_find_workload(void *context, const char *name, eh_error *error)
{
	const void *workload = NULL;

	(void)context;
	return find(PLUGIN_WORKLOAD, name, &workload, NULL, error) == EH_OK ? workload : NULL;
}

eh_status plugin_find_workload_file(const char *name, const eh_workload **out, char **path,
                                    eh_error *error)
{
	const void *workload = NULL;
	eh_status status = find(PLUGIN_WORKLOAD, name, &workload, path, error);

	if (status == EH_OK)
		*out = workload;
	return status;
}

eh_status plugin_find_conformance(const eh_conformance **out, eh_error *error)
{
	const void *suite = NULL;
	eh_status status = find(PLUGIN_CONFORMANCE, "conformance", &suite, NULL, error);

	if (status == EH_OK)
		*out = suite;
	return status;
}
