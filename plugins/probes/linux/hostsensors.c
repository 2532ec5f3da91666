/* SPDX-License-Identifier: Apache-2.0 */
/* The whole machine: utilisation of its processors, memory, thermal zones. */
#include "sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel reports times to user space in hundredths of a second, whatever its own tick is. */
static const uint64_t tick_ns = 10000000;

/* Reads the first bytes of a file and adds a NUL; the needed lines come first in both files. */
static bool read_head(const char *path, char *out, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file >= 0 ? read(file, out, size - 1) : -1;

	if (file >= 0)
		(void)close(file);
	out[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* user nice system idle iowait irq softirq steal; guest time is part of user time. */
static eh_status read_busy(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned long long t[8] = { 0 };
	uint64_t total = 0;
	char line[512];

	if (!read_head(c->object, line, sizeof(line)) ||
	    sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
	           &t[4], &t[5], &t[6], &t[7]) < 4)
		return kit_fail(error, EH_E_UNAVAILABLE, "%s does not report utilisation",
		                (const char *)c->object);
	for (int i = 0; i < 8; i++)
		total += t[i];
	out->count = (total - t[3] - t[4]) * tick_ns;
	out->native = total * tick_ns;
	return EH_OK;
}

static bool meminfo(const char *text, const char *key, uint64_t *kibibytes)
{
	const char *at = strstr(text, key);

	if (at == NULL)
		return false;
	*kibibytes = strtoull(at + strlen(key), NULL, 10);
	return true;
}

static eh_status read_memory(const kit_channel *c, eh_reading *out, eh_error *error)
{
	char text[1024];
	uint64_t total, available;

	if (!read_head(c->object, text, sizeof(text)) || !meminfo(text, "MemTotal:", &total) ||
	    !meminfo(text, "MemAvailable:", &available) || available > total)
		return kit_fail(error, EH_E_UNAVAILABLE, "%s does not report the memory in use",
		                (const char *)c->object);
	out->value = (double)(total - available) * 1024;
	return EH_OK;
}

static void add_file(linux_probe *p, kit_place *place, const char *file, const kit_channel *what)
{
	char path[256];
	kit_channel made = *what;
	kit_channel *c;

	(void)snprintf(path, sizeof(path), "%s%s", p->root, file);
	if (access(path, F_OK) != 0)
		return;
	made.owned = strdup(path);
	made.object = made.owned;
	c = made.owned != NULL ? kit_add_channel(&p->base, place, &made) : NULL;
	if (c == NULL)
		free(made.owned);
	else
		kit_try(&p->base, c);
}

typedef struct zones { linux_probe *p; kit_place *place; } zones;

static void add_zone(void *context, const char *name)
{
	const zones *z = context;
	kit_channel c = { .info = { .kind = EH_CHANNEL_TEMPERATURE, .form = EH_FORM_INSTANT,
	                            .part = EH_PART_OTHER, .unit = "C" }, .scale = 1e-3 };
	char type[24] = "", path[320];

	(void)sysfs_line(type, sizeof(type), "%s/sys/class/thermal/%s/type", z->p->root, name);
	for (char *t = type; *t != '\0'; t++) {
		if (*t >= 'A' && *t <= 'Z')
			*t = (char)(*t - 'A' + 'a');
		else if (!((*t >= 'a' && *t <= 'z') || (*t >= '0' && *t <= '9')))
			*t = '-';
	}
	if (strncmp(type, "cpu", 3) == 0 || strstr(type, "pkg-temp") != NULL)
		c.info.part = EH_PART_CORE;
	(void)snprintf(c.info.name, sizeof(c.info.name), "zone%.8s-%s", name + strlen("thermal_zone"),
	               type[0] != '\0' ? type : "thermal");
	(void)snprintf(path, sizeof(path), "%s/sys/class/thermal/%s/temp", z->p->root, name);
	(void)sysfs_add(z->p, z->place, &c, path);
}

void linux_add_host(linux_probe *p)
{
	kit_place *host = linux_place(p, EH_PLACE_HOST, "host", "the machine");
	char folder[256];
	zones z = { p, host };

	if (host == NULL)
		return;
	add_file(p, host, "/proc/stat", &(kit_channel){
		.info = { .kind = EH_CHANNEL_UTILISATION, .part = EH_PART_ALL, .form = EH_FORM_COUNTER,
		          .name = "utilisation", .unit = "ns" }, .read = read_busy });
	add_file(p, host, "/proc/meminfo", &(kit_channel){
		.info = { .kind = EH_CHANNEL_MEMORY, .part = EH_PART_ALL, .form = EH_FORM_INSTANT,
		          .name = "memory-used", .unit = "bytes" }, .read = read_memory });
	(void)snprintf(folder, sizeof(folder), "%s/sys/class/thermal", p->root);
	sysfs_list(folder, "thermal_zone", add_zone, &z);
}
