/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel tells of a device beyond its name: clocks, power cap, error correction,
 * partition, firmware. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"

/* The first entry of the folder that begins so and holds the file; malloc'd content. */
static char *read_below(const char *root, const char *folder, const char *prefix, const char *file)
{
	char *full = memory_format("%s%s", root, folder), *value = NULL;
	DIR *dir = opendir(full);
	const struct dirent *entry;

	free(full);
	if (dir == NULL)
		return NULL;
	while (value == NULL && (entry = readdir(dir)) != NULL) {
		char *path;

		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		path = memory_format("%s/%s/%s", folder, entry->d_name, file);
		value = layer_read(root, path);
		free(path);
	}
	closedir(dir);
	return value;
}

/* Takes value: a number in the unit's millionth (or another part), NULL when nobody tells it. */
static void add_scaled(cJSON *layer, const char *key, char *value, double part)
{
	double number = 0;

	if (value != NULL && text_parse_double(value, &number) && number > 0)
		layer_number(layer, key, number / part, "queried");
	else
		layer_text(layer, key, NULL, "queried");
	free(value);
}

static void add_processor(cJSON *layer, const char *root)
{
	/* The driver for error detection only has a controller where there is correction. */
	char *controller = read_below(root, "/sys/devices/system/edac/mc", "mc", "mc_name");
	char *limit = layer_read(root, "/sys/fs/cgroup/cpu.max");

	layer_text(layer, "ecc", controller != NULL ? "on" : NULL, "queried");
	layer_text(layer, "partition", limit == NULL || strncmp(limit, "max", 3) == 0 ?
	           "whole processor, as the host shows it" : limit, "queried");
	add_scaled(layer, "clock-max-mhz",
	           layer_read(root, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"), 1e3);
	add_scaled(layer, "power-cap-watts",
	           layer_read(root, "/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw"),
	           1e6);
	free(limit);
	free(controller);
}

static void add_device(cJSON *layer, const char *root, const eh_device_info *info)
{
	char *folder = memory_format("/sys/bus/pci/devices/%s", info->pci);
	char *hwmon = memory_format("%s/hwmon", folder);
	char *path = memory_format("%s/current_compute_partition", folder);
	bool placed = info->pci[0] != '\0' && strchr(info->pci, '/') == NULL;
	char *partition = placed ? layer_read(root, path) : NULL;

	/* Another unit of the same model is another device. */
	layer_text(layer, "model", info->name[0] != '\0' ? info->name : NULL, "queried");
	layer_text(layer, "uuid", info->uuid[0] != '\0' ? info->uuid : NULL, "queried");
	if (info->memory_bytes > 0)
		layer_number(layer, "memory-bytes", (double)info->memory_bytes, "queried");
	if (info->compute_units > 0)
		layer_number(layer, "compute-units", info->compute_units, "queried");
	layer_text(layer, "ecc", NULL, "queried");
	layer_text(layer, "partition", partition, "queried");
	if (info->clock_mhz > 0)
		layer_number(layer, "clock-max-mhz", info->clock_mhz, "queried");
	else
		layer_text(layer, "clock-max-mhz", NULL, "queried");
	add_scaled(layer, "power-cap-watts",
	           placed ? read_below(root, hwmon, "hwmon", "power1_cap") : NULL, 1e6);
	free(partition);
	free(path);
	free(hwmon);
	free(folder);
}

static void add_firmware(cJSON *layers, const char *root, const eh_device_info *info)
{
	char *path = memory_format("/sys/bus/pci/devices/%s/vbios_version", info->pci);
	char *version = layer_read(root, path), *information;

	free(path);
	path = memory_format("/proc/driver/nvidia/gpus/%s/information", info->pci);
	information = layer_read(root, path);
	if (version == NULL && information != NULL)
		version = layer_value(information, "Video BIOS", ':');
	if (version != NULL)
		layer_add(layers, "firmware", "device firmware", version, "queried");
	free(information);
	free(path);
	free(version);
}

cJSON *executor_device_facts(const char *root, const eh_device_info *info)
{
	cJSON *layers = cJSON_CreateArray();
	cJSON *layer = layer_add(layers, "hardware", "device", "", "queried");
	char *nodes;

	if (info->type == EH_DEVICE_CPU) {
		add_processor(layer, root);
		layer = layer_add(layers, "interconnect", "memory of the host", "", "queried");
		nodes = layer_read(root, "/sys/devices/system/node/online");
		layer_text(layer, "link", "the processor's own memory", "queried");
		layer_text(layer, "numa-node", nodes, "queried");
		free(nodes);
	} else {
		add_device(layer, root, info);
		if (info->pci[0] != '\0' && strchr(info->pci, '/') == NULL)
			add_firmware(layers, root, info);
	}
	return layers;
}
