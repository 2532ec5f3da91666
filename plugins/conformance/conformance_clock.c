/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that look at short times many times over: the clock of the marks, and waits for work that
 * takes about a millisecond. */
#include <stdlib.h>
#include <string.h>

#include "conformance_kit.h"

/* ---- a clock that steps back now and then ---------------------------------------------------- */

#define RING 16            /* marks in one go */
#define MOST_MARKS 16384
#define MARKS_NS UINT64_C(300000000)

typedef struct ring {
	eh_mark *marks[RING];
	uint64_t sum, whole;   /* of the times between neighbours; between first and last */
} ring;

static bool elapsed(kit *k, eh_mark *from, eh_mark *to, uint64_t *ns)
{
	eh_status status = k->ops->mark_elapsed(from, to, ns, &k->error);

	if (status != EH_E_UNSUPPORTED)
		return kit_ok(k, "mark_elapsed", status);
	kit_skip(k, "%.*s", (int)sizeof(k->error.message), k->error.message);
	return false;
}

static bool ring_record(kit *k, ring *r)
{
	for (int i = 0; i < RING; i++)
		if (!kit_ok(k, "mark_record", k->ops->mark_record(k->queue, r->marks[i], &k->error)))
			return false;
	return kit_ok(k, "mark_wait", k->ops->mark_wait(r->marks[RING - 1], &k->error)) &&
	       kit_wait(k);
}

static bool ring_measure(kit *k, ring *r)
{
	const uint64_t begin = kit_now(k);
	uint64_t host, ns;

	if (!ring_record(k, r))
		return false;
	host = kit_now(k) - begin;
	r->sum = 0;
	for (int i = 1; i < RING; i++) {
		if (!elapsed(k, r->marks[i - 1], r->marks[i], &ns))
			return false;
		if (ns > host + host / 20 + 2 * k->info.timer_resolution_ns + 1000) {
			kit_fail(k, "mark_elapsed gave %llu ns between two marks of a queue that were recorded "
			         "and passed within %llu ns: the clock of the marks jumps",
			         (unsigned long long)ns, (unsigned long long)host);
			return false;
		}
		r->sum += ns;
	}
	return elapsed(k, r->marks[0], r->marks[RING - 1], &r->whole);
}

/* A step back shows as a negative time, or, where that is made 0, as neighbours whose times add up
 * to more than the whole. */
void conformance_mark_steady(kit *k)
{
	const uint64_t begin = kit_now(k);
	uint64_t steps = 0, rounding = RING * (k->info.timer_resolution_ns + 1);
	ring r;

	for (int i = 0; i < RING; i++)
		if (!kit_mark(k, EH_TIMED, &r.marks[i]))
			return;
	for (int marks = 0; marks < MOST_MARKS && kit_now(k) - begin < MARKS_NS; marks += RING) {
		if (!ring_measure(k, &r))
			return;
		if (r.sum > r.whole + rounding + r.whole / 100)
			steps++;
	}
	if (steps > 0)
		kit_fail(k, "%llu times the times between %d marks in a row added up to more than the time "
		         "between the first and the last, at last %llu ns to %llu: the clock of the marks "
		         "steps back", (unsigned long long)steps, RING, (unsigned long long)r.sum,
		         (unsigned long long)r.whole);
}

/* ---- round trips ----------------------------------------------------------------------------- */

#define TRIPS 41
#define TRIP_SHARE 64 /* of the work of kit_spin, to begin with */
#define TRIP_NS UINT64_C(1000000)

typedef struct trip {
	kit_spin spin;
	uint32_t want;                     /* the state after the next launch                 */
	uint64_t wait[TRIPS], after[TRIPS], idle[TRIPS];
} trip;

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t median(uint64_t *values)
{
	qsort(values, TRIPS, sizeof(*values), by_size);
	return values[TRIPS / 2];
}

/* One launch and its wait, a download behind it, and a download of which nothing is pending. */
static bool trip_once(kit *k, trip *t, int i)
{
	uint64_t begin = kit_now(k), waited, loaded;
	uint32_t state[2] = { 0, 0 };

	if (!kit_spin_launch(k, &t->spin, k->queue) || !kit_wait(k))
		return false;
	waited = kit_now(k);
	if (!kit_download(k, state, t->spin.state, 0, sizeof(state)))
		return false;
	loaded = kit_now(k);
	t->wait[i] = waited - begin;
	t->after[i] = loaded - waited;
	t->want = kit_steps(t->want, (uint64_t)t->spin.rounds * KIT_SPIN_STEPS);
	if (state[0] != t->want || state[1] != t->spin.rounds) {
		kit_fail(k, "the result of a launch was not there after queue_wait and download");
		return false;
	}
	begin = kit_now(k);
	if (!kit_download(k, state, t->spin.state, 0, sizeof(state)))
		return false;
	t->idle[i] = kit_now(k) - begin;
	return true;
}

/* In how many trips the work was done in the download: it took more time than it takes when nothing
 * is pending, and than the wait did, and the wait was too short for the work.  The work takes no more
 * than the quickest trip: a machine that delays downloads of an honest backend does not shorten its
 * waits. */
static int late_trips(const trip *t, uint64_t idle, uint64_t *wait, uint64_t *after)
{
	uint64_t work = UINT64_MAX;
	int late = 0;

	for (int i = 0; i < TRIPS; i++)
		if (t->wait[i] + t->after[i] < work)
			work = t->wait[i] + t->after[i];
	for (int i = 0; i < TRIPS; i++) {
		if (t->after[i] < idle + (t->wait[i] + t->after[i]) / 2 || t->wait[i] >= work / 2)
			continue;
		*wait = t->wait[i];
		*after = t->after[i];
		late++;
	}
	return late;
}

/* Waits that are honest for long work may not be for short work.  A busy machine delays some of the
 * calls, so that a few late downloads mean nothing, and no single trip tells that the work is long
 * enough. */
void conformance_launch_round_trip(kit *k)
{
	const uint32_t start[2] = { 2463534242u, 0 };
	trip *t = kit_memory(sizeof(*t));
	uint64_t wait = 0, after = 0, idle;
	int late;

	if (!kit_spin_make(k, &t->spin) || !kit_upload(k, t->spin.state, 0, start, sizeof(start)) ||
	    !kit_wait(k))
		goto done;
	t->spin.rounds = t->spin.rounds / TRIP_SHARE + 1;
	t->want = start[0];
	for (int i = 0; i < TRIPS; i++) {
		if (!trip_once(k, t, i))
			goto done;
		if (t->wait[i] + t->after[i] < TRIP_NS) {
			t->spin.rounds *= 2;
			i = -1;
		}
	}
	idle = median(t->idle);
	late = late_trips(t, idle, &wait, &after);
	if (late > TRIPS / 4)
		kit_fail(k, "after %d of %d short launches queue_wait returned before the work was done: "
		         "after one wait of %llu us a download of 8 bytes took %llu us, and %llu us when "
		         "nothing was launched", late, TRIPS, (unsigned long long)(wait / 1000),
		         (unsigned long long)(after / 1000), (unsigned long long)(idle / 1000));
done:
	kit_settle(k);
	free(t);
}
