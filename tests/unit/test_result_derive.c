/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "golden.h"

/* The members that nothing is derived from. */
static const char plain_row[] =
	"{\"id\":\"c\",\"workload\":\"w\",\"revision\":1,\"tier\":\"portable\",\"precision\":\"f32\","
	"\"parameters\":{},\"measure\":{},\"status\":\"valid\",\"reasons\":[],\"flags\":[],\"work\":{"
	"\"metric\":\"bytes/s\",\"amount\":1,\"flops\":0,\"bytes\":0,\"flops_formula\":\"\","
	"\"bytes_formula\":\"\",\"working_set_bytes\":0,\"region\":\"execution\"}}";

/* Sets the members of `from` in `to`, also those of its "work". */
static void merge(cJSON *to, cJSON *from)
{
	while (from->child != NULL) {
		cJSON *item = cJSON_DetachItemViaPointer(from, from->child);
		char *key = memory_text(item->string);

		if (strcmp(key, "work") == 0) {
			merge(golden_at(to, "work"), item);
			cJSON_Delete(item);
		} else {
			(void)json_set(to, key, item);
		}
		free(key);
	}
}

/* The row with these members, and with what is derived from its executions. */
static cJSON *derived_of(const char *members)
{
	cJSON *row = cJSON_Parse(plain_row), *given = cJSON_Parse(members);
	eh_error error = ERROR_INIT;
	record_case typed;

	merge(row, given);
	layout_init(record_case_layout(), &typed);
	if (tree_decode(record_case_layout(), row, &typed, &error) != EH_OK)
		fail_msg("%s", error.message);
	record_derive_row(&typed);
	cJSON_Delete(row);
	row = tree_encode(record_case_layout(), &typed);
	layout_clear(record_case_layout(), &typed);
	cJSON_Delete(given);
	return row;
}

static void number_is(const cJSON *root, const char *path, double want)
{
	double value;
	const cJSON *item = json_path(root, path);

	assert_non_null(item);
	assert_true(cJSON_IsNumber(item));
	value = item->valuedouble;
	if (value < want || value > want)
		fail_msg("%s is %.17g, want %.17g", path, value, want);
}

static void string_is(const cJSON *array, int index, const char *want)
{
	const cJSON *item = cJSON_GetArrayItem(array, index);

	assert_non_null(item);
	assert_string_equal(item->valuestring, want);
}

static void row_series_is(const cJSON *d, int index, const char *class, double first, double count)
{
	const cJSON *item = cJSON_GetArrayItem(json_path(d, "derived.series"), index);

	assert_string_equal(json_string(item, "class", ""), class);
	number_is(item, "steady_first", first);
	number_is(item, "steady_count", count);
}

static void numbers_follow_from_the_samples(void **state)
{
	cJSON *d = derived_of(
		"{\"work\":{\"metric\":\"bytes/s\",\"amount\":1000},\"executions\":["
		"{\"execution\":1,\"status\":\"valid\",\"reasons\":[],\"flags\":[],\"clock\":\"host\","
		"\"batch\":2,\"samples_ns\":[20,40,60]},"
		"{\"execution\":2,\"status\":\"valid\",\"reasons\":[],\"flags\":[],\"clock\":\"host\","
		"\"batch\":1,\"samples_ns\":[50,50]},"
		"{\"execution\":3,\"status\":\"valid\",\"reasons\":[],\"flags\":[],\"clock\":\"host\","
		"\"batch\":1,\"samples_ns\":[5,10,90]}]}");

	(void)state;
	assert_string_equal(json_string(d, "status", ""), "valid");
	number_is(d, "derived.n", 8);
	number_is(d, "derived.executions", 3);
	/* Medians 20, 50, 10; pooled 5 10 10 20 30 50 50 90. */
	number_is(d, "derived.median_ns", 20);
	number_is(d, "derived.min_ns", 5);
	number_is(d, "derived.max_ns", 90);
	number_is(d, "derived.q1_ns", 10);
	number_is(d, "derived.q3_ns", 50);
	number_is(d, "derived.mad_ns", 17.5); /* about 25: 20 15 15 5 5 25 25 65 */
	number_is(d, "derived.rate", 1000 / 20.0 * 1e9);
	assert_null(json_path(d, "derived.each_ns"));
	assert_null(json_path(d, "derived.canary_drift"));
	assert_int_equal(cJSON_GetArraySize(json_path(d, "derived.execution_medians_ns")), 3);
	cJSON_Delete(d);
}

static void interval_holds(const cJSON *d, const char *path, double value)
{
	const cJSON *both = json_path(d, path);

	assert_int_equal(cJSON_GetArraySize(both), 2);
	assert_true(cJSON_GetArrayItem(both, 0)->valuedouble <= value);
	assert_true(cJSON_GetArrayItem(both, 1)->valuedouble >= value);
}

/* Rounds of four samples: their lower quartiles are 10, 20 and 30; then 12 and 22. */
#define ROUNDS(statistic)                                                                     \
	"{\"measure\":{\"statistic\":\"" statistic "\"},"                                       \
	"\"work\":{\"metric\":\"bytes/s\",\"amount\":1000},\"executions\":["                    \
	"{\"execution\":1,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\",\"batch\":2,"   \
	"\"samples_ns\":[20,40,60,80,12,20,20,20,40,40,60,60,60,60],"                             \
	"\"turns\":{\"rounds\":[1,1,1,1,4,4,4,4,4,4,6,6,6,6],\"origin_ns\":1,\"first_ns\":5,\"turn_ns\":9}},"    \
	"{\"execution\":2,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\",\"batch\":1,"   \
	"\"samples_ns\":[12,22],"                                                               \
	"\"turns\":{\"rounds\":[2,3],\"origin_ns\":1,\"first_ns\":6,\"turn_ns\":9}}]}"

static void rounds_make_the_lower_quartile(void **state)
{
	cJSON *d = derived_of(ROUNDS("lower-quartile"));

	(void)state;
	/* Of rounds: 17.5, 10 and 30; then 12 and 22.  Of the samples: medians 20 and 17. */
	number_is(d, "derived.statistic.ns", 17.25);
	assert_string_equal(json_string(json_path(d, "derived.statistic"), "name", ""),
	                    "lower-quartile");
	interval_holds(d, "derived.statistic.interval_ns", 17.25);
	number_is(d, "derived.median_ns", 18.5);
	interval_holds(d, "derived.interval_ns", 18.5);
	number_is(d, "derived.rate", 1000 / 17.25 * 1e9);
	number_is(d, "derived.n", 16);
	number_is(d, "derived.counted", 16);
	assert_null(json_path(d, "derived.series"));
	cJSON_Delete(d);
	d = derived_of(ROUNDS("median"));
	assert_null(json_path(d, "derived.statistic"));
	number_is(d, "derived.rate", 1000 / 18.5 * 1e9);
	assert_null(json_path(d, "derived.series"));
	cJSON_Delete(d);
}

static void samples_without_rounds_have_a_lower_quartile(void **state)
{
	cJSON *d = derived_of(
		"{\"measure\":{\"statistic\":\"lower-quartile\"},"
		"\"work\":{\"metric\":\"bytes/s\",\"amount\":1000},\"executions\":["
		"{\"execution\":1,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\",\"batch\":1,"
		"\"samples_ns\":[40,10,30,20]}]}");

	(void)state;
	number_is(d, "derived.statistic.ns", 10);
	number_is(d, "derived.median_ns", 25);
	number_is(d, "derived.rate", 1000 / 10.0 * 1e9);
	assert_int_equal(cJSON_GetArraySize(json_path(d, "derived.series")), 1);
	cJSON_Delete(d);
}

/* Rows of that many executions whose times rise from sample to sample. */
static cJSON *rising(int executions)
{
	text t = { 0 };
	cJSON *d;

	text_add(&t, "{\"work\":{},\"executions\":[");
	for (int e = 1; e <= executions; e++) {
		text_add(&t, "%s{\"execution\":%d,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\","
		         "\"batch\":1,\"samples_ns\":[", e > 1 ? "," : "", e);
		for (int i = 0; i < 60; i++)
			text_add(&t, "%s%d", i > 0 ? "," : "", 10000 + 10 * i + i * 37 % 11);
		text_add(&t, "]}");
	}
	text_add(&t, "]}");
	d = derived_of(t.data);
	text_free(&t);
	return d;
}

/* The interval of few executions rests on their samples. */
static void drifting_samples_claim_no_precision(void **state)
{
	cJSON *d = rising(4);

	(void)state;
	row_series_is(d, 0, "no-steady-state", 0, 60);
	assert_non_null(json_path(d, "derived.median_ns"));
	assert_null(json_path(d, "derived.interval_ns"));
	cJSON_Delete(d);
	d = rising(5);
	assert_int_equal(cJSON_GetArraySize(json_path(d, "derived.interval_ns")), 2);
	cJSON_Delete(d);
}

/* {"execution":1, ... "samples_ns":[...]} with n samples around the levels before and after `at`. */
static char *levels(unsigned execution, int n, int at, int before, int after)
{
	text t = { 0 };

	text_add(&t, "{\"execution\":%u,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\","
	         "\"batch\":1,\"samples_ns\":[", execution);
	for (int i = 0; i < n; i++)
		text_add(&t, "%s%d", i > 0 ? "," : "", (i < at ? before : after) + i * 37 % 11);
	text_add(&t, "]}");
	return t.data;
}

/* The samples of the steady segment make the number; all are described. */
static void steady_samples_count(void **state)
{
	char *one = levels(1, 100, 30, 2000, 1000);
	char *two = levels(2, 60, 55, 1000, 3000);
	char *three = levels(3, 5, 0, 0, 1010);
	char *row = memory_format("{\"work\":{},\"executions\":[%s,%s,%s]}", one, two, three);
	cJSON *d = derived_of(row);

	(void)state;
	number_is(d, "derived.n", 165);
	number_is(d, "derived.counted", 135);
	number_is(d, "derived.max_ns", 3008);
	assert_true(cJSON_GetArrayItem(json_path(d, "derived.execution_medians_ns"), 0)->valuedouble <=
	            1005);
	assert_int_equal(cJSON_GetArraySize(json_path(d, "derived.series")), 3);
	row_series_is(d, 0, "warm-up", 30, 70);
	row_series_is(d, 1, "no-steady-state", 0, 60);
	row_series_is(d, 2, "short", 0, 5);
	assert_int_equal(cJSON_GetArraySize(json_path(cJSON_GetArrayItem(
		json_path(d, "derived.series"), 0), "segments")), 2);
	/* 135 samples are enough for two percentiles. */
	assert_int_equal(cJSON_GetArraySize(json_path(d, "derived.percentiles")), 2);
	assert_string_equal(json_string(cJSON_GetArrayItem(json_path(d, "derived.percentiles"), 1),
	                                "name", ""), "p95");
	assert_null(json_path(d, "derived.statistic"));
	cJSON_Delete(d);
	free(row);
	free(three);
	free(two);
	free(one);
}

/* The declared statistic is what the rate is of; too few samples in an execution: neither. */
static void a_percentile_may_be_the_statistic(void **state)
{
	char *one = levels(1, 110, 0, 0, 1000);
	char *two = levels(2, 110, 0, 0, 1020);
	char *few = levels(3, 63, 0, 0, 1040);
	char *body = memory_format("{\"measure\":{\"statistic\":\"p90\"},\"work\":{\"metric\":\"flop/s\","
	                           "\"amount\":2018},\"executions\":[%s,%s]}", one, two);
	cJSON *d = derived_of(body);

	(void)state;
	/* Ten of each of eleven values: the 99th of 110 is the tenth value, 1009 and 1029. */
	assert_string_equal(json_string(json_path(d, "derived.statistic"), "name", ""), "p90");
	number_is(d, "derived.statistic.ns", 1019);
	number_is(d, "derived.median_ns", 1015);
	number_is(d, "derived.rate", 2018 / 1019.0 * 1e9);
	assert_int_equal(cJSON_GetArraySize(json_path(d, "derived.statistic.interval_ns")), 2);
	cJSON_Delete(d);
	free(body);
	body = memory_format("{\"measure\":{\"statistic\":\"p90\"},\"work\":{\"metric\":\"flop/s\","
	                     "\"amount\":2018},\"executions\":[%s,%s,%s]}", one, two, few);
	d = derived_of(body);
	assert_null(json_path(d, "derived.statistic"));
	assert_null(json_path(d, "derived.rate"));
	assert_non_null(json_path(d, "derived.percentiles"));
	cJSON_Delete(d);
	free(body);
	free(few);
	free(two);
	free(one);
}

static void seconds_have_no_rate(void **state)
{
	cJSON *d = derived_of("{\"work\":{\"metric\":\"s\",\"amount\":10},\"executions\":["
	                      "{\"execution\":1,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\","
	                      "\"batch\":4,\"samples_ns\":[400]}]}");

	(void)state;
	assert_null(json_path(d, "derived.rate"));
	number_is(d, "derived.median_ns", 100);
	number_is(d, "derived.each_ns", 10);
	cJSON_Delete(d);
}

/* Numbers that JSON cannot say are absent: writing one ends the program. */
static void numbers_beyond_a_double_are_absent(void **state)
{
	static const char *const metrics[] = { "s", "bytes/s" };
	static const char *const amounts[] = { "5e-324", "1.7e308" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *row = memory_format(
			"{\"work\":{\"metric\":\"%s\",\"amount\":%s},\"executions\":[{\"execution\":1,"
			"\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\",\"batch\":1,"
			"\"samples_ns\":[400],\"starts_ns\":[0],\"sustained\":{\"window_ns\":1,"
			"\"entry\":{\"by\":\"\",\"still\":true,\"waited_ns\":0},\"time_ns\":400,"
			"\"operations\":1,\"merged\":1,\"drains\":0,\"canary\":\"\",\"energy\":{"
			"\"joules\":2,\"seconds\":1e200,\"method\":\"\",\"channel\":\"\","
			"\"idle_watts\":1e200}}}]}", metrics[i], amounts[i]);
		cJSON *d = derived_of(row);

		assert_null(json_path(d, "derived.rate"));
		assert_null(json_path(d, "derived.each_ns"));
		number_is(cJSON_GetArrayItem(json_path(d, "derived.sustained"), 0), "joules_each", 2);
		assert_null(json_path(cJSON_GetArrayItem(json_path(d, "derived.sustained"), 0),
		                      "net_joules_each"));
		cJSON_Delete(d);
		free(row);
	}
}

/* Two requests that wait for each other are done in the time of one and a half: work by latency is
 * no rate. */
static void loads_have_no_rate(void **state)
{
	static const char *const kinds[] = { "closed", "server", "knee", "single-stream", "offline" };
	static const char *const metrics[] = { "bytes/s", "s" };

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		for (size_t k = 0; k < 2; k++) {
			char *row = memory_format(
				"{\"measure\":{\"scenario\":\"%s\",\"confidence\":0.95,\"load_concurrency\":2},"
				"\"work\":{\"metric\":\"%s\",\"amount\":10},\"executions\":[{\"execution\":1,"
				"\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\",\"batch\":1,"
				"\"samples_ns\":[1000,1500],\"requests\":{\"due_ns\":[0,0],\"issued_ns\":[0,0],"
				"\"done_ns\":[1000,1500]}}]}", kinds[i], metrics[k]);
			cJSON *d = derived_of(row);

			number_is(d, "derived.median_ns", 1250);
			assert_int_equal(json_path(d, "derived.rate") == NULL, i < 3 || k == 1);
			assert_int_equal(json_path(d, "derived.each_ns") == NULL, i < 3 || k == 0);
			assert_int_equal(json_path(d, "derived.load") != NULL, i < 3);
			cJSON_Delete(d);
			free(row);
		}
	}
}

static void the_worst_execution_decides(void **state)
{
	static const struct { const char *one, *two, *row; } cases[] = {
		{ "valid", "valid", "valid" }, { "valid", "not-converged", "not-converged" },
		{ "not-converged", "unsupported", "unsupported" },
		{ "unsupported", "invalid", "invalid" }, { "failed", "invalid", "failed" },
		{ "valid", "failed", "failed" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *row = memory_format("{\"work\":{},\"executions\":["
		                          "{\"execution\":1,\"status\":\"%s\",\"reasons\":[]},"
		                          "{\"execution\":2,\"status\":\"%s\",\"reasons\":[]}]}",
		                          cases[i].one, cases[i].two);
		cJSON *d = derived_of(row);

		assert_string_equal(json_string(d, "status", ""), cases[i].row);
		assert_null(json_path(d, "derived"));
		cJSON_Delete(d);
		free(row);
	}
}

static void invalid_samples_do_not_count(void **state)
{
	cJSON *d = derived_of("{\"work\":{},\"executions\":["
	                      "{\"execution\":1,\"status\":\"invalid\",\"reasons\":[],\"clock\":\"host\","
	                      "\"batch\":1,\"samples_ns\":[1]},"
	                      "{\"execution\":2,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\","
	                      "\"batch\":1,\"samples_ns\":[100]}]}");

	(void)state;
	assert_string_equal(json_string(d, "status", ""), "invalid");
	number_is(d, "derived.min_ns", 100);
	number_is(d, "derived.executions", 1);
	cJSON_Delete(d);
}

static void reasons_name_their_executions(void **state)
{
	cJSON *d = derived_of("{\"work\":{},\"executions\":["
	                      "{\"execution\":1,\"status\":\"failed\",\"reasons\":[\"a\",\"all\"],"
	                      "\"flags\":[\"steal\"]},"
	                      "{\"execution\":3,\"status\":\"failed\",\"reasons\":[\"b\",\"all\"],"
	                      "\"flags\":[\"steal\",\"disturbed\"]},"
	                      "{\"execution\":5,\"status\":\"failed\",\"reasons\":[\"a\",\"all\"]}]}");
	const cJSON *reasons = json_path(d, "reasons");

	(void)state;
	assert_int_equal(cJSON_GetArraySize(reasons), 3);
	string_is(reasons, 0, "a (executions 1, 5)");
	string_is(reasons, 1, "all");
	string_is(reasons, 2, "b (execution 3)");
	assert_int_equal(cJSON_GetArraySize(json_path(d, "flags")), 2);
	string_is(json_path(d, "flags"), 1, "disturbed");
	cJSON_Delete(d);
}

/* The first reason is the one that is shown where there is room for one. */
static void the_reason_of_the_status_comes_first(void **state)
{
	cJSON *d = derived_of("{\"work\":{},\"executions\":["
	                      "{\"execution\":1,\"status\":\"not-converged\",\"reasons\":[\"wide\",\"both\"]},"
	                      "{\"execution\":2,\"status\":\"valid\",\"reasons\":[]},"
	                      "{\"execution\":3,\"status\":\"invalid\",\"reasons\":[\"both\",\"wrong\"]}]}");
	const cJSON *reasons = json_path(d, "reasons");

	(void)state;
	assert_string_equal(json_string(d, "status", ""), "invalid");
	assert_int_equal(cJSON_GetArraySize(reasons), 3);
	string_is(reasons, 0, "wrong (execution 3)");
	string_is(reasons, 1, "wide (execution 1)");
	string_is(reasons, 2, "both (executions 1, 3)");
	cJSON_Delete(d);
}

static void a_reason_is_named_once(void **state)
{
	cJSON *d = derived_of("{\"work\":{},\"executions\":["
	                      "{\"execution\":1,\"status\":\"failed\",\"reasons\":[\"b\",\"a\",\"b\"]},"
	                      "{\"execution\":2,\"status\":\"failed\",\"reasons\":[\"c\",\"a\",\"c\"]}]}");
	const cJSON *reasons = json_path(d, "reasons");

	(void)state;
	assert_int_equal(cJSON_GetArraySize(reasons), 3);
	string_is(reasons, 0, "b (execution 1)");
	string_is(reasons, 1, "a");
	string_is(reasons, 2, "c (execution 2)");
	cJSON_Delete(d);
}

/* Each reason is not compared with all others: that took 50 s here. */
static void many_reasons_take_little_time(void **state)
{
	enum { MANY = 100000 };
	record_case row;
	record_execution *e;
	clock_t from = clock();

	(void)state;
	layout_init(record_case_layout(), &row);
	e = layout_append(record_execution_layout(), &row.executions);
	e->status = RECORD_FAILED;
	for (size_t i = 0; i < MANY; i++)
		text_list_format(&e->reasons, "r%zu", i);
	record_derive_row(&row);
	assert_int_equal(row.reasons.count, MANY);
	assert_true(clock() - from < 5 * CLOCKS_PER_SEC);
	layout_clear(record_case_layout(), &row);
}

static void a_case_without_executions_says_so(void **state)
{
	cJSON *d = derived_of("{\"work\":{},\"executions\":[]}");

	(void)state;
	assert_string_equal(json_string(d, "status", ""), "failed");
	string_is(json_path(d, "reasons"), 0, "not run: the run ended before it, or was not asked for it");
	assert_null(json_path(d, "derived"));
	cJSON_Delete(d);
}

static void drift_is_the_largest_change(void **state)
{
	cJSON *d = derived_of("{\"work\":{},\"executions\":["
	                      "{\"execution\":1,\"status\":\"valid\",\"reasons\":[],\"clock\":\"host\","
	                      "\"batch\":1,\"samples_ns\":[1],\"canary\":{\"compute_before_ns\":110,"
	                      "\"compute_after_ns\":100,\"reference_compute_ns\":100,"
	                      "\"memory_after_ns\":50,\"reference_memory_ns\":200}}]}");

	(void)state;
	number_is(d, "derived.canary_drift", 0.75);
	cJSON_Delete(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_follow_from_the_samples),
		cmocka_unit_test(steady_samples_count),
		cmocka_unit_test(a_percentile_may_be_the_statistic),
		cmocka_unit_test(drifting_samples_claim_no_precision),
		cmocka_unit_test(rounds_make_the_lower_quartile),
		cmocka_unit_test(samples_without_rounds_have_a_lower_quartile),
		cmocka_unit_test(seconds_have_no_rate),
		cmocka_unit_test(numbers_beyond_a_double_are_absent),
		cmocka_unit_test(loads_have_no_rate),
		cmocka_unit_test(the_worst_execution_decides),
		cmocka_unit_test(invalid_samples_do_not_count),
		cmocka_unit_test(reasons_name_their_executions),
		cmocka_unit_test(the_reason_of_the_status_comes_first),
		cmocka_unit_test(a_reason_is_named_once),
		cmocka_unit_test(many_reasons_take_little_time),
		cmocka_unit_test(a_case_without_executions_says_so),
		cmocka_unit_test(drift_is_the_largest_change),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
