/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/log.h"
#include "base/limits.h"
#include "base/text.h"
#include "chain.h"
#include "journal_place.h"
#include "record/journal.h"
#include "skipping.h"

typedef struct seen { unsigned count; bool in_order; long last; } seen;

static eh_status look(void *context, record_line *line, long offset, eh_error *error)
{
	seen *s = context;

	(void)error;
	s->in_order = s->in_order && number_of(line) == s->count;
	s->count++;
	s->last = offset;
	return EH_OK;
}

static eh_status count_only(void *context, record_line *line, long offset, eh_error *error)
{
	seen *s = context;

	(void)line;
	(void)error;
	s->count++;
	s->last = offset;
	return EH_OK;
}

static seen read_all(const char *path)
{
	seen s = { .in_order = true };
	eh_error error = ERROR_INIT;

	assert_int_equal(journal_each(path, look, &s, &error), EH_OK);
	return s;
}

static void append_and_read(void **state)
{
	place *p = *state;
	journal *j;
	record_line line;
	seen s;

	create(p->path, &j);
	for (unsigned i = 1; i <= 20; i++)
		assert_int_equal(append(j, i), EH_OK);
	s = read_all(p->path);
	assert_int_equal(s.count, 21);
	assert_true(s.in_order);
	assert_int_equal(journal_line_at(p->path, s.last, &line, NULL), EH_OK);
	assert_int_equal(number_of(&line), 20);
	record_line_clear(&line);
	journal_close(j);
}

static void exists_already(void **state)
{
	place *p = *state;
	journal *j, *other = NULL;
	record_line line;
	eh_error error = ERROR_INIT;

	first_line(&line);
	create(p->path, &j);
	assert_int_equal(journal_create(p->path, &line.run, &other, &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "--resume"));
	assert_int_equal(read_all(p->path).count, 1);
	record_line_clear(&line);
	journal_close(j);
}

static void missing_file(void **state)
{
	place *p = *state;
	journal *j = NULL;

	assert_int_equal(journal_open(p->path, &j, NULL), EH_E_NOT_FOUND);
	assert_int_equal(journal_each(p->path, look, NULL, NULL), EH_E_NOT_FOUND);
}

/* Without its plan a run cannot go on; the file of `size` bytes stays as it is. */
static void expect_first_line_refused(const char *path, size_t size)
{
	journal *j = NULL;
	eh_error error = ERROR_INIT;
	struct stat info;

	assert_int_equal(journal_open(path, &j, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "line 1 at byte 0"));
	assert_int_equal(journal_salvage(path, NULL, NULL, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "not with --salvage either"));
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, size);
}

/* Cut at every byte from the end of the first line: whole lines are read, the next append follows them. */
static void every_truncation(void **state)
{
	place *p = *state;
	journal *j;
	char *data;
	size_t size;

	create(p->path, &j);
	for (unsigned i = 1; i <= 4; i++)
		assert_int_equal(append(j, i), EH_OK);
	journal_close(j);
	assert_int_equal(file_read(p->path, &data, &size, NULL), EH_OK);
	log_set_level(EH_LOG_ERROR);
	for (size_t cut = (size_t)(strchr(data, '\n') - data) - 40; cut <= size; cut++) {
		unsigned whole = 0;
		seen s;

		for (size_t i = 0; i < cut; i++)
			whole += data[i] == '\n';
		assert_int_equal(file_write(p->path, data, cut, NULL), EH_OK);
		assert_int_equal(read_all(p->path).count, whole);
		if (whole == 0) {
			expect_first_line_refused(p->path, cut);
			continue;
		}
		assert_int_equal(journal_open(p->path, &j, NULL), EH_OK);
		assert_int_equal(append(j, whole), EH_OK);
		journal_close(j);
		s = read_all(p->path);
		assert_int_equal(s.count, whole + 1);
		assert_true(s.in_order);
	}
	log_set_level(EH_LOG_WARN);
	free(data);
}

/* A line torn by a writer that died while another has the journal open. */
static void torn_under_way(void **state)
{
	place *p = *state;
	journal *j;
	FILE *other;
	seen s;

	create(p->path, &j);
	other = fopen(p->path, "a");
	assert_non_null(other);
	assert_true(fputs("{\"kind\":\"case\",\"num", other) >= 0);
	assert_int_equal(fclose(other), 0);
	assert_int_equal(read_all(p->path).count, 1);
	assert_int_equal(append(j, 1), EH_OK);
	s = read_all(p->path);
	assert_int_equal(s.count, 2);
	assert_true(s.in_order);
	journal_close(j);
}

static void damaged_line(void **state)
{
	place *p = *state;
	static const struct { const char *body, *words; eh_status status; } bad[] = {
		{ "{\"kind\":\"case\",\"num\n{\"kind\":\"end\"}\n", "its chain", EH_E_ALTERED },
		{ "[1,2]\n", "its chain", EH_E_ALTERED },
		{ "\n", "its chain", EH_E_ALTERED },
		{ "{\"ended\":\"\"}\n", "is not a line of a journal", EH_E_FORMAT },
		{ "{\"kind\":7}\n", "is not a line of a journal", EH_E_FORMAT },
		{ "{\"kind\":\"other\"}\n", "is not a line of a journal", EH_E_FORMAT },
		{ "{\"kind\":\"end\",\"ended\":\"\",\"status\":\"complete\",\"more\":1}\n",
		  "more is not part of the format", EH_E_FORMAT },
		{ "{\"kind\":\"end\",\"ended\":7,\"status\":\"complete\"}\n", "ended is not text", EH_E_FORMAT },
		{ "{\"kind\":\"end\",\"ended\":\"\",\"status\":\"x\"}\n", "status is not one of", EH_E_FORMAT },
		{ "{\"kind\":\"end\",\"status\":\"complete\"}\n", "ended is missing", EH_E_FORMAT },
		{ "{\"kind\":\"case\",\"executor\":\"x\",\"execution\":1,\"id\":\"c\",\"record\":"
		  "{\"status\":7}}\n", "record.status is not one of", EH_E_FORMAT },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		seen s = { .in_order = true };
		eh_error error = ERROR_INIT;
		record_line line;
		char *plain = memory_format("{\"kind\":\"end\",\"ended\":\"0\",\"status\":\"complete\"}\n%s",
		                            bad[i].body);
		char *body = chained(plain);
		long second = (long)(strchr(body, '\n') + 1 - body);
		char *where = memory_format("run.journal, line at byte %ld", second);

		assert_int_equal(file_write(p->path, body, strlen(body), NULL), EH_OK);
		free(plain);
		free(body);
		assert_int_equal(journal_each(p->path, look, &s, &error), bad[i].status);
		assert_int_equal(s.count, 1);
		assert_non_null(strstr(error.message, where));
		free(where);
		if (strstr(error.message, bad[i].words) == NULL)
			fail_msg("\"%s\" does not say \"%s\"", error.message, bad[i].words);
		/* A caller clears the line whether it was read or not. */
		assert_int_equal(journal_line_at(p->path, second, &line, NULL), EH_E_FORMAT);
		record_line_clear(&line);
		record_line_clear(&line);
	}
}

/* Every kind of line comes back as it was written. */
static void every_kind(void **state)
{
	place *p = *state;
	const layout_words *kinds = record_line_kind_words();
	journal *j;

	create(p->path, &j);
	journal_close(j);
	for (size_t i = 1; i < kinds->count; i++) {
		record_line line, back;
		seen s;

		record_line_init(&line, (enum record_line_kind)kinds->items[i].value);
		if (line.kind == RECORD_LINE_CASE)
			line.one_case.record.status = RECORD_FAILED;
		if (line.kind == RECORD_LINE_END)
			line.end.status = RECORD_ENDED_INTERRUPTED;
		if (line.kind == RECORD_LINE_SALVAGE)
			text_set(&line.salvage.damaged,
			         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
		assert_int_equal(journal_open(p->path, &j, NULL), EH_OK);
		assert_int_equal(journal_append(j, &line, NULL), EH_OK);
		journal_close(j);
		s = (seen){ .in_order = true };
		assert_int_equal(journal_each(p->path, count_only, &s, NULL), EH_OK);
		assert_int_equal(s.count, i + 1);
		assert_int_equal(journal_line_at(p->path, s.last, &back, NULL), EH_OK);
		assert_int_equal(back.kind, line.kind);
		record_line_clear(&back);
		record_line_clear(&line);
	}
}

static void reads_on(void **state)
{
	place *p = *state;
	journal *j;
	seen s = { .in_order = true };
	journal_cursor offset = { 0 };

	create(p->path, &j);
	assert_int_equal(append(j, 1), EH_OK);
	assert_int_equal(journal_each_from(p->path, &offset, look, &s, NULL), EH_OK);
	assert_int_equal(s.count, 2);
	assert_int_equal(journal_each_from(p->path, &offset, look, &s, NULL), EH_OK);
	assert_int_equal(s.count, 2);
	assert_int_equal(append(j, 2), EH_OK);
	assert_int_equal(journal_each_from(p->path, &offset, look, &s, NULL), EH_OK);
	assert_int_equal(s.count, 3);
	assert_true(s.in_order);
	journal_close(j);
}

static void held_by_one(void **state)
{
	place *p = *state;
	journal *first, *second;
	eh_error error = ERROR_INIT;

	create(p->path, &first);
	assert_int_equal(journal_open(p->path, &second, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "another evenhand"));
	journal_close(first);
	assert_int_equal(journal_open(p->path, &second, NULL), EH_OK);
	journal_close(second);
}

/* A lock that whoever may read the journal can take, as commands take it of results, is not the writer's. */
static void a_flock_holds_no_writer(void **state)
{
	place *p = *state;
	journal *j;
	int fd;

	create(p->path, &j);
	journal_close(j);
	fd = open(p->path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
	assert_int_equal(journal_open(p->path, &j, NULL), EH_OK);
	journal_close(j);
	close(fd);
}

/* The lock ends with the process that has it, however that ends. */
static void held_until_death(void **state)
{
	place *p = *state;
	journal *j, *child_journal;
	pid_t child;
	char byte;
	int ready[2];

	create(p->path, &j);
	journal_close(j);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (journal_open(p->path, &child_journal, NULL) != EH_OK ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(journal_open(p->path, &j, NULL), EH_E_UNAVAILABLE);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(journal_open(p->path, &j, NULL), EH_OK);
	journal_close(j);
	close(ready[0]);
	close(ready[1]);
}

/* Replaces the file by `body`, and expects that reading says EH_E_ALTERED. */
static void expect_altered(const char *path, const char *body)
{
	eh_error error = ERROR_INIT;
	seen s = { .in_order = true };

	assert_int_equal(file_write(path, body, strlen(body), NULL), EH_OK);
	assert_int_equal(journal_each(path, count_only, &s, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "line at byte"));
}

/* A line changed, removed, doubled or without its chain. */
static void the_chain_shows_edits(void **state)
{
	place *p = *state;
	char *body, *at, *line, *next;
	journal *j;
	size_t size = 0;
	seen s;

	create(p->path, &j);
	for (unsigned i = 1; i <= 5; i++)
		assert_int_equal(append(j, i), EH_OK);
	journal_close(j);
	assert_int_equal(file_read(p->path, &body, &size, NULL), EH_OK);
	at = strstr(body, "\"ended\":\"3\"");
	assert_non_null(at);
	at[9] = '4';
	expect_altered(p->path, body);
	at[9] = '3';
	line = strstr(body, "{\"kind\":\"end\",\"ended\":\"2\"");
	next = strchr(line, '\n') + 1;
	at = memory_format("%.*s%s", (int)(line - body), body, next);
	expect_altered(p->path, at);
	free(at);
	at = memory_format("%.*s%.*s%s", (int)(next - body), body, (int)(next - line), line, next);
	expect_altered(p->path, at);
	free(at);
	at = memory_format("%s{\"kind\":\"end\",\"ended\":\"6\",\"status\":\"complete\"}\n", body);
	expect_altered(p->path, at);
	free(at);
	assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
	s = read_all(p->path);
	assert_int_equal(s.count, 6);
	free(body);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* Opening cuts what follows the first `size` bytes, and says so. */
static void expect_cut(const char *path, size_t size, unsigned line, const char *words)
{
	text said = { 0 };
	char *where = memory_format("line %u, the ", line);
	struct stat info;
	journal *j = NULL;

	log_set_sink(collect, &said);
	assert_int_equal(journal_open(path, &j, NULL), EH_OK);
	log_set_sink(NULL, NULL);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_size, size);
	if (said.data == NULL || strstr(said.data, where) == NULL || strstr(said.data, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\" and \"%s\"", text_or_empty(said.data), where, words);
	assert_int_equal(append(j, line - 1), EH_OK);
	journal_close(j);
	assert_int_equal(read_all(path).count, line);
	text_free(&said);
	free(where);
}

/* What a lost power, a full disk or a bad block leaves behind the last whole line. */
static void damaged_end(void **state)
{
	place *p = *state;
	static const char zeros[100], ended[] = "\0\0\0\n", lines[] = "\xff\xfe\n\n\x1b[2J{\n";
	const struct { const char *bytes; size_t size; const char *words; } ends[] = {
		{ zeros, sizeof(zeros), "cannot be told" },
		{ ended, sizeof(ended) - 1, "cannot be told" },
		{ lines, sizeof(lines) - 1, "cannot be told" },
		{ "\n", 1, "cannot be told" },
		{ "{\"a\":1}\n", 8, "cannot be told" },
		{ "{\"kind\":\"case\",\"executor\":\"x\",\"execution\":2,\"id\":\"c\",\"rec", 53,
		  "a line of kind case of x, execution 2, case c" },
	};
	size_t size;
	char *body;

	make_six(p->path, &body, &size);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		text all = { 0 };

		text_add_bytes(&all, body, size);
		text_add_bytes(&all, ends[i].bytes, ends[i].size);
		assert_int_equal(file_write(p->path, all.data, all.size, NULL), EH_OK);
		expect_cut(p->path, size, 7, ends[i].words);
		text_free(&all);
	}
	/* The last line, changed. */
	*strstr(body, "\"ended\":\"5\"") = '!';
	assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
	expect_cut(p->path, (size_t)(strstr(body, "{\"kind\":\"end\",!") - body), 6, "of kind end");
	free(body);
}

/* A FIFO is refused, not waited for. */
static void no_regular_file(void **state)
{
	place *p = *state;
	record_line line;
	journal *j = NULL;

	assert_int_equal(mkfifo(p->path, 0600), 0);
	assert_int_equal(journal_each(p->path, count_only, NULL, NULL), EH_E_IO);
	assert_int_equal(journal_line_at(p->path, 0, &line, NULL), EH_E_IO);
	assert_int_equal(journal_open(p->path, &j, NULL), EH_E_IO);
	assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), EH_E_IO);
}

/* Another's file is not cut nor written through a planted link; a folder may be a link of one's own. */
static void no_link(void **state)
{
	place *p = *state;
	char *real = path_join(p->folder, "real"), *folder = path_join(p->folder, "folder");
	char *through = path_join(folder, "real");
	eh_error error = ERROR_INIT;
	journal *j = NULL;

	create(real, &j);
	journal_close(j);
	assert_int_equal(symlink("real", p->path), 0);
	assert_int_equal(journal_open(p->path, &j, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "it is a link"));
	assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), EH_E_IO);
	assert_int_equal(symlink(".", folder), 0);
	assert_int_equal(journal_open(through, &j, NULL), EH_OK);
	assert_int_equal(append(j, 1), EH_OK);
	journal_close(j);
	assert_int_equal(read_all(real).count, 2);
	assert_int_equal(unlink(folder), 0);
	assert_int_equal(unlink(real), 0);
	free(through);
	free(folder);
	free(real);
}

/* ---- no room --------------------------------------------------------------------------------- */

/* In a child, as the limit cannot be raised again: the line that does not fit leaves no trace. */
static void full(void **state)
{
	place *p = *state;
	int status = -1;
	pid_t child = fork();
	seen s;

	assert_true(child >= 0);
	if (child == 0) {
		struct rlimit limit;
		struct stat info;
		journal *j;
		unsigned i = 1;

		signal(SIGXFSZ, SIG_IGN);
		create(p->path, &j);
		if (stat(p->path, &info) != 0)
			_exit(1);
		limit = (struct rlimit){ (rlim_t)info.st_size + 400, (rlim_t)info.st_size + 400 };
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
			_exit(1);
		while (i < 100 && append(j, i) == EH_OK)
			i++;
		_exit(i > 1 && i < 100 ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	s = read_all(p->path);
	assert_true(s.count > 2);
	assert_true(s.in_order);
}

/* A disk on which nothing can be made safe (1), or taken away either (2). */
static int failing;
int __real_fdatasync(int fd);
int __real_ftruncate(int fd, off_t size);
int __wrap_fdatasync(int fd);
int __wrap_ftruncate(int fd, off_t size);

int __wrap_fdatasync(int fd)
{
	errno = EIO;
	return failing > 0 ? -1 : __real_fdatasync(fd);
}

int __wrap_ftruncate(int fd, off_t size)
{
	errno = EROFS;
	return failing > 1 ? -1 : __real_ftruncate(fd, size);
}

/* Nothing is appended beyond what is read of a journal. */
static void ends_at_the_limit(void **state)
{
	place *p = *state;
	struct stat before, after;
	journal *j;

	create(p->path, &j);
	if (truncate(p->path, (off_t)LIMIT_JOURNAL - 10) != 0)
		skip_because("the file system has no files of 16 GiB");
	assert_int_equal(stat(p->path, &before), 0);
	assert_int_equal(append(j, 1), EH_E_IO);
	assert_int_equal(stat(p->path, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	journal_close(j);
}

/* A line that was not made safe is taken away; where it cannot be, nothing follows it. */
static void failing_disk(void **state)
{
	place *p = *state;
	journal *j;
	seen s;

	create(p->path, &j);
	assert_int_equal(append(j, 1), EH_OK);
	failing = 1;
	assert_int_equal(append(j, 2), EH_E_IO);
	failing = 0;
	assert_int_equal(append(j, 2), EH_OK);
	failing = 2;
	assert_int_equal(append(j, 3), EH_E_IO);
	failing = 0;
	assert_int_equal(append(j, 3), EH_E_IO);
	journal_close(j);
	s = read_all(p->path);
	assert_int_equal(s.count, 4);
	assert_true(s.in_order);
	assert_int_equal(journal_open(p->path, &j, NULL), EH_OK);
	assert_int_equal(append(j, 4), EH_OK);
	journal_close(j);
	s = read_all(p->path);
	assert_int_equal(s.count, 5);
	assert_true(s.in_order);
}

/* No room for the first line: no journal, no leftovers. */
static void full_at_once(void **state)
{
	place *p = *state;
	int status = -1;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct rlimit limit = { 10, 10 };
		eh_error error = ERROR_INIT;
		record_line line;
		journal *j = NULL;

		first_line(&line);

		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
			_exit(1);
		_exit(journal_create(p->path, &line.run, &j, &error) == EH_E_IO && j == NULL ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_false(file_exists(p->path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(append_and_read, make_place, remove_place),
		cmocka_unit_test_setup_teardown(exists_already, make_place, remove_place),
		cmocka_unit_test_setup_teardown(missing_file, make_place, remove_place),
		cmocka_unit_test_setup_teardown(every_truncation, make_place, remove_place),
		cmocka_unit_test_setup_teardown(torn_under_way, make_place, remove_place),
		cmocka_unit_test_setup_teardown(damaged_line, make_place, remove_place),
		cmocka_unit_test_setup_teardown(every_kind, make_place, remove_place),
		cmocka_unit_test_setup_teardown(reads_on, make_place, remove_place),
		cmocka_unit_test_setup_teardown(the_chain_shows_edits, make_place, remove_place),
		cmocka_unit_test_setup_teardown(damaged_end, make_place, remove_place),
		cmocka_unit_test_setup_teardown(no_regular_file, make_place, remove_place),
		cmocka_unit_test_setup_teardown(no_link, make_place, remove_place),
		cmocka_unit_test_setup_teardown(held_by_one, make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_flock_holds_no_writer, make_place, remove_place),
		cmocka_unit_test_setup_teardown(held_until_death, make_place, remove_place),
		cmocka_unit_test_setup_teardown(full, make_place, remove_place),
		cmocka_unit_test_setup_teardown(ends_at_the_limit, make_place, remove_place),
		cmocka_unit_test_setup_teardown(failing_disk, make_place, remove_place),
		cmocka_unit_test_setup_teardown(full_at_once, make_place, remove_place),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
