/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"
#include "executor/processor.h"

/* An empty file means "none"; only a missing one is unavailable. */
static void add_file(record_layer *layer, const char *root, const char *key, const char *path)
{
	char *value = layer_read(root, path);
	char *full = memory_format("%s%s", root, path);

	layer_text(layer, key, value == NULL && file_exists(full) ? "" : value,
	           RECORD_SOURCE_QUERIED);
	free(full);
	free(value);
}

static void add_operating_system(record_layer_list *layers, const char *root)
{
	char *release = layer_read(root, "/etc/os-release");
	char *name, *version;
	record_layer *layer;

	if (release == NULL)
		release = layer_read(root, "/usr/lib/os-release");
	name = release != NULL ? layer_value(release, "NAME", '=') : NULL;
	version = release != NULL ? layer_value(release, "VERSION", '=') : NULL;
	layer = layer_add(layers, RECORD_LAYER_OPERATING_SYSTEM, name != NULL ? name : "Linux",
	                  version,
	                  release != NULL ? RECORD_SOURCE_QUERIED : RECORD_SOURCE_UNAVAILABLE);
	add_file(layer, root, "debian-version", "/etc/debian_version");
	layer_text(layer, "libc", root[0] == '\0' ? gnu_get_libc_version() : NULL,
	           RECORD_SOURCE_QUERIED);
	free(version);
	free(name);
	free(release);

	version = layer_read(root, "/proc/sys/kernel/osrelease");
	layer = layer_add(layers, RECORD_LAYER_OPERATING_SYSTEM, "Linux kernel", version,
	                  version != NULL ? RECORD_SOURCE_QUERIED : RECORD_SOURCE_UNAVAILABLE);
	add_file(layer, root, "build", "/proc/sys/kernel/version");
	free(version);
}

/* The word in brackets: "always [madvise] never". */
static char *chosen_word(const char *root, const char *path)
{
	char *all = layer_read(root, path), *word = NULL;
	char *from = all != NULL ? strchr(all, '[') : NULL;
	char *to = from != NULL ? strchr(from, ']') : NULL;

	if (to != NULL)
		word = memory_format("%.*s", (int)(to - from - 1), from + 1);
	free(all);
	return word;
}

/* One value that all processors share, else "mixed"; NULL when none has it. */
static char *common_value(const char *root, const char *file)
{
	char *folder = memory_format("%s/sys/devices/system/cpu", root);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char *common = NULL;

	free(folder);
	if (dir == NULL)
		return NULL;
	while ((entry = readdir(dir)) != NULL) {
		char *path, *value;

		if (strncmp(entry->d_name, "cpu", 3) != 0 || entry->d_name[3] < '0' ||
		    entry->d_name[3] > '9')
			continue;
		path = memory_format("/sys/devices/system/cpu/%s/cpufreq/%s", entry->d_name, file);
		value = layer_read(root, path);
		free(path);
		if (common == NULL) {
			common = value;
		} else if (value != NULL && strcmp(common, value) != 0) {
			free(common);
			free(value);
			common = memory_text("mixed");
			break;
		} else {
			free(value);
		}
	}
	closedir(dir);
	return common;
}

static void add_common(record_layer *layer, const char *root, const char *key, const char *file)
{
	char *value = common_value(root, file);

	layer_text(layer, key, value, RECORD_SOURCE_QUERIED);
	free(value);
}

static void add_turbo(record_layer *layer, const char *root)
{
	char *off = layer_read(root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
	char *on = layer_read(root, "/sys/devices/system/cpu/cpufreq/boost");

	if (off != NULL)
		layer_text(layer, "turbo", strcmp(off, "0") == 0 ? "on" : "off",
		           RECORD_SOURCE_QUERIED);
	else if (on != NULL)
		layer_text(layer, "turbo", strcmp(on, "0") == 0 ? "off" : "on",
		           RECORD_SOURCE_QUERIED);
	else
		layer_text(layer, "turbo", NULL, RECORD_SOURCE_QUERIED);
	free(on);
	free(off);
}

/* The word after "KEY=" among the kernel's arguments. */
static char *argument(const char *root, const char *key)
{
	char *line = layer_read(root, "/proc/cmdline"), *rest = line, *word, *found = NULL;
	size_t length = strlen(key);

	while (rest != NULL && (word = strsep(&rest, " \n")) != NULL)
		if (strncmp(word, key, length) == 0 && word[length] == '=') {
			free(found);
			found = memory_text(word + length + 1);
		}
	if (line != NULL && found == NULL)
		found = memory_text("default");
	free(line);
	return found;
}

/* Limits that a container sets: "200000 100000" is two processors. */
static void add_limits(record_layer *layer, const char *root)
{
	char *cpu = layer_read(root, "/sys/fs/cgroup/cpu.max");
	char *memory = layer_read(root, "/sys/fs/cgroup/memory.max");

	if (cpu == NULL) {
		char *quota = layer_read(root, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
		char *period = layer_read(root, "/sys/fs/cgroup/cpu/cpu.cfs_period_us");

		if (quota != NULL && period != NULL)
			cpu = memory_format("%s %s", strcmp(quota, "-1") == 0 ? "max" : quota, period);
		free(period);
		free(quota);
	}
	if (memory == NULL)
		memory = layer_read(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes");
	layer_text(layer, "cpu-limit", cpu, RECORD_SOURCE_QUERIED);
	layer_text(layer, "memory-limit", memory, RECORD_SOURCE_QUERIED);
	free(memory);
	free(cpu);
}

static void add_host(record_layer_list *layers, const char *root)
{
	record_layer *layer = layer_add(layers, RECORD_LAYER_HOST, "host", "",
	                                RECORD_SOURCE_QUERIED);
	char *value;

	virtualization_add(layer, root);
	add_limits(layer, root);
	add_common(layer, root, "frequency-governor", "scaling_governor");
	add_common(layer, root, "frequency-driver", "scaling_driver");
	add_common(layer, root, "frequency-min-khz", "scaling_min_freq");
	add_common(layer, root, "frequency-max-khz", "scaling_max_freq");
	add_turbo(layer, root);
	value = chosen_word(root, "/sys/kernel/mm/transparent_hugepage/enabled");
	layer_text(layer, "transparent-huge-pages", value, RECORD_SOURCE_QUERIED);
	free(value);
	add_file(layer, root, "address-randomisation", "/proc/sys/kernel/randomize_va_space");
	add_file(layer, root, "smt", "/sys/devices/system/cpu/smt/control");
	add_file(layer, root, "isolated-cpus", "/sys/devices/system/cpu/isolated");
	add_file(layer, root, "numa-balancing", "/proc/sys/kernel/numa_balancing");
	add_file(layer, root, "clock-source",
	         "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	value = argument(root, "mitigations");
	layer_text(layer, "mitigations", value, RECORD_SOURCE_QUERIED);
	free(value);
	value = layer_read(root, "/proc/loadavg");
	/* Only the loads: the rest of the line counts processes. */
	for (size_t i = 0, blanks = 0; value != NULL && value[i] != '\0'; i++) {
		blanks += value[i] == ' ';
		if (blanks == 3) {
			value[i] = '\0';
			break;
		}
	}
	layer_text(layer, "now-load", value, RECORD_SOURCE_QUERIED);
	free(value);
}

void executor_system(record_layer_list *layers, const char *root)
{
	processor_add(layers, root);
	add_operating_system(layers, root);
	add_host(layers, root);
}
