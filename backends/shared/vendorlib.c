/* SPDX-License-Identifier: Apache-2.0 */
#include "vendorlib.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The next word of *list into word; false at its end or for a word that is too long. */
static bool next_word(const char **list, char separator, char *word, size_t size)
{
	const char *begin = *list;
	size_t length = 0;

	while (*begin == separator)
		begin++;
	while (begin[length] != '\0' && begin[length] != separator)
		length++;
	if (length == 0 || length >= size)
		return false;
	memcpy(word, begin, length);
	word[length] = '\0';
	*list = begin + length;
	return true;
}

static bool try_open(vendorlib *library, const char *name, char *why, size_t why_size)
{
	struct link_map *map = NULL;
	const char *problem;
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (handle == NULL) {
		problem = dlerror();
		/* A missing file is no news; a file that cannot be opened is. */
		if (problem != NULL && strstr(problem, "No such file") == NULL)
			snprintf(why, why_size, "%s", problem);
		return false;
	}
	library->handle = handle;
	snprintf(library->name, sizeof(library->name), "%s", name);
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != NULL && map->l_name != NULL)
		snprintf(library->path, sizeof(library->path), "%s", map->l_name);
	return true;
}

eh_status vendorlib_open(vendorlib *library, const char *what, const char *names,
                         const char *chosen, const char *advice, eh_error *error)
{
	const char *rest = names;
	char name[96], why[160] = "";

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
	return failure_set(error, EH_E_INCOMPATIBLE, name, "%s has no %s; %s.",
	                   library->path[0] != '\0' ? library->path : library->name, name, advice);
}
