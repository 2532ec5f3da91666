/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a timed region the engine neither allocates nor does I/O. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_cost.h"

#if defined(__SANITIZE_ADDRESS__)
#define COUNTED false
#else
#define COUNTED true
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	engine_allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	engine_allocations++;
	return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	engine_allocations++;
	return __libc_realloc(old, size);
}
#endif

static void nothing_in_a_region(void **state)
{
	engine_cost cost;
	record_execution *record = engine_measure(&cost, 300, true);

	(void)state;
	assert_non_null(record);
	assert_true(record_counts(record->status));
	layout_free(record_execution_layout(), record);
	assert_true(cost.regions > 200);
	assert_true(cost.gaps > 200);
	/* The counters count: preparing and recording allocate. */
	assert_true(!COUNTED || engine_allocations > 100);
	assert_int_equal(cost.allocations, 0);
	assert_int_equal(cost.calls, 0);
	if (!cost.calls_known)
		print_message("# /proc/self/io is not there, so that I/O was not counted\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_in_a_region) };

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
