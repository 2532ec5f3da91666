/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/doubts.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "record/proven.h"
#include "stat/settle.h"
#include "stat/statistics.h"

record_doubt *doubts_add(sampler *s, enum record_doubt_kind kind, double limit)
{
	record_doubt *d = layout_append(record_doubt_layout(), &s->doubts);

	d->kind = kind;
	d->limit = limit;
	d->verdict = RECORD_DOUBT_OPEN;
	return d;
}

enum record_doubt_verdict doubts_judge(record_doubt *d)
{
	d->verdict = proven_verdict(d);
	return d->verdict;
}

static eh_status add_pair(const doubts_way *way, record_doubt *d, eh_error *error)
{
	uint64_t first;
	uint64_t second;
	eh_status status = way->take(way->context, &first, &second, error);

	if (status != EH_OK || (first == 0 && second == 0))
		return status;
	if (way->lengthen != NULL && settle_too_short(first, second, way->limit) &&
	    way->lengthen(way->context)) {
		d->first_ns.count = d->second_ns.count = 0;
		return EH_OK;
	}
	uint_list_add(&d->first_ns, first);
	uint_list_add(&d->second_ns, second);
	return EH_OK;
}

eh_status doubts_settle(sampler *s, const doubts_way *way, record_doubt **out, eh_error *error)
{
	record_doubt *d = doubts_add(s, way->kind, way->limit);
	uint64_t begin = clock_now_ns();
	eh_status status = EH_OK;

	*out = d;
	for (int taken = 0; status == EH_OK && doubts_judge(d) == RECORD_DOUBT_OPEN &&
	     d->first_ns.count < SETTLE_MOST &&
	     (taken < DOUBTS_LEAST || clock_now_ns() - begin < DOUBTS_PATIENCE_NS); taken++)
		status = add_pair(way, d, error);
	return status;
}

double doubts_ratio(const record_doubt *d)
{
	size_t n = d->first_ns.count;
	double *ratios = memory_get((n + 1) * sizeof(*ratios));
	double middle;

	for (size_t i = 0; i < n; i++)
		ratios[i] = (double)d->first_ns.items[i] / ((double)d->second_ns.items[i] + 1);
	middle = n > 0 ? statistics_median(ratios, n) : 0;
	free(ratios);
	return middle;
}

char *doubts_open(const record_doubt *d, const char *what)
{
	size_t against = 0;

	for (size_t i = 0; i < d->first_ns.count; i++)
		against += (double)d->first_ns.items[i] < d->limit * (double)d->second_ns.items[i];
	return memory_format("Not settled: in %zu of %zu pairs %s.", against, d->first_ns.count, what);
}
