/* SPDX-License-Identifier: Apache-2.0 */
#include "sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the start of a file and adds a NUL; returns the number of bytes, or -1 with errno. */
static ssize_t read_file(const char *path, char *out, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t got;
	int cause;

	if (file < 0)
		return -1;
	got = read(file, out, size - 1);
	cause = errno;
	(void)close(file);
	errno = cause;
	if (got >= 0)
		out[got] = '\0';
	return got;
}

static bool read_line(const char *path, char *out, size_t size)
{
	ssize_t got = read_file(path, out, size);

	if (got < 0)
		return false;
	out[strcspn(out, "\n")] = '\0';
	return true;
}

bool sysfs_line(char *out, size_t size, const char *format, ...)
{
	char path[512];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(path, sizeof(path), format, list);
	va_end(list);
	return read_line(path, out, size);
}

static bool parse(const char *line, uint64_t *out)
{
	char *end;

	if (*line < '0' || *line > '9')
		return false;
	errno = 0;
	*out = strtoull(line, &end, 10);
	return errno == 0 && (*end == '\0' || *end == ' ');
}

bool sysfs_number(uint64_t *out, const char *format, ...)
{
	char path[512], line[64];
	va_list list;

	va_start(list, format);
	(void)vsnprintf(path, sizeof(path), format, list);
	va_end(list);
	return read_line(path, line, sizeof(line)) && parse(line, out);
}

void sysfs_list(const char *folder, const char *prefix, sysfs_each each, void *context)
{
	struct dirent **names = NULL;
	int count = scandir(folder, &names, NULL, versionsort);

	for (int i = 0; i < count; i++) {
		if (names[i]->d_name[0] != '.' &&
		    strncmp(names[i]->d_name, prefix, strlen(prefix)) == 0)
			each(context, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

static eh_status explain(const char *path, int cause, uint32_t kind, eh_error *error)
{
	if (error != NULL)
		error->native_code = cause;
	if (cause == EACCES || cause == EPERM)
		return kit_fail(error, EH_E_UNAVAILABLE,
		                "%s may only be read by its owner: have root run chmod a+r on it%s", path,
		                kind == EH_CHANNEL_ENERGY ? " (this lets every user observe the power "
		                "that others cause), or run as root" : "");
	if (cause == ENOENT || cause == ENODEV || cause == ENXIO)
		return kit_fail(error, EH_E_DEVICE_LOST, "%s is gone: its device was removed or its "
		                "driver unloaded", path);
	return kit_fail(error, EH_E_DEVICE, "%s cannot be read: %s", path, strerror(cause));
}

eh_status sysfs_read(const kit_channel *c, eh_reading *out, eh_error *error)
{
	const char *path = c->object;
	char line[64];
	char *end;
	long long number;

	if (!read_line(path, line, sizeof(line)))
		return explain(path, errno, c->info.kind, error);
	errno = 0;
	number = strtoll(line, &end, 10);
	if (end == line || errno != 0)
		return kit_fail(error, EH_E_DEVICE, "%s holds no number: '%.20s'", path, line);
	out->value = (double)number * c->scale;
	/* The scale of a counter is a whole number. */
	out->count = number < 0 ? 0 : (uint64_t)number * (uint64_t)c->scale;
	if (c->info.kind == EH_CHANNEL_THROTTLE && strcmp(c->info.unit, "ns") == 0)
		out->native = out->time_ns;
	return EH_OK;
}

kit_channel *sysfs_add(linux_probe *p, kit_place *place, const kit_channel *what, const char *path)
{
	kit_channel made = *what;
	kit_channel *c;

	if (access(path, F_OK) != 0)
		return NULL;
	made.owned = strdup(path);
	if (made.owned == NULL)
		return NULL;
	made.object = made.owned;
	made.read = sysfs_read;
	made.owner = p;
	c = kit_add_channel(&p->base, place, &made);
	if (c == NULL) {
		free(made.owned);
		return NULL;
	}
	kit_try(&p->base, c);
	return c;
}

kit_place *linux_place(linux_probe *p, uint32_t kind, const char *id, const char *name)
{
	for (uint32_t i = 0; i < p->base.place_count; i++)
		if (strcmp(p->base.places[i].info.id, id) == 0)
			return &p->base.places[i];
	return kit_add_place(&p->base, kind, id, name);
}
