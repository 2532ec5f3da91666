/* SPDX-License-Identifier: Apache-2.0 */
/* Each answer of a diagnosis, on variants of a golden result: launch overhead, idle device, near
 * and far from a ceiling, above it, throttled, overruled. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/ceilings.h"
#include "analysis/diagnose.h"
#include "analysis/nameplates.h"
#include "golden.h"

/* Rows of the golden result. */
enum { TRIAD, DOT, FMA64, FMA32, GEMM, GEMM_TUNED, LAUNCH, XFER };

static cJSON *fresh(void)
{
	char *path = golden_path("host-gcc-12.json");
	cJSON *root = NULL;

	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	free(path);
	/* No ceiling for work in f32. */
	golden_set(root, "cases/3/precision", "\"f16\"");
	golden_set(root, "protocol/canonical/cases/3/precision", "\"f16\"");
	return root;
}

/* A member of a row and of its plan. */
static void set_case(cJSON *root, int index, const char *path, const char *json)
{
	char *row = memory_format("cases/%d/%s", index, path);
	char *plan = memory_format("protocol/canonical/cases/%d/%s", index, path);

	golden_set(root, row, json);
	golden_set(root, plan, json);
	free(plan);
	free(row);
}

static void set_each(cJSON *root, int index, const char *member, const char *json)
{
	char *path = memory_format("cases/%d/executions", index);
	cJSON *e;

	cJSON_ArrayForEach(e, golden_at(root, path))
		(void)json_set(e, member, cJSON_Parse(json));
	free(path);
}

static void scale(cJSON *root, int index, double factor)
{
	char *path = memory_format("cases/%d/executions", index);
	cJSON *e, *sample;

	cJSON_ArrayForEach(e, golden_at(root, path))
		cJSON_ArrayForEach(sample, golden_at(e, "samples_ns"))
			cJSON_SetNumberValue(sample, (double)(long long)(sample->valuedouble * factor));
	free(path);
}

/* Seals the tree and takes it. */
static result *read_as(cJSON *root, const char *name)
{
	char *path = golden_scratch(name);
	eh_error error = ERROR_INIT;
	result *r = NULL;

	golden_reseal(root, true);
	assert_int_equal(golden_write(root, path), EH_OK);
	cJSON_Delete(root);
	if (result_read(path, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	return r;
}

static void expect_of(const diagnosis *d, int index, enum diagnosis_answer answer,
                      const char *limit)
{
	assert_string_equal(diagnosis_answer_word(d->cases.items[index].answer),
	                    diagnosis_answer_word(answer));
	assert_string_equal(diagnosis_limit_word(d->cases.items[index].limit), limit);
}

/* Takes the tree; the case's diagnosis is as expected. */
static void expect(cJSON *root, int index, enum diagnosis_answer answer, const char *limit)
{
	result *r = read_as(root, "diagnosed.json");
	diagnosis *d = diagnose_result(r, NULL, 0, NULL, 0);

	expect_of(d, index, answer, limit);
	diagnosis_free(d);
	result_free(r);
}

/* Declares the maker's figures of the golden result's executor. */
static void declare(cJSON *root, const char *fields)
{
	char *layer = memory_format("{\"layer\":\"site\",\"name\":\"site\",\"version\":\"\","
	                            "\"source\":\"declared\",\"fields\":{%s}}", fields);

	assert_true(cJSON_AddItemToArray(golden_at(root, "executor/layers"), cJSON_Parse(layer)));
	free(layer);
}

static const beside_nameplate *plate_of(const diagnosis *d, enum ceiling_kind kind, const char *of)
{
	const ceiling *c = ceilings_of(&d->ceilings, kind, of);

	assert_non_null(c);
	return c->nameplate;
}

/* The maker's figures stand beside the ceilings of their kind, and change no answer. */
static void nameplates(void **state)
{
	cJSON *root = fresh();
	result *plain = read_as(fresh(), "plain.json"), *r;
	diagnosis *without = diagnose_result(plain, NULL, 0, NULL, 0), *d;
	const beside_nameplate *n;
	char *words;

	(void)state;
	declare(root, "\"spec-flops-f64\":{\"value\":\"2e11 source a sheet\",\"source\":\"declared\"},"
	        "\"spec-flops-f16\":{\"value\":\"no figure\",\"source\":\"declared\"},"
	        "\"spec-bandwidth\":{\"value\":\"4e10 source a page\",\"source\":\"declared\"}");
	r = read_as(root, "diagnosed.json");
	assert_string_equal(r->record->executor.digest, plain->record->executor.digest);
	d = diagnose_result(r, NULL, 0, NULL, 0);
	n = plate_of(d, CEILING_COMPUTE, "f64");
	assert_non_null(n);
	assert_float_equal(n->rate, 2e11, 1);
	assert_float_equal(n->share, ceilings_of(&d->ceilings, CEILING_COMPUTE, "f64")->rate / 2e11, 1e-9);
	words = nameplates_words(n, "FLOP/s");
	assert_non_null(strstr(words, " % of the maker's 200.0 GFLOP/s (declared: a sheet)"));
	free(words);
	assert_null(plate_of(d, CEILING_COMPUTE, "f16"));
	assert_string_equal(plate_of(d, CEILING_MEMORY, NULL)->source, "a page");
	assert_null(plate_of(d, CEILING_LAUNCH, NULL));
	assert_null(plate_of(without, CEILING_MEMORY, NULL));
	for (size_t i = 0; i < d->cases.count; i++)
		assert_int_equal(d->cases.items[i].answer, without->cases.items[i].answer);
	diagnosis_free(d);
	diagnosis_free(without);
	result_free(r);
	result_free(plain);
}

/* Of cases: arithmetic in a precision, and memory beyond the caches, not copies over a link. */
static void nameplates_of_cases(void **state)
{
	cJSON *root = fresh();
	beside_nameplate n;
	result *r;

	(void)state;
	declare(root, "\"spec-flops-f32\":{\"value\":\"1e12 source a sheet\",\"source\":\"declared\"},"
	        "\"spec-bandwidth\":{\"value\":\"4e10 source a page\",\"source\":\"declared\"}");
	r = read_as(root, "diagnosed.json");
	layout_init(beside_nameplate_layout(), &n);
	assert_true(nameplates_of_case(r->record, r->rows[GEMM].record, 62e10, &n));
	assert_float_equal(n.share, 0.62, 1e-9);
	assert_true(nameplates_of_case(r->record, r->rows[TRIAD].record, 1e10, &n));
	assert_float_equal(n.share, 0.25, 1e-9);
	assert_false(nameplates_of_case(r->record, r->rows[GEMM].record, NAN, &n));
	assert_false(nameplates_of_case(r->record, r->rows[FMA64].record, 1e10, &n));
	assert_false(nameplates_of_case(r->record, r->rows[XFER].record, 1e10, &n));
	assert_false(nameplates_of_case(r->record, r->rows[LAUNCH].record, 1, &n));
	layout_clear(beside_nameplate_layout(), &n);
	result_free(r);
}

/* Latencies of requests that wait for each other are no times of an operation. */
static void loads_have_no_ceiling(void **state)
{
	static const char *const kinds[] = { "\"closed\"", "\"server\"", "\"knee\"" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		cJSON *root = fresh();

		set_case(root, TRIAD, "measure/scenario", kinds[i]);
		expect(root, TRIAD, DIAGNOSIS_UNKNOWN, "");
	}
}

static void by_share(void **state)
{
	static const struct { double factor; enum diagnosis_answer answer; const char *limit; } rows[] = {
		{ 1.00, DIAGNOSIS_HARDWARE, "memory" }, { 1.15, DIAGNOSIS_HARDWARE, "memory" },
		{ 1.30, DIAGNOSIS_MIXED, "memory" }, { 1.80, DIAGNOSIS_MIXED, "memory" },
		{ 2.20, DIAGNOSIS_SOFTWARE, "kernel" }, { 9.00, DIAGNOSIS_SOFTWARE, "kernel" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cJSON *root = fresh();

		/* The triad is at 97 % of the dot, which alone gives bandwidth when the triad is none. */
		set_case(root, TRIAD, "workload", "\"mystream\"");
		set_case(root, TRIAD, "work/flops", "0");
		scale(root, TRIAD, rows[i].factor);
		expect(root, TRIAD, rows[i].answer, rows[i].limit);
	}
}

/* Of work whose arithmetic has no ceiling the bandwidth is told while it is near: beyond that nobody
 * knows what the share would be of. */
static void shares_of_one_ceiling(void **state)
{
	static const struct { double factor; enum diagnosis_answer answer; bool share; } rows[] = {
		{ 1.00, DIAGNOSIS_HARDWARE, true }, { 1.30, DIAGNOSIS_UNKNOWN, true },
		{ 2.20, DIAGNOSIS_UNKNOWN, false }, { 9.00, DIAGNOSIS_UNKNOWN, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cJSON *root = fresh();
		diagnosis *d;
		result *r;

		set_case(root, TRIAD, "workload", "\"mystream\"");
		scale(root, TRIAD, rows[i].factor);
		r = read_as(root, "diagnosed.json");
		d = diagnose_result(r, NULL, 0, NULL, 0);
		assert_int_equal(d->cases.items[TRIAD].answer, rows[i].answer);
		assert_int_equal(!isnan(d->cases.items[TRIAD].share), rows[i].share);
		diagnosis_free(d);
		result_free(r);
	}
}

static void above_a_ceiling(void **state)
{
	cJSON *root = fresh();

	(void)state;
	set_case(root, TRIAD, "workload", "\"mystream\"");
	set_case(root, TRIAD, "work/flops", "0");
	scale(root, TRIAD, 0.8);
	expect(root, TRIAD, DIAGNOSIS_DEFECT, "memory");

	/* Of a smaller set nothing but the memory is known: it sat in a cache. */
	root = fresh();
	set_case(root, TRIAD, "workload", "\"mystream\"");
	set_case(root, TRIAD, "work/flops", "0");
	set_case(root, TRIAD, "work/working_set_bytes", "65536");
	scale(root, TRIAD, 0.6);
	expect(root, TRIAD, DIAGNOSIS_DEFECT, "cache");
}

static void what_is_a_ceiling(void **state)
{
	result *r = read_as(fresh(), "diagnosed.json");
	diagnosis *d = diagnose_result(r, NULL, 0, NULL, 0);

	(void)state;
	expect_of(d, DOT, DIAGNOSIS_CEILING, "memory");
	expect_of(d, FMA64, DIAGNOSIS_CEILING, "compute");
	expect_of(d, XFER, DIAGNOSIS_CEILING, "link");
	expect_of(d, LAUNCH, DIAGNOSIS_SOFTWARE, "launch");
	expect_of(d, GEMM, DIAGNOSIS_UNKNOWN, "");
	assert_true(d->cases.items[GEMM].notes.count > 1);
	assert_non_null(strstr(d->cases.items[GEMM].notes.items[1], "precision = f32"));
	diagnosis_free(d);
	result_free(r);
}

/* A gemm in f64, held against the fma in f64. */
static cJSON *gemm64(double factor)
{
	cJSON *root = fresh();

	set_case(root, GEMM, "precision", "\"f64\"");
	scale(root, GEMM, factor);
	return root;
}

static void compute(void **state)
{
	(void)state;
	expect(gemm64(1), GEMM, DIAGNOSIS_HARDWARE, "compute");
	expect(gemm64(1.5), GEMM, DIAGNOSIS_MIXED, "compute");
	expect(gemm64(4), GEMM, DIAGNOSIS_SOFTWARE, "kernel");
	expect(gemm64(0.6), GEMM, DIAGNOSIS_DEFECT, "compute");
}

/* A vendor's library is held against fma where it tells that it multiplies by it in the row's types. */
static void libraries(void **state)
{
	static const struct { const char *how; enum diagnosis_answer answer; } rows[] = {
		{ "FMA, ACCUMULATOR_64F, INPUT_64F (from the library)", DIAGNOSIS_MIXED },
		{ "DMMA, ACCUMULATOR_64F, INPUT_64F (from the library)", DIAGNOSIS_UNKNOWN },
		{ "FMA, DMMA, ACCUMULATOR_64F, INPUT_64F (from the library)", DIAGNOSIS_UNKNOWN },
		{ "FMA, ACCUMULATOR_32F, INPUT_TF32 (from the library)", DIAGNOSIS_UNKNOWN },
		{ NULL, DIAGNOSIS_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		cJSON *root = gemm64(1.5);
		char *json = rows[i].how == NULL ? NULL :
		             memory_format("{\"kind\":\"native\",\"how\":\"%s\"}", rows[i].how);
		const diagnosis_case *c;
		diagnosis *d;
		result *r;

		set_case(root, GEMM, "tier", "\"vendor\"");
		if (json != NULL)
			set_each(root, GEMM, "arithmetic", json);
		free(json);
		r = read_as(root, "diagnosed.json");
		d = diagnose_result(r, NULL, 0, NULL, 0);
		c = &d->cases.items[GEMM];
		assert_int_equal(c->answer, rows[i].answer);
		assert_int_equal(!isnan(c->share), c->answer == DIAGNOSIS_MIXED);
		/* A case of fma would not help. */
		for (size_t k = 0; k < c->notes.count; k++)
			assert_null(strstr(c->notes.items[k], "[case fma]"));
		diagnosis_free(d);
		result_free(r);
	}
}

/* What the contract compares with caveats is diagnosed with them. */
static void caveats(void **state)
{
	static const char *const flags[] = { "[\"disturbed\"]", "[\"steal\"]", "[\"canary-moved\"]",
		                             "[\"shared-device\"]", "[\"no-canary\"]" };

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		cJSON *root = gemm64(1);
		diagnosis *d;
		result *r;

		set_each(root, GEMM, "flags", flags[i]);
		r = read_as(root, "diagnosed.json");
		d = diagnose_result(r, NULL, 0, NULL, 0);
		expect_of(d, GEMM, DIAGNOSIS_HARDWARE, "compute");
		assert_int_equal(d->cases.items[GEMM].evidence.level, EVIDENCE_CAVEATED);
		assert_int_equal(d->cases.items[GEMM].evidence.reasons.count, 1);
		diagnosis_free(d);
		result_free(r);
	}
}

/* Above a ceiling, but not beyond the interval: no defect. */
static void wide_intervals_accuse_nobody(void **state)
{
	cJSON *root = gemm64(0.78), *sample;

	(void)state;
	expect(gemm64(0.78), GEMM, DIAGNOSIS_DEFECT, "compute");
	cJSON_ArrayForEach(sample, golden_at(root, "cases/4/executions/0/samples_ns"))
		cJSON_SetNumberValue(sample, (double)(long long)(sample->valuedouble * 1.6));
	expect(root, GEMM, DIAGNOSIS_HARDWARE, "compute");
}

static void bad(void **state)
{
	cJSON *root = gemm64(1);

	(void)state;
	set_each(root, GEMM, "verification", "{}");
	expect(root, GEMM, DIAGNOSIS_INVALID, "");
	root = gemm64(1);
	set_each(root, GEMM, "status", "\"failed\"");
	set_each(root, GEMM, "reasons", "[\"lost\"]");
	expect(root, GEMM, DIAGNOSIS_INVALID, "");
	root = gemm64(1);
	set_each(root, GEMM, "status", "\"unsupported\"");
	set_each(root, GEMM, "reasons", "[\"not here\"]");
	expect(root, GEMM, DIAGNOSIS_ABSENT, "");
}

static void idle_device(void **state)
{
	cJSON *root = gemm64(4), *e, *sample;

	(void)state;
	/* On the device's clock, little more than half of the host's time, and shorter than three launches. */
	cJSON_ArrayForEach(e, golden_at(root, "cases/4/executions")) {
		cJSON *host;

		(void)json_set(e, "clock", cJSON_CreateString("device"));
		host = json_add_array(e, "host_ns");
		cJSON_ArrayForEach(sample, golden_at(e, "samples_ns"))
			cJSON_AddItemToArray(host, cJSON_CreateNumber((double)(long long)(sample->valuedouble * 1.9)));
	}
	cJSON_ArrayForEach(e, golden_at(root, "instruments")) {
		(void)json_set(e, "launch_ns", cJSON_CreateNumber(4e6));
		(void)json_set(e, "device_time", cJSON_CreateTrue());
	}
	/* The case of launch gives the cost where there is one; here the instrument alone. */
	set_case(root, LAUNCH, "workload", "\"other\"");
	expect(root, GEMM, DIAGNOSIS_SOFTWARE, "launch");
}

static void throttled(void **state)
{
	cJSON *root = gemm64(1), *channel;
	result *r;
	diagnosis *d;

	(void)state;
	set_each(root, GEMM, "telemetry",
	         "{\"period_ns\": 1000, \"readings\": 2, \"overhead_ns\": 1, \"simulated\": false,"
	         " \"gaps\": [], \"channels\": [{\"probe\": \"p\", \"place\": \"d\", \"name\":"
	         " \"throttle-power\", \"kind\": \"throttle\", \"part\": \"all\", \"form\": \"counter\","
	         " \"unit\": \"us\", \"times_ns\": [0, 1000000], \"values\": [0, 150]}]}");
	channel = golden_at(root, "cases/4/executions/0/telemetry/channels/0/unit");
	assert_non_null(channel);
	r = read_as(root, "throttled.json");
	d = diagnose_result(r, NULL, 0, NULL, 0);
	expect_of(d, GEMM, DIAGNOSIS_HARDWARE, "compute");
	assert_true(d->cases.items[GEMM].power_limited);
	assert_true(d->cases.items[GEMM].throttled > 0.14 && d->cases.items[GEMM].throttled < 0.16);
	assert_false(d->cases.items[FMA64].power_limited);
	diagnosis_free(d);
	result_free(r);
}

static void tuned_sibling(void **state)
{
	cJSON *root = gemm64(1.1);

	(void)state;
	set_case(root, GEMM_TUNED, "precision", "\"f64\"");
	scale(root, GEMM_TUNED, 0.98);
	expect(root, GEMM, DIAGNOSIS_SOFTWARE, "tuning");
}

static void other_provider(void **state)
{
	result *r = read_as(gemm64(1), "one.json"), *other, *stranger;
	cJSON *root = gemm64(0.8);
	const result *others[2];
	diagnosis *d;

	(void)state;
	golden_set(root, "executor/name", "\"host:better\"");
	golden_set(root, "run/id", "\"other\"");
	other = read_as(root, "two.json");
	root = gemm64(0.8);
	golden_set(root, "executor/device/name", "\"Another CPU\"");
	golden_set(root, "run/id", "\"stranger\"");
	stranger = read_as(root, "three.json");
	assert_true(diagnose_same_device(&r->record->executor, &other->record->executor));
	assert_false(diagnose_same_device(&r->record->executor, &stranger->record->executor));
	others[0] = other;
	d = diagnose_result(r, others, 1, NULL, 0);
	expect_of(d, GEMM, DIAGNOSIS_SOFTWARE, "provider");
	diagnosis_free(d);
	others[0] = stranger;
	d = diagnose_result(r, others, 1, NULL, 0);
	expect_of(d, GEMM, DIAGNOSIS_HARDWARE, "compute");
	assert_int_equal(d->notes.count, 1);
	diagnosis_free(d);
	result_free(stranger);
	result_free(other);
	result_free(r);
}

static void chosen_cases(void **state)
{
	static const char *const patterns[] = { "gemm.*" };
	result *r = read_as(fresh(), "diagnosed.json");
	diagnosis *d = diagnose_result(r, NULL, 0, patterns, 1);

	(void)state;
	assert_int_equal(d->cases.count, 2);
	diagnosis_free(d);
	result_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_share), cmocka_unit_test(shares_of_one_ceiling), cmocka_unit_test(above_a_ceiling),
		cmocka_unit_test(loads_have_no_ceiling),
		cmocka_unit_test(what_is_a_ceiling), cmocka_unit_test(compute), cmocka_unit_test(libraries),
		cmocka_unit_test(bad), cmocka_unit_test(caveats),
		cmocka_unit_test(wide_intervals_accuse_nobody), cmocka_unit_test(idle_device), cmocka_unit_test(throttled),
		cmocka_unit_test(tuned_sibling), cmocka_unit_test(other_provider),
		cmocka_unit_test(chosen_cases), cmocka_unit_test(nameplates), cmocka_unit_test(nameplates_of_cases),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("diagnose", tests, NULL, NULL);
}
