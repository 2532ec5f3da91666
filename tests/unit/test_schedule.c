/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/schedule.h"

static void each_once(void **state)
{
	bool seen[5][4] = { { false } };
	schedule_slot *slots = schedule_slots(7, true, 5, 4);

	(void)state;
	for (size_t i = 0; i < 20; i++) {
		assert_int_equal(slots[i].position, i + 1);
		assert_int_equal(slots[i].execution, i / 4 + 1); /* a round before the next one */
		assert_true(slots[i].executor < 4);
		assert_false(seen[slots[i].execution - 1][slots[i].executor]);
		seen[slots[i].execution - 1][slots[i].executor] = true;
	}
	free(slots);
}

static void seeded(void **state)
{
	size_t *a = schedule_cases(1, true, 1, 50), *same = schedule_cases(1, true, 1, 50);
	size_t *seed = schedule_cases(2, true, 1, 50), *execution = schedule_cases(1, true, 2, 50);
	bool seen[50] = { false };

	(void)state;
	assert_memory_equal(a, same, 50 * sizeof(*a));
	assert_memory_not_equal(a, seed, 50 * sizeof(*a));
	assert_memory_not_equal(a, execution, 50 * sizeof(*a));
	for (size_t i = 0; i < 50; i++) {
		assert_true(a[i] < 50 && !seen[a[i]]);
		seen[a[i]] = true;
	}
	free(a);
	free(same);
	free(seed);
	free(execution);
}

/* Over many executions every executor comes first about as often: no fixed order in disguise. */
static void fair(void **state)
{
	schedule_slot *slots = schedule_slots(3, true, 400, 4);
	size_t first[4] = { 0 };

	(void)state;
	for (size_t i = 0; i < 1600; i += 4)
		first[slots[i].executor]++;
	for (size_t i = 0; i < 4; i++)
		assert_in_range(first[i], 60, 140);
	free(slots);
}

static void in_order(void **state)
{
	size_t *cases = schedule_cases(9, false, 3, 10);
	schedule_slot *slots = schedule_slots(9, false, 2, 3);

	(void)state;
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(cases[i], i);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(slots[i].executor, i % 3);
	free(cases);
	free(slots);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_once), cmocka_unit_test(seeded), cmocka_unit_test(fair),
		cmocka_unit_test(in_order),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
