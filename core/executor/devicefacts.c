/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a device from /sys and /proc: clocks, power cap, error correction, partition,
 * firmware. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"

/* malloc'd content of `file` in the first subfolder whose name begins with prefix and that has it;
 * NULL when none has. */
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

/* Adds value / part as a number; unavailable when value is NULL.  Frees value. */
static void add_scaled(record_layer *layer, const char *key, char *value, double part)
{
	double number = 0;

	if (value != NULL && text_parse_double(value, &number) && number > 0)
		layer_number(layer, key, number / part, RECORD_SOURCE_QUERIED);
	else
		layer_text(layer, key, NULL, RECORD_SOURCE_QUERIED);
	free(value);
}

static void add_processor(record_layer *layer, const char *root)
{
	/* The EDAC driver has a controller only where memory has error correction. */
	char *controller = read_below(root, "/sys/devices/system/edac/mc", "mc", "mc_name");
	char *limit = layer_read(root, "/sys/fs/cgroup/cpu.max");

	layer_text(layer, "ecc", controller != NULL ? "on" : NULL, RECORD_SOURCE_QUERIED);
	layer_text(layer, "partition", limit == NULL || strncmp(limit, "max", 3) == 0 ?
	           "whole processor, as the host shows it" : limit, RECORD_SOURCE_QUERIED);
	add_scaled(layer, "clock-max-mhz",
	           layer_read(root, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"), 1e3);
	add_scaled(layer, "power-cap-watts",
	           layer_read(root, "/sys/class/powercap/intel-rapl:0/constraint_0_power_limit_uw"),
	           1e6);
	free(limit);
	free(controller);
}

/* 0 where it is not known. */
static double number_of(uint64_t value)
{
	return value != LAYOUT_NO_UINT ? (double)value : 0;
}

static const char *text_of(const char *value)
{
	return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Its address on the bus, where that can be part of a path, else NULL. */
static const char *pci_of(const record_device *device)
{
	return text_of(device->pci) != NULL && strchr(device->pci, '/') == NULL ? device->pci
		: NULL;
}

static void add_device(record_layer *layer, const char *root, const record_device *device)
{
	const char *pci = pci_of(device);
	char *folder = memory_format("/sys/bus/pci/devices/%s", pci != NULL ? pci : "");
	char *hwmon = memory_format("%s/hwmon", folder);
	char *path = memory_format("%s/current_compute_partition", folder);
	char *partition = pci != NULL ? layer_read(root, path) : NULL;

	/* The UUID tells two units of one model apart. */
	layer_text(layer, "model", text_of(device->name), RECORD_SOURCE_QUERIED);
	layer_text(layer, "uuid", text_of(device->uuid), RECORD_SOURCE_QUERIED);
	if (number_of(device->memory_bytes) > 0)
		layer_number(layer, "memory-bytes", number_of(device->memory_bytes),
		             RECORD_SOURCE_QUERIED);
	if (number_of(device->compute_units) > 0)
		layer_number(layer, "compute-units", number_of(device->compute_units),
		             RECORD_SOURCE_QUERIED);
	layer_text(layer, "ecc", NULL, RECORD_SOURCE_QUERIED);
	layer_text(layer, "partition", partition, RECORD_SOURCE_QUERIED);
	if (number_of(device->clock_mhz) > 0)
		layer_number(layer, "clock-max-mhz", number_of(device->clock_mhz),
		             RECORD_SOURCE_QUERIED);
	else
		layer_text(layer, "clock-max-mhz", NULL, RECORD_SOURCE_QUERIED);
	add_scaled(layer, "power-cap-watts",
	           pci != NULL ? read_below(root, hwmon, "hwmon", "power1_cap") : NULL, 1e6);
	free(partition);
	free(path);
	free(hwmon);
	free(folder);
}

static void add_firmware(record_layer_list *layers, const char *root, const char *pci)
{
	char *path = memory_format("/sys/bus/pci/devices/%s/vbios_version", pci);
	char *version = layer_read(root, path), *information;

	free(path);
	path = memory_format("/proc/driver/nvidia/gpus/%s/information", pci);
	information = layer_read(root, path);
	if (version == NULL && information != NULL)
		version = layer_value(information, "Video BIOS", ':');
	if (version != NULL)
		layer_add(layers, RECORD_LAYER_FIRMWARE, "device firmware", version,
		          RECORD_SOURCE_QUERIED);
	free(information);
	free(path);
	free(version);
}

void executor_device_facts(record_layer_list *layers, const char *root, const record_device *device)
{
	record_layer *layer = layer_add(layers, RECORD_LAYER_HARDWARE, "device", "",
	                                RECORD_SOURCE_QUERIED);

	if (device->type != NULL && strcmp(device->type, "cpu") == 0) {
		add_processor(layer, root);
		layer = layer_add(layers, RECORD_LAYER_INTERCONNECT, "memory of the host", "",
		                  RECORD_SOURCE_QUERIED);
		layer_text(layer, "link", "the processor's own memory", RECORD_SOURCE_QUERIED);
		layer_read_text(layer, "numa-node", root, "/sys/devices/system/node/online");
	} else {
		add_device(layer, root, device);
		if (pci_of(device) != NULL)
			add_firmware(layers, root, pci_of(device));
	}
}
