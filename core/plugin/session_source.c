/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/trust.h"
#include "plugin/plugin.h"
#include "plugin/session.h"

#define PRELUDE "dialect.h"

/* The path of KERNEL.k, or NULL.  The folders of workloads come first, as a kernel text is beside
 * its workload; the installed texts are in the data folder. */
static char *find_text(const char *kernel)
{
	char **folders = plugin_folders(PLUGIN_WORKLOAD);
	char *file = memory_format("%s.k", kernel);
	char *path = NULL;

	for (size_t i = 0; path == NULL && folders[i] != NULL; i++) {
		char *candidate = path_join(folders[i], file);

		if (file_exists(candidate))
			path = candidate;
		else
			free(candidate);
	}
	plugin_folders_free(folders);
	if (path == NULL) {
		char *folder = paths_data("workloads");

		path = path_join(folder, file);
		free(folder);
		if (!file_exists(path)) {
			free(path);
			path = NULL;
		}
	}
	free(file);
	return path;
}

static eh_status read_prelude(char **out, size_t *size, eh_error *error)
{
	char *folder = paths_data("workloads");
	char *path = path_join(folder, PRELUDE);
	eh_status status = trust_read(path, TRUST_FILE, out, size, NULL, error);

	free(path);
	free(folder);
	return status;
}

static eh_status read_body(const char *kernel, char **out, size_t *size, eh_error *error)
{
	char *path;
	eh_status status;

	if (kernel[0] == '\0' ||
	    kernel[strspn(kernel, "abcdefghijklmnopqrstuvwxyz0123456789_-")] != '\0')
		return error_set(error, EH_E_INVALID_ARGUMENT,
		                 "'%s' cannot name a kernel text: small "
		                 "letters, digits, '_' and '-' make one",
		                 kernel);
	path = find_text(kernel);
	if (path == NULL)
		return error_set(
			error, EH_E_NOT_FOUND,
			"the kernel text %s.k is neither beside a workload "
			"nor in the data folder; install evenhand again, or put it next to its "
			"workload's .so",
			kernel);
	status = trust_read(path, TRUST_FILE, out, size, NULL, error);
	free(path);
	return status;
}

/* Adds the text with its length, so that different splits give different digests. */
static void add_text(digest *d, const char *s)
{
	char *count = memory_format("%zu:", strlen(s));

	digest_add(d, count, strlen(count));
	digest_add(d, s, strlen(s));
	free(count);
}

static void source_digest(const eh_source *source, char hex[65])
{
	digest *d = digest_new();

	for (uint32_t i = 0; i < source->macro_count; i++) {
		add_text(d, source->macros[i].name);
		add_text(d, source->macros[i].value);
	}
	add_text(d, source->prelude);
	add_text(d, source->body);
	digest_end(d, hex);
}

/* Copies s with its NUL to *at, moves *at behind it, returns the copy. */
static const char *place(char **at, const char *s)
{
	size_t size = strlen(s) + 1;
	char *start = memcpy(*at, s, size);

	*at += size;
	return start;
}

static eh_source *source_pack(const char *name, const char *prelude, const char *body,
                              const eh_define *defines, uint32_t count)
{
	size_t size = sizeof(eh_source) + count * sizeof(eh_macro) + strlen(name) + 1 +
	              strlen(prelude) + 1 + strlen(body) + 1 + 65;
	char hex[65];
	eh_source *source;
	eh_macro *macros;
	char *at;

	for (uint32_t i = 0; i < count; i++)
		size += strlen(defines[i].name) + 1 + strlen(defines[i].value) + 1;
	source = memory_get(size);
	macros = (eh_macro *)(void *)(source + 1);
	at = (char *)(macros + count);
	source->struct_size = sizeof(*source);
	source->macro_count = count;
	source->macros = macros;
	source->name = place(&at, name);
	source->prelude = place(&at, prelude);
	source->body = place(&at, body);
	for (uint32_t i = 0; i < count; i++) {
		macros[i].name = place(&at, defines[i].name);
		macros[i].value = place(&at, defines[i].value);
	}
	source_digest(source, hex);
	source->digest = place(&at, hex);
	return source;
}

static eh_status check_defines(const eh_define *defines, uint32_t count, eh_error *error)
{
	for (uint32_t i = 0; i < count; i++) {
		if (memchr(defines[i].name, '\0', sizeof(defines[i].name)) == NULL ||
		    memchr(defines[i].value, '\0', sizeof(defines[i].value)) == NULL ||
		    defines[i].name[0] == '\0')
			return error_set(error, EH_E_INVALID_ARGUMENT,
			                 "define %u has no name or is not "
			                 "terminated",
			                 i);
	}
	return EH_OK;
}

static eh_status check_text(const char *what, const char *data, size_t size, eh_error *error)
{
	if (strlen(data) != size)
		return error_set(error, EH_E_FORMAT, "%s contains a NUL byte and is not a text",
		                 what);
	return EH_OK;
}

eh_status session_texts(const char *kernel, char **prelude, char **body, eh_error *error)
{
	size_t size = 0;
	eh_status status = read_body(kernel, body, &size, error);

	if (status != EH_OK)
		return status;
	status = check_text(kernel, *body, size, error);
	if (status == EH_OK)
		status = read_prelude(prelude, &size, error);
	if (status == EH_OK) {
		status = check_text(PRELUDE, *prelude, size, error);
		if (status != EH_OK)
			free(*prelude);
	}
	if (status != EH_OK)
		free(*body);
	return status;
}

eh_status session_source(const char *kernel, const eh_define *defines, uint32_t count,
                         eh_source **out, eh_error *error)
{
	char *prelude, *body;
	eh_status status = check_defines(defines, count, error);

	if (status == EH_OK)
		status = session_texts(kernel, &prelude, &body, error);
	if (status != EH_OK)
		return status;
	*out = source_pack(kernel, prelude, body, defines, count);
	free(prelude);
	free(body);
	return EH_OK;
}
