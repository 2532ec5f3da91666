/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/sustain.h"

#include <math.h>

#include "base/clock.h"
#include "stat/windows.h"

/* Draining the queue costs the device a moment, so it is rare here. */
static const uint64_t drain_gap_ns = 100000000;

/* Neighbouring samples become one; their number is even. */
static void halve(sustain *run, sampler *s)
{
	for (size_t i = 0; i < s->count / 2; i++) {
		s->times_ns[i] = s->times_ns[2 * i] + s->times_ns[2 * i + 1];
		if (s->host_ns != NULL)
			s->host_ns[i] = s->host_ns[2 * i] + s->host_ns[2 * i + 1];
		s->starts_ns[i] = s->starts_ns[2 * i];
	}
	s->count /= 2;
	run->record->merged *= 2;
}

/* How many times of the clock make one sample, so that about half of the room is used. */
static uint64_t choose_merged(const sampler *s)
{
	/* By the host's clock: a device's that is wrong must not make a sample last for minutes. */
	uint64_t last = s->end_ns - s->start_ns;
	uint64_t expected = s->rules.sustain_time_ns / (last + 1);

	return expected / (s->room / 2) + 1;
}

/* Takes `merged` times as sample number s->count. */
static eh_status take_merged(sampler *s, uint64_t merged, eh_error *error)
{
	uint64_t time_sum = 0;
	uint64_t host_sum = 0;
	uint64_t begin = 0;

	for (uint64_t i = 0; i < merged; i++) {
		uint64_t time;
		uint64_t host;
		eh_status status = sampler_take(s, &time, &host, error);

		if (status != EH_OK)
			return status;
		if (i == 0)
			begin = s->start_ns;
		time_sum += time;
		host_sum += host;
	}
	s->times_ns[s->count] = time_sum;
	if (s->host_ns != NULL)
		s->host_ns[s->count] = host_sum;
	s->starts_ns[s->count] = begin;
	s->count++;
	return EH_OK;
}

static void judge(sampler *s)
{
	double width = windows_half_width(s->times_ns, s->starts_ns, s->count, s->batch,
	                                  s->rules.sustain_window_ns, s->rules.confidence);

	s->half_width = isnan(width) ? INFINITY : width;
	s->converged = s->half_width <= s->rules.half_width;
}

eh_status sustain_run(sustain *run, sampler *s, verify_state *v, eh_error *error)
{
	record_sustained *r = run->record;
	uint64_t begin;
	eh_status status;

	sampler_begin(s, drain_gap_ns);
	r->merged = choose_merged(s);
	status = verify_poison(s->p, r->merged * s->batch, error);
	begin = clock_now_ns();
	while (status == EH_OK && s->impossible[0] == '\0' && r->time_ns < s->rules.sustain_time_ns) {
		uint64_t drained = s->drained_ns;

		if (s->count == s->room)
			halve(run, s);
		status = take_merged(s, r->merged, error);
		if (status != EH_OK)
			break;
		r->time_ns = s->end_ns - begin;
		status = sampler_drain(s, error);
		r->drains += s->drained_ns != drained;
		sampler_tell(s, "sustain",
		             (double)s->times_ns[s->count - 1] / (double)(s->batch * r->merged));
	}
	/* From here on a sample is what was merged. */
	s->batch *= r->merged;
	r->operations = s->batch * s->count;
	if (status != EH_OK || s->impossible[0] != '\0')
		return status;
	judge(s);
	return verify_during(s->p, v, error);
}
