/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "report/figure.h"
#include "report/report.h"

static char *printed(table *t)
{
	char *out = NULL;
	size_t size;
	FILE *f = open_memstream(&out, &size);

	assert_true(table_print(t, f));
	fclose(f);
	table_free(t);
	return out;
}

static void columns_line_up(void **state)
{
	table *t = table_new("lrl");
	char *out;

	(void)state;
	table_row(t, (const char *[]){ "name", "n", "end" });
	table_rule(t);
	table_row(t, (const char *[]){ "a", "1000", "x" });
	table_row(t, (const char *[]){ "longer", "7", "" });
	out = printed(t);
	assert_string_equal(out, "name       n  end\n"
	                         "-----------------\n"
	                         "a       1000  x\n"
	                         "longer     7\n");
	free(out);
}

static void width_counts_columns(void **state)
{
	(void)state;
	assert_int_equal(table_width("abc"), 3);
	assert_int_equal(table_width("\xc2\xb5s"), 2);             /* micro sign */
	assert_int_equal(table_width("\xe4\xb8\xad\xe6\x96\x87"), 4); /* two wide characters */
	assert_int_equal(table_width("e\xcc\x81"), 1);             /* combining accent */
	assert_int_equal(table_width("\xff\xfe"), 2);              /* malformed */
	assert_int_equal(table_width("\xe4\xb8"), 2);              /* cut off */
}

static void utf8_lines_up(void **state)
{
	table *t = table_new("ll");
	char *out;

	(void)state;
	table_row(t, (const char *[]){ "\xe4\xb8\xad", "|" });
	table_row(t, (const char *[]){ "abc", "|" });
	out = printed(t);
	assert_string_equal(out, "\xe4\xb8\xad   |\nabc  |\n");
	free(out);
}

static void cells_cannot_command_the_terminal(void **state)
{
	table *t = table_new("l");
	char *out;

	(void)state;
	table_row(t, (const char *[]){ "a\033]0;title\007b\nc\033[2Jd\xc2\x9b" "e\033[31mf\033[0m\x9b" "g" });
	table_note(t, "\033[1mnote\177");
	out = printed(t);
	assert_string_equal(out, "a?]0;title?b c?[2Jd??e?[31mf?[0m?g\n      ?[1mnote?\n");
	free(out);
}

static void text_cannot_turn_the_direction(void **state)
{
	static const char *const marks[] = { "\xe2\x80\x8e", "\xe2\x80\xa8", "\xe2\x80\xae", "\xe2\x81\xa6" };

	(void)state;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		char *clean = table_clean(marks[i]);

		assert_string_equal(clean, "???");
		free(clean);
	}
}

static void wrapped_text_cannot_command_the_terminal(void **state)
{
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	(void)state;
	assert_true(table_wrap(file, "a\033[2Jb\nattributable: all", 0));
	assert_int_equal(fclose(file), 0);
	assert_string_equal(out, "a?[2Jb attributable: all\n");
	free(out);
}

static void notes_wrap(void **state)
{
	table *t = table_new("l");
	char *out;
	char *line;
	char long_note[512] = "";
	int i;

	(void)state;
	for (i = 0; i < 40; i++)
		strcat(long_note, "word12345 ");
	table_row(t, (const char *[]){ "x" });
	table_note(t, long_note);
	out = printed(t);
	for (line = strtok(out, "\n"), i = 0; line != NULL; line = strtok(NULL, "\n"), i++)
		assert_true(strlen(line) <= TABLE_WIDTH);
	assert_true(i >= 5);
	free(out);
}

static void figures_share_a_unit(void **state)
{
	char out[FIGURE_SIZE];

	(void)state;
	figure_interval(21.4e9, (interval){ 9.5e8, 22e9 }, "B/s", out);
	assert_string_equal(out, "21.40 [0.95-22.00] GB/s");
	figure_interval(999.96e-6, (interval){ 990e-6, 1.01e-3 }, "s", out);
	assert_string_equal(out, "1.000 [0.990-1.010] ms");
	figure_interval(0, (interval){ 0, 0 }, "s", out);
	assert_string_equal(out, "0.000 s");
	figure_interval(3e-9, (interval){ 2e-9, 4e-9 }, "s", out);
	assert_string_equal(out, "3.000 [2.000-4.000] ns");
	figure_ratio(1.0824, (interval){ 1.07, 1.0951 }, out);
	assert_string_equal(out, "1.082 [1.070-1.095]");
	figure_ratio(123.4, (interval){ 99, 150 }, out);
	assert_string_equal(out, "123.4 [99.0-150.0]");
}

/* ---- on a terminal --------------------------------------------------------------------------- */

/* What a terminal of so many columns got. */
static char *on_terminal(unsigned short columns, table *t)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	char *got = calloc(1, 65536);
	struct termios raw;
	ssize_t count;
	FILE *out;

	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0 && tcgetattr(slave, &raw) == 0);
	cfmakeraw(&raw);
	assert_true(tcsetattr(slave, TCSANOW, &raw) == 0 && ioctl(slave, TIOCSWINSZ, &size) == 0);
	out = fdopen(slave, "w");
	assert_true(table_print(t, out) && fflush(out) == 0);
	fclose(out);
	for (size_t at = 0; (count = read(master, got + at, 65535 - at)) > 0; at += (size_t)count)
		;
	close(master);
	table_free(t);
	return got;
}

static table *painted(void)
{
	table *t = table_new("rl");

	table_row(t, (const char *[]){ "xyz", "1" });
	table_row(t, (const char *[]){ "x", "2" });
	table_paint(t, 0, COLOUR_RED);
	return t;
}

static void colours_are_for_terminals(void **state)
{
	char *out = printed(painted());

	(void)state;
	assert_string_equal(out, "xyz  1\n  x  2\n");
	free(out);
	out = on_terminal(80, painted());
	assert_string_equal(out, "xyz  1\n  \033[31mx\033[0m  2\n");
	free(out);
	for (size_t i = 0; i < 2; i++) {
		setenv(i == 0 ? "NO_COLOR" : "TERM", i == 0 ? "1" : "dumb", 1);
		out = on_terminal(80, painted());
		assert_string_equal(out, "xyz  1\n  x  2\n");
		free(out);
		unsetenv("NO_COLOR");
		setenv("TERM", "xterm", 1);
	}
}

/* A name, a number, a drawing, words, and a verdict. */
static table *wide(void)
{
	table *t = table_new("nrbwl");

	table_head(t, (const char *[]){ "case", "a long name", "drawing", "", "verdict" });
	table_row(t, (const char *[]){ "gemm.f32.1024x1024.tuned", "123456789", "######", "some words that go on",
		                       "NOT COMPARABLE" });
	return t;
}

static void columns_give_way(void **state)
{
	static const struct { unsigned short columns; const char *text; } all[] = {
		{ 100, "case                      a long name  drawing                         verdict\n"
		       "gemm.f32.1024x1024.tuned    123456789  ######   some words that go on  NOT COMPARABLE\n" },
		{ 84, "case                     a long name drawing                       verdict\n"
		      "gemm.f32.1024x1024.tuned   123456789 ######  some words that go on NOT COMPARABLE\n" },
		{ 75, "case                     a long name                       verdict\n"
		      "gemm.f32.1024x1024.tuned   123456789 some words that go on NOT COMPARABLE\n" },
		{ 60, "case                 a long name              verdict\n"
		      "gemm.f32.1…024.tuned   123456789 some words   NOT COMPARABLE\n"
		      "                                 that go on\n" },
		{ 57, "case                a lo…name              verdict\n"
		      "gemm.f32.…024.tuned 123456789 some words   NOT COMPARABLE\n"
		      "                              that go on\n" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *out = on_terminal(all[i].columns, wide());

		assert_string_equal(out, all[i].text);
		free(out);
	}
}

/* Whatever the width, numbers and verdicts stay whole, and a file has everything. */
static void numbers_stay_whole(void **state)
{
	char *out = printed(wide());

	(void)state;
	assert_non_null(strstr(out, "gemm.f32.1024x1024.tuned    123456789  ######   some words that go on  NOT"));
	free(out);
	for (unsigned short columns = 1; columns < 100; columns++) {
		out = on_terminal(columns, wide());
		assert_non_null(strstr(out, "123456789"));
		assert_non_null(strstr(out, "NOT COMPARABLE"));
		free(out);
	}
}

static void names_are_elided(void **state)
{
	static const struct { const char *name; size_t most; const char *sign, *text; } all[] = {
		{ "abcdef", 6, "…", "abcdef" }, { "abcdefg", 6, "…", "abc…fg" }, { "abcdefg", 6, "..", "ab..fg" },
		{ "abcdefg", 1, "…", "a" }, { "abcdefg", 0, "…", "" }, { "abcdefg", 2, "…", "a…" },
		{ "中文字符集", 6, "…", "中…集" }, { "ab\xcc\x81" "cdefg", 4, "…", "ab\xcc\x81…g" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *out = table_elided(all[i].name, all[i].most, all[i].sign);

		assert_string_equal(out, all[i].text);
		free(out);
	}
}

static void words_go_on_below(void **state)
{
	static const char *const pieces[] = { "one two", "threefo", "urfive", "中文", "字" };
	const char *rest = "one two threefourfive 中文字";

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		char *piece = table_piece(&rest, i < 3 ? 7 : 5);

		assert_string_equal(piece, pieces[i]);
		free(piece);
	}
	assert_string_equal(rest, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_line_up),
		cmocka_unit_test(width_counts_columns),
		cmocka_unit_test(utf8_lines_up),
		cmocka_unit_test(cells_cannot_command_the_terminal),
		cmocka_unit_test(text_cannot_turn_the_direction),
		cmocka_unit_test(wrapped_text_cannot_command_the_terminal),
		cmocka_unit_test(notes_wrap),
		cmocka_unit_test(figures_share_a_unit),
		cmocka_unit_test(colours_are_for_terminals),
		cmocka_unit_test(columns_give_way),
		cmocka_unit_test(numbers_stay_whole),
		cmocka_unit_test(names_are_elided),
		cmocka_unit_test(words_go_on_below),
	};

	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("NO_COLOR");
	unsetenv("COLUMNS");
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
