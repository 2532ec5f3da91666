/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/drawing.h"
#include "report/report.h"

static void is(char *drawing, const char *wanted)
{
	assert_string_equal(drawing, wanted);
	free(drawing);
}

static void bars_fill_their_share(void **state)
{
	const double marks[] = { 0.5, 0.9 };

	(void)state;
	is(drawing_bar(0, 10, NULL, 0, false), "..........|");
	is(drawing_bar(0.42, 10, marks, 2, false), "####:...:.|");
	is(drawing_bar(0.42, 10, marks, 2, true), "████▎···┊·│");
	is(drawing_bar(0.95, 10, marks, 2, true), "█████████▌│");
	is(drawing_bar(1, 10, marks, 2, false), "##########|");
	is(drawing_bar(7, 4, NULL, 0, true), "████│");
	is(drawing_bar(-1, 4, NULL, 0, true), "····│");
}

static void shapes_count_values(void **state)
{
	const double values[] = { 1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.9, 3.5, 4, 99, -99 };

	(void)state;
	is(drawing_shape(values, 12, 1, 4, 3, false), "@.-");
	is(drawing_shape(values, 12, 1, 4, 3, true), "█·▂");
	/* All equal: one part has everything. */
	is(drawing_shape((const double[]){ 5, 5, 5 }, 3, 5, 5, 4, false), "@...");
	is(drawing_shape(NULL, 0, 1, 2, 3, false), "...");
}

static void ratios_lie_on_their_axis(void **state)
{
	(void)state;
	is(drawing_ratio(1, 1, 1, 2, 9, false), "    o    ");
	is(drawing_ratio(2, 1.4, 2, 2, 9, false), "    | --o");
	is(drawing_ratio(0.5, 0.5, 0.5, 2, 9, true), "●   │    ");
	is(drawing_ratio(1.19, 0.84, 1.68, 2, 9, true), "   ──●── ");
	/* What is beyond an end is an arrow there. */
	is(drawing_ratio(3, 2.9, 3.1, 2, 9, false), "    |   >");
	is(drawing_ratio(0.1, 0.09, 0.11, 2, 9, true), "◀   │    ");
	is(drawing_ratio(1, 0.1, 10, 2, 9, false), "<---o--->");
	is(drawing_ratio(0, 0, 0, 2, 9, false), "<   |    ");
}

/* Where one stands in a column, every other one has to be as wide. */
static void both_kinds_are_as_wide(void **state)
{
	const double values[] = { 1, 2, 2, 3 };

	(void)state;
	for (int unicode = 0; unicode < 2; unicode++) {
		char *all[] = { drawing_bar(0.33, 20, NULL, 0, unicode), drawing_shape(values, 4, 1, 3, 21, unicode),
			        drawing_ratio(1.3, 1.1, 1.5, 4, 21, unicode) };

		for (size_t i = 0; i < 3; i++) {
			assert_int_equal(table_width(all[i]), 21);
			free(all[i]);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars_fill_their_share),
		cmocka_unit_test(shapes_count_values),
		cmocka_unit_test(ratios_lie_on_their_axis),
		cmocka_unit_test(both_kinds_are_as_wide),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
