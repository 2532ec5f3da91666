/* SPDX-License-Identifier: Apache-2.0 */
/* Reading files of /proc and /sys, and the parts of this probe. */
#ifndef LINUX_SYSFS_H
#define LINUX_SYSFS_H

#include "../shared/kit.h"

typedef struct linux_probe {
	kit base;       /* first: the kit's slots take it for self                                */
	char root[192]; /* "" = the real one                                                      */
} linux_probe;

/* Reads one line without its newline; false with errno when it cannot be read. */
__attribute__((format(printf, 3, 4)))
bool sysfs_line(char *out, size_t size, const char *format, ...);
__attribute__((format(printf, 2, 3)))
bool sysfs_number(uint64_t *out, const char *format, ...);
/* Calls each(context, name) for every entry of the folder that begins with prefix, in the order of
 * names (numbers by value). */
typedef void (*sysfs_each)(void *context, const char *name);
void sysfs_list(const char *folder, const char *prefix, sysfs_each each, void *context);

/* A channel that reads one number from a file; value or count = number * scale. */
eh_status sysfs_read(const kit_channel *c, eh_reading *out, eh_error *error);

/* Adds a channel if path exists, and reads it once (kit_try).  `what` has kind, part, form, name,
 * unit and scale. */
kit_channel *sysfs_add(linux_probe *p, kit_place *place, const kit_channel *what, const char *path);

/* The parts of the probe: each adds places and channels, and a note for a missing source. */
kit_place *linux_place(linux_probe *p, uint32_t kind, const char *id, const char *name);
void linux_add_host(linux_probe *p);
void linux_add_energy(linux_probe *p);
void linux_add_clocks(linux_probe *p);
void linux_add_hwmon(linux_probe *p);

#endif
