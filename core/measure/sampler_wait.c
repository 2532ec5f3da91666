/* SPDX-License-Identifier: Apache-2.0 */
/* Whether waiting waits: before the first sample, and from time to time between them. */
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "measure/sampler.h"

enum {
	TRIALS = 5,
	OPERATIONS = 64,            /* in one trial where samples are not batched             */
	MOST_OPERATIONS = 65536,
	IDLES = 8                   /* idle drains that a trial lasts before it counts        */
};
static const uint64_t longest_drain_gap_ns = 100000000;
static const double most_hidden = 0.25; /* of the work's time, seen only in the read-back  */

static void early(sampler *s, uint64_t waited, uint64_t hidden)
{
	char claimed[32];
	char more[32];

	text_format_ns((double)waited, claimed);
	text_format_ns((double)hidden, more);
	(void)snprintf(s->impossible, sizeof(s->impossible),
	               "Waiting returned early: %s of work were reported as complete, but reading back "
	               "took %s more.", claimed, more);
}

eh_status sampler_try_wait(sampler *s, eh_error *error)
{
	uint64_t operations = s->batch < OPERATIONS &&
	                      s->region != EH_REGION_EXECUTION ? OPERATIONS : s->batch;
	uint64_t least_hidden = UINT64_MAX;
	uint64_t waited_then = 0;

	for (int i = 0; i < TRIALS;) {
		uint64_t start = clock_now_ns();
		uint64_t waited;
		uint64_t first;
		uint64_t second;
		eh_status status = prepared_enqueue(s->p, operations, error);

		if (status == EH_OK)
			status = prepared_wait(s->p, error);
		waited = clock_now_ns() - start;
		if (status == EH_OK)
			status = prepared_drain(s->p, &first, error);
		if (status == EH_OK)
			status = prepared_drain(s->p, &second, error);
		if (status != EH_OK)
			return status;
		if (first <= second ||
		    (double)(first - second) <= most_hidden * (double)waited + (double)s->clocks->launch_ns)
			return EH_OK;
		/* Against so little work a change in the time of reading back is no evidence. */
		if (waited + first < IDLES * s->idle_ns && operations < MOST_OPERATIONS) {
			operations *= 2;
			continue;
		}
		i++;
		if (first - second < least_hidden) {
			least_hidden = first - second;
			waited_then = waited;
		}
	}
	early(s, waited_then, least_hidden);
	return EH_OK;
}

/* The same from time to time while sampling, for a backend that begins to lie later. */
eh_status sampler_drain(sampler *s, eh_error *error)
{
	uint64_t since = s->end_ns - s->drained_ns;
	uint64_t took;
	eh_status status;

	if (since < s->drain_gap_ns)
		return EH_OK;
	status = prepared_drain(s->p, &took, error);
	if ((double)took > most_hidden * (double)since + 2 * (double)s->clocks->launch_ns)
		s->slow_drains++;
	else
		s->slow_drains = 0;
	if (s->slow_drains == 3)
		early(s, since, took);
	if (s->drain_gap_ns < longest_drain_gap_ns)
		s->drain_gap_ns *= 2;
	s->drained_ns = clock_now_ns();
	return status;
}
