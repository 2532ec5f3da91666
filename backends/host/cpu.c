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
	if (!processors_read(&c->may)) {
		cpu_free(c);
		return false;
	}
	read_cpuinfo(c, sha256, ctx);
	if (uname(&system) == 0)
		faults_text(c->machine, sizeof(c->machine), "%.31s", system.machine);
	if (c->model[0] == '\0')
		faults_text(c->model, sizeof(c->model), "unnamed %s CPU", c->machine);

	c->quota_millis = cgroup_cpu_millis("");
	c->usable = c->may.count;
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

	c->last_level_cache_bytes = processors_cache_bytes(&c->may, "");
	if (read_text(text, sizeof(text), "/sys/devices/system/cpu/cpu%d/cpufreq/cpuinfo_max_freq",
	              c->may.numbers[0]))
		c->clock_mhz = (uint32_t)(strtoull(text, NULL, 10) / 1000);
	c->numa_node = node_of(c->may.numbers[0]);
	for (unsigned i = 1; i < c->may.count && c->numa_node >= 0; i++)
		if (node_of(c->may.numbers[i]) != c->numa_node)
			c->numa_node = -1;
	return true;
}

void cpu_free(cpu *c)
{
	processors_free(&c->may);
	memset(c, 0, sizeof(*c));
}

void cpu_list_text(const cpu *c, unsigned count, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < count;) {
		unsigned last = i;

		while (last + 1 < count && c->may.numbers[last + 1] == c->may.numbers[last] + 1)
			last++;
		faults_text(out + used, size - used, "%s%d", i > 0 ? "," : "", c->may.numbers[i]);
		used = strlen(out);
		if (last > i) {
			faults_text(out + used, size - used, "-%d", c->may.numbers[last]);
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
