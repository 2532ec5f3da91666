/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of compiled kernels in a cache: kept, damaged, foreign, impossible. */
#include "host_place.h"

static void compiled_kernels_are_kept(void **state)
{
	const place *p = *state;
	char *changed = memory_format("#define UNUSED 1\n%s", kernel);
	session s;

	add_link(p, "gcc", p->real);
	start(p, &s);
	assert_false(build_and_run(&s, kernel));
	assert_true(build_and_run(&s, kernel));
	assert_false(build_and_run(&s, changed));
	session_close(&s);
	start(p, &s);
	assert_true(build_and_run(&s, kernel));
	assert_true(build_and_run(&s, changed));
	session_close(&s);
	free(changed);
}

static char *current_cache(void)
{
	const eh_host *host = host_table("host");

	return memory_text(host->option(host->ctx, "cache-dir"));
}

/* Changes every file of the cache that ends in `suffix`: one byte in the middle, or its length. */
static void damage(const char *suffix, bool cut)
{
	char *cache = current_cache();
	char **names = dir_list(cache, suffix, NULL);

	assert_non_null(names[0]);
	for (size_t i = 0; names[i] != NULL; i++) {
		char *path = path_join(cache, names[i]), *data;
		eh_error error = ERROR_INIT;
		size_t size;

		assert_int_equal(file_read(path, &data, &size, &error), EH_OK);
		data[size / 4] ^= 1;
		assert_int_equal(file_write(path, data, cut ? size / 2 : size, &error), EH_OK);
		assert_int_equal(chmod(path, 0600), 0);
		free(data);
		free(path);
	}
	dir_list_free(names);
	free(cache);
}

static void damaged_entries_are_compiled_again(void **state)
{
	static const struct { const char *suffix; bool cut; } ways[] = {
		{ ".so", false }, { ".so", true }, { ".sha256", false }, { ".sha256", true },
	};
	const place *p = *state;
	session s;

	add_link(p, "gcc", p->real);
	start(p, &s);
	assert_false(build_and_run(&s, kernel));
	session_close(&s);
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		damage(ways[i].suffix, ways[i].cut);
		start(p, &s);
		assert_false(build_and_run(&s, kernel));
		assert_true(build_and_run(&s, kernel));
		session_close(&s);
	}
}

static void what_others_can_change_is_not_loaded(void **state)
{
	const place *p = *state;
	char *cache, **names;
	session s;

	add_link(p, "gcc", p->real);
	start(p, &s);
	assert_false(build_and_run(&s, kernel));
	cache = current_cache();
	names = dir_list(cache, ".so", NULL);
	for (size_t i = 0; names[i] != NULL; i++) {
		char *path = path_join(cache, names[i]);

		assert_int_equal(chmod(path, 0666), 0);
		free(path);
	}
	assert_false(build_and_run(&s, kernel));
	assert_true(build_and_run(&s, kernel));
	session_close(&s);
	dir_list_free(names);
	free(cache);
}

static void a_cache_that_cannot_be_written_costs_time_only(void **state)
{
	const place *p = *state;
	char *file = memory_format("%s/file", p->bin), *inside = memory_format("%s/file/cache", p->bin);
	eh_error error = ERROR_INIT;
	session s;

	add_link(p, "gcc", p->real);
	assert_int_equal(file_write(file, "", 0, &error), EH_OK);
	set_option("cache-dir", inside);
	start(p, &s);
	assert_false(build_and_run(&s, kernel));
	assert_false(build_and_run(&s, kernel));
	session_close(&s);
	set_option("cache-dir", "none");
	start(p, &s);
	assert_false(build_and_run(&s, kernel));
	session_close(&s);
	free(file);
	free(inside);
}

static void nothing_is_left_behind(void **state)
{
	const place *p = *state;
	char *temporary = path_join(p->bin, "tmp");
	eh_error error = ERROR_INIT;
	char **left;
	session s;

	add_link(p, "gcc", p->real);
	assert_int_equal(dir_make(temporary, &error), EH_OK);
	assert_int_equal(setenv("TMPDIR", temporary, 1), 0);
	start(p, &s);
	assert_false(build_and_run(&s, kernel));
	left = dir_list(temporary, "", NULL);
	assert_null(left[0]);
	dir_list_free(left);
	/* And a folder that is not there is told, with the remedy. */
	assert_int_equal(rmdir(temporary), 0);
	session_close(&s);
	set_option("cache-dir", "none");
	start(p, &s);
	assert_int_equal(device(&s, 0, &s.info, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "TMPDIR"));
	session_close(&s);
	assert_int_equal(unsetenv("TMPDIR"), 0);
	free(temporary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(compiled_kernels_are_kept),
		PLACE_TEST(damaged_entries_are_compiled_again),
		PLACE_TEST(what_others_can_change_is_not_loaded),
		PLACE_TEST(a_cache_that_cannot_be_written_costs_time_only),
		PLACE_TEST(nothing_is_left_behind),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("host kernel cache", tests, make_place, free_place);
}
