/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

static void bytes_are_read(void **state)
{
	static const struct { const char *s; uint64_t value; } good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "16KiB", 16384 }, { "64MiB", 67108864 },
		{ "1GiB", 1073741824 }, { "2KB", 2000 }, { "3MB", 3000000 }, { "7B", 7 },
		{ "18446744073709551615", UINT64_MAX }, { "16777215TiB", UINT64_C(16777215) << 40 },
	};
	static const char *const bad[] = {
		"", " 1", "1 ", "-1", "+1", "1.5MiB", "MiB", "1mib", "1Mib", "1 MiB", "0x10", "1e3",
		"18446744073709551616", "16777216TiB", "18446744073709551616KiB", "1MiBx",
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(text_parse_bytes(good[i].s, &value));
		assert_true(value == good[i].value);
	}
	value = 42;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (text_parse_bytes(bad[i], &value))
			fail_msg("'%s' was taken as a size", bad[i]);
	assert_true(value == 42);
}

static void bytes_are_written_and_read_back(void **state)
{
	random_state r;
	char out[32];
	uint64_t value;

	(void)state;
	text_about_bytes(15078018560, out);
	assert_string_equal(out, "14 GiB");
	text_about_bytes(1050673152, out);
	assert_string_equal(out, "1002 MiB");
	text_about_bytes(1073741823, out);
	assert_string_equal(out, "1 GiB");
	text_about_bytes(1000, out);
	assert_string_equal(out, "1000 B");
	text_about_bytes(0, out);
	assert_string_equal(out, "0 B");
	text_about_bytes(UINT64_MAX, out);
	assert_string_equal(out, "16777216 TiB");
	text_format_bytes(67108864, out);
	assert_string_equal(out, "64MiB");
	text_format_bytes(1000, out);
	assert_string_equal(out, "1000");
	text_format_bytes(0, out);
	assert_string_equal(out, "0");
	random_seed(&r, 1);
	for (int i = 0; i < 1000; i++) {
		uint64_t n = (random_next(&r) >> random_below(&r, 64)) << random_below(&r, 40);

		text_format_bytes(n, out);
		assert_true(text_parse_bytes(out, &value));
		assert_true(value == n);
	}
}

static void durations_are_read(void **state)
{
	static const struct { const char *s; uint64_t value; } good[] = {
		{ "1.5s", 1500000000 }, { "20ms", 20000000 }, { "500us", 500000 }, { "100ns", 100 },
		{ "0.000000001s", 1 }, { "0s", 0 }, { "1.0ns", 1 }, { "2.50us", 2500 },
		{ "1.0000000000000s", 1000000000 },
	};
	static const char *const bad[] = {
		"", "1", "s", "1 s", "1.s", ".5s", "-1s", "1.5ns", "0.0000000001s", "1m", "1h", "1e3s",
		"99999999999999999999s", "18446744074s", "1.5S", "1ss", "inf", "nan",
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(text_parse_duration(good[i].s, &value));
		assert_true(value == good[i].value);
	}
	value = 42;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (text_parse_duration(bad[i], &value))
			fail_msg("'%s' was taken as a time", bad[i]);
	assert_true(value == 42);
}

static void durations_are_written(void **state)
{
	static const struct { uint64_t ns; const char *s; } pairs[] = {
		{ 0, "0s" }, { 1500000000, "1500ms" }, { 20000000, "20ms" }, { 1, "1ns" },
		{ UINT64_C(60000000000), "60s" }, { 1500, "1500ns" },
	};
	char out[32];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		uint64_t back;

		text_format_duration(pairs[i].ns, out);
		assert_string_equal(out, pairs[i].s);
		assert_true(text_parse_duration(out, &back));
		assert_true(back == pairs[i].ns);
	}
}

static void doubles_are_read(void **state)
{
	static const char *const bad[] = {
		"", " 1", "1 ", "inf", "nan", "0x1p3", "1e999", "-1e999", "1.2.3", "1e", "--1", "1,5", "e",
	};
	double value;

	(void)state;
	assert_true(text_parse_double("0.01", &value));
	assert_true(value == 0.01);
	assert_true(text_parse_double("-1.5e-3", &value));
	assert_true(value == -0.0015);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (text_parse_double(bad[i], &value))
			fail_msg("'%s' was taken as a number", bad[i]);
}

static void times_and_rates_are_shown(void **state)
{
	static const struct { double ns; const char *s; } times[] = {
		{ 12340, "12.34 us" }, { 0, "0.000 ns" }, { 999.96, "1.000 us" }, { 1, "1.000 ns" },
		{ 123.44, "123.4 ns" }, { 5e9, "5.000 s" }, { 5e12, "5000 s" }, { 9.9996e6, "10.00 ms" },
	};
	char out[40];

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		text_format_ns(times[i].ns, out);
		assert_string_equal(out, times[i].s);
	}
	text_format_si(1.234e10, "B/s", out);
	assert_string_equal(out, "12.34 GB/s");
	text_format_si(2e-6, "s", out);
	assert_string_equal(out, "2.000 us");
	text_format_si(999960, "FLOP/s", out);
	assert_string_equal(out, "1.000 MFLOP/s");
}

static void the_nearest_word_is_found(void **state)
{
	static const char *const words[] = { "executions", "seed", "samples-min", "samples-max" };

	(void)state;
	assert_string_equal(text_nearest("exectuions", words, 4), "executions");
	assert_string_equal(text_nearest("sede", words, 4), "seed");
	assert_string_equal(text_nearest("sample-min", words, 4), "samples-min");
	assert_string_equal(text_nearest("samples-max", words, 4), "samples-max");
	assert_null(text_nearest("tolerance", words, 4));
	assert_null(text_nearest("", words, 4));
	assert_null(text_nearest("x", words, 4));
	assert_null(text_nearest("seed", words, 0));
}

static void utf8_is_told_from_other_bytes(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82", "\xc3",
	};

	(void)state;
	assert_int_equal(text_utf8_size("a", 1), 1);
	assert_int_equal(text_utf8_size("\xc3\xa4", 2), 2);
	assert_int_equal(text_utf8_size("\xe2\x82\xac", 3), 3);
	assert_int_equal(text_utf8_size("\xf0\x9f\x98\x80", 4), 4);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(text_utf8_size(bad[i], strlen(bad[i])), 0);
}

static void shell_words_stay_one(void **state)
{
	static const char *const words[][2] = {
		{ "results/host-gcc-12.json", "results/host-gcc-12.json" }, { "", "''" },
		{ "a b", "'a b'" }, { "x; rm -rf ~", "'x; rm -rf ~'" }, { "it's", "'it'\\''s'" },
		{ "$(x)", "'$(x)'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char *word = text_shell_word(words[i][0]);

		assert_string_equal(word, words[i][1]);
		free(word);
	}
}

static void text_is_cleaned(void **state)
{
	static const struct { const char *from, *to; } texts[] = {
		{ "", "" }, { "as it is: \xc3\xa4 \xe2\x82\xac", "as it is: \xc3\xa4 \xe2\x82\xac" },
		{ "caf\xe9 \xae", "caf? ?" },              /* Latin-1 */
		{ "\x1b[31mred\x7f", "?[31mred?" },        /* an escape sequence */
		{ "\xc2\x9b" "31m", "??31m" },             /* the same in 8 bits */
		{ "a\tb\r\nc", "a b  c" },
		{ "left \xe2\x80\xae right", "left ??? right" }, /* writing turns round */
		{ "cut \xe2\x82", "cut ??" },
	};
	struct { char inner[4], after; } array = { { 'a', '\n', 'b', 'c' }, 'd' };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char *copy = memory_text(texts[i].from);

		text_clean(copy);
		assert_string_equal(copy, texts[i].to);
		assert_int_equal(text_is_clean(texts[i].from), strcmp(texts[i].from, texts[i].to) == 0);
		free(copy);
	}
	text_clean_array(array.inner);
	assert_string_equal(array.inner, "a b");
	assert_int_equal(array.after, 'd');
}

static void text_grows(void **state)
{
	text t = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		text_add(&t, "%d,", i % 10);
	text_add_bytes(&t, "a\0b", 3);
	assert_int_equal(t.size, 2003);
	assert_memory_equal(t.data, "0,1,2,", 6);
	assert_memory_equal(t.data + 2000, "a\0b", 4);
	text_free(&t);
	assert_null(t.data);
}

static void errors_keep_their_code_and_fit(void **state)
{
	eh_error error = ERROR_INIT;
	char longer[1000];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(error_set(&error, EH_E_USAGE, "%s", longer), EH_E_USAGE);
	assert_int_equal(strlen(error.message), sizeof(error.message) - 1);
	/* From itself. */
	error_set(&error, EH_E_FORMAT, "first");
	error_set(&error, EH_E_FORMAT, "second: %s", error.message);
	assert_string_equal(error.message, "second: first");
	/* A character is not torn at the end. */
	memset(longer, 'x', sizeof(error.message) - 2);
	strcpy(longer + sizeof(error.message) - 2, "\xe2\x82\xac");
	error_set(&error, EH_E_FORMAT, "%s", longer);
	assert_int_equal(strlen(error.message), sizeof(error.message) - 2);
	error_set(&error, EH_E_FORMAT, "a\nb");
	assert_string_equal(error.message, "a b");
	assert_int_equal(error_system(&error, 28, "cannot write '%s'", "f"), EH_E_IO);
	assert_string_equal(error.message, "cannot write 'f': No space left on device");
	assert_int_equal(error.native_code, 28);
	assert_int_equal(error_system(NULL, 12, "x"), EH_E_NO_MEMORY);
	assert_string_equal(error_status_name(EH_E_DEVICE_LOST), "device-lost");
	assert_string_equal(error_status_name(-5000), "unknown");
	assert_int_equal(error_exit_code(EH_E_USAGE), EXIT_CODE_USAGE);
	assert_int_equal(error_exit_code(EH_E_IO), EXIT_CODE_ENVIRONMENT);
}

static void random_numbers_repeat(void **state)
{
	/* xoshiro256** after splitmix64(0): from the authors' definitions, computed apart. */
	random_state a, b;
	size_t items[100], seen[100] = { 0 };
	size_t counts[7] = { 0 };

	(void)state;
	random_seed(&a, 0);
	assert_true(a.s[0] == UINT64_C(0xe220a8397b1dcdaf));
	assert_true(a.s[1] == UINT64_C(0x6e789e6aa1b965f4));
	assert_true(random_next(&a) == UINT64_C(0x99ec5f36cb75f2b4));
	random_seed(&a, 7);
	random_seed(&b, 7);
	for (int i = 0; i < 100; i++)
		assert_true(random_next(&a) == random_next(&b));
	for (int i = 0; i < 70000; i++)
		counts[random_below(&a, 7)]++;
	for (int i = 0; i < 7; i++)
		assert_in_range(counts[i], 9500, 10500);
	for (int i = 0; i < 1000; i++) {
		double u = random_unit(&a);

		assert_true(u >= 0 && u < 1);
	}
	for (size_t i = 0; i < 100; i++)
		items[i] = i;
	random_shuffle(&a, items, 100);
	for (size_t i = 0; i < 100; i++)
		seen[items[i]]++;
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(seen[i], 1);
	assert_true(random_derive(1, "order", 0) != random_derive(1, "order", 1));
	assert_true(random_derive(1, "order", 0) != random_derive(1, "data", 0));
	assert_true(random_derive(1, "order", 0) != random_derive(2, "order", 0));
	assert_true(random_derive(1, "order", 0) == random_derive(1, "order", 0));
}

static void remedies_are_not_cut(void **state)
{
	eh_error error = ERROR_INIT;
	char long_text[1000];

	(void)state;
	error_set(&error, EH_E_IO, "the disk is full");
	error_remedy(&error, "; make room");
	assert_string_equal(error.message, "the disk is full; make room");
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	error_set(&error, EH_E_IO, "%s", long_text);
	error_remedy(&error, "; make room");
	assert_int_equal(strlen(error.message), sizeof(error.message) - 1);
	assert_string_equal(error.message + strlen(error.message) - 11, "; make room");
	error_remedy(&error, long_text);
	assert_int_equal(strlen(error.message), sizeof(error.message) - 1);
	assert_int_equal(error.code, EH_E_IO);
	memset(long_text, 'x', 340);
	strcpy(long_text + 340, "\xe2\x82\xac");
	error_set(&error, EH_E_IO, "%s", long_text);
	error_remedy(&error, "; make room; do it");
	assert_string_equal(error.message + 338, "xx; make room; do it");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_are_read),
		cmocka_unit_test(bytes_are_written_and_read_back),
		cmocka_unit_test(durations_are_read),
		cmocka_unit_test(durations_are_written),
		cmocka_unit_test(doubles_are_read),
		cmocka_unit_test(times_and_rates_are_shown),
		cmocka_unit_test(the_nearest_word_is_found),
		cmocka_unit_test(utf8_is_told_from_other_bytes),
		cmocka_unit_test(text_is_cleaned),
		cmocka_unit_test(text_grows),
		cmocka_unit_test(shell_words_stay_one),
		cmocka_unit_test(errors_keep_their_code_and_fit),
		cmocka_unit_test(remedies_are_not_cut),
		cmocka_unit_test(random_numbers_repeat),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
