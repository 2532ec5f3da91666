/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files that are read at each level from the group up to the root. */
typedef void (*visit)(const char *folder, void *context);

static bool read_line(const char *folder, const char *file, char *line, size_t size)
{
	char path[PATH_MAX];
	FILE *f;
	bool got;

	if (snprintf(path, sizeof(path), "%s/%s", folder, file) >= (int)sizeof(path))
		return false;
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	got = fgets(line, (int)size, f) != NULL;
	(void)fclose(f);
	return got;
}

static bool read_number(const char *folder, const char *file, uint64_t *out)
{
	char line[64], *end;

	if (!read_line(folder, file, line, sizeof(line)))
		return false;
	*out = strtoull(line, &end, 10);
	return end != line && line[0] != '-';
}

static void walk_up(const char *mount, const char *group, visit fn, void *context)
{
	char folder[PATH_MAX];
	const size_t top = strlen(mount);
	char *slash;

	if (snprintf(folder, sizeof(folder), "%s%s", mount, group) >= (int)sizeof(folder))
		return;
	for (;;) {
		fn(folder, context);
		slash = strrchr(folder, '/');
		if (slash == NULL || (size_t)(slash - folder) < top)
			return;
		*slash = '\0';
	}
}

/* True when `word` is one of the comma list. */
static bool listed(const char *list, const char *word)
{
	const size_t n = strlen(word);

	while (list != NULL && *list != '\0') {
		if (strncmp(list, word, n) == 0 && (list[n] == ',' || list[n] == '\0'))
			return true;
		list = strchr(list, ',');
		if (list != NULL)
			list++;
	}
	return false;
}

/* /proc/self/cgroup has "N:controllers:/group" lines; version 2 is the one without controllers.
 * Inside a container the group may be named from the host's root and be mounted at the top, so
 * walking up visits the mount itself too. */
static void each_level(const char *root, const char *controller, visit fn, void *context)
{
	char path[PATH_MAX], line[PATH_MAX], mount[PATH_MAX];
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/proc/self/cgroup", root) >= (int)sizeof(path))
		return;
	f = fopen(path, "re");
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *controllers = strchr(line, ':'), *group;
		int n;

		if (controllers == NULL)
			continue;
		group = strchr(++controllers, ':');
		if (group == NULL)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		if (strcmp(group, "/") == 0)
			group[0] = '\0';
		if (controllers[0] == '\0')
			n = snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup", root);
		else if (listed(controllers, controller))
			n = snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup/%s", root, controller);
		else
			continue;
		if (n < (int)sizeof(mount))
			walk_up(mount, group, fn, context);
	}
	(void)fclose(f);
}

static void least(uint64_t *out, uint64_t value)
{
	if (*out == 0 || value < *out)
		*out = value;
}

static void visit_cpu(const char *folder, void *context)
{
	unsigned long long quota = 0, period = 0;
	uint64_t q, p;
	char line[64];

	if (read_line(folder, "cpu.max", line, sizeof(line)) &&
	    sscanf(line, "%llu %llu", &quota, &period) == 2 && period > 0) {
		least(context, quota * 1000 / period);
		return;
	}
	if (read_number(folder, "cpu.cfs_quota_us", &q) &&
	    read_number(folder, "cpu.cfs_period_us", &p) && p > 0)
		least(context, q * 1000 / p);
}

uint64_t cgroup_cpu_millis(const char *root)
{
	uint64_t millis = 0;

	each_level(root, "cpu", visit_cpu, &millis);
	return millis;
}

/* Page cache counts as used but is given up on demand. */
static uint64_t file_pages(const char *folder, const char *key_one, const char *key_two)
{
	char path[PATH_MAX], line[128];
	uint64_t bytes = 0;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/memory.stat", folder) >= (int)sizeof(path))
		return 0;
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL) {
		const size_t n = strcspn(line, " ");

		if ((strlen(key_one) == n && strncmp(line, key_one, n) == 0) ||
		    (strlen(key_two) == n && strncmp(line, key_two, n) == 0))
			bytes += strtoull(line + n, NULL, 10);
	}
	(void)fclose(f);
	return bytes;
}

typedef struct memory_state {
	uint64_t limit, free; /* limit 0 = none */
} memory_state;

static void visit_memory(const char *folder, void *context)
{
	memory_state *m = context;
	uint64_t limit, used, cached;
	/* Version 1 says "no limit" with a number near 2^63. */
	const uint64_t none = UINT64_C(1) << 60;

	if (read_number(folder, "memory.max", &limit)) {
		if (!read_number(folder, "memory.current", &used))
			used = 0;
		cached = file_pages(folder, "inactive_file", "active_file");
	} else if (read_number(folder, "memory.limit_in_bytes", &limit)) {
		if (!read_number(folder, "memory.usage_in_bytes", &used))
			used = 0;
		cached = file_pages(folder, "total_inactive_file", "total_active_file");
	} else {
		return;
	}
	if (limit >= none)
		return;
	used -= cached < used ? cached : used;
	least(&m->limit, limit);
	if ((limit > used ? limit - used : 0) < m->free)
		m->free = limit > used ? limit - used : 0;
}

uint64_t cgroup_memory_bytes(const char *root)
{
	memory_state m = { 0, UINT64_MAX };

	each_level(root, "memory", visit_memory, &m);
	return m.limit;
}

uint64_t cgroup_memory_free(const char *root)
{
	memory_state m = { 0, UINT64_MAX };

	each_level(root, "memory", visit_memory, &m);
	return m.free;
}
