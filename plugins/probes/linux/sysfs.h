/* SPDX-License-Identifier: Apache-2.0 */
/* Files of /proc and /sys below a root, and what the parts of this probe share. */
#ifndef LINUX_SYSFS_H
#define LINUX_SYSFS_H

#include "../shared/kit.h"

typedef struct linux_probe {
	kit base;       /* first: the kit's slots take it for self                                */
	char root[192]; /* "" = the real one                                                      */
} linux_probe;

/* One line without its newline; false when it cannot be read, errno says why. */
__attribute__((format(printf, 3, 4)))
bool sysfs_line(char *out, size_t size, const char *format, ...);
__attribute__((format(printf, 2, 3)))
bool sysfs_number(uint64_t *out, const char *format, ...);
/* Calls each(context, name) for every entry of the folder that begins with prefix, in order of
 * its name (numbers by value). */
typedef void (*sysfs_each)(void *context, const char *name);
void sysfs_list(const char *folder, const char *prefix, sysfs_each each, void *context);

/* A channel that reads one number from a file; value or count = number * scale. */
eh_status sysfs_read(const kit_channel *c, eh_reading *out, eh_error *error);

/* Adds the channel when path is there (tried at once); `what` gives kind, part, form, name, unit,
 * scale.  `advice` follows the reason when the file may not be read. */
kit_channel *sysfs_add(linux_probe *p, kit_place *place, const kit_channel *what, const char *path);

/* The parts; each adds places and channels, and notes what is not there. */
kit_place *linux_place(linux_probe *p, uint32_t kind, const char *id, const char *name);
void linux_add_host(linux_probe *p);
void linux_add_energy(linux_probe *p);
void linux_add_clocks(linux_probe *p);
void linux_add_hwmon(linux_probe *p);

#endif
