/* SPDX-License-Identifier: Apache-2.0 */
#include "record/proven.h"

#include <stdlib.h>

#include "base/text.h"
#include "stat/pairs.h"
#include "stat/settle.h"
#include "stat/statistics.h"

/* By which no machine becomes slower and stays so. */
static const double gross_factor = 100;
/* Data that was just written may be farther from the processor than data that is used again and
 * again, by at most this factor: memory against the first cache. */
static const double written_factor = 64;
static const double launch_varies_most_ns = 250;

/* ---- parts of the proof ---------------------------------------------------------------------- */

static bool has_parts(const record_proof *p)
{
	size_t n = p->waited_ns.count;

	return n > 0 && p->claimed_ns.count == n && p->drained_ns.count == n;
}

bool proven_waits(const record_proof *p)
{
	const uint_list *drained = &p->drained_ns;
	uint64_t *done = memory_get((drained->count + 1) * sizeof(*done));
	settle_verdict verdict;

	for (size_t i = 0; i < drained->count; i++)
		done[i] = p->waited_ns.items[i] +
		          (drained->items[i] > p->idle_ns ? drained->items[i] - p->idle_ns : 0);
	verdict = settle_pairs(p->waited_ns.items, done, drained->count, SETTLE_WAIT);
	free(done);
	return verdict == SETTLE_CLEARED;
}

bool proven_claims(const record_proof *p)
{
	size_t n = p->drained_ns.count;
	uint64_t *proved = memory_get((n + 1) * sizeof(*proved));
	settle_verdict verdict;

	for (size_t i = 0; i < n; i++)
		proved[i] = p->waited_ns.items[i] + p->drained_ns.items[i];
	verdict = settle_pairs(p->claimed_ns.items, proved, n, SETTLE_CLAIM);
	free(proved);
	return verdict == SETTLE_CLEARED;
}

/* ---- the speed of the samples ---------------------------------------------------------------- */

double proven_quantile(const uint64_t *times_ns, size_t count, double quantile)
{
	double *values = memory_get((count + 1) * sizeof(*values));
	double value;

	for (size_t i = 0; i < count; i++)
		values[i] = (double)times_ns[i];
	value = count > 0 ? statistics_select(values, count, (size_t)(quantile * (double)(count - 1))) : 0;
	free(values);
	return value;
}

double proven_claimed(const uint64_t *times_ns, size_t count, uint64_t batch,
                      enum record_statistic statistic)
{
	double quantile = statistic == RECORD_STATISTIC_QUARTILE ? 0.25 : 0.5;

	return proven_quantile(times_ns, count, quantile) / (double)batch;
}

enum record_status proven_speed(double claimed_ns, double proved_ns)
{
	return gross_factor * claimed_ns < proved_ns ? RECORD_INVALID :
	       claimed_ns < SETTLE_CLAIM * proved_ns ? RECORD_UNPROVEN : RECORD_VALID;
}

/* ---- new inputs ------------------------------------------------------------------------------ */

bool proven_inputs_far(const record_varied *is, double median_ns, uint64_t launch_ns)
{
	double allowed = written_factor * median_ns + 2 * (double)launch_ns;

	for (size_t i = 0; i < is->new_ns.count; i++)
		if ((double)is->new_ns.items[i] <= allowed || (double)is->repeated_ns.items[i] <= allowed)
			return false;
	return true;
}

/* Whether one pair asks for more: what is slow on new inputs is so because they are new, or written
 * just before, or because it was disturbed. */
static bool asks_for_more(const record_varied *is, double median_ns, uint64_t launch_ns)
{
	double fresh = SETTLE_INPUTS * (double)is->new_ns.items[0];

	return (double)is->repeated_ns.items[0] < fresh || median_ns + (double)launch_ns < fresh;
}

static double median_of(const uint_list *times)
{
	double *values = memory_get((times->count + 1) * sizeof(*values));
	double middle;

	for (size_t i = 0; i < times->count; i++)
		values[i] = (double)times->items[i];
	middle = times->count > 0 ? statistics_median(values, times->count) : 0;
	free(values);
	return middle;
}

/* By which a launch without any work varies from one to the next: a share of it, and no more than a few
 * reads of memory take, so that a stack gains nothing by launches that are slow. */
static double launch_varies(uint64_t launch_ns)
{
	double share = PAIRS_LIMIT * (double)launch_ns;

	return share < launch_varies_most_ns ? share : launch_varies_most_ns;
}

bool proven_inputs_differ(const record_varied *is, double median_ns, uint64_t launch_ns)
{
	size_t n = is->new_ns.count;

	if (n == 0)
		return false;
	if (n < PAIRS_FEW)
		return asks_for_more(is, median_ns, launch_ns);
	return proven_inputs_far(is, median_ns, launch_ns) ||
	       (median_of(&is->new_ns) - median_of(&is->repeated_ns) > launch_varies(launch_ns) &&
	        pairs_differ(is->new_ns.items, is->repeated_ns.items, n));
}

bool proven_inputs_may_differ(const record_varied *is, double median_ns, uint64_t launch_ns)
{
	size_t n = is->new_ns.count;

	if (proven_inputs_differ(is, median_ns, launch_ns))
		return true;
	for (size_t i = 0; i < n && n < PAIRS_LEAST; i++)
		if ((double)is->repeated_ns.items[i] < SETTLE_INPUTS * (double)is->new_ns.items[i])
			return true;
	return false;
}

bool proven_varied(const record_execution *e, const record_instrument *i)
{
	if (e->varied == NULL || i == NULL || e->varied->new_ns.count != e->varied->repeated_ns.count)
		return false;
	return proven_inputs_differ(e->varied, median_of(&e->samples_ns) / (double)e->batch, i->launch_ns);
}

/* ---- doubts ---------------------------------------------------------------------------------- */

enum record_doubt_verdict proven_verdict(const record_doubt *d)
{
	static const enum record_doubt_verdict verdicts[] = {
		[SETTLE_OPEN] = RECORD_DOUBT_OPEN, [SETTLE_CLEARED] = RECORD_DOUBT_CLEARED,
		[SETTLE_CONFIRMED] = RECORD_DOUBT_CONFIRMED,
	};
	size_t count = d->first_ns.count < d->second_ns.count ? d->first_ns.count : d->second_ns.count;

	return verdicts[settle_pairs(d->first_ns.items, d->second_ns.items, count, d->limit)];
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void set_sorted(uint_list *to, const uint_list *from)
{
	uint_list_set(to, from->items, from->count);
	if (to->count > 1)
		qsort(to->items, to->count, sizeof(*to->items), ascending);
}

void proven_inputs_doubt(const record_varied *pairs, record_doubt *d)
{
	d->kind = RECORD_DOUBT_INPUTS;
	d->limit = SETTLE_INPUTS;
	set_sorted(&d->first_ns, &pairs->repeated_ns);
	set_sorted(&d->second_ns, &pairs->new_ns);
	d->verdict = proven_verdict(d);
}

static const record_doubt *doubt_of(const record_execution *e, enum record_doubt_kind kind)
{
	for (size_t i = 0; i < e->doubts.count; i++)
		if (e->doubts.items[i].kind == kind)
			return &e->doubts.items[i];
	return NULL;
}

/* ---- the status ------------------------------------------------------------------------------ */

typedef struct finding_of { enum record_status status; const char *why; } finding_of;

static void find(finding_of *worst, bool is, enum record_status status, const char *why)
{
	if (is && status > worst->status)
		*worst = (finding_of){ status, why };
}

static void find_doubts(finding_of *worst, const record_execution *e)
{
	for (size_t i = 0; i < e->doubts.count; i++) {
		enum record_doubt_verdict verdict = proven_verdict(&e->doubts.items[i]);

		find(worst, verdict == RECORD_DOUBT_CONFIRMED, RECORD_INVALID, "one of its doubts is confirmed");
		find(worst, verdict == RECORD_DOUBT_OPEN, RECORD_UNPROVEN, "one of its doubts is open");
	}
}

/* The pairs themselves decide, whatever a doubt says that was made of them. */
static void find_inputs(finding_of *worst, const record_execution *e, const record_instrument *i)
{
	bool differ = proven_varied(e, i);
	record_doubt d;

	if (e->varied == NULL || (!differ && doubt_of(e, RECORD_DOUBT_INPUTS) == NULL))
		return;
	layout_init(record_doubt_layout(), &d);
	proven_inputs_doubt(e->varied, &d);
	find(worst, d.verdict == RECORD_DOUBT_CONFIRMED, RECORD_INVALID,
	     "its samples repeat inputs, and new ones take longer throughout");
	find(worst, differ || d.verdict == RECORD_DOUBT_OPEN, RECORD_UNPROVEN,
	     "its samples repeat inputs, and new ones take longer");
	layout_clear(record_doubt_layout(), &d);
}

/* A proof that does not clear something is followed by a doubt. */
static void find_parts(finding_of *worst, const record_case *row, const record_execution *e)
{
	bool enqueue = row->work.region == RECORD_REGION_ENQUEUE && !record_is_load(&row->measure);

	if (!has_parts(e->proof))
		return;
	find(worst, doubt_of(e, RECORD_DOUBT_WAIT) == NULL && !proven_waits(e->proof), RECORD_UNPROVEN,
	     "its proof does not show that waiting waits");
	find(worst, !enqueue && doubt_of(e, RECORD_DOUBT_CLAIM) == NULL && !proven_claims(e->proof),
	     RECORD_UNPROVEN, "its proof does not show that samples take as long as they claim");
}

enum record_status proven_least(const record_case *row, const record_execution *e,
                                const record_instrument *i, const char **why)
{
	finding_of worst = { RECORD_VALID, "" };

	find_doubts(&worst, e);
	find_inputs(&worst, e, i);
	if (e->proof != NULL)
		find_parts(&worst, row, e);
	*why = worst.why;
	return worst.status;
}
