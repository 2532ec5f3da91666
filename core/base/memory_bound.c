/* SPDX-License-Identifier: Apache-2.0 */
#include "base/memory_bound.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

/* A text of the system; NULL where there is none. */
static char *read_text(const char *root, const char *folder, const char *name)
{
	char *path = memory_format("%s%s/%s", root, folder, name), *data = NULL;
	size_t size = 0;

	if (file_read(path, &data, &size, NULL) != EH_OK)
		data = NULL;
	free(path);
	return data;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What stands alone in a file; UINT64_MAX for "max", or where there is none. */
static uint64_t number_in(const char *root, const char *folder, const char *name)
{
	char *data = read_text(root, folder, name);
	uint64_t number = data != NULL && *data >= '0' && *data <= '9' ? strtoull(data, NULL, 10) : UINT64_MAX;

	free(data);
	return number;
}

/* The files of a version of control groups, and the keys of memory.stat.  All count the groups below, too. */
typedef struct group_files { const char *top, *limit, *used, *cached[2]; } group_files;

/* Cached files, which the kernel gives back before a group has too much, as MemAvailable counts them. */
static uint64_t cached_in(const char *root, const char *folder, const group_files *files)
{
	char *data = read_text(root, folder, "memory.stat"), *rest = NULL;
	uint64_t cached = 0;

	for (char *line = data != NULL ? strtok_r(data, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const size_t size = strcspn(line, " ");

		for (int i = 0; i < 2; i++)
			if (strlen(files->cached[i]) == size && strncmp(line, files->cached[i], size) == 0)
				cached += strtoull(line + size, NULL, 10);
	}
	free(data);
	return cached;
}

/* What the group may take beyond what it has. */
static uint64_t left_in(const char *root, const char *folder, const group_files *files)
{
	uint64_t limit = number_in(root, folder, files->limit), used, cached;

	if (limit == UINT64_MAX)
		return limit;
	used = number_in(root, folder, files->used);
	cached = cached_in(root, folder, files);
	if (used == UINT64_MAX || used <= cached)
		return limit;
	return used - cached < limit ? limit - (used - cached) : 0;
}

/* Of a group and of all above it.  A container may see its own group as the top. */
static uint64_t left_of_group(const char *root, const char *group, const group_files *files)
{
	char *folder = memory_format("%s%s", files->top, group);
	uint64_t left = left_in(root, folder, files);
	char *slash;

	while ((slash = strrchr(folder, '/')) >= folder + strlen(files->top)) {
		*slash = '\0';
		left = least(left, left_in(root, folder, files));
	}
	free(folder);
	return left;
}

/* Lines are "0::/group" in version 2, and "4:memory:/group" in version 1. */
static uint64_t left_of_groups(const char *root)
{
	static const group_files one = { "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
	                                 "memory.usage_in_bytes",
	                                 { "total_inactive_file", "total_active_file" } };
	static const group_files two = { "/sys/fs/cgroup", "memory.max", "memory.current",
	                                 { "inactive_file", "active_file" } };
	char *groups = read_text(root, "/proc/self", "cgroup"), *rest = NULL;
	uint64_t left = UINT64_MAX;

	for (char *line = groups != NULL ? strtok_r(groups, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *path = strstr(line, ":/"), *memory = strstr(line, ":memory:/");

		if (memory != NULL)
			left = least(left, left_of_group(root, memory + 8, &one));
		else if (strncmp(line, "0::/", 4) == 0)
			left = least(left, left_of_group(root, path + 1, &two));
	}
	free(groups);
	return left;
}

static uint64_t available_of_machine(const char *root)
{
	static const char key[] = "MemAvailable:";
	char *data = read_text(root, "/proc", "meminfo");
	const char *at = data != NULL ? strstr(data, key) : NULL;
	uint64_t kib = at != NULL ? strtoull(at + strlen(key), NULL, 10) : 0;

	free(data);
	return kib > 0 ? kib * 1024 : UINT64_MAX;
}

uint64_t memory_available(const char *root)
{
	return least(available_of_machine(root), left_of_groups(root));
}

/* The bytes of data that this process has; 0 where the system does not tell. */
static uint64_t data_of_process(void)
{
	char *data = read_text("", "/proc/self", "statm");
	uint64_t pages = 0;
	char *at = data;

	for (int i = 0; at != NULL && i < 6; i++)
		pages = strtoull(at, &at, 10);
	free(data);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

struct rlimit memory_bind(const char *root)
{
	uint64_t available = memory_available(root), has = data_of_process();
	struct rlimit before = { RLIM_INFINITY, RLIM_INFINITY }, bound;

	if (getrlimit(RLIMIT_DATA, &before) != 0 || has == 0 || available == UINT64_MAX)
		return before;
	bound = before;
	bound.rlim_cur = least(before.rlim_cur, has + available / 4 * 3);
	(void)setrlimit(RLIMIT_DATA, &bound);
	return before;
}

void memory_unbind(const struct rlimit *before)
{
	(void)setrlimit(RLIMIT_DATA, before);
}
