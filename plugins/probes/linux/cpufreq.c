/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks of the processors by package, and counts and times of thermal throttling. */
#include "sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reading a clock takes some microseconds, so with many processors only every n-th is read. */
#define MOST_CLOCKS 16
#define MOST_PACKAGES 64

typedef struct cpu_list {
	char root[192];
	uint32_t count;
	uint32_t room;
	uint32_t cpus[];
} cpu_list;

typedef struct packages {
	linux_probe *p;
	cpu_list *list[MOST_PACKAGES];
	bool any;
} packages;

static void add_cpu(void *context, const char *name)
{
	packages *all = context;
	uint64_t cpu, package = 0;
	cpu_list *list;
	char *end;

	cpu = strtoull(name + 3, &end, 10);
	if (end == name + 3 || *end != '\0' || cpu > UINT32_MAX)
		return;
	if (!sysfs_number(&package, "%s/sys/devices/system/cpu/%s/topology/physical_package_id",
	                  all->p->root, name) || package >= MOST_PACKAGES)
		return;
	list = all->list[package];
	if (list == NULL || list->count == list->room) {
		uint32_t room = list == NULL ? 16 : list->room * 2;
		cpu_list *grown = realloc(list, sizeof(*list) + room * sizeof(list->cpus[0]));

		if (grown == NULL)
			return;
		if (list == NULL)
			grown->count = 0;
		grown->room = room;
		(void)snprintf(grown->root, sizeof(grown->root), "%s", all->p->root);
		all->list[package] = list = grown;
	}
	list->cpus[list->count++] = (uint32_t)cpu;
}

/* argument: 0 = the mean, 1 = the lowest clock of the processors, busy or idle. */
static eh_status read_clock(const kit_channel *c, eh_reading *out, eh_error *error)
{
	const cpu_list *list = c->object;
	uint32_t step = (list->count + MOST_CLOCKS - 1) / MOST_CLOCKS, read = 0;
	double sum = 0, least = 0;

	for (uint32_t i = 0; i < list->count; i += step) {
		uint64_t khz;

		/* An offline processor has no clock. */
		if (!sysfs_number(&khz, "%s/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
		                  list->root, list->cpus[i]))
			continue;
		sum += (double)khz;
		least = read == 0 || (double)khz < least ? (double)khz : least;
		read++;
	}
	if (read == 0)
		return kit_fail(error, EH_E_UNSUPPORTED, "the kernel reports no clocks of these "
		                "processors (no cpufreq): in a virtual machine that is usual");
	out->value = (c->argument == 0 ? sum / read : least) * 1e-3;
	return EH_OK;
}

static eh_status read_events(const kit_channel *c, eh_reading *out, eh_error *error)
{
	const cpu_list *list = c->object;
	uint64_t sum = 0;
	bool any = false;

	for (uint32_t i = 0; i < list->count; i++) {
		uint64_t events;

		if (!sysfs_number(&events,
		                  "%s/sys/devices/system/cpu/cpu%u/thermal_throttle/core_throttle_count",
		                  list->root, list->cpus[i]))
			continue;
		sum += events;
		any = true;
	}
	if (!any)
		return kit_fail(error, EH_E_UNSUPPORTED, "the kernel does not count throttling here");
	out->count = sum;
	return EH_OK;
}

static cpu_list *copy(const cpu_list *list)
{
	size_t size = sizeof(*list) + list->room * sizeof(list->cpus[0]);
	cpu_list *made = malloc(size);

	if (made != NULL)
		memcpy(made, list, size);
	return made;
}

static void add_list(linux_probe *p, kit_place *place, const cpu_list *list, const kit_channel *what)
{
	kit_channel made = *what;
	kit_channel *c;

	made.owned = copy(list);
	made.object = made.owned;
	c = made.owned != NULL ? kit_add_channel(&p->base, place, &made) : NULL;
	if (c == NULL)
		free(made.owned);
	else
		kit_try(&p->base, c);
}

static void add_throttle(linux_probe *p, kit_place *place, const cpu_list *list)
{
	kit_channel c = { .info = { .kind = EH_CHANNEL_THROTTLE, .part = EH_PART_ALL,
	                            .form = EH_FORM_COUNTER } };
	char folder[256], path[320];

	(void)snprintf(folder, sizeof(folder), "%s/sys/devices/system/cpu/cpu%u/thermal_throttle",
	               p->root, list->cpus[0]);
	if (access(folder, F_OK) != 0)
		return;
	c.scale = 1e6;
	(void)snprintf(c.info.name, sizeof(c.info.name), "throttle-time");
	(void)snprintf(c.info.unit, sizeof(c.info.unit), "ns");
	(void)snprintf(path, sizeof(path), "%s/package_throttle_total_time_ms", folder);
	(void)sysfs_add(p, place, &c, path);
	c.scale = 1;
	(void)snprintf(c.info.name, sizeof(c.info.name), "throttle-events");
	(void)snprintf(c.info.unit, sizeof(c.info.unit), "events");
	(void)snprintf(path, sizeof(path), "%s/package_throttle_count", folder);
	(void)sysfs_add(p, place, &c, path);
	c.info.part = EH_PART_CORE;
	c.info.flags = EH_CHANNEL_RARE;
	c.read = read_events;
	(void)snprintf(c.info.name, sizeof(c.info.name), "throttle-events-cores");
	add_list(p, place, list, &c);
}

void linux_add_clocks(linux_probe *p)
{
	packages all = { .p = p };
	char folder[256];

	(void)snprintf(folder, sizeof(folder), "%s/sys/devices/system/cpu", p->root);
	sysfs_list(folder, "cpu", add_cpu, &all);
	for (uint32_t i = 0; i < MOST_PACKAGES; i++) {
		kit_place *place;
		char id[32];

		if (all.list[i] == NULL)
			continue;
		all.any = true;
		(void)snprintf(id, sizeof(id), "package-%u", i);
		place = linux_place(p, EH_PLACE_PACKAGE, id, "processor package");
		if (place != NULL) {
			add_list(p, place, all.list[i], &(kit_channel){
				.info = { .kind = EH_CHANNEL_CLOCK, .part = EH_PART_CORE,
				          .form = EH_FORM_INSTANT, .name = "clock", .unit = "MHz" },
				.read = read_clock });
			add_list(p, place, all.list[i], &(kit_channel){
				.info = { .kind = EH_CHANNEL_CLOCK, .part = EH_PART_OTHER,
				          .form = EH_FORM_INSTANT, .name = "clock-least", .unit = "MHz" },
				.read = read_clock, .argument = 1 });
			add_throttle(p, place, all.list[i]);
		}
		free(all.list[i]);
	}
	if (!all.any)
		kit_note(&p->base, "No processor packages: %s does not describe their topology", folder);
}
