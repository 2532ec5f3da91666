/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace of a load: when each request was due, issued and done, and a summary.  Pure, and the
 * same bits on every machine: the worker and the readers of a record get the same summary.
 */
#ifndef STAT_TRACE_H
#define STAT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/statistics.h"

/* Times are in nanoseconds since the first request was due; arrays have `count` elements in order
 * of issue.  Requests of a closed load are due when they are issued. */
typedef struct trace {
	size_t count;
	uint64_t *due_ns, *issued_ns, *done_ns;
	size_t concurrency;    /* requests that may be outstanding at once, >= 1               */
	uint64_t start_ns;     /* the host clock's time of 0; 0 = unknown                      */
} trace;

trace *trace_new(size_t count, size_t concurrency);
void trace_free(trace *t);

/* Latency counts from the time a request was due, not from the time it was issued.  So a late
 * client or queue does not hide latency (no coordinated omission). */
uint64_t trace_latency_ns(const trace *t, size_t i);

#define TRACE_LAG_NS 100000    /* the largest p99 of the lag, or                               */
#define TRACE_LAG_SHARE 0.01   /* this share of the limit                                      */
#define TRACE_RATE_SHARE 0.01  /* the largest sum of lags: share of the time until all are done */
#define TRACE_COMPLETED 0.99   /* completions per arrival; fewer mean overload                 */

typedef struct trace_summary {
	double offered;        /* requests due per second                                      */
	double completed;      /* requests done per second                                     */
	uint64_t lag_p99_ns;
	double lag_share;      /* sum of lags over the time until the last request is done     */
	bool late;             /* the client was too late: the trace does not show the executor */
	bool grows;            /* the queue grew: the load is more than the executor sustains  */
	double value_ns;       /* the statistic of the latencies                               */
	interval value;        /* its interval; {0, 0} when there are too few requests         */
	bool known;            /* enough requests for the statistic and its interval           */
	bool met;              /* known, and the interval's upper end is within the limit      */
} trace_summary;

/* Summarises a trace of count >= 1.  quantile 0.5 is the median; confidence is that of the
 * interval.  limit_ns 0 = no limit: then `met` means that the queue did not grow. */
void trace_summarise(const trace *t, double quantile, double confidence, uint64_t limit_ns,
                     trace_summary *out);
/* The half-width of the interval of the statistic, relative to it; NAN where it is not known. */
double trace_half_width(const trace_summary *s);

#endif
