/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "measure/calibrate.h"
#include "measure/percentile.h"
#include "measure/scenario.h"
#include "measure/series.h"
#include "measure/statistics.h"
#include "measure/stoprule.h"

enum {
	WARMUP_KEPT = 4096,
	OVERHEAD_PARTS = 20,        /* a sample is at least so many times the overhead        */
	RESOLUTION_PARTS = 10,      /* and so many times the clock's step                     */
	MOST_BATCH = 65536,
	MOST_ENQUEUED = 256,        /* in region enqueue, where nothing drains the queue      */
	PILOT_RUNS = 3,
	WAIT_TRIALS = 5,
	WAIT_OPERATIONS = 64,       /* in one trial where samples are not batched             */
	WAIT_IDLES = 8,             /* idle drains that a trial lasts before it counts        */
	GAP_IDLES = 16,             /* idle drains that lie between two while sampling        */
	PILOT_IDLES = 4,            /* idle drains that lengthen a trial of the batch         */
	WINDOW = 5                  /* samples that the warm-up rule compares                 */
};
static const uint64_t longest_pilot_ns = 50000000;
static const uint64_t report_ns = 100000000;
static const uint64_t first_drain_ns = 2000000;
static const uint64_t longest_drain_gap_ns = 100000000;
static const double most_hidden = 0.25; /* of the work's time, seen only in the read-back  */
static const double warmup_change = 0.02;
static const double device_share = 0.8; /* of the host's time: less needs an explanation        */
static const double launch_most = 4;    /* measured launches that one operation's may take      */

static uint64_t *times_new(size_t count)
{
	uint64_t *times = memory_get(count * sizeof(*times));

	/* Touched now, so that no page is first touched between samples. */
	memset(times, 0xff, count * sizeof(*times));
	return times;
}

void sampler_init(sampler *s, prepared *p, const instrument *clocks, const protocol_measure *rules,
                  uint64_t seed)
{
	*s = (sampler){ .p = p, .clocks = clocks, .rules = *rules, .batch = 1 };
	/* A request is complete when the client knows it, so its time is that of a round trip. */
	s->region = rules->scenario == SCENARIO_NONE || rules->scenario == SCENARIO_OFFLINE
	                ? p->bench.work->region
	                : (uint32_t)EH_REGION_ROUND_TRIP;
	s->device = rules->clock == CLOCK_DEVICE && clocks->device_time &&
	            rules->scenario == SCENARIO_NONE && s->region == EH_REGION_EXECUTION;
	s->room = rules->samples_max == 0 ? 1 : (size_t)rules->samples_max;
	if (rules->regime == REGIME_SUSTAINED)
		s->room = SAMPLER_SUSTAINED_ROOM;
	s->samples_min = protocol_statistic_samples(rules->statistic);
	if (s->samples_min < rules->samples_min)
		s->samples_min = rules->samples_min;
	s->warmup_room = WARMUP_KEPT;
	s->starts_ns = times_new(s->room);
	s->times_ns = times_new(s->room);
	s->host_ns = s->device ? times_new(s->room) : NULL;
	s->warmup_ns = times_new(s->warmup_room);
	s->scratch = memory_get((s->room < 2 * WINDOW ? 2 * WINDOW : s->room) * sizeof(*s->scratch));
	s->half_width = INFINITY;
	random_seed(&s->random, random_derive(seed, "audit", 0));
}

void sampler_free(sampler *s)
{
	free(s->times_ns);
	free(s->host_ns);
	free(s->starts_ns);
	free(s->warmup_ns);
	free(s->scratch);
	*s = (sampler){ 0 };
}

void sampler_adopt(sampler *s, const uint64_t *times_ns, const uint64_t *starts_ns, size_t count)
{
	if (count > s->room) {
		free(s->times_ns);
		free(s->starts_ns);
		free(s->scratch);
		s->room = count;
		s->times_ns = times_new(count);
		s->starts_ns = times_new(count);
		s->scratch = memory_get((count < 2 * WINDOW ? 2 * WINDOW : count) * sizeof(*s->scratch));
	}
	memcpy(s->times_ns, times_ns, count * sizeof(*times_ns));
	memcpy(s->starts_ns, starts_ns, count * sizeof(*starts_ns));
	s->count = count;
	s->batch = 1;
}

/* ---- one sample ------------------------------------------------------------------------------ */

/*
 * Times `batch` operations.  The region decides what stands between the two readings of the host
 * clock; the device's clock is asked after them.
 */
eh_status sampler_take(sampler *s, uint64_t *time, uint64_t *host, eh_error *error)
{
	prepared *p = s->p;
	const eh_backend_ops *ops = p->s->ops;
	eh_queue *queue = p->s->queue;
	uint64_t start = 0;
	uint64_t end = 0;
	uint64_t elapsed = 0;
	eh_status status = prepared_evict(p, error);

	if (status != EH_OK)
		return status;
	switch (s->region) {
	case EH_REGION_ENQUEUE:
		start = clock_now_ns();
		status = prepared_enqueue(p, s->batch, error);
		end = clock_now_ns();
		if (status == EH_OK)
			status = prepared_wait(p, error);
		break;
	case EH_REGION_ROUND_TRIP:
		start = clock_now_ns();
		status = prepared_enqueue(p, 1, error);
		if (status == EH_OK)
			status = prepared_wait(p, error);
		end = clock_now_ns();
		break;
	default:
		start = clock_now_ns();
		if (s->device)
			status = ops->mark_record(queue, p->from, error);
		if (status == EH_OK)
			status = prepared_enqueue(p, s->batch, error);
		if (status == EH_OK)
			status = prepared_wait(p, error);
		end = clock_now_ns();
		if (status == EH_OK && s->device)
			status = ops->mark_elapsed(p->from, p->to, &elapsed, error);
		break;
	}
	*host = end - start;
	*time = s->device ? elapsed : end - start;
	s->start_ns = start;
	s->end_ns = end;
	if (status == EH_OK && s->device && calibrate_impossible(s->clocks, elapsed, *host))
		(void)snprintf(s->impossible, sizeof(s->impossible),
		               "The device clock claims %llu ns for operations that began and ended "
		               "within %llu ns of the host clock.", (unsigned long long)elapsed,
		               (unsigned long long)*host);
	return status;
}

eh_status sampler_operate(sampler *s, uint64_t count, uint64_t *enqueue_ns, eh_error *error)
{
	uint64_t part = s->region == EH_REGION_ROUND_TRIP ? 1 : s->batch;
	eh_status status = EH_OK;

	*enqueue_ns = 0;
	while (count > 0 && status == EH_OK) {
		uint64_t now = part < count ? part : count;
		uint64_t start = clock_now_ns();

		status = prepared_enqueue(s->p, now, error);
		*enqueue_ns += clock_now_ns() - start;
		if (status == EH_OK)
			status = prepared_wait(s->p, error);
		count -= now;
	}
	return status;
}

/* ---- batch ----------------------------------------------------------------------------------- */

/* A percentile of operations that the clock cannot tell apart says nothing. */
static eh_status coarse(uint64_t least, uint64_t resolution, eh_error *error)
{
	if (least >= resolution * RESOLUTION_PARTS)
		return EH_OK;
	return error_set(error, EH_E_UNSUPPORTED, "One operation takes %llu ns, less than %d steps of "
	                 "its clock (%llu ns each), and a percentile is one of single operations: take "
	                 "longer ones or statistic = median.", (unsigned long long)least,
	                 RESOLUTION_PARTS, (unsigned long long)resolution);
}

/* Whether the device's clock leaves out of so short a sample what launching may have taken.  More
 * than that is a false clock, which the samples will show. */
static bool hides_launches(const sampler *s, uint64_t device, uint64_t host)
{
	double launches = launch_most * (double)s->clocks->launch_ns * (double)s->batch;

	return (double)device < device_share * (double)host && (double)device + launches >= (double)host;
}

static void use_host_clock(sampler *s)
{
	s->device = false;
	s->gave_up_device = true;
	free(s->host_ns);
	s->host_ns = NULL;
}

eh_status sampler_batch(sampler *s, eh_error *error)
{
	const instrument *c = s->clocks;
	uint32_t region = s->region;
	uint64_t most = region == EH_REGION_ENQUEUE ? MOST_ENQUEUED : MOST_BATCH;
	uint64_t overhead = region == EH_REGION_ENQUEUE ? 2 * c->host_overhead_ns : c->launch_ns;
	uint64_t resolution = s->device ? c->device_resolution_ns : c->host_resolution_ns;
	uint64_t target = overhead * OVERHEAD_PARTS;
	uint64_t longest;
	bool single = s->rules.statistic != STATISTIC_MEDIAN;
	eh_status idle = prepared_idle(s->p, &s->idle_ns, error);

	if (idle != EH_OK)
		return idle;
	longest = longest_pilot_ns + PILOT_IDLES * s->idle_ns;
	if (target < resolution * RESOLUTION_PARTS)
		target = resolution * RESOLUTION_PARTS;
	s->batch = 1;
	s->short_samples = false;
	if (s->rules.scenario == SCENARIO_OFFLINE)
		s->batch = scenario_requests(&s->rules);
	if (region == EH_REGION_ROUND_TRIP || s->rules.scenario == SCENARIO_OFFLINE)
		return EH_OK;
	/* Only so many operations find a set that the eviction left cold. */
	if (s->p->evictor != NULL && most > s->p->set_count)
		most = s->p->set_count;
	if (single)
		most = 1;
	for (;;) {
		uint64_t least = UINT64_MAX;
		uint64_t least_host = UINT64_MAX;
		uint64_t host = 0;
		uint64_t more;

		for (int i = 0; i < PILOT_RUNS && host < longest; i++) {
			uint64_t time;
			uint64_t rest;
			eh_status status = sampler_take(s, &time, &host, error);

			if (status == EH_OK)
				status = prepared_drain(s->p, &rest, error);
			if (status != EH_OK)
				return status;
			if (host < least_host)
				least_host = host;
			host += rest;
			if (time < least)
				least = time;
		}
		/* The host's limit holds whatever the device's clock and marks say. */
		if (least >= target || s->batch >= most || host >= longest) {
			s->short_samples = least < target;
			if (s->short_samples && s->device && hides_launches(s, least, least_host)) {
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

/* ---- does waiting wait? ---------------------------------------------------------------------- */

static void early(sampler *s, uint64_t waited, uint64_t hidden)
{
	char claimed[32];
	char more[32];

	text_format_ns((double)waited, claimed);
	text_format_ns((double)hidden, more);
	(void)snprintf(s->impossible, sizeof(s->impossible),
	               "Waiting returned early: %s of work were said to be complete, but reading back "
	               "took %s more.", claimed, more);
}

eh_status sampler_try_wait(sampler *s, eh_error *error)
{
	uint64_t operations = s->batch < WAIT_OPERATIONS &&
	                      s->region != EH_REGION_EXECUTION ? WAIT_OPERATIONS : s->batch;
	uint64_t least_hidden = UINT64_MAX;
	uint64_t waited_then = 0;

	for (int i = 0; i < WAIT_TRIALS;) {
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
		if (waited + first < WAIT_IDLES * s->idle_ns && operations < MOST_BATCH) {
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

/* ---- warm-up --------------------------------------------------------------------------------- */

static double window_median(const sampler *s, size_t end, size_t size)
{
	for (size_t i = 0; i < size; i++)
		s->scratch[i] = (double)s->warmup_ns[end - size + i];
	return statistics_select(s->scratch, size, size / 2);
}

/* Two neighbouring windows of the newest samples agree to 2 % or three steps of the clock. */
static bool warm(const sampler *s, uint64_t last)
{
	uint64_t fit = last == 0 ? WINDOW : s->rules.warmup_min_ns / (2 * last);
	size_t size = fit < 1 ? 1 : fit > WINDOW ? WINDOW : (size_t)fit;
	uint64_t step = s->device ? s->clocks->device_resolution_ns : s->clocks->host_resolution_ns;
	double before;
	double after;

	if (s->warmup_count < 2 * size)
		return false;
	after = window_median(s, s->warmup_count, size);
	before = window_median(s, s->warmup_count - size, size);
	return fabs(after - before) <= warmup_change * before + 3 * (double)step;
}

void sampler_tell(sampler *s, const char *stage, double median)
{
	measure_progress progress = {
		.stage = stage,
		.samples = s->count,
		.median_ns = median,
		.half_width = isfinite(s->half_width) ? s->half_width : 0,
	};

	if (s->report == NULL || s->end_ns - s->reported_ns < report_ns)
		return;
	s->report(s->context, &progress);
	s->reported_ns = s->end_ns;
}

eh_status sampler_warm(sampler *s, eh_error *error)
{
	uint64_t begin = clock_now_ns();
	uint64_t time;
	uint64_t host;

	s->settled = false;
	s->warmup_count = 0;
	for (;;) {
		eh_status status = sampler_take(s, &time, &host, error);
		uint64_t elapsed = s->end_ns - begin;

		if (status != EH_OK)
			return status;
		if (s->warmup_count == s->warmup_room) {
			/* Very short samples: the newest half makes room, the rule needs only the end. */
			s->warmup_count /= 2;
			memmove(s->warmup_ns, s->warmup_ns + s->warmup_count,
			        s->warmup_count * sizeof(*s->warmup_ns));
		}
		s->warmup_ns[s->warmup_count++] = time;
		if (s->impossible[0] != '\0')
			return EH_OK;
		if (elapsed >= s->rules.warmup_min_ns && warm(s, host)) {
			s->settled = true;
			return EH_OK;
		}
		if (elapsed >= s->rules.warmup_max_ns)
			return EH_OK;
		sampler_tell(s, "warm-up", 0);
	}
}

/* ---- samples --------------------------------------------------------------------------------- */

double sampler_median(sampler *s)
{
	double upper;
	double lower;
	size_t n = s->count;

	if (n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		s->scratch[i] = (double)s->times_ns[i];
	upper = statistics_select(s->scratch, n, n / 2);
	lower = n % 2 == 1 ? upper : statistics_select(s->scratch, n, n / 2 - 1);
	return (lower + (upper - lower) / 2) / (double)s->batch;
}

/* Leaves the half-width of the interval of the declared statistic, relative to that, in half_width;
 * returns the median per operation. */
static double judge(sampler *s)
{
	double median = sampler_median(s);
	double quantile = stoprule_quantile(s->rules.statistic);
	double value = median * (double)s->batch;
	size_t low;
	size_t high;
	double width;

	s->half_width = INFINITY;
	if (median <= 0)
		return median;
	if (s->rules.statistic == STATISTIC_MEDIAN) {
		if (!statistics_median_ranks(s->count, s->rules.confidence, &low, &high))
			return median;
	} else {
		if (!statistics_quantile_ranks(s->count, quantile, s->rules.confidence, &low, &high))
			return median;
		value = statistics_select(s->scratch, s->count, percentile_rank(s->count, quantile));
	}
	width = statistics_select(s->scratch, s->count, high) -
	        statistics_select(s->scratch, s->count, low);
	s->half_width = width / 2 / value;
	return median;
}

/* Whether those samples that count are enough for the declared percentile to be stated. */
static bool enough_counted(sampler *s)
{
	uint64_t least = protocol_statistic_samples(s->rules.statistic);
	series like;
	bool enough;

	if (s->rules.statistic == STATISTIC_MEDIAN)
		return true;
	for (size_t i = 0; i < s->count; i++)
		s->scratch[i] = (double)s->times_ns[i];
	series_analyse(s->scratch, s->count, &like);
	enough = like.steady_count >= least;
	series_free(&like);
	return enough;
}

/* One audited sample; when others follow, unkept ones until the check's disturbance has passed. */
static eh_status audit(sampler *s, verification *v, bool last, eh_error *error)
{
	uint64_t time;
	uint64_t host;
	uint64_t start = clock_now_ns();
	uint64_t rest;
	eh_status status = verify_poison(s->p, s->batch, error);

	if (status == EH_OK)
		status = sampler_take(s, &time, &host, error);
	if (status == EH_OK)
		status = verify_during(s->p, v, error);
	if (status != EH_OK || v->during_failed > 0 || s->impossible[0] != '\0' || last)
		return status;
	rest = clock_now_ns() - start;
	if (rest > s->rules.warmup_min_ns)
		rest = s->rules.warmup_min_ns;
	start = clock_now_ns();
	do
		status = sampler_take(s, &time, &host, error);
	while (status == EH_OK && s->end_ns - start < rest);
	return status;
}

/* Samples until the next audit. */
static uint64_t audit_gap(sampler *s, bool first)
{
	uint64_t least = s->samples_min < 2 ? 2 : s->samples_min;

	if (first)
		return random_below(&s->random, least);
	return least / 2 + random_below(&s->random, least) + 1;
}

void sampler_begin(sampler *s, uint64_t shortest_gap_ns)
{
	s->count = 0;
	s->converged = false;
	s->drained_ns = clock_now_ns();
	/* Else honest draining alone, where it is slow, would look like work left over. */
	s->drain_gap_ns = GAP_IDLES * s->idle_ns > shortest_gap_ns ? GAP_IDLES * s->idle_ns :
	                  shortest_gap_ns;
	s->slow_drains = 0;
}

eh_status sampler_run(sampler *s, verification *v, eh_error *error)
{
	const protocol_measure *rules = &s->rules;
	uint64_t begin = clock_now_ns();
	uint64_t spent = 0;
	uint64_t audits_ns = 0;
	uint64_t next_audit = audit_gap(s, true);
	size_t next_judged = (size_t)s->samples_min;
	double median = 0;
	eh_status status = EH_OK;
	bool over = false;

	sampler_begin(s, first_drain_ns);
	while (!over && status == EH_OK && s->impossible[0] == '\0') {
		size_t i = s->count;
		uint64_t host;

		if (v != NULL && i == next_audit) {
			uint64_t start = clock_now_ns();

			/* The audits' share of the time stays below a tenth, the first apart. */
			if (v->during == 0 || audits_ns < (start - begin) / 10) {
				status = audit(s, v, false, error);
				if (status != EH_OK || v->during_failed > 0 || s->impossible[0] != '\0')
					break;
				audits_ns += clock_now_ns() - start;
			}
			next_audit += audit_gap(s, false);
		}
		status = sampler_take(s, &s->times_ns[i], &host, error);
		if (status != EH_OK)
			break;
		if (s->host_ns != NULL)
			s->host_ns[i] = host;
		s->starts_ns[i] = s->start_ns;
		s->count++;
		spent += host;
		status = sampler_drain(s, error);
		over = s->count == s->room || s->end_ns - begin >= rules->time_max_ns;
		if (over || s->count >= next_judged) {
			median = judge(s);
			s->converged = s->count >= s->samples_min &&
			               s->half_width <= rules->precision &&
			               (spent >= rules->time_min_ns || s->count == s->room);
			over = over || (s->converged && enough_counted(s));
			next_judged = s->count + (s->count < 20 ? 1 : s->count / 20);
		}
		sampler_tell(s, "sample", median);
	}
	/* A case too slow for an audit on its way still gets one. */
	if (status == EH_OK && v != NULL && v->during == 0 && s->impossible[0] == '\0')
		status = audit(s, v, true, error);
	return status;
}
