/* SPDX-License-Identifier: Apache-2.0 */
/* The archive without results: levels of a line, and the database below it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "archive/archive_inside.h"
#include "base/text.h"
#include "golden.h"

/* ---- levels ---------------------------------------------------------------------------------- */

enum { N = 40 };

typedef struct line { double times[N]; int64_t stacks[N]; } line;

/* A noise of half a percent that repeats itself after seven values. */
static line flat(void)
{
	static const double noise[] = { 0.1, -0.4, 0.5, -0.2, 0.3, -0.5, 0.2 };
	line l = { { 0 }, { 0 } };

	for (size_t i = 0; i < N; i++) {
		l.times[i] = 1e6 * (1 + 0.01 * noise[i % 7]);
		l.stacks[i] = 1;
	}
	return l;
}

static void slow_down(line *l, size_t from, double factor)
{
	for (size_t i = from; i < N; i++)
		l->times[i] *= factor;
}

static void change_stack(line *l, size_t from)
{
	for (size_t i = from; i < N; i++)
		l->stacks[i]++;
}

/* The number of levels; *second is where the second begins. */
static size_t levels_of(const line *l, size_t n, double margin, size_t *second)
{
	size_t *firsts, count = archive_levels(l->times, l->stacks, n, margin, &firsts);

	assert_int_equal(firsts[0], 0);
	*second = count > 1 ? firsts[1] : 0;
	free(firsts);
	return count;
}

static void test_no_change(void **state)
{
	line l = flat();
	size_t second;

	(void)state;
	assert_int_equal(levels_of(&l, N, 0.01, &second), 1);
	assert_int_equal(levels_of(&l, 1, 0.01, &second), 1);
	/* A stack that changes nothing is no change. */
	change_stack(&l, 20);
	assert_int_equal(levels_of(&l, N, 0.01, &second), 1);
}

static void test_change(void **state)
{
	line l = flat();
	size_t second;

	(void)state;
	slow_down(&l, 23, 1.1);
	assert_int_equal(levels_of(&l, N, 0.01, &second), 2);
	assert_int_equal(second, 23);
	assert_int_equal(levels_of(&l, N, 0.2, &second), 1); /* within the margin */
	assert_int_equal(levels_of(&l, 25, 0.01, &second), 1); /* two results are too few */
	slow_down(&l, 30, 1.2);
	assert_int_equal(levels_of(&l, N, 0.01, &second), 3);
	assert_int_equal(levels_of(&l, N, 0.15, &second), 2); /* the larger one stays */
	assert_int_equal(second, 30);
}

/* One result between is not on the one level or the other. */
static void test_near_stack(void **state)
{
	line l = flat();
	size_t second;

	(void)state;
	slow_down(&l, 21, 1.1);
	change_stack(&l, 20);
	assert_int_equal(levels_of(&l, N, 0.01, &second), 2);
	assert_int_equal(second, 20);
	l = flat();
	slow_down(&l, 21, 1.1);
	change_stack(&l, 17);
	assert_int_equal(levels_of(&l, N, 0.01, &second), 2);
	assert_int_equal(second, 21);
}

static void test_one_outlier(void **state)
{
	line l = flat();
	size_t second;

	(void)state;
	l.times[11] *= 3;
	assert_int_equal(levels_of(&l, N, 0.01, &second), 1);
}

/* ---- the database ---------------------------------------------------------------------------- */

static void test_shown(void **state)
{
	static const char *const forms[][2] = {
		{ "a.db", "a.db" }, { "postgresql://h/d", "postgresql://h/d" }, { "postgres://u:p@h:5/d", "postgresql://h:5/d" },
		{ "postgresql://u:p@q@h/d?host=/tmp/x@y", "postgresql://h/d?host=/tmp/x@y" },
		{ "postgresql://h/d?password=p", "postgresql://h/d" },
		{ "postgresql://h/d?sslpassword=p&port=1&password=q&user=u", "postgresql://h/d?port=1&user=u" },
		{ "postgresql://", "postgresql://" } };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char *shown = db_shown(forms[i][0]);

		assert_string_equal(shown, forms[i][1]);
		free(shown);
	}
}

/* What stands in the one row and column that a query gives. */
static char *asked(db *d, const char *sql, const db_value *values, size_t count)
{
	eh_error error = ERROR_INIT;
	db_rows *rows;
	char *found;

	assert_int_equal(db_query(d, sql, values, count, &rows, &error), EH_OK);
	assert_true(db_next(rows));
	found = memory_text(db_text(rows, 0));
	assert_false(db_next(rows));
	assert_int_equal(db_end(rows, &error), EH_OK);
	return found;
}

static void test_transactions(void **state)
{
	eh_error error = ERROR_INIT;
	char *path = golden_scratch("small.db"), *found;
	const db_value word = db_of_text("it's; DROP TABLE t;--");
	uint64_t changed;
	db *d;

	(void)state;
	assert_int_equal(db_open(path, &d, &error), EH_OK);
	assert_int_equal(db_run(d, "CREATE TABLE t (id {key}, words {word}, number {real})", NULL, 0, NULL, &error), EH_OK);
	assert_int_equal(db_begin(d, &error), EH_OK);
	assert_int_equal(db_run(d, "INSERT INTO t (words) VALUES ($1)", &word, 1, &changed, &error), EH_OK);
	assert_int_equal(changed, 1);
	db_undo(d);
	found = asked(d, "SELECT count(*) FROM t", NULL, 0);
	assert_string_equal(found, "0");
	free(found);
	assert_int_equal(db_begin(d, &error), EH_OK);
	assert_int_equal(db_run(d, "INSERT INTO t (words) VALUES ($1)", &word, 1, NULL, &error), EH_OK);
	assert_int_equal(db_commit(d, &error), EH_OK);
	found = asked(d, "SELECT words FROM t WHERE words = $1", &word, 1);
	assert_string_equal(found, "it's; DROP TABLE t;--");
	free(found);
	assert_int_not_equal(db_run(d, "INSERT INTO absent (words) VALUES ($1)", &word, 1, NULL, &error), EH_OK);
	assert_non_null(strstr(error.message, "small.db"));
	db_close(d);
	free(path);
}

/* An archive of an earlier step gets what is missing, and keeps what it has. */
static void test_migration(void **state)
{
	eh_error error = ERROR_INIT;
	char *path = golden_scratch("older.db"), *found;
	archive a;

	(void)state;
	assert_int_equal(archive_open(path, false, &a, &error), EH_E_NOT_FOUND);
	assert_int_equal(archive_open(path, true, &a, &error), EH_OK);
	assert_int_equal(db_run(a.db, "INSERT INTO stack (digest, record) VALUES ('kept', '{}')", NULL, 0, NULL, &error), EH_OK);
	assert_int_equal(db_run(a.db, "ALTER TABLE result DROP COLUMN redacted", NULL, 0, NULL, &error), EH_OK);
	assert_int_equal(db_run(a.db, "UPDATE meta SET value = value - 1", NULL, 0, NULL, &error), EH_OK);
	archive_close(&a);
	assert_int_equal(archive_open(path, false, &a, &error), EH_OK);
	found = asked(a.db, "SELECT count(redacted) FROM result", NULL, 0);
	assert_string_equal(found, "0");
	free(found);
	found = asked(a.db, "SELECT digest FROM stack", NULL, 0);
	assert_string_equal(found, "kept");
	free(found);
	assert_int_equal(db_run(a.db, "UPDATE meta SET value = value + 1", NULL, 0, NULL, &error), EH_OK);
	archive_close(&a);
	assert_int_equal(archive_open(path, true, &a, &error), EH_E_FORMAT);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_change), cmocka_unit_test(test_change), cmocka_unit_test(test_near_stack),
		cmocka_unit_test(test_one_outlier), cmocka_unit_test(test_shown), cmocka_unit_test(test_transactions),
		cmocka_unit_test(test_migration),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
