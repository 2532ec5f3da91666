/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"

static void add_file(record_layer *layer, const char *root, const char *folder, const char *file,
                     const char *key)
{
	char *path = memory_format("%s/%s", folder, file);

	layer_read_text(layer, key, root, path);
	free(path);
}

/* The kernel module that drives the device. */
static void add_module(record_layer_list *layers, const char *root, const char *folder)
{
	char *link = memory_format("%s%s/driver/module", root, folder);
	char target[PATH_MAX];
	ssize_t size = readlink(link, target, sizeof(target) - 1);
	char *name, *path, *version;
	record_layer *layer;

	free(link);
	if (size <= 0)
		return;
	target[size] = '\0';
	name = strrchr(target, '/') != NULL ? strrchr(target, '/') + 1 : target;
	path = memory_format("/sys/module/%s/version", name);
	version = layer_read(root, path);
	layer = layer_add(layers, RECORD_LAYER_DRIVER, name, version, RECORD_SOURCE_QUERIED);
	layer_text(layer, "part", "kernel module", RECORD_SOURCE_QUERIED);
	free(version);
	free(path);
	path = memory_format("/sys/module/%s", name);
	add_file(layer, root, path, "srcversion", "source-version");
	free(path);
}

void executor_link(record_layer_list *layers, const char *root, const char *pci)
{
	static const char *const files[][2] = {
		{ "vendor", "vendor-id" }, { "device", "device-id" },
		{ "subsystem_vendor", "subsystem-vendor-id" },
		{ "subsystem_device", "subsystem-device-id" }, { "revision", "revision" },
		{ "class", "class" }, { "numa_node", "numa-node" },
		{ "max_link_speed", "max-link-speed" }, { "max_link_width", "max-link-width" },
		/* Devices slow their link down when idle. */
		{ "current_link_speed", "now-link-speed" }, { "current_link_width", "now-link-width" },
	};
	record_layer *layer;
	char *folder, *name, *there;

	if (pci == NULL || pci[0] == '\0' || strchr(pci, '/') != NULL)
		return;
	folder = memory_format("/sys/bus/pci/devices/%s", pci);
	name = memory_format("PCI %s", pci);
	there = memory_format("%s%s", root, folder);
	if (access(there, R_OK) == 0) {
		layer = layer_add(layers, RECORD_LAYER_INTERCONNECT, name, "",
		                  RECORD_SOURCE_QUERIED);
		for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
			add_file(layer, root, folder, files[i][0], files[i][1]);
		add_module(layers, root, folder);
	} else {
		layer_add(layers, RECORD_LAYER_INTERCONNECT, name, "", RECORD_SOURCE_UNAVAILABLE);
	}
	free(there);
	free(name);
	free(folder);
}
