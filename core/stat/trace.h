/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace of a load: when each request was due, issued and done, and what that says.  Pure, and
 * the same bits on every machine: the worker and every reader of a record judge by it alike.
 */
#ifndef STAT_TRACE_H
#define STAT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stat/statistics.h"

/* Times in nanoseconds since the first request was due, all arrays [count], in order of issue.
 * A closed load's requests are due when they are issued. */
typedef struct trace {
	size_t count;
	uint64_t *due_ns, *issued_ns, *done_ns;
	size_t concurrency;    /* requests that may be outstanding at once, >= 1               */
	uint64_t start_ns;     /* the host clock's reading when those times are 0; 0 = not known */
} trace;

trace *trace_new(size_t count, size_t concurrency);
void trace_free(trace *t);

/* Latency counts from when a request was due, not from when the client came to issue it: a client
 * or a queue that is late cannot hide it (no coordinated omission). */
uint64_t trace_latency_ns(const trace *t, size_t i);

#define TRACE_LAG_NS 100000    /* p99 of the lag may be so long, or this share of the limit:   */
#define TRACE_LAG_SHARE 0.01
#define TRACE_RATE_SHARE 0.01  /* all lags together: of the time until the last request is done */
#define TRACE_COMPLETED 0.99   /* completions per arrival, else the load is more than it takes  */

typedef struct trace_summary {
	double offered;        /* requests due per second                                      */
	double completed;      /* requests done per second                                     */
	uint64_t lag_p99_ns;
	double lag_share;      /* of the time until the last request is done                   */
	bool late;             /* the client was too late: nothing is known of the executor    */
	bool grows;            /* the queue grew: the load is more than the executor takes     */
	double value_ns;       /* the statistic of the latencies                               */
	interval value;        /* its interval; {0, 0} when there are too few requests         */
	bool known;            /* enough requests for the statistic and its interval           */
	bool met;              /* known, and the interval's upper end is within the limit      */
} trace_summary;

/* quantile 0.5 is the median.  limit_ns 0 = none: then `met` says that the queue did not grow.
 * confidence is that of the interval.  count >= 1. */
void trace_summarise(const trace *t, double quantile, double confidence, uint64_t limit_ns,
                     trace_summary *out);

#endif
