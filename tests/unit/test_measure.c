/* SPDX-License-Identifier: Apache-2.0 */
/* Honest backends get valid rows; lying ones never do; whatever a neighbour does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/log.h"
#include "simulated_time.h"
#include "fake_backend.h"
#include "fake_workload.h"
#include "measure/load.h"
#include "measure/measure.h"

typedef struct rig {
	fake f;
	eh_device device;
	eh_queue queue;
	session s;
	measure *m;
	protocol_section section;
	eh_value values[1];
	plan_case c;
	char id[8];
	bool lost;
	size_t reports;
} rig;

/* So many neighbours, each with its own times. */
enum { NEIGHBOURS = 5 };

static const eh_source canary_source = { .struct_size = sizeof(canary_source), .name = "canary" };

static void rig_make(rig *r, uint64_t work_ns, enum record_clock clock)
{
	*r = (rig){ .f = { .work_ns = work_ns, .wake_ns = 3000 } };
	fake_session(&r->f, &r->device, &r->queue, &r->s);
	r->section.measure = (record_settings){
		.warmup_min_ns = 2000000, .warmup_max_ns = 20000000,
		.samples_min = 10, .samples_max = 100,
		.time_min_ns = 5000000, .time_max_ns = 200000000,
		.half_width = 0.25, .confidence = 0.95, .margin = 0.01,
		.proof_ns = 10000000, .tune_budget_ns = UINT64_C(2000000000), .clock = clock,
		.cache = RECORD_CACHE_WARM, .regime = RECORD_REGIME_BURST,
		.statistic = RECORD_STATISTIC_MEDIAN, .input_data = RECORD_DATA_STANDARD,
		.scenario = RECORD_SCENARIO_NONE,
	};
	memcpy(r->id, "fake", sizeof("fake"));
	r->values[0] = (eh_value){ "cost", "4", 4 };
	r->c = (plan_case){
		.id = r->id, .section = &r->section, .workload = &fake_workload,
		.tier = RECORD_TIER_PORTABLE,
		.values = { sizeof(eh_case), 1, r->values, 7 },
	};
	assert_int_equal(fake_describe(&r->c.values, &r->c.work, NULL), EH_OK);
}

static void rig_start(rig *r, bool watched)
{
	eh_error error = ERROR_INIT;

	assert_int_equal(measure_new_from(&r->s, watched, 1, &canary_source, "", &r->m, &error), EH_OK);
}

static void report(void *context, const measure_progress *progress)
{
	assert_non_null(progress->stage);
	((rig *)context)->reports++;
}

static cJSON *rig_measure(rig *r)
{
	return measure_case(r->m, &r->c, report, r, &r->lost);
}

static void rig_end(rig *r, cJSON *record)
{
	cJSON_Delete(record);
	measure_free(r->m);
	assert_int_equal(r->f.objects, 0);
	fake_advance(&r->f, UINT64_MAX);
}

static const char *first_reason(const cJSON *record)
{
	const cJSON *reasons = cJSON_GetObjectItemCaseSensitive(record, "reasons");
	const cJSON *first = cJSON_GetArrayItem(reasons, 0);

	return first != NULL ? first->valuestring : "";
}

static bool has_flag(const cJSON *record, const char *flag)
{
	const cJSON *f;

	cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(record, "flags"))
		if (strcmp(f->valuestring, flag) == 0)
			return true;
	return false;
}

static void expect(const cJSON *record, const char *status, const char *reason)
{
	if (strcmp(json_string(record, "status", ""), status) != 0 ||
	    strstr(first_reason(record), reason) == NULL) {
		print_message("# wanted %s: %s\n# got %s: %s\n", status, reason,
		              json_string(record, "status", ""), first_reason(record));
		fail();
	}
}

/* ---- honest ---------------------------------------------------------------------------------- */

static void honest_device(void **state)
{
	rig r;
	cJSON *record;
	uint64_t batch;
	uint64_t *samples;
	uint64_t *host;
	size_t count;
	size_t host_count;
	double value;

	(void)state;
	rig_make(&r, 50000, RECORD_CLOCK_DEVICE);
	rig_start(&r, true);
	assert_true(measure_instrument(r.m)->device_time);
	assert_string_equal(measure_instrument(r.m)->device_time_reason, "");
	assert_true(measure_instrument(r.m)->launch_ns > 0);
	assert_string_equal(measure_instrument(r.m)->wait_reason, "");
	record = rig_measure(&r);
	expect(record, "valid", "");
	assert_string_equal(json_string(record, "clock", ""), "device");
	assert_true(json_uint(record, "batch", &batch));
	samples = json_uints(record, "samples_ns", &count);
	host = json_uints(record, "host_ns", &host_count);
	assert_true(count >= 10 && count <= 100 && count == host_count);
	for (size_t i = 0; i < count; i++) {
		/* One operation is 4 units of 50 us. */
		assert_true(samples[i] >= batch * 200000 && samples[i] <= host[i]);
	}
	assert_true(json_double(cJSON_GetObjectItem(record, "proof"), "ns_per_operation", &value));
	assert_true(value >= 200000);
	assert_true(json_bool(json_path(record, "verification.before"), "passed", false));
	assert_true(json_bool(json_path(record, "verification.after"), "passed", false));
	assert_true(json_uint(json_path(record, "verification"), "during", &batch) && batch >= 1);
	assert_non_null(json_path(record, "canary.reference_memory_ns"));
	assert_non_null(json_path(record, "load.wall_seconds"));
	assert_true(r.reports >= 4);
	assert_false(r.lost);
	free(samples);
	free(host);
	rig_end(&r, record);
}

static void honest_regions(void **state)
{
	static const uint32_t regions[] = { EH_REGION_EXECUTION, EH_REGION_ENQUEUE,
	                                    EH_REGION_ROUND_TRIP };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		rig r;
		cJSON *record;
		uint64_t batch;

		rig_make(&r, 5000, RECORD_CLOCK_HOST);
		/* Enqueueing here is memory allocation: noisy, and not what is tested. */
		r.section.measure.half_width = 10;
		rig_start(&r, false);
		r.c.work.region = regions[i];
		record = rig_measure(&r);
		expect(record, "valid", "");
		assert_string_equal(json_string(record, "clock", ""), "host");
		assert_null(cJSON_GetObjectItem(record, "host_ns"));
		assert_null(cJSON_GetObjectItem(record, "canary"));
		assert_true(json_uint(record, "batch", &batch));
		/* Launching takes some microseconds, so 20 us are batched; round trips never are. */
		if (regions[i] == EH_REGION_ROUND_TRIP)
			assert_int_equal(batch, 1);
		else
			assert_true(batch > 1);
		rig_end(&r, record);
	}
}

/* Reading back takes long, whatever was to be done before: remote and virtualised devices. */
static void honest_slow_read_back(void **state)
{
	static const uint64_t latencies[] = { 1500000, 5000000 };
	static const uint32_t regions[] = { EH_REGION_EXECUTION, EH_REGION_ENQUEUE,
	                                    EH_REGION_ROUND_TRIP };

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		const bool device = i % 2 == 0;
		const uint32_t region = regions[i / 2 % 3];
		rig r;
		cJSON *record;

		rig_make(&r, 5000, device ? RECORD_CLOCK_DEVICE : RECORD_CLOCK_HOST);
		r.f.read_ns = latencies[i / 6];
		rig_start(&r, true);
		r.c.work.region = region;
		assert_string_equal(measure_instrument(r.m)->wait_reason, "");
		assert_true(measure_instrument(r.m)->device_time);
		record = rig_measure(&r);
		expect(record, "valid", "");
		assert_string_equal(json_string(record, "clock", ""),
		                    device && region == EH_REGION_EXECUTION ? "device" : "host");
		rig_end(&r, record);
	}
}

static void budget_and_width(void **state)
{
	rig r;
	cJSON *record;
	double width;

	(void)state;
	rig_make(&r, 50000, RECORD_CLOCK_HOST);
	r.section.measure.samples_min = 50;
	r.section.measure.time_max_ns = 4000000;
	rig_start(&r, false);
	record = rig_measure(&r);
	expect(record, "not-converged", "samples fit in the budget");
	rig_end(&r, record);

	rig_make(&r, 50000, RECORD_CLOCK_HOST);
	r.section.measure.half_width = 1e-9;
	r.section.measure.samples_max = 12;
	neighbour_make(20000, 300000, 1);
	rig_start(&r, false);
	record = rig_measure(&r);
	expect(record, "not-converged", "wide after 12 samples");
	assert_true(json_double(record, "half_width", &width) && width > 1e-9);
	rig_end(&r, record);
	neighbour_end();
}

static void unsupported_with_reason(void **state)
{
	rig r;
	cJSON *record;

	(void)state;
	rig_make(&r, 50000, RECORD_CLOCK_HOST);
	rig_start(&r, false);
	r.c.work.needs = EH_CAP_FP64;
	record = rig_measure(&r);
	expect(record, "unsupported", "double precision");
	cJSON_Delete(record);
	r.c.work.needs = 0;
	r.c.work.device_bytes = UINT64_C(1) << 31;
	record = rig_measure(&r);
	expect(record, "unsupported", "2GiB of device memory");
	rig_end(&r, record);
	record = measure_absent("failed", "Why.");
	expect(record, "failed", "Why.");
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(record, "reasons")), 1);
	cJSON_Delete(record);
}

static void no_work_no_device_clock(void **state)
{
	rig r;
	cJSON *record;
	eh_error error = ERROR_INIT;

	(void)state;
	rig_make(&r, 50000, RECORD_CLOCK_DEVICE);
	log_set_level(EH_LOG_ERROR);
	assert_int_equal(measure_new_from(&r.s, true, 1, NULL, "No compiler.", &r.m, &error), EH_OK);
	assert_false(measure_instrument(r.m)->device_time);
	assert_non_null(strstr(measure_instrument(r.m)->device_time_reason, "No compiler."));
	record = rig_measure(&r);
	expect(record, "valid", "");
	assert_string_equal(json_string(record, "clock", ""), "host");
	assert_true(has_flag(record, "host-clock") && has_flag(record, "no-canary"));
	rig_end(&r, record);
	log_set_level(EH_LOG_WARN);
}

static void tuned_finds_the_quickest(void **state)
{
	rig r;
	cJSON *record;
	const cJSON *trial;
	size_t unsupported = 0;

	(void)state;
	rig_make(&r, 50000, RECORD_CLOCK_HOST);
	r.c.tier = RECORD_TIER_TUNED;
	rig_start(&r, false);
	record = rig_measure(&r);
	expect(record, "valid", "");
	assert_string_equal(json_string(json_path(record, "tuning.chosen"), "cost", ""), "1");
	assert_int_equal(cJSON_GetArraySize(json_path(record, "tuning.trials")), 4);
	assert_int_equal(cJSON_GetArraySize(json_path(record, "tuning.space.cost")), 4);
	cJSON_ArrayForEach(trial, json_path(record, "tuning.trials"))
		unsupported += strcmp(json_string(trial, "status", ""), "unsupported") == 0;
	assert_int_equal(unsupported, 1);
	rig_end(&r, record);
}

/* ---- beside a neighbour ---------------------------------------------------------------------- */

/* Kinds of honest executors and cases, each with what it does not share with the one before. */
enum kind { KIND_DEVICE, KIND_PROCESSOR, KIND_ROUND_TRIP, KIND_COLD, KIND_SLOW_READ, KIND_LAUNCH,
	    KINDS };

static void rig_make_kind(rig *r, enum kind kind)
{
	rig_make(r, kind == KIND_LAUNCH ? 100 : 5000,
	         kind == KIND_DEVICE ? RECORD_CLOCK_DEVICE : RECORD_CLOCK_HOST);
	r->section.measure.proof_ns = 20000000;
	/* The host's own processors compute: the neighbour slows the work, too. */
	if (kind != KIND_DEVICE)
		r->f.done_after = simulated_after;
	if (kind == KIND_ROUND_TRIP)
		r->c.work.region = EH_REGION_ROUND_TRIP;
	if (kind == KIND_SLOW_READ)
		r->f.read_ns = 1500000;
	if (kind == KIND_COLD || kind == KIND_LAUNCH) {
		/* By emptying the caches: a batch is at most 64 operations, however short they are. */
		r->section.measure.cache = RECORD_CACHE_COLD;
		r->s.info.last_level_cache_bytes = 1 << 16;
		r->c.work.working_set_bytes = 64;
		r->f.wake_ns = kind == KIND_LAUNCH ? 40000 : 3000;
	}
}

/* A case that is mostly starting and waiting, on a machine where nothing else runs. */
static void honest_short_cold(void **state)
{
	rig r;
	cJSON *record;
	uint64_t batch = 0;

	(void)state;
	rig_make_kind(&r, KIND_LAUNCH);
	rig_start(&r, false);
	record = rig_measure(&r);
	expect(record, "valid", "");
	assert_true(json_uint(record, "batch", &batch));
	assert_int_equal(batch, 64);
	assert_true(has_flag(record, "short-samples"));
	rig_end(&r, record);
}

/* Others have the processors for two fifths of the time: numbers may be wide, never contradicted. */
static void honest_beside_a_neighbour(void **state)
{
	static const uint64_t turns[] = { 300000, 1000000, 4000000, 10000000 };
	unsigned contradicted = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= NEIGHBOURS; seed++)
		for (int kind = 0; kind < KINDS; kind++)
			for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
				rig r;
				cJSON *record;
				const char *status;

				rig_make_kind(&r, (enum kind)kind);
				neighbour_make(turns[i] * 2 / 3, turns[i], seed);
				rig_start(&r, false);
				record = rig_measure(&r);
				status = json_string(record, "status", "");
				if (strcmp(status, "valid") != 0 && strcmp(status, "not-converged") != 0) {
					print_message("# seed %d, kind %d, turns of %d us: %s: %s\n", (int)seed,
					              kind, (int)(turns[i] / 1000), status, first_reason(record));
					contradicted++;
				}
				rig_end(&r, record);
				neighbour_end();
			}
	assert_int_equal(contradicted, 0);
}

/* ---- lying ----------------------------------------------------------------------------------- */

/* A lie about time told from the start costs every row that asked for the device's clock, and only those. */
static void clocks_that_lie_are_not_believed(void **state)
{
	static const struct { enum fault fault; const char *reason; } lies[] = {
		{ FAULT_TICK, "claims 0.000001 ms" },
		{ FAULT_CLOCK_FAST, "runs fast" },
		{ FAULT_CLOCK_SLOW, "device clock claims" },
	};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		const bool host = i >= 3;
		rig r;
		cJSON *record;

		rig_make(&r, 50000, host ? RECORD_CLOCK_HOST : RECORD_CLOCK_DEVICE);
		r.f.fault = lies[i % 3].fault;
		rig_start(&r, false);
		assert_false(measure_instrument(r.m)->device_time);
		assert_true(measure_instrument(r.m)->device_time_false);
		if (strstr(measure_instrument(r.m)->device_time_reason, lies[i % 3].reason) == NULL)
			fail_msg("%s", measure_instrument(r.m)->device_time_reason);
		record = rig_measure(&r);
		expect(record, host ? "valid" : "invalid", host ? "" : "is not believed");
		if (host)
			assert_string_equal(json_string(record, "clock", ""), "host");
		rig_end(&r, record);
	}
}

static const uint64_t turn_ns = 4000000; /* of a neighbour of lies */

/* Faults, when they begin (in launches after calibration) and what the row says; with a backend
 * whose reading back takes read_ns, and beside a neighbour whose seed is not 0. */
static void lies_give_no_row(uint64_t read_ns, bool read_least, uint64_t neighbour)
{
	static const struct {
		enum fault fault;
		uint64_t after;
		enum record_clock clock;
		const char *status, *reason;
	} lies[] = {
		{ FAULT_EARLY, 0, RECORD_CLOCK_HOST, "invalid", "Waiting returned early" },
		{ FAULT_EARLY, 0, RECORD_CLOCK_DEVICE, "invalid", "Waiting returned early" },
		{ FAULT_EARLY, 30, RECORD_CLOCK_HOST, "invalid", "Waiting returned early" },
		{ FAULT_EARLY_BLIND, 0, RECORD_CLOCK_HOST, "invalid", "wrong before timing" },
		{ FAULT_EARLY_BLIND, 30, RECORD_CLOCK_HOST, "", "" },
		{ FAULT_TICK, 1, RECORD_CLOCK_DEVICE, "invalid", "claims" },
		{ FAULT_TICK, 40, RECORD_CLOCK_DEVICE, "invalid", "claims" },
		{ FAULT_CLOCK_FAST, 1, RECORD_CLOCK_DEVICE, "invalid", "The device clock claims" },
		{ FAULT_CLOCK_FAST, 40, RECORD_CLOCK_DEVICE, "invalid", "The device clock claims" },
		{ FAULT_CLOCK_SLOW, 1, RECORD_CLOCK_DEVICE, "invalid", "claims" },
		{ FAULT_CLOCK_SLOW, 40, RECORD_CLOCK_DEVICE, "invalid", "claims" },
		{ FAULT_WRONG, 0, RECORD_CLOCK_HOST, "invalid", "wrong before timing" },
		{ FAULT_WRONG, 20, RECORD_CLOCK_HOST, "invalid", "wrong" },
		{ FAULT_STALE, 0, RECORD_CLOCK_HOST, "", "" },
		{ FAULT_STALE, 20, RECORD_CLOCK_HOST, "", "" },
		{ FAULT_SKIP, 0, RECORD_CLOCK_HOST, "invalid", "wrong before timing" },
		{ FAULT_SKIP, 25, RECORD_CLOCK_HOST, "invalid", "wrong" },
		{ FAULT_SKIP, 25, RECORD_CLOCK_DEVICE, "invalid", "" },
		{ FAULT_SKIP_REPEATED, 0, RECORD_CLOCK_HOST, "invalid", "" },
		{ FAULT_SKIP_REPEATED, 0, RECORD_CLOCK_DEVICE, "invalid", "" },
		{ FAULT_SKIP_REPEATED, 15, RECORD_CLOCK_HOST, "invalid", "" },
		{ FAULT_MERGE, 0, RECORD_CLOCK_HOST, "invalid", "" },
		{ FAULT_MERGE, 0, RECORD_CLOCK_DEVICE, "invalid", "" },
		{ FAULT_MERGE, 15, RECORD_CLOCK_HOST, "invalid", "" },
		{ FAULT_MERGE_LAST, 0, RECORD_CLOCK_HOST, "invalid", "" },
		{ FAULT_MERGE_LAST, 0, RECORD_CLOCK_DEVICE, "invalid", "" },
		{ FAULT_ERROR, 1, RECORD_CLOCK_HOST, "failed", "reports a fault" },
		{ FAULT_ERROR, 20, RECORD_CLOCK_HOST, "failed", "reports a fault" },
		{ FAULT_NO_MEMORY, 0, RECORD_CLOCK_HOST, "failed", "no memory left" },
	};

	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		rig r;
		cJSON *record;
		const char *status;
		uint64_t batch = 0;

		/* Those whose lie lies in what waiting and reading back take. */
		if (read_ns > 0 && lies[i].fault != FAULT_EARLY && lies[i].fault != FAULT_MERGE)
			continue;
		/* Merging needs samples of many operations. */
		rig_make(&r, lies[i].fault == FAULT_MERGE || lies[i].fault == FAULT_MERGE_LAST ? 5000 : 50000,
		         lies[i].clock);
		/* So that what begins after some launches begins before the last sample. */
		r.section.measure.samples_min = 60;
		r.f.read_ns = read_ns;
		r.f.read_least = read_least;
		rig_start(&r, false);
		if (neighbour != 0)
			neighbour_make(turn_ns, turn_ns, neighbour);
		r.f.fault = lies[i].fault;
		r.f.fault_after = lies[i].after;
		record = rig_measure(&r);
		status = json_string(record, "status", "");
		(void)json_uint(record, "batch", &batch);
		print_message("# fault %d after %d, batch %d: %s: %s\n", (int)lies[i].fault,
		              (int)lies[i].after, (int)batch, status, first_reason(record));
		assert_true(strcmp(status, "invalid") == 0 || strcmp(status, "failed") == 0);
		assert_true(strlen(first_reason(record)) > 0);
		/* Slow reading back and neighbours may leave the finding to another check. */
		if (lies[i].status[0] != '\0')
			expect(record, lies[i].status, read_ns > 0 || neighbour != 0 ? "" : lies[i].reason);
		assert_false(r.lost);
		rig_end(&r, record);
		neighbour_end();
	}
}

static void lies_never_give_a_valid_row(void **state)
{
	(void)state;
	lies_give_no_row(0, false, 0);
}

/* Nor is the disturbance: a time that is longer by chance is not one that grew with the work. */
static void lies_beside_a_neighbour(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= NEIGHBOURS; seed++)
		lies_give_no_row(0, false, seed);
}

/* Where a cold cache allows short batches only, time need not grow with the work; but each operation
 * of a batch has an output of its own. */
static void merging_in_short_cold(void **state)
{
	static const enum fault faults[] = { FAULT_MERGE, FAULT_MERGE_LAST };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		for (uint64_t seed = 0; seed <= NEIGHBOURS; seed++) {
			rig r;
			cJSON *record;

			rig_make_kind(&r, KIND_LAUNCH);
			rig_start(&r, false);
			if (seed != 0)
				neighbour_make(turn_ns, turn_ns, seed);
			r.f.fault = faults[i];
			record = rig_measure(&r);
			expect(record, "invalid", faults[i] == FAULT_MERGE ? "checked while sampling" :
			       "wrong after timing");
			rig_end(&r, record);
			neighbour_end();
		}
}

/* What the slow reading back takes is no room to hide in. */
static void lies_with_slow_read_back(void **state)
{
	(void)state;
	lies_give_no_row(1500000, false, 0);
	lies_give_no_row(5000000, false, 0);
	lies_give_no_row(3000000, true, 0);
}

/* From the very start: seen before any case. */
static void early_from_the_start(void **state)
{
	static const uint64_t latencies[] = { 0, 1500000, 5000000 };

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		rig r;
		cJSON *record;

		rig_make(&r, 50000, RECORD_CLOCK_HOST);
		r.f.fault = FAULT_EARLY;
		r.f.read_ns = latencies[i / 2];
		r.f.read_least = i % 2 == 1;
		rig_start(&r, true);
		assert_non_null(strstr(measure_instrument(r.m)->wait_reason, "returns early"));
		r.c.work.region = EH_REGION_ENQUEUE;
		record = rig_measure(&r);
		expect(record, "invalid", "Waiting returns early on this device");
		rig_end(&r, record);
	}
}

static void lost_device(void **state)
{
	rig r;
	cJSON *record;

	(void)state;
	rig_make(&r, 50000, RECORD_CLOCK_HOST);
	rig_start(&r, true);
	r.f.fault = FAULT_LOST;
	r.f.fault_after = 20;
	record = rig_measure(&r);
	expect(record, "failed", "fell off the bus");
	assert_true(r.lost);
	rig_end(&r, record);
}

static void steal_of_proc_stat(void **state)
{
	(void)state;
	assert_true(load_steal("cpu  1 2 3 4 5 6 7 250 9 10\n", 100) == 2.5);
	assert_true(load_steal("cpu  1 2 3 4\n", 100) < 0);
	assert_true(load_steal("intr 5", 100) < 0);
	assert_true(load_steal("cpu  1 2 3 4 5 6 7 250 9 10\n", 0) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_device),
		cmocka_unit_test(honest_regions),
		cmocka_unit_test(honest_slow_read_back),
		cmocka_unit_test(honest_short_cold),
		cmocka_unit_test(honest_beside_a_neighbour),
		cmocka_unit_test(budget_and_width),
		cmocka_unit_test(unsupported_with_reason),
		cmocka_unit_test(no_work_no_device_clock),
		cmocka_unit_test(tuned_finds_the_quickest),
		cmocka_unit_test(clocks_that_lie_are_not_believed),
		cmocka_unit_test(lies_never_give_a_valid_row),
		cmocka_unit_test(lies_beside_a_neighbour),
		cmocka_unit_test(merging_in_short_cold),
		cmocka_unit_test(lies_with_slow_read_back),
		cmocka_unit_test(early_from_the_start),
		cmocka_unit_test(lost_device),
		cmocka_unit_test(steal_of_proc_stat),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
