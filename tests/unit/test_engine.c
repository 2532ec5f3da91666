/* SPDX-License-Identifier: Apache-2.0 */
/* The measuring engine beyond the plain burst: cold sets, percentiles, the sustained regime,
 * disturbed attempts, clocks that step back, declared data. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/random.h"
#include "simulated_time.h"
#include "fake_backend.h"
#include "fake_workload.h"
#include "measure/clocktrial.h"
#include "measure/cold.h"
#include "measure/disturb.h"
#include "measure/inputdata.h"
#include "measure/measure.h"
#include "measure/turnwork.h"
#include "stat/percentile.h"
#include "stat/windows.h"

typedef struct rig {
	fake f;
	eh_device device;
	eh_queue queue[2];
	session s;
	measure *m;
	protocol_section section;
	eh_value values[1];
	plan_case c;
	char id[8];
	bool lost;
} rig;

static const eh_source canary_source = { .struct_size = sizeof(canary_source), .name = "canary" };

static record_settings *rig_make(rig *r, uint64_t work_ns)
{
	*r = (rig){ .f = { .work_ns = work_ns, .wake_ns = 3000 } };
	fake_session(&r->f, &r->device, r->queue, &r->s);
	r->section.measure = (record_settings){
		.warmup_min_ns = 1000000, .warmup_max_ns = 10000000,
		.samples_min = 10, .samples_max = 100,
		.time_min_ns = 2000000, .time_max_ns = UINT64_C(2000000000),
		.half_width = 10, .confidence = 0.95, .margin = 0.01,
		.proof_ns = 5000000, .clock = RECORD_CLOCK_DEVICE,
		.cache = RECORD_CACHE_WARM, .regime = RECORD_REGIME_BURST,
		.statistic = RECORD_STATISTIC_MEDIAN, .input_data = RECORD_DATA_STANDARD,
		.scenario = RECORD_SCENARIO_NONE,
	};
	memcpy(r->id, "fake", sizeof("fake"));
	r->values[0] = (eh_value){ "cost", "1", 1 };
	r->c = (plan_case){
		.id = r->id, .section = &r->section, .workload = &fake_workload,
		.tier = RECORD_TIER_PORTABLE, .values = { sizeof(eh_case), 1, r->values, 7 },
	};
	assert_int_equal(fake_describe(&r->c.values, &r->c.work, NULL), EH_OK);
	return &r->section.measure;
}

static void rig_start(rig *r, bool watched)
{
	eh_error error = ERROR_INIT;

	assert_int_equal(measure_new_from(&r->s, watched, 1, &canary_source, "", &r->m, &error), EH_OK);
}

static void rig_end(rig *r, record_execution *record)
{
	layout_free(record_execution_layout(), record);
	measure_free(r->m);
	assert_int_equal(r->f.objects, 0);
	fake_advance(&r->f, UINT64_MAX);
}

/* Whether one of the sentences has these words. */
static bool says(const text_list *list, const char *words)
{
	for (size_t i = 0; i < list->count; i++)
		if (strstr(list->items[i], words) != NULL)
			return true;
	return false;
}

static bool flagged(const record_execution *record, enum record_flag flag)
{
	return word_list_has(&record->flags, flag);
}

static void expect(const record_execution *record, enum record_status status, const char *reason)
{
	if (record->status != status ||
	    (reason[0] != '\0' && !says(&record->reasons, reason))) {
		char *shown = layout_text(record_execution_layout(), record, true);

		fprintf(stderr, "# wanted %s: %s\n# got %.800s\n", record_status_word(status), reason, shown);
		free(shown);
		fail();
	}
}

/* ---- cold ------------------------------------------------------------------------------------ */

static void cold_plans(void **state)
{
	eh_device_info info = { .struct_size = sizeof(info), .last_level_cache_bytes = 1 << 20,
		                .memory_bytes = 1 << 30 };
	eh_work work = { .struct_size = sizeof(work), .working_set_bytes = 300000,
		         .device_bytes = 300000 };
	record_cache chosen = cold_choose(&info, &work);

	(void)state;
	/* Seven sets of 300 kB reach over 2 MiB between two visits of the eighth. */
	assert_int_equal(chosen.sets, 8);
	assert_int_equal(chosen.evicted_bytes, 0);
	work.working_set_bytes = work.device_bytes = UINT64_C(3) << 20;
	assert_int_equal(cold_choose(&info, &work).sets, 2);
	/* Two of these do not fit into half the memory: one, and the caches are emptied. */
	work.working_set_bytes = work.device_bytes = UINT64_C(400) << 20;
	chosen = cold_choose(&info, &work);
	assert_int_equal(chosen.sets, 1);
	assert_int_equal(chosen.evicted_bytes, 2 << 20);
	/* Too small for a rotation: a few, so that a sample may still be a batch. */
	work.working_set_bytes = work.device_bytes = 64;
	chosen = cold_choose(&info, &work);
	assert_int_equal(chosen.sets, 64);
	assert_int_equal(chosen.evicted_bytes, 2 << 20);
	info.last_level_cache_bytes = 0;
	chosen = cold_choose(&info, &work);
	assert_false(chosen.cache_known);
	assert_true(chosen.evicted_bytes > 0);
}

/* Every set is visited, verified and proved: a wrong one among many is found. */
static void cold_sets_are_verified(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 30000);
	record_execution *record;

	(void)state;
	rules->cache = RECORD_CACHE_COLD;
	r.s.info.last_level_cache_bytes = 16 * sizeof(float) * FAKE_VALUES;
	r.c.work.working_set_bytes = 2 * sizeof(float) * FAKE_VALUES;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_int_equal(record->cache->method, RECORD_COLD_ROTATION);
	assert_int_equal(record->cache->sets, 17);
	assert_int_equal(record->starts_ns.count, record->samples_ns.count);
	/* 17 sets of 1,024 values. */
	assert_true(record->verification->before->checked == 17 * FAKE_VALUES);
	assert_true(record->verification->after->checked >= 17 * FAKE_VALUES);
	layout_free(record_execution_layout(), record);
	/* The tenth set's operation in verification is wrong. */
	r.f.fault = FAULT_WRONG;
	r.f.launches = 0;
	r.f.fault_after = 10;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_INVALID, "wrong before timing");
	rig_end(&r, record);
}

/* A pair of operations on new inputs and on repeated ones finds its buffers in the same caches, so
 * that what the caches cost is not taken for work that is recognised. */
static void cold_sets_are_no_new_inputs(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 30000);
	record_execution *record;

	(void)state;
	rules->cache = RECORD_CACHE_COLD;
	r.f.cold_ns = 400000;
	r.s.info.last_level_cache_bytes = 16 * sizeof(float) * FAKE_VALUES;
	r.c.work.working_set_bytes = 2 * sizeof(float) * FAKE_VALUES;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_int_equal(record->cache->sets, 17);
	assert_true(record->varied->new_ns.count > 1);
	assert_false(flagged(record, RECORD_FLAG_VARIED_DIFFERS));
	layout_free(record_execution_layout(), record);
	/* A stack that recognises its work is still found. */
	r.f.fault = FAULT_MEMO;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	assert_true(flagged(record, RECORD_FLAG_VARIED_DIFFERS));
	assert_true(record->status == RECORD_INVALID || record->status == RECORD_UNPROVEN);
	rig_end(&r, record);
}

static void cold_by_eviction(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 400000);
	record_execution *record;

	(void)state;
	rules->cache = RECORD_CACHE_COLD;
	r.s.info.last_level_cache_bytes = 1 << 16;
	r.c.work.working_set_bytes = 64;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_int_equal(record->cache->method, RECORD_COLD_EVICTION);
	assert_int_equal(record->cache->evicted_bytes, 1 << 17);
	assert_true(record->batch <= record->cache->sets);
	rig_end(&r, record);
}

/* ---- audits ---------------------------------------------------------------------------------- */

/* As long as samples may take, or longer. */
static uint64_t check_takes_ns;

static eh_status slow_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	clock_sleep_ns(check_takes_ns);
	return fake_check(state, iteration, check, error);
}

/* What an audit takes is no time of the samples; the row ends nevertheless. */
static void audits_are_no_samples(void **state)
{
	static const uint64_t takes_ns[] = { 270000000, UINT64_C(3000000000) };
	eh_workload slow = fake_workload;

	(void)state;
	slow.check = slow_check;
	for (int i = 0; i < 2; i++) {
		rig r;
		record_settings *rules = rig_make(&r, 700000);
		record_execution *record;
		uint64_t begin;
		double spent = 0;

		check_takes_ns = takes_ns[i];
		r.c.workload = &slow;
		rules->time_min_ns = 50000000;
		rules->time_max_ns = 300000000;
		rules->samples_max = 1000;
		rig_start(&r, false);
		begin = simulated.now_ns;
		record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
		expect(record, RECORD_VALID, "");
		assert_int_equal(record->verification->during, 1);
		for (size_t k = 0; k < record->host_ns.count; k++)
			spent += (double)record->host_ns.items[k];
		assert_true(spent >= 50e6 && spent < 60e6);
		layout_free(record_execution_layout(), record);
		/* Of any width, the samples end when their time does. */
		rules->half_width = -1;
		begin = simulated.now_ns;
		record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
		expect(record, RECORD_NOT_CONVERGED, "% within 0.3 s was asked for.");
		assert_int_equal(record->verification->during, 1);
		/* Two checks before, one during, one after and one on new inputs. */
		assert_true(simulated.now_ns - begin < 6 * check_takes_ns + 1000000000);
		rig_end(&r, record);
	}
}

/* In turns as well. */
static void turns_tell_their_audit(void **state)
{
	eh_workload slow = fake_workload;
	turnwork_place place = { .length_ns = 5000000 };
	record_execution *record = NULL;
	unsigned audits = 0;
	turnwork *t;
	rig r;

	(void)state;
	(void)rig_make(&r, 700000);
	check_takes_ns = 270000000;
	slow.check = slow_check;
	r.c.workload = &slow;
	rig_start(&r, false);
	t = turnwork_open(r.m, &r.c, NULL, NULL, &r.lost, &record);
	assert_non_null(t);
	for (place.round = 1; place.round <= 30; place.round++) {
		number_list times = { 0 };
		uint64_t begin = simulated.now_ns;
		uint64_t audit_ns;

		assert_true(turnwork_take(t, place, &times, &audit_ns));
		assert_true(audit_ns == 0 || audit_ns > check_takes_ns);
		assert_true(simulated.now_ns - begin - audit_ns < 30000000);
		audits += audit_ns > 0;
		free(times.items);
	}
	assert_int_equal(audits, 1);
	rig_end(&r, turnwork_close(t, &r.lost));
}

/* The reason names the limit that was not met. */
static void reasons_name_the_limit(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 100);
	record_execution *record;

	(void)state;
	/* Emptying the caches takes as long as a sample. */
	rules->cache = RECORD_CACHE_COLD;
	rules->time_max_ns = 100000000;
	rules->time_min_ns = 80000000;
	r.f.wake_ns = 2000000;
	r.s.info.last_level_cache_bytes = 1 << 16;
	r.c.work.working_set_bytes = 64;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_NOT_CONVERGED, "s of samples fit in the budget of 0.1 s; at least 0.08 s were "
	       "asked for.");
	layout_free(record_execution_layout(), record);
	rules->samples_min = 90;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_NOT_CONVERGED, "samples fit in the budget of 0.1 s; at least 90 were asked for.");
	rig_end(&r, record);
}

/* ---- percentiles ----------------------------------------------------------------------------- */

static void percentile_counts(void **state)
{
	static const enum record_statistic list[] = {
		RECORD_STATISTIC_P90, RECORD_STATISTIC_P95, RECORD_STATISTIC_P97, RECORD_STATISTIC_P99,
		RECORD_STATISTIC_P999,
	};
	static const uint64_t least[] = { 64, 130, 219, 662, 6636 };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		const percentile *p = percentile_find(record_statistic_word(list[i]));

		assert_int_equal(protocol_statistic_samples(list[i]), least[i]);
		assert_non_null(p);
		assert_true(p->quantile == protocol_statistic_quantile(list[i]));
		/* The protocol's counts are those of the statistics. */
		assert_int_equal(percentile_least(p->quantile, PERCENTILE_CONFIDENCE), least[i]);
	}
	assert_int_equal(protocol_statistic_samples(RECORD_STATISTIC_MEDIAN), 1);
}

static void percentile_stop(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 20000);
	record_execution *record;

	(void)state;
	rules->statistic = RECORD_STATISTIC_P90;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	/* 20 us are batched where the median is asked for; here they are not, and there are 64. */
	expect(record, RECORD_VALID, "");
	assert_int_equal(record->batch, 1);
	assert_true(record->samples_ns.count >= 64);
	layout_free(record_execution_layout(), record);
	rules->half_width = 1e-9;
	r.f.done_after = simulated_after;
	neighbour_make(5000, 100000, 1);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_NOT_CONVERGED, "interval of the p90 is");
	layout_free(record_execution_layout(), record);
	rules->samples_max = 30;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_NOT_CONVERGED, "at least 64 were asked for");
	rig_end(&r, record);
	neighbour_end();
}

/* A percentile is one of the samples that count: those before the case was steady do not. */
static void percentile_of_what_counts(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 200000);
	record_execution *record;

	(void)state;
	rules->statistic = RECORD_STATISTIC_P90;
	rules->samples_max = 200;
	rig_start(&r, false);
	/* 64 samples would do, but the first of them are slow: it goes on until 64 are not. */
	r.f.settled_after = r.f.launches + 50;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_true(flagged(record, RECORD_FLAG_WARM_UP_IN_SAMPLES));
	assert_in_range(record->samples_ns.count, 64 + 20, 64 + 50);
	layout_free(record_execution_layout(), record);
	/* Where there may not be so many the row says why it has no percentile. */
	rules->samples_max = 80;
	r.f.settled_after = r.f.launches + 50;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_NOT_CONVERGED, "samples are of the steady part, which alone counts; the p90 "
	       "needs 64");
	assert_int_equal(record->samples_ns.count, 80);
	rig_end(&r, record);
}

/* Of a single short operation the device's clock may leave out what launching took. */
static void short_percentile(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 6000);
	record_execution *record;

	(void)state;
	rules->statistic = RECORD_STATISTIC_P90;
	r.f.unseen_ns = 4000;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_int_equal(record->clock, RECORD_CLOCK_HOST);
	assert_int_equal(record->host_ns.count, 0);
	assert_true(flagged(record, RECORD_FLAG_HOST_CLOCK) && flagged(record, RECORD_FLAG_SHORT_SAMPLES));
	rig_end(&r, record);
}

/* ---- sustained ------------------------------------------------------------------------------- */

static void windows_of_a_series(void **state)
{
	uint64_t times[40];
	uint64_t starts[40];
	windows w;

	(void)state;
	/* 20 samples of 10 ns, then 20 of 20 ns, without gaps; windows of 100 ns. */
	for (size_t i = 0; i < 40; i++) {
		times[i] = i < 20 ? 10 : 20;
		starts[i] = i < 20 ? 10 * i : 200 + 20 * (i - 20);
	}
	assert_true(windows_make(times, starts, 40, 2, 100, &w));
	assert_int_equal(w.count, 6);
	assert_true(w.list[0].rate == 2e8 && w.list[5].rate == 1e8);
	assert_true(w.list[0].median_ns == 5 && w.list[5].median_ns == 10);
	assert_int_equal(w.steady_first, 5);
	assert_true(w.best == 2e8 && w.steady == 1e8 && w.ratio == 0.5);
	windows_free(&w);
	/* A gap counts: the same samples, begun 30 ns apart. */
	for (size_t i = 0; i < 40; i++)
		starts[i] = 30 * i;
	assert_true(windows_make(times, starts, 40, 1, 120, &w));
	assert_true(w.list[0].rate > 3.3e7 && w.list[0].rate < 3.4e7);
	windows_free(&w);
	starts[5] = 1000000;
	assert_false(windows_make(times, starts, 40, 1, 100, &w));
	assert_false(windows_make(times, starts, 0, 1, 100, &w));
	assert_true(windows_make(times, starts, 1, 1, 100, &w));
	assert_int_equal(w.count, 1);
	windows_free(&w);
}

static void sustained_run(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 200000);
	const uint64_t *starts;
	const uint64_t *samples;
	record_execution *record;
	size_t n;

	(void)state;
	rules->regime = RECORD_REGIME_SUSTAINED;
	rules->samples_max = 12;
	rules->sustain_time_ns = 300000000;
	rules->sustain_window_ns = 20000000;
	rules->sustain_entry_ns = 1000000;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_true(record->sustained->time_ns >= 300000000);
	assert_string_equal(record->sustained->entry.by, "no sensor");
	samples = record->samples_ns.items;
	starts = record->starts_ns.items;
	n = record->samples_ns.count;
	/* Far more than samples-max: the time decides. */
	assert_true(n > 12 && n == record->starts_ns.count && starts[0] == 0);
	for (size_t i = 1; i < n; i++)
		assert_true(starts[i] >= starts[i - 1] + samples[i - 1]);
	assert_true(starts[n - 1] + samples[n - 1] <= record->sustained->time_ns);
	assert_true(starts[n - 1] + samples[n - 1] >= 150000000);
	assert_int_equal(record->verification->during, 1);
	assert_int_equal(record->sustained->operations, n * record->batch);
	layout_free(record_execution_layout(), record);
	/* The last result is looked at. */
	r.f.launches = 0;
	r.f.fault = FAULT_WRONG;
	r.f.fault_after = 70;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_INVALID, "checked while sampling");
	rig_end(&r, record);
}

/* ---- lies ------------------------------------------------------------------------------------ */

enum mode { MODE_COLD, MODE_SUSTAINED, MODE_P90, MODE_SINGLE, MODE_OFFLINE, MODE_CLOSED, MODE_SERVER,
	    MODE_KNEE, MODES };

static void set_mode(record_settings *rules, enum mode mode)
{
	static const enum record_scenario_kind kinds[MODES] = {
		[MODE_SINGLE] = RECORD_SCENARIO_SINGLE_STREAM, [MODE_OFFLINE] = RECORD_SCENARIO_OFFLINE,
		[MODE_CLOSED] = RECORD_SCENARIO_CLOSED, [MODE_SERVER] = RECORD_SCENARIO_SERVER,
		[MODE_KNEE] = RECORD_SCENARIO_KNEE,
	};

	rules->scenario = mode < MODE_SINGLE ? RECORD_SCENARIO_NONE : kinds[mode];
	rules->samples_min = 60;
	rules->load_concurrency = 1;
	rules->time_max_ns = 200000000;
	if (mode == MODE_COLD)
		rules->cache = RECORD_CACHE_COLD;
	if (mode == MODE_SUSTAINED) {
		rules->regime = RECORD_REGIME_SUSTAINED;
		rules->sustain_time_ns = 100000000;
		rules->sustain_window_ns = 5000000;
	}
	if (mode == MODE_P90)
		rules->statistic = RECORD_STATISTIC_P90;
	if (mode == MODE_OFFLINE)
		rules->load_requests = 8;
	if (mode >= MODE_CLOSED) {
		rules->load_requests = 40;
		rules->load_concurrency = 4;
	}
	rules->load_rate = mode >= MODE_SERVER ? 1500 : 0;
	rules->load_slo_ns = mode == MODE_KNEE ? 100000000 : 0;
}

static bool merges(enum fault fault)
{
	return fault == FAULT_MERGE || fault == FAULT_MERGE_LAST;
}

/* Lies that begin when the instrument has been found good, at once or in the middle of the case. */
static void no_mode_believes_a_lie(void **state)
{
	static const struct { enum fault fault; uint64_t after; } lies[] = {
		{ FAULT_EARLY, 40 }, { FAULT_SKIP, 40 }, { FAULT_MERGE, 0 }, { FAULT_TICK, 0 },
		{ FAULT_PASSED, 0 }, { FAULT_MERGE_LAST, 0 },
	};

	(void)state;
	for (int mode = 0; mode < MODES; mode++)
		for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
			bool asked = mode >= MODE_CLOSED; /* whether marks have passed */
			bool timed = mode <= MODE_P90;    /* by the device's clock */
			rig r;
			record_settings *rules;
			record_execution *record;

			if ((lies[i].fault == FAULT_PASSED && !asked) ||
			    (lies[i].fault == FAULT_TICK && !timed) ||
			    /* Elsewhere a sample may be one operation, which nothing can be merged with. */
			    (merges(lies[i].fault) && mode != MODE_OFFLINE))
				continue;
			rules = rig_make(&r, merges(lies[i].fault) ? 5000 : 200000);
			set_mode(rules, (enum mode)mode);
			r.s.info.last_level_cache_bytes = 2 * sizeof(float) * FAKE_VALUES;
			r.c.work.working_set_bytes = 2 * sizeof(float) * FAKE_VALUES;
			rig_start(&r, false);
			r.f.fault = lies[i].fault;
			r.f.fault_after = lies[i].after;
			record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
			if (record_counts(record->status)) {
				fprintf(stderr, "# mode %d, fault %d: %s: %s\n", mode, (int)lies[i].fault,
				        record_status_word(record->status), record->reasons.count > 0 ? record->reasons.items[0] : "");
				fail();
			}
			rig_end(&r, record);
		}
}

static random_state check_random;

static eh_status uneven_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	clock_sleep_ns(random_below(&check_random, check_takes_ns / 8));
	return slow_check(state, iteration, check, error);
}

/* Where checking the output takes long, and not always as long, the pairs that end with a check are
 * long enough to tell that from work that was left over. */
static void uneven_checks_accuse_nobody(void **state)
{
	static const uint64_t takes_ns[] = { 40000000, 400000000, 1600000000 };
	eh_workload uneven = fake_workload;
	unsigned doubted = 0;

	(void)state;
	uneven.check = uneven_check;
	for (unsigned seed = 0; seed < 100; seed++) {
		bool lies = seed % 4 == 0;
		rig r;
		record_settings *rules = rig_make(&r, lies ? 200000000 : 100000 << seed % 7);
		record_execution *record;

		random_seed(&check_random, seed);
		check_takes_ns = takes_ns[lies ? seed / 4 % 2 : seed % 3];
		r.c.workload = &uneven;
		rules->proof_ns = 50000000;
		rules->clock = lies ? RECORD_CLOCK_HOST : RECORD_CLOCK_DEVICE;
		rig_start(&r, false);
		r.f.fault = lies ? FAULT_HALF : FAULT_NONE;
		r.f.fault_after = 5;
		record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
		if (lies)
			expect(record, RECORD_INVALID, "reading back work that was reported as complete took");
		else
			expect(record, RECORD_VALID, "");
		doubted += !lies && record->doubts.count > 0;
		rig_end(&r, record);
	}
	assert_true(doubted >= 5);
}

/* ---- disturbed ------------------------------------------------------------------------------- */

static void disturbance_in_words(void **state)
{
	record_canary c = { .compute_before_ns = 1000000, .memory_before_ns = 1000000,
		            .compute_after_ns = 1050000, .memory_after_ns = 990000 };
	disturb_counters begin = { .waited_known = true, .busy_ns = 1 };
	disturb_counters end = {
		.load = { .wall_ns = 1000000000, .cpu_ns = 900000000, .steal_seconds = 0.001 },
		.waited_ns = 20000000, .waited_known = true, .busy_ns = 2000000001,
	};
	text_list words = { 0 };

	(void)state;
	assert_true(disturb_judge(&c, &begin, &end, &words) == 0);
	assert_int_equal(words.count, 0);
	c.compute_after_ns = 1300000;
	assert_true(disturb_judge(&c, &begin, &end, &words) > 0.29);
	assert_non_null(strstr(words.items[0], "1.30 times"));
	assert_true(disturb_judge(NULL, &begin, &end, &words) == 0);
	c.compute_after_ns = 1000000;
	end.waited_ns = 400000000;
	assert_true(disturb_judge(&c, &begin, &end, &words) > 0.39);
	/* They wanted one for 0.9 + 0.4 s. */
	assert_non_null(strstr(words.items[1], "for 31 % of the time in"));
	/* Two threads that wait all the time wait twice the time, and no more than all of it. */
	end.waited_ns = 2000000000;
	end.load.cpu_ns = 1000000;
	assert_true(disturb_judge(&c, &begin, &end, &words) > 1.99);
	assert_non_null(strstr(words.items[2], "for 100 % of the time in"));
	end.load.cpu_ns = 900000000;
	/* Nobody else worked: its own threads wait for each other. */
	end.busy_ns = 900000001;
	assert_true(disturb_judge(&c, &begin, &end, &words) == 0);
	end.waited_ns = 0;
	end.load.steal_seconds = 0.2;
	assert_true(disturb_judge(&c, &begin, &end, &words) > 0.19);
	end.load.steal_seconds = NAN;
	begin.waited_known = end.waited_known = false;
	end.load.switches = 600;
	assert_true(disturb_judge(&c, &begin, &end, &words) > 0);
	assert_int_equal(words.count, 5);
	for (size_t i = 0; i < words.count; i++)
		free(words.items[i]);
	free(words.items);
}

/* A machine that slows in the first attempt: a later one is the row's. */
static void slow_then_steady(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 50000);
	record_execution *record;
	const record_attempt *kept;

	(void)state;
	rules->repeats = 2;
	rig_start(&r, true);
	r.f.slow_after = r.f.launches + 20;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	assert_true(record->attempts.count >= 1);
	kept = &record->attempts.items[0];
	assert_int_equal(kept->attempt, 1);
	assert_true(says(&kept->disturbed, "the machine's speed changed"));
	assert_true(kept->samples_ns.count > 0);
	assert_int_equal(record->attempt, 2);
	assert_false(flagged(record, RECORD_FLAG_DISTURBED));
	rig_end(&r, record);
}

/* Without a repeat it is the row, and says so. */
static void disturbed_is_said(void **state)
{
	rig r;
	record_execution *record;

	(void)state;
	(void)rig_make(&r, 50000);
	rig_start(&r, true);
	r.f.slow_after = r.f.launches + 20;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	assert_true(flagged(record, RECORD_FLAG_DISTURBED));
	assert_true(says(&record->disturbed, "compute part of the canary took"));
	assert_true(record->samples_ns.count > 0);
	assert_int_equal(record->attempts.count, 0);
	rig_end(&r, record);
}

/* It reads 32 MiB in 35 us, and how long one waits for it varies by 9 us. */
static void canary_of_a_fast_device(void **state)
{
	rig r;
	record_execution *record;
	const record_canary *c;

	(void)state;
	(void)rig_make(&r, 50000);
	r.f.group_ns = 16;
	r.f.wake_slow_ns = 12000;
	r.f.wake_slow_share = 0.5;
	random_seed(&r.f.wakes, 3);
	rig_start(&r, true);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	c = record->canary;
	assert_non_null(c);
	assert_true(c->reference_memory_ns >= 500000);
	assert_true(c->memory_bytes > UINT64_C(32) << 20);
	assert_int_equal(c->memory_bytes % (UINT64_C(32) << 20), 0);
	assert_true(fabs(c->memory_before_ns / c->reference_memory_ns - 1) < 0.05);
	assert_true(fabs(c->memory_after_ns / c->reference_memory_ns - 1) < 0.05);
	assert_false(flagged(record, RECORD_FLAG_CANARY_MOVED));
	rig_end(&r, record);
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static uint64_t ticking;

static uint64_t steady_clock(void)
{
	return ++ticking;
}

static uint64_t stepping_clock(void)
{
	return ++ticking % 1000 == 0 ? ticking - 50 : ticking;
}

static void clocks_that_step_back(void **state)
{
	record_order_trial t;
	rig r;
	record_execution *record;

	(void)state;
	layout_init(record_order_trial_layout(), &t);
	clocktrial_host(steady_clock, &t);
	assert_int_equal(t.steps_back, 0);
	assert_true(t.readings >= 4096 && t.processors >= 1);
	assert_string_equal(t.verdict, "monotonic");
	layout_clear(record_order_trial_layout(), &t);
	clocktrial_host(stepping_clock, &t);
	assert_true(t.steps_back >= 4 && t.largest_ns == 49);
	assert_string_equal(t.verdict, "steps back");
	layout_clear(record_order_trial_layout(), &t);

	(void)rig_make(&r, 50000);
	r.f.fault = FAULT_BACKWARDS;
	rig_start(&r, false);
	assert_string_equal(measure_instrument(r.m)->host_order->verdict, "monotonic");
	assert_string_equal(measure_instrument(r.m)->device_order->verdict, "steps back");
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_INVALID, "not monotonic");
	rig_end(&r, record);
}

/* ---- data ------------------------------------------------------------------------------------ */

static void digest_of(enum record_distribution kind, bool swapped, char hex[65])
{
	eh_bench bench = { 0 };
	inputdata_log log;
	record_data *data;
	float a[100];
	float b[50];

	inputdata_lend(&bench, kind, &log);
	log.open = true;
	if (swapped)
		bench.fill_uniform(&bench, b, 0, 50, "f32", 1, 1);
	bench.fill_uniform(&bench, a, 0, 100, "f32", 1, 0);
	if (!swapped)
		bench.fill_uniform(&bench, b, 0, 50, "f32", 1, 1);
	log.open = false;
	/* Not part of it. */
	bench.fill_uniform(&bench, a, 0, 100, "f32", 9, 0);
	assert_int_equal(log.requests, 2);
	data = inputdata_record(&log);
	memcpy(hex, data->sha256, 65);
	layout_free(record_data_layout(), data);
}

static void declared_data(void **state)
{
	static const enum record_distribution kinds[] = {
		RECORD_DATA_STANDARD, RECORD_DATA_NORMAL, RECORD_DATA_UNIFORM, RECORD_DATA_ZEROS,
		RECORD_DATA_INCOMPRESSIBLE,
	};
	char seen[5][65];
	char again[65];
	eh_bench bench = { 0 };
	inputdata_log log;
	unsigned char bytes[64];
	float values[4096];
	size_t ones = 0;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		digest_of(kinds[i], false, seen[i]);
		digest_of(kinds[i], true, again);
		assert_string_equal(seen[i], again);
		for (size_t k = 0; k < i; k++)
			/* Uniform numbers are what was asked for. */
			assert_int_equal(strcmp(seen[i], seen[k]) == 0, i == 2 && k == 0);
	}
	inputdata_lend(&bench, RECORD_DATA_ZEROS, &log);
	log.open = true;
	memset(bytes, 1, sizeof(bytes));
	bench.fill_bytes(&bench, bytes, 0, sizeof(bytes), 1, 0);
	assert_true(bytes[0] == 0 && bytes[63] == 0);
	/* After numbers, bytes are what an oracle draws lots with. */
	bench.fill_normal(&bench, values, 0, 10, "f32", 1, 0);
	assert_true(values[0] == 0 && values[9] == 0);
	bench.fill_bytes(&bench, bytes, 0, sizeof(bytes), 1, 0);
	log.open = false;
	assert_true(bytes[0] != 0 || bytes[1] != 0 || bytes[2] != 0);
	/* Incompressible: within bounds, half the bits of the fraction are set. */
	inputdata_lend(&bench, RECORD_DATA_INCOMPRESSIBLE, &log);
	bench.fill_normal(&bench, values, 0, 4096, "f32", 1, 0);
	for (size_t i = 0; i < 4096; i++) {
		uint32_t bits;

		memcpy(&bits, &values[i], sizeof(bits));
		for (int k = 0; k < 23; k++)
			ones += bits >> k & 1;
		assert_true((values[i] < 1 && values[i] >= 0.0625f) ||
		            (values[i] > -1 && values[i] <= -0.0625f));
	}
	assert_true(ones > 4096 * 11 && ones < 4096 * 12);
}

/* Zeros stay zeros when they are varied: the record says what that leaves open. */
static void zeros_say_what_is_open(void **state)
{
	rig r;
	record_settings *rules = rig_make(&r, 50000);
	record_execution *record;

	(void)state;
	rules->input_data = RECORD_DATA_ZEROS;
	rig_start(&r, false);
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_true(flagged(record, RECORD_FLAG_STALE_NOT_EXCLUDED));
	assert_true(flagged(record, RECORD_FLAG_INPUTS_NOT_VARIED));
	assert_int_equal(record->data->distribution, RECORD_DATA_ZEROS);
	layout_free(record_execution_layout(), record);
	rules->input_data = RECORD_DATA_STANDARD;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	expect(record, RECORD_VALID, "");
	assert_false(flagged(record, RECORD_FLAG_STALE_NOT_EXCLUDED));
	assert_false(flagged(record, RECORD_FLAG_INPUTS_NOT_VARIED));
	rig_end(&r, record);
}

/* Five times the time that the samples may take. */
static eh_status slow_vary(void *state, uint32_t variant, eh_error *error)
{
	clock_sleep_ns(100000000);
	return fake_vary(state, variant, error);
}

/* However long new inputs take to write, a pair is taken, unless the case would be ended for it; then
 * the row has a flag. */
static void slow_inputs_are_varied(void **state)
{
	eh_workload slow = fake_workload;
	rig r;
	record_settings *rules = rig_make(&r, 50000);
	record_execution *record;

	(void)state;
	slow.vary = slow_vary;
	r.c.workload = &slow;
	rules->time_max_ns = 20000000;
	rig_start(&r, false);
	for (int i = 0; i < 2; i++) {
		rules->timeout_ns = i == 0 ? 0 : UINT64_C(60000000000);
		record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
		assert_int_equal(record->varied->new_ns.count, 1);
		assert_int_equal(record->varied->repeated_ns.count, 1);
		assert_false(flagged(record, RECORD_FLAG_INPUTS_NOT_VARIED));
		layout_free(record_execution_layout(), record);
	}
	rules->timeout_ns = 150000000;
	record = measure_case(r.m, &r.c, NULL, NULL, &r.lost);
	assert_int_equal(record->varied->new_ns.count, 0);
	assert_non_null(strstr(record->varied->skipped, "timeout"));
	assert_true(flagged(record, RECORD_FLAG_INPUTS_NOT_VARIED));
	rig_end(&r, record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold_plans),
		cmocka_unit_test(cold_sets_are_verified),
		cmocka_unit_test(cold_sets_are_no_new_inputs),
		cmocka_unit_test(cold_by_eviction),
		cmocka_unit_test(audits_are_no_samples),
		cmocka_unit_test(turns_tell_their_audit),
		cmocka_unit_test(reasons_name_the_limit),
		cmocka_unit_test(percentile_counts),
		cmocka_unit_test(percentile_stop),
		cmocka_unit_test(percentile_of_what_counts),
		cmocka_unit_test(short_percentile),
		cmocka_unit_test(windows_of_a_series),
		cmocka_unit_test(sustained_run),
		cmocka_unit_test(no_mode_believes_a_lie),
		cmocka_unit_test(uneven_checks_accuse_nobody),
		cmocka_unit_test(disturbance_in_words),
		cmocka_unit_test(slow_then_steady),
		cmocka_unit_test(disturbed_is_said), cmocka_unit_test(canary_of_a_fast_device),
		cmocka_unit_test(clocks_that_step_back),
		cmocka_unit_test(declared_data),
		cmocka_unit_test(zeros_say_what_is_open),
		cmocka_unit_test(slow_inputs_are_varied),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
