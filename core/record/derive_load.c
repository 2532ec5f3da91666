/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the members of a load from its requests: rates, the client's lag, whether the limit was
 * met. */
#include <stdlib.h>
#include <string.h>

#include "record/derive.h"
#include "stat/trace.h"

static void copy_times(uint64_t *to, const uint_list *from)
{
	memcpy(to, from->items, from->count * sizeof(*to));
}

/* The requests of an execution as a trace; NULL when they do not agree with its samples. */
static trace *read_trace(const record_execution *e, size_t concurrency)
{
	const record_requests *r = e->requests;
	size_t count = e->samples_ns.count;
	trace *t;

	if (r == NULL || count == 0 || r->due_ns.count != count || r->issued_ns.count != count ||
	    r->done_ns.count != count)
		return NULL;
	t = trace_new(count, concurrency);
	copy_times(t->due_ns, &r->due_ns);
	copy_times(t->issued_ns, &r->issued_ns);
	copy_times(t->done_ns, &r->done_ns);
	t->count = count;
	for (size_t i = 0; i < count; i++)
		if (e->samples_ns.items[i] != trace_latency_ns(t, i)) {
			trace_free(t);
			return NULL;
		}
	return t;
}

static void fill(record_derived_load *out, uint64_t execution, const trace_summary *s)
{
	out->execution = execution;
	out->offered = s->offered;
	out->completed = s->completed;
	out->lag_p99_ns = s->lag_p99_ns;
	out->lag_share = s->lag_share;
	out->grows = s->grows;
	out->met = s->met;
}

void derive_load(const record_case *row, record_derived *out)
{
	const record_settings *m = &row->measure;
	const percentile *p = percentile_find(record_statistic_word(m->statistic));
	uint64_t limit = m->load_slo_ns != LAYOUT_NO_UINT ? m->load_slo_ns : 0;
	uint64_t concurrency = m->load_concurrency != LAYOUT_NO_UINT ? m->load_concurrency : 1;

	if (!record_is_load(m) || isnan(m->confidence) || concurrency == 0)
		return;
	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];
		trace *t = record_execution_counts(e) ? read_trace(e, (size_t)concurrency) : NULL;
		trace_summary s;

		if (t == NULL)
			continue;
		trace_summarise(t, p != NULL ? p->quantile : 0.5, m->confidence, limit, &s);
		trace_free(t);
		fill(layout_append(record_derived_load_layout(), &out->load), e->execution, &s);
	}
}
