/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: arrivals against the theory of queues, latency that counts from when a request was
 * due, the search of the knee, and loads played on a backend whose service time is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_backend.h"
#include "fake_workload.h"
#include "measure/scenario.h"
#include "stat/arrivals.h"
#include "stat/knee.h"

#define MS UINT64_C(1000000)

static void about(double got, double want, double share)
{
	if (got < want * (1 - share) || got > want * (1 + share))
		fail_msg("%.9g is not within %.3g of %.9g", got, share, want);
}

/* ---- arrivals -------------------------------------------------------------------------------- */

static void arrivals_are_poisson(void **state)
{
	enum { N = 200000 };
	static uint64_t at[N], again[N];
	double sum = 0, squares = 0;

	(void)state;
	arrivals_poisson(at, N, 5000, 3);
	arrivals_poisson(again, N, 5000, 3);
	assert_memory_equal(at, again, sizeof(at));
	assert_int_equal(at[0], 0);
	for (size_t i = 1; i < N; i++) {
		double gap = (double)(at[i] - at[i - 1]);

		assert_true(at[i] >= at[i - 1]);
		sum += gap;
		squares += gap * gap;
	}
	/* Mean 1 / rate; the second moment of an exponential is twice the square of its mean. */
	about(sum / (N - 1), 200000, 0.01);
	about(squares / (N - 1), 2 * 200000.0 * 200000.0, 0.02);
	arrivals_poisson(again, N, 5000, 4);
	assert_memory_not_equal(at, again, sizeof(at));
}

/* When each request would be done by one server that takes `service_ns` for each, in order of
 * arrival (Lindley's recursion). */
static void serve(const uint64_t *at_ns, size_t count, uint64_t service_ns, uint64_t *done_ns)
{
	uint64_t free_ns = 0;

	for (size_t i = 0; i < count; i++) {
		free_ns = (at_ns[i] > free_ns ? at_ns[i] : free_ns) + service_ns;
		done_ns[i] = free_ns;
	}
}

/* Mean time in the system of M/D/1, in service times (Pollaczek and Khinchine). */
static double md1(double rho)
{
	return 1 + rho / (2 * (1 - rho));
}

static void queues_are_md1(void **state)
{
	enum { N = 400000 };
	static uint64_t at[N], done[N];
	static const double loads[] = { 0.1, 0.5, 0.7, 0.9 };

	(void)state;
	for (size_t k = 0; k < sizeof(loads) / sizeof(loads[0]); k++) {
		double sum = 0;

		/* A service of 100 us. */
		arrivals_poisson(at, N, loads[k] * 1e4, 11 + k);
		serve(at, N, 100000, done);
		for (size_t i = 0; i < N; i++)
			sum += (double)(done[i] - at[i]);
		about(sum / N / 100000, md1(loads[k]), 0.03);
	}
}

/* ---- judging --------------------------------------------------------------------------------- */

/* A trace of a perfect client before one server. */
static trace *served(size_t n, double rate, uint64_t service)
{
	trace *t = trace_new(n, 1);

	arrivals_poisson(t->due_ns, n, rate, 5);
	serve(t->due_ns, n, service, t->done_ns);
	for (size_t i = 0; i < n; i++)
		t->issued_ns[i] = t->done_ns[i] - service;
	return t;
}

static void latency_counts_from_due(void **state)
{
	trace *t = served(1000, 5000, 100000);
	trace_summary s;

	(void)state;
	trace_summarise(t, 0.9, 0.95, 0, &s);
	assert_false(s.late);
	assert_false(s.grows);
	assert_true(s.known && s.met);
	assert_int_equal(s.lag_p99_ns, 0);
	about(s.offered, 5000, 0.15);
	assert_true(s.value.low <= s.value_ns && s.value_ns <= s.value.high);
	/* One stall of 50 ms: the requests that were due meanwhile show it. */
	for (size_t i = 500; i < 1000; i++) {
		uint64_t start = i == 500 ? t->due_ns[i] + 50 * MS : t->done_ns[i - 1];

		t->issued_ns[i] = start > t->due_ns[i] ? start : t->due_ns[i];
		t->done_ns[i] = t->issued_ns[i] + 100000;
	}
	trace_summarise(t, 0.9, 0.95, 0, &s);
	assert_true(s.value_ns > 20e6);
	trace_free(t);
}

static void late_client_is_found(void **state)
{
	trace *t = served(1000, 1000, 100000);
	trace_summary s;

	(void)state;
	/* Every fiftieth request is issued 150 us after it could have been. */
	for (size_t i = 0; i < 1000; i += 50) {
		t->issued_ns[i] += 150000;
		t->done_ns[i] += 150000;
	}
	trace_summarise(t, 0.9, 0.95, 0, &s);
	assert_true(s.late && !s.met);
	assert_true(s.lag_p99_ns >= 140000);
	/* With a limit of 20 ms, 1 % of it is allowed. */
	trace_summarise(t, 0.9, 0.95, 20 * MS, &s);
	assert_false(s.late);
	trace_free(t);
}

static void growing_queue_is_found(void **state)
{
	trace *t = served(2000, 11000, 100000);
	trace_summary s;

	(void)state;
	trace_summarise(t, 0.9, 0.95, 0, &s);
	assert_true(s.grows && !s.met && !s.late);
	trace_free(t);
	/* Far more than the server takes, and a client that needs half a microsecond for each: it is the server. */
	t = served(2000, 1000000, 100000);
	for (size_t i = 1; i < 2000; i++) {
		uint64_t ready = t->done_ns[i - 1] > t->due_ns[i] ? t->done_ns[i - 1] : t->due_ns[i];

		t->issued_ns[i] = ready + 500;
		t->done_ns[i] = t->issued_ns[i] + 100000;
	}
	trace_summarise(t, 0.9, 0.95, 0, &s);
	assert_true(s.grows && !s.met && !s.late);
	assert_true(s.lag_share > 0.004 && s.lag_share < 0.006);
	trace_free(t);
	t = served(2000, 8000, 100000);
	trace_summarise(t, 0.9, 0.95, 0, &s);
	assert_true(!s.grows && s.met);
	trace_free(t);
}

static void few_requests_state_no_percentile(void **state)
{
	trace *t = served(661, 5000, 100000);
	trace_summary s;

	(void)state;
	trace_summarise(t, 0.99, 0.95, 0, &s);
	assert_false(s.known || s.met);
	trace_summarise(t, 0.9, 0.95, 0, &s);
	assert_true(s.known);
	trace_free(t);
}

/* ---- the knee -------------------------------------------------------------------------------- */

static void knee_is_found(void **state)
{
	static const double truths[] = { 1, 3.3, 123, 4567, 99000, 1e7 };

	(void)state;
	for (size_t i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		knee k;

		knee_begin(&k, 40);
		while (k.next > 0) {
			double rate = k.next;

			knee_told(&k, rate < truths[i] ? rate : truths[i], rate <= truths[i]);
		}
		assert_true(k.passed <= truths[i] && k.failed > truths[i]);
		assert_true(k.failed <= k.passed * (1 + KNEE_WITHIN));
		assert_true(knee_saturation(k.points, k.count) >= 0.9 * truths[i]);
	}
}

static void knee_without_an_end_ends(void **state)
{
	knee k;

	(void)state;
	knee_begin(&k, 1);
	while (k.next > 0)
		knee_told(&k, k.next, true);
	assert_int_equal(k.count, KNEE_POINTS);
	assert_true(knee_saturation(NULL, 0) == 0);
}

/* A whole search on a simulated server: the capacity for a limit on the 99th percentile. */
static void knee_of_md1(void **state)
{
	knee k;

	(void)state;
	knee_begin(&k, 500);
	while (k.next > 0) {
		trace *t = served(4000, k.next, 100000);
		trace_summary s;

		trace_summarise(t, 0.99, 0.95, 500000, &s);
		knee_told(&k, s.completed, s.met);
		trace_free(t);
	}
	/* 10,000 a second would be the whole server.  At 5,800 one request in a hundred waits four
	 * service times; the interval has to lie within the limit, so it is a little less. */
	assert_true(k.passed > 4000 && k.passed < 6500);
}

/* ---- played ---------------------------------------------------------------------------------- */

typedef struct rig {
	fake f;
	eh_device device;
	eh_queue queue[2];
	session s;
	eh_value values[1];
	eh_case c;
	eh_work work;
	prepared p;
} rig;

static void rig_open(rig *r, uint64_t service_ns)
{
	static const prepared_choice plain;
	eh_error error = ERROR_INIT;

	*r = (rig){ .f = { .work_ns = service_ns } };
	fake_session(&r->f, &r->device, r->queue, &r->s);
	r->values[0] = (eh_value){ "cost", "1", 1 };
	r->c = (eh_case){ sizeof(r->c), 1, r->values, 7 };
	assert_int_equal(fake_describe(&r->c, &r->work, NULL), EH_OK);
	assert_int_equal(prepared_open(&r->p, &r->s, &fake_workload, &r->c, &r->work, &plain, NULL,
	                               &error), EH_OK);
}

static void rig_close(rig *r)
{
	prepared_close(&r->p);
	assert_int_equal(r->f.objects, 0);
	fake_advance(&r->f, UINT64_MAX);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t middle(const trace *t, const uint64_t *other)
{
	uint64_t *values = memory_get(t->count * sizeof(*values));
	uint64_t out;

	for (size_t i = 0; i < t->count; i++)
		values[i] = other != NULL ? other[i] - t->due_ns[i] : trace_latency_ns(t, i);
	qsort(values, t->count, sizeof(*values), by_size);
	out = values[t->count / 2];
	free(values);
	return out;
}

/* The least time between a request being first in the queue and its being known as done. */
static uint64_t quickest_service(const trace *t)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < t->count; i++) {
		uint64_t before = i > 0 ? t->done_ns[i - 1] : 0;
		uint64_t first = before > t->issued_ns[i] ? before : t->issued_ns[i];

		/* Two that became known together tell nothing. */
		if (t->done_ns[i] - first >= MS / 2 && t->done_ns[i] - first < least)
			least = t->done_ns[i] - first;
	}
	return least;
}

/* Of a client that issues a request when it is due and a place is free. */
static uint64_t least_lag(const trace *t)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < t->count; i++) {
		uint64_t place = i >= t->concurrency ? t->done_ns[i - t->concurrency] : 0;
		uint64_t ready = place > t->due_ns[i] ? place : t->due_ns[i];
		uint64_t lag = t->issued_ns[i] > ready ? t->issued_ns[i] - ready : 0;

		least = lag < least ? lag : least;
	}
	return least;
}

/* The same arrivals through Lindley's recursion say what the latencies have to be: a busy machine
 * makes some longer, never the median shorter. */
static void open_loop_is_md1(void **state)
{
	static const size_t concurrencies[] = { 1, 64 };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		scenario_load load = { .rate = 700, .concurrency = concurrencies[k], .requests = 400,
		                       .time_max_ns = 20000 * MS, .seed = 9 };
		eh_error error = ERROR_INIT;
		uint64_t *want;
		trace *t;
		rig r;

		rig_open(&r, MS);
		assert_int_equal(scenario_play(&r.p, &load, &t, &error), EH_OK);
		assert_int_equal(t->count, 400);
		want = memory_get(t->count * sizeof(*want));
		serve(t->due_ns, t->count, MS, want);
		for (size_t i = 0; i < t->count; i++) {
			assert_true(t->issued_ns[i] >= t->due_ns[i]);
			assert_true(t->done_ns[i] >= want[i]);
			assert_true(i == 0 || t->done_ns[i] >= t->done_ns[i - 1]);
		}
		assert_true(middle(t, NULL) >= middle(t, want));
		/* Of many, the quickest tell what the client itself adds, however busy the machine. */
		assert_true(quickest_service(t) <= MS + MS / 2);
		assert_true(least_lag(t) <= MS / 4);
		free(want);
		trace_free(t);
		rig_close(&r);
	}
}

static void closed_loop_keeps_its_places_full(void **state)
{
	scenario_load load = { .concurrency = 8, .requests = 80, .time_max_ns = 20000 * MS };
	eh_error error = ERROR_INIT;
	trace *t;
	rig r;

	(void)state;
	rig_open(&r, MS);
	assert_int_equal(scenario_play(&r.p, &load, &t, &error), EH_OK);
	assert_int_equal(t->count, 80);
	for (size_t i = 0; i < t->count; i++) {
		assert_int_equal(t->due_ns[i], t->issued_ns[i]);
		/* Never more outstanding than places. */
		assert_true(i < 8 || t->issued_ns[i] >= t->done_ns[i - 8]);
	}
	/* Seven are before it, once the places are full. */
	assert_true(middle(t, NULL) >= 6 * MS);
	trace_free(t);
	rig_close(&r);
}

static void time_ends_a_load(void **state)
{
	scenario_load load = { .concurrency = 1, .requests = 100000, .time_max_ns = 30 * MS };
	eh_error error = ERROR_INIT;
	trace *t;
	rig r;

	(void)state;
	rig_open(&r, MS);
	assert_int_equal(scenario_play(&r.p, &load, &t, &error), EH_OK);
	assert_true(t->count >= 1 && t->count <= 40);
	trace_free(t);
	rig_close(&r);
}

static void places_need_a_question(void **state)
{
	scenario_load load = { .concurrency = 2, .requests = 4, .time_max_ns = 30 * MS };
	eh_backend_ops without = fake_ops;
	eh_error error = ERROR_INIT;
	trace *t;
	rig r;

	(void)state;
	rig_open(&r, MS);
	without.mark_passed = NULL;
	r.s.ops = &without;
	assert_int_equal(scenario_play(&r.p, &load, &t, &error), EH_E_UNSUPPORTED);
	assert_non_null(strstr(error.message, "mark_passed"));
	rig_close(&r);
}

static void server_without_a_place_in_time_fails(void **state)
{
	record_settings rules = { .scenario = RECORD_SCENARIO_SERVER, .statistic = RECORD_STATISTIC_P90,
	                           .load_rate = 2000, .load_requests = 300, .load_concurrency = 1,
	                           .load_slo_ns = 4 * MS, .confidence = 0.95,
	                           .time_max_ns = 20000 * MS };
	eh_error error = ERROR_INIT;
	scenario out;
	rig r;

	(void)state;
	/* Twice as many arrive as can be served. */
	rig_open(&r, MS);
	assert_int_equal(scenario_run(&r.p, &rules, 1, NULL, NULL, &out, &error), EH_OK);
	assert_true(out.failure != NULL || out.missed != NULL);
	assert_false(out.summary.met);
	assert_true(out.summary.value_ns > 4e6);
	assert_int_equal(out.record->kind, RECORD_LOAD_SERVER);
	scenario_free(&out);
	rig_close(&r);
}

static void knee_of_a_real_queue(void **state)
{
	record_settings rules = { .scenario = RECORD_SCENARIO_KNEE, .statistic = RECORD_STATISTIC_MEDIAN,
	                           .load_requests = 60, .load_concurrency = 1,
	                           .load_slo_ns = 60 * MS, .confidence = 0.95,
	                           .time_max_ns = 2000 * MS };
	eh_error error = ERROR_INIT;
	scenario out;
	rig r;

	(void)state;
	rig_open(&r, MS);
	assert_int_equal(scenario_run(&r.p, &rules, 1, NULL, NULL, &out, &error), EH_OK);
	/* 60 requests at 1 ms each end within 60 ms of their arrival at any rate; the search ends all
	 * the same, and no capacity is stated when the client was late on a busy machine. */
	if (!isnan(out.record->capacity))
		assert_true(out.record->capacity > 0 && out.record->rate == out.record->capacity &&
		            out.summary.met);
	else
		assert_true(out.failure != NULL || out.missed != NULL);
	assert_true(out.record->points.count >= 1);
	scenario_free(&out);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrivals_are_poisson),
		cmocka_unit_test(queues_are_md1),
		cmocka_unit_test(latency_counts_from_due),
		cmocka_unit_test(late_client_is_found),
		cmocka_unit_test(growing_queue_is_found),
		cmocka_unit_test(few_requests_state_no_percentile),
		cmocka_unit_test(knee_is_found),
		cmocka_unit_test(knee_without_an_end_ends),
		cmocka_unit_test(knee_of_md1),
		cmocka_unit_test(open_loop_is_md1),
		cmocka_unit_test(closed_loop_keeps_its_places_full),
		cmocka_unit_test(time_ends_a_load),
		cmocka_unit_test(places_need_a_question),
		cmocka_unit_test(server_without_a_place_in_time_fails),
		cmocka_unit_test(knee_of_a_real_queue),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
