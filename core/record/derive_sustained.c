/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the members of a sustained series: windows, best and steady rate, energy. */
#include "record/derive.h"
#include "stat/windows.h"

/* Sets the energy of one operation, gross and net of the idle power. */
static void fill_energy(record_derived_sustained *out, const record_sustained *s)
{
	const record_sustained_energy *energy = s->energy;

	if (energy == NULL || s->operations == 0)
		return;
	out->joules_each = energy->joules / (double)s->operations;
	/* Absent when the idle power is. */
	out->net_joules_each = derive_finite((energy->joules - energy->idle_watts * energy->seconds) /
	                                     (double)s->operations);
}

static void fill(record_derived_sustained *out, const record_execution *e, const windows *w)
{
	out->execution = e->execution;
	for (size_t i = 0; i < w->count; i++) {
		number_list_add(&out->rates, w->list[i].rate);
		number_list_add(&out->medians_ns, w->list[i].median_ns);
	}
	out->steady_first = w->steady_first;
	out->best = w->best;
	out->steady = w->steady;
	out->ratio = w->ratio;
	fill_energy(out, e->sustained);
}

void derive_sustained(const record_case *row, record_derived *out)
{
	for (size_t i = 0; i < row->executions.count; i++) {
		const record_execution *e = &row->executions.items[i];
		windows w;

		if (e->sustained == NULL || !record_execution_counts(e) ||
		    e->starts_ns.count != e->samples_ns.count || e->batch == LAYOUT_NO_UINT ||
		    !windows_make(e->samples_ns.items, e->starts_ns.items, e->samples_ns.count, e->batch,
		                  e->sustained->window_ns, &w))
			continue;
		fill(layout_append(record_derived_sustained_layout(), &out->sustained), e, &w);
		windows_free(&w);
	}
}
