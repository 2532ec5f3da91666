/* SPDX-License-Identifier: Apache-2.0 */
/* Structs from and to JSON by their layout: every kind of member, what is refused and where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "json_tree.h"
#include "base/layout_describe.h"
#include "base/text.h"

#define LAYOUT_FILE "test_layout.def"
#define LAYOUT_NAME(name) sample_##name
#include "base/layout_structs.h"
#include "base/layout_tables.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define MUST "\"must_text\":\"t\",\"truth\":true,\"colour\":\"red\",\"must_object\":{\"n\":1}"

static const char everything[] =
	"{\"must_text\":\"t\",\"may_text\":\"\",\"digest\":\"" HEX "\",\"maybe_digest\":\"\",\"truth\":true,"
	"\"perhaps\":false,\"number\":0.1,\"uint\":\"18446744073709551614\",\"whole\":-3,\"scalar\":\"x\","
	"\"colour\":\"blue\",\"colours\":[\"red\",\"blue\"],\"texts\":[\"a\",\"b\"],"
	"\"uints\":[1,\"9007199254740993\"],\"numbers\":[0.5,-1],\"text_by\":{\"k\":\"v\"},"
	"\"number_by\":{\"k\":2},\"texts_by\":{\"k\":[\"v\"]},\"must_object\":{\"n\":1},"
	"\"may_object\":{\"n\":2},\"list\":[{\"n\":3},{\"n\":4}],"
	"\"map\":{\"first\":{\"value\":1.5,\"note\":\"x\"},\"second\":{\"value\":2}}}";

static eh_status read_all(const char *body, sample_all *out, eh_error *error)
{
	layout_init(sample_all_layout(), out);
	return layout_read(sample_all_layout(), body, strlen(body), "FILE", out, error);
}

static void refused(const char *body, const char *message)
{
	eh_error error = ERROR_INIT;
	sample_all all;

	assert_int_equal(read_all(body, &all, &error), EH_E_FORMAT);
	assert_string_equal(error.message, message);
	/* Nothing is left to free. */
	assert_null(all.must_text);
}

static void test_round_trip(void **state)
{
	sample_all all;
	char *back;

	(void)state;
	assert_int_equal(read_all(everything, &all, NULL), EH_OK);
	assert_string_equal(all.map.items[1].name, "second");
	assert_true(isnan(all.map.items[0].value - NAN));
	assert_int_equal(all.colour, SAMPLE_BLUE);
	assert_true(word_list_has(&all.colours, SAMPLE_RED));
	assert_true(all.uint == UINT64_MAX - 1);
	back = layout_text(sample_all_layout(), &all, false);
	assert_string_equal(back, everything);
	free(back);
	layout_clear(sample_all_layout(), &all);
}

static void test_absent(void **state)
{
	sample_all all;
	char *back;

	(void)state;
	assert_int_equal(read_all("{" MUST "}", &all, NULL), EH_OK);
	assert_null(all.may_text);
	assert_true(isnan(all.number));
	assert_true(all.uint == LAYOUT_NO_UINT);
	assert_int_equal(all.whole, LAYOUT_NO_INT);
	assert_int_equal(all.perhaps, MAYBE_ABSENT);
	assert_null(all.uints.items);
	assert_null(all.may_object);
	back = layout_text(sample_all_layout(), &all, false);
	assert_string_equal(back, "{" MUST "}");
	free(back);
	layout_clear(sample_all_layout(), &all);
	/* An empty list is there. */
	assert_int_equal(read_all("{" MUST ",\"uints\":[],\"list\":[],\"map\":{}}", &all, NULL), EH_OK);
	assert_non_null(all.uints.items);
	back = layout_text(sample_all_layout(), &all, false);
	assert_non_null(strstr(back, "\"uints\":[]"));
	assert_non_null(strstr(back, "\"map\":{}"));
	free(back);
	layout_clear(sample_all_layout(), &all);
}

static void test_refused(void **state)
{
	static const struct { const char *body, *message; } cases[] = {
		{ "[]", "FILE: the whole is not an object" },
		{ "{\"must_text\":\"t\"}", "FILE: truth is missing" },
		{ "{" MUST ",\"other\":1}", "FILE: other is not part of the format" },
		{ "{" MUST ",\"may_text\":1}", "FILE: may_text is not text" },
		{ "{" MUST ",\"digest\":\"\"}", "FILE: digest is not a SHA-256 of 64 hex digits" },
		{ "{" MUST ",\"number\":\"1\"}", "FILE: number is not a number" },
		{ "{" MUST ",\"uint\":-1}", "FILE: uint is not a whole number that is not negative" },
		{ "{" MUST ",\"uint\":1.5}", "FILE: uint is not a whole number that is not negative" },
		/* One number has one spelling. */
		{ "{" MUST ",\"uint\":\"5\"}", "FILE: uint is not a whole number that is not negative" },
		{ "{" MUST ",\"uint\":\"18446744073709551615\"}",
		  "FILE: uint is not a whole number that is not negative" },
		{ "{" MUST ",\"whole\":1e10}", "FILE: whole is not a whole number" },
		{ "{" MUST ",\"scalar\":[]}", "FILE: scalar is not text, a number, true or false" },
		{ "{" MUST ",\"colours\":[\"red\",\"green\"]}", "FILE: colours is not one of red|blue" },
		{ "{" MUST ",\"uints\":[1,-1]}",
		  "FILE: uints is not an array of whole numbers that are not negative" },
		{ "{" MUST ",\"texts_by\":{\"k\":[1]}}", "FILE: texts_by is not an object of arrays of texts" },
		{ "{" MUST ",\"may_object\":{}}", "FILE: may_object.n is missing" },
		{ "{" MUST ",\"list\":[{\"n\":1},{\"n\":true}]}",
		  "FILE: list[1].n is not a whole number that is not negative" },
		{ "{" MUST ",\"map\":{\"a\\u0007b\":{\"value\":[]}}}", "FILE: map.a?b.value is not a number" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		refused(cases[i].body, cases[i].message);
}

/* Facts of a machine may hold any bytes. */
static void test_bytes(void **state)
{
	sample_all all;
	char *body;

	(void)state;
	layout_init(sample_all_layout(), &all);
	text_set(&all.must_text, "caf\xe9");
	all.scalar = (scalar){ .kind = SCALAR_TEXT, .text = memory_text("caf\xe9") };
	all.colour = SAMPLE_RED;
	body = layout_text(sample_all_layout(), &all, false);
	assert_non_null(strstr(body, "\"must_text\":\"caf\xef\xbf\xbd\""));
	assert_non_null(strstr(body, "\"scalar\":\"caf\xef\xbf\xbd\""));
	free(body);
	layout_clear(sample_all_layout(), &all);
}

static void test_doubled(void **state)
{
	(void)state;
	refused("{" MUST ",\"truth\":false}", "FILE: truth occurs twice");
	refused("{" MUST ",\"tr\\u0075th\":false}", "FILE: truth occurs twice");
	refused("{" MUST ",\"text_by\":{\"k\":\"v\",\"l\":\"v\",\"\\u006b\":\"w\"}}",
	        "FILE: text_by has a member twice");
	refused("{" MUST ",\"map\":{\"k\":{\"value\":1},\"k\":{\"value\":1}}}",
	        "FILE: map has a member twice");
}

/* Not in quadratic time: 10^10 comparisons would be minutes. */
static void test_many_names(void **state)
{
	enum { MANY = 100000 };
	text body = { 0 };
	sample_all all;

	(void)state;
	text_add(&body, "{" MUST ",\"text_by\":");
	for (int i = 0; i < MANY; i++)
		text_add(&body, "%c\"n%d\":\"\"", i == 0 ? '{' : ',', i);
	text_add(&body, "}}");
	assert_int_equal(read_all(body.data, &all, NULL), EH_OK);
	assert_int_equal(all.text_by.count, MANY);
	layout_clear(sample_all_layout(), &all);
	body.size -= 2;
	text_add(&body, ",\"n%d\":\"\"}}", MANY / 2);
	refused(body.data, "FILE: text_by has a member twice");
	text_free(&body);
}

/* Members in any order, and names with escapes, give the same canonical text: that of the tree. */
static void test_canonical_of_all(void **state)
{
	cJSON *tree = cJSON_Parse(everything);
	char *want = json_canonical(tree);
	sample_all all;

	(void)state;
	for (int turn = 0; turn < cJSON_GetArraySize(tree); turn++) {
		cJSON *first = cJSON_DetachItemFromArray(tree, 0);
		char *body, *canonical;

		cJSON_AddItemToObject(tree, first->string, first);
		body = json_text(tree, turn % 2 == 0);
		assert_int_equal(read_all(body, &all, NULL), EH_OK);
		canonical = layout_canonical(sample_all_layout(), &all, NULL);
		assert_string_equal(canonical, want);
		layout_clear(sample_all_layout(), &all);
		free(canonical);
		free(body);
	}
	free(want);
	cJSON_Delete(tree);
}

static void test_canonical(void **state)
{
	sample_inner inner = { (char *)"key", 2.50, (char *)"a note" };
	char *whole = layout_canonical(sample_inner_layout(), &inner, NULL);
	char *part = layout_canonical(sample_inner_layout(), &inner, "value");

	(void)state;
	assert_string_equal(whole, "{\"note\":\"a note\",\"value\":2.5}");
	assert_string_equal(part, "{\"note\":\"a note\"}");
	free(part);
	free(whole);
}

static void test_compare(void **state)
{
	sample_all a, b;

	(void)state;
	assert_int_equal(read_all(everything, &a, NULL), EH_OK);
	layout_init(sample_all_layout(), &b);
	layout_copy(sample_all_layout(), &a, &b);
	assert_true(layout_same(sample_all_layout(), &a, &b));
	b.list.items[1].n++;
	assert_string_equal(layout_difference(sample_all_layout(), &a, &b)->key, "list");
	b.list.items[1].n--;
	b.number = NAN;
	assert_string_equal(layout_difference(sample_all_layout(), &a, &b)->key, "number");
	a.number = NAN;
	assert_true(layout_same(sample_all_layout(), &a, &b));
	free(b.map.items[0].name);
	b.map.items[0].name = memory_text("other");
	assert_string_equal(layout_difference(sample_all_layout(), &a, &b)->key, "map");
	layout_clear(sample_all_layout(), &a);
	layout_clear(sample_all_layout(), &b);
}

static void test_maps_have_no_order(void **state)
{
	static const char *const bodies[] = {
		"{" MUST ",\"text_by\":{\"x\":\"1\",\"y\":\"2\"},\"map\":{\"k\":{\"value\":1},\"l\":{\"value\":2}}}",
		"{" MUST ",\"text_by\":{\"y\":\"2\",\"x\":\"1\"},\"map\":{\"l\":{\"value\":2},\"k\":{\"value\":1}}}",
		"{" MUST ",\"text_by\":{\"y\":\"1\",\"x\":\"2\"},\"map\":{\"k\":{\"value\":1},\"l\":{\"value\":2}}}",
		"{" MUST ",\"text_by\":{\"x\":\"1\",\"y\":\"2\"},\"map\":{\"k\":{\"value\":2},\"l\":{\"value\":1}}}",
		"{" MUST ",\"text_by\":{\"x\":\"1\",\"z\":\"2\"},\"map\":{\"k\":{\"value\":1},\"l\":{\"value\":2}}}",
	};
	sample_all all[5];

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(read_all(bodies[i], &all[i], NULL), EH_OK);
	assert_true(layout_same(sample_all_layout(), &all[0], &all[1]));
	assert_string_equal(layout_difference(sample_all_layout(), &all[0], &all[2])->key, "text_by");
	assert_string_equal(layout_difference(sample_all_layout(), &all[0], &all[3])->key, "map");
	assert_string_equal(layout_difference(sample_all_layout(), &all[0], &all[4])->key, "text_by");
	for (size_t i = 0; i < 5; i++)
		layout_clear(sample_all_layout(), &all[i]);
}

/* Keys are not searched for one after the other: that took 17 s here. */
static void test_large_maps(void **state)
{
	enum { MANY = 100000 };
	number_map empty = { 0 };
	sample_all all[2];
	clock_t from = clock();

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(read_all("{" MUST "}", &all[i], NULL), EH_OK);
		assert_memory_equal(&all[i].number_by, &empty, sizeof(empty));
		for (size_t k = 0; k < MANY; k++) {
			size_t n = i == 0 ? k : MANY - 1 - k;
			char *key = memory_format("k%zu", n);

			number_map_add(&all[i].number_by, key, (double)n);
			free(key);
		}
	}
	assert_true(layout_same(sample_all_layout(), &all[0], &all[1]));
	all[1].number_by.items[7].value = 0.5;
	assert_false(layout_same(sample_all_layout(), &all[0], &all[1]));
	assert_true(clock() - from < 5 * CLOCKS_PER_SEC);
	layout_clear(sample_all_layout(), &all[0]);
	layout_clear(sample_all_layout(), &all[1]);
}

static void test_lists(void **state)
{
	static const uint64_t five[] = { 1, 2, 3, 4, 5 };
	uint_list list = { 0 };
	text_list texts = { 0 };
	sample_all_list objects = { 0 };

	(void)state;
	uint_list_set(&list, five, 5);
	for (uint64_t i = 6; i < 100; i++)
		uint_list_add(&list, i);
	for (size_t i = 0; i < list.count; i++)
		assert_true(list.items[i] == i + 1);
	assert_int_equal(list.count, 99);
	free(list.items);
	for (int i = 0; i < 9; i++)
		text_list_format(&texts, "%d", i);
	assert_true(text_list_has(&texts, "8"));
	assert_false(text_list_has(&texts, "9"));
	for (size_t i = 0; i < texts.count; i++)
		free(texts.items[i]);
	free(texts.items);
	for (int i = 0; i < 3; i++)
		text_set(&((sample_all *)layout_append(sample_all_layout(), &objects))->must_text, "t");
	layout_list_clear(sample_all_layout(), &objects);
	assert_null(objects.items);
	assert_int_equal(objects.count, 0);
}

static void test_documents(void **state)
{
	const layout *const roots[] = { sample_all_layout(), NULL };
	char *written = layout_schema(sample_all_layout(), "everything");
	cJSON *schema = cJSON_Parse(written);
	text tables = { 0 };

	(void)state;
	assert_string_equal(json_string(json_path(schema, "properties.colour"), "description", ""),
	                    "A word.");
	assert_int_equal(cJSON_GetArraySize(json_path(schema, "required")), 4);
	assert_non_null(json_path(json_path(schema, "$defs"), "inner"));
	cJSON_Delete(schema);
	free(written);
	layout_markdown(roots, &tables);
	assert_non_null(strstr(tables.data, "| `value` | number | s |  | A number. |"));
	assert_non_null(strstr(tables.data, "| `colours` | [colour](#colour) list |  | optional | Words. |"));
	assert_non_null(strstr(tables.data, "| `blue` | Like the sky. |"));
	text_free(&tables);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip), cmocka_unit_test(test_absent),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_bytes),    cmocka_unit_test(test_doubled),
		cmocka_unit_test(test_many_names), cmocka_unit_test(test_canonical_of_all),
		cmocka_unit_test(test_canonical),
		cmocka_unit_test(test_compare),    cmocka_unit_test(test_maps_have_no_order),
		cmocka_unit_test(test_large_maps),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_documents),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
