/* SPDX-License-Identifier: Apache-2.0 */
/* Results by somebody who makes every digest and derived number right again: what they say of the run
 * and of its cases still has to hold together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
		{ { { "cases/3/id", "\"fma.f17\"" } }, NULL, EH_OK },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(executions_are_those_of_the_run),
		cmocka_unit_test(no_execution_is_left_out),
		cmocka_unit_test(cases_are_told_apart),
		cmocka_unit_test(days_are_of_the_calendar),
		cmocka_unit_test(noise_floors_are_numbers),
		cmocka_unit_test(what_is_valid_has_samples_enough),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, finish);
}
