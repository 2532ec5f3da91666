/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about the clocks that timed a case. */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "contract/condition.h"

/* Of the first execution that counts. */
static enum record_clock clock_of(const result_row *r)
{
	const record_execution *first = condition_next(r, NULL);

	return first != NULL ? first->clock : record_clock_absent;
}

CONDITION(condition_clock)
{
	return condition_both_count(x, y) &&
	       condition_differ(record_clock_word(clock_of(x)), record_clock_word(clock_of(y)), detail,
	                        size);
}

static bool by_device(const result_row *r)
{
	for EACH_COUNTED(e, r)
		if (e->clock == RECORD_CLOCK_DEVICE)
			return true;
	return false;
}

/* The smallest batch by the host's clock; 0 where that clock was not used. */
static double host_batch(const result_row *r)
{
	double least = 0;

	for EACH_COUNTED(e, r)
		if (e->clock == RECORD_CLOCK_HOST && e->batch != LAYOUT_NO_UINT && e->batch > 0 &&
		    (!(least > 0) || (double)e->batch < least))
			least = (double)e->batch;
	return least;
}

/* The launch overhead of the executor, the largest of its executions. */
static double launch_of(const result *r)
{
	const record_instrument_list *all = &r->record->instruments;
	double most = 0;

	for (size_t i = 0; i < all->count; i++)
		most = fmax(most, (double)all->items[i].launch_ns);
	return most;
}

/* Whether the launch overhead is unknown, or a tenth of a sample by the host's clock or more. */
static bool biased(const result *r, const result_row *row, char *detail, size_t size)
{
	double sample = statistics_center(&row->side) * host_batch(row);
	double launch = launch_of(r);
	char sample_text[32];
	char launch_text[32];

	if (!(host_batch(row) > 0) || (launch > 0 && sample >= 10 * launch))
		return false;
	text_format_ns(sample, sample_text);
	text_format_ns(launch, launch_text);
	snprintf(detail, size, "a sample of %s by the host clock, launch overhead %s", sample_text,
	         launch > 0 ? launch_text : "unknown");
	return true;
}

CONDITION(condition_clock_bias)
{
	if (x->side.executions == 0 || y->side.executions == 0 || !(by_device(x) || by_device(y)))
		return false;
	return biased(a, x, detail, size) || biased(b, y, detail, size);
}

SIDE(side_clock_mixed)
{
	for EACH_COUNTED(e, x)
		if (e->clock != clock_of(x))
			return true;
	return false;
}

SIDE(side_zero_time)
{
	return x->side.executions > 0 && !(statistics_center(&x->side) > 0);
}
