/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of a Level Zero device: both ways of telling its rate, and beginning again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "levelzero/lz_clock.h"

static void rates_come_in_two_units(void **state)
{
	(void)state;
	assert_int_equal(lz_clock_make(19200000, true, 32).hertz, 19200000);
	assert_int_equal(lz_clock_make(52, false, 32).hertz, 19230769);
	assert_int_equal(lz_clock_make(1, false, 64).hertz, 1000000000);
}

static void nonsense_is_no_clock(void **state)
{
	(void)state;
	assert_int_equal(lz_clock_make(0, true, 32).hertz, 0);
	assert_int_equal(lz_clock_make(19200000, true, 0).hertz, 0);
	assert_int_equal(lz_clock_make(19200000, true, 65).hertz, 0);
	/* 52 ns per tick, told as if it were a rate, and a rate told as ns. */
	assert_int_equal(lz_clock_make(52, true, 32).hertz, 0);
	assert_int_equal(lz_clock_make(19200000, false, 32).hertz, 0);
	assert_true(lz_clock_period_ns(lz_clock_make(0, true, 32)) == UINT64_MAX);
}

static void time_goes_on_when_the_counter_begins_again(void **state)
{
	const lz_clock clock = lz_clock_make(19200000, true, 32);

	(void)state;
	assert_int_equal(lz_clock_period_ns(clock), UINT64_C(223696213281));
	assert_int_equal(lz_clock_ns(clock, 1000, 20200), 1000000);
	assert_int_equal(lz_clock_ns(clock, 0xffffff00, 0x100), 26667);
	/* What lies beyond the valid bits says nothing. */
	assert_int_equal(lz_clock_ns(clock, UINT64_C(0x5a5a5a5affffff00), UINT64_C(0x0100000000000100)),
	                 26667);
	assert_int_equal(lz_clock_ns(clock, 5, 5), 0);
}

static void all_bits_can_be_valid(void **state)
{
	const lz_clock clock = lz_clock_make(1000000000, true, 64);

	(void)state;
	assert_int_equal(lz_clock_ns(clock, UINT64_MAX - 4, 5), 10);
	assert_true(lz_clock_period_ns(clock) == UINT64_MAX);
	/* Slower than a ns per tick, 64 bits overflow any sum of ns: it stays at the most. */
	assert_true(lz_clock_period_ns(lz_clock_make(1000000, true, 64)) == UINT64_MAX);
}

static void a_time_may_exceed_the_hosts_by_what_clocks_differ(void **state)
{
	const lz_clock clock = lz_clock_make(19200000, true, 32);

	(void)state;
	assert_false(lz_clock_exceeds(clock, 1000, 2000));
	assert_false(lz_clock_exceeds(clock, 10100000, 10000000));
	assert_true(lz_clock_exceeds(clock, 10300000, 10000000));
	/* A tick has 52 ns. */
	assert_false(lz_clock_exceeds(clock, 104, 0));
	assert_true(lz_clock_exceeds(clock, 1000, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_come_in_two_units),
		cmocka_unit_test(nonsense_is_no_clock),
		cmocka_unit_test(time_goes_on_when_the_counter_begins_again),
		cmocka_unit_test(all_bits_can_be_valid),
		cmocka_unit_test(a_time_may_exceed_the_hosts_by_what_clocks_differ),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
