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
 * that is too long refuses the file with file, line, key and the key probably meant.
 */
#ifndef PROTOCOL_PROTOCOL_H
#define PROTOCOL_PROTOCOL_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/ini.h"
#include "evenhand/workload.h"

enum protocol_tier { TIER_PORTABLE, TIER_TUNED, TIER_VENDOR };
enum protocol_clock { CLOCK_DEVICE, CLOCK_HOST };
enum protocol_cache { CACHE_WARM, CACHE_COLD };
enum protocol_regime { REGIME_BURST, REGIME_SUSTAINED };
enum protocol_statistic {
	STATISTIC_MEDIAN, STATISTIC_P90, STATISTIC_P95, STATISTIC_P97, STATISTIC_P99, STATISTIC_P999
};
enum protocol_data { /* what stands in the inputs; STANDARD: what the workload asks for */
	DATA_STANDARD, DATA_NORMAL, DATA_UNIFORM, DATA_ZEROS, DATA_INCOMPRESSIBLE
};
enum protocol_scenario { /* NONE: one operation after the other, as fast as they go */
	SCENARIO_NONE, SCENARIO_SINGLE_STREAM, SCENARIO_OFFLINE, SCENARIO_SERVER, SCENARIO_CLOSED,
	SCENARIO_KNEE
};
enum protocol_level { LEVEL_STANDARD, LEVEL_CERTIFIED };

/* How one case is measured.  Times in nanoseconds, ratios as fractions. */
typedef struct protocol_measure {
	uint64_t warmup_min_ns, warmup_max_ns;
	uint64_t samples_min, samples_max;     /* per execution                                */
	uint64_t time_min_ns, time_max_ns;     /* sampling, per execution; the budget          */
	double precision;                      /* target half-width of the CI of the median    */
	double confidence;                     /* 0.95                                         */
	double margin;                         /* equivalence margin of a comparison           */
	uint64_t proof_ns;                     /* length of the host-clock proof run           */
	uint64_t timeout_ns;                   /* watchdog for the whole case                  */
	uint64_t tune_budget_ns;
	enum protocol_clock clock;
	enum protocol_cache cache;
	enum protocol_regime regime;
	enum protocol_statistic statistic;     /* what the case's number is                    */
	uint64_t repeats;                      /* of a disturbed case, at most                 */
	uint64_t telemetry_ns;                 /* period of the sensors; 0 = none              */
	enum protocol_data input_data;
	uint64_t sustain_time_ns, sustain_window_ns;
	uint64_t sustain_entry_ns;             /* longest wait for the entry condition         */
	enum protocol_scenario scenario;
	uint64_t load_rate;                    /* requests per second; 0 = the scenario's own  */
	uint64_t load_requests;                /* 0 = what the statistic needs                 */
	uint64_t load_concurrency;
	uint64_t load_slo_ns;                  /* limit of the latency; 0 = none               */
} protocol_measure;

typedef struct protocol_section {      /* one [case NAME]                                 */
	char *name;
	int line;
	char *workload;
	char *tiers;                   /* "portable" or a comma list                       */
	protocol_measure measure;      /* defaults with the section's own keys over them   */
	ini_setting *settings;    /* the rest: the workload's parameters              */
	size_t setting_count;
} protocol_section;

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
	enum protocol_level level;
	char *requires;                /* fields of the executor that must be disclosed:
	                                  comma list, "" = none                            */
	uint64_t executions_max;       /* 0 = executions; else executions are a pilot that
	                                  dimensions how many there are, at most that many */
	protocol_measure measure;
	protocol_section *sections;
	size_t section_count;
} protocol;

/* text need not be terminated; source is what messages call it. */
eh_status protocol_parse(const char *text, size_t size, const char *source, protocol **out,
                         eh_error *error);
eh_status protocol_read(const char *path, protocol **out, eh_error *error);
/* By path when it holds a '/' or ends in .ini, else by name in ./protocols of the user's data
 * folder and of the installation.  A miss lists the names there are and the nearest. */
eh_status protocol_find(const char *name, protocol **out, eh_error *error);
/* malloc'd paths of the protocols that protocol_find knows, sorted, NULL-terminated. */
char **protocol_list(void);
void protocol_free(protocol *p);

const char *protocol_tier_name(enum protocol_tier tier);
/*
 * The least number of samples for the statistic to be stated: for a percentile p the smallest n
 * with P(at most one of n lies above it) <= 1 % (the early-stopping bound of the MLPerf Inference
 * rules, c = 0.99, d = 0).  1 for the median.
 */
uint64_t protocol_statistic_samples(enum protocol_statistic statistic);

#endif
