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

/* What stands alone in a file; UINT64_MAX for "max". */
static uint64_t limit_in(const char *root, const char *folder, const char *name)
{
	char *data = read_text(root, folder, name);
	uint64_t limit = data != NULL && *data >= '0' && *data <= '9' ? strtoull(data, NULL, 10) : UINT64_MAX;

	free(data);
	return limit;
}

/* Of a group and of all above it.  A container may see its own group as the top. */
static uint64_t limit_of_group(const char *root, const char *top, const char *group, const char *name)
{
	char *folder = memory_format("%s%s", top, group);
	uint64_t limit = limit_in(root, folder, name);
	char *slash;

	while ((slash = strrchr(folder, '/')) >= folder + strlen(top)) {
		*slash = '\0';
		limit = least(limit, limit_in(root, folder, name));
	}
	free(folder);
	return limit;
}

/* Lines are "0::/group" in version 2, and "4:memory:/group" in version 1. */
static uint64_t limit_of_groups(const char *root)
{
	char *groups = read_text(root, "/proc/self", "cgroup"), *rest = NULL;
	uint64_t limit = UINT64_MAX;

	for (char *line = groups != NULL ? strtok_r(groups, "\n", &rest) : NULL; line != NULL;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *path = strstr(line, ":/"), *memory = strstr(line, ":memory:/");

		if (memory != NULL)
			limit = least(limit, limit_of_group(root, "/sys/fs/cgroup/memory", memory + 8,
			                                    "memory.limit_in_bytes"));
		else if (strncmp(line, "0::/", 4) == 0)
			limit = least(limit, limit_of_group(root, "/sys/fs/cgroup", path + 1, "memory.max"));
	}
	free(groups);
	return limit;
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
	return least(available_of_machine(root), limit_of_groups(root));
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
