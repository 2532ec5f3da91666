/* SPDX-License-Identifier: Apache-2.0 */
/* What pairs of new inputs say, and when they are too few to say it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/proven.h"

/* The first of two pairs was disturbed: two are too few to say that nothing differs. */
static void few_pairs_ask_for_more(void **state)
{
	uint64_t fresh[] = { 2003148, 2266867, 2010000, 2010000, 2010000 };
	uint64_t repeated[] = { 1869135, 203162, 2000000, 2000000, 2000000 };
	const uint64_t median = 203157, launch = 3000;
	record_varied pairs = { .new_ns = { .items = fresh, .count = 2 },
		                .repeated_ns = { .items = repeated, .count = 2 } };

	(void)state;
	assert_false(proven_inputs_differ(&pairs, (double)median, launch));
	assert_true(proven_inputs_may_differ(&pairs, (double)median, launch));
	pairs.new_ns.count = pairs.repeated_ns.count = 5;
	assert_false(proven_inputs_may_differ(&pairs, (double)median, launch));
}

static bool all_differ(uint64_t fresh_ns, uint64_t repeated_ns, uint64_t launch_ns)
{
	uint64_t fresh[12], repeated[12];
	record_varied pairs = { .new_ns = { .items = fresh, .count = 12 },
		                .repeated_ns = { .items = repeated, .count = 12 } };

	for (size_t i = 0; i < 12; i++) {
		fresh[i] = fresh_ns;
		repeated[i] = repeated_ns;
	}
	return proven_inputs_differ(&pairs, (double)repeated_ns, launch_ns);
}

/* The first two were seen on an honest test driver, on a busy machine whose clock has steps of 20 ns. */
static void a_launch_that_varies_is_no_repeated_work(void **state)
{
	(void)state;
	assert_false(all_differ(200, 180, 2254));
	assert_false(all_differ(300, 220, 2254));
	assert_true(all_differ(450, 180, 2254));
	/* On a host a launch is a call. */
	assert_true(all_differ(60, 40, 70));
	/* A stack that is slow where launches are measured hides nothing by that. */
	assert_true(all_differ(3000, 200, 1000000000));
}

static bool differ_but(size_t count, size_t misses)
{
	uint64_t fresh[32], repeated[32];
	record_varied pairs = { .new_ns = { .items = fresh, .count = count },
		                .repeated_ns = { .items = repeated, .count = count } };

	for (size_t i = 0; i < count; i++) {
		fresh[i] = i < misses ? 10000 : 15000;
		repeated[i] = 10000;
	}
	return proven_inputs_differ(&pairs, 10000, 2000);
}

/* Of more pairs, as many are taken where twelve differ, more may have been disturbed. */
static void one_pair_in_ten_may_disagree(void **state)
{
	(void)state;
	assert_true(differ_but(12, 1));
	assert_false(differ_but(12, 2));
	assert_false(differ_but(19, 2));
	assert_true(differ_but(20, 2));
	assert_true(differ_but(32, 3));
	assert_false(differ_but(32, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_pairs_ask_for_more),
		cmocka_unit_test(a_launch_that_varies_is_no_repeated_work),
		cmocka_unit_test(one_pair_in_ten_may_disagree),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
