/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's time for programs whose backend is the fake one: it goes on when it is read or slept
 * through, and for nothing else, so that what another program does on this machine changes no
 * outcome.  A neighbour can be made that takes the processor away now and then, by a seed.
 * tests/module.mk links the programs that include this with --wrap for what stands below.
 */
#ifndef TESTS_SIMULATED_TIME_H
#define TESTS_SIMULATED_TIME_H

#include "base/clock.h"
#include "base/random.h"
#include "measure/disturb.h"
#include "measure/guards.h"

/* What a reading takes, and by how much that varies. */
enum { SIMULATED_READ_NS = 20, SIMULATED_READ_MORE_NS = 11 };

/* A sleep of the fake backend lasts as long as it is told. */
#define FAKE_SPIN_NS UINT64_C(0)

static struct {
	uint64_t now_ns;
	/* A neighbour, from neighbour_make on: its turns last so long on average, and so does what
	 * lies between two of them.  0 = there is none. */
	uint64_t taken_ns, left_ns;
	uint64_t begin_ns, end_ns; /* of its turn that is on or comes next                     */
	random_state random;
	random_state readings;
} simulated = { .now_ns = 1000000000, .readings = { { 1, 2, 3, 4 } } };

/* Evenly from half the mean to one and a half times it. */
static uint64_t simulated_draw(uint64_t mean)
{
	return mean / 2 + random_below(&simulated.random, mean + 1);
}

static void neighbour_make(uint64_t taken_ns, uint64_t left_ns, uint64_t seed)
{
	simulated.taken_ns = taken_ns;
	simulated.left_ns = left_ns;
	random_seed(&simulated.random, seed);
	simulated.begin_ns = simulated.now_ns + simulated_draw(left_ns);
	simulated.end_ns = simulated.begin_ns + simulated_draw(taken_ns);
}

static void neighbour_end(void)
{
	simulated.taken_ns = 0;
}

/* When `ns` of a processor will have been had from `at` on, which is now or later. */
static uint64_t simulated_after(uint64_t at, uint64_t ns)
{
	random_state random = simulated.random;
	uint64_t begin = simulated.begin_ns, end = simulated.end_ns;

	while (simulated.taken_ns > 0 && at + ns >= simulated.begin_ns) {
		if (at < simulated.begin_ns) {
			ns -= simulated.begin_ns - at;
			at = simulated.begin_ns;
		}
		if (at < simulated.end_ns)
			at = simulated.end_ns;
		simulated.begin_ns = simulated.end_ns + simulated_draw(simulated.left_ns);
		simulated.end_ns = simulated.begin_ns + simulated_draw(simulated.taken_ns);
	}
	/* Its turns are the same whoever asks. */
	simulated.random = random;
	simulated.begin_ns = begin;
	simulated.end_ns = end;
	return at + ns;
}

static void simulated_go_on(uint64_t ns)
{
	simulated.now_ns = simulated_after(simulated.now_ns, ns);
	while (simulated.taken_ns > 0 && simulated.end_ns <= simulated.now_ns) {
		simulated.begin_ns = simulated.end_ns + simulated_draw(simulated.left_ns);
		simulated.end_ns = simulated.begin_ns + simulated_draw(simulated.taken_ns);
	}
}

uint64_t __wrap_clock_now_ns(void);
void __wrap_clock_sleep_ns(uint64_t ns);
void __wrap_disturb_read(disturb_counters *out);
void __wrap_guards_begin(record_guards *g, guards_totals *before, const char *root,
                         telemetry *sensors);
void __wrap_guards_end(record_guards *g, const guards_totals *before, const char *root,
                       telemetry *sensors);

uint64_t __wrap_clock_now_ns(void)
{
	simulated_go_on(SIMULATED_READ_NS +
	                random_below(&simulated.readings, SIMULATED_READ_MORE_NS));
	return simulated.now_ns;
}

/* Nothing is had of a processor meanwhile, but one is needed to wake up. */
void __wrap_clock_sleep_ns(uint64_t ns)
{
	uint64_t until = simulated.now_ns + ns;

	while (simulated.now_ns < until && simulated.taken_ns > 0 && simulated.begin_ns < until) {
		simulated.now_ns = simulated.begin_ns;
		simulated_go_on(0);
	}
	if (simulated.now_ns < until)
		simulated.now_ns = until;
}

/* The machine's own counters are of another time. */
void __wrap_disturb_read(disturb_counters *out)
{
	*out = (disturb_counters){ .load = { .wall_ns = simulated.now_ns, .steal_seconds = NAN } };
}

/* What a test says that the machine around the case did; absent otherwise. */
static const record_guards *simulated_guards;

void __wrap_guards_begin(record_guards *g, guards_totals *before, const char *root,
                         telemetry *sensors)
{
	(void)before;
	(void)root;
	(void)sensors;
	if (simulated_guards != NULL)
		*g = *simulated_guards;
}

void __wrap_guards_end(record_guards *g, const guards_totals *before, const char *root,
                       telemetry *sensors)
{
	(void)g;
	(void)before;
	(void)root;
	(void)sensors;
}

#endif
