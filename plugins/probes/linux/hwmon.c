/* SPDX-License-Identifier: Apache-2.0 */
/* hwmon: temperatures of processors; power, energy and temperature of GPUs whose drivers have them
 * (amdgpu, i915, xe, nouveau). */
#include "sysfs.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct chips { linux_probe *p; bool any; } chips;

typedef struct file_rule {
	const char *file;      /* "temp1_input"                                                    */
	const char *name;      /* of the channel                                                   */
	const char *unit;
	uint32_t kind, part, form;
	uint32_t flags;
	double scale;
} file_rule;

/* Units of Documentation/hwmon/sysfs-interface: mC, uW, uJ, Hz. */
static const file_rule gpu_rules[] = {
	{ "power1_average", "power", "W", EH_CHANNEL_POWER, EH_PART_ALL, EH_FORM_AVERAGE, 0, 1e-6 },
	{ "power1_input", "power-instant", "W", EH_CHANNEL_POWER, EH_PART_ALL, EH_FORM_INSTANT, 0, 1e-6 },
	{ "power1_cap", "power-limit", "W", EH_CHANNEL_LIMIT, EH_PART_ALL, EH_FORM_INSTANT,
	  EH_CHANNEL_RARE, 1e-6 },
	{ "energy1_input", "energy", "uJ", EH_CHANNEL_ENERGY, EH_PART_ALL, EH_FORM_COUNTER, 0, 1 },
	{ "temp1_input", "temperature", "C", EH_CHANNEL_TEMPERATURE, EH_PART_CORE, EH_FORM_INSTANT, 0, 1e-3 },
	{ "temp2_input", "temperature-2", "C", EH_CHANNEL_TEMPERATURE, EH_PART_OTHER, EH_FORM_INSTANT, 0, 1e-3 },
	{ "temp3_input", "temperature-3", "C", EH_CHANNEL_TEMPERATURE, EH_PART_OTHER, EH_FORM_INSTANT, 0, 1e-3 },
	{ "freq1_input", "clock", "MHz", EH_CHANNEL_CLOCK, EH_PART_CORE, EH_FORM_INSTANT, 0, 1e-6 },
	{ "freq2_input", "clock-memory", "MHz", EH_CHANNEL_CLOCK, EH_PART_MEMORY, EH_FORM_INSTANT, 0, 1e-6 },
};
static const file_rule power_rules[] = {
	{ "power1_average", "power-meter", "W", EH_CHANNEL_POWER, EH_PART_ALL, EH_FORM_AVERAGE, 0, 1e-6 },
	{ "power1_input", "power-meter-now", "W", EH_CHANNEL_POWER, EH_PART_ALL, EH_FORM_INSTANT, 0, 1e-6 },
};

static void add_rules(linux_probe *p, kit_place *place, const char *chip, const file_rule *rules,
                      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		kit_channel c = { .info = { .kind = rules[i].kind, .part = rules[i].part,
		                            .form = rules[i].form, .flags = rules[i].flags },
		                  .scale = rules[i].scale };
		char path[320];

		(void)snprintf(c.info.name, sizeof(c.info.name), "%s", rules[i].name);
		(void)snprintf(c.info.unit, sizeof(c.info.unit), "%s", rules[i].unit);
		(void)snprintf(path, sizeof(path), "%s/sys/class/hwmon/%s/%s", p->root, chip,
		               rules[i].file);
		(void)sysfs_add(p, place, &c, path);
	}
}

/* coretemp: the sensor labelled "Package id N"; k10temp and zenpower: Tctl, the first. */
static void add_processor(linux_probe *p, const char *chip, bool intel, uint32_t nth)
{
	kit_channel c = { .info = { .kind = EH_CHANNEL_TEMPERATURE, .part = EH_PART_CORE,
	                            .form = EH_FORM_INSTANT, .name = "temperature", .unit = "C" },
	                  .scale = 1e-3 };
	unsigned package = nth;
	char label[48] = "", id[32], path[320];
	kit_place *place;

	(void)sysfs_line(label, sizeof(label), "%s/sys/class/hwmon/%s/temp1_label", p->root, chip);
	if (intel && sscanf(label, "Package id %u", &package) != 1)
		return;
	(void)snprintf(id, sizeof(id), "package-%u", package);
	place = linux_place(p, EH_PLACE_PACKAGE, id, "processor package");
	(void)snprintf(path, sizeof(path), "%s/sys/class/hwmon/%s/temp1_input", p->root, chip);
	if (place != NULL)
		(void)sysfs_add(p, place, &c, path);
}

static bool is_pci(const char *s)
{
	static const char shape[] = "xxxx:xx:xx.x";
	size_t i = 0;

	for (; shape[i] != '\0'; i++)
		if (shape[i] == 'x' ? !isxdigit((unsigned char)s[i]) : s[i] != shape[i])
			return false;
	return s[i] == '\0';
}

/* Adds a display controller or accelerator on the PCI bus. */
static void add_gpu(linux_probe *p, const char *chip, const char *driver)
{
	char path[320], real[PATH_MAX], class_text[32], id[64];
	const char *pci;
	unsigned long class_code;
	kit_place *place;

	(void)snprintf(path, sizeof(path), "%s/sys/class/hwmon/%s/device", p->root, chip);
	if (realpath(path, real) == NULL)
		return;
	pci = strrchr(real, '/');
	if (pci == NULL || !is_pci(pci + 1) ||
	    !sysfs_line(class_text, sizeof(class_text), "%s/class", path))
		return;
	class_code = strtoul(class_text, NULL, 16) >> 16;
	if (class_code != 0x03 && class_code != 0x12)
		return;
	(void)snprintf(id, sizeof(id), "%s", pci + 1);
	place = linux_place(p, EH_PLACE_DEVICE, id, driver);
	if (place == NULL)
		return;
	(void)snprintf(place->info.pci, sizeof(place->info.pci), "%.12s", pci + 1);
	add_rules(p, place, chip, gpu_rules, sizeof(gpu_rules) / sizeof(gpu_rules[0]));
}

typedef struct seen { chips all; uint32_t amd; } seen;

static void add_chip(void *context, const char *chip)
{
	seen *s = context;
	linux_probe *p = s->all.p;
	char name[48];

	if (!sysfs_line(name, sizeof(name), "%s/sys/class/hwmon/%s/name", p->root, chip))
		return;
	if (strcmp(name, "coretemp") == 0) {
		s->all.any = true;
		add_processor(p, chip, true, 0);
	} else if (strcmp(name, "k10temp") == 0 || strcmp(name, "zenpower") == 0) {
		s->all.any = true;
		add_processor(p, chip, false, s->amd++);
	} else if (strcmp(name, "power_meter") == 0) {
		kit_place *host = linux_place(p, EH_PLACE_HOST, "host", "the machine");

		if (host != NULL)
			add_rules(p, host, chip, power_rules, sizeof(power_rules) / sizeof(power_rules[0]));
	} else {
		add_gpu(p, chip, name);
	}
}

void linux_add_hwmon(linux_probe *p)
{
	seen s = { .all = { .p = p } };
	char folder[256];

	(void)snprintf(folder, sizeof(folder), "%s/sys/class/hwmon", p->root);
	sysfs_list(folder, "hwmon", add_chip, &s);
	if (!s.all.any)
		kit_note(&p->base, "No temperature of processors: %s has neither coretemp nor k10temp; on "
		         "a real machine load that module, a virtual one has none", folder);
}
