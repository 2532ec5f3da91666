/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "measure/calibrate.h"
#include "stat/precision.h"
#include "stat/series.h"
#include "stat/statistics.h"

enum {
	WARMUP_KEPT = 4096,
	GAP_IDLES = 16,             /* idle drains that lie between two while sampling        */
	IMPOSSIBLE_TIMES = 3,       /* that show a false clock, not a glitch                  */
	WINDOW = 5,                 /* samples that the warm-up rule compares                 */
	AUDIT_ODDS = 3,             /* a turn in so many begins with the audit                */
	UNKEPT_PARTS = 4,           /* of a turn, one without samples                         */
	MOST_IN_TURN = 32           /* samples                                                */
};
static const uint64_t report_ns = 100000000;
static const uint64_t first_drain_ns = 2000000;
static const double warmup_change = 0.02;
static const uint64_t long_operation_ns = 1000000000;

static uint64_t *times_new(size_t count)
{
	uint64_t *times = memory_get(count * sizeof(*times));

	/* Touched now, so that no page is first touched between samples. */
	memset(times, 0xff, count * sizeof(*times));
	return times;
}

bool sampler_on_device(const record_instrument *clocks, const record_settings *rules,
                       const eh_work *work)
{
	return rules->clock == RECORD_CLOCK_DEVICE && clocks->device_time &&
	       rules->scenario == RECORD_SCENARIO_NONE && work->region == EH_REGION_EXECUTION;
}

void sampler_init(sampler *s, prepared *p, const record_instrument *clocks,
                  const record_settings *rules, uint64_t seed)
{
	*s = (sampler){ .p = p, .clocks = clocks, .rules = *rules, .batch = 1 };
	/* A request is complete when the client knows it, so its time is that of a round trip. */
	s->region = rules->scenario == RECORD_SCENARIO_NONE || rules->scenario == RECORD_SCENARIO_OFFLINE
	                ? p->bench.work->region
	                : (uint32_t)EH_REGION_ROUND_TRIP;
	s->device = sampler_on_device(clocks, rules, p->bench.work);
	s->room = rules->samples_max == 0 ? 1 : (size_t)rules->samples_max;
	if (rules->regime == RECORD_REGIME_SUSTAINED)
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

void sampler_take_turns(sampler *s)
{
	s->rounds = times_new(s->room);
}

void sampler_free(sampler *s)
{
	free(s->rounds);
	free(s->times_ns);
	free(s->host_ns);
	free(s->starts_ns);
	free(s->warmup_ns);
	free(s->scratch);
	layout_list_clear(record_doubt_layout(), &s->doubts);
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
	s->end_ns = clock_now_ns();
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
	eh_queue *queue = p->bench.queue;
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
		if (status == EH_OK && s->device)
			status = ops->mark_record(queue, p->to, error);
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
	if (status == EH_OK && s->device)
		sampler_compare_clocks(s, elapsed, *host);
	return status;
}

void sampler_compare_clocks(sampler *s, uint64_t device_ns, uint64_t host_ns)
{
	if (!calibrate_impossible(s->clocks, device_ns, host_ns) ||
	    ++s->impossible_times < IMPOSSIBLE_TIMES)
		return;
	(void)snprintf(s->impossible, sizeof(s->impossible),
	               "The device clock claims %llu ns for operations that began and ended within %llu "
	               "ns of the host clock.", (unsigned long long)device_ns,
	               (unsigned long long)host_ns);
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

/* Very short samples: the newest half makes room, the rule needs only the end. */
static void keep_warmup(sampler *s, uint64_t time)
{
	if (s->warmup_count == s->warmup_room) {
		s->warmup_count /= 2;
		memmove(s->warmup_ns, s->warmup_ns + s->warmup_count,
		        s->warmup_count * sizeof(*s->warmup_ns));
	}
	s->warmup_ns[s->warmup_count++] = time;
}

/* The newest sample took so long by the host.  Turns begin with unkept work of their own. */
static bool is_warm(sampler *s, uint64_t begin, uint64_t host)
{
	const record_settings *rules = &s->rules;
	uint64_t most = rules->time_max_ns < rules->warmup_max_ns ? rules->time_max_ns : rules->warmup_max_ns;
	uint64_t elapsed = s->end_ns - begin;

	s->settled = elapsed >= rules->warmup_min_ns && (s->rounds != NULL || warm(s, host));
	return s->settled || elapsed >= most || s->impossible[0] != '\0';
}

eh_status sampler_warm(sampler *s, eh_error *error)
{
	uint64_t host = s->end_ns - s->start_ns;
	uint64_t begin = s->start_ns;
	eh_status status = EH_OK;

	if (s->warmup_count == 0 || host < s->rules.warmup_min_ns) {
		s->warmup_count = 0;
		begin = clock_now_ns();
	}
	while (status == EH_OK && (s->warmup_count == 0 || !is_warm(s, begin, host))) {
		uint64_t time;

		status = sampler_take(s, &time, &host, error);
		if (status == EH_OK)
			keep_warmup(s, time);
		sampler_tell(s, "warm-up", 0);
	}
	return status;
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

/* Sets half_width, of the interval of the declared statistic and relative to it; returns the median
 * per operation. */
static double judge(sampler *s)
{
	enum record_statistic statistic = s->rules.statistic;
	double quantile = statistic == RECORD_STATISTIC_MEDIAN ? 0 : protocol_statistic_quantile(statistic);
	double median = sampler_median(s);
	double width = precision_half_width(s->scratch, s->count, quantile, s->rules.confidence);

	s->half_width = isnan(width) ? INFINITY : width;
	return median;
}

/* Whether the samples that count are enough to state the declared percentile. */
static bool enough_counted(sampler *s)
{
	uint64_t least = protocol_statistic_samples(s->rules.statistic);
	series like;
	bool enough;

	if (s->rules.statistic == RECORD_STATISTIC_MEDIAN)
		return true;
	for (size_t i = 0; i < s->count; i++)
		s->scratch[i] = (double)s->times_ns[i];
	series_analyse(s->scratch, s->count, &like);
	enough = like.steady_count >= least;
	series_free(&like);
	return enough;
}

/* An operation that lasts so much longer than what settles needs no unkept one before it. */
static bool outlasts(const sampler *s, uint64_t length_ns)
{
	return s->end_ns - s->start_ns > UNKEPT_PARTS * length_ns;
}

static void keep(sampler *s, uint64_t time, uint64_t host)
{
	s->times_ns[s->count] = time;
	if (s->host_ns != NULL)
		s->host_ns[s->count] = host;
	s->starts_ns[s->count] = s->start_ns;
	s->count++;
}

/* An operation so long is a sample whatever stood right before it. */
static bool counts_anyway(const sampler *s)
{
	return s->batch == 1 && s->end_ns - s->start_ns >= long_operation_ns && s->count < s->room;
}

/* One audited operation.  Its time is not kept, and when others follow, unkept ones do until the check's
 * disturbance has passed; but a long one is a sample, and *kept is set. */
static eh_status take_audit(sampler *s, verify_state *v, bool last, bool *kept, eh_error *error)
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
	if (status != EH_OK || v->record->during_failed > 0 || s->impossible[0] != '\0')
		return status;
	*kept = s->rounds == NULL && counts_anyway(s);
	if (*kept)
		keep(s, time, host);
	if (last || *kept || outlasts(s, s->rules.warmup_min_ns))
		return EH_OK;
	rest = clock_now_ns() - start;
	if (rest > s->rules.warmup_min_ns)
		rest = s->rules.warmup_min_ns;
	start = clock_now_ns();
	do
		status = sampler_take(s, &time, &host, error);
	while (status == EH_OK && s->end_ns - start < rest);
	return status;
}

static eh_status audit(sampler *s, verify_state *v, bool last, bool *kept, eh_error *error)
{
	uint64_t start = clock_now_ns();
	eh_status status = take_audit(s, v, last, kept, error);

	s->audits_ns += clock_now_ns() - start - (*kept ? s->end_ns - s->start_ns : 0);
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
	s->audits_ns = 0;
	s->converged = false;
	s->drained_ns = clock_now_ns();
	/* Where draining is slow, it must not look like work left over. */
	s->drain_gap_ns = GAP_IDLES * s->idle_ns > shortest_gap_ns ? GAP_IDLES * s->idle_ns :
	                  shortest_gap_ns;
	s->slow_drains = 0;
}

eh_status sampler_run(sampler *s, verify_state *v, eh_error *error)
{
	const record_settings *rules = &s->rules;
	uint64_t begin = clock_now_ns();
	uint64_t spent = 0;
	uint64_t next_audit = audit_gap(s, true);
	size_t next_judged = (size_t)s->samples_min;
	double median = 0;
	eh_status status = EH_OK;
	bool over = false;

	sampler_begin(s, first_drain_ns);
	if (s->warmup_count == 1 && counts_anyway(s)) {
		/* The operations of the gates came before it: the only one of the warm-up is a sample. */
		keep(s, s->warmup_ns[0], s->end_ns - s->start_ns);
		s->warmup_count = 0;
		begin = s->start_ns;
		spent = s->end_ns - s->start_ns;
		over = spent >= rules->time_max_ns;
	}
	while (!over && status == EH_OK && s->impossible[0] == '\0') {
		bool kept = false;

		if (v != NULL && s->count >= next_audit) {
			/* The audits' share of the time stays below a tenth, the first apart. */
			if (v->record->during == 0 || s->audits_ns < (clock_now_ns() - begin) / 10) {
				status = audit(s, v, false, &kept, error);
				if (status != EH_OK || v->record->during_failed > 0 || s->impossible[0] != '\0')
					break;
			}
			next_audit += audit_gap(s, false);
		}
		if (!kept) {
			uint64_t time;
			uint64_t host;

			status = sampler_take(s, &time, &host, error);
			if (status != EH_OK)
				break;
			keep(s, time, host);
		}
		spent += s->end_ns - s->start_ns;
		status = sampler_drain(s, error);
		over = s->count == s->room || s->end_ns - begin - s->audits_ns >= rules->time_max_ns;
		if (over || s->count >= next_judged) {
			median = judge(s);
			s->converged = s->count >= s->samples_min &&
			               s->half_width <= rules->half_width &&
			               (spent >= rules->time_min_ns || s->count == s->room);
			over = over || (s->converged && enough_counted(s));
			next_judged = s->count + (s->count < 20 ? 1 : s->count / 20);
		}
		sampler_tell(s, "sample", median);
	}
	/* A case too slow for an audit on its way still gets one. */
	if (status == EH_OK && v != NULL && v->record->during == 0 && s->impossible[0] == '\0') {
		bool kept = false;

		status = audit(s, v, true, &kept, error);
		if (kept)
			(void)judge(s);
	}
	return status;
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* Operations whose times are not kept: at least one, for a share of the turn. */
static eh_status settle_in(sampler *s, uint64_t length_ns, eh_error *error)
{
	uint64_t begin = clock_now_ns();
	eh_status status;

	if (outlasts(s, length_ns))
		return EH_OK;
	do {
		uint64_t time;
		uint64_t host;

		status = sampler_take(s, &time, &host, error);
	} while (status == EH_OK && s->impossible[0] == '\0' &&
	         s->end_ns - begin < length_ns / UNKEPT_PARTS);
	return status;
}

static eh_status keep_one(sampler *s, uint64_t round, eh_error *error)
{
	uint64_t time;
	uint64_t host;
	eh_status status = sampler_take(s, &time, &host, error);

	if (status != EH_OK)
		return status;
	s->rounds[s->count] = round;
	keep(s, time, host);
	return EH_OK;
}

eh_status sampler_end_turns(sampler *s, verify_state *v, eh_error *error)
{
	bool kept = false;

	return v->record->during == 0 ? audit(s, v, true, &kept, error) : EH_OK;
}

eh_status sampler_turn(sampler *s, verify_state *v, uint64_t round, uint64_t length_ns,
                       eh_error *error)
{
	bool kept = false;
	bool audited = s->count > 0 && v != NULL && v->record->during == 0 &&
	               random_below(&s->random, AUDIT_ODDS) == 0;
	uint64_t begin;
	size_t first;
	eh_status status;

	if (s->count == 0)
		sampler_begin(s, first_drain_ns);
	else
		s->drained_ns += clock_now_ns() - s->end_ns; /* others had their turns */
	status = audited ? audit(s, v, true, &kept, error) : EH_OK;
	if (status != EH_OK || (v != NULL && v->record->during_failed > 0))
		return status;
	status = settle_in(s, length_ns, error);
	begin = clock_now_ns();
	first = s->count;
	while (status == EH_OK && s->impossible[0] == '\0' && s->count < s->room &&
	       s->count - first < MOST_IN_TURN) {
		status = keep_one(s, round, error);
		/* The turn ends where its length lies, half of a sample more or less. */
		if (s->end_ns - begin + (s->end_ns - s->start_ns) / 2 > length_ns)
			break;
	}
	return status == EH_OK ? sampler_drain(s, error) : status;
}
