/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses by trial how many operations a sample has. */
#include <stdlib.h>

#include "base/error.h"
#include "measure/sampler.h"
#include "measure/scenario.h"

enum {
	OVERHEAD_PARTS = 20,        /* a sample is at least so many times the overhead        */
	RESOLUTION_PARTS = 10,      /* and so many times the clock's step                     */
	MOST_BATCH = 65536,
	MOST_ENQUEUED = 256,        /* in region enqueue, where nothing drains the queue      */
	PILOT_RUNS = 3,
	CLEARLY = 2,                /* targets that one operation lasts: it needs no batch    */
	PILOT_IDLES = 4             /* idle drains that lengthen a trial                      */
};
static const uint64_t longest_pilot_ns = 50000000;
static const uint64_t in_turn_ns = 2000000;
static const double device_share = 0.8; /* of the host's time: less needs an explanation        */
static const double launch_most = 4;    /* measured launches that one operation's may take      */

/* Refuses percentiles of operations that are too short for the clock. */
static eh_status coarse(uint64_t least, uint64_t resolution, eh_error *error)
{
	if (least >= resolution * RESOLUTION_PARTS)
		return EH_OK;
	return error_set(error, EH_E_UNSUPPORTED, "One operation takes %llu ns, less than %d steps of "
	                 "its clock (%llu ns each), which is too short for a percentile: use longer "
	                 "operations or statistic = median.", (unsigned long long)least,
	                 RESOLUTION_PARTS, (unsigned long long)resolution);
}

/* Whether launching explains what the device's clock misses in so short a sample.  If it misses more,
 * the clock is false, which the samples will show. */
static bool hides_launches(const sampler *s, uint64_t device, uint64_t host)
{
	double launches = launch_most * (double)s->clocks->launch_ns * (double)s->batch;

	return (double)device < device_share * (double)host && (double)device + launches >= (double)host;
}

/* Whether the device's marks leave out too much of so short a sample. */
static bool too_short_for_marks(const sampler *s, uint64_t device)
{
	uint64_t shortest = s->clocks->device_shortest_ns;

	return s->device && shortest != LAYOUT_NO_UINT && device < shortest;
}

static void use_host_clock(sampler *s)
{
	s->device = false;
	s->gave_up_device = true;
	free(s->host_ns);
	s->host_ns = NULL;
	s->warmup_count = 0;
}

eh_status sampler_batch(sampler *s, eh_error *error)
{
	const record_instrument *c = s->clocks;
	uint32_t region = s->region;
	uint64_t most = region == EH_REGION_ENQUEUE ? MOST_ENQUEUED : MOST_BATCH;
	uint64_t overhead = region == EH_REGION_ENQUEUE ? 2 * c->host_overhead_ns : c->launch_ns;
	uint64_t resolution = s->device ? c->device_resolution_ns : c->host_resolution_ns;
	uint64_t target = overhead * OVERHEAD_PARTS;
	uint64_t needed;
	uint64_t longest;
	bool single = protocol_statistic_quantile(s->rules.statistic) > 0.5;
	eh_status idle = prepared_idle(s->p, &s->idle_ns, error);

	if (idle != EH_OK)
		return idle;
	longest = longest_pilot_ns + PILOT_IDLES * s->idle_ns;
	if (target < resolution * RESOLUTION_PARTS)
		target = resolution * RESOLUTION_PARTS;
	needed = target;
	/* A turn is worth its beginning only if its samples are long. */
	if (s->rounds != NULL && target < in_turn_ns)
		target = in_turn_ns;
	/* Twice, because later samples may be shorter than the first. */
	if (too_short_for_marks(s, target / 2))
		target = 2 * c->device_shortest_ns;
	s->batch = 1;
	s->warmup_count = 0;
	s->short_samples = false;
	if (s->rules.scenario == RECORD_SCENARIO_OFFLINE)
		s->batch = scenario_requests(&s->rules);
	if (region == EH_REGION_ROUND_TRIP || s->rules.scenario == RECORD_SCENARIO_OFFLINE)
		return EH_OK;
	/* Only so many operations find a set that the eviction left cold. */
	if (s->p->evictor != NULL && most > s->p->set_count)
		most = s->p->set_count;
	if (single)
		most = 1;
	for (;;) {
		uint64_t least = UINT64_MAX;
		uint64_t least_host = UINT64_MAX;
		uint64_t time = 0;
		uint64_t host = 0;
		uint64_t more;

		for (int i = 0; i < PILOT_RUNS && host < longest; i++) {
			uint64_t rest;
			eh_status status = sampler_take(s, &time, &host, error);

			if (status == EH_OK)
				status = prepared_drain(s->p, &rest, error);
			if (status != EH_OK)
				return status;
			sampler_see_wait(s, host, rest);
			if (host < least_host)
				least_host = host;
			host += rest;
			if (time < least)
				least = time;
			if (s->batch == 1 && least >= CLEARLY * target)
				break;
		}
		/* The host's limit does not depend on the device's clock and marks. */
		if (least >= target || s->batch >= most || host >= longest) {
			s->warmup_ns[0] = time;
			s->warmup_count = 1;
			s->short_samples = least < needed;
			if ((s->short_samples && s->device && hides_launches(s, least, least_host)) ||
			    too_short_for_marks(s, least)) {
				use_host_clock(s);
				least = least_host;
				resolution = c->host_resolution_ns;
			}
			return single ? coarse(least, resolution, error) : EH_OK;
		}
		more = least == 0 ? s->batch * 16 : s->batch * target / least + 1;
		if (more > s->batch * 16)
			more = s->batch * 16;
		if (more < s->batch * 5 / 4)
			more = s->batch * 5 / 4;
		if (more <= s->batch)
			more = s->batch + 1;
		s->batch = more < most ? more : most;
	}
}
