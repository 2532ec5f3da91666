/* SPDX-License-Identifier: Apache-2.0 */
#include "stat/plain_arithmetic.h"

#include "stat/trace.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "stat/percentile.h"

enum { GROWTH_LEAST = 64 };            /* with fewer requests growth is not judged            */
static const double growth_factor = 2; /* requests in the system, last over second quarter    */
static const double growth_least = 4;  /* with fewer requests in the system nothing grows     */

trace *trace_new(size_t count, size_t concurrency)
{
	trace *t = memory_get(sizeof(*t));

	t->count = count;
	t->concurrency = concurrency;
	t->due_ns = memory_get((count + 1) * sizeof(*t->due_ns));
	t->issued_ns = memory_get((count + 1) * sizeof(*t->issued_ns));
	t->done_ns = memory_get((count + 1) * sizeof(*t->done_ns));
	return t;
}

void trace_free(trace *t)
{
	if (t == NULL)
		return;
	free(t->due_ns);
	free(t->issued_ns);
	free(t->done_ns);
	free(t);
}

uint64_t trace_latency_ns(const trace *t, size_t i)
{
	return t->done_ns[i] > t->due_ns[i] ? t->done_ns[i] - t->due_ns[i] : 0;
}

/* The client's own delay: from when the request was due and a slot was free until it was issued. */
static uint64_t lag_ns(const trace *t, size_t i)
{
	uint64_t ready = t->due_ns[i];

	if (i >= t->concurrency && t->done_ns[i - t->concurrency] > ready)
		ready = t->done_ns[i - t->concurrency];
	return t->issued_ns[i] > ready ? t->issued_ns[i] - ready : 0;
}

/* The mean number of requests in the system during a quarter: the mean time in the system times the
 * offered rate (Little's law). */
static double in_system(const trace *t, size_t quarter, double offered)
{
	size_t from = t->count * quarter / 4;
	size_t to = t->count * (quarter + 1) / 4;
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += (double)trace_latency_ns(t, i);
	return to > from ? sum / (double)(to - from) / 1e9 * offered : 0;
}

void trace_summarise(const trace *t, double quantile, double confidence, uint64_t limit_ns,
                     trace_summary *out)
{
	size_t n = t->count;
	double due = (double)(t->due_ns[n - 1] - t->due_ns[0]) / 1e9;
	double busy = (double)(t->done_ns[n - 1] - t->due_ns[0]) / 1e9;
	double allowed = limit_ns > 0 ? TRACE_LAG_SHARE * (double)limit_ns : 0;
	double *values = memory_get(n * sizeof(*values));
	double lags = 0;
	size_t low, high;

	*out = (trace_summary){ 0 };
	out->offered = due > 0 ? (double)(n - 1) / due : 0;
	out->completed = busy > 0 ? (double)n / busy : 0;
	for (size_t i = 0; i < n; i++) {
		values[i] = (double)lag_ns(t, i);
		lags += values[i];
	}
	out->lag_p99_ns = (uint64_t)percentile_value(values, n, 0.99);
	out->lag_share = busy > 0 ? lags / 1e9 / busy : 0;
	out->late = (double)out->lag_p99_ns > (allowed > TRACE_LAG_NS ? allowed : TRACE_LAG_NS) ||
	            out->lag_share > TRACE_RATE_SHARE;
	if (n >= GROWTH_LEAST && out->offered > 0) {
		double second = in_system(t, 1, out->offered);
		double last = in_system(t, 3, out->offered);

		out->grows = last > growth_least && last > growth_factor * second &&
		             out->completed < TRACE_COMPLETED * out->offered;
	}
	for (size_t i = 0; i < n; i++)
		values[i] = (double)trace_latency_ns(t, i);
	out->value_ns = quantile == 0.5 ? statistics_median(values, n)
	                                : percentile_value(values, n, quantile);
	out->known = (quantile == 0.5 || n >= percentile_least(quantile, PERCENTILE_CONFIDENCE)) &&
	             statistics_quantile_ranks(n, quantile, confidence, &low, &high);
	if (out->known)
		out->value = (interval){ statistics_select(values, n, low),
		                         statistics_select(values, n, high) };
	out->met = out->known && !out->late && !out->grows &&
	           (limit_ns == 0 || out->value.high <= (double)limit_ns);
	free(values);
}

double trace_half_width(const trace_summary *s)
{
	return s->known && s->value_ns > 0 ? (s->value.high - s->value.low) / 2 / s->value_ns : NAN;
}
