/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
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
#include "base/random.h"
#include "base/text.h"

static void hostile_texts_are_refused(void **state)
{
	static const struct { const char *s, *says; } bad[] = {
		{ "", "t:1:1: this is not valid JSON" },
		{ "{} x", "t:1:4: there is text after" },
		{ "{}{}", "t:1:3: there is text after" },
		{ "[1,]", "t:1:4: this is not valid JSON" },
		{ "[1 2]", "t:1:4: this is not valid JSON" },
		{ "{\"a\" 1}", "t:1:6: this is not valid JSON" },
		{ "{a:1}", "t:1:2: this is not valid JSON" },
		{ "[01]", "a number does not begin with 0" },
		{ "[-]", "a digit is missing" },
		{ "[1.]", "after the point" },
		{ "[.5]", "t:1:2: this is not valid JSON" },
		{ "[+1]", "t:1:2: this is not valid JSON" },
		{ "[1e]", "exponent" },
		{ "[1e999]", "beyond the range" },
		{ "[-1e999]", "beyond the range" },
		{ "[NaN]", "t:1:2: this is not valid JSON" },
		{ "[Infinity]", "t:1:2: this is not valid JSON" },
		{ "[0x10]", "t:1:3: this is not valid JSON" },
		{ "[1111111111111111111111111111111111111111111111111111111111111111]", "60 characters" },
		{ "[\"a\nb\"]", "control character" },
		{ "[\"a", "within a string" },
		{ "[\"\\x\"]", "t:1:3: this is not valid JSON" },
		{ "[\"\\u12\"]", "four hexadecimal digits" },
		{ "[\"\\u0000\"]", "not all 0" },
		{ "[\"\\ud800\"]", "t:1:3: this is not valid JSON" },
		{ "[\"\\ud800\\u0041\"]", "t:1:3: this is not valid JSON" },
		{ "[\"\\udc00\"]", "t:1:3: this is not valid JSON" },
		{ "[\"\xff\"]", "not UTF-8" },
		{ "[\"\xed\xa0\x80\"]", "not UTF-8" },
		{ "{\n\n  \"a\": tru }", "t:3:8: this is not valid JSON" },
		{ "\xef\xbb\xbf{}", "t:1:1: a byte that is not part of JSON" },
		{ "// c\n{}", "t:1:1: this is not valid JSON" },
		{ "[-.5]", "a digit is missing" },
		{ "[-01]", "a number does not begin with 0" },
		{ "[1.e5]", "after the point" },
		{ "[1-2]", "t:1:3: this is not valid JSON" },
		{ "[1.5.5]", "t:1:5: this is not valid JSON" },
		{ "[1,\v2]", "t:1:4: a byte that is not part of JSON" },
		{ "[\x7f]", "t:1:2: this is not valid JSON" },
		{ "[\"\\uzzzz\"]", "t:1:3: \\u takes four hexadecimal digits" },
		{ "[\"\\ud800\\u\"]", "t:1:9: \\u takes four hexadecimal digits" },
		{ "{\"a\":1,", "t:1:8: the text ends within an object or array" },
		{ "[[1]", "t:1:5: the text ends within an object or array" },
		{ "[1}", "t:1:3: this is not valid JSON" },
		{ "]", "t:1:1: this is not valid JSON" },
		{ "1 2", "t:1:3: there is text after the value" },
		{ "nul", "t:1:1: this is not valid JSON" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		eh_error error = ERROR_INIT;
		cJSON *item = NULL;

		if (json_parse(bad[i].s, strlen(bad[i].s), "t", &item, &error) != EH_E_FORMAT)
			fail_msg("was taken: %s", bad[i].s);
		if (strstr(error.message, bad[i].says) == NULL)
			fail_msg("%s: says '%s', not '%s'", bad[i].s, error.message, bad[i].says);
		assert_null(item);
	}
}

static void depth_and_nul_are_refused(void **state)
{
	eh_error error = ERROR_INIT;
	cJSON *item = NULL;
	text t = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		text_add_bytes(&t, "[", 1);
	assert_int_equal(json_parse(t.data, t.size, "t", &item, &error), EH_E_FORMAT);
	assert_non_null(strstr(error.message, "64 levels"));
	text_free(&t);
	assert_int_equal(json_parse("[1]\0", 4, "t", &item, &error), EH_E_FORMAT);
	assert_int_equal(json_parse("[\"a\0\"]", 6, "t", &item, &error), EH_E_FORMAT);
	for (int i = 0; i < 64; i++)
		text_add_bytes(&t, "[", 1);
	for (int i = 0; i < 64; i++)
		text_add_bytes(&t, "]", 1);
	assert_int_equal(json_parse(t.data, t.size, "t", &item, &error), EH_OK);
	cJSON_Delete(item);
	text_free(&t);
}

static void every_prefix_of_a_text_is_refused(void **state)
{
	static const char whole[] =
		"{\"a\":[1,-2.5e-3,\"x\\u00e4\\ud83d\\ude00\\n\",true,false,null],\"b\":{\"c\":{}}}";
	eh_error error = ERROR_INIT;
	cJSON *item = NULL;

	(void)state;
	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		/* Exactly n bytes, so that a read beyond the end is seen by the sanitizer. */
		char *copy = malloc(n + (n == 0));

		memcpy(copy, whole, n);
		assert_int_equal(json_parse(copy, n, "t", &item, &error), EH_E_FORMAT);
		free(copy);
	}
	assert_int_equal(json_parse(whole, sizeof(whole) - 1, "t", &item, &error), EH_OK);
	cJSON_Delete(item);
}

static char *canonical_of(const char *s)
{
	eh_error error = ERROR_INIT;
	cJSON *item = NULL;
	char *out;

	if (json_parse(s, strlen(s), "t", &item, &error) != EH_OK)
		fail_msg("%s", error.message);
	out = json_canonical(item);
	cJSON_Delete(item);
	return out;
}

static void canonical_form_is_rfc8785(void **state)
{
	static const struct { const char *from, *to; } pairs[] = {
		{ "{\n \"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],"
		  "\"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\","
		  "\"literals\": [null, true, false] }",
		  "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
		  "\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}" },
		{ "{\"\\u20ac\":1,\"\\r\":2,"
		  "\"\\ufb33\":3,\"1\":4,\"\\ud83d\\ude00\":5,\"\\u0080\":6,\"\\u00f6\":7}",
		  "{\"\\r\":2,\"1\":4,\"\xc2\x80\":6,\"\xc3\xb6\":7,\"\xe2\x82\xac\":1,"
		  "\"\xf0\x9f\x98\x80\":5,\"\xef\xac\xb3\":3}" },
		{ "[-0, -0.0, 0e5]", "[0,0,0]" },
		{ "{\"b\":{},\"a\":[]}", "{\"a\":[],\"b\":{}}" },
		{ "\"\\u007f\\u001f\\b\\f\\t\"", "\"\x7f\\u001f\\b\\f\\t\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *got = canonical_of(pairs[i].from);

		assert_string_equal(got, pairs[i].to);
		free(got);
	}
}

/* Of a value within a text: messages count from the text's beginning, levels from the one given. */
static void parts_know_their_place(void **state)
{
	static const char given[] = "{\n\"a\": [1, tru],\n\"b\": [[2]]}";
	static const struct { json_span part; int level; const char *says; } cases[] = {
		{ { 7, 15 }, 1, "t:2:10: this is not valid JSON" },
		{ { 22, 27 }, 62, NULL },
		{ { 22, 27 }, 63, "t:3:7: more than 64 levels" },
		{ { 22, 25 }, 1, "t:3:9: the text ends within an object or array" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		eh_error error = ERROR_INIT;
		json_scan s = json_scan_of(given, cases[i].part, cases[i].level, "t", &error);
		eh_status status = json_scan_skip(&s);

		assert_int_equal(status, cases[i].says == NULL ? EH_OK : EH_E_FORMAT);
		if (cases[i].says != NULL)
			assert_string_equal(error.message, cases[i].says);
	}
}

static void members_are_found(void **state)
{
	static const char given[] = "{ \"a\" : {\"b\":[1]}, \"\\u0062\":2, \"b\" :\"x\" }";
	json_scan s = json_scan_of(given, (json_span){ 0, sizeof(given) - 1 }, 0, "t", NULL);
	json_scan again = s;
	json_quoted value;
	bool found;

	(void)state;
	assert_int_equal(json_scan_find(&s, "b", &found), EH_OK);
	assert_true(found);
	assert_int_equal(json_scan_string(&s, &value), EH_OK);
	assert_true(json_quoted_is(value, "x"));
	s = again;
	assert_int_equal(json_scan_find(&s, "c", &found), EH_OK);
	assert_false(found);
	assert_int_equal(json_scan_end(&s), EH_OK);
	s = json_scan_of("[1]", (json_span){ 0, 3 }, 0, "t", NULL);
	assert_int_equal(json_scan_find(&s, "a", &found), EH_OK);
	assert_false(found);
	s = json_scan_of("{\"b\":1,}", (json_span){ 0, 8 }, 0, "t", NULL);
	assert_int_equal(json_scan_find(&s, "a", &found), EH_E_FORMAT);
}

static int order_of_units(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	/* A character of four bytes is two surrogates, below U+E000. */
	if (((unsigned char)*a >= 0xf0) != ((unsigned char)*b >= 0xf0) &&
	    ((unsigned char)*a >= 0xee) == ((unsigned char)*b >= 0xee))
		return (unsigned char)*a >= 0xf0 ? -1 : 1;
	return (unsigned char)*a < (unsigned char)*b ? -1 : *a != *b;
}

/* Names that are alike for long, or not ASCII, in objects of many sizes; and a digest of any length is
 * that of the text. */
static void canonical_members_are_in_order(void **state)
{
	static const char *const pieces[] = { "compute_", "a", "\xc3\xa4", "\xef\xbf\xbd", "Z",
		                              "\xf0\x9f\x98\x80", "\xee\x80\x80", "before", "" };
	random_state r;

	(void)state;
	random_seed(&r, 3);
	for (size_t n = 0; n < 80; n += n < 40 ? 1 : 9) {
		cJSON *object = cJSON_CreateObject();
		cJSON *sorted = NULL;
		eh_error error = ERROR_INIT;
		char *body;
		char hex[65];
		char want[65];
		const cJSON *item;

		for (size_t i = 0; i < n; i++) {
			char *name = memory_format("%s%s%s%zu", pieces[random_below(&r, 9)],
			                           pieces[random_below(&r, 9)],
			                           pieces[random_below(&r, 9)], i);
			char *value = memory_get(1 + 1000);

			memset(value, '"', (size_t)random_below(&r, 1000));
			json_add_string(object, name, value);
			free(value);
			free(name);
		}
		body = json_canonical(object);
		assert_int_equal(json_parse(body, strlen(body), "x", &sorted, &error), EH_OK);
		assert_int_equal(cJSON_GetArraySize(sorted), (int)n);
		cJSON_ArrayForEach(item, sorted)
			assert_true(item->next == NULL ||
			            order_of_units(item->string, item->next->string) < 0);
		digest_bytes(body, strlen(body), want);
		json_digest(object, hex);
		assert_string_equal(hex, want);
		free(body);
		cJSON_Delete(sorted);
		cJSON_Delete(object);
	}
}

/* Plain runs end in the right place, whatever stands at which byte. */
static void strings_end_where_they_end(void **state)
{
	static const char *const tails[] = { "\"", "\\n\"", "\x7f\"", "\xc3\xa4\"", "\\u00e4\"" };
	static const char *const meant[] = { "", "\n", "\x7f", "\xc3\xa4", "\xc3\xa4" };

	(void)state;
	for (size_t size = 0; size < 40; size++) {
		for (size_t k = 0; k < sizeof(tails) / sizeof(tails[0]); k++) {
			char *plain = memory_get(size + 1);
			char *given;
			char *want;
			cJSON *item = NULL;
			eh_error error = ERROR_INIT;

			memset(plain, k % 2 == 0 ? '!' : '~', size);
			given = memory_format("\"%s%s", plain, tails[k]);
			want = memory_format("%s%s", plain, meant[k]);
			assert_int_equal(json_parse(given, strlen(given), "x", &item, &error), EH_OK);
			assert_string_equal(item->valuestring, want);
			cJSON_Delete(item);
			/* A control at any place is refused. */
			if (size > 0) {
				given[1 + size / 2] = '\x1f';
				assert_int_equal(json_parse(given, strlen(given), "x", &item, &error),
				                 EH_E_FORMAT);
			}
			free(want);
			free(given);
			free(plain);
		}
	}
}

static void numbers_are_as_ecmascript_writes_them(void **state)
{
	/* RFC 8785, appendix B, and powers of two where the nearest short decimal lies outside. */
	static const struct { uint64_t bits; const char *text; } pairs[] = {
		{ UINT64_C(0x0000000000000000), "0" },
		{ UINT64_C(0x8000000000000000), "0" },
		{ UINT64_C(0x0000000000000001), "5e-324" },
		{ UINT64_C(0x8000000000000001), "-5e-324" },
		{ UINT64_C(0x7fefffffffffffff), "1.7976931348623157e+308" },
		{ UINT64_C(0xffefffffffffffff), "-1.7976931348623157e+308" },
		{ UINT64_C(0x4340000000000000), "9007199254740992" },
		{ UINT64_C(0xc340000000000000), "-9007199254740992" },
		{ UINT64_C(0x4430000000000000), "295147905179352830000" },
		{ UINT64_C(0x44b52d02c7e14af5), "9.999999999999997e+22" },
		{ UINT64_C(0x44b52d02c7e14af6), "1e+23" },
		{ UINT64_C(0x44b52d02c7e14af7), "1.0000000000000001e+23" },
		{ UINT64_C(0x444b1ae4d6e2ef4e), "999999999999999700000" },
		{ UINT64_C(0x444b1ae4d6e2ef4f), "999999999999999900000" },
		{ UINT64_C(0x444b1ae4d6e2ef50), "1e+21" },
		{ UINT64_C(0x3eb0c6f7a0b5ed8c), "9.999999999999997e-7" },
		{ UINT64_C(0x3eb0c6f7a0b5ed8d), "0.000001" },
		{ UINT64_C(0x41b3de4355555553), "333333333.3333332" },
		{ UINT64_C(0x41b3de4355555554), "333333333.33333325" },
		{ UINT64_C(0x41b3de4355555555), "333333333.3333333" },
		{ UINT64_C(0x41b3de4355555556), "333333333.3333334" },
		{ UINT64_C(0x41b3de4355555557), "333333333.33333343" },
		{ UINT64_C(0xbecbf647612f3696), "-0.0000033333333333333333" },
		{ UINT64_C(0x43143ff3c1cb0959), "1424953923781206.2" },
		{ UINT64_C(0x3d30000000000000), "5.684341886080802e-14" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		double value;
		cJSON *item;
		char *got;

		memcpy(&value, &pairs[i].bits, sizeof(value));
		item = cJSON_CreateNumber(value);
		got = json_canonical(item);
		assert_string_equal(got, pairs[i].text);
		free(got);
		cJSON_Delete(item);
	}
}

/* No decimal with one digit less reads back as the same double. */
static void assert_shortest(double value)
{
	text written = { 0 };
	char number[48], less[48];
	int digits = 0;

	json_put_number(&written, value);
	snprintf(number, sizeof(number), "%s", written.data);
	text_free(&written);
	assert_true(strtod(number, NULL) >= value && strtod(number, NULL) <= value);
	snprintf(less, sizeof(less), "%s", number);
	/* Digits without leading and trailing zeros. */
	for (char *p = strpbrk(less, "123456789"); p != NULL && *p != '\0' && *p != 'e'; p++)
		digits += *p >= '0' && *p <= '9';
	if (strpbrk(number, ".e") == NULL)
		for (size_t n = strlen(number); n > 1 && number[n - 1] == '0'; n--)
			digits--;
	assert_true(digits >= 1 && digits <= 17);
	if (digits == 1)
		return;
	snprintf(less, sizeof(less), "%.*e", digits - 2, value);
	assert_true(strtod(less, NULL) < value || strtod(less, NULL) > value);
}

static void numbers_are_the_shortest(void **state)
{
	random_state r;

	(void)state;
	random_seed(&r, 5);
	for (int power = -1074; power < 1024; power++) {
		assert_shortest(ldexp(1, power));
		assert_shortest(nextafter(ldexp(1, power), INFINITY));
		assert_shortest(nextafter(ldexp(1, power), 1));
	}
	for (int i = 0; i < 20000; i++) {
		double value = (double)random_below(&r, 1000000000);

		assert_shortest((value + 1) / (double)(1 + random_below(&r, 10000)));
		assert_shortest((value + 1) / 1e6);
		assert_shortest((value + 1) * 1e-320);
	}
}

static double read_number(const char *body)
{
	json_scan s = json_scan_of(body, (json_span){ 0, strlen(body) }, 0, "t", NULL);
	double value;

	assert_int_equal(json_scan_number(&s, &value), EH_OK);
	assert_int_equal(json_scan_end(&s), EH_OK);
	return value;
}

static void every_double_comes_back(void **state)
{
	random_state r;

	(void)state;
	random_seed(&r, 3);
	for (int i = 0; i < 40000; i++) {
		uint64_t bits = random_next(&r);
		double value, again;
		text written = { 0 };

		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		json_put_number(&written, value);
		again = read_number(written.data);
		assert_memory_equal(&value, &again, sizeof(value));
		text_free(&written);
	}
}

/* Any spelling of a number is read as the C library reads it. */
static void numbers_are_read_exactly(void **state)
{
	static const char *const spellings[] = { "0", "-0", "0e5", "0.000", "1e22", "1e23", "-1e-22",
		                                 "123456789012345e22", "1234567890123456", "5e-324",
		                                 "0.00000000000000000000012345", "1E+5", "1e00005",
		                                 "1e-400", "1e-99999", "4.35", "0.1e1", "2e-0" };
	random_state r;

	(void)state;
	random_seed(&r, 11);
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		double value = read_number(spellings[i]), want = strtod(spellings[i], NULL);

		assert_memory_equal(&value, &want, sizeof(value));
	}
	for (int i = 0; i < 100000; i++) {
		char body[60];
		double value, want;

		snprintf(body, sizeof(body), "%s%llu.%0*llue%d", i % 2 == 0 ? "-" : "",
		         (unsigned long long)(random_next(&r) >> random_below(&r, 64)),
		         (int)random_below(&r, 12), (unsigned long long)random_below(&r, 100000),
		         (int)random_below(&r, 60) - 30);
		value = read_number(body);
		want = strtod(body, NULL);
		if (memcmp(&value, &want, sizeof(value)) != 0)
			fail_msg("%s is read as %.17g", body, value);
	}
}

static void values_are_written(void **state)
{
	static const uint64_t numbers[] = { 0, UINT64_C(9007199254740992), UINT64_C(9007199254740993) };
	text out = { 0 };
	char *indented;

	(void)state;
	text_add(&out, "{\"name\":");
	json_put_string(&out, "bad \xff\xc3 byte \"\x01");
	text_add(&out, ",\"list\":[");
	for (size_t i = 0; i < 3; i++) {
		json_put_uint(&out, numbers[i]);
		text_add(&out, "%s", i < 2 ? "," : "]}");
	}
	assert_string_equal(out.data, "{\"name\":\"bad \xef\xbf\xbd\xef\xbf\xbd byte \\\"\\u0001\","
	                    "\"list\":[0,9007199254740992,\"9007199254740993\"]}");
	indented = json_indent(out.data);
	assert_non_null(strstr(indented, "\n\t\"list\": [0, 9007199254740992, \"9007199254740993\"]\n"));
	free(indented);
	text_free(&out);
}

static void digests_are_sha256(void **state)
{
	char hex[65];
	digest *d;
	cJSON *item;

	(void)state;
	digest_bytes("abc", 3, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	digest_bytes("", 0, hex);
	assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	d = digest_new();
	digest_add(d, "a", 1);
	digest_add(d, NULL, 0);
	digest_add(d, "bc", 2);
	digest_end(d, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	item = cJSON_CreateObject();
	json_digest(item, hex);
	assert_string_equal(hex, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
	cJSON_Delete(item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_texts_are_refused),
		cmocka_unit_test(depth_and_nul_are_refused),
		cmocka_unit_test(every_prefix_of_a_text_is_refused),
		cmocka_unit_test(canonical_form_is_rfc8785),
		cmocka_unit_test(parts_know_their_place),
		cmocka_unit_test(members_are_found),
		cmocka_unit_test(canonical_members_are_in_order),
		cmocka_unit_test(strings_end_where_they_end),
		cmocka_unit_test(numbers_are_as_ecmascript_writes_them),
		cmocka_unit_test(numbers_are_the_shortest),
		cmocka_unit_test(every_double_comes_back),
		cmocka_unit_test(numbers_are_read_exactly),
		cmocka_unit_test(values_are_written),
		cmocka_unit_test(digests_are_sha256),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
