/* SPDX-License-Identifier: Apache-2.0 */
#include "vendorlib.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failure.h"

void vendorlib_file_of(const void *address, char *path, size_t size)
{
	Dl_info info;

	path[0] = '\0';
	if (address != NULL && dladdr(address, &info) != 0 && info.dli_fname != NULL)
		snprintf(path, size, "%s", info.dli_fname);
}

void vendorlib_plain_name(const char *names, char *out, size_t size)
{
	char *version;

	snprintf(out, size, "%.*s", (int)strcspn(names, "|"), names);
	version = strrchr(out, '_');
	if (version != NULL && version[1] == 'v' && version[2] != '\0' &&
	    version[2 + strspn(version + 2, "0123456789")] == '\0')
		*version = '\0';
}

/* The next word of *list that has room in word; false at its end. */
static bool next_word(const char **list, char separator, char *word, size_t size)
{
	const char ends[] = { separator, '\0' };

	for (;;) {
		const char *begin = *list + strspn(*list, ends);
		const size_t length = strcspn(begin, ends);

		*list = begin + length;
		if (length == 0)
			return false;
		if (length < size) {
			memcpy(word, begin, length);
			word[length] = '\0';
			return true;
		}
	}
}

static bool try_open(vendorlib *library, const char *name, char *why, size_t why_size)
{
	struct link_map *map = NULL;
	const char *problem;
	void *handle = strlen(name) < sizeof(library->name) ? dlopen(name, RTLD_NOW | RTLD_LOCAL)
	                                                    : NULL;

	if (handle == NULL) {
		problem = dlerror();
		/* A missing file is no news; a file that cannot be opened is, also for a library that it needs. */
		if (problem != NULL && (strstr(problem, "No such file") == NULL ||
		                        strncmp(problem, name, strlen(name)) != 0 || problem[strlen(name)] != ':'))
			snprintf(why, why_size, "%s", problem);
		return false;
	}
	library->handle = handle;
	snprintf(library->name, sizeof(library->name), "%s", name);
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL && map->l_name != NULL)
		snprintf(library->path, sizeof(library->path), "%s", map->l_name);
	return true;
}

eh_status vendorlib_allowed(const eh_host *host, const char *path, eh_error *error)
{
	eh_error own = { .struct_size = sizeof(own) };

	if (host == NULL || !EH_HAS(host, eh_host, may_load) ||
	    host->may_load(host->ctx, path, &own) == EH_OK)
		return EH_OK;
	return failure_set(error, EH_E_UNAVAILABLE, "may_load", "%s", own.message);
}

bool vendorlib_try(vendorlib *library, const eh_host *host, const char *folder, const char *name,
                   char *why)
{
	eh_error error = { .struct_size = sizeof(error) };
	char path[PATH_MAX];

	memset(library, 0, sizeof(*library));
	if (folder == NULL)
		return try_open(library, name, why, VENDORLIB_REASON);
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    access(path, F_OK) != 0)
		return false;
	if (vendorlib_allowed(host, path, &error) != EH_OK) {
		snprintf(why, VENDORLIB_REASON, "%s", error.message);
		return false;
	}
	return try_open(library, path, why, VENDORLIB_REASON);
}

eh_status vendorlib_open(vendorlib *library, const char *what, const char *names,
                         const char *chosen, const char *advice, eh_error *error)
{
	const char *rest = names;
	char name[PATH_MAX], why[160] = "";

	memset(library, 0, sizeof(*library));
	if (chosen != NULL) {
		if (try_open(library, chosen, why, sizeof(why)))
			return EH_OK;
		return failure_set(error, EH_E_UNAVAILABLE, "dlopen",
		                   "%s %.80s cannot be opened (%s); %s.", what, chosen,
		                   why[0] != '\0' ? why : "no such file", advice);
	}
	while (next_word(&rest, ' ', name, sizeof(name)))
		if (try_open(library, name, why, sizeof(why)))
			return EH_OK;
	return failure_set(error, EH_E_UNAVAILABLE, "dlopen",
	                   "%s cannot be opened (looked for %s%s%s); %s.", what, names,
	                   why[0] != '\0' ? "; " : "", why, advice);
}

void *vendorlib_find(const vendorlib *library, const char *name)
{
	return library->handle != NULL ? dlsym(library->handle, name) : NULL;
}

eh_status vendorlib_resolve(const vendorlib *library, const vendorlib_symbol *symbols, size_t count,
                            void *table, const char *advice, eh_error *error)
{
	const vendorlib_symbol *missing = NULL;
	void *address = NULL;
	char name[96];

	for (size_t i = 0; i < count && missing == NULL; i++) {
		const char *rest = symbols[i].names;

		address = NULL;
		while (address == NULL && next_word(&rest, '|', name, sizeof(name)))
			address = vendorlib_find(library, name);
		if (address == NULL && symbols[i].required)
			missing = &symbols[i];
		/* Function pointers are stored as object pointers, which POSIX allows. */
		memcpy((char *)table + symbols[i].offset, &address, sizeof(address));
	}
	if (missing == NULL)
		return EH_OK;
	address = NULL;
	for (size_t i = 0; i < count; i++)
		memcpy((char *)table + symbols[i].offset, &address, sizeof(address));
	snprintf(name, sizeof(name), "%s", missing->names);
	return failure_set(error, EH_E_INCOMPATIBLE, name, "%.150s has no %s; %s.",
	                   library->path[0] != '\0' ? library->path : library->name, name, advice);
}
