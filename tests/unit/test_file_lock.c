/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of a file: who waits, who is named, and what happens when the file is replaced. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file_lock.h"
#include "base/text.h"
#include "golden.h"

static char *path;

static int make_file(void **state)
{
	(void)state;
	path = golden_scratch("locked.json");
	return golden_put("x", 1, path) == EH_OK ? 0 : -1;
}

static int drop_file(void **state)
{
	(void)state;
	free(path);
	return 0;
}

static void a_second_one_waits_and_names_the_first(void **state)
{
	eh_error error = ERROR_INIT;
	uint64_t begun = clock_now_ns();
	char mine[32];
	int first = -1, second = -1;

	(void)state;
	snprintf(mine, sizeof(mine), "process %ld ", (long)getpid());
	assert_int_equal(file_lock_take(path, 0, &first, &error), EH_OK);
	assert_int_equal(file_lock_take(path, 50000000, &second, &error), EH_E_UNAVAILABLE);
	assert_int_equal(second, -1);
	assert_true(clock_now_ns() - begun >= 50000000);
	assert_non_null(strstr(error.message, path));
	assert_non_null(strstr(error.message, mine));
	file_lock_release(first);
	assert_int_equal(file_lock_take(path, 0, &second, &error), EH_OK);
	file_lock_release(second);
}

/* Runs body in a child that ends by SIGKILL. */
static void in_a_killed_child(void (*body)(void))
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		body();
		(void)kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void take_it(void)
{
	int lock;

	if (file_lock_take(path, 0, &lock, NULL) != EH_OK)
		_exit(1);
}

static void a_kill_gives_it_back(void **state)
{
	int lock = -1;

	(void)state;
	in_a_killed_child(take_it);
	assert_int_equal(file_lock_take(path, 0, &lock, NULL), EH_OK);
	file_lock_release(lock);
}

/* Has the lock, replaces the file as amend does, and ends a moment later. */
static void replace_it(void)
{
	char *other = memory_format("%s.new", path);
	int lock;

	if (file_lock_take(path, 0, &lock, NULL) != EH_OK || golden_put("new", 3, other) != EH_OK)
		_exit(1);
	clock_sleep_ns(50000000);
	if (rename(other, path) != 0)
		_exit(1);
	clock_sleep_ns(20000000);
	_exit(0);
}

static void the_file_that_replaced_it_is_locked(void **state)
{
	eh_error error = ERROR_INIT;
	struct stat locked, there;
	int lock = -1, code;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0)
		replace_it();
	clock_sleep_ns(20000000);
	assert_int_equal(file_lock_take(path, FILE_LOCK_WAIT_NS, &lock, &error), EH_OK);
	assert_int_equal(waitpid(child, &code, 0), child);
	assert_int_equal(code, 0);
	assert_int_equal(fstat(lock, &locked), 0);
	assert_int_equal(stat(path, &there), 0);
	assert_int_equal(locked.st_ino, there.st_ino);
	file_lock_release(lock);
}

static void what_is_not_there_is_an_error(void **state)
{
	eh_error error = ERROR_INIT;
	int lock = -1;

	(void)state;
	assert_int_equal(file_lock_take("/nowhere/r.json", 0, &lock, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "/nowhere/r.json"));
	file_lock_release(lock);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_one_waits_and_names_the_first),
		cmocka_unit_test(a_kill_gives_it_back),
		cmocka_unit_test(the_file_that_replaced_it_is_locked),
		cmocka_unit_test(what_is_not_there_is_an_error),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_file, drop_file);
}
