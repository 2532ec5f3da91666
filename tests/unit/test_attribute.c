/* SPDX-License-Identifier: Apache-2.0 */
/* The answers of an attribution, on variants of a golden result: what moved, what changed, and what
 * else the records show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/attribute.h"
#include "report/attribution.h"
#include "golden.h"

enum { COMPILER = 1, KERNEL = 2, SLOWER = 4, PROTOCOL = 8, SITE = 16, EQUAL = 32, MIXED = 64,
       SOME = 128, THROTTLED = 256, CANARY = 512, STEAL = 1024, BROKEN = 2048, WIDE = 4096,
       FRAMEWORK = 8192 };

static cJSON *layer_of(cJSON *root, const char *kind)
{
	cJSON *layer;

	cJSON_ArrayForEach(layer, golden_at(root, "executor/layers"))
		if (strcmp(json_string(layer, "layer", ""), kind) == 0)
			return layer;
	fail_msg("no layer %s", kind);
	return NULL;
}

static void scale_number(cJSON *item, double factor)
{
	cJSON_SetNumberValue(item, (double)(long long)(item->valuedouble * factor));
}

/* The proof goes with its samples. */
static void scale_case(cJSON *row, double factor)
{
	cJSON *e, *sample;

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

static double factor_of(unsigned int what, int index)
{
	if (what & SLOWER)
		return 3;
	if (what & MIXED)
		return index < 3 ? 0.8 : index < 5 ? 1.3 : 1.0001;
	if (what & SOME)
		return index < 3 ? 1.3 : 1.0001;
	return what & EQUAL ? 1.0001 : 1;
}

/* The executions of a case drift apart, so that no verdict can be given. */
static void widen(cJSON *row)
{
	cJSON *e, *sample;
	int n = 0;

	cJSON_ArrayForEach(e, golden_at(row, "executions")) {
		double factor = 1 + 0.1 * (n++ - 2);

		cJSON_ArrayForEach(sample, golden_at(e, "samples_ns"))
			scale_number(sample, factor);
	}
}

static void set_conditions(cJSON *e, unsigned int what)
{
	cJSON *canary = golden_at(e, "canary");

	if (what & THROTTLED)
		(void)json_set(e, "flags", cJSON_Parse("[\"throttled\"]"));
	if ((what & CANARY) && canary != NULL) {
		scale_number(golden_at(canary, "compute_before_ns"), 2.5);
		scale_number(golden_at(canary, "compute_after_ns"), 2.5);
		scale_number(golden_at(canary, "reference_compute_ns"), 2.5);
	}
	if (what & STEAL)
		(void)json_set(e, "load", cJSON_Parse("{\"wall_seconds\": 10, \"steal_seconds\": 7}"));
}

static void change_cases(cJSON *root, unsigned int what)
{
	cJSON *row, *e;
	int index = 0;

	cJSON_ArrayForEach(row, golden_at(root, "cases")) {
		scale_case(row, factor_of(what, index));
		if ((what & WIDE) && index >= 4)
			widen(row);
		cJSON_ArrayForEach(e, golden_at(row, "executions"))
			set_conditions(e, what);
		index++;
	}
	if (what & BROKEN) {
		golden_set(root, "cases/7/executions/1/status", "\"failed\"");
		golden_set(root, "cases/7/executions/1/reasons", "[\"it crashed\"]");
	}
}

/* A declared fact of the place. */
static void change_site(cJSON *root)
{
	cJSON_AddItemToArray(golden_at(root, "executor/layers"), cJSON_Parse(
		"{\"layer\": \"site\", \"name\": \"hall 1\", \"owner\": \"Facilities\", \"source\": \"declared\", \"fields\":"
		" {\"cooling\": {\"value\": \"air\", \"source\": \"declared\"}}}"));
}

/* A declared layer, of which the core's clock knows nothing. */
static void change_framework(cJSON *root)
{
	cJSON_AddItemToArray(golden_at(root, "executor/layers"), cJSON_Parse(
		"{\"layer\": \"framework\", \"name\": \"PyTorch\", \"version\": \"2.5\", \"maker\":"
		" \"PyTorch Foundation\", \"source\": \"declared\"}"));
}

/* The golden result with some things changed, in a file of its own. */
static result *variant(const char *name, unsigned int what)
{
	char *path = golden_path("host-gcc-12.json"), *copy = golden_scratch(name);
	eh_error error = ERROR_INIT;
	cJSON *root = NULL;
	result *r = NULL;

	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	golden_set(root, "run/id", "\"another\"");
	golden_set(root, "protocol/canonical/interleave", "false");
	if (what & COMPILER) {
		golden_set_compiler(root, "99.1");
		json_set(layer_of(root, "compiler"), "owner", cJSON_CreateString("compiler team"));
		json_set(layer_of(root, "compiler"), "maker", cJSON_CreateString("GCC project"));
	}
	if (what & KERNEL)
		json_set(layer_of(root, "host"), "version", cJSON_CreateString("98.1"));
	if (what & SITE)
		change_site(root);
	if (what & FRAMEWORK)
		change_framework(root);
	change_cases(root, what);
	if (what & PROTOCOL)
		golden_set(root, "protocol/canonical/intent", "\"another\"");
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, copy), EH_OK);
	cJSON_Delete(root);
	if (result_read(copy, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(copy);
	free(path);
	return r;
}

static attribution *attributed(const result *const *all, size_t count,
                               const attribution_candidate *candidates, size_t candidate_count)
{
	return attribute_results(all, count, candidates, candidate_count, 0, "golden");
}

/* What is expected of from and to. */
typedef struct expected {
	unsigned int from, to;
	size_t groups, moved, open;
	enum attribution_answer answer;
	bool owner;
} expected;

static void expect(const expected *e)
{
	result *x = variant("a.json", e->from), *y = variant("b.json", e->to);
	attribution *a = attributed((const result *const[]){ x, y }, 2, NULL, 0);

	if (a->answer != e->answer || a->groups.count != e->groups || a->moved.count != e->moved ||
	    a->open.count != e->open || (a->owner != NULL) != e->owner)
		fail_msg("%#x %#x: %s, %zu groups, %zu moved, %zu open, owner %s", e->from, e->to,
		         attribution_answer_word(a->answer), a->groups.count, a->moved.count,
		         a->open.count, a->owner != NULL ? a->owner : "none");
	if (a->answer == ATTRIBUTION_CONFOUNDED)
		assert_int_equal(a->missing, e->groups - 1);
	/* Nobody is named but beside cases that moved. */
	assert_true(a->owner == NULL || a->moved.count > 0);
	attribution_free(a);
	result_free(y);
	result_free(x);
}

static void answers(void **state)
{
	static const expected rows[] = {
		{ 0, 0, 0, 0, 0, ATTRIBUTION_NO_CHANGE, false },
		{ 0, EQUAL, 0, 0, 0, ATTRIBUTION_NO_CHANGE, false },
		{ 0, COMPILER | EQUAL, 1, 0, 0, ATTRIBUTION_NO_EFFECT, false },
		{ 0, SITE | EQUAL, 1, 0, 0, ATTRIBUTION_NO_EFFECT, false },
		{ COMPILER, KERNEL | EQUAL, 2, 0, 0, ATTRIBUTION_NO_EFFECT, false },
		{ 0, COMPILER | SLOWER, 1, 8, 0, ATTRIBUTION_ATTRIBUTABLE, true },
		{ 0, COMPILER | MIXED, 1, 5, 0, ATTRIBUTION_ATTRIBUTABLE, true },
		{ 0, COMPILER | SOME | WIDE, 1, 3, 4, ATTRIBUTION_PARTLY, true },
		{ 0, COMPILER | EQUAL | WIDE, 1, 0, 4, ATTRIBUTION_UNDECIDED, false },
		{ 0, COMPILER | EQUAL | BROKEN, 1, 0, 1, ATTRIBUTION_UNDECIDED, false },
		{ 0, SITE | EQUAL | WIDE, 1, 0, 4, ATTRIBUTION_UNDECIDED, false },
		{ 0, EQUAL | WIDE, 0, 0, 4, ATTRIBUTION_UNDECIDED, false },
		{ 0, COMPILER | KERNEL | SLOWER, 2, 8, 0, ATTRIBUTION_CONFOUNDED, false },
		{ COMPILER, KERNEL | SOME, 2, 3, 0, ATTRIBUTION_CONFOUNDED, false },
		{ 0, PROTOCOL | COMPILER, 1, 0, 8, ATTRIBUTION_NOT_COMPARABLE, false },
		{ 0, SLOWER, 0, 8, 0, ATTRIBUTION_UNEXPLAINED, false },
		{ 0, SLOWER | CANARY, 0, 8, 0, ATTRIBUTION_CONDITIONS, false },
		{ SLOWER | CANARY, 0, 0, 8, 0, ATTRIBUTION_CONDITIONS, false },
		{ 0, SLOWER | STEAL, 0, 8, 0, ATTRIBUTION_CONDITIONS, false },
		/* On the faster side it explains nothing. */
		{ CANARY, SLOWER, 0, 8, 0, ATTRIBUTION_UNEXPLAINED, false },
		/* Two causes at once: the compiler is not accused of what the machine may have done. */
		{ 0, COMPILER | SLOWER | STEAL, 1, 8, 0, ATTRIBUTION_CONFOUNDED, false },
		{ 0, COMPILER | SLOWER | CANARY, 1, 8, 0, ATTRIBUTION_CONFOUNDED, false },
		{ 0, FRAMEWORK | SLOWER, 1, 8, 0, ATTRIBUTION_ATTRIBUTABLE, true },
		{ 0, FRAMEWORK | SLOWER | CANARY, 1, 8, 0, ATTRIBUTION_CONFOUNDED, false },
		/* A kernel that slows everything down slows the canary as well. */
		{ 0, KERNEL | SLOWER | CANARY, 1, 8, 0, ATTRIBUTION_ATTRIBUTABLE, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		expect(&rows[i]);
}

/* The layer is named with its maker and its team, or with where to name one. */
static void expect_words(unsigned int what, const char *words, const char *group)
{
	result *x = variant("a.json", 0), *y = variant("b.json", what);
	attribution *a = attributed((const result *const[]){ x, y }, 2, NULL, 0);
	char *body = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&body, &size);

	assert_true(report_attribution(out, a, false));
	assert_int_equal(fclose(out), 0);
	/* Lines are broken at the width of the page. */
	for (size_t i = 0, to = 0; i <= size; i++)
		if (strchr(" \n", body[i]) == NULL || body[i] == '\0' || (to > 0 && body[to - 1] != ' '))
			body[to++] = body[i] == '\n' ? ' ' : body[i];
	if (strstr(body, words) == NULL || strstr(body, group) == NULL)
		fail_msg("'%s' or '%s' is not in %s", words, group, body);
	free(body);
	attribution_free(a);
	result_free(y);
	result_free(x);
}

static void makers_and_teams_are_named(void **state)
{
	(void)state;
	expect_words(COMPILER | SLOWER, "; maker: GCC project; owner: compiler team",
	             "[GCC project; owner: compiler team]");
	expect_words(FRAMEWORK | SLOWER, "framework PyTorch 2.5 added; maker: PyTorch Foundation; no team is "
	             "named here: framework = TEAM in [teams] of the site file", "[PyTorch Foundation]");
	expect_words(KERNEL | SLOWER, "; no team is named here: facilities = TEAM", "[nobody named]");
}

/* A case that neither run was asked for is not open. */
static void unasked_cases_are_not_open(void **state)
{
	result *x = variant("a.json", 0), *y = variant("b.json", COMPILER | EQUAL | BROKEN);

	(void)state;
	for (size_t side = 0; side < 2; side++) {
		record_result *r = side == 0 ? x->record : y->record;
		attribution *a;

		for (size_t i = 0; i < 7; i++)
			text_list_add(&r->run.asked, r->cases.items[i].id);
		a = attributed((const result *const[]){ x, y }, 2, NULL, 0);
		assert_int_equal(a->answer, side == 0 ? ATTRIBUTION_UNDECIDED : ATTRIBUTION_NO_EFFECT);
		assert_int_equal(a->open.count, 1 - side);
		assert_int_equal(a->equivalent, 7);
		attribution_free(a);
	}
	result_free(y);
	result_free(x);
}

/* Open cases come with command lines; so does what the machine may have moved. */
static void runs(void **state)
{
	static const struct { unsigned int to; size_t runs; } rows[] = {
		{ COMPILER | EQUAL, 0 }, { COMPILER | SLOWER, 0 }, { COMPILER | EQUAL | WIDE, 2 },
		{ COMPILER | EQUAL | BROKEN, 0 }, { SLOWER, 2 }, { COMPILER | SLOWER | STEAL, 2 },
		{ COMPILER | KERNEL | SLOWER, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		result *x = variant("a.json", 0), *y = variant("b.json", rows[i].to);
		attribution *a = attributed((const result *const[]){ x, y }, 2, NULL, 0);

		if (a->runs.count != rows[i].runs)
			fail_msg("%#x: %zu runs", rows[i].to, a->runs.count);
		if (a->runs.count > 0) {
			assert_string_equal(a->runs.items[0],
			                    "evenhand run golden --on host:gcc-12 --executions 10 -o "
			                    "results/more");
			assert_non_null(strstr(a->runs.items[1], "a.json results/more/host-gcc-12.json"));
		}
		attribution_free(a);
		result_free(y);
		result_free(x);
	}
}

static void in_turns(result *r, const char *run)
{
	r->record->protocol.canonical.interleave = true;
	text_set(&r->record->run.id, run);
}

/* An executor that one run measured twice is measured twice again. */
static void a_pair_is_repeated_as_a_pair(void **state)
{
	result *x = variant("a.json", 0), *y = variant("b.json", SLOWER);
	attribution *a;

	(void)state;
	in_turns(x, "one");
	in_turns(y, "one");
	a = attributed((const result *const[]){ x, y }, 2, NULL, 0);
	assert_int_equal(a->runs.count, 2);
	assert_string_equal(a->runs.items[0], "evenhand run golden --on host:gcc-12,host:gcc-12 "
	                    "--executions 10 -o results/more");
	assert_string_equal(a->runs.items[1], "evenhand attribute results/more/host-gcc-12.json "
	                    "'results/more/host-gcc-12#2.json'");
	attribution_free(a);
	result_free(y);
	result_free(x);
}

static void between(void **state)
{
	result *a = variant("a.json", 0), *b = variant("b.json", COMPILER | KERNEL | SLOWER);
	result *c = variant("c.json", COMPILER), *useless = variant("d.json", 0);
	result *other = variant("e.json", COMPILER | PROTOCOL);
	attribution *found = attributed((const result *const[]){ a, b, useless, c }, 4, NULL, 0);

	(void)state;
	assert_int_equal(found->answer, ATTRIBUTION_ATTRIBUTABLE);
	assert_int_equal(found->steps.count, 2);
	assert_ptr_equal(found->steps.items[0].comparison->b, c);
	assert_int_equal(found->steps.items[0].groups.count, 1);
	assert_int_equal(found->steps.items[1].groups.count, 1);
	assert_string_equal(found->steps.items[0].groups.items[0].owner, "compiler team");
	assert_int_equal(found->missing, 0);
	attribution_free(found);

	found = attributed((const result *const[]){ a, b, useless, other }, 4, NULL, 0);
	assert_int_equal(found->answer, ATTRIBUTION_CONFOUNDED);
	assert_int_equal(found->missing, 1);
	attribution_free(found);
	result_free(other);
	result_free(useless);
	result_free(c);
	result_free(b);
	result_free(a);
}

/* A stack that is here and could be measured is proposed, one that does not help is not. */
static void proposed(void **state)
{
	result *a = variant("a.json", 0), *b = variant("b.json", COMPILER | KERNEL | SLOWER);
	result *c = variant("c.json", COMPILER), *d = variant("d.json", 0);
	attribution_candidate all[] = { { "host:same", &d->record->executor },
		                        { "host:useful", &c->record->executor } };
	attribution *found = attributed((const result *const[]){ a, b }, 2, all, 2);

	(void)state;
	assert_int_equal(found->answer, ATTRIBUTION_CONFOUNDED);
	assert_int_equal(found->proposed.count, 1);
	assert_string_equal(found->proposed.items[0], "host:useful");
	assert_int_equal(found->missing, 1);
	assert_string_equal(found->steps.items[0].to, "host:useful");
	assert_false(found->steps.items[0].measured);
	attribution_free(found);
	found = attributed((const result *const[]){ a, b }, 2, all, 1);
	assert_int_equal(found->proposed.count, 0);
	assert_int_equal(found->missing, 1);
	attribution_free(found);
	result_free(d);
	result_free(c);
	result_free(b);
	result_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers), cmocka_unit_test(makers_and_teams_are_named), cmocka_unit_test(unasked_cases_are_not_open), cmocka_unit_test(runs),
		cmocka_unit_test(a_pair_is_repeated_as_a_pair), cmocka_unit_test(between), cmocka_unit_test(proposed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
