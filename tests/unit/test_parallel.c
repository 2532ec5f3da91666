/* SPDX-License-Identifier: Apache-2.0 */
/* base/parallel.h: each piece is done once, and pieces within pieces take no further threads where there
 * is plenty of work. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/parallel.h"

enum { PLENTY = 1000, FEW = 2, INNER = 30 };

typedef struct inner { atomic_int *done; pthread_t caller; } inner;

static atomic_int done[PLENTY * INNER], elsewhere;
static bool slow; /* so that other threads get some pieces, too */

static void inner_piece(void *context, size_t i)
{
	inner *of = context;

	atomic_fetch_add(&of->done[i], 1);
	if (!pthread_equal(of->caller, pthread_self()))
		atomic_fetch_add(&elsewhere, 1);
	if (slow)
		(void)usleep(1000);
}

static void outer_piece(void *context, size_t i)
{
	inner of = { (atomic_int *)context + i * INNER, pthread_self() };

	parallel_each(INNER, inner_piece, &of);
}

static void expect_each_once(size_t outer)
{
	for (size_t i = 0; i < (size_t)PLENTY * INNER; i++)
		atomic_store(&done[i], 0);
	atomic_store(&elsewhere, 0);
	parallel_each(outer, outer_piece, done);
	for (size_t i = 0; i < (size_t)PLENTY * INNER; i++)
		assert_int_equal(atomic_load(&done[i]), i < outer * INNER);
}

static void test_plenty(void **state)
{
	(void)state;
	expect_each_once(PLENTY);
	assert_int_equal(atomic_load(&elsewhere), 0);
}

static void test_few_and_none(void **state)
{
	(void)state;
	expect_each_once(FEW);
	expect_each_once(1);
	expect_each_once(0);
}

/* What plenty set for this thread ends with it. */
static void test_threads_after_plenty(void **state)
{
	(void)state;
	expect_each_once(PLENTY);
	slow = true;
	for (int tries = 0; tries < 100 && atomic_load(&elsewhere) == 0; tries++)
		expect_each_once(1);
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		assert_true(atomic_load(&elsewhere) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plenty),
		cmocka_unit_test(test_few_and_none),
		cmocka_unit_test(test_threads_after_plenty),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
