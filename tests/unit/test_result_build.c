/* SPDX-License-Identifier: Apache-2.0 */
/* The golden journal becomes the golden results, byte by byte; UPDATE=1 renews them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chain.h"
#include "golden.h"
#include "record/journal.h"

static char *source;

static int begin(void **state)
{
	(void)state;
	source = golden_path("run.journal");
	return file_exists(source) ? 0 : -1;
}

static int finish(void **state)
{
	(void)state;
	free(source);
	return 0;
}

static void golden(const char *executor, const char *name, result_summary want)
{
	char *path = golden_scratch(name);
	result_summary got = { 0 };
	eh_error error = ERROR_INIT;
	result *r = NULL;

	if (result_build(source, executor, true, NULL, path, &got, &error) != EH_OK)
		fail_msg("%s", error.message);
	assert_memory_equal(&got, &want, sizeof(got));
	assert_true(golden_same(name, path));
	if (result_read(path, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	assert_int_equal(r->record->status, RECORD_COMPLETE);
	assert_string_equal(r->record->executor.name, executor);
	assert_int_equal(r->row_count, 8);
	result_free(r);
	free(path);
}

static void builds_gcc(void **state)
{
	(void)state;
	golden("host:gcc-12", "host-gcc-12.json", (result_summary){ .valid = 8 });
}

static void builds_clang(void **state)
{
	(void)state;
	golden("host:clang-14", "host-clang-14.json", (result_summary){ .valid = 7, .failed = 1 });
}

static void builds_opencl(void **state)
{
	(void)state;
	golden("opencl:pocl-0", "opencl-pocl-0.json",
	       (result_summary){ .valid = 5, .not_converged = 1, .unsupported = 1, .invalid = 1 });
}

/* A journal in the test's folder: the golden one's lines that `keep` wants, then `more`. */
static char *variant(bool (*keep)(const char *line), const char *more)
{
	char *path = golden_scratch("variant.journal");
	char *all = golden_file(source);
	char *rest = all;
	char *line;
	text out = { 0 };

	while ((line = strsep(&rest, "\n")) != NULL)
		if (line[0] != '\0' && keep(line))
			text_add(&out, "%s\n", line);
	text_add(&out, "%s", more);
	free(all);
	all = chained(out.data);
	assert_int_equal(file_write(path, all, strlen(all), NULL), EH_OK);
	text_free(&out);
	free(all);
	return path;
}

static bool keep_all(const char *line)
{
	(void)line;
	return true;
}

static bool keep_no_run(const char *line)
{
	return strstr(line, "\"kind\":\"run\"") == NULL;
}

static bool keep_run_only(const char *line)
{
	return !keep_no_run(line);
}

static bool keep_two_executions(const char *line)
{
	return strstr(line, "\"kind\":\"end\"") == NULL &&
	       (strstr(line, "\"execution\":1,") != NULL || strstr(line, "\"execution\":2,") != NULL ||
	        keep_run_only(line));
}

static result *built(const char *journal_path, bool complete)
{
	char *path = golden_scratch("variant.json");
	eh_error error = ERROR_INIT;
	result *r = NULL;

	if (result_build(journal_path, "host:gcc-12", complete, NULL, path, NULL, &error) != EH_OK ||
	    result_read(path, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	return r;
}

static const result_row *row_by_id(const result *r, const char *id)
{
	for (size_t i = 0; i < r->row_count; i++)
		if (strcmp(r->rows[i].id, id) == 0)
			return &r->rows[i];
	fail_msg("there is no row %s", id);
	return NULL;
}

static void the_first_line_of_a_case_counts(void **state)
{
	char *journal_path = variant(keep_all,
		"{\"kind\":\"case\",\"executor\":\"host:gcc-12\",\"execution\":1,\"id\":\"fma.f64\","
		"\"record\":{\"execution\":1,\"status\":\"failed\",\"reasons\":[\"late\"]}}\n");
	result *r = built(journal_path, true);

	(void)state;
	assert_int_equal(row_by_id(r, "fma.f64")->record->status, RECORD_VALID);
	assert_int_equal(row_by_id(r, "fma.f64")->side.executions, 5);
	result_free(r);
	free(journal_path);
}

static void an_interrupted_run_is_incomplete(void **state)
{
	char *journal_path = variant(keep_two_executions, "{\"kind\":\"case\",\"executor\":\"ho");
	result *r = built(journal_path, true);

	(void)state;
	assert_int_equal(r->record->status, RECORD_INCOMPLETE);
	assert_int_equal(r->record->run.executions.done, 2);
	assert_int_equal(row_by_id(r, "fma.f64")->side.executions, 2);
	assert_string_equal(r->record->run.ended, "");
	result_free(r);
	free(journal_path);
}

static void what_never_ran_is_a_row(void **state)
{
	char *journal_path = variant(keep_run_only, "");
	result *r = built(journal_path, false);
	result_summary summary;
	char *path;
	size_t i;

	(void)state;
	assert_int_equal(r->record->status, RECORD_INCOMPLETE);
	assert_int_equal(r->row_count, 8);
	for (i = 0; i < r->row_count; i++) {
		assert_int_equal(r->rows[i].record->status, RECORD_FAILED);
		assert_string_equal(result_row_word(&r->rows[i]), "not run");
	}
	result_free(r);
	path = golden_scratch("unrun.json");
	assert_int_equal(result_build(journal_path, "host:gcc-12", false, NULL, path, &summary, NULL), EH_OK);
	assert_int_equal(summary.not_run, 8);
	assert_int_equal(summary.failed, 0);
	free(path);
	free(journal_path);
}

static void a_whole_run_said_to_be_incomplete_is(void **state)
{
	result *r = built(source, false);

	(void)state;
	assert_int_equal(r->record->status, RECORD_INCOMPLETE);
	result_free(r);
}

#define OTHER_DIGEST "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"

static void a_changed_executor_is_a_deviation(void **state)
{
	char *journal_path = variant(keep_all, "{\"kind\":\"executor\",\"executor\":\"host:gcc-12\","
	                        "\"execution\":5,\"record\":{\"name\":\"host:gcc-12\",\"digest\":"
	                        "\"" OTHER_DIGEST "\",\"simulated\":false,\"device\":{},\"layers\":[]}}\n");
	result *r = built(journal_path, true);
	const text_list *deviations = &r->record->protocol.deviations;

	(void)state;
	assert_int_equal(deviations->count, 1);
	assert_non_null(strstr(deviations->items[0], "executor changed"));
	result_free(r);
	free(journal_path);
}

static bool keep_one_execution(const char *line)
{
	return keep_two_executions(line) && (keep_run_only(line) || strstr(line, "\"execution\":1,") != NULL);
}

#define ONE_DIGEST "abababababababababababababababababababababababababababababababab"
#define WORKER(stack) "{\"kind\":\"instrument\",\"executor\":\"host:gcc-12\",\"execution\":2,\"record\":{" \
	"\"execution\":2,\"host_resolution_ns\":20,\"host_overhead_ns\":25,\"launch_ns\":4000," \
	"\"device_resolution_ns\":1,\"device_time\":false,\"device_time_reason\":\"None.\"}," \
	"\"stack\":\"" stack "\"}\n"
#define UNSTATED "{\"kind\":\"instrument\",\"executor\":\"host:gcc-12\",\"execution\":2,\"record\":{" \
	"\"execution\":2,\"host_resolution_ns\":20,\"host_overhead_ns\":25,\"launch_ns\":4000," \
	"\"device_resolution_ns\":1,\"device_time\":false,\"device_time_reason\":\"None.\"}}\n"
#define MEASURED "{\"kind\":\"case\",\"executor\":\"host:gcc-12\",\"execution\":2,\"id\":\"fma.f64\",\"record\":{" \
	"\"execution\":2,\"position\":1,\"status\":\"failed\",\"reasons\":[\"x\"],\"flags\":[]}}\n"

/* Workers of one execution of which the first one was killed before it described its stack. */
static void a_stack_that_changed_undescribed_is_a_deviation(void **state)
{
	static const struct { const char *lines; size_t deviations; } trials[] = {
		{ WORKER(ONE_DIGEST) MEASURED WORKER(OTHER_DIGEST) MEASURED, 1 },
		{ WORKER(ONE_DIGEST) MEASURED WORKER(ONE_DIGEST) MEASURED, 0 },
		/* One of a worker that measured nothing is no matter. */
		{ WORKER(ONE_DIGEST) WORKER(OTHER_DIGEST) MEASURED, 0 },
		{ WORKER(ONE_DIGEST) MEASURED WORKER(OTHER_DIGEST), 0 },
		{ WORKER(ONE_DIGEST) MEASURED WORKER(OTHER_DIGEST) WORKER(ONE_DIGEST) MEASURED, 0 },
		{ WORKER(ONE_DIGEST) MEASURED UNSTATED MEASURED WORKER(OTHER_DIGEST) MEASURED, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		char *journal_path = variant(keep_one_execution, trials[i].lines);
		result *r = built(journal_path, true);
		const text_list *deviations = &r->record->protocol.deviations;

		assert_int_equal(deviations->count, trials[i].deviations);
		if (deviations->count > 0)
			assert_non_null(strstr(deviations->items[0], "executor changed during the run: its digest "
			                                             "before the cases was abab"));
		result_free(r);
		free(journal_path);
	}
}

static void refused(const char *journal_path, const char *executor, const char *words, eh_status code)
{
	char *path = golden_scratch("refused.json");
	eh_error error = ERROR_INIT;

	(void)unlink(path);
	assert_int_equal(result_build(journal_path, executor, true, NULL, path, NULL, &error), code);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
	assert_false(file_exists(path));
	free(path);
}

#define REASONS "\"reasons\":[]"
#define CASE_LINE(execution, id, record) \
	"{\"kind\":\"case\",\"executor\":\"host:gcc-12\",\"execution\":" #execution ",\"id\":\"" id \
	"\",\"record\":{" record "}}\n"

static void refuses_what_is_no_journal(void **state)
{
	char *journal_path;

	(void)state;
	refused(source, "cuda:0", "no executor cuda:0", EH_E_NOT_FOUND);
	refused("/nonexistent/run.journal", "host:gcc-12", "no journal", EH_E_NOT_FOUND);
	journal_path = variant(keep_no_run, "");
	refused(journal_path, "host:gcc-12", "first line", EH_E_FORMAT);
	free(journal_path);
	journal_path = variant(keep_all, CASE_LINE(1, "other", "\"execution\":1,\"status\":\"failed\"," REASONS));
	refused(journal_path, "host:gcc-12", "\"other\"", EH_E_FORMAT);
	free(journal_path);
	journal_path = variant(keep_run_only, CASE_LINE(1, "fma.f64", "\"status\":7"));
	refused(journal_path, "host:gcc-12", "record.status", EH_E_FORMAT);
	free(journal_path);
	journal_path = variant(keep_all, CASE_LINE(1, "fma.f64", "\"execution\":2,\"status\":\"failed\","
	                                      REASONS));
	refused(journal_path, "host:gcc-12", "is of execution 1, its record of execution 2", EH_E_FORMAT);
	free(journal_path);
	journal_path = variant(keep_run_only, "{\"kind\":\"executor\",\"executor\":\"host:gcc-12\","
	                                 "\"execution\":1,\"record\":{\"name\":1}}\n");
	refused(journal_path, "host:gcc-12", "record.name", EH_E_FORMAT);
	free(journal_path);
	journal_path = variant(keep_no_run, "");
	assert_int_equal(file_write(journal_path, "{\"a\":1}\n", 8, NULL), EH_OK);
	refused(journal_path, "host:gcc-12", "line at byte 0: its chain does not fit", EH_E_ALTERED);
	free(journal_path);
}

static void nothing_half_written(void **state)
{
	char *folder = golden_scratch("full");
	char *path = golden_scratch("full/x.json");
	eh_error error = ERROR_INIT;

	(void)state;
	assert_int_not_equal(result_build(source, "host:gcc-12", true, NULL, path, NULL, &error), EH_OK);
	assert_non_null(strstr(error.message, "x.json"));
	assert_false(file_exists(folder));
	free(folder);
	free(path);
}

/* ---- a journal that changes ------------------------------------------------------------------ */

typedef struct visited { journal_cursor at, found; } visited;

static eh_status find_case(void *context, record_line *line, long offset, eh_error *error)
{
	visited *v = context;

	(void)offset;
	(void)error;
	if (line->kind == RECORD_LINE_CASE)
		v->found = v->at;
	return EH_OK;
}

/* What the second pass reads is what the first one saw. */
static void a_line_that_changed_is_refused(void **state)
{
	char *path = golden_scratch("changing.journal"), *data;
	visited v = { 0 };
	eh_error error = ERROR_INIT;
	record_line line;
	size_t size;

	(void)state;
	assert_int_equal(file_read(source, &data, &size, NULL), EH_OK);
	assert_int_equal(file_write(path, data, size, NULL), EH_OK);
	assert_int_equal(journal_each_from(path, &v.at, find_case, &v, NULL), EH_OK);
	assert_int_equal(journal_line_again(path, &v.found, &line, NULL), EH_OK);
	assert_int_equal(line.kind, RECORD_LINE_CASE);
	record_line_clear(&line);
	/* One digit of a sample. */
	data[strstr(data + v.found.offset, "\"samples_ns\":[") + 14 - data] ^= 1;
	assert_int_equal(file_write(path, data, size, NULL), EH_OK);
	assert_int_equal(journal_line_again(path, &v.found, &line, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "it was changed while it was read"));
	/* Another line of the same journal, with a chain of its own. */
	v.found.offset = 0;
	assert_int_equal(journal_line_again(path, &v.found, &line, NULL), EH_E_ALTERED);
	free(data);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_that_changed_is_refused),
		cmocka_unit_test(builds_gcc),
		cmocka_unit_test(builds_clang),
		cmocka_unit_test(builds_opencl),
		cmocka_unit_test(the_first_line_of_a_case_counts),
		cmocka_unit_test(an_interrupted_run_is_incomplete),
		cmocka_unit_test(what_never_ran_is_a_row),
		cmocka_unit_test(a_whole_run_said_to_be_incomplete_is),
		cmocka_unit_test(a_changed_executor_is_a_deviation),
		cmocka_unit_test(a_stack_that_changed_undescribed_is_a_deviation),
		cmocka_unit_test(refuses_what_is_no_journal),
		cmocka_unit_test(nothing_half_written),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, finish);
}
