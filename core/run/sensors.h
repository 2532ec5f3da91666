/* SPDX-License-Identifier: Apache-2.0 */
/* Which sensors are there and what they tell now: one child process per probe lists its places and
 * channels, so that a library that crashes or hangs costs a line. */
#ifndef RUN_SENSORS_H
#define RUN_SENSORS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "evenhand/backend.h"

/*
 * Every probe of the search path, in order of name: an array of {name, path, title, version, status,
 * [reason], notes: [text], places: [{id, kind, name, pci, uuid, simulated, channels: [{name, kind,
 * part, form, unit, status, reason | value, value_unit, [bits: [name]]}]}]}.  Of a counter, value is
 * its rate over 0.1 s where that means something (W, %).  Caller deletes it.
 */
cJSON *sensors_list(void);

/* Whether a place of that list belongs to the device: its own, or of the package or host. */
bool sensors_match(const cJSON *place, const eh_device_info *device);
/* The place is of the device itself, or a package of a device that is a processor. */
bool sensors_own(const cJSON *place, const eh_device_info *device);

/* The hidden subcommand of the child. */
int sensors_child(const char *path);

#endif
