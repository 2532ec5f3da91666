/* SPDX-License-Identifier: Apache-2.0 */
#include "report/sampling.h"

#include "base/text.h"

/* Ended by its half-width, not by its time or by a scenario. */
static bool by_width(const record_case *row, const record_execution *e)
{
	return e->status == RECORD_VALID && !isnan(e->half_width) && e->sustained == NULL &&
	       row->measure.scenario == record_scenario_kind_absent;
}

/* What the executions that converged took, and would have taken with `fixed` samples each. */
typedef struct tally {
	size_t samples, series, most;
	double taken_ns, fixed_ns;
} tally;

static void add_series(tally *to, const uint_list *samples, size_t fixed)
{
	double sum = 0;

	for (size_t i = 0; i < samples->count; i++)
		sum += (double)samples->items[i];
	if (samples->count == 0)
		return;
	to->samples += samples->count;
	to->series++;
	to->most = samples->count > to->most ? samples->count : to->most;
	to->taken_ns += sum;
	to->fixed_ns += sum / (double)samples->count * (double)fixed;
}

static tally add_up(const result *r, size_t fixed)
{
	tally sum = { 0 };

	for (size_t i = 0; i < r->row_count; i++) {
		const record_case *row = r->rows[i].record;

		for (size_t e = 0; e < row->executions.count; e++)
			if (by_width(row, &row->executions.items[e]))
				add_series(&sum, &row->executions.items[e].samples_ns, fixed);
	}
	return sum;
}

char *sampling_sentence(const result *r)
{
	size_t most = add_up(r, 0).most;
	tally sum = add_up(r, most);
	char taken[32], fixed[32];

	if (sum.series == 0 || !(sum.taken_ns > 0))
		return NULL;
	text_format_ns(sum.taken_ns, taken);
	text_format_ns(sum.fixed_ns, fixed);
	return memory_format("%zu samples in %s made %zu intervals narrow enough; %zu samples for each, as "
	                     "many as the noisiest needed, would take %s (%.2gx)", sum.samples, taken,
	                     sum.series, most, fixed, sum.fixed_ns / sum.taken_ns);
}
