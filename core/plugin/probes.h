/* SPDX-License-Identifier: Apache-2.0 */
/* A started probe with the lists of its places and channels. */
#ifndef PLUGIN_PROBES_H
#define PLUGIN_PROBES_H

#include <stdbool.h>

#include "base/error.h"
#include "evenhand/probe.h"

typedef struct probe_place {
	eh_place_info info;
	eh_channel_info *channels; /* info.channel_count of them                             */
} probe_place;

typedef struct probes_one {
	const eh_probe *probe;     /* NULL = not started                                     */
	const eh_probe_ops *ops;
	void *self;
	char *name, *path;
	probe_place *places;
	uint32_t place_count;
	char *notes;               /* lines; "" = none                                       */
	eh_status status;          /* of loading and starting                                */
	char *reason;              /* when not EH_OK                                         */
} probes_one;

/* Loads the probe at path, starts it, reads its lists.  On failure *out has status and reason. */
eh_status probes_start(probes_one *out, const char *path, eh_error *error);
/* Stops it unless `leave` (a read of it hangs, so nothing may be freed). */
void probes_stop(probes_one *p, bool leave);

/* Reads as eh_probe_ops.read. */
eh_status probes_read(const probes_one *p, uint32_t place, eh_reading *readings, uint32_t count,
                      eh_error *error);
/* The name of the probe whose code this thread is in, NULL when it is in none: asked by the handler
 * of a signal that ends the process. */
const char *probes_current(void);

/* Whether a place is that device's: by PCI address (as numbers, so that "3B:00.0" is
 * "0000:3b:00.0"), else by UUID (without "GPU-" and dashes, in any case). */
bool probes_match(const eh_place_info *place, const eh_device_info *device);

/* "power W": the word of a kind, for people and for JSON. */
const char *probes_kind(uint32_t kind);
const char *probes_part(uint32_t part);
const char *probes_form(uint32_t form);
const char *probes_place_kind(uint32_t kind);

#endif
