/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the members of a load from its requests: rates, the client's lag, whether the limit was
 * met. */
#include "record/derive.h"
#include "record/implied.h"
#include "stat/trace.h"

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
	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];
		trace_summary s;

		if (record_execution_counts(e) && implied_requests(&row->measure, e, &s))
			fill(layout_append(record_derived_load_layout(), &out->load), e->execution, &s);
	}
}
