/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of packages and their parts: the kernel's powercap interface (RAPL of Intel and AMD). */
#include "sysfs.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct domains { linux_probe *p; char top[32]; kit_place *place; bool any; } domains;

static uint32_t part_of(const char *name)
{
	if (strcmp(name, "core") == 0)
		return EH_PART_CORE;
	if (strcmp(name, "dram") == 0)
		return EH_PART_MEMORY;
	return EH_PART_OTHER;
}

static void add_domain(domains *d, const char *folder, const char *channel, uint32_t part)
{
	kit_channel energy = { .info = { .kind = EH_CHANNEL_ENERGY, .part = part,
	                                 .form = EH_FORM_COUNTER, .unit = "uJ" }, .scale = 1 };
	kit_channel limit = { .info = { .kind = EH_CHANNEL_LIMIT, .part = part,
	                                .form = EH_FORM_INSTANT, .flags = EH_CHANNEL_RARE,
	                                .unit = "W" }, .scale = 1e-6 };
	char path[320];
	uint64_t range = 0;

	(void)snprintf(energy.info.name, sizeof(energy.info.name), "%s", channel);
	(void)snprintf(limit.info.name, sizeof(limit.info.name), "%.30s-limit", channel);
	if (sysfs_number(&range, "%s/sys/class/powercap/%s/max_energy_range_uj", d->p->root, folder))
		energy.info.wrap = range + 1;
	(void)snprintf(path, sizeof(path), "%s/sys/class/powercap/%s/energy_uj", d->p->root, folder);
	(void)sysfs_add(d->p, d->place, &energy, path);
	(void)snprintf(path, sizeof(path), "%s/sys/class/powercap/%s/constraint_0_power_limit_uw",
	               d->p->root, folder);
	(void)sysfs_add(d->p, d->place, &limit, path);
}

static void add_part(void *context, const char *folder)
{
	domains *d = context;
	char name[32], channel[48];

	if (strncmp(folder, d->top, strlen(d->top)) != 0 || folder[strlen(d->top)] != ':' ||
	    !sysfs_line(name, sizeof(name), "%s/sys/class/powercap/%s/name", d->p->root, folder))
		return;
	(void)snprintf(channel, sizeof(channel), "energy-%s", name);
	add_domain(d, folder, channel, part_of(name));
}

static void add_top(void *context, const char *folder)
{
	domains *d = context;
	char name[32], all[256];

	if (strchr(folder + strlen("intel-rapl:"), ':') != NULL ||
	    !sysfs_line(name, sizeof(name), "%s/sys/class/powercap/%s/name", d->p->root, folder))
		return;
	d->any = true;
	if (strncmp(name, "package-", 8) == 0) {
		d->place = linux_place(d->p, EH_PLACE_PACKAGE, name, "processor package");
		if (d->place == NULL)
			return;
		add_domain(d, folder, "energy", EH_PART_ALL);
		(void)snprintf(d->top, sizeof(d->top), "%s", folder);
		(void)snprintf(all, sizeof(all), "%s/sys/class/powercap", d->p->root);
		sysfs_list(all, "intel-rapl:", add_part, d);
	} else if (strcmp(name, "psys") == 0) {
		d->place = linux_place(d->p, EH_PLACE_HOST, "host", "the machine");
		if (d->place != NULL)
			add_domain(d, folder, "energy-platform", EH_PART_ALL);
	}
}

void linux_add_energy(linux_probe *p)
{
	domains d = { .p = p };
	char folder[256];

	(void)snprintf(folder, sizeof(folder), "%s/sys/class/powercap", p->root);
	sysfs_list(folder, "intel-rapl:", add_top, &d);
	if (!d.any)
		kit_note(&p->base, "No energy of processors: %s has no intel-rapl; on a real machine "
		         "load the module intel_rapl_msr, in a virtual one ask for it on its host",
		         folder);
}
