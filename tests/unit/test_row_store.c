/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of rows in a temporary file. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "record/row_store.h"
#include "skipping.h"

enum { ROWS = 3, SAMPLES = 10000 };

/* Open files without a name in the folder. */
static unsigned nameless(const char *folder)
{
	DIR *all = opendir("/proc/self/fd");
	const struct dirent *entry;
	unsigned count = 0;

	assert_non_null(all);
	while ((entry = readdir(all)) != NULL) {
		char to[4096];
		ssize_t size = readlinkat(dirfd(all), entry->d_name, to, sizeof(to) - 1);

		to[size > 0 ? size : 0] = '\0';
		count += strncmp(to, folder, strlen(folder)) == 0 && strstr(to, " (deleted)") != NULL;
	}
	closedir(all);
	return count;
}

static uint64_t sample(size_t row, size_t i)
{
	return 1000000 * (row + 1) + i;
}

/* Rows of which each has one execution with samples. */
static void fill(record_case *rows)
{
	for (size_t r = 0; r < ROWS; r++) {
		record_execution *e = layout_append(record_execution_layout(), &rows[r].executions);

		e->samples_ns.items = memory_get(SAMPLES * sizeof(*e->samples_ns.items));
		e->samples_ns.count = SAMPLES;
		for (size_t i = 0; i < SAMPLES; i++)
			e->samples_ns.items[i] = sample(r, i);
	}
}

/* Puts the rows into a store and reads them; how many files without a name it has in TMPDIR. */
static unsigned stored(const char *folder)
{
	record_case rows[ROWS];
	record_pool pools[ROWS];
	row_store *s = row_store_new(ROWS);
	unsigned files;

	assert_int_equal(setenv("TMPDIR", folder, 1), 0);
	memset(pools, 0, sizeof(pools));
	for (size_t r = 0; r < ROWS; r++)
		layout_init(record_case_layout(), &rows[r]);
	fill(rows);
	for (size_t r = 0; r < ROWS; r++)
		row_store_put(s, r, &rows[r], &pools[r]);
	files = nameless(folder);
	for (size_t r = 0; r < ROWS; r++) {
		const record_execution *e = &rows[r].executions.items[0];

		for (size_t i = 0; i < SAMPLES; i++)
			assert_true(e->samples_ns.items[i] == sample(r, i));
		row_store_rest(s, r);
		assert_true(e->samples_ns.items[SAMPLES - 1] == sample(r, SAMPLES - 1));
	}
	for (size_t r = 0; r < ROWS; r++) {
		row_store_take_out(s, r, &rows[r], &pools[r]);
		layout_clear(record_case_layout(), &rows[r]);
	}
	row_store_free(s);
	assert_int_equal(unsetenv("TMPDIR"), 0);
	assert_int_equal(nameless(folder), 0);
	return files;
}

static void rows_are_read_from_the_file(void **state)
{
	const char *folder = getenv("T");

	(void)state;
	assert_true(stored(folder != NULL ? folder : "/var/tmp") <= 1);
}

/* A file in memory would keep what it took, beside the row that stays where it was. */
static void no_file_is_kept_in_memory(void **state)
{
	(void)state;
	if (access("/dev/shm", W_OK) != 0)
		skip_because("there is no /dev/shm here");
	assert_int_equal(stored("/dev/shm"), 0);
}

static void rows_stay_where_there_is_no_file(void **state)
{
	(void)state;
	assert_int_equal(stored("/proc"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_read_from_the_file),
		cmocka_unit_test(no_file_is_kept_in_memory),
		cmocka_unit_test(rows_stay_where_there_is_no_file),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
