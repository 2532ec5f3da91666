/* SPDX-License-Identifier: Apache-2.0 */
/* Where a text stands: every spelling that is looked for, and the places in JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/reach.h"

static bool holds(const char *wanted, const char *value)
{
	reach r = { .forms = { NULL, 0 } };
	bool found;

	reach_set(&r, wanted);
	found = reach_holds(&r, value);
	reach_clear(&r);
	return found;
}

static void spellings(void **state)
{
	(void)state;
	assert_true(holds("Jane", "Jane"));
	assert_true(holds("Jane", "made by JANE's team"));
	assert_true(holds("Jane", "x4a616e65y"));
	assert_true(holds("/home/jane", "file://%2Fhome%2fjane/x"));
	assert_true(holds("GPU-00112233-4455-6677", "gpu-00112233-4455-6677-89"));
	assert_true(holds("00112233-4455-6677", "0011223344556677"));
	assert_false(holds("Jane", "Jan e"));
	assert_false(holds("Jane", "%4"));
	assert_false(holds("Jan", "Jan"));
	assert_false(holds("", "anything"));
}

static void paths_of_a_list(void **state)
{
	(void)state;
	assert_true(holds("/home/jane/a.so:/usr/lib", "/home/jane/a.so"));
	assert_true(holds("/home/jane/a.so:/usr/lib", "x=/home/jane/a.so,y"));
	assert_false(holds("/home/jane/a.so:/usr/lib", "/usr/lib/libc.so.6"));
	assert_false(holds("/home/jane/a.so:/usr/lib", "/home/jane/a.so.1"));
}

static void places_in_json(void **state)
{
	static const char body[] = "{\"a\":[1,2,{\"b\":\"x Jane\"}],\"salts\":{\"Jane\":\"Jane\"},\"Jane\":true,"
		"\"fields\":{\"jane-x\":{\"value\":\"J\\u0061ne\"}},\"c\":[\"no\",\"jane\"],\"d\":null}";
	static const char *const wanted[] = { "a[2].b", "fields.jane-x", "fields.jane-x.value", "c[1]" };
	reach r = { .forms = { NULL, 0 } };
	text_list places = { NULL, 0 };
	eh_error error = ERROR_INIT;

	(void)state;
	reach_set(&r, "Jane");
	assert_int_equal(reach_find(&r, body, strlen(body), "x", &places, &error), EH_OK);
	assert_int_equal(places.count, 4);
	for (size_t i = 0; i < places.count; i++)
		assert_string_equal(places.items[i], wanted[i]);
	assert_int_equal(reach_find(&r, body, strlen(body) - 5, "x", &places, &error), EH_E_FORMAT);
	text_list_clear(&places);
	reach_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings),
		cmocka_unit_test(paths_of_a_list),
		cmocka_unit_test(places_in_json),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
