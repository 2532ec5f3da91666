/* SPDX-License-Identifier: Apache-2.0 */
/* Results that were edited, cut, or never were results: refused with the place, never a crash. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "contract/contract.h"
#include "golden.h"
#include "record/findings.h"
#include "record/redact.h"
#include "report/grid.h"
#include "report/explain.h"
#include "report/report.h"
#include "report/screen.h"

static cJSON *whole;  /* the golden result                                   */
static cJSON *small;  /* its tuned case, two executions of six samples     */
static result *real;  /* small, as it was read                               */
static char *scratch;

static void thin_out(cJSON *row)
{
	cJSON *executions = cJSON_GetObjectItemCaseSensitive(row, "executions");
	cJSON *e;

	while (cJSON_GetArraySize(executions) > 2)
		cJSON_DeleteItemFromArray(executions, 2);
	cJSON_ArrayForEach(e, executions) {
		cJSON *samples = cJSON_GetObjectItemCaseSensitive(e, "samples_ns");

		while (cJSON_GetArraySize(samples) > 6)
			cJSON_DeleteItemFromArray(samples, 6);
		cJSON_DeleteItemFromObjectCaseSensitive(e, "host_ns");
	}
}

static int begin(void **state)
{
	char *path = golden_path("host-gcc-12.json");
	cJSON *cases;
	cJSON *plans;

	(void)state;
	scratch = golden_scratch("read.json");
	if (json_read(path, &whole, NULL) != EH_OK)
		return -1;
	free(path);
	small = cJSON_Duplicate(whole, true);
	cases = golden_at(small, "cases");
	plans = golden_at(small, "protocol/canonical/cases");
	for (int i = 7; i >= 0; i--) {
		if (i == 5)
			continue;
		cJSON_DeleteItemFromArray(cases, i);
		cJSON_DeleteItemFromArray(plans, i);
	}
	thin_out(cJSON_GetArrayItem(cases, 0));
	golden_set(small, "run/executions/done", "2");
	golden_set(small, "cases/0/measure/samples_min", "6");
	golden_set(small, "protocol/canonical/cases/0/measure/samples_min", "6");
	golden_reseal(small, true);
	return golden_write(small, scratch) == EH_OK && result_read(scratch, &real, NULL) == EH_OK ?
	       0 : -1;
}

static int finish(void **state)
{
	(void)state;
	cJSON_Delete(whole);
	cJSON_Delete(small);
	result_free(real);
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

/* ---- single edits ---------------------------------------------------------------------------- */

typedef struct edit { const char *path, *json, *words; } edit;

static void edits_are_refused(const edit *edits, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		cJSON *copy = cJSON_Duplicate(whole, true);
		eh_error error = ERROR_INIT;
		eh_status status;

		golden_set(copy, edits[i].path, edits[i].json);
		status = read_json(copy, &error);
		if (status != EH_E_FORMAT && status != EH_E_ALTERED)
			fail_msg("%s = %s passed", edits[i].path, edits[i].json);
		assert_int_equal(status == EH_E_ALTERED,
		                 strstr(error.message, "the file was altered") != NULL);
		if (strstr(error.message, edits[i].words) == NULL ||
		    strstr(error.message, "read.json: ") == NULL)
			fail_msg("%s = %s: \"%s\" does not say \"%s\"", edits[i].path, edits[i].json,
			         error.message, edits[i].words);
		cJSON_Delete(copy);
	}
}

static void edits_are_named(void **state)
{
	static const edit edits[] = {
		{ "cases/0/executions/1/samples_ns/3", "1", "cases[0].derived.median_ns is" },
		{ "cases/0/executions/1/batch", "2", "cases[0].derived.median_ns is" },
		{ "cases/3/derived/median_ns", "12", "cases[3].derived.median_ns is 12 but the samples give" },
		{ "cases/3/derived/interval_ns/0", "12", "cases[3].derived.interval_ns is" },
		{ "cases/3/derived/n", "41", "cases[3].derived.n is 41 but the samples give 40" },
		{ "cases/3/derived/rate", "1e12", "cases[3].derived.rate" },
		{ "cases/3/derived/canary_drift", "0", "cases[3].derived.canary_drift" },
		{ "cases/3/derived/each_ns", "1", "cases[3].derived.each_ns is there" },
		{ "cases/3/executions/0/canary/compute_after_ns", "1", "cases[3].derived.canary_drift" },
		{ "cases/3/status", "\"not-converged\"", "cases[3].status" },
		{ "cases/3/executions/2/status", "\"not-converged\"", "cases[3].status" },
		{ "cases/3/reasons", "[\"x\"]", "cases[3].reasons" },
		{ "cases/3/flags", "[\"x\"]", "cases[3].flags" },
		{ "cases/3/executions/0/warmup_ns/0", "1", "cases[3] (fma.f32) does not have the digest" },
		{ "cases/3/executions/0/verification/after/failed", "1", "cases[3] (fma.f32)" },
		{ "cases/3/executions/0/half_width", "0.001",
		  "cases[3].executions[0].half_width is 0.001 but the samples give 0.004" },
		{ "cases/3/executions/0/program/flags", "\"-O0\"", "cases[3] (fma.f32)" },
		{ "cases/3/executions/0/execution", "2", "cases[3].executions[1].execution is not above" },
		{ "cases/3/work/amount", "1", "cases[3].work is" },
		{ "cases/3/measure/cache", "\"cold\"", "cases[3].measure is" },
		{ "cases/3/parameters/chains", "\"4\"", "cases[3].parameters is" },
		{ "cases/3/id", "\"fma.f33\"", "cases[3].id is" },
		{ "cases/3/precision", "\"f16\"", "cases[3].precision is" },
		{ "protocol/text", "\"\"", "protocol does not have the digest" },
		{ "protocol/deviations", "[\"none\"]", "protocol does not have the digest" },
		{ "protocol/digest", "\"0000000000000000000000000000000000000000000000000000000000000000\"",
		  "protocol.digest is" },
		{ "protocol/name", "\"gilded\"", "protocol.name is" },
		{ "protocol/version", "2", "protocol.version is" },
		{ "protocol/canonical/seed", "43", "protocol.digest is" },
		{ "protocol/canonical/cases/0/measure/margin", "0.5", "protocol.digest is" },
		{ "harness/dirty", "true", "harness does not have the digest" },
		{ "who/verified", "true", "who does not have the digest" },
		{ "who/tester", "\"Me\"", "who does not have the digest" },
		{ "run/seed", "1", "run does not have the digest" },
		{ "run/executions/done", "4", "run does not have the digest" },
		{ "run/executions/done", "6", "run.executions.done is 6 but cases[0] has 5" },
		{ "executor/simulated", "true", "executor does not have the digest" },
		{ "executor/layers/2/version", "\"13\"", "executor does not have the digest" },
		{ "instruments/0/launch_ns", "1", "instruments does not have the digest" },
		{ "status", "\"incomplete\"", "digest is" },
		{ "digest", "\"0000000000000000000000000000000000000000000000000000000000000000\"", "digest is" },
		{ "digests/who", "\"0000000000000000000000000000000000000000000000000000000000000000\"",
		  "who does not have the digest" },
		{ "digests/cases/2", "\"0000000000000000000000000000000000000000000000000000000000000000\"",
		  "cases[2] (fma.f64) does not have the digest" },
		{ "digests/cases", "[]", "digests.cases 0" },
		{ "note", "\"added\"", "note is not part of the format" },
		{ "cases/2/executions/1/note", "1", "cases[2].executions[1].note is not part" },
		{ "executor/layers/0/fields/cores/note", "1", "executor.layers[0].fields.cores.note is not" },
		{ "format_version", "2", "format_version is not 1" },
		{ "format", "\"other\"", "is not a result" },
		{ "cases/0/executions/0/batch", "0", "cases[0].executions[0] has samples_ns but no batch" },
		{ "cases/0/executions/0/host_ns", "[1]", "cases[0].executions[0].host_ns has 1" },
		{ "cases/0/executions/0/turns", "{\"rounds\":[1],\"origin_ns\":1,\"first_ns\":0,\"turn_ns\":1}",
		  "cases[0].executions[0].turns.rounds has 1 values" },
		{ "cases/0/executions/0/turns",
		  "{\"rounds\":[1,1,2,2,4,3,5,5],\"origin_ns\":1,\"first_ns\":0,\"turn_ns\":1}",
		  "cases[0].executions[0].turns.rounds does not ascend" },
		{ "cases/0/executions/0/turns",
		  "{\"rounds\":[0,1,2,2,3,3,5,5],\"origin_ns\":1,\"first_ns\":0,\"turn_ns\":1}",
		  "cases[0].executions[0].turns.rounds does not ascend" },
		{ "cases/0/executions/0/samples_ns/0", "-1", "cases[0].executions[0].samples_ns is not" },
		{ "cases/0/executions/0/samples_ns/0", "1.5", "cases[0].executions[0].samples_ns is not" },
		{ "cases/0/executions/0/samples_ns/0", "\"99999999999999999999\"", "samples_ns is not" },
	};

	(void)state;
	assert_int_equal(read_json(whole, NULL), EH_OK);
	edits_are_refused(edits, sizeof(edits) / sizeof(edits[0]));
}

/* Edits after which every digest was made anew. */
static void contradictions_are_refused(void **state)
{
	static const struct { edit edit; eh_status code; } edits[] = {
		{ { "protocol/text", "\"\"", "protocol.text says name = nothing" }, EH_E_ALTERED },
		{ { "protocol/text", "\"[protocol]\\nname = other\\nversion = 1\\n\"",
		    "protocol.text says name = other but protocol.canonical says \"golden\"" }, EH_E_ALTERED },
		{ { "protocol/text", "\"[protocol]\\nname = golden\\nversion = 2\\n\"",
		    "protocol.text says version = 2 but protocol.canonical says 1" }, EH_E_ALTERED },
		{ { "protocol/text", "\"[protocol]\\n name=golden\\nversion = 1\\n\\tseed = 7\\n\"",
		    "protocol.text says seed = 7" }, EH_E_ALTERED },
		{ { "protocol/text", "\"[protocol]\\nname = golden\\nversion = 1\\r\\nexecutions = 50\\n\"",
		    "protocol.text says executions = 50" }, EH_E_ALTERED },
		{ { "protocol/text", "\"[case x]\\nname = golden\\nversion = 1\\n\"",
		    "protocol.text says name = nothing" }, EH_E_ALTERED },
		{ { "run/seed", "1", "run.seed is 1 but protocol.canonical says 42" }, EH_E_ALTERED },
		{ { "run/started", "\"yesterday\"", "run.started is not a time" }, EH_E_FORMAT },
		{ { "run/ended", "\"2026-11-21 00:05:00\"", "run.ended is not a time" }, EH_E_FORMAT },
		{ { "run/ended", "\"\"", "run.ended is not a time" }, EH_E_FORMAT },
		{ { "executor/layers", "[]", "executor.layers is empty" }, EH_E_FORMAT },
	};
	cJSON *copy = cJSON_Duplicate(whole, true);

	(void)state;
	golden_set(copy, "protocol/text", "\"# of others\\n[protocol]\\r\\n\\tname=golden\\nversion = 1 \\n"
	                                  "seed = 42\\nexecutions = 5\\n[case x]\\nseed = 7\\n\"");
	golden_reseal(copy, false);
	assert_int_equal(read_json(copy, NULL), EH_OK);
	cJSON_Delete(copy);
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		eh_error error = ERROR_INIT;

		copy = cJSON_Duplicate(whole, true);
		golden_set(copy, edits[i].edit.path, edits[i].edit.json);
		golden_reseal(copy, false);
		if (read_json(copy, &error) != edits[i].code ||
		    strstr(error.message, edits[i].edit.words) == NULL)
			fail_msg("%s = %s: \"%s\"", edits[i].edit.path, edits[i].edit.json,
			         error.message);
		cJSON_Delete(copy);
	}
}

static void every_sample_counts(void **state)
{
	(void)state;
	for (int e = 0; e < 5; e++)
		for (int s = 0; s < 8; s++) {
			cJSON *copy = cJSON_Duplicate(whole, true);
			char *path = memory_format("cases/0/executions/%d/samples_ns/%d", e, s);
			cJSON *sample = golden_at(copy, path);
			eh_error error = ERROR_INIT;

			cJSON_SetNumberValue(sample, sample->valuedouble + 1);
			assert_int_equal(read_json(copy, &error), EH_E_ALTERED);
			assert_non_null(strstr(error.message, "cases[0]"));
			cJSON_Delete(copy);
			free(path);
		}
}

static void removed_rows_are_missed(void **state)
{
	cJSON *copy = cJSON_Duplicate(whole, true);
	eh_error error = ERROR_INIT;

	(void)state;
	cJSON_DeleteItemFromArray(golden_at(copy, "cases"), 4);
	assert_int_equal(read_json(copy, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "cases has 7 rows"));
	cJSON_Delete(copy);
	copy = cJSON_Duplicate(whole, true);
	cJSON_DeleteItemFromArray(golden_at(copy, "cases/4/executions"), 4);
	assert_int_equal(read_json(copy, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "cases[4] has 4 executions"));
	cJSON_Delete(copy);
}

/* ---- every member by everything -------------------------------------------------------------- */

static const char *const strangers[] = { "null", "true", "-1", "1e308", "\"\"", "\"x\"", "[]", "{}",
	                                 "[[]]", "[{}]", "[null]", "\"18446744073709551615\"" };
#define STRANGERS (sizeof(strangers) / sizeof(strangers[0]))

/* Visits every item below `at`; `path` is its place. */
static void each_item(cJSON *at, const char *path, void (*visit)(const char *path))
{
	cJSON *child;
	int index = 0;

	cJSON_ArrayForEach(child, at) {
		char *inner = cJSON_IsArray(at) ? memory_format("%s%s%d", path, path[0] ? "/" : "", index)
		                                : memory_format("%s%s%s", path, path[0] ? "/" : "",
		                                                child->string);

		/* One execution is as good as the other. */
		if (strncmp(inner, "cases/0/executions/1/", 21) != 0) {
			visit(inner);
			each_item(child, inner, visit);
		}
		free(inner);
		index++;
	}
}

static size_t tried;

static void replace_by_strangers(const char *path)
{
	const cJSON *old = golden_at(small, path);

	for (size_t i = 0; i < STRANGERS; i++) {
		cJSON *copy = cJSON_Duplicate(small, true);
		cJSON *stranger = cJSON_Parse(strangers[i]);

		if (!cJSON_Compare(old, stranger, true)) {
			golden_set(copy, path, strangers[i]);
			if (read_json(copy, NULL) == EH_OK)
				fail_msg("%s = %s passed", path, strangers[i]);
			tried++;
		}
		cJSON_Delete(stranger);
		cJSON_Delete(copy);
	}
}

static void remove_member(const char *path)
{
	cJSON *copy = cJSON_Duplicate(small, true);
	const char *slash = strrchr(path, '/');
	char *parent_path = memory_format("%.*s", slash != NULL ? (int)(slash - path) : 0, path);
	cJSON *parent = slash != NULL ? golden_at(copy, parent_path) : copy;

	cJSON_Delete(cJSON_DetachItemViaPointer(parent, golden_at(copy, path)));
	if (read_json(copy, NULL) == EH_OK)
		fail_msg("without %s it passed", path);
	cJSON_Delete(copy);
	free(parent_path);
}

static void wrong_types_everywhere(void **state)
{
	(void)state;
	assert_int_equal(read_json(small, NULL), EH_OK);
	each_item(small, "", replace_by_strangers);
	each_item(small, "", remove_member);
	assert_true(tried > 1000);
}

/* Each case of the other side, compared and alone. */
static void explain_all(FILE *sink, const comparison *c)
{
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];

		assert_true(report_explained(sink, &(explain_subject){ c->b, row->b, c, row }));
		if (row->b != NULL)
			assert_true(report_explained(sink, &(explain_subject){ .of = c->b, .row = row->b }));
	}
}

/* With digests and derived numbers made right again, so that what comes after reading sees them. */
static void use_forged(const char *path)
{
	/* Shape has refused the rest. */
	static const char *const forged_values[] = { "\"x\"", "0", "1e300", "[]" };

	for (size_t i = 0; i < sizeof(forged_values) / sizeof(forged_values[0]); i++) {
		cJSON *copy = cJSON_Duplicate(small, true);
		result *forged = NULL;
		eh_error error = ERROR_INIT;
		FILE *sink;
		comparison *c;
		grid g;

		golden_set(copy, path, forged_values[i]);
		if (cJSON_IsObject(golden_at(copy, "digests")) &&
		    cJSON_IsObject(golden_at(copy, "protocol")))
			golden_reseal(copy, strstr(path, "cases/0/executions") == path);
		assert_int_equal(golden_write(copy, scratch), EH_OK);
		cJSON_Delete(copy);
		if (result_read(scratch, &forged, &error) != EH_OK)
			continue;
		sink = fopen("/dev/null", "w");
		assert_true(report_result(sink, forged, &(text_list){ 0 }));
		assert_true(report_values(sink, forged, &(text_list){ 0 }, true));
		c = contract_compare(real, forged, 0);
		grid_make(&g, c, 1, GRID_AGAINST);
		assert_true(grid_print(sink, &g) && grid_print_markdown(sink, &g) &&
		            grid_print_details(sink, &g));
		grid_clear(&g);
		explain_all(sink, c);
		free(layout_text(comparison_layout(), c, true));
		comparison_free(c);
		fclose(sink);
		result_free(forged);
		tried++;
	}
}

static void forgeries_crash_nothing(void **state)
{
	(void)state;
	tried = 0;
	each_item(small, "", use_forged);
	assert_true(tried > 100);
}

static void cut_files_are_refused(void **state)
{
	char *body = json_text(small, false);
	size_t size = strlen(body);

	(void)state;
	for (size_t cut = 0; cut < size; cut += 37) {
		eh_error error = ERROR_INIT;
		result *r = NULL;

		assert_int_equal(golden_put(body, cut, scratch), EH_OK);
		assert_int_equal(result_read(scratch, &r, &error), EH_E_FORMAT);
		assert_non_null(strstr(error.message, "read.json"));
	}
	free(body);
}

static void other_files_are_refused(void **state)
{
	static const char *const bodies[] = { "", "null", "[]", "{}", "\"x\"", "7", "{\"format\":1}",
		                              "{\"format\":\"evenhand-result\"}",
		                              "{\"format\":\"evenhand-result\",\"format_version\":1}",
		                              "\xff\xfe", "{\"format\":\"evenhand-result\",\"format\":1}" };
	result *r = NULL;

	(void)state;
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		assert_int_equal(file_write(scratch, bodies[i], strlen(bodies[i]), NULL), EH_OK);
		assert_int_equal(result_read(scratch, &r, NULL), EH_E_FORMAT);
	}
	assert_int_not_equal(result_read("/nonexistent/x.json", &r, NULL), EH_OK);
	assert_int_not_equal(result_read("/", &r, NULL), EH_OK);
}

/* ---- many errors ----------------------------------------------------------------------------- */

/* malloc'd: the small result with that text as the elements of cases. */
static char *with_rows(const char *rows)
{
	cJSON *copy = cJSON_Duplicate(small, true);
	char *body, *at, *out;

	golden_set(copy, "cases", "[\"ROWS\"]");
	body = json_text(copy, false);
	at = strstr(body, "\"ROWS\"");
	out = memory_format("%.*s%s%s", (int)(at - body), body, rows, at + strlen("\"ROWS\""));
	free(body);
	cJSON_Delete(copy);
	return out;
}

/* The row's own digest, and the plan, contradict it as well. */
static void malformed_comes_before_altered(void **state)
{
	char *body = with_rows("{\"id\":1}, {\"id\":2}");
	eh_error error = ERROR_INIT;
	result *r;

	(void)state;
	assert_int_equal(result_read_bytes("t", body, strlen(body), &r, &error), EH_E_FORMAT);
	assert_string_equal(error.message, "t: cases[0].id is not text");
}

static void every_malformed_row_is_named(void **state)
{
	static const char rows[] = "\n{\"id\":1},\n\n  {\"id\":x},\n7, {\"\xc3\xa9\":\"\xc3\xa9\" y}";
	static const char *const says[] = { "cases[0].id is not text", "4:9: this is not valid JSON",
		                            "cases[2] is not an object",
		                            "cases[3].\xc3\xa9 is not part of the format" };
	char *body = with_rows(rows);
	findings f = { .only_first = false };
	size_t malformed = 0;
	result *r;

	(void)state;
	r = golden_examine("t", body, strlen(body), &f);
	assert_non_null(r);
	for (size_t i = 0; i < f.count; i++)
		if (f.items[i].check == CHECK_STRUCTURE && strstr(f.items[i].place, "cases[") != NULL)
			assert_string_equal(f.items[i].sentence, says[malformed++]);
	assert_int_equal(malformed, 4);
	result_free(r);
	findings_free(&f);
	free(body);
}

/* A text of 2 bytes for each row would take 1 kB of memory for each. */
static void rows_without_room_are_refused(void **state)
{
	text rows = { 0 };
	findings f = { .only_first = false };
	char *body;

	(void)state;
	for (size_t i = 0; i < 100000; i++)
		text_add_bytes(&rows, i > 0 ? ",7" : "7", i > 0 ? 2 : 1);
	body = with_rows(rows.data);
	assert_null(golden_examine("t", body, strlen(body), &f));
	assert_int_equal(f.count, 1);
	assert_string_equal(f.items[0].sentence, "cases[0] is not an object");
	findings_free(&f);
	free(body);
	text_free(&rows);
}

/* Lines are not counted anew from the start for each row: that took 15 s here. */
static void many_malformed_rows_take_little_time(void **state)
{
	text rows = { 0 };
	findings f = { .only_first = false };
	clock_t from = clock();
	result *r;
	char *body;

	(void)state;
	for (size_t i = 0; i < 10000; i++)
		text_add(&rows, "%s%-300sx}", i > 0 ? "," : "", "{\"id\":");
	body = with_rows(rows.data);
	r = golden_examine("t", body, strlen(body), &f);
	assert_non_null(r);
	assert_true(f.count >= 10000);
	assert_true(clock() - from < 5 * CLOCKS_PER_SEC);
	result_free(r);
	findings_free(&f);
	free(body);
	text_free(&rows);
}

/* ---- salts ----------------------------------------------------------------------------------- */

/* Makes the first case of the file sound again while the others are read, and leaves no trace of it in
 * the file's times. */
static void mend(const result_watch *w, const record_result *head, const record_case *row, size_t index,
                 findings *f)
{
	const struct timespec while_read = { .tv_nsec = 300000000 };
	const char *path = w->context;
	struct stat before;
	char *data = NULL;
	size_t size = 0;
	int fd;

	(void)head;
	(void)row;
	(void)f;
	if (index != 7)
		return;
	(void)nanosleep(&while_read, NULL);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &before) != 0 || file_read(path, &data, &size, NULL) != EH_OK)
		abort();
	if (pwrite(fd, "\"id\"", 4, strstr(data, "\"Xd\"") - data) != 4 ||
	    futimens(fd, (const struct timespec[]){ before.st_atim, before.st_mtim }) != 0)
		abort();
	free(data);
	close(fd);
}

static void a_file_that_changes_is_no_result(void **state)
{
	char *path = golden_path("host-gcc-12.json"), *bytes;
	result_watch watch = { .row = mend, .context = scratch }, *watches[] = { &watch };
	findings found = { 0 };
	eh_error error = ERROR_INIT;
	cJSON *tree = NULL;
	source_bytes from;
	result *r = NULL;

	(void)state;
	assert_int_equal(json_read(path, &tree, NULL), EH_OK);
	bytes = cJSON_PrintUnformatted(tree);
	strstr(strstr(bytes, "\"cases\":[{\"derived\""), "\"id\"")[1] = 'X';
	assert_int_equal(file_write(scratch, bytes, strlen(bytes), NULL), EH_OK);
	assert_int_equal(source_open(scratch, &from, NULL), EH_OK);
	assert_int_equal(result_examine(&from, watches, 1, &found, &r, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "was changed while it was read"));
	source_close(&from);
	result_free(r);
	findings_free(&found);
	findings_free(&watch.found);
	cJSON_Delete(tree);
	cJSON_free(bytes);
	free(path);
}

static void salts_belong_to_texts(void **state)
{
#define SALT "\"0123456789abcdef0123456789abcdef\""
	static const struct { const char *salts, *bad; } tries[] = {
		{ "{\"who.tester\":" SALT "}", NULL },
		{ "{}", NULL },
		{ "{\"who.tester\":" SALT ",\"who.party\":" SALT "}", "who.party" },
		{ "{\"who.sponsor\":" SALT ",\"who.tester\":" SALT "}", "who.sponsor" },
		{ "{\"who.tester\":\"0123\",\"a\":" SALT "}", "who.tester" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		cJSON *copy = cJSON_Duplicate(small, true);
		eh_error error = ERROR_INIT;
		char *words = memory_format("a salt for %s ", tries[i].bad != NULL ? tries[i].bad : "");

		golden_set(copy, "salts", tries[i].salts);
		golden_reseal(copy, false);
		assert_int_equal(read_json(copy, &error), tries[i].bad == NULL ? EH_OK : EH_E_FORMAT);
		if (tries[i].bad != NULL)
			assert_non_null(strstr(error.message, words));
		free(words);
		cJSON_Delete(copy);
	}
}

/* Whoever has the result of another executor does not have the salt of what was redacted in this one. */
static void results_of_a_run_share_no_salt(void **state)
{
	static const char *const executors[] = { "host:gcc-12", "host:gcc-12#2", "host:gcc-12" };
	char *salts[3];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		record_result r;

		layout_init(record_result_layout(), &r);
		text_set(&r.who.tester, "Jane");
		redact_salt(&r, "secret", executors[i]);
		assert_int_equal(r.salts.count, 1);
		salts[i] = memory_text(r.salts.items[0].value);
		layout_clear(record_result_layout(), &r);
	}
	assert_string_not_equal(salts[0], salts[1]);
	assert_string_equal(salts[0], salts[2]);
	for (size_t i = 0; i < 3; i++)
		free(salts[i]);
}

static void layers_and_fields_have_a_limit(void **state)
{
	static const struct { const char *path, *first; size_t many; const char *words; } tries[] = {
		{ "executor/layers/0/fields", "{", 1001, "executor.layers[0].fields has 1001 fields, and 1000 are the most" },
		{ "executor/layers", "[", 1001, "executor.layers has 1001 layers, and 1000 are the most" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		cJSON *copy = cJSON_Duplicate(small, true);
		eh_error error = ERROR_INIT;
		text all = { 0 };

		for (size_t k = 0; k < tries[i].many; k++) {
			text_add(&all, "%s", k == 0 ? tries[i].first : ",");
			if (tries[i].first[0] == '{')
				text_add(&all, "\"f%zu\":{\"value\":\"x\",\"source\":\"queried\"}", k);
			else
				text_add(&all, "{\"layer\":\"library\",\"name\":\"l%zu\",\"version\":\"1\","
				         "\"source\":\"queried\"}", k);
		}
		text_add(&all, "%s", tries[i].first[0] == '{' ? "}" : "]");
		golden_set(copy, tries[i].path, all.data);
		golden_reseal(copy, false);
		assert_int_equal(read_json(copy, &error), EH_E_NO_MEMORY);
		if (strstr(error.message, tries[i].words) == NULL)
			fail_msg("%s", error.message);
		text_free(&all);
		cJSON_Delete(copy);
	}
}

/* Each salt is looked up, not searched for among all texts: that took a minute here. */
static void many_salts_take_little_time(void **state)
{
	enum { MANY = 20000 };
	record_result r;
	record_layer *layer;
	clock_t from = clock();

	(void)state;
	layout_init(record_result_layout(), &r);
	layer = layout_append(record_layer_layout(), &r.executor.layers);
	for (size_t i = 0; i < MANY; i++) {
		record_field *field = layout_append(record_field_layout(), &layer->fields);

		field->name = memory_format("n%zu-uuid", i);
		field->value = (scalar){ .kind = SCALAR_TEXT, .text = memory_text("x") };
	}
	redact_salt(&r, "secret", "host:gcc-12");
	assert_int_equal(r.salts.count, MANY);
	assert_null(redact_bad_salt(&r));
	redact_commit(&r, &r.salts);
	assert_int_equal(strncmp(layer->fields.items[MANY - 1].value.text, REDACT_MARK,
	                         strlen(REDACT_MARK)), 0);
	assert_true(clock() - from < 5 * CLOCKS_PER_SEC);
	layout_clear(record_result_layout(), &r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_are_named),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(every_sample_counts),
		cmocka_unit_test(removed_rows_are_missed),
		cmocka_unit_test(wrong_types_everywhere),
		cmocka_unit_test(forgeries_crash_nothing),
		cmocka_unit_test(cut_files_are_refused),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(malformed_comes_before_altered),
		cmocka_unit_test(every_malformed_row_is_named),
		cmocka_unit_test(rows_without_room_are_refused),
		cmocka_unit_test(many_malformed_rows_take_little_time),
		cmocka_unit_test(a_file_that_changes_is_no_result),
		cmocka_unit_test(salts_belong_to_texts),
		cmocka_unit_test(results_of_a_run_share_no_salt),
		cmocka_unit_test(layers_and_fields_have_a_limit),
		cmocka_unit_test(many_salts_take_little_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, finish);
}
