/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telemetry: threads of the worker, one per probe, that read the sensors of the device and of the
 * machine around it while a case is measured.  Readings carry times of clock_now_ns.  Memory is
 * taken when a recording starts and is bounded: when it is full, every second reading is dropped
 * and the period doubles.  A sensor that fails or hangs costs its channel.
 * Every function takes NULL for "no telemetry", and then does or finds nothing.
 */
#ifndef MEASURE_TELEMETRY_H
#define MEASURE_TELEMETRY_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#include "evenhand/probe.h"

typedef struct telemetry telemetry;

/* Starts every probe of the search path and keeps the places of this device (matched by PCI
 * address or UUID), of packages and of the host.  NULL when there is nothing to read. */
telemetry *telemetry_open(const eh_device_info *info);
/* The same without the probes of these names (NULL-terminated), which the record then tells.  A probe
 * whose start does not come back within 10 s is left out likewise. */
telemetry *telemetry_open_without(const eh_device_info *info, const char *const *names);
void telemetry_close(telemetry *t);

/* A recording: from start to stop; what came before is forgotten at start.  Reads everything once
 * at start and once at stop, by the threads; each waits at most 2 s for that. */
void telemetry_start(telemetry *t, uint64_t period_ns);
void telemetry_stop(telemetry *t);

/* The record's "telemetry" of the last recording (docs/result-format.md); NULL = nothing was read.
 * times_ns are relative to `origin_ns` (0 = the beginning of the recording). */
cJSON *telemetry_json(telemetry *t, uint64_t origin_ns);

/* The processors, on average, that reading took in the last recording between its first and its last
 * round, while what is measured runs. */
double telemetry_burden(telemetry *t);

/* ---- questions, while recording or after it --------------------------------------------------- */
/* They ask the device's own place when it has such a channel; else, when the device is a
 * processor, the packages'.  kind and part as in evenhand/probe.h; part 0 = the first that is there,
 * ALL before CORE before others. */

/* The last value of a channel that is instant or an average. */
bool telemetry_latest(telemetry *t, uint32_t kind, uint32_t part, double *value, uint64_t *time_ns);
/* The least-squares slope over the last span_ns, per second; false before 3 readings lie in it. */
bool telemetry_slope(telemetry *t, uint32_t kind, uint32_t part, uint64_t span_ns,
                     double *per_second);

typedef struct telemetry_energy {
	double joules;
	double seconds;       /* from the first to the last reading used                       */
	const char *method;   /* "counter" or "power" (trapezoids under it)                    */
	char channel[128];    /* "nvml gpu-0 energy"; packages are added up                     */
} telemetry_energy;
/* Energy between two times of clock_now_ns; interpolated between the readings around them.  false
 * when no reading lies outside or at the ends. */
bool telemetry_energy_between(telemetry *t, uint64_t from_ns, uint64_t to_ns, telemetry_energy *out);

/* The share of time in each state of throttling, 0 to 1, as an array [{channel, name, share |
 * events, meaning}]; states that did not occur are left out; NULL when nothing tells. */
cJSON *telemetry_throttle_between(telemetry *t, uint64_t from_ns, uint64_t to_ns);

/* Mean power over an idle time: waits `span_ns` with a recording of its own when none runs.  false
 * when there is no power or energy to read. */
bool telemetry_idle_power(telemetry *t, uint64_t span_ns, double *watts);

#endif
