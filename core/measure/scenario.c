/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/scenario.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/text.h"
#include "stat/arrivals.h"
#include "stat/knee.h"

enum {
	LATE_TRIALS = 2,             /* of a point of the knee, after the first                */
	TRIAL_REQUESTS = 16,         /* whose median is the service time                       */
	MEDIAN_REQUESTS = 100,       /* that the median is stated from when nothing is declared */
	PAUSE_PARTS = 32             /* a pause is so small a part of the service time         */
};
static const uint64_t spin_ns = 150000;    /* before a request is due: a sleep may last longer */
static const uint64_t longest_pause_ns = 50000;
static const double first_load = 0.25;     /* of the rate that the service time allows        */

/* ---- playing --------------------------------------------------------------------------------- */

typedef struct player {
	prepared *p;
	const scenario_load *load;
	trace *t;
	eh_mark **marks;        /* [concurrency] */
	uint64_t start_ns;
	uint64_t pause_ns;
	size_t issued, done;
} player;

static uint64_t since(const player *x)
{
	return clock_now_ns() - x->start_ns;
}

static void finished(player *x)
{
	x->t->done_ns[x->done++] = since(x);
}

static eh_status wait_oldest(player *x, eh_error *error)
{
	const eh_backend_ops *ops = x->p->s->ops;
	eh_status status = ops->mark_wait(x->marks[x->done % x->load->concurrency], error);

	if (status == EH_OK)
		finished(x);
	return status;
}

/* Notes every request that is done by now. */
static eh_status look(player *x, eh_error *error)
{
	const eh_backend_ops *ops = x->p->s->ops;
	uint32_t passed = 1;

	while (x->done < x->issued && passed != 0) {
		eh_status status = ops->mark_passed(x->marks[x->done % x->load->concurrency], &passed,
		                                    error);

		if (status != EH_OK)
			return status;
		if (passed != 0)
			finished(x);
	}
	return EH_OK;
}

static eh_status issue(player *x, eh_error *error)
{
	const session *s = x->p->s;
	size_t i = x->issued;
	eh_status status;

	x->t->issued_ns[i] = since(x);
	if (x->load->rate == 0)
		x->t->due_ns[i] = x->t->issued_ns[i];
	status = prepared_enqueue(x->p, 1, error);
	if (status == EH_OK)
		status = s->ops->mark_record(x->p->bench.queue, x->marks[i % x->load->concurrency], error);
	if (status == EH_OK && x->load->concurrency > 1)
		status = session_flush(s, x->p->bench.queue, error);
	if (status == EH_OK)
		x->issued++;
	return status;
}

static void idle_until(const player *x, uint64_t due)
{
	uint64_t now = since(x);

	if (due > now + spin_ns)
		clock_sleep_ns(due - now - spin_ns);
	while (since(x) < due)
		;
}

/* One step: something is issued, or something is done, or a little time has passed. */
static eh_status step(player *x, size_t count, eh_error *error)
{
	size_t outstanding = x->issued - x->done;
	bool more = x->issued < count;
	bool room = outstanding < x->load->concurrency;
	uint64_t due = more && x->load->rate > 0 ? x->t->due_ns[x->issued] : 0;

	if (more && room && since(x) >= due)
		return issue(x, error);
	if (more && outstanding == 0) {
		idle_until(x, due);
		return EH_OK;
	}
	if (!more || !room)
		return wait_oldest(x, error);
	/* A place is free and the next request is not due yet: both may happen first. */
	if (x->pause_ns > 0 && due > since(x) + spin_ns + x->pause_ns)
		clock_sleep_ns(x->pause_ns);
	return EH_OK;
}

static eh_status play(player *x, eh_error *error)
{
	const scenario_load *load = x->load;
	eh_status status = EH_OK;

	x->start_ns = clock_now_ns();
	x->t->start_ns = x->start_ns;
	while (x->done < x->t->count && status == EH_OK) {
		if (load->concurrency > 1)
			status = look(x, error);
		/* The time is over: only requests that were issued are waited for. */
		if (since(x) > load->time_max_ns && x->t->count > x->issued) {
			x->t->count = x->issued;
			continue;
		}
		if (status == EH_OK && x->done < x->t->count)
			status = step(x, x->t->count, error);
	}
	return status;
}

eh_status scenario_play(prepared *p, const scenario_load *load, trace **out, eh_error *error)
{
	const session *s = p->s;
	player x = { .p = p, .load = load };
	uint64_t idle;
	eh_status status;

	if (load->concurrency > 1 && !EH_HAS(s->ops, eh_backend_ops, mark_passed))
		return error_set(error, EH_E_UNSUPPORTED, "The backend cannot tell without waiting whether "
		                 "a request is done (mark_passed), so only one can be outstanding.");
	status = prepared_idle(p, &idle, error);
	if (status != EH_OK)
		return status;
	x.t = trace_new(load->requests, load->concurrency);
	if (load->rate > 0)
		arrivals_poisson(x.t->due_ns, load->requests, load->rate, load->seed);
	/* Touched now, so that no page is first touched between requests. */
	memset(x.t->issued_ns, 0xff, load->requests * sizeof(*x.t->issued_ns));
	memset(x.t->done_ns, 0xff, load->requests * sizeof(*x.t->done_ns));
	x.pause_ns = load->rate > 0 ? (uint64_t)(1e9 / load->rate) / PAUSE_PARTS : 0;
	if (x.pause_ns > longest_pause_ns)
		x.pause_ns = longest_pause_ns;
	x.marks = memory_get(load->concurrency * sizeof(*x.marks));
	for (size_t i = 0; i < load->concurrency && status == EH_OK; i++)
		status = s->ops->mark_create(s->device, 0, &x.marks[i], error);
	if (status == EH_OK)
		status = play(&x, error);
	/* Marks of requests that failed may still be pending. */
	(void)s->ops->queue_wait(p->bench.queue, NULL);
	for (size_t i = 0; i < load->concurrency; i++)
		s->ops->mark_destroy(x.marks[i]);
	free(x.marks);
	if (status == EH_OK)
		*out = x.t;
	else
		trace_free(x.t);
	return status;
}

/* ---- the declared scenario ------------------------------------------------------------------- */

size_t scenario_requests(const record_settings *rules)
{
	size_t least = rules->statistic == RECORD_STATISTIC_MEDIAN
	                   ? MEDIAN_REQUESTS
	                   : (size_t)protocol_statistic_samples(rules->statistic);

	/* Twice the least number, so that the upper end of the interval is no extreme value. */
	return rules->load_requests > 0 ? (size_t)rules->load_requests : 2 * least;
}

static void add_point(record_scenario *to, double rate, size_t requests, const trace_summary *s)
{
	*(record_scenario_point *)layout_append(record_scenario_point_layout(), &to->points) =
		(record_scenario_point){
			.rate = rate, .requests = requests, .offered = s->offered,
			.completed = s->completed, .lag_p99_ns = s->lag_p99_ns,
			.lag_share = s->lag_share, .value_ns = s->value_ns, .late = s->late,
			.grows = s->grows, .met = s->met,
		};
}

static void report_late(scenario *out)
{
	char lag[32];

	text_format_ns((double)out->summary.lag_p99_ns, lag);
	out->failure = memory_format("The client issued requests too late (p99 of the lag %s, %.2g %% of "
	                             "the time): it measured itself. Free a processor for it, or lower "
	                             "the rate.", lag, out->summary.lag_share * 100);
}

static void report_missed(scenario *out, const record_settings *rules)
{
	char limit[32], got[32];

	text_format_ns((double)rules->load_slo_ns, limit);
	text_format_ns(out->summary.value_ns, got);
	if (out->summary.grows)
		out->missed = memory_format("The queue grew: %.6g requests per second arrived and %.6g were "
		                            "completed.", out->summary.offered, out->summary.completed);
	else if (!out->summary.known)
		out->missed = memory_format("%zu requests are too few for the statistic; raise time-max or "
		                            "the rate.", out->requests->count);
	else
		out->missed = memory_format("The latency is %s, and its limit %s.", got, limit);
}

/* Median time of one request alone. */
static eh_status service_time(prepared *p, uint64_t time_max_ns, uint64_t *ns, eh_error *error)
{
	scenario_load load = { .concurrency = 1, .requests = TRIAL_REQUESTS,
	                       .time_max_ns = time_max_ns };
	trace *t;
	double values[TRIAL_REQUESTS];
	eh_status status = scenario_play(p, &load, &t, error);

	if (status != EH_OK)
		return status;
	for (size_t i = 0; i < t->count; i++)
		values[i] = (double)trace_latency_ns(t, i);
	*ns = t->count > 0 ? (uint64_t)statistics_median(values, t->count) : time_max_ns;
	if (*ns == 0)
		*ns = 1;
	trace_free(t);
	return EH_OK;
}

/* Plays one load and judges it. */
static eh_status point(prepared *p, const record_settings *rules, const scenario_load *load,
                       trace **t, trace_summary *summary, eh_error *error)
{
	eh_status status = scenario_play(p, load, t, error);

	if (status == EH_OK && (*t)->count == 0) {
		trace_free(*t);
		return error_set(error, EH_E_TIMEOUT, "No request was issued within time-max.");
	}
	if (status == EH_OK)
		trace_summarise(*t, protocol_statistic_quantile(rules->statistic), rules->confidence,
		                rules->load_slo_ns, summary);
	return status;
}

/* Keeps the trace of the highest rate that was met, before that the first. */
static void keep_best(scenario *out, trace *t, const trace_summary *summary, double rate,
                      double *best)
{
	if (!(summary->met && rate > *best) && out->requests != NULL) {
		trace_free(t);
		return;
	}
	if (summary->met)
		*best = rate;
	trace_free(out->requests);
	out->requests = t;
	out->summary = *summary;
}

static eh_status search(prepared *p, const record_settings *rules, scenario_load *load,
                        measure_report report, void *context, scenario *out, eh_error *error)
{
	uint64_t end_ns = clock_now_ns() + KNEE_BUDGET * rules->time_max_ns;
	uint64_t seed = load->seed;
	uint64_t late = 0;
	bool over = false;
	double best = 0;
	knee k;

	knee_begin(&k, load->rate);
	for (uint64_t n = 1; k.next > 0 && !over; n++) {
		trace_summary summary;
		trace *t;
		eh_status status;

		/* A rate at which not all requests fit in the time proves nothing. */
		if (k.next * (double)rules->time_max_ns * 1e-9 < (double)load->requests && n > 1)
			break;
		load->rate = k.next;
		load->seed = random_derive(seed, "point", n);
		status = point(p, rules, load, &t, &summary, error);
		if (status != EH_OK)
			return status;
		add_point(out->record, k.next, t->count, &summary);
		keep_best(out, t, &summary, k.next, &best);
		/* A point where the client was late is tried again: it proves nothing about the executor. */
		late = summary.late ? late + 1 : 0;
		over = clock_now_ns() >= end_ns || late > LATE_TRIALS;
		if (!summary.late)
			knee_told(&k, summary.completed, summary.met);
		if (report != NULL)
			report(context, &(measure_progress){ .stage = "search", .samples = n,
			                                     .median_ns = summary.value_ns });
	}
	if (best > 0) {
		out->record->capacity = best;
		out->record->saturation = knee_saturation(k.points, k.count);
	}
	load->rate = best;
	return EH_OK;
}

eh_status scenario_run(prepared *p, const record_settings *rules, uint64_t seed,
                       measure_report report, void *context, scenario *out, eh_error *error)
{
	static const enum record_load_kind kinds[] = {
		[RECORD_SCENARIO_SERVER] = RECORD_LOAD_SERVER, [RECORD_SCENARIO_CLOSED] = RECORD_LOAD_CLOSED,
		[RECORD_SCENARIO_KNEE] = RECORD_LOAD_KNEE,
	};
	scenario_load load = {
		.rate = (double)rules->load_rate,
		.concurrency = (size_t)rules->load_concurrency,
		.requests = scenario_requests(rules),
		.time_max_ns = rules->time_max_ns,
		.seed = random_derive(seed, "scenario", 0),
	};
	eh_status status;

	*out = (scenario){ .record = layout_new(record_scenario_layout()) };
	out->record->kind = kinds[rules->scenario];
	out->record->concurrency = load.concurrency;
	status = service_time(p, rules->time_max_ns, &out->record->service_ns, error);
	if (rules->scenario == RECORD_SCENARIO_CLOSED)
		load.rate = 0;
	else if (load.rate == 0 && status == EH_OK)
		load.rate = first_load * 1e9 / (double)out->record->service_ns;
	if (status == EH_OK)
		status = rules->scenario == RECORD_SCENARIO_KNEE ?
		         search(p, rules, &load, report, context, out, error) :
		         point(p, rules, &load, &out->requests, &out->summary, error);
	if (status != EH_OK) {
		scenario_free(out);
		return status;
	}
	out->record->rate = load.rate;
	if (out->summary.late)
		report_late(out);
	else if (!out->summary.met)
		report_missed(out, rules);
	return EH_OK;
}

void scenario_free(scenario *s)
{
	trace_free(s->requests);
	free(s->failure);
	free(s->missed);
	layout_free(record_scenario_layout(), s->record);
	*s = (scenario){ 0 };
}
