/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/processor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/digest.h"
#include "base/text.h"
#include "executor/layer.h"

static char *cpuinfo_value(const char *info, const char *const *keys)
{
	char *value = NULL;

	for (; info != NULL && *keys != NULL && value == NULL; keys++)
		value = layer_value(info, *keys, ':');
	return value;
}

static void add_value(record_layer *layer, const char *info, const char *key,
                      const char *const *keys)
{
	char *value = cpuinfo_value(info, keys);

	layer_text(layer, key, value, RECORD_SOURCE_QUERIED);
	free(value);
}

void processor_add(record_layer_list *layers, const char *root)
{
	/* x86, Arm, POWER and RISC-V use different names. */
	static const char *const model[] = { "model name", "cpu", "uarch", "CPU part", NULL };
	static const char *const vendor[] = { "vendor_id", "CPU implementer", "mvendorid", NULL };
	static const char *const family[] = { "cpu family", "CPU architecture", NULL };
	static const char *const number[] = { "model", "CPU variant", NULL };
	static const char *const stepping[] = { "stepping", "CPU revision", "revision", NULL };
	static const char *const microcode[] = { "microcode", NULL };
	static const char *const flags[] = { "flags", "Features", "isa", NULL };
	static const char *const dmi[][2] = {
		{ "bios_vendor", "vendor" }, { "bios_date", "date" }, { "sys_vendor", "system-vendor" },
		{ "product_name", "system" }, { "board_name", "board" },
	};
	char *info = layer_read(root, "/proc/cpuinfo");
	char *name = cpuinfo_value(info, model), *words = cpuinfo_value(info, flags), *version;
	record_layer *layer;

	layer = layer_add(layers, RECORD_LAYER_HARDWARE, name != NULL ? name : "processor", "",
	                  info != NULL ? RECORD_SOURCE_QUERIED : RECORD_SOURCE_UNAVAILABLE);
	add_value(layer, info, "vendor", vendor);
	add_value(layer, info, "family", family);
	add_value(layer, info, "model", number);
	add_value(layer, info, "stepping", stepping);
	add_value(layer, info, "microcode", microcode);
	if (words != NULL) {
		char hex[65];

		digest_bytes(words, strlen(words), hex);
		layer_text(layer, "flags-sha256", hex, RECORD_SOURCE_QUERIED);
	} else {
		layer_text(layer, "flags-sha256", NULL, RECORD_SOURCE_QUERIED);
	}
	free(words);
	free(name);
	free(info);

	version = layer_read(root, "/sys/class/dmi/id/bios_version");
	layer = layer_add(layers, RECORD_LAYER_FIRMWARE, "system firmware", version,
	                  version != NULL ? RECORD_SOURCE_QUERIED : RECORD_SOURCE_UNAVAILABLE);
	free(version);
	for (size_t i = 0; i < sizeof(dmi) / sizeof(*dmi); i++) {
		char *path = memory_format("/sys/class/dmi/id/%s", dmi[i][0]);

		layer_read_text(layer, dmi[i][1], root, path);
		free(path);
	}
}

/* The name of the hypervisor as the processor reports it: "KVMKVMKVM". */
static void cpu_hypervisor(char name[13])
{
	memset(name, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a = 0, b = 0, c = 0, d = 0;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 31)))
		return;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(name, &b, 4);
	memcpy(name + 4, &c, 4);
	memcpy(name + 8, &d, 4);
	for (int i = 0; i < 12 && name[i] != '\0'; i++)
		if (name[i] < ' ' || name[i] > '~')
			name[i] = '?';
#endif
}

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
		if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
			return true;
	return false;
}

static const char *container_kind(const char *root)
{
	static const char *const marks[][2] = { { "/.dockerenv", "docker" },
		                                { "/run/.containerenv", "podman" } };
	static const char *const words[] = { "docker", "kubepods", "containerd", "lxc", "libpod",
		                             "machine.slice" };
	char *groups;
	const char *kind = NULL;

	for (size_t i = 0; i < 2 && kind == NULL; i++) {
		char *path = memory_format("%s%s", root, marks[i][0]);
		FILE *there = fopen(path, "re");

		if (there != NULL) {
			kind = marks[i][1];
			fclose(there);
		}
		free(path);
	}
	groups = layer_read(root, "/proc/1/cgroup");
	for (size_t i = 0; groups != NULL && kind == NULL && i < sizeof(words) / sizeof(*words); i++)
		if (strstr(groups, words[i]) != NULL)
			kind = words[i];
	free(groups);
	return kind != NULL ? kind : "none";
}

void virtualization_add(record_layer *layer, const char *root)
{
	static const char *const flags[] = { "flags", NULL };
	char *info = layer_read(root, "/proc/cpuinfo");
	char *words = cpuinfo_value(info, flags);
	char *product = layer_read(root, "/sys/class/dmi/id/product_name");
	char *vendor = layer_read(root, "/sys/class/dmi/id/sys_vendor");
	char *type = layer_read(root, "/sys/hypervisor/type");
	char name[13] = "";
	bool virtual = type != NULL || (words != NULL && has_word(words, "hypervisor")) ||
	               (vendor != NULL && (strstr(vendor, "QEMU") != NULL ||
	                                   strstr(vendor, "VMware") != NULL)) ||
	               (product != NULL && (strstr(product, "Virtual") != NULL ||
	                                    strstr(product, "KVM") != NULL));

	/* The processor of this machine says nothing about a recorded one. */
	if (root[0] == '\0')
		cpu_hypervisor(name);
	if (virtual || name[0] != '\0')
		layer_text(layer, "virtualization", "virtual machine", RECORD_SOURCE_MEASURED);
	else if (words == NULL && vendor == NULL)
		layer_text(layer, "virtualization", NULL, RECORD_SOURCE_MEASURED);
	else
		layer_text(layer, "virtualization", "none", RECORD_SOURCE_MEASURED);
	layer_text(layer, "hypervisor", name[0] != '\0' ? name : type, RECORD_SOURCE_QUERIED);
	layer_text(layer, "container", container_kind(root), RECORD_SOURCE_MEASURED);
	free(type);
	free(vendor);
	free(product);
	free(words);
	free(info);
}
