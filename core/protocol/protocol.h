/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A protocol: the INI file that declares what is run and how it is measured.  Format and
 * meaning of every key: docs/protocol.md.
 *
 *   [protocol]            identity and the run as a whole
 *   [measure]             defaults of the measurement for every case
 *   [case NAME]           one workload, its parameters (a comma list sweeps), its measurement keys
 *
 * Reading is strict: an unknown or duplicate key, a wrong type, a value out of range, a line
 * that is too long: each refuses the file, with file, line, key and the nearest key.
 */
#ifndef PROTOCOL_PROTOCOL_H
#define PROTOCOL_PROTOCOL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/ini.h"
#include "evenhand/workload.h"
#include "record/record.h"

typedef struct protocol_section {              /* one [case NAME]                                  */
	char *name;
	int line;
	char *workload;
	record_tier_list tiers;        /* as listed; portable where none is                */
	record_settings measure;       /* defaults with the section's own keys over them   */
	ini_setting *settings;         /* the rest: the workload's parameters              */
	size_t setting_count;
} protocol_section;

/* What a device has and values of parameters may be given in: bytes = 4 x llc, groups = 400 x units. */
enum protocol_scale { PROTOCOL_CACHE, PROTOCOL_UNITS, PROTOCOL_SCALES };

typedef struct protocol_scaled {
	bool used;                     /* a value is given in it                           */
	uint64_t size;                 /* that it is for plan_make, a power of two; that of
	                                  schema_scales unless assumed or set otherwise    */
	uint64_t unknown;              /* assumed of a device that does not tell; 0 = none */
} protocol_scaled;

typedef struct protocol {
	char *source;                  /* path or name it was read from, for messages      */
	char *text;                    /* the file, verbatim                               */
	char *name;                    /* [a-z][a-z0-9-]*                                  */
	uint64_t version;
	char *intent;
	char **compatible;             /* "name@version", NULL-terminated                  */
	uint64_t executions;
	uint64_t seed;
	bool interleave;               /* executors and cases in seeded random order       */
	bool canary;
	enum record_level level;
	char *requires;                /* fields of the executor that must be disclosed:
	                                  comma list, "" = none                            */
	uint64_t executions_max;       /* 0 = executions; else those are a pilot that decides
	                                  how many there are, at most this many            */
	enum record_design_kind design;
	uint64_t budget_ns;            /* for the whole run; 0 = no limit                  */
	bool sized;                    /* a parameter has one value for each size class    */
	enum record_size_class size_class; /* which of them plan_make takes; RECORD_SIZE_SMALL
	                                  unless the caller sets another                  */
	protocol_scaled scales[PROTOCOL_SCALES];
	record_settings measure;
	protocol_section *sections;
	size_t section_count;
} protocol;

/* text need not be terminated; source: its name in messages. */
eh_status protocol_parse(const char *text, size_t size, const char *source, protocol **out,
                         eh_error *error);
eh_status protocol_read(const char *path, protocol **out, eh_error *error);
/* By path when it holds a '/' or ends in .ini, else by name in ./protocols of the user's data
 * folder and of the installation.  EH_E_NOT_FOUND lists the names and the nearest. */
eh_status protocol_find(const char *name, protocol **out, eh_error *error);
/* malloc'd paths of the protocols that protocol_find knows, sorted, NULL-terminated. */
char **protocol_list(void);
void protocol_free(protocol *p);
/* Of plans that are made from now on; 0 and LAYOUT_NO_UINT change nothing.  What a device has is
 * rounded up to a power of two, so that devices of about one size get the same plan. */
void protocol_take_size(protocol *p, enum record_size_class size_class);
void protocol_take_scale(protocol *p, enum protocol_scale scale, uint64_t size);
/* The sizes of another plan of this protocol. */
void protocol_take_plan(protocol *p, const record_plan *other);

/* 0.5 for the median, 0.999 for p99.9. */
double protocol_statistic_quantile(enum record_statistic statistic);
/* The fewest samples that the statistic needs (stat/percentile.h); 1 for the median. */
uint64_t protocol_statistic_samples(enum record_statistic statistic);

#endif
