/* SPDX-License-Identifier: Apache-2.0 */
#include "base/paths.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

#ifndef EVENHAND_LIBRARY_DIR
#define EVENHAND_LIBRARY_DIR "/usr/local/lib/evenhand"
#endif
#ifndef EVENHAND_DATA_DIR
#define EVENHAND_DATA_DIR "/usr/local/share/evenhand"
#endif

/* As the kernel shows it; NULL without /proc. */
static char *shown_program(void)
{
	size_t room = 256;
	char *path = memory_get(room);

	for (;;) {
		ssize_t size = readlink("/proc/self/exe", path, room);

		if (size < 0) {
			free(path);
			return NULL;
		}
		if ((size_t)size < room) {
			path[size] = '\0';
			return path;
		}
		room *= 2;
		path = memory_grow(path, room);
	}
}

/* The path that the kernel was given, when it names a file whatever the current folder is. */
static char *started_program(void)
{
	const char *path = (const char *)(uintptr_t)getauxval(AT_EXECFN);

	return path != NULL && path[0] == '/' ? realpath(path, NULL) : NULL;
}

char *paths_program(void)
{
	char *path = shown_program();

	if (path == NULL)
		path = started_program();
	return path != NULL ? path : memory_text("");
}

static bool is_folder(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Removes the last component; false when there is none. */
static bool cut(char *path)
{
	char *slash = strrchr(path, '/');

	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

static char *below(const char *folder, const char *sub)
{
	return sub[0] != '\0' ? path_join(folder, sub) : memory_text(folder);
}

static char *installed(const char *relative, const char *configured, const char *sub)
{
	char *prefix = paths_program();
	char *own = NULL;
	char *result;

	if (cut(prefix) && cut(prefix))
		own = memory_format("%s/%s", prefix, relative);
	result = below(own != NULL && is_folder(own) ? own : configured, sub);
	free(own);
	free(prefix);
	return result;
}

char *paths_library(const char *sub)
{
	return installed("lib/evenhand", EVENHAND_LIBRARY_DIR, sub);
}

char *paths_data(const char *sub)
{
	return installed("share/evenhand", EVENHAND_DATA_DIR, sub);
}

/* The variable's value, NULL for a relative path, which the XDG specification says to ignore. */
static const char *absolute(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && value[0] == '/' ? value : NULL;
}

static char *user_folder(const char *variable, const char *below_home, const char *sub)
{
	const char *base = absolute(variable);
	const char *home = absolute("HOME");
	char *folder, *result;

	if (base != NULL)
		folder = memory_format("%s/evenhand", base);
	else if (home != NULL)
		folder = memory_format("%s/%s/evenhand", home, below_home);
	else
		return NULL;
	result = below(folder, sub);
	free(folder);
	return result;
}

char *paths_user_data(const char *sub)
{
	return user_folder("XDG_DATA_HOME", ".local/share", sub);
}

char *paths_user_config(const char *sub)
{
	return user_folder("XDG_CONFIG_HOME", ".config", sub);
}

char *paths_user_state(const char *sub)
{
	return user_folder("XDG_STATE_HOME", ".local/state", sub);
}

char *paths_cache(const char *sub)
{
	const char *given = getenv("EVENHAND_CACHE_DIR");

	if (given != NULL && given[0] != '\0')
		return below(given, sub);
	return user_folder("XDG_CACHE_HOME", ".cache", sub);
}

char *paths_temporary(void)
{
	const char *stated = absolute("TMPDIR");

	return memory_text(stated != NULL ? stated : "/tmp");
}
