/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/nameplates.h"

#include <math.h>
#include <string.h>

#include "analysis/ceilings.h"
#include "base/text.h"
#include "record/nameplate.h"

static void fill(beside_nameplate *out, const nameplate *n, double rate)
{
	out->rate = n->rate;
	out->share = rate / n->rate;
	text_set(&out->source, n->source);
}

void nameplates_add(const record_executor *of, ceiling_list *all)
{
	for (size_t i = 0; i < all->count; i++) {
		ceiling *c = &all->items[i];
		nameplate n;

		if ((c->kind == CEILING_COMPUTE && nameplate_compute(of, c->of, &n)) ||
		    (c->kind == CEILING_MEMORY && nameplate_bandwidth(of, &n))) {
			c->nameplate = layout_new(beside_nameplate_layout());
			fill(c->nameplate, &n, c->rate);
		}
	}
}

/* Copies over a link have nothing to do with the memory's bandwidth. */
static bool is_of_memory(const record_result *of, const record_case *row)
{
	return row->work.metric == RECORD_METRIC_BYTES && strcmp(row->workload, "xfer") != 0 &&
	       ceilings_beyond(of, row);
}

bool nameplates_of_case(const record_result *of, const record_case *row, double rate,
                        beside_nameplate *out)
{
	nameplate n;
	bool found = (row->work.metric == RECORD_METRIC_FLOPS &&
	              nameplate_compute(&of->executor, row->precision, &n)) ||
	             (is_of_memory(of, row) && nameplate_bandwidth(&of->executor, &n));

	if (!found || isnan(rate))
		return false;
	fill(out, &n, rate);
	return true;
}

char *nameplates_words(const beside_nameplate *n, const char *unit)
{
	char figure[40];

	text_format_si(n->rate, unit, figure);
	return memory_format("%.3g %% of the maker's %s (declared: %s)", n->share * 100, figure, n->source);
}
