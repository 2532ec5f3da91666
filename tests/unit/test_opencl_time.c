/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL backend on the stacks of this machine: that waits wait, and what its times say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "opencl_stack.h"

enum { SLOW_MAX_GROUPS = 16384 };
static eh_buffer *slow_buffer;
static uint32_t slow_groups;

/* Longer by more work-items: llvmpipe ends one after 65,535 turns of its loops, silently. */
static void slow(void)
{
	const uint32_t steps = 20000;
	const eh_arg args[] = { { .buffer = slow_buffer }, { .data = &steps, .size = 4 } };
	ok(launch(kernel("t_slow"), slow_groups, args, 2));
}

/* Milliseconds until the next word can be read, which nothing can fake. */
static double drain(void)
{
	const uint64_t before = clock_now_ns();
	(void)word(slow_buffer, 0);
	return (double)(clock_now_ns() - before) / 1e6;
}

static double since(uint64_t before)
{
	return (double)(clock_now_ns() - before) / 1e6;
}

/* Chooses the kernel's length so that it takes about 200 ms on this machine, now. */
static void make_slow(void)
{
	double took;
	if (slow_buffer != NULL)
		return;
	slow_buffer = buffer(EH_MEMORY_DEVICE, SLOW_MAX_GROUPS * 64 * 4);
	ok(s.ops->fill(s.queue, slow_buffer, 0, SLOW_MAX_GROUPS * 64 * 4, 0, &error));
	slow_groups = 4;
	slow();
	(void)drain();
	do {
		slow_groups *= 2;
		slow();
		took = drain();
	} while (took < 20 && slow_groups < SLOW_MAX_GROUPS);
	took = slow_groups * (200 / took);
	slow_groups = took < SLOW_MAX_GROUPS ? (uint32_t)took : SLOW_MAX_GROUPS;
}

static void test_queue_wait_waits(void **state)
{
	double waited;
	uint64_t before;
	(void)state;
	make_slow();
	before = clock_now_ns();
	slow();
	wait_all();
	waited = since(before);
	assert_true(drain() < waited / 3);
	/* The trap: after a flush rusticl's clFinish returns at once. */
	before = clock_now_ns();
	slow();
	ok(s.ops->queue_flush(s.queue, &error));
	wait_all();
	waited = since(before);
	assert_true(drain() < waited / 3);
}

static void test_mark_waits_for_the_kernel(void **state)
{
	eh_mark *mark = NULL;
	double waited;
	(void)state;
	make_slow();
	ok(s.ops->mark_create(s.device, EH_TIMED, &mark, &error));
	for (int flush = 0; flush < 2; flush++) {
		const uint64_t before = clock_now_ns();
		slow();
		if (flush)
			ok(s.ops->queue_flush(s.queue, &error));
		ok(s.ops->mark_record(s.queue, mark, &error));
		if (flush)
			ok(s.ops->queue_flush(s.queue, &error));
		ok(s.ops->mark_wait(mark, &error));
		waited = since(before);
		assert_true(drain() < waited / 3);
	}
	s.ops->mark_destroy(mark);
}

static void test_copies_wait_for_the_kernel(void **state)
{
	eh_buffer *b = buffer(EH_MEMORY_DEVICE, 64);
	float value = 1;
	(void)state;
	make_slow();
	ok(s.ops->upload(s.queue, slow_buffer, 0, &value, 4, &error));
	slow();
	ok(s.ops->copy(s.queue, b, 0, slow_buffer, 0, 4, &error));
	ok(s.ops->queue_flush(s.queue, &error));
	ok(s.ops->download(s.queue, &value, b, 0, 4, &error));
	wait_all();
	/* x = 0.999 x + 0.5 settles at 500. */
	assert_true(value > 499 && value < 501);
	s.ops->buffer_free(b);
}

static void test_elapsed_is_true_or_refused(void **state)
{
	eh_mark *from = NULL, *to = NULL, *other = NULL;
	uint64_t ns = 12345, first = 0, second = 0, before;
	double host;
	eh_status status;
	(void)state;
	make_slow();
	ok(s.ops->mark_create(s.device, EH_TIMED, &from, &error));
	ok(s.ops->mark_create(s.device, EH_TIMED, &to, &error));
	ok(s.ops->mark_create(s.device, EH_TIMED, &other, &error));
	ok(s.ops->mark_record(s.queue, from, &error));
	assert_int_equal(s.ops->mark_elapsed(from, other, &ns, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(s.ops->mark_wait(other, &error), EH_E_INVALID_ARGUMENT);
	before = clock_now_ns();
	slow();
	ok(s.ops->mark_record(s.queue, other, &error));
	slow();
	ok(s.ops->mark_record(s.queue, to, &error));
	ok(s.ops->mark_wait(to, &error));
	host = since(before);
	status = s.ops->mark_elapsed(from, to, &ns, &error);
	if (status == EH_OK) {
		assert_true((double)ns / 1e6 > host * 0.7 && (double)ns / 1e6 < host * 1.05 + 1);
		ok(s.ops->mark_elapsed(from, other, &first, &error));
		ok(s.ops->mark_elapsed(other, to, &second, &error));
		assert_int_equal(first + second, ns);
		/* Again with the same marks, after idling: the idle time is not counted. */
		usleep(150000);
		ok(s.ops->mark_record(s.queue, from, &error));
		set(slow_buffer, 0, 0);
		ok(s.ops->mark_record(s.queue, to, &error));
		ok(s.ops->mark_wait(to, &error));
		ok(s.ops->mark_elapsed(from, to, &ns, &error));
		assert_true(ns > 0 && ns < 100000000);
		/* Nothing between: the time of the marks alone. */
		ok(s.ops->mark_record(s.queue, from, &error));
		ok(s.ops->mark_record(s.queue, to, &error));
		ok(s.ops->mark_wait(to, &error));
		ok(s.ops->mark_elapsed(from, to, &ns, &error));
		assert_true(ns < 50000000);
		assert_int_equal(s.ops->mark_elapsed(to, from, &ns, &error), EH_E_DEVICE);
	} else {
		assert_string_equal(slug, "rusticl");
		assert_int_equal(status, EH_E_UNSUPPORTED);
		assert_int_equal(ns, 12345);
		assert_non_null(strstr(error.message, "no clock"));
	}
	s.ops->mark_destroy(from);
	s.ops->mark_destroy(to);
	s.ops->mark_destroy(other);
	s.ops->mark_destroy(NULL);
}

static void test_queue_destroy_waits(void **state)
{
	eh_queue *kept = s.queue, *q = NULL;
	uint64_t last;
	uint32_t bits;
	float value;
	(void)state;
	make_slow();
	last = (uint64_t)slow_groups * 64 - 1;
	ok(s.ops->fill(s.queue, slow_buffer, 0, (last + 1) * 4, 0, &error));
	wait_all();
	ok(s.ops->queue_create(s.device, EH_TIMED, &q, &error));
	s.queue = q;
	slow();
	s.ops->queue_destroy(q);
	s.queue = kept;
	/* Another queue sees the kernel's work, for it was waited for. */
	bits = word(slow_buffer, last);
	memcpy(&value, &bits, sizeof(value));
	assert_true(value > 499 && value < 501);
	s.ops->queue_destroy(NULL);
}

static void free_slow(void)
{
	if (slow_buffer != NULL)
		s.ops->buffer_free(slow_buffer);
}

/* ---- running ---------------------------------------------------------------------------- */

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queue_wait_waits),
		cmocka_unit_test(test_mark_waits_for_the_kernel),
		cmocka_unit_test(test_copies_wait_for_the_kernel),
		cmocka_unit_test(test_elapsed_is_true_or_refused),
		cmocka_unit_test(test_queue_destroy_waits),
	};

	return stacks_run(tests, sizeof(tests) / sizeof(tests[0]), free_slow);
}
