/* SPDX-License-Identifier: Apache-2.0 */
/* Where a text stands: every spelling that is looked for, and the places in JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#include "audit/filesearch.h"
#include "base/text.h"
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

static void letters_of_all_of_utf8(void **state)
{
	(void)state;
	assert_true(holds("Jörg Müller", "Büro JÖRG MÜLLER"));
	assert_true(holds("JÖRG", "jörg"));
	assert_true(holds("Jörg", "J%C3%96RG"));
	assert_true(holds("Jörg", "J\xc3%96rg"));
	assert_true(holds("ЖУКОВ", "Жуков"));
	assert_true(holds("𐐀𐐁", "𐐨𐐩"));
	assert_true(holds("/home/Jörg/a.so:/usr/lib", "/HOME/JÖRG/A.SO"));
	assert_true(holds("\xff\xc3(\xe2\x82", "x\xff\xc3(\xe2\x82"));
	assert_true(holds("Jane", "%00J%41NE"));
	/* The small letter takes more bytes. */
	assert_true(holds("ȺȺ", "ȺȺ"));
	assert_false(holds("ȺȺ", "ⱥⱥ"));
	assert_false(holds("Jörg", "Jorg"));
	assert_false(holds("Jörg", "J\xd6rg"));
}

static void hex_digits_of_letters(void **state)
{
	(void)state;
	assert_true(holds("Jane", "4a616e65"));
	assert_true(holds("Jane", "6A616E65"));
	assert_true(holds("Jane", "4a414e45"));
	assert_true(holds("jÖrg", "4ac3965247"));
	assert_true(holds("jÖrg", "6ac3b67267"));
	assert_false(holds("Jane", "6a414e45"));
}

static void dashes_of_identifiers(void **state)
{
	(void)state;
	assert_true(holds("0011223344556677889900AABBCCDDEE", "GPU-00112233-4455-6677-8899-00aabbccddee"));
	assert_true(holds("00112233-4455-6677-8899-00aabbccddee", "0011223344556677889900AABBCCDDEE"));
	assert_false(holds("0011223344556677889900aabbccddee0", "00112233-4455-6677-8899-00aabbccddee"));
	assert_false(holds("0011223344556677889900aabbccddeg", "00112233-4455-6677-8899-00aabbccddeg"));
}

/* Whether a file of so many bytes, the text and a line end holds the wanted one. */
static bool in_file(const char *wanted, size_t before, const char *words)
{
	reach r = { .forms = { NULL, 0 } };
	char *bytes = memory_get(before + 1);
	FILE *file = tmpfile();
	size_t left = 1 << 20;
	enum filesearch answer;

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, before, file), before);
	assert_true(fprintf(file, "%s\n", words) > 0);
	rewind(file);
	reach_set(&r, wanted);
	answer = filesearch_of(&r, fileno(file), &left);
	assert_true(answer == FILESEARCH_FOUND || answer == FILESEARCH_ABSENT);
	reach_clear(&r);
	fclose(file);
	free(bytes);
	return answer == FILESEARCH_FOUND;
}

/* The bytes come in pieces of 256 KiB. */
static void letters_in_files(void **state)
{
	static const char *const same[] = {
		"JÖRG 𐐀Ж", "jörg 𐐨ж", "J\\u00D6rg \\ud801\\udc00\\u0416", "J%C3%96rg%20%F0%90%90%80%d0%96",
		"J\\u0025C3%96rg \xf0%90\x90%80Ж",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
		assert_true(in_file("jÖrg 𐐀ж", 0, same[i]));
		for (size_t before = 1; before <= strlen(same[i]); before++)
			assert_true(in_file("jÖrg 𐐀ж", (1 << 18) - before, same[i]));
	}
	assert_true(in_file("JÖRG", 0, "x\xc3jörg\xc3"));
	assert_true(in_file("/home/JÖRG:/usr", (1 << 18) - 8, "PATH=/home/jörg"));
	assert_false(in_file("/home/JÖRG:/usr", (1 << 18) - 8, "PATH=/home/jörgß"));
	assert_false(in_file("jÖrg 𐐀ж", 0, "jorg 𐐨ж"));
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
		cmocka_unit_test(letters_of_all_of_utf8),
		cmocka_unit_test(hex_digits_of_letters),
		cmocka_unit_test(dashes_of_identifiers),
		cmocka_unit_test(letters_in_files),
		cmocka_unit_test(paths_of_a_list),
		cmocka_unit_test(places_in_json),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
