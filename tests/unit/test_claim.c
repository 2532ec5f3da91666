/* SPDX-License-Identifier: Apache-2.0 */
/* Reading claims, each answer to one, and each answer of a reproduction, on variants of a golden
 * result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/claim.h"
#include "analysis/reproduce.h"
#include "golden.h"

#define HEAD "[claim]\nname = n\ntext = t\nclaimant = c\nprotocol = golden@1\n"

static claim *parsed(const char *rest)
{
	char *body = memory_format(HEAD "%s", rest);
	eh_error error = ERROR_INIT;
	claim *c = NULL;

	if (claim_parse(body, strlen(body), "test", &c, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(body);
	return c;
}

/* The whole file is refused with these words. */
static void refused(const char *body, const char *words)
{
	eh_error error = ERROR_INIT;
	claim *c = NULL;

	assert_int_equal(claim_parse(body, strlen(body), "test", &c, &error), EH_E_USAGE);
	assert_null(c);
	if (strstr(error.message, words) == NULL)
		fail_msg("'%s' is not in: %s", words, error.message);
}

#define SIDES "cases = *\na = x\nb = y\n"

static void reading(void **state)
{
	claim *c = parsed(SIDES "relation = within\nfactor = 120%\nmargin = 5%\nover = mean\n"
	                  "metric = time\nsubject = compiler\nstatistic = p99\n");

	(void)state;
	assert_string_equal(c->protocol, "golden");
	assert_int_equal(c->version, 1);
	assert_true(c->factor > 1.1999 && c->factor < 1.2001);
	assert_true(c->margin > 0.0499 && c->margin < 0.0501);
	assert_int_equal(c->over, CLAIM_MEAN);
	assert_int_equal(c->metric, CLAIM_TIME);
	assert_int_equal(c->subject, RECORD_LAYER_COMPILER);
	assert_int_equal(c->statistic, RECORD_STATISTIC_P99);
	assert_null(c->digest);
	claim_free(c);
	refused(HEAD SIDES "relation = faster\nfaktor = 2\n", "did you mean 'factor'");
	refused(HEAD SIDES "relation = at-least\n", "needs 'factor'");
	refused(HEAD SIDES "relation = faster\nfactor = 2\n", "belongs to at-least");
	refused(HEAD SIDES "relation = within\nfactor = 2\n", "needs 'margin'");
	refused(HEAD SIDES "relation = better\n", "is one of at-least");
	refused(HEAD SIDES "relation = at-least\nfactor = 0\n", "above 0");
	refused(HEAD SIDES "relation = at-least\nfactor = nan\n", "is a number");
	refused(HEAD SIDES "relation = faster\nsubject = chip\n", "'subject' is one of");
	refused(HEAD SIDES "relation = faster\ndigest = abc\n", "64 hexadecimal");
	refused(HEAD SIDES "relation = faster\n[case x]\nk = v\n", "one section");
	refused(HEAD "cases = *\na = x\nb = x\nrelation = faster\n", "same selector");
	refused(HEAD "cases = *\na = chip=x\nb = x\nrelation = faster\n", "comma list of conditions");
	refused("[claim]\nname = n\n", "needs 'text'");
	refused("[claim]\nname = n\ntext = t\nclaimant = c\nprotocol = golden\n" SIDES
	        "relation = faster\n", "NAME@VERSION");
}

/* ---- results --------------------------------------------------------------------------------- */

enum { COMPILER = 1, HOST = 2, FEW = 4, OTHER_PROTOCOL = 8, SIMULATED = 16, NOISE = 32 };

static void scale_number(cJSON *item, double factor)
{
	cJSON_SetNumberValue(item, (double)(long long)(item->valuedouble * factor));
}

/* The proof goes with its samples. */
static void scale(cJSON *root, double factor)
{
	cJSON *row, *e, *sample;

	cJSON_ArrayForEach(row, golden_at(root, "cases"))
		cJSON_ArrayForEach(e, golden_at(row, "executions")) {
			cJSON *proof = golden_at(e, "proof");

			cJSON_ArrayForEach(sample, golden_at(e, "samples_ns"))
				scale_number(sample, factor);
			if (proof == NULL)
				continue;
			scale_number(golden_at(proof, "host_ns"), factor);
			cJSON_DeleteItemFromObjectCaseSensitive(proof, "waited_ns");
			scale_number(golden_at(proof, "ns_per_operation"), factor);
		}
}

static void set_version(cJSON *root, const char *kind, const char *version)
{
	cJSON *layer;

	cJSON_ArrayForEach(layer, golden_at(root, "executor/layers"))
		if (strcmp(json_string(layer, "layer", ""), kind) == 0)
			(void)json_set(layer, "version", cJSON_CreateString(version));
}

static result *made(const char *executor, unsigned int what, double factor)
{
	char *path = golden_path("host-gcc-12.json"), *name = memory_format("\"%s\"", executor);
	char *file = memory_format("%s.json", executor), *copy = golden_scratch(file);
	eh_error error = ERROR_INIT;
	cJSON *root = NULL, *row;
	result *r = NULL;

	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	golden_set(root, "executor/name", name);
	golden_set(root, "run/id", name);
	scale(root, factor);
	if (what & COMPILER)
		golden_set_compiler(root, "99.1");
	if (what & HOST)
		set_version(root, "host", "98.1");
	if (what & OTHER_PROTOCOL)
		golden_set(root, "protocol/canonical/intent", "\"another\"");
	if (what & SIMULATED)
		golden_set(root, "executor/simulated", "true");
	if (what & NOISE)
		golden_set(root, "run/noise_floor",
		           "{\"measured_at\":\"2026-01-01T00:00:00Z\",\"pairs\":20,"
		           "\"classes\":{\"stream\":0.4}}");
	if (what & FEW) {
		golden_set(root, "run/executions/done", "4");
		cJSON_ArrayForEach(row, golden_at(root, "cases"))
			cJSON_DeleteItemFromArray(golden_at(row, "executions"), 4);
	}
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, copy), EH_OK);
	cJSON_Delete(root);
	if (result_read(copy, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(copy);
	free(file);
	free(name);
	free(path);
	return r;
}

/* x is `factor` times as slow as y. */
static enum claim_answer answer(const char *rest, unsigned int what, double factor, const char *why)
{
	claim *c = parsed(rest);
	result *x = made("x", what, factor), *y = made("y", what & FEW, 1);
	claim_verdict *v = claim_decide(c, (const result *const[]){ x, y }, 2, NULL);
	enum claim_answer is = v->answer;

	if (why != NULL && strstr(v->why, why) == NULL)
		fail_msg("'%s' is not in: %s", why, v->why);
	claim_verdict_free(v);
	result_free(y);
	result_free(x);
	claim_free(c);
	return is;
}

static void answers(void **state)
{
	static const char triad[] = "cases = triad.*\na = x\nb = y\n";
	char rest[256];
	static const struct { const char *words; double factor; enum claim_answer is; } rows[] = {
		{ "relation = at-least\nfactor = 1.2\n", 0.5, CLAIM_SUPPORTED },
		{ "relation = at-least\nfactor = 1.2\n", 0.9, CLAIM_REFUTED },
		{ "relation = at-least\nfactor = 1\n", 0.9999, CLAIM_UNDECIDED },
		{ "relation = at-most\nfactor = 1.2\n", 0.9, CLAIM_SUPPORTED },
		{ "relation = at-most\nfactor = 1.2\n", 0.5, CLAIM_REFUTED },
		{ "relation = within\nfactor = 2\nmargin = 10%\n", 0.5, CLAIM_SUPPORTED },
		{ "relation = within\nfactor = 2\nmargin = 10%\n", 0.7, CLAIM_REFUTED },
		{ "relation = faster\n", 0.5, CLAIM_SUPPORTED },
		{ "relation = faster\n", 2, CLAIM_REFUTED },
		{ "relation = slower\n", 2, CLAIM_SUPPORTED },
		{ "relation = slower\n", 0.5, CLAIM_REFUTED },
		{ "relation = equivalent\n", 1, CLAIM_SUPPORTED },
		{ "relation = equivalent\n", 1.5, CLAIM_REFUTED },
		{ "relation = equivalent\nmargin = 60%\n", 1.5, CLAIM_SUPPORTED },
		{ "relation = at-least\nfactor = 1.9\nmetric = time\n", 2, CLAIM_SUPPORTED },
		{ "relation = at-least\nfactor = 1.9\nmetric = time\n", 0.5, CLAIM_REFUTED },
		{ "relation = faster\nstatistic = p99\n", 0.5, CLAIM_UNDECIDED },
		{ "relation = faster\nover = mean\n", 0.5, CLAIM_SUPPORTED },
		{ "relation = faster\nover = any\n", 0.5, CLAIM_SUPPORTED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		(void)snprintf(rest, sizeof(rest), "%s%s", triad, rows[i].words);
		if (answer(rest, 0, rows[i].factor, NULL) != rows[i].is)
			fail_msg("%zu: %s", i, rows[i].words);
	}
}

static void no_numbers(void **state)
{
	static const char faster[] = "cases = triad.*\na = x\nb = y\nrelation = faster\n";

	(void)state;
	assert_int_equal(answer(faster, FEW, 0.5, NULL), CLAIM_UNDECIDED);
	assert_int_equal(answer(faster, SIMULATED, 0.5, "simulated"), CLAIM_REFUSED);
	assert_int_equal(answer(faster, OTHER_PROTOCOL, 0.5, "protocol-differs"), CLAIM_REFUSED);
}

/* A pattern that fits no case claims nothing, whatever the others do. */
static void patterns_fit(void **state)
{
	static const struct { const char *cases, *idle; } list[] = {
		{ "nothing", "'nothing'" }, { "triad.*, gem.*", "'gem.*'" }, { "dot.f32, dot.*", "'dot.f32'" },
	};
	result *x = made("x", 0, 0.5), *y = made("y", 0, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		char *rest = memory_format("cases = %s\na = x\nb = y\nrelation = faster\nover = any\n",
		                           list[i].cases);
		claim *c = parsed(rest);
		eh_error error = ERROR_INIT;

		assert_null(claim_decide(c, (const result *const[]){ x, y }, 2, &error));
		assert_int_equal(error.code, EH_E_USAGE);
		assert_non_null(strstr(error.message, list[i].idle));
		claim_free(c);
		free(rest);
	}
	result_free(y);
	result_free(x);
}

/* Runs of one executor differ by 40 %; x is 1.25 or two times as fast. */
static void noise_between_runs(void **state)
{
	static const struct { const char *words; enum claim_answer quarter, twice; } rows[] = {
		{ "relation = faster\n", CLAIM_UNDECIDED, CLAIM_SUPPORTED },
		{ "relation = faster\nover = mean\n", CLAIM_UNDECIDED, CLAIM_SUPPORTED },
		{ "relation = at-least\nfactor = 1.1\n", CLAIM_UNDECIDED, CLAIM_SUPPORTED },
		{ "relation = at-most\nfactor = 1.6\n", CLAIM_UNDECIDED, CLAIM_UNDECIDED },
		{ "relation = within\nfactor = 1.25\nmargin = 10%\n", CLAIM_SUPPORTED, CLAIM_REFUTED },
	};
	char rest[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		(void)snprintf(rest, sizeof(rest), "cases = triad.*\na = x\nb = y\n%s", rows[i].words);
		assert_int_equal(answer(rest, NOISE, 0.8, NULL), rows[i].quarter);
		assert_int_equal(answer(rest, NOISE, 0.5, NULL), rows[i].twice);
	}
}

static void one_layer(void **state)
{
	static const char about[] = "cases = triad.*\na = x\nb = y\nrelation = faster\n"
	                            "subject = compiler\n";

	(void)state;
	assert_int_equal(answer(about, COMPILER, 0.5, NULL), CLAIM_SUPPORTED);
	assert_int_equal(answer(about, COMPILER | HOST, 0.5, "Confounded"), CLAIM_REFUSED);
	assert_int_equal(answer(about, HOST, 0.5, "something else differs"), CLAIM_REFUSED);
	assert_int_equal(answer(about, 0, 0.5, "No layer differs"), CLAIM_UNDECIDED);
}

static void which_results(void **state)
{
	claim *c = parsed("cases = triad.*\na = x*\nb = y, compiler=gcc*\nrelation = faster\n");
	claim *other = parsed("cases = triad.*\na = x\nb = y, host.cores=7\nrelation = faster\n");
	result *x = made("x", 0, 0.5), *x2 = made("x2", 0, 0.5), *y = made("y", 0, 1);
	claim_verdict *v = claim_decide(c, (const result *const[]){ x, y, x2 }, 3, NULL);

	(void)state;
	assert_int_equal(v->answer, CLAIM_UNDECIDED);
	assert_non_null(strstr(v->why, "2 results fit a"));
	claim_verdict_free(v);
	v = claim_decide(c, (const result *const[]){ y, x2 }, 2, NULL);
	assert_int_equal(v->answer, CLAIM_SUPPORTED);
	claim_verdict_free(v);
	v = claim_decide(c, (const result *const[]){ x }, 1, NULL);
	assert_non_null(strstr(v->why, "No result fits b"));
	claim_verdict_free(v);
	v = claim_decide(other, (const result *const[]){ x, y }, 2, NULL);
	assert_non_null(strstr(v->why, "No result fits b"));
	claim_verdict_free(v);
	claim_free(other);
	other = parsed("cases = *\na = x\nb = y\nrelation = faster\ndigest = "
	               "0000000000000000000000000000000000000000000000000000000000000000\n");
	v = claim_decide(other, (const result *const[]){ x, y }, 2, NULL);
	assert_int_equal(v->notes.count, 2);
	assert_non_null(strstr(v->notes.items[0], "digest"));
	claim_verdict_free(v);
	result_free(y);
	result_free(x2);
	result_free(x);
	claim_free(other);
	claim_free(c);
}

/* Over several cases one that does not hold decides `all`, one that holds decides `any`. */
static void several_cases(void **state)
{
	static const char all[] = "cases = triad.*, dot.*\na = x\nb = y\nrelation = faster\n";

	(void)state;
	assert_int_equal(answer(all, 0, 0.5, "2 cases: 2 supported, 0 refuted"), CLAIM_SUPPORTED);
	assert_int_equal(answer(all, 0, 2, "2 refuted"), CLAIM_REFUTED);
}

/* ---- reproduction ---------------------------------------------------------------------------- */

static enum reproduction_answer again(unsigned int what, double factor, size_t groups)
{
	result *x = made("x", 0, 1), *y = made("y", what, factor);
	reproductions all = { .status = 0 };
	reproduction *r = layout_append(reproduction_layout(), &all.executors);
	enum reproduction_answer is;

	reproduce_judge(x, y, r);
	is = r->answer;
	assert_int_equal(r->groups.count, groups);
	assert_int_equal(r->cases.count, r->comparison.cases.count);
	layout_clear(reproductions_layout(), &all);
	result_free(y);
	result_free(x);
	return is;
}

static void repeated_runs(void **state)
{
	(void)state;
	assert_int_equal(again(0, 1, 0), REPRODUCTION_YES);
	assert_int_equal(again(COMPILER, 1, 1), REPRODUCTION_YES);
	assert_int_equal(again(0, 1.005, 0), REPRODUCTION_YES);
	assert_int_equal(again(0, 1.5, 0), REPRODUCTION_NO);
	assert_int_equal(again(0, 0.5, 0), REPRODUCTION_NO);
	assert_int_equal(again(FEW, 1, 0), REPRODUCTION_INCONCLUSIVE);
	assert_int_equal(again(SIMULATED, 1, 0), REPRODUCTION_INCONCLUSIVE);
}

/* The first difference of two plans is named. */
static void plans(void **state)
{
	result *x = made("x", 0, 1), *y = made("y", 0, 1);
	record_plan *then = &x->record->protocol.canonical, *here = &y->record->protocol.canonical;
	char *why;

	(void)state;
	assert_null(reproduce_plan_difference(then, here));
	here->seed++;
	why = reproduce_plan_difference(then, here);
	assert_string_equal(why, "seed differs");
	free(why);
	here->cases.items[1].measure.samples_min = 77;
	why = reproduce_plan_difference(then, here);
	assert_non_null(strstr(why, "has another measure"));
	free(why);
	here->cases.items[0].revision++;
	why = reproduce_plan_difference(then, here);
	assert_non_null(strstr(why, "has revision"));
	free(why);
	text_set(&here->cases.items[0].id, "other");
	why = reproduce_plan_difference(then, here);
	assert_non_null(strstr(why, "is not in it"));
	free(why);
	result_free(y);
	result_free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading), cmocka_unit_test(answers), cmocka_unit_test(no_numbers),
		cmocka_unit_test(patterns_fit),
		cmocka_unit_test(noise_between_runs),
		cmocka_unit_test(one_layer), cmocka_unit_test(which_results),
		cmocka_unit_test(several_cases), cmocka_unit_test(repeated_runs),
		cmocka_unit_test(plans),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("claim", tests, NULL, NULL);
}
