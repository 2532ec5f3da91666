/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evenhand/probe.h - what a probe is, version 1.
 *
 * A probe is a shared object that reads sensors: power, energy, clocks, temperatures, reasons of
 * throttling, utilisation, memory.  It exports exactly one symbol, eh_probe_entry_v1, links against
 * nothing of evenhand's nor of a vendor's, and is written from this header alone. The growth rules,
 * errors and host table of evenhand/backend.h apply.
 *
 * A probe offers places (a device, a processor package, the host), and each place has channels.
 * start() makes both lists; they do not change until stop().  A sensor that exists but cannot be
 * read is a channel with a reason, which `evenhand devices -v` shows.
 *
 * Threads: start, stop, notes, place_* and channel_info are called from one thread at a time.  read
 * is called from a thread of the core, for one place at a time.  When a read hangs for seconds, the
 * core calls read again from another thread without that channel; so a probe must hold no lock
 * while it waits for a sensor.  stop() is not called while a read hangs; after it nothing is
 * called.
 */
#ifndef EVENHAND_PROBE_H
#define EVENHAND_PROBE_H

#include "evenhand/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EH_PROBE_MAGIC UINT32_C(0x50484531) /* "1EHP" */
#define EH_PROBE_ENTRY_NAME "eh_probe_entry_v1"

/* ---- places ------------------------------------------------------------------------------ */

enum { EH_PLACE_DEVICE = 1, EH_PLACE_PACKAGE = 2, EH_PLACE_HOST = 3 };

#define EH_PLACE_SIMULATED (UINT32_C(1) << 0) /* not real sensors: their values are invented  */

typedef struct eh_place_info {
	uint32_t struct_size;
	uint32_t kind;          /* EH_PLACE_*; a device is matched by pci or uuid, the others
	                           belong to every executor of the machine                    */
	uint32_t flags;         /* EH_PLACE_SIMULATED                                         */
	uint32_t channel_count;
	char id[64];            /* stable and unique in the probe; [A-Za-z0-9._:-]+           */
	char name[128];         /* the vendor's name                                          */
	char pci[16];           /* "0000:3b:00.0", empty = none                               */
	char uuid[40];          /* as in eh_device_info, empty = none                         */
} eh_place_info;

/* ---- channels ---------------------------------------------------------------------------- */

enum { /* what is read, and the unit of it */
	EH_CHANNEL_POWER = 1,       /* "W"                                                    */
	EH_CHANNEL_ENERGY = 2,      /* "uJ", a counter                                        */
	EH_CHANNEL_CLOCK = 3,       /* "MHz"                                                  */
	EH_CHANNEL_TEMPERATURE = 4, /* "C"                                                    */
	EH_CHANNEL_THROTTLE = 5,    /* bits, or a counter of "ns", "ticks" or "events"        */
	EH_CHANNEL_UTILISATION = 6, /* "%"                                                    */
	EH_CHANNEL_MEMORY = 7,      /* "bytes" in use                                         */
	EH_CHANNEL_LIMIT = 8,       /* a cap that is set: "W", "MHz", "C"                     */
	EH_CHANNEL_USERS = 9,       /* "processes" that use the place, this one included      */
	EH_CHANNEL_COUNT = 10,      /* a counter of anything else: errors, events             */
	EH_CHANNEL_OTHER = 11
};

enum { /* which part of the place */
	EH_PART_ALL = 1,    /* the board, the package: what the user pays for                 */
	EH_PART_CORE = 2,   /* the compute chip                                               */
	EH_PART_MEMORY = 3,
	EH_PART_OTHER = 4
};

enum { /* how a value relates to its time */
	EH_FORM_INSTANT = 1, /* as it is at the time of the reading                           */
	EH_FORM_AVERAGE = 2, /* over the window_ns before it                                  */
	EH_FORM_COUNTER = 3, /* counts up from an unknown start: only differences count       */
	EH_FORM_BITS = 4     /* a set of named bits                                           */
};

enum { /* what lowers the clocks in a state of throttling */
	EH_CAUSE_OTHER = 0,   /* heat, the power supply, or unknown                           */
	EH_CAUSE_POWER = 1,   /* the power limit                                              */
	EH_CAUSE_SETTING = 2  /* a setting of the user: not throttling                        */
};

#define EH_CHANNEL_RARE (UINT32_C(1) << 0) /* changes rarely or costs much to read: it is read
                                              before and after a case, not during it         */

typedef struct eh_bit { /* frozen */
	uint64_t mask;
	const char *name;    /* "sw-power-cap"                                                */
	const char *meaning; /* a sentence with the remedy: "the power limit was reached; ..."*/
	uint32_t harmless;   /* 1 = set in normal work ("idle"), so that it is no throttling  */
	uint32_t cause;      /* EH_CAUSE_*, of EH_CHANNEL_THROTTLE                            */
} eh_bit;

typedef struct eh_channel_info {
	uint32_t struct_size;
	uint32_t kind;          /* EH_CHANNEL_*                                               */
	uint32_t part;          /* EH_PART_*                                                  */
	uint32_t form;          /* EH_FORM_*                                                  */
	uint32_t flags;         /* EH_CHANNEL_RARE                                            */
	eh_status status;       /* EH_OK, or why it cannot be read here at all                */
	uint64_t window_ns;     /* of an average; 0 = unknown                                 */
	uint64_t wrap;          /* of a counter: after wrap - 1 comes 0; 0 = it has 64 bits   */
	char name[48];          /* unique in its place: "power", "clock-memory"; [a-z0-9.-]+  */
	char unit[16];          /* empty for bits                                             */
	char reason[256];       /* status is not EH_OK: one sentence with the remedy          */
	const eh_bit *bits;     /* of EH_FORM_BITS; valid until stop()                        */
	uint32_t bit_count;
	uint32_t cause;         /* EH_CAUSE_*, of a counter of EH_CHANNEL_THROTTLE            */
} eh_channel_info;

/* ---- readings ---------------------------------------------------------------------------- */

/*
 * One per channel of a place, in the same order.  Frozen.  The caller sets skip and status.  For
 * channels that are not skipped the callee writes the other fields, one channel after the other and
 * status last, so that another thread can see how far a read got.
 */
typedef struct eh_reading {
	uint64_t time_ns;  /* eh_host.now_ns when the value was taken                         */
	uint64_t native;   /* 0 = none; the sensor's own time of the value, in ns; beside a
	                      counter of EH_CHANNEL_THROTTLE: in the unit of that counter, so
	                      that the ratio of their differences is the share of time        */
	uint64_t count;    /* EH_FORM_COUNTER and EH_FORM_BITS                                */
	double value;      /* EH_FORM_INSTANT and EH_FORM_AVERAGE                             */
	eh_status status;  /* EH_OK: the value counts; EH_E_DEVICE_LOST: the device is gone   */
	uint32_t skip;     /* 1 = do not read this channel now                                */
} eh_reading;

/* The caller's initial status; read() does not change it for a skipped channel. */
#define EH_READING_NONE INT32_C(1)

/* ---- the table --------------------------------------------------------------------------- */
/*
 * [R] = required, [O] = optional.  How NVML, ROCm SMI, AMD SMI, Level Zero Sysman and Linux
 * implement each slot is written down in docs/probes.md.
 */
typedef struct eh_probe_ops {
	uint32_t struct_size;
	uint32_t reserved;

	/* [R] Opens the vendor's library and lists places and channels.  EH_E_UNAVAILABLE with
	 * advice when there are none.  `host` is valid until stop() returns. */
	eh_status (*start)(const eh_host *host, void **self, eh_error *error);
	void (*stop)(void *self); /* [R] called once, never followed by start() */
	/* [O] Other things that cannot be read: one sentence with reason and remedy a line, written
	 * to text (size bytes, always terminated). */
	void (*notes)(void *self, char *text, size_t size);

	eh_status (*place_count)(void *self, uint32_t *count, eh_error *error); /* [R] */
	/* [R] Here and below, EH_E_INVALID_ARGUMENT for an index beyond the last. */
	eh_status (*place_info)(void *self, uint32_t place, eh_place_info *info, eh_error *error);
	eh_status (*channel_info)(void *self, uint32_t place, uint32_t channel,
	                          eh_channel_info *info, eh_error *error); /* [R] */
	/* [R] Reads the first `count` channels of a place.  Cheap; allocates nothing and does not
	 * wait.  The status of a reading tells whether its channel failed; an error is returned
	 * only when all failed. */
	eh_status (*read)(void *self, uint32_t place, eh_reading *readings, uint32_t count,
	                  eh_error *error);
} eh_probe_ops;

/* ---- the identity block -------------------------------------------------------------------- */
/* Static and constant in the plugin; checked field by field before ops is touched. */
typedef struct eh_probe {
	uint32_t magic;          /* EH_PROBE_MAGIC                                            */
	uint32_t struct_size;
	uint16_t abi_major;      /* of the header it was built with                           */
	uint16_t abi_minor;
	uint16_t pointer_bytes;  /* sizeof(void *)                                            */
	uint16_t reserved;
	const char *name;        /* [a-z][a-z0-9_]*, unique, equal to the file's: NAME.so     */
	const char *title;       /* "NVIDIA Management Library"                               */
	const char *version;     /* the plugin's own                                          */
	const char *license;     /* SPDX identifier                                           */
	const eh_probe_ops *ops;
} eh_probe;

/*
 * Pure: touches no driver, allocates nothing, may be called often, from any thread.
 *
 *   EH_EXPORT const eh_probe *eh_probe_entry_v1(void);
 */
typedef const eh_probe *(*eh_probe_entry)(void);
EH_EXPORT const eh_probe *eh_probe_entry_v1(void);

#ifdef __cplusplus
}
#endif
#endif /* EVENHAND_PROBE_H */
