/* SPDX-License-Identifier: Apache-2.0 */
/* Started probes with the lists of their places and channels. */
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
	eh_status status;          /* the result of loading and starting                     */
	char *reason;              /* when not EH_OK                                         */
} probes_one;

/* Loads the probe at path, starts it and reads its lists.  On failure *out has status and
 * reason. */
eh_status probes_start(probes_one *out, const char *path, eh_error *error);
/* Stops and frees the probe.  With `leave` it does nothing: a read of the probe hangs and may still
 * use its memory. */
void probes_stop(probes_one *p, bool leave);

/* Calls eh_probe_ops.read. */
eh_status probes_read(const probes_one *p, uint32_t place, eh_reading *readings, uint32_t count,
                      eh_error *error);
/* The name of the probe whose code this thread is running, or NULL.  Async-signal-safe: the handler
 * of a fatal signal calls it. */
const char *probes_current(void);

/* Whether a place belongs to that device: the UUIDs are equal (ignoring "GPU-", dashes and case),
 * or the PCI addresses are (as numbers: "3B:00.0" equals "0000:3b:00.0"). */
bool probes_match(const eh_place_info *place, const eh_device_info *device);

/* The words of EH_CHANNEL_*, EH_PART_*, EH_FORM_* and EH_PLACE_*, for people and for JSON. */
const char *probes_kind(uint32_t kind);
const char *probes_part(uint32_t part);
const char *probes_form(uint32_t form);
const char *probes_place_kind(uint32_t kind);

#endif
