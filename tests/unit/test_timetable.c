/* SPDX-License-Identifier: Apache-2.0 */
/* How a budget is shared out, and which sizes devices get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "record/record.h"
#include "run/sizeclass.h"
#include "run/timetable.h"

#define S UINT64_C(1000000000)
#define MIB (UINT64_C(1) << 20)

static void time_is_shared_out_equally(void **state)
{
	timetable *t = timetable_new(4, 2, 100 * S, 60 * S, 2 * S);
	bool left[4] = { true, true, true, true };

	(void)state;
	assert_int_equal(t->end_ns, 158 * S);
	timetable_took(t, 0, S);
	t->start_ns = 2 * S;
	/* 58 s less 8 cases of 1 s beside their rounds and one more start, for 8 cases. */
	assert_int_equal(timetable_slice(t, 100 * S, 1, 0, left), 6 * S);
	left[0] = left[1] = false;
	assert_int_equal(timetable_slice(t, 118 * S, 2, 2, left), 19 * S);
	timetable_free(t);
}

static void small_needs_are_met_first(void **state)
{
	timetable *t = timetable_new(3, 1, 0, 12 * S, 0);
	bool left[3] = { true, true, true };

	(void)state;
	t->needs_ns[0] = 2 * S;
	assert_int_equal(timetable_slice(t, 0, 1, 0, left), 2 * S);
	assert_int_equal(timetable_slice(t, 0, 1, 1, left), 5 * S);
	t->needs_ns[1] = 100 * S;
	assert_int_equal(timetable_slice(t, 0, 1, 1, left), 5 * S);
	assert_int_equal(timetable_slice(t, 0, 1, 2, left), 5 * S);
	/* Enough for all: each gets more in proportion. */
	t->needs_ns[1] = t->needs_ns[2] = 2 * S;
	assert_int_equal(timetable_slice(t, 0, 1, 2, left), 4 * S);
	t->needs_ns[0] = 4 * S;
	assert_int_equal(timetable_slice(t, 0, 1, 0, left), 6 * S);
	timetable_free(t);
}

/* An estimate of nothing, or of very much, may be wrong. */
static void needs_have_limits(void **state)
{
	timetable *t = timetable_new(4, 1, 0, 20 * S, 0);
	bool left[4] = { true, true, true, true };

	(void)state;
	t->needs_ns[0] = t->needs_ns[1] = t->needs_ns[2] = 0;
	assert_int_equal(timetable_slice(t, 0, 1, 0, left), 5 * S / 2); /* 2 of 16, more in proportion */
	assert_int_equal(timetable_slice(t, 0, 1, 3, left), 25 * S / 2);
	timetable_free(t);
}

/* A need comes in each execution that is left. */
static void needs_are_of_each_execution(void **state)
{
	timetable *t = timetable_new(2, 2, 0, 20 * S, 0);
	bool left[2] = { true, true };

	(void)state;
	t->needs_ns[0] = 3 * S;
	assert_int_equal(timetable_slice(t, 0, 1, 0, left), 3 * S);
	assert_int_equal(timetable_slice(t, 0, 1, 1, left), 7 * S);
	left[0] = false;
	assert_int_equal(timetable_slice(t, 3 * S, 1, 1, left), 7 * S);
	timetable_free(t);
}

static void a_budget_ends(void **state)
{
	timetable *t = timetable_new(2, 1, 0, 10 * S, S);
	bool left[2] = { false, true };

	(void)state;
	timetable_took(t, 0, 2 * S);
	assert_false(timetable_over(t, 7 * S));
	assert_true(timetable_over(t, 8 * S)); /* closing takes half of what is beside the rounds */
	assert_int_equal(timetable_slice(t, 9 * S, 1, 1, left), 0);
	/* What the machine does besides changed: the newest counts half. */
	timetable_took(t, 0, 4 * S);
	assert_int_equal(t->beside_ns, 3 * S);
	timetable_free(t);
}

/* On one H100 six executions of 16 cases were planned for 150 s; checks took 2 s a case, three fitted with
 * three rounds each, and nine rounds decide nothing among eleven cases. */
static void executions_are_as_many_as_leave_each_case_its_rounds(void **state)
{
	timetable *t = timetable_new(16, 6, 0, 150 * S, 0);
	bool left[16];

	(void)state;
	for (size_t i = 0; i < 16; i++)
		left[i] = true;
	t->least = 2;
	assert_int_equal(timetable_executions(t, 0, 1, left), 6); /* nothing is known */
	timetable_took(t, 0, 2 * S);
	t->round_ns[0] = 0.1 * (double)S;
	t->start_ns = 2 * S;
	/* 16 cases of 2.6 s, and 2 s to start: 43.6 s each, but the first is started. */
	assert_int_equal(timetable_executions(t, 0, 1, left), 3);
	assert_int_equal(timetable_executions(t, 22 * S, 1, left), 2);
	assert_int_equal(timetable_executions(t, 140 * S, 1, left), 2); /* as the protocol declares */
	assert_int_equal(timetable_executions(t, 140 * S, 3, left), 3);
	/* 150 s less 32 cases of 2 s and a start, for 32 cases. */
	t->round_ns[0] = 0.3 * (double)S;
	assert_int_equal(timetable_executions(t, 0, 1, left), 2);
	assert_int_equal(timetable_slice(t, 0, 1, 0, left), 2625 * (S / 1000));
	timetable_took(t, 0, S);
	assert_true(t->besides_ns[0] > 1.4e9 && t->besides_ns[0] < 1.6e9);
	timetable_free(t);
}

/* The first execution compiles for 25 s, the others take a second, and nobody needs further rounds.
 * Executions that are left out must have lacked the time: readers refuse them when half of it is left. */
static void executions_that_are_quicker_than_expected_make_room_for_others(void **state)
{
	timetable *t = timetable_new(1, 6, 0, 60 * S, 0);
	bool none[1] = { false };
	uint64_t now = 0, done = 0;

	(void)state;
	t->least = 2;
	t->round_ns[0] = 0.1 * (double)S;
	while (done < timetable_executions(t, now, done, none)) {
		uint64_t beside = done == 0 ? 25 * S : S;

		timetable_took(t, 0, beside);
		now += beside + S;
		if (++done == 1)
			assert_int_equal(timetable_executions(t, now, done, none), 2);
	}
	assert_int_equal(done, 6);
	/* All of them slow: two, and the time is used up. */
	t->besides_ns[0] = 25e9;
	assert_int_equal(timetable_executions(t, 52 * S, 2, none), 2);
	timetable_free(t);
}

static void without_a_budget_there_is_no_end(void **state)
{
	timetable *t = timetable_new(1, 1, 0, 0, S);
	bool left[1] = { true };

	(void)state;
	assert_int_equal(timetable_slice(t, 1000 * S, 1, 0, left), UINT64_MAX);
	assert_false(timetable_over(t, UINT64_MAX / 2));
	timetable_free(t);
}

static enum record_size_class class_of(const char *type, uint64_t cache)
{
	record_device *d = layout_new(record_device_layout());
	enum record_size_class class;

	text_set(&d->type, type);
	d->last_level_cache_bytes = cache;
	class = sizeclass_of(d);
	layout_free(record_device_layout(), d);
	return class;
}

static void sizes_follow_the_cache(void **state)
{
	(void)state;
	assert_int_equal(class_of("cpu", LAYOUT_NO_UINT), RECORD_SIZE_SMALL);
	assert_int_equal(class_of("cpu", 32 * MIB), RECORD_SIZE_SMALL);
	assert_int_equal(class_of("cpu", 33 * MIB), RECORD_SIZE_MEDIUM);
	assert_int_equal(class_of("cpu", 129 * MIB), RECORD_SIZE_LARGE);
	assert_int_equal(class_of("gpu", 6 * MIB), RECORD_SIZE_MEDIUM);  /* has many units to fill */
	assert_int_equal(class_of("gpu", 256 * MIB), RECORD_SIZE_LARGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_shared_out_equally),
		cmocka_unit_test(small_needs_are_met_first),
		cmocka_unit_test(needs_are_of_each_execution),
		cmocka_unit_test(needs_have_limits),
		cmocka_unit_test(a_budget_ends),
		cmocka_unit_test(executions_are_as_many_as_leave_each_case_its_rounds),
		cmocka_unit_test(executions_that_are_quicker_than_expected_make_room_for_others),
		cmocka_unit_test(without_a_budget_there_is_no_end),
		cmocka_unit_test(sizes_follow_the_cache),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
