/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cgroup.h"
#include "faults.h"

/* The value of a "key   : value" line, or NULL. */
static const char *value_of(char *line, const char *key)
{
	const size_t n = strlen(key);
	char *colon;

	if (strncmp(line, key, n) != 0)
		return NULL;
	for (colon = line + n; *colon == ' ' || *colon == '\t';)
		colon++;
	if (*colon != ':')
		return NULL;
	colon++;
	while (*colon == ' ')
		colon++;
	colon[strcspn(colon, "\n")] = '\0';
	return colon;
}

static void append_detail(cpu *c, const char *key, const char *value)
{
	const size_t used = strlen(c->detail);

	faults_text(c->detail + used, sizeof(c->detail) - used, "%s%s=%s", used > 0 ? "; " : "",
	            key, value);
}

/* The first processor of /proc/cpuinfo.  Architectures have different keys; a missing value stays
 * empty. */
static void read_cpuinfo(cpu *c, cpu_sha256 sha256, void *ctx)
{
	static const struct { const char *key, *name; } details[] = {
		{ "cpu family", "family" },         { "model\t", "model" },
		{ "stepping", "stepping" },         { "microcode", "microcode" },
		{ "CPU implementer", "implementer" }, { "CPU part", "part" },
		{ "CPU variant", "variant" },       { "CPU revision", "revision" },
	};
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t room = 0;

	if (f == NULL)
		return;
	while (getline(&line, &room, f) > 1) {
		const char *v;

		if ((v = value_of(line, "model name")) != NULL ||
		    (v = value_of(line, "uarch")) != NULL)
			faults_text(c->model, sizeof(c->model), "%s", v);
		else if ((v = value_of(line, "vendor_id")) != NULL)
			faults_text(c->vendor, sizeof(c->vendor), "%s", v);
		else if ((v = value_of(line, "flags")) != NULL ||
		         (v = value_of(line, "Features")) != NULL ||
		         (v = value_of(line, "isa")) != NULL)
			sha256(ctx, v, strlen(v), c->features);
		else
			for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++)
				if ((v = value_of(line, details[i].key)) != NULL) {
					append_detail(c, details[i].name, v);
					break;
				}
	}
	free(line);
	(void)fclose(f);
}

static bool read_affinity(cpu *c)
{
	int most = 1024;

	for (;;) {
		c->mask = CPU_ALLOC(most);
		if (c->mask == NULL)
			return false;
		c->mask_size = CPU_ALLOC_SIZE(most);
		if (sched_getaffinity(0, c->mask_size, c->mask) == 0)
			break;
		CPU_FREE(c->mask);
		c->mask = NULL;
		if (errno != EINVAL || most > 1 << 20)
			return false;
		most *= 2;
	}
	c->allowed = calloc((size_t)CPU_COUNT_S(c->mask_size, c->mask), sizeof(*c->allowed));
	if (c->allowed == NULL)
		return false;
	for (int i = 0; i < most; i++)
		if (CPU_ISSET_S(i, c->mask_size, c->mask))
			c->allowed[c->allowed_count++] = i;
	return c->allowed_count > 0;
}

__attribute__((format(printf, 3, 4)))
static bool read_text(char *out, size_t size, const char *format, ...)
{
	char path[256];
	va_list args;
	FILE *f;
	bool got;

	va_start(args, format);
	got = vsnprintf(path, sizeof(path), format, args) < (int)sizeof(path);
	va_end(args);
	if (!got)
		return false;
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	got = fgets(out, (int)size, f) != NULL;
	(void)fclose(f);
	if (got)
		out[strcspn(out, "\n")] = '\0';
	return got;
}

/* The largest level of CPU `number` that holds data: its size and who shares it. */
static uint64_t last_level(int number, char shared[256])
{
	uint64_t bytes = 0;
	long best = 0;

	for (int i = 0; i < 16; i++) {
		char text[256];
		char *end;
		long level;
		uint64_t size;

		if (!read_text(text, sizeof(text),
		               "/sys/devices/system/cpu/cpu%d/cache/index%d/level", number, i))
			break;
		level = strtol(text, NULL, 10);
		if (level <= best ||
		    !read_text(text, sizeof(text),
		               "/sys/devices/system/cpu/cpu%d/cache/index%d/type", number, i) ||
		    strcmp(text, "Instruction") == 0 ||
		    !read_text(text, sizeof(text),
		               "/sys/devices/system/cpu/cpu%d/cache/index%d/size", number, i))
			continue;
		size = strtoull(text, &end, 10);
		size *= *end == 'K' ? 1024 : *end == 'M' ? 1048576 : 1;
		if (!read_text(shared, 256,
		               "/sys/devices/system/cpu/cpu%d/cache/index%d/shared_cpu_list",
		               number, i))
			continue;
		best = level;
		bytes = size;
	}
	return bytes;
}

/* True when an allowed CPU before the one at `position` is in the list "0-3,8". */
static bool listed_before(const cpu *c, unsigned position, const char *list)
{
	while (*list != '\0') {
		char *end;
		const long first = strtol(list, &end, 10);
		const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;

		for (unsigned k = 0; k < position; k++)
			if (c->allowed[k] >= first && c->allowed[k] <= last)
				return true;
		if (*end != ',')
			break;
		list = end + 1;
	}
	return false;
}

/* Each cache once: at the first of our CPUs that shares it. */
static uint64_t all_last_levels(const cpu *c)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < c->allowed_count; i++) {
		char shared[256];
		const uint64_t size = last_level(c->allowed[i], shared);

		if (size > 0 && !listed_before(c, i, shared))
			bytes += size;
	}
	return bytes;
}

static int node_of(int number)
{
	char path[96];
	struct dirent *e;
	DIR *d;
	int node = -1;

	faults_text(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", number);
	d = opendir(path);
	if (d == NULL)
		return -1;
	while ((e = readdir(d)) != NULL)
		if (strncmp(e->d_name, "node", 4) == 0 && isdigit((unsigned char)e->d_name[4]))
			node = atoi(e->d_name + 4);
	(void)closedir(d);
	return node;
}

bool cpu_read(cpu *c, cpu_sha256 sha256, void *ctx)
{
	struct utsname system;
	char text[64];
	uint64_t limit;
	long pages, page;

	memset(c, 0, sizeof(*c));
	if (!read_affinity(c)) {
		cpu_free(c);
		return false;
	}
	read_cpuinfo(c, sha256, ctx);
	if (uname(&system) == 0)
		faults_text(c->machine, sizeof(c->machine), "%.31s", system.machine);
	if (c->model[0] == '\0')
		faults_text(c->model, sizeof(c->model), "unnamed %s CPU", c->machine);

	c->quota_millis = cgroup_cpu_millis("");
	c->usable = c->allowed_count;
	/* Rounded down: a thread more than the quota pays for is throttled in every period. */
	if (c->quota_millis > 0 && c->quota_millis / 1000 < c->usable)
		c->usable = c->quota_millis < 1000 ? 1 : (unsigned)(c->quota_millis / 1000);

	pages = sysconf(_SC_PHYS_PAGES);
	page = sysconf(_SC_PAGESIZE);
	if (pages > 0 && page > 0)
		c->memory_bytes = (uint64_t)pages * (uint64_t)page;
	limit = cgroup_memory_bytes("");
	if (limit > 0 && limit < c->memory_bytes)
		c->memory_bytes = limit;

	c->last_level_cache_bytes = all_last_levels(c);
	if (read_text(text, sizeof(text), "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq",
	              c->allowed[0]))
		c->clock_mhz = (uint32_t)(strtoull(text, NULL, 10) / 1000);
	c->numa_node = node_of(c->allowed[0]);
	for (unsigned i = 1; i < c->allowed_count && c->numa_node >= 0; i++)
		if (node_of(c->allowed[i]) != c->numa_node)
			c->numa_node = -1;
	return true;
}

void cpu_free(cpu *c)
{
	free(c->allowed);
	if (c->mask != NULL)
		CPU_FREE(c->mask);
	memset(c, 0, sizeof(*c));
}

void cpu_list_text(const cpu *c, unsigned count, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < count;) {
		unsigned last = i;

		while (last + 1 < count && c->allowed[last + 1] == c->allowed[last] + 1)
			last++;
		faults_text(out + used, size - used, "%s%d", i > 0 ? "," : "", c->allowed[i]);
		used = strlen(out);
		if (last > i) {
			faults_text(out + used, size - used, "-%d", c->allowed[last]);
			used = strlen(out);
		}
		i = last + 1;
	}
}

uint64_t cpu_memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "re");
	const uint64_t group = cgroup_memory_free("");
	uint64_t bytes = UINT64_MAX;
	char *line = NULL;
	size_t room = 0;

	if (f != NULL) {
		while (getline(&line, &room, f) > 0) {
			const char *v = value_of(line, "MemAvailable");

			if (v != NULL) {
				bytes = strtoull(v, NULL, 10) * 1024;
				break;
			}
		}
		free(line);
		(void)fclose(f);
	}
	return bytes < group ? bytes : group;
}
