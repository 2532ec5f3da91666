/* SPDX-License-Identifier: Apache-2.0 */
/* Planning: sweeps, names of cases, the canonical form and its digest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/digest.h"
#include "json_tree.h"
#include "base/text.h"
#include "protocol/plan.h"
#include "protocol_fakes.h"

#define HEAD "[protocol]\nname = t\nversion = 1\nintent = x\n"

typedef struct planned { protocol *p; plan *plan; } planned;

static eh_status make(const char *s, planned *out, eh_error *error)
{
	eh_status status = protocol_parse(s, strlen(s), "t.ini", &out->p, error);

	out->plan = NULL;
	if (status != EH_OK)
		return status;
	status = plan_make(out->p, fake_find, NULL, &out->plan, error);
	if (status != EH_OK)
		protocol_free(out->p);
	return status;
}

static planned taken(const char *s)
{
	eh_error error = ERROR_INIT;
	planned out;

	if (make(s, &out, &error) != EH_OK)
		fail_msg("%s", error.message);
	return out;
}

static void drop(planned *x)
{
	plan_free(x->plan);
	protocol_free(x->p);
}

static void refused(const char *s, const char *says)
{
	eh_error error = ERROR_INIT;
	planned out;

	if (make(s, &out, &error) != EH_E_USAGE)
		fail_msg("was taken:\n%s", s);
	if (strstr(error.message, says) == NULL)
		fail_msg("says '%s', not '%s', of:\n%s", error.message, says, s);
}

/* The ids of the cases, joined by spaces. */
static void expect_ids(const char *s, const char *want)
{
	planned x = taken(s);
	text t = { 0 };

	for (size_t i = 0; i < x.plan->case_count; i++)
		text_add(&t, "%s%s", i > 0 ? " " : "", x.plan->cases[i].id);
	assert_string_equal(t.data, want);
	text_free(&t);
	drop(&x);
}

static void cases_are_named_and_ordered(void **state)
{
	(void)state;
	expect_ids(HEAD "[case triad]\nworkload = stream\nprecision = f32\nbytes = 64MiB\n"
	                "operation = triad\n", "triad.f32.64MiB");
	expect_ids(HEAD "[case s]\nworkload = stream\n", "s");
	/* In the workload's order of parameters, not the file's. */
	expect_ids(HEAD "[case s]\nworkload = stream\nbytes = 8192, 4096\noperation = dot, copy\n",
	           "s.dot.8KiB s.dot.4KiB s.copy.8KiB s.copy.4KiB");
	expect_ids(HEAD "[case s]\nworkload = stream\nitems = 1, 2\n", "s.items1 s.items2");
	/* A swept value is named even when the section's name holds it. */
	expect_ids(HEAD "[case stream-copy]\nworkload = stream\noperation = copy, add\n",
	           "stream-copy.copy stream-copy.add");
	expect_ids(HEAD "[case copy-64]\nworkload = stream\noperation = copy\nitems = 4\n",
	           "copy-64.items4");
	expect_ids(HEAD "[case gemm]\nworkload = gemm\nm = 512\nn = 512\nk = 512\n"
	                "precision = f32, f64\ntier = portable, tuned\n",
	           "gemm.f32.512 gemm.f32.512.tuned gemm.f64.512 gemm.f64.512.tuned");
	expect_ids(HEAD "[case gemm-512]\nworkload = gemm\nm = 512\nn = 512\nk = 512\ntier = tuned\n",
	           "gemm-512.tuned");
	expect_ids(HEAD "[case g]\nworkload = gemm\nm = 1, 2\nn = 2\nk = 2\n", "g.m1.n2.k2 g.2");
	expect_ids(HEAD "[case b]\nworkload = plain\n[case a]\nworkload = plain\n", "b a");
}

static void ids_are_unique(void **state)
{
	planned x = taken(HEAD
		"[case s]\nworkload = stream\noperation = copy, mul, add, triad, dot\n"
		"precision = f32, f64\nbytes = 4KiB, 8KiB, 1MiB\nitems = 1, 2, 3, 4\n"
		"tier = portable, tuned\n"
		"[case g]\nworkload = gemm\nm = 1,2,11\nn = 1,2,11\nk = 1,2,11\ntile = 1,2,11\n");

	(void)state;
	assert_int_equal(x.plan->case_count, 5 * 2 * 3 * 4 * 2 + 81);
	for (size_t i = 0; i < x.plan->case_count; i++)
		assert_ptr_equal(plan_case_by_id(x.plan, x.plan->cases[i].id), &x.plan->cases[i]);
	assert_null(plan_case_by_id(x.plan, "s"));
	drop(&x);
}

static void values_reach_the_case(void **state)
{
	planned x = taken(HEAD "seed = 77\n[case s]\nworkload = stream\nbytes = 1048576\nitems = 02\n"
	                       "operation = add\nsamples-min = 17\n");
	const plan_case *c = &x.plan->cases[0];

	(void)state;
	assert_string_equal(c->id, "s.add.1MiB.items2");
	assert_int_equal(c->values.value_count, 4);
	assert_int_equal(c->values.seed, 77);
	assert_string_equal(eh_case_text(&c->values, "bytes"), "1MiB");
	assert_int_equal(eh_case_number(&c->values, "bytes"), 1048576);
	assert_int_equal(eh_case_number(&c->values, "items"), 2);
	assert_int_equal(eh_case_number(&c->values, "operation"), 2);
	assert_string_equal(eh_case_text(&c->values, "precision"), "f32");
	assert_true(c->work.amount == 3.0 * 1048576);
	assert_int_equal(c->section->measure.samples_min, 17);
	drop(&x);
}

static void values_follow_what_the_device_has(void **state)
{
	planned x = taken(HEAD "units-unknown = 20\n[case s]\nworkload = stream\nbytes = 4 x llc\n"
	                       "[case g]\nworkload = gemm\nm = 3 x units, 7\nn = 1\nk = 1\n");
	eh_error error = ERROR_INIT;

	(void)state;
	assert_string_equal(x.plan->cases[0].id, "s.128MiB");
	assert_string_equal(x.plan->cases[1].id, "g.m96.n1.k1");
	assert_string_equal(x.plan->cases[2].id, "g.m7.n1.k1");
	assert_int_equal(x.plan->canonical->cache_bytes, 32 << 20);
	assert_int_equal(x.plan->canonical->compute_units, 32);
	assert_int_equal(x.plan->canonical->compute_units_unknown, 20);
	plan_free(x.plan);
	protocol_take_scale(x.p, PROTOCOL_CACHE, LAYOUT_NO_UINT);
	protocol_take_scale(x.p, PROTOCOL_UNITS, 132);
	assert_int_equal(plan_make(x.p, fake_find, NULL, &x.plan, &error), EH_OK);
	assert_string_equal(x.plan->cases[0].id, "s.128MiB");
	assert_string_equal(x.plan->cases[1].id, "g.m768.n1.k1");
	drop(&x);
	refused(HEAD "[case g]\nworkload = gemm\nm = 4 x llc\nn = 1\nk = 1\n", "m is a whole number");
	refused(HEAD "[case s]\nworkload = stream\nbytes = 4 x units\n", "bytes is");
}

static void senseless_cases_are_refused(void **state)
{
	static const struct { const char *section, *says; } bad[] = {
		{ "workload = nonesuch", "t.ini:5: there is no workload 'nonesuch'" },
		{ "workload = stream\nbites = 4096", "t.ini:7: 'bites' is neither a parameter of the workload "
		  "stream nor a key of the measurement; did you mean 'bytes'?" },
		{ "workload = stream\ntimemax = 4096", "did you mean 'time-max'?" },
		{ "workload = stream\noperation = tirad", "t.ini:7: operation is copy|mul|add|triad|dot, not "
		  "'tirad'; did you mean 'triad'?" },
		{ "workload = stream\noperation = copy,,add", "t.ini:7: the list of 'operation' has an empty" },
		{ "workload = stream\nbytes = 4096,", "has an empty item" },
		{ "workload = stream\nbytes = 1MiB, 1048576", "t.ini:7: 'bytes' lists 1MiB twice" },
		{ "workload = stream\nbytes = 1", "t.ini:7: bytes = 1 is out of range: it is 4KiB..1GiB" },
		{ "workload = stream\nbytes = much", "t.ini:7: bytes is a size such as 64MiB or 4096" },
		{ "workload = stream\nbytes = 5000", "t.ini:5: a.5000: stream: bytes=5000 is not a multiple" },
		{ "workload = stream\nitems = 1KiB", "t.ini:7: items is a whole number (1..32), not '1KiB'" },
		{ "workload = gemm\nm = 1\nn = 1",
		  "t.ini:5: [case a] lacks 'k', which the workload gemm needs" },
		{ "workload = plain\ntier = tuned", "the workload plain has nothing to tune" },
		{ "workload = clash", "has a parameter 'clock', which is the name of a key" },
		{ "workload = broken", "with the domain '0-100', which is not well formed" },
		{ "workload = liar\nlie = 1", "an unknown metric" },
		{ "workload = liar\nlie = 2", "an unknown timed region" },
		{ "workload = liar\nlie = 3", "not finite" },
		{ "workload = liar\nlie = 4", "negative or not finite" },
		{ "workload = liar\nlie = 5", "negative or not finite" },
		{ "workload = liar\nlie = 6", "too many defines" },
		{ "workload = liar\nlie = 7", "a text without its end" },
		{ "workload = liar\nlie = 8", "does not say why" },
	};
	text t = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *s = memory_format(HEAD "[case a]\n%s\n", bad[i].section);

		refused(s, bad[i].says);
		free(s);
	}
	text_add(&t, HEAD "[case a]\nworkload = gemm\nm = 1");
	for (int i = 2; i < 40; i++)
		text_add(&t, ",%d", i);
	text_add(&t, "\nn = 1");
	for (int i = 2; i < 40; i++)
		text_add(&t, ",%d", i);
	text_add(&t, "\nk = 1,2,3,4,5,6,7\n");
	refused(t.data, "more than 10000 cases");
	text_free(&t);
}

static void expect_same_digest(const char *a, const char *b, bool same)
{
	planned x = taken(a), y = taken(b);

	if ((strcmp(x.plan->digest, y.plan->digest) == 0) != same)
		fail_msg("the digests of these %s:\n%s\n---\n%s", same ? "differ" : "are equal", a, b);
	drop(&x);
	drop(&y);
}

static void spelling_does_not_change_the_digest(void **state)
{
	static const char base[] = HEAD
		"[measure]\ntime-max = 2s\nhalf-width = 1%\n"
		"[case s]\nworkload = stream\nbytes = 64MiB\noperation = copy, add\n";
	static const char *const same[] = {
		/* comments, white space, order of keys and of [measure] */
		"; hello\n[case s]\noperation=copy,add ; both\n  bytes\t=  64MiB\nworkload=stream\n"
		"[protocol]\r\nintent = x\r\nversion = 1\r\nname = t\r\n"
		"[measure]\nhalf-width = 1%\n# time\ntime-max = 2s\n\n",
		/* other spellings of the same values */
		HEAD "[measure]\ntime-max = 2000ms\nhalf-width = 0.01\n"
		"[case s]\nworkload = stream\nbytes = 67108864\noperation = copy, add\n",
		/* a default written out, and one given where the other gives it for all */
		HEAD "executions = 5\ncanary = yes\n[case s]\nworkload = stream\nbytes = 64MiB\n"
		"operation = copy, add\nprecision = f32\ntime-max = 2s\ntier = portable\n",
	};
	static const char *const other[] = {
		HEAD "[measure]\ntime-max = 2s\n[case s]\nworkload = stream\nbytes = 64MiB\n"
		"operation = add, copy\n",
		HEAD "[measure]\ntime-max = 2001ms\n[case s]\nworkload = stream\nbytes = 64MiB\n"
		"operation = copy, add\n",
		HEAD "seed = 2\n[measure]\ntime-max = 2s\n[case s]\nworkload = stream\nbytes = 64MiB\n"
		"operation = copy, add\n",
		HEAD "[measure]\ntime-max = 2s\n[case r]\nworkload = stream\nbytes = 64MiB\n"
		"operation = copy, add\n",
		HEAD "compatible = t@9\n[measure]\ntime-max = 2s\n[case s]\nworkload = stream\n"
		"bytes = 64MiB\noperation = copy, add\n",
	};

	(void)state;
	/* Precision appears in the id when it is given, so that one differs in the id alone. */
	for (size_t i = 0; i < 2; i++)
		expect_same_digest(base, same[i], true);
	expect_same_digest(
		HEAD "executions = 5\ncanary = yes\n[case s]\nworkload = stream\nbytes = 64MiB\n"
		"operation = copy, add\ntime-max = 2s\ntier = portable\n", base, true);
	expect_same_digest(base, same[2], false);
	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		expect_same_digest(base, other[i], false);
}

static void canonical_form_says_everything(void **state)
{
	planned x = taken(HEAD "compatible = t@9\n[case g]\nworkload = gemm\nm = 2\nn = 3\nk = 4\n"
	                       "tier = tuned\n");
	cJSON *tree = tree_encode(record_plan_layout(), x.plan->canonical);
	char *canonical = json_canonical(tree);
	char hex[65];

	(void)state;
	assert_string_equal(canonical,
		"{\"canary\":true,\"cases\":[{\"id\":\"g.m2.n3.k4.tuned\",\"measure\":{"
		"\"cache\":\"warm\",\"clock\":\"device\",\"confidence\":0.95,\"half_width\":0.01,"
		"\"margin\":0.01,\"proof_ns\":100000000,\"regime\":\"burst\",\"samples_max\":10000,"
		"\"samples_min\":30,\"time_max_ns\":5000000000,\"time_min_ns\":500000000,"
		"\"timeout_ns\":120000000000,\"tune_budget_ns\":10000000000,"
		"\"tune_space\":\"tile=4, 8, 16\",\"warmup_max_ns\":2000000000,"
		"\"warmup_min_ns\":50000000},\"parameters\":{\"k\":\"4\",\"m\":\"2\",\"n\":\"3\","
		"\"precision\":\"f32\",\"tile\":\"8\"},\"precision\":\"f32\",\"revision\":3,"
		"\"tier\":\"tuned\",\"work\":{\"amount\":48,\"bytes\":0,\"bytes_formula\":\"\","
		"\"flops\":48,\"flops_formula\":\"\",\"metric\":\"flop/s\",\"region\":\"execution\","
		"\"working_set_bytes\":0},\"workload\":\"gemm\"}],\"compatible\":[\"t@9\"],"
		"\"executions\":5,\"intent\":\"x\",\"interleave\":true,\"name\":\"t\",\"seed\":1,"
		"\"version\":1}");
	digest_bytes(canonical, strlen(canonical), hex);
	assert_string_equal(hex, x.plan->digest);
	cJSON_Delete(tree);
	free(canonical);
	drop(&x);
}

static void candidates_replace_values(void **state)
{
	planned x = taken(HEAD "[case s]\nworkload = stream\nbytes = 64MiB\ntier = tuned\n");
	const plan_case *c = &x.plan->cases[0];
	const char *const keys[] = { "items", "bytes" };
	const char *const texts[] = { "2", "8KiB" };
	const char *const bad_texts[] = { "2", "5000" };
	const char *const no_keys[] = { "itmes" };
	eh_error error = ERROR_INIT;
	eh_case values;
	eh_work work;

	(void)state;
	assert_int_equal(plan_values_with(c, keys, texts, 2, &values, &work, &error), EH_OK);
	assert_int_equal(eh_case_number(&values, "items"), 2);
	assert_string_equal(eh_case_text(&values, "bytes"), "8KiB");
	assert_int_equal(values.seed, c->values.seed);
	assert_true(work.amount == 3.0 * 8192);
	assert_int_equal(eh_case_number(&c->values, "items"), 4);
	plan_values_free(&values);
	assert_int_equal(plan_values_with(c, keys, bad_texts, 2, &values, &work, &error),
	                 EH_E_INVALID_ARGUMENT);
	assert_non_null(strstr(error.message, "not a multiple"));
	assert_int_equal(plan_values_with(c, no_keys, texts, 1, &values, &work, &error),
	                 EH_E_INVALID_ARGUMENT);
	assert_int_equal(plan_values_with(c, NULL, NULL, 0, &values, &work, &error), EH_OK);
	plan_values_free(&values);
	drop(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cases_are_named_and_ordered),
		cmocka_unit_test(ids_are_unique),
		cmocka_unit_test(values_reach_the_case),
		cmocka_unit_test(values_follow_what_the_device_has),
		cmocka_unit_test(senseless_cases_are_refused),
		cmocka_unit_test(spelling_does_not_change_the_digest),
		cmocka_unit_test(canonical_form_says_everything),
		cmocka_unit_test(candidates_replace_values),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
