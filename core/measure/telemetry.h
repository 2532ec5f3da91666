/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Telemetry: threads of the worker, one per probe, that read the sensors of the device and of the
 * machine around it while a case is measured.  Readings carry times of clock_now_ns.  Memory is
 * bounded: when it is full, every second reading is dropped and the period doubles.  A sensor that
 * fails or hangs costs its channel while it does, and the record says how often it failed.  Functions take NULL for "no telemetry" and then find nothing.
 */
#ifndef MEASURE_TELEMETRY_H
#define MEASURE_TELEMETRY_H

#include "evenhand/probe.h"
#include "record/record.h"

typedef struct telemetry telemetry;

/* Starts the probes of the search path except those of these names (NULL-terminated, may be NULL)
 * and those whose start does not return within 10 s: both are gaps in the record.  Keeps the places
 * of this device (matched by PCI address or UUID), of packages and of the host.  NULL when there is
 * nothing to read. */
telemetry *telemetry_open(const eh_device_info *info, const char *const *without);
void telemetry_close(telemetry *t);

/* A recording: from start to stop; what came before is forgotten at start.  Reads everything once
 * at start and once at stop, by the threads; each waits at most 2 s for that. */
void telemetry_start(telemetry *t, uint64_t period_ns);
void telemetry_stop(telemetry *t);

/* The last recording, malloc'd; NULL = nothing was read.  times_ns are relative to `origin_ns` (0 = the
 * beginning of the recording). */
record_telemetry *telemetry_record(telemetry *t, uint64_t origin_ns);

/* Processors that reading took on average in the last recording, without its first and last round,
 * which run while nothing is measured. */
double telemetry_burden(telemetry *t);

/* ---- questions, while recording or after it --------------------------------------------------- */
/* They ask the device's own place when it has such a channel; else, when the device is a
 * processor, the packages'.  kind and part as in evenhand/probe.h; part 0 = the first that is there,
 * ALL before CORE before others.  Limits are those of power. */

/* The last value of a channel that is instant or an average. */
bool telemetry_latest(telemetry *t, uint32_t kind, uint32_t part, double *value);
/* The least-squares slope over the last span_ns, per second; false before 3 readings lie in it. */
bool telemetry_slope(telemetry *t, uint32_t kind, uint32_t part, uint64_t span_ns,
                     double *per_second);

/* Sets joules, seconds (from the first to the last reading used), method ("counter", or "power":
 * trapezoids under it) and channel ("nvml gpu-0 energy"; packages are added up) of an initialised
 * record.  Readings are interpolated at both times of clock_now_ns.  false when readings do not
 * cover them. */
bool telemetry_energy_between(telemetry *t, uint64_t from_ns, uint64_t to_ns,
                              record_sustained_energy *out);

/* Adds the states of throttling that occurred, and the flags that follow from those that lasted 1 %
 * of the time or were counted; settings have no flag.  states may be NULL. */
void telemetry_throttle_between(telemetry *t, uint64_t from_ns, uint64_t to_ns,
                                record_throttle_state_list *states, record_flag_list *flags);

/* Mean power over an idle time: waits `span_ns` with a recording of its own when none runs.  false
 * when there is no power or energy to read. */
bool telemetry_idle_power(telemetry *t, uint64_t span_ns, double *watts);

#endif
