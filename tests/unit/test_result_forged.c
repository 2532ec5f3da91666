/* SPDX-License-Identifier: Apache-2.0 */
/* Results by somebody who makes every digest and derived number right again: what they say of the run
 * and of its cases still has to hold together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "golden.h"

static cJSON *whole;  /* the golden result */
static char *scratch;

static int begin(void **state)
{
	char *path = golden_path("host-gcc-12.json");
	eh_status status = json_read(path, &whole, NULL);

	(void)state;
	free(path);
	scratch = golden_scratch("forged.json");
	return status == EH_OK ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	cJSON_Delete(whole);
	free(scratch);
	return 0;
}

static eh_status read_json(const cJSON *root, eh_error *error)
{
	result *r = NULL;
	eh_status status;

	assert_int_equal(golden_write(root, scratch), EH_OK);
	status = result_read(scratch, &r, error);
	if (status == EH_OK)
		result_free(r);
	return status;
}

typedef struct forgery {
	struct { const char *path, *json; } edits[3];
	const char *words; /* NULL: this one is accepted                                        */
	eh_status code;
} forgery;

/* A case as the row and as the plan; nothing that was measured. */
static void forge(cJSON *root, const char *path, const char *json)
{
	golden_set(root, path, json);
	if (strncmp(path, "cases/", 6) == 0 && strstr(path, "/executions") == NULL) {
		char *plan = memory_format("protocol/canonical/%s", path);

		golden_set(root, plan, json);
		free(plan);
	}
}

/* The order as it was forged, the rest as it follows. */
static void seal_forged(cJSON *root)
{
	cJSON *order = cJSON_Duplicate(golden_at(root, "run/order"), true);

	golden_reseal(root, true);
	(void)json_set(golden_at(root, "run"), "order", order);
	golden_reseal(root, false);
}

static void forgeries_are_tried(const forgery *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cJSON *copy = cJSON_Duplicate(whole, true);
		eh_error error = ERROR_INIT;
		eh_status status;

		for (size_t k = 0; k < 3 && list[i].edits[k].path != NULL; k++)
			forge(copy, list[i].edits[k].path, list[i].edits[k].json);
		seal_forged(copy);
		status = read_json(copy, &error);
		if (status != list[i].code || (list[i].words != NULL &&
		                               strstr(error.message, list[i].words) == NULL))
			fail_msg("%s = %s: %d, \"%s\"", list[i].edits[0].path, list[i].edits[0].json,
			         (int)status, error.message);
		cJSON_Delete(copy);
	}
}

#define SIX_EXECUTIONS                                                                        \
	"[{\"execution\":1,\"position\":3},{\"execution\":2,\"position\":5},{\"execution\":3,"   \
	"\"position\":7},{\"execution\":4,\"position\":12},{\"execution\":5,\"position\":14},"    \
	"{\"execution\":6,\"position\":16}]"
#define WITHOUT_THE_SECOND                                                                    \
	"[{\"execution\":1,\"position\":3},{\"execution\":3,\"position\":7},{\"execution\":4,"      \
	"\"position\":12},{\"execution\":5,\"position\":14}]"
#define NOISE(classes) "{\"measured_at\":\"2026-01-01T00:00:00Z\",\"pairs\":9,\"classes\":" classes "}"

static void executions_are_those_of_the_run(void **state)
{
	static const forgery list[] = {
		{ { { "run/order", "[]" } },
		  "cases[0].executions[0].execution is 1, which run.order does not list", EH_E_ALTERED },
		{ { { "cases/2/executions/4/execution", "6" } },
		  "cases[2].executions[4].execution is 6, which run.order does not list", EH_E_ALTERED },
		{ { { "run/order", SIX_EXECUTIONS } },
		  "run.order lists execution 6, of which no case has anything", EH_E_ALTERED },
		{ { { "run/order/1/execution", "1" } },
		  "run.order[1].execution is not above the one before it", EH_E_ALTERED },
		{ { { "run/order/1/position", "3" } },
		  "run.order[1].position is not above the one before it", EH_E_ALTERED },
		{ { { "run/order/0/position", "0" } },
		  "run.order[0].position is not above the one before it", EH_E_ALTERED },
		{ { { "run/order", WITHOUT_THE_SECOND } },
		  "cases[0].executions[1].execution is 2, which run.order does not list", EH_E_ALTERED },
		{ { { "run/executions/done", "4" } },
		  "run.executions.done is 4 but every case has 5 of the executions in run.order",
		  EH_E_ALTERED },
		{ { { "run/executions/declared", "4" } },
		  "run.executions.declared is 4 but protocol.canonical says 5", EH_E_ALTERED },
		{ { { "run/executions/planned", "9" } },
		  "status is complete but run.executions.done is 5 of 9 planned", EH_E_ALTERED },
		{ { { "run/executions/planned", "9" }, { "status", "\"incomplete\"" } }, NULL, EH_OK },
	};

	(void)state;
	forgeries_are_tried(list, sizeof(list) / sizeof(list[0]));
}

/* The quickest executions of more, say: those that are left out are missed. */
static void no_execution_is_left_out(void **state)
{
	static const char *const said[] = { "\"complete\"", "\"incomplete\"" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		cJSON *copy = cJSON_Duplicate(whole, true);
		eh_error error = ERROR_INIT;
		cJSON *row;

		cJSON_ArrayForEach(row, golden_at(copy, "cases"))
			cJSON_DeleteItemFromArray(golden_at(row, "executions"), 1);
		golden_set(copy, "run/executions/done", "4");
		golden_set(copy, "status", said[i]);
		golden_reseal(copy, true);
		assert_int_equal(read_json(copy, &error), i == 0 ? EH_E_ALTERED : EH_OK);
		if (i == 0)
			assert_non_null(strstr(error.message, "status is complete but run.order has "
			                                      "execution 3 in the place of execution 2"));
		cJSON_Delete(copy);
	}
}

static void cases_are_told_apart(void **state)
{
	static const forgery list[] = {
		{ { { "cases/3/id", "\"dot.f32.64MiB\"" } },
		  "cases[3].id is dot.f32.64MiB, which is the id of cases[1] already", EH_E_FORMAT },
		{ { { "cases/3/id", "\"fma.f33\"" } }, NULL, EH_OK },
	};

	(void)state;
	forgeries_are_tried(list, sizeof(list) / sizeof(list[0]));
}

static void days_are_of_the_calendar(void **state)
{
	static const struct { const char *time; bool is; } times[] = {
		{ "2026-02-31T00:00:00Z", false }, { "2026-02-29T00:00:00Z", false },
		{ "2028-02-29T00:00:00Z", true }, { "2100-02-29T00:00:00Z", false },
		{ "2000-02-29T00:00:00Z", true }, { "2026-04-31T00:00:00Z", false },
		{ "2026-12-31T23:59:59Z", true }, { "2026-13-01T00:00:00Z", false },
		{ "2026-00-01T00:00:00Z", false }, { "2026-01-00T00:00:00Z", false },
		{ "2026-01-01T24:00:00Z", false }, { "2026-01-01T23:60:00Z", false },
		{ "2026-01-01T23:59:60Z", false }, { "2026-01-01T23:59:59Z ", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		char *json = memory_format("\"%s\"", times[i].time);
		forgery begun = { { { "run/started", json } }, "run.started is not a time", EH_E_FORMAT };
		forgery over = { { { "run/ended", json } }, "run.ended is not a time", EH_E_FORMAT };

		if (times[i].is) {
			begun.words = over.words = NULL;
			begun.code = over.code = EH_OK;
		}
		forgeries_are_tried(&begun, 1);
		forgeries_are_tried(&over, 1);
		free(json);
	}
}

static void noise_floors_are_numbers(void **state)
{
	static const forgery list[] = {
		{ { { "run/noise_floor", NOISE("{\"stream\":\"none\"}") } },
		  "run.noise_floor.classes is not an object of numbers", EH_E_FORMAT },
		{ { { "run/noise_floor", NOISE("{\"stream\":true}") } },
		  "run.noise_floor.classes is not an object of numbers", EH_E_FORMAT },
		{ { { "run/noise_floor", NOISE("{\"gemm\":0.02,\"stream\":-0.1}") } },
		  "run.noise_floor.classes.stream is below 0", EH_E_FORMAT },
		{ { { "run/noise_floor", NOISE("{\"gemm\":0,\"stream\":0.1}") } }, NULL, EH_OK },
	};

	(void)state;
	forgeries_are_tried(list, sizeof(list) / sizeof(list[0]));
}

static void what_is_valid_has_samples_enough(void **state)
{
	static const forgery list[] = {
		{ { { "cases/0/executions/1/samples_ns", "[1,2,3,4,5,6,7]" } },
		  "cases[0].executions[1] is valid with 7 samples, but its measurement asks for 8",
		  EH_E_ALTERED },
		{ { { "cases/0/executions/1/samples_ns", "[]" } },
		  "cases[0].executions[1] is valid with 0 samples", EH_E_ALTERED },
		{ { { "cases/0/executions/1/samples_ns", "[1,2,3,4,5,6,7]" },
		    { "cases/0/executions/1/status", "\"not-converged\"" } }, NULL, EH_OK },
		{ { { "cases/0/measure/statistic", "\"p90\"" } },
		  "cases[0].executions[0] is valid with 8 samples, but its measurement asks for 64",
		  EH_E_ALTERED },
		/* As many as fit in their time, and as many requests as were declared. */
		{ { { "cases/0/measure/samples_min", "100" },
		    { "cases/0/measure/regime", "\"sustained\"" } }, NULL, EH_OK },
		{ { { "cases/0/measure/samples_min", "100" },
		    { "cases/0/measure/scenario", "\"server\"" } }, NULL, EH_OK },
		{ { { "cases/0/measure/samples_min", "100" },
		    { "cases/0/measure/scenario", "\"offline\"" } },
		  "cases[0].executions[0] is valid with 8 samples, but its measurement asks for 100",
		  EH_E_ALTERED },
	};

	(void)state;
	forgeries_are_tried(list, sizeof(list) / sizeof(list[0]));
}

static void out_of_time_hides_nothing(void **state)
{
	static const forgery list[] = {
		{ { { "cases/0/executions/1/status", "\"out-of-time\"" } },
		  "cases[0].executions[1].status is out-of-time, but there are samples", EH_E_ALTERED },
		{ { { "cases/0/executions/1",
		      "{\"execution\":2,\"status\":\"out-of-time\",\"reasons\":[\"no\"]}" } },
		  "cases[0].executions[1].status is out-of-time, but the run had no budget",
		  EH_E_ALTERED },
	};

	(void)state;
	forgeries_are_tried(list, sizeof(list) / sizeof(list[0]));
}

/* ---- what samples and instruments imply ------------------------------------------------------ */

/* An edit of the executions after which derived numbers and digests are made again. */
typedef struct deed {
	const char *path, *json; /* json NULL: the member is taken away                        */
} deed;
typedef struct fraud {
	deed deeds[4];
	const char *words;       /* NULL: it cannot be told from what was measured             */
} fraud;

static void do_deed(cJSON *root, const deed *d)
{
	const char *slash = strrchr(d->path, '/');
	char *above;

	if (d->json != NULL) {
		forge(root, d->path, d->json);
		return;
	}
	above = memory_format("%.*s", (int)(slash - d->path), d->path);
	cJSON_DeleteItemFromObjectCaseSensitive(golden_at(root, above), slash + 1);
	free(above);
}

static void frauds_are_tried(const cJSON *honest, const fraud *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cJSON *copy = cJSON_Duplicate(honest, true);
		eh_error error = ERROR_INIT;
		eh_status status;

		for (size_t k = 0; k < 4 && list[i].deeds[k].path != NULL; k++)
			do_deed(copy, &list[i].deeds[k]);
		golden_forge(copy);
		status = read_json(copy, &error);
		if (list[i].words == NULL ? status != EH_OK :
		    status != EH_E_ALTERED || strstr(error.message, list[i].words) == NULL)
			fail_msg("%s = %s: %d, \"%s\"", list[i].deeds[0].path,
			         list[i].deeds[0].json != NULL ? list[i].deeds[0].json : "absent",
			         (int)status, error.message);
		cJSON_Delete(copy);
	}
}

#define FRAUDS(...)                                                                            \
	static const fraud list[] = { __VA_ARGS__ };                                            \
	(void)state;                                                                            \
	frauds_are_tried(whole, list, sizeof(list) / sizeof(list[0]))
#define FIRST "cases/0/executions/0/"
#define RISING                                                                            \
	"[9400000,9400100,9400200,9400300,9400400,9400500,9400600,9400700,9400800,9400900,"     \
	"9401000,9401100,9401200,9401300,9401400,9401500,9401600,9401700,9401800,9401900,"      \
	"9402000,9402100,9402200,9402300,9402400,9402500,9402600,9402700,9402800,9402900]"

static void precision_follows_from_the_samples(void **state)
{
	FRAUDS(
		{ { { FIRST "half_width", "0.001" } },
		  "cases[0].executions[0].half_width is 0.001 but the samples give 0.0043" },
		{ { { FIRST "half_width", NULL } }, "half_width is absent but the samples give 0.0043" },
		{ { { "cases/0/measure/half_width", "0.002" } },
		  "cases[0].executions[0] is valid with a half-width that is 0.00436332, but its "
		  "measurement asks for 0.002" },
		{ { { "cases/0/measure/half_width", "0.002" }, { FIRST "status", "\"not-converged\"" },
		    { "cases/0/executions/1/status", "\"not-converged\"" } },
		  "cases[0].executions[2] is valid with a half-width" },
		{ { { "cases/0/measure/time_min_ns", "80000000" } },
		  "cases[0].executions[0] is valid with samples of 0.0752" },
		/* As many samples as there is room for may be shorter. */
		{ { { "cases/0/measure/time_min_ns", "80000000" }, { "cases/0/measure/samples_max", "8" } },
		  NULL });
}

static void flags_follow_from_the_rest(void **state)
{
	FRAUDS(
		{ { { FIRST "flags", "[]" } }, "cases[0].executions[0].flags lacks host-clock" },
		{ { { FIRST "samples_ns", RISING }, { FIRST "half_width", NULL },
		    { FIRST "status", "\"not-converged\"" } }, "flags lacks autocorrelated" },
		{ { { FIRST "samples_ns", RISING }, { FIRST "half_width", "5.85016e-05" } },
		  "half_width is 5.85016e-05 but the samples give absent" },
		{ { { FIRST "samples_ns", RISING }, { FIRST "half_width", NULL } },
		  "is valid with a half-width that is absent" },
		{ { { FIRST "load/steal_seconds", "0.21" } }, "flags lacks steal" },
		{ { { FIRST "canary/compute_after_ns", "1110000" } }, "flags lacks canary-moved" },
		{ { { FIRST "canary/memory_before_ns", "1790000" } }, "flags lacks canary-moved" },
		{ { { FIRST "guards", "{\"device_users_after\":2}" } }, "flags lacks shared-device" },
		{ { { FIRST "guards", "{\"throttled_seconds\":0.06}" } }, "flags lacks throttled" },
		{ { { FIRST "varied", "{\"skipped\":\"no time\"}" } }, "flags lacks inputs-not-varied" });
}

static void disturbance_follows_from_the_rest(void **state)
{
	FRAUDS(
		{ { { FIRST "canary/compute_after_ns", "1300000" },
		    { FIRST "flags", "[\"host-clock\",\"canary-moved\"]" } }, "flags lacks disturbed" },
		{ { { FIRST "canary/compute_after_ns", "1300000" },
		    { FIRST "flags", "[\"host-clock\",\"canary-moved\",\"disturbed\"]" } },
		  "disturbed has 0 sentences, but canary and guards give 1: The compute part" },
		{ { { FIRST "guards", "{\"memory_stall_seconds\":0.2}" } }, "flags lacks disturbed" },
		{ { { FIRST "disturbed", "[\"Somebody else.\"]" } }, "flags lacks disturbed" });
}

/* ---- times and clocks ------------------------------------------------------------------------ */

#define DEVICE_SAMPLES "[4000000,4000000,4000000,4000000,4000000,4000000,4000000,4000100]"
#define HOST_TIMES "[5500000,5500000,5500000,5500000,5500000,5500000,5500000,5500000]"
#define TWICE "[8500000,8500000,8500000,8500000,8500000,8500000,8500000,8500000]"
#define STARTS(second) "[0," second ",20000000,30000000,40000000,50000000,60000000,70000000]"

static void times_fit_together(void **state)
{
	FRAUDS(
		{ { { FIRST "load/wall_seconds", "0.1" } },
		  "cases[0].executions[0] has samples of 0.0752686 s and a proof of 0.0282 s, which do not "
		  "fit in its load.wall_seconds of 0.1" },
		{ { { FIRST "starts_ns", STARTS("10000000") } }, NULL },
		{ { { FIRST "starts_ns", STARTS("9000000") } },
		  "starts_ns has sample 1 begin before the end of sample 0" },
		{ { { FIRST "starts_ns", STARTS("25000000") } },
		  "starts_ns has sample 2 begin before the end of sample 1" },
		{ { { FIRST "starts_ns", "[0,10000000]" } }, "starts_ns has 2 values and samples_ns 8" },
		{ { { FIRST "telemetry", "{\"period_ns\":1,\"readings\":2,\"overhead_ns\":0,"
		                         "\"simulated\":false,\"gaps\":[],\"channels\":[{\"probe\":\"p\","
		                         "\"place\":\"\",\"name\":\"watts\",\"kind\":\"power\",\"part\":\"\","
		                         "\"form\":\"instant\",\"unit\":\"W\",\"times_ns\":[5,3],"
		                         "\"values\":[1,1]}]}" } }, "telemetry has a channel watts" },
		{ { { FIRST "turns", "{\"rounds\":[1,1,1,1,2,2,2,2],\"first_ns\":0,\"origin_ns\":0,\"turn_ns\":1}" } },
		  "turns is there, but the protocol does not declare lockstep" },
		{ { { "run/design", "{\"kind\":\"lockstep\",\"executors\":[\"a\",\"b\"]}" } },
		  "run.design is lockstep, but the protocol does not declare it" },
		{ { { "run/design", "{\"kind\":\"lockstep\",\"executors\":[\"a\"]}" },
		    { "protocol/canonical/design", "\"lockstep\"" } },
		  "run.design is lockstep, but names fewer than two executors" },
		{ { { "protocol/canonical/design", "\"lockstep\"" } },
		  "turns is absent, but the protocol declares lockstep" });
}

static void clocks_are_those_of_the_instrument(void **state)
{
	FRAUDS(
		{ { { FIRST "clock", "\"device\"" }, { FIRST "host_ns", TWICE } },
		  "cases[0].executions[0].clock is the device's, but its instrument did not trust" },
		{ { { FIRST "clock", "\"device\"" }, { "instruments/0/device_time", "true" },
		    { "cases/0/measure/clock", "\"host\"" } }, "its measurement asks for the host's" },
		{ { { FIRST "clock", "\"device\"" }, { "instruments/0/device_time", "true" },
		    { FIRST "host_ns", TWICE } }, "by the device's clock in sample 0, and host_ns 8500000" },
		{ { { FIRST "clock", "\"device\"" }, { "instruments/0/device_time", "true" },
		    { FIRST "samples_ns", DEVICE_SAMPLES }, { FIRST "host_ns", TWICE } },
		  "half_width is" },
		{ { { "instruments/1/execution", "1" } },
		  "instruments[1].execution is not above the one before it" });
}

static void a_slow_device_clock_is_told(void **state)
{
	static const char *const host[] = { TWICE, HOST_TIMES };
	static const char *const words[] = { "lacks device-clock-low", "lacks device-clock-low" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const fraud list[] = {
			{ { { FIRST "host_ns", host[i] }, { FIRST "half_width", "1.25e-05" },
			    { "instruments/0/device_time", "true" }, { FIRST "flags", "[]" } }, words[i] },
		};
		cJSON *device = cJSON_Duplicate(whole, true);

		golden_set(device, FIRST "clock", "\"device\"");
		golden_set(device, FIRST "samples_ns", DEVICE_SAMPLES);
		frauds_are_tried(device, list, 1);
		cJSON_Delete(device);
	}
}

/* ---- who measured ---------------------------------------------------------------------------- */

#define OTHER_SHA "\"1111111111111111111111111111111111111111111111111111111111111111\""

static void programs_are_those_of_the_stack(void **state)
{
	FRAUDS(
		{ { { FIRST "program/compiler", "\"clang\"" } },
		  "cases[0].executions[0].program.compiler is clang 12.2.0, which no compiler layer of the "
		  "executor is" },
		{ { { FIRST "program/compiler_version", "\"13.1.0\"" } }, "is gcc 13.1.0, which no" },
		{ { { FIRST "program/compiler_version", NULL } }, NULL },
		{ { { "cases/0/executions/1/program/source_sha256", OTHER_SHA } },
		  "cases[0].executions[1].program.source_sha256 is not that of the executions before it" },
		/* A case that was tuned may have run several. */
		{ { { "cases/5/executions/1/program/source_sha256", OTHER_SHA } }, NULL },
		{ { { "executor/layers/2/version", "\"13.1.0\"" } },
		  "executor.digest is \"9e523149" },
		{ { { "executor/device/name", "\"Better CPU\"" } }, "executor.digest is" },
		{ { { "executor/device/memory_bytes", "1" } }, NULL },
		{ { { FIRST "program/compiler", "\"clang\"" },
		    { "protocol/deviations", "[\"the executor changed during the run: its digest was x\"]" } },
		  NULL });
}

static void tuned_parameters_are_the_quickest(void **state)
{
	FRAUDS(
		{ { { "cases/5/executions/0/tuning/chosen/tile", "\"4\"" } },
		  "cases[5].executions[0] has other tuned parameters than the quickest valid candidate" },
		{ { { "cases/5/executions/1/tuning/earlier", "true" } }, NULL });
}

static cJSON *golden_tree(const char *name)
{
	char *path = golden_path(name);
	cJSON *root = NULL;

	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	free(path);
	return root;
}

/* The samples of one stack in the name of another. */
static void rows_do_not_travel(void **state)
{
	cJSON *clang = golden_tree("host-clang-14.json"), *pocl = golden_tree("opencl-pocl-0.json");
	eh_error error = ERROR_INIT;

	(void)state;
	json_set(clang, "cases", json_copy(golden_at(pocl, "cases")));
	json_set(clang, "instruments", json_copy(golden_at(pocl, "instruments")));
	golden_forge(clang);
	assert_int_equal(read_json(clang, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "program.compiler is pocl 3.1, which no compiler layer"));
	cJSON_Delete(pocl);
	cJSON_Delete(clang);
}

static void exchange(cJSON *root, const char *a, const char *b)
{
	cJSON *first = json_copy(golden_at(root, a)), *second = json_copy(golden_at(root, b));
	char *x = json_text(first, false), *y = json_text(second, false);

	golden_set(root, a, y);
	golden_set(root, b, x);
	free(y);
	free(x);
	cJSON_Delete(second);
	cJSON_Delete(first);
}

/* Executions of a quicker case in a slower one. */
static void executions_are_of_their_case(void **state)
{
	cJSON *copy = cJSON_Duplicate(whole, true);
	eh_error error = ERROR_INIT;

	(void)state;
	exchange(copy, "cases/0/executions/2", "cases/1/executions/2");
	golden_forge(copy);
	assert_int_equal(read_json(copy, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "cases[0].executions[2].program.source_sha256"));
	cJSON_Delete(copy);
	copy = cJSON_Duplicate(whole, true);
	exchange(copy, "cases/5/executions/2/samples_ns", "cases/5/executions/2/samples_ns");
	golden_set(copy, "cases/5/executions/2/position", "5");
	golden_forge(copy);
	assert_int_equal(read_json(copy, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "cases[5].executions[2].position is 5, where execution 3 "
	                                      "measured cases[4]"));
	cJSON_Delete(copy);
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* The golden triad as a closed load. */
static cJSON *load_tree(const char *limit)
{
	cJSON *copy = cJSON_Duplicate(whole, true);

	forge(copy, "cases/0/measure/scenario", "\"closed\"");
	forge(copy, "cases/0/measure/load_slo_ns", limit);
	golden_reseal(copy, true);
	return copy;
}

static void loads_follow_from_their_requests(void **state)
{
	static const fraud missed[] = { { { { FIRST "flags", "[]" } }, "flags lacks limit-missed" } };
	static const fraud late[] = {
		{ { { FIRST "load/wall_seconds", "0.05" } }, "do not fit in its load.wall_seconds" },
	};
	cJSON *copy = load_tree("1");

	(void)state;
	frauds_are_tried(copy, missed, 1);
	cJSON_Delete(copy);
	copy = load_tree("1000000000");
	frauds_are_tried(copy, late, 1);
	cJSON_Delete(copy);
}

/* ---- evidence -------------------------------------------------------------------------------- */

/* Reads what is otherwise as it should be: `words` are found by who asks for evidence, and a
 * comparison refuses the case by that rule. */
static void is_refused(cJSON *forged, const char *words, const char *rule)
{
	char *path = golden_path("host-gcc-12.json");
	findings f = { .only_first = false };
	result *honest = NULL, *r = NULL;
	eh_error error = ERROR_INIT;
	comparison *c;

	assert_int_equal(golden_write(forged, scratch), EH_OK);
	if (result_read(scratch, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	assert_int_equal(result_read(path, &honest, NULL), EH_OK);
	result_check_evidence(honest, &f);
	assert_int_equal(f.count, 0);
	result_check_evidence(r, &f);
	if (f.count == 0 || strstr(f.items[0].sentence, words) == NULL)
		fail_msg("\"%s\" does not say %s", f.count > 0 ? f.items[0].sentence : "", words);
	c = contract_compare(honest, r, 0);
	assert_int_equal(c->cases.items[0].verdict, VERDICT_NOT_COMPARABLE);
	assert_true(contract_cites(&c->cases.items[0].reasons, rule));
	comparison_free(c);
	findings_free(&f);
	result_free(r);
	result_free(honest);
	free(path);
}

static void scale_samples(cJSON *root, double factor)
{
	cJSON *e, *sample;

	cJSON_ArrayForEach(e, golden_at(root, "cases/0/executions"))
		cJSON_ArrayForEach(sample, golden_at(e, "samples_ns"))
			cJSON_SetNumberValue(sample, (double)(long long)(sample->valuedouble * factor));
}

static void absent_evidence_is_as_bad_as_a_contradiction(void **state)
{
	static const struct { const char *member, *words, *rule; } list[] = {
		{ FIRST "proof", "cases[0].executions[0].proof is absent", "proof" },
		{ FIRST "verification", "cases[0].executions[0].verification is absent", "verification" },
		{ FIRST "verification/after", "verification is absent", "verification" },
		{ FIRST "canary", "lacks a canary, which the protocol declares", "evidence-absent" },
		{ FIRST "canary/reference_memory_ns", "lacks a canary", "evidence-absent" },
		{ FIRST "load", "lacks the wall time", "evidence-absent" },
		{ FIRST "program", "lacks its program, which other executions have", "evidence-absent" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		cJSON *copy = cJSON_Duplicate(whole, true);
		const deed d = { list[i].member, NULL };

		do_deed(copy, &d);
		golden_forge(copy);
		is_refused(copy, list[i].words, list[i].rule);
		cJSON_Delete(copy);
	}
}

static void an_execution_has_its_instrument(void **state)
{
	cJSON *copy = cJSON_Duplicate(whole, true);

	(void)state;
	cJSON_DeleteItemFromArray(golden_at(copy, "instruments"), 2);
	golden_forge(copy);
	is_refused(copy, "cases[0].executions[2] lacks an instrument", "evidence-absent");
	cJSON_Delete(copy);
}

/* Ten times as fast: without the proof, beside it, and with one that was made shorter. */
static void proofs_contradict_samples(void **state)
{
	static const struct { const char *json, *words; } proofs[] = {
		{ NULL, "proof is absent" },
		{ "{\"operations\":3,\"host_ns\":28200000,\"ns_per_operation\":9400000}",
		  "proof is in contradiction to the samples" },
		{ "{\"operations\":3,\"host_ns\":2820000,\"ns_per_operation\":940000}",
		  "proof is in contradiction to itself" },
		{ "{\"operations\":3,\"host_ns\":2820000,\"ns_per_operation\":9400000}",
		  "proof is in contradiction to itself" },
		{ "{\"operations\":0,\"host_ns\":28200000,\"ns_per_operation\":940000}",
		  "proof is in contradiction to itself" },
		{ "{\"operations\":3,\"host_ns\":28200000,\"ns_per_operation\":940000,\"waited_ns\":[]}",
		  "proof is without its parts" },
		{ "{\"operations\":3,\"host_ns\":28200000,\"ns_per_operation\":940000,\"claimed_ns\":[1,1,1,1,1],"
		  "\"waited_ns\":[1,1,1,1,1],\"drained_ns\":[0,0,0,0,0]}", "proof is in contradiction to itself" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(proofs) / sizeof(proofs[0]); i++) {
		cJSON *copy = cJSON_Duplicate(whole, true);
		const deed d = { FIRST "proof", proofs[i].json };

		scale_samples(copy, 0.1);
		golden_reseal(copy, true);
		do_deed(copy, &d);
		if (d.json != NULL && golden_at(copy, FIRST "proof/waited_ns") == NULL)
			golden_add_parts(golden_at(copy, FIRST "proof"));
		golden_forge(copy);
		is_refused(copy, proofs[i].words, "proof");
		cJSON_Delete(copy);
	}
}

#define PAIRS(first, second) "[" first "," first "," first "," first "," first "," first "],"       \
	"\"second_ns\":[" second "," second "," second "," second "," second "," second "]"
#define DOUBT(kind, limit, pairs, verdict)                                                   \
	"[{\"kind\":\"" kind "\",\"limit\":" limit ",\"first_ns\":" pairs ",\"verdict\":\"" verdict "\"}]"

/* A status cannot be better than the pairs of a doubt allow. */
static void statuses_follow_from_doubts(void **state)
{
	FRAUDS(
		{ { { FIRST "doubts", DOUBT("claim", "0.5", PAIRS("9", "9"), "cleared") } }, NULL },
		{ { { FIRST "doubts", DOUBT("claim", "0.5", PAIRS("4", "9"), "cleared") } },
		  "executions[0].doubts[0] is cleared, but its pairs give open" },
		{ { { FIRST "doubts", DOUBT("claim", "0.1", PAIRS("4", "9"), "cleared") } },
		  "doubts[0] has the limit 0.1, and doubts of its kind have 0.5" },
		{ { { FIRST "doubts", DOUBT("growth", "2.5", PAIRS("9", "4"), "open") } },
		  "executions[0] is valid, but one of its doubts is open: it is unproven" },
		{ { { FIRST "doubts", DOUBT("growth", "2.5", PAIRS("9", "4"), "open") },
		    { FIRST "status", "\"not-converged\"" } }, "is not-converged, but one of its doubts is open" },
		{ { { FIRST "doubts", DOUBT("growth", "2.5", PAIRS("9", "4"), "open") },
		    { FIRST "status", "\"unproven\"" } }, NULL },
		{ { { FIRST "doubts", DOUBT("wait", "0.8", PAIRS("100000000", "900000000"), "confirmed") },
		    { FIRST "status", "\"unproven\"" } }, "is unproven, but one of its doubts is confirmed" });
}

#define SLOW "90,90,90,90,90,90,90,90,90,90"
#define QUICK "30,30,30,30,30,30,30,30,30,30"

/* A proof whose parts clear nothing is followed by a doubt. */
static void statuses_follow_from_the_proof(void **state)
{
	FRAUDS(
		{ { { FIRST "proof/drained_ns", "[9000000,9000000,9000000,9000000,9000000]" } },
		  "its proof does not show that waiting waits: it is unproven" },
		{ { { FIRST "proof/claimed_ns", "[9000,9000,9000,9000,9000]" } },
		  "its proof does not show that samples take as long as they claim" },
		{ { { FIRST "proof/claimed_ns", "[9000,9000,9000,9000,9000]" },
		    { FIRST "doubts", DOUBT("claim", "0.5", PAIRS("9", "9"), "cleared") } }, NULL },
		{ { { FIRST "varied", "{\"new_ns\":[900,900,900,900,900],\"repeated_ns\":[300,300,300,300,300]}" } },
		  "its samples repeat inputs, and new ones take longer: it is unproven" },
		{ { { FIRST "varied", "{\"new_ns\":[900,900,900,900,900],\"repeated_ns\":[300,300,300,300,300]}" },
		    { FIRST "status", "\"unproven\"" } }, "flags lacks varied-differs" },
		/* Whatever the doubt says that follows. */
		{ { { FIRST "varied", "{\"new_ns\":[" SLOW "," SLOW "],\"repeated_ns\":[" QUICK "," QUICK "]}" },
		    { FIRST "doubts", DOUBT("inputs", "0.5", PAIRS("9", "9"), "cleared") },
		    { FIRST "status", "\"unproven\"" }, { FIRST "flags", "[\"host-clock\",\"varied-differs\"]" } },
		  "is unproven, but its samples repeat inputs, and new ones take longer throughout: it is invalid" });
}

/* Whoever computes everything anew makes a record that agrees with itself: here ten times as many
 * operations in each sample and in the proof.  Only a signature says who vouches for it. */
static void a_whole_fiction_is_consistent(void **state)
{
	cJSON *copy = cJSON_Duplicate(whole, true), *e;
	findings f = { .only_first = false };
	eh_error error = ERROR_INIT;
	result *r = NULL;

	(void)state;
	cJSON_ArrayForEach(e, golden_at(copy, "cases/0/executions")) {
		golden_set(e, "batch", "10");
		golden_set(e, "proof", "{\"operations\":30,\"host_ns\":28200000,\"ns_per_operation\":940000}");
	}
	golden_reseal(copy, true);
	assert_int_equal(golden_write(copy, scratch), EH_OK);
	if (result_read(scratch, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	result_check_evidence(r, &f);
	assert_int_equal(f.count, 0);
	result_free(r);
	cJSON_Delete(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executions_are_those_of_the_run),
		cmocka_unit_test(no_execution_is_left_out),
		cmocka_unit_test(cases_are_told_apart),
		cmocka_unit_test(days_are_of_the_calendar),
		cmocka_unit_test(noise_floors_are_numbers),
		cmocka_unit_test(what_is_valid_has_samples_enough),
		cmocka_unit_test(out_of_time_hides_nothing),
		cmocka_unit_test(precision_follows_from_the_samples),
		cmocka_unit_test(flags_follow_from_the_rest),
		cmocka_unit_test(disturbance_follows_from_the_rest),
		cmocka_unit_test(times_fit_together),
		cmocka_unit_test(clocks_are_those_of_the_instrument),
		cmocka_unit_test(a_slow_device_clock_is_told),
		cmocka_unit_test(programs_are_those_of_the_stack),
		cmocka_unit_test(tuned_parameters_are_the_quickest),
		cmocka_unit_test(rows_do_not_travel),
		cmocka_unit_test(executions_are_of_their_case),
		cmocka_unit_test(loads_follow_from_their_requests),
		cmocka_unit_test(absent_evidence_is_as_bad_as_a_contradiction),
		cmocka_unit_test(an_execution_has_its_instrument),
		cmocka_unit_test(proofs_contradict_samples),
		cmocka_unit_test(statuses_follow_from_doubts),
		cmocka_unit_test(statuses_follow_from_the_proof),
		cmocka_unit_test(a_whole_fiction_is_consistent),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, finish);
}
