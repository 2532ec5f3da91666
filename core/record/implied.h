/* SPDX-License-Identifier: Apache-2.0 */
/* What the samples and instruments of an execution imply about the rest of its record.  The worker
 * states it by these functions, and readers compare. */
#ifndef RECORD_IMPLIED_H
#define RECORD_IMPLIED_H

#include <stdbool.h>
#include <stddef.h>

#include "record/record.h"
#include "stat/series.h"
#include "stat/trace.h"

/* Adds the flags of a series. */
void implied_series_flags(const series *s, record_flag_list *flags);

/* The device's time as a share of the host's, in the middle sample; NAN where it is not known. */
double implied_clock_share(const record_execution *e);
/* Adds the flag of a device clock that reports clearly less than the host's. */
void implied_clock_flags(double share, record_flag_list *flags);

/* Whether a device time is impossible beside the host time of the same work, which was timed in so
 * many parts. */
bool implied_impossible(const record_instrument *i, double parts, double device_ns, double host_ns);

/* The summary of an execution's requests; false where they do not agree with its samples. */
bool implied_requests(const record_settings *m, const record_execution *e, trace_summary *out);

/*
 * The relative half-width that the samples give; NAN when they give no interval: too few, or a series
 * `s` without a steady state or of samples that depend too much.  False where it cannot be told:
 * requests, windows or rounds that are not recorded.  `sorted` has all samples in ascending order,
 * NULL: not at hand.
 */
bool implied_half_width(const record_settings *m, const record_execution *e, const series *s,
                        const double *sorted, double *out);
#define IMPLIED_AWAKE 0.1 /* of a processor: beyond this a worker that waits disturbs the others    */
/* All flags that the record implies, in out; an execution may have others. */
void implied_flags(const record_case *row, const record_execution *e, const series *s,
                   record_flag_list *out);
/* Adds the sentences of canary and guards.  None of turns: what other executors did in theirs is no
 * disturbance. */
void implied_disturbed(const record_execution *e, text_list *words);
/* The first of the quickest valid candidates of a search, which its `chosen` has to be; NULL = none. */
const record_trial *implied_winner(const record_tuning *search);
/* Whether `chosen` has that one's parameters; where there is none, nothing. */
bool implied_chosen(const record_tuning *search);
/* The time of all samples by the host's clock, in nanoseconds; NAN where it is not known. */
double implied_host_ns(const record_execution *e);

#endif
