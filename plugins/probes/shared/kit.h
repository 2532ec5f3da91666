/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by evenhand's own probes: lists of places and channels, reading channels, opening a
 * vendor's library at run time.  A probe fills a kit in its start() and uses the kit's functions in
 * its table (KIT_OPS).
 */
#ifndef PROBES_KIT_H
#define PROBES_KIT_H

#include <stdbool.h>

#include "evenhand/backend_helper.h"
#include "evenhand/probe.h"

typedef struct kit_channel kit_channel;

/* Reads one channel into out->value or out->count (and native); the kit has set time_ns.  Any
 * thread; allocates nothing.  On failure *error has the reason and the remedy. */
typedef eh_status (*kit_read_channel)(const kit_channel *c, eh_reading *out, eh_error *error);

struct kit_channel {
	eh_channel_info info;
	kit_read_channel read;
	const void *owner;     /* the probe's own state                                          */
	void *object;          /* a handle or a file's path                                      */
	void *owned;           /* freed with the kit; may be NULL                                 */
	uint64_t argument;
	double scale;          /* value or count = scale * the sensor's number                    */
};

typedef struct kit_place {
	eh_place_info info;
	kit_channel *channels;
} kit_place;

typedef struct kit {
	const eh_host *host;
	kit_place *places;
	uint32_t place_count;
	char notes[4096];
} kit;

/* Adds a place; marks it simulated when its name begins with "TEST ".  NULL when memory is
 * exhausted. */
kit_place *kit_add_place(kit *k, uint32_t kind, const char *id, const char *name);
/* Adds a copy of `what` to the place; NULL when memory is exhausted. */
kit_channel *kit_add_channel(kit *k, kit_place *p, const kit_channel *what);
/* Reads the channel once.  If it can never be read here, the channel keeps the reason and is not read
 * again; a failure that may pass (EH_E_DEVICE, EH_E_TIMEOUT) leaves it as it is. */
void kit_try(const kit *k, kit_channel *c);
__attribute__((format(printf, 2, 3)))
void kit_note(kit *k, const char *format, ...);
void kit_clear(kit *k);

/* Fills *error (may be NULL) and returns code. */
__attribute__((format(printf, 3, 4)))
eh_status kit_fail(eh_error *error, eh_status code, const char *format, ...);

/* Opens the first of the blank-separated names that can be opened, or only `chosen` unless it is
 * NULL.  On failure returns NULL; *error is EH_E_UNAVAILABLE with the names tried and `advice`. */
void *kit_open(const char *what, const char *names, const char *chosen, const char *advice,
               eh_error *error);
/* Stores the address of the first function of "newName|oldName" in *slot, a pointer to a function
 * of `size` bytes.  False, with *slot NULL, when the library has none of them. */
bool kit_find(void *library, const char *names, void *slot, size_t size);

/* The slots of eh_probe_ops for a self whose first member is a kit. */
void kit_notes(void *self, char *out, size_t size);
eh_status kit_place_count(void *self, uint32_t *count, eh_error *error);
eh_status kit_place_info(void *self, uint32_t place, eh_place_info *info, eh_error *error);
eh_status kit_channel_info(void *self, uint32_t place, uint32_t channel, eh_channel_info *info,
                           eh_error *error);
eh_status kit_read(void *self, uint32_t place, eh_reading *readings, uint32_t count,
                   eh_error *error);

#define KIT_OPS(start_function, stop_function)                                               \
	{                                                                                    \
		.struct_size = sizeof(eh_probe_ops), .start = start_function,                \
		.stop = stop_function, .notes = kit_notes, .place_count = kit_place_count,   \
		.place_info = kit_place_info, .channel_info = kit_channel_info,              \
		.read = kit_read,                                                            \
	}

#endif
