/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"

static char folder[] = "/tmp/evenhand-test-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	char *command = memory_format("rm -rf '%s'", folder);
	int rc = system(command);

	(void)state;
	free(command);
	return rc;
}

static char *in_folder(const char *name)
{
	return path_join(folder, name);
}

static void expect_content(const char *path, const char *content)
{
	eh_error error = ERROR_INIT;
	char *data;
	size_t size;

	assert_int_equal(file_read(path, &data, &size, &error), EH_OK);
	assert_int_equal(size, strlen(content));
	assert_string_equal(data, content);
	free(data);
}

static void a_file_is_replaced_whole(void **state)
{
	eh_error error = ERROR_INIT;
	char *path = in_folder("f");
	file_writer *w;
	char **names;

	(void)state;
	assert_int_equal(file_write(path, "one", 3, &error), EH_OK);
	expect_content(path, "one");
	assert_int_equal(file_writer_open(path, &w, &error), EH_OK);
	assert_int_equal(file_writer_add(w, "tw", 2, &error), EH_OK);
	expect_content(path, "one");
	assert_int_equal(file_writer_add(w, "o", 1, &error), EH_OK);
	assert_int_equal(file_writer_commit(w, &error), EH_OK);
	expect_content(path, "two");
	assert_int_equal(file_writer_open(path, &w, &error), EH_OK);
	assert_int_equal(file_writer_add(w, "three", 5, &error), EH_OK);
	file_writer_abandon(w);
	file_writer_abandon(NULL);
	expect_content(path, "two");
	names = dir_list(folder, "", NULL);
	assert_string_equal(names[0], "f");
	assert_null(names[1]);
	dir_list_free(names);
	unlink(path);
	free(path);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
	eh_error error = ERROR_INIT;
	struct rlimit none, before;
	char *path = in_folder("g"), *missing = in_folder("no/such/f");
	char big[4096] = { 1 };
	char **names;

	(void)state;
	assert_int_equal(file_write(path, "old", 3, &error), EH_OK);
	/* A full disk, as far as a process can make one for itself. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = before;
	none.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(file_write(path, big, sizeof(big), &error), EH_E_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(error.message, "cannot write"));
	assert_non_null(strstr(error.message, path));
	assert_null(strstr(error.message, "tmp-"));
	expect_content(path, "old");
	names = dir_list(folder, "", NULL);
	assert_string_equal(names[0], "g");
	assert_null(names[1]);
	dir_list_free(names);
	assert_int_equal(file_write(missing, "x", 1, &error), EH_E_IO);
	assert_int_equal(file_write(folder, "x", 1, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "a folder"));
	unlink(path);
	free(missing);
	free(path);
}

static void only_regular_files_are_read(void **state)
{
	eh_error error = ERROR_INIT;
	char *fifo = in_folder("fifo"), *data, *huge = in_folder("huge");
	size_t size;

	(void)state;
	assert_int_equal(file_read("/no/such/file", &data, &size, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "'/no/such/file': No such file"));
	assert_int_equal(file_read(folder, &data, &size, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "is a folder"));
	assert_int_equal(file_read("/dev/zero", &data, &size, &error), EH_E_IO);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(file_read(fifo, &data, &size, &error), EH_E_IO);
	assert_int_equal(file_write(huge, "", 0, &error), EH_OK);
	assert_int_equal(truncate(huge, ((off_t)1 << 30) + 1), 0);
	assert_int_equal(file_read(huge, &data, &size, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "1 GiB"));
	unlink(huge);
	unlink(fifo);
	free(huge);
	free(fifo);
	/* A file that says it is empty and is not. */
	assert_int_equal(file_read("/proc/self/status", &data, &size, &error), EH_OK);
	assert_true(size > 100);
	free(data);
}

static void folders_are_made_and_listed(void **state)
{
	static const char *const files[] = { "b.ini", "a.ini", "c.txt", "a.ini.tmp-1" };
	eh_error error = ERROR_INIT;
	char *deep = in_folder("x/y/z"), *below_file, **names;

	(void)state;
	assert_int_equal(dir_make(deep, &error), EH_OK);
	assert_int_equal(dir_make(deep, &error), EH_OK);
	for (size_t i = 0; i < 4; i++) {
		char *path = path_join(deep, files[i]);

		assert_int_equal(file_write(path, "", 0, &error), EH_OK);
		assert_true(file_exists(path));
		free(path);
	}
	names = dir_list(deep, ".ini", &error);
	assert_string_equal(names[0], "a.ini");
	assert_string_equal(names[1], "b.ini");
	assert_null(names[2]);
	dir_list_free(names);
	names = dir_list("/no/such/folder", "", &error);
	assert_null(names[0]);
	dir_list_free(names);
	below_file = path_join(deep, "a.ini");
	assert_null(dir_list(below_file, "", &error));
	assert_int_equal(error.code, EH_E_IO);
	assert_non_null(strstr(error.message, "cannot open '"));
	assert_non_null(strstr(error.message, "Not a directory"));
	free(below_file);
	if (geteuid() != 0) {
		assert_int_equal(chmod(deep, 0), 0);
		assert_null(dir_list(deep, "", &error));
		assert_non_null(strstr(error.message, "Permission denied"));
		assert_int_equal(chmod(deep, 0700), 0);
	}
	below_file = path_join(deep, "a.ini/q");
	assert_int_equal(dir_make(below_file, &error), EH_E_IO);
	assert_int_equal(dir_make("/proc/no-such-folder", &error), EH_E_IO);
	assert_false(file_exists("/no/such"));
	free(below_file);
	free(deep);
}

static void a_file_has_a_digest(void **state)
{
	eh_error error = ERROR_INIT;
	char *path = in_folder("d");
	char hex[65];

	(void)state;
	assert_int_equal(file_write(path, "abc", 3, &error), EH_OK);
	assert_int_equal(digest_file(path, hex, &error), EH_OK);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	unlink(path);
	assert_int_equal(digest_file(path, hex, &error), EH_E_IO);
	assert_int_equal(digest_file(folder, hex, &error), EH_E_IO);
	free(path);
}

static void expect_path(char *got, const char *want)
{
	if (want == NULL)
		assert_null(got);
	else
		assert_string_equal(got, want);
	free(got);
}

static void paths_follow_the_environment(void **state)
{
	char *program = paths_program();

	(void)state;
	assert_int_equal(program[0], '/');
	assert_true(file_exists(program));
	free(program);
	setenv("HOME", "/h", 1);
	unsetenv("XDG_DATA_HOME");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("EVENHAND_CACHE_DIR");
	expect_path(paths_user_data("protocols"), "/h/.local/share/evenhand/protocols");
	expect_path(paths_cache("host"), "/h/.cache/evenhand/host");
	setenv("XDG_DATA_HOME", "/d", 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	expect_path(paths_user_data(""), "/d/evenhand");
	expect_path(paths_cache(""), "/h/.cache/evenhand");
	setenv("XDG_CACHE_HOME", "/c", 1);
	expect_path(paths_cache("x"), "/c/evenhand/x");
	setenv("EVENHAND_CACHE_DIR", "/e", 1);
	expect_path(paths_cache("x"), "/e/x");
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("EVENHAND_CACHE_DIR");
	expect_path(paths_cache("x"), NULL);
	unsetenv("XDG_DATA_HOME");
	expect_path(paths_user_data("protocols"), NULL);
}

static void clocks_tell_time(void **state)
{
	char out[24];
	uint64_t before = clock_now_ns();

	(void)state;
	clock_sleep_ns(2000000);
	assert_true(clock_now_ns() - before >= 1900000);
	assert_true(clock_epoch_sound());
	setenv("SOURCE_DATE_EPOCH", "abc", 1);
	assert_false(clock_epoch_sound());
	setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
	assert_true(clock_epoch_sound());
	clock_wall_text(out);
	assert_string_equal(out, "2023-11-14T22:13:20Z");
	setenv("SOURCE_DATE_EPOCH", "99999999999999999", 1);
	clock_wall_text(out);
	assert_int_equal(strlen(out), 20);
	unsetenv("SOURCE_DATE_EPOCH");
	clock_wall_text(out);
	assert_int_equal(strlen(out), 20);
	assert_string_not_equal(out, "2023-11-14T22:13:20Z");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_whole),
		cmocka_unit_test(what_cannot_be_written_leaves_nothing),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(folders_are_made_and_listed),
		cmocka_unit_test(a_file_has_a_digest),
		cmocka_unit_test(paths_follow_the_environment),
		cmocka_unit_test(clocks_tell_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
