/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "chain.h"
#include "record/journal.h"

typedef struct place { char *folder, *path; } place;

static int make_place(void **state)
{
	place *p = memory_get(sizeof(*p));

	p->folder = memory_text("/tmp/evenhand-journal-XXXXXX");
	if (mkdtemp(p->folder) == NULL)
		return -1;
	p->path = path_join(p->folder, "run.journal");
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	place *p = *state;

	(void)unlink(p->path);
	assert_int_equal(rmdir(p->folder), 0); /* nothing else is left in it */
	free(p->path);
	free(p->folder);
	free(p);
	return 0;
}

/* A first line of the least content. */
static void first_line(record_line *line)
{
	record_line_init(line, RECORD_LINE_RUN);
	line->run.format = 1;
	line->run.harness.name = RECORD_PROGRAM_EVENHAND;
	text_set(&line->run.protocol.digest,
	         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
}

static void create(const char *path, journal **out)
{
	record_line line;
	eh_error error = ERROR_INIT;

	first_line(&line);
	assert_int_equal(journal_create(path, &line.run, out, &error), EH_OK);
	record_line_clear(&line);
}

/* Lines that follow are numbered from 1. */
static eh_status append(journal *j, unsigned number)
{
	record_line line;
	eh_status status;

	record_line_init(&line, RECORD_LINE_END);
	line.end.ended = memory_format("%u", number);
	line.end.status = RECORD_ENDED_COMPLETE;
	status = journal_append(j, &line, NULL);
	record_line_clear(&line);
	return status;
}

static unsigned number_of(const record_line *line)
{
	return line->kind == RECORD_LINE_RUN ? 0 : (unsigned)strtoul(line->end.ended, NULL, 10);
}

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
	assert_int_equal(journal_salvage(path, &error), EH_E_ALTERED);
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

static void collect(void *context, int level, const char *message)
{
	(void)level;
	text_add(context, "%s\n", message);
}

/* A journal of a first line and lines 1 to 5; *size and malloc'd bytes. */
static char *make_six(const char *path, size_t *size)
{
	journal *j;
	char *body;

	create(path, &j);
	for (unsigned i = 1; i <= 5; i++)
		assert_int_equal(append(j, i), EH_OK);
	journal_close(j);
	assert_int_equal(file_read(path, &body, size, NULL), EH_OK);
	return body;
}

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
	char *body = make_six(p->path, &size);

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

/* The only file beside the journal; malloc'd path. */
static char *damaged_copy(const place *p)
{
	char **names = dir_list(p->folder, "", NULL), *path;

	assert_non_null(names);
	assert_non_null(names[0]);
	assert_non_null(names[1]);
	assert_null(names[2]);
	assert_string_equal(names[0], "run.journal");
	assert_memory_equal(names[1], "run.journal.damaged-", 20);
	path = path_join(p->folder, names[1]);
	dir_list_free(names);
	return path;
}

/* kept: bits of the numbers of the lines that are left. */
typedef struct outcome { unsigned kept; uint64_t lost, left_out; size_t count; } outcome;

static eh_status take_kept(void *context, record_line *line, long offset, eh_error *error)
{
	outcome *o = context;

	(void)offset;
	(void)error;
	if (line->kind == RECORD_LINE_SALVAGE) {
		assert_int_equal(o->count, 1);
		o->lost = line->salvage.lost;
		o->left_out = line->salvage.left_out;
	} else {
		o->kept |= 1U << number_of(line);
	}
	o->count++;
	return EH_OK;
}

/* Opening refuses `body`, salvaging keeps it beside. */
static outcome salvage(const place *p, const char *body, size_t size)
{
	outcome o = { 0 };
	eh_error error = ERROR_INIT;
	journal *j = NULL;
	text said = { 0 };
	char *beside, *copy = NULL;
	size_t copied = 0;

	assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
	assert_int_equal(journal_open(p->path, &j, &error), EH_E_ALTERED);
	assert_non_null(strstr(error.message, "--salvage"));
	assert_non_null(strstr(error.message, "at byte"));
	log_set_sink(collect, &said);
	assert_int_equal(journal_salvage(p->path, NULL), EH_OK);
	/* Once more changes nothing. */
	assert_int_equal(journal_salvage(p->path, NULL), EH_OK);
	log_set_sink(NULL, NULL);
	assert_non_null(strstr(said.data, "was salvaged"));
	assert_int_equal(journal_each(p->path, take_kept, &o, NULL), EH_OK);
	beside = damaged_copy(p);
	assert_int_equal(file_read(beside, &copy, &copied, NULL), EH_OK);
	assert_int_equal(copied, size);
	assert_memory_equal(copy, body, size);
	assert_int_equal(unlink(beside), 0);
	free(beside);
	free(copy);
	text_free(&said);
	return o;
}

/* The journal holds a secret: no copy of it is readable for more people. */
static void salvage_keeps_rights(void **state)
{
	place *p = *state;
	struct stat info;
	size_t size;
	char *body = make_six(p->path, &size), *beside;

	strchr(body, '\n')[20] ^= 1;
	assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
	assert_int_equal(chmod(p->path, 0600), 0);
	log_set_level(EH_LOG_ERROR);
	assert_int_equal(journal_salvage(p->path, NULL), EH_OK);
	log_set_level(EH_LOG_WARN);
	beside = damaged_copy(p);
	assert_int_equal(stat(p->path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(stat(beside, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(unlink(beside), 0);
	free(beside);
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
	assert_int_equal(journal_salvage(p->path, NULL), EH_E_IO);
}

/* What a line costs that is changed, removed, doubled, exchanged or put in. */
static void salvaged(void **state)
{
	place *p = *state;
	size_t size;
	char *body = make_six(p->path, &size), *lines[7], *all;
	outcome o;

	lines[0] = body;
	for (size_t i = 1; i <= 6; i++)
		lines[i] = strchr(lines[i - 1], '\n') + 1;
	lines[2][20] ^= 1;
	o = salvage(p, body, size);
	assert_int_equal(o.kept, 0x3f & ~(1U << 2));
	assert_int_equal(o.lost, 1);
	lines[2][20] ^= 1;
	/* A digit of its chain: the line behind it follows from its text. */
	lines[3][-10] = lines[3][-10] == '0' ? '1' : '0';
	assert_int_equal(salvage(p, body, size).kept, 0x3f & ~(1U << 2));
	free(body);
	body = make_six((assert_int_equal(unlink(p->path), 0), p->path), &size);
	for (size_t i = 1; i <= 6; i++)
		lines[i] = strchr(i == 1 ? body : lines[i - 1], '\n') + 1;
	/* Line 2 removed: line 3 cannot be told from a changed one. */
	all = memory_format("%.*s%s", (int)(lines[2] - body), body, lines[3]);
	assert_int_equal(salvage(p, all, strlen(all)).kept, 0x3f & ~(3U << 2));
	free(all);
	all = memory_format("%.*s%.*s%s", (int)(lines[3] - body), body, (int)(lines[3] - lines[2]), lines[2],
	                    lines[3]);
	assert_int_equal(salvage(p, all, strlen(all)).kept, 0x3f);
	free(all);
	all = memory_format("%.*s{\"a\":1}\n%s", (int)(lines[2] - body), body, lines[2]);
	assert_int_equal(salvage(p, all, strlen(all)).kept, 0x3f);
	free(all);
	all = memory_format("%.*s%.*s%.*s%s", (int)(lines[2] - body), body, (int)(lines[4] - lines[3]), lines[3],
	                    (int)(lines[3] - lines[2]), lines[2], lines[4]);
	assert_int_equal(salvage(p, all, strlen(all)).kept, 0x3f & ~(3U << 3));
	free(all);
	free(body);
}

/* Chained lines of a run of 2 planned executions, one of which is damaged: which cases are kept. */
typedef struct cases { uint64_t left_out; text ids; } cases;

static eh_status take_ids(void *context, record_line *line, long offset, eh_error *error)
{
	cases *c = context;

	(void)offset;
	(void)error;
	if (line->kind == RECORD_LINE_SALVAGE)
		c->left_out = line->salvage.left_out;
	if (line->kind == RECORD_LINE_CASE)
		text_add(&c->ids, "%s ", line->one_case.id);
	return EH_OK;
}

static void add_line(journal *j, enum record_line_kind kind, uint64_t execution, const char *id,
                     bool replacement)
{
	record_line line;

	record_line_init(&line, kind);
	if (kind == RECORD_LINE_INSTRUMENT) {
		text_set(&line.instrument.executor, "x");
		line.instrument.execution = line.instrument.record.execution = execution;
	} else if (kind == RECORD_LINE_CASE) {
		record_execution *e = &line.one_case.record;

		text_set(&line.one_case.executor, "x");
		line.one_case.execution = e->execution = execution;
		text_set(&line.one_case.id, id);
		e->status = RECORD_VALID;
		e->samples_ns.items = memory_get(sizeof(*e->samples_ns.items));
		e->samples_ns.count = 1;
		if (replacement) {
			e->flags.items = memory_get(sizeof(*e->flags.items));
			e->flags.items[0] = RECORD_FLAG_REPLACEMENT_WORKER;
			e->flags.count = 1;
		}
	}
	assert_int_equal(journal_append(j, &line, NULL), EH_OK);
	record_line_clear(&line);
}

/* Lines: 1 run, 2 instrument, 3 a, 4 b, 5 instrument of a replacement, 6 c, 7 pilot, 8 instrument of
 * execution 3, 9 d. */
static void make_nine(const char *path)
{
	record_line line;
	journal *j;

	first_line(&line);
	line.run.executions.planned = 2;
	assert_int_equal(journal_create(path, &line.run, &j, NULL), EH_OK);
	record_line_clear(&line);
	add_line(j, RECORD_LINE_INSTRUMENT, 1, NULL, false);
	add_line(j, RECORD_LINE_CASE, 1, "a", false);
	add_line(j, RECORD_LINE_CASE, 1, "b", false);
	add_line(j, RECORD_LINE_INSTRUMENT, 1, NULL, false);
	add_line(j, RECORD_LINE_CASE, 1, "c", true);
	add_line(j, RECORD_LINE_PILOT, 0, NULL, false);
	add_line(j, RECORD_LINE_INSTRUMENT, 3, NULL, false);
	add_line(j, RECORD_LINE_CASE, 3, "d", false);
	add_line(j, RECORD_LINE_NOISE, 0, NULL, false);
	journal_close(j);
}

/* Samples without their instrument, and executions without the pilot that planned them, are not kept. */
static void salvage_leaves_out(void **state)
{
	place *p = *state;
	static const struct { unsigned line; const char *ids; uint64_t left_out; } expected[] = {
		{ 2, "a b c d ", 0 }, { 3, "b c d ", 0 }, { 4, "a c d ", 0 }, { 5, "a b d ", 1 },
		{ 6, "a b d ", 0 }, { 7, "a b c ", 2 }, { 8, "a b c ", 1 }, { 9, "a b c ", 0 },
	};
	char *body, *at;
	size_t size;

	make_nine(p->path);
	assert_int_equal(file_read(p->path, &body, &size, NULL), EH_OK);
	log_set_level(EH_LOG_ERROR);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		cases c = { 0 };
		char *beside;

		at = body;
		for (unsigned n = 1; n < expected[i].line; n++)
			at = strchr(at, '\n') + 1;
		at[12] ^= 1;
		assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
		at[12] ^= 1;
		assert_int_equal(journal_salvage(p->path, NULL), EH_OK);
		assert_int_equal(journal_each(p->path, take_ids, &c, NULL), EH_OK);
		assert_string_equal(c.ids.data, expected[i].ids);
		assert_int_equal(c.left_out, expected[i].left_out);
		text_free(&c.ids);
		beside = damaged_copy(p);
		assert_int_equal(unlink(beside), 0);
		free(beside);
	}
	log_set_level(EH_LOG_WARN);
	free(body);
}

/* Flipped bits of every place of a journal: the line is refused, cut with a warning, or salvaged; whatever is left is as it
 * was written. */
static void flipped_bits(void **state)
{
	place *p = *state;
	size_t size;
	char *body = make_six(p->path, &size);
	char *second = strchr(body, '\n') + 1;

	log_set_level(EH_LOG_ERROR);
	for (size_t bit = 0; bit < 8 * size; bit += bit < 8 * (size_t)(second - body) ? 61 : 13) {
		journal *j = NULL;
		outcome o = { 0 };
		eh_status status;

		body[bit / 8] ^= (char)(1 << bit % 8);
		assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
		status = journal_open(p->path, &j, NULL);
		journal_close(j);
		if (status != EH_OK) {
			const bool plan = bit / 8 < (size_t)(second - body);

			/* A plan that a bit made malformed is told as that. */
			assert_true(status == EH_E_ALTERED || (plan && status == EH_E_FORMAT));
			assert_int_equal(journal_salvage(p->path, NULL), plan ? status : EH_OK);
			status = plan ? status : EH_OK;
		}
		if (status == EH_OK) {
			char *beside;

			assert_int_equal(journal_each(p->path, take_kept, &o, NULL), EH_OK);
			assert_true((o.kept & 1) != 0 && __builtin_popcount(o.kept) >= 4 && o.kept != 0x3f);
			if (o.lost > 0) {
				beside = damaged_copy(p);
				assert_int_equal(unlink(beside), 0);
				free(beside);
			}
		}
		body[bit / 8] ^= (char)(1 << bit % 8);
	}
	log_set_level(EH_LOG_WARN);
	free(body);
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
		cmocka_unit_test_setup_teardown(salvaged, make_place, remove_place),
		cmocka_unit_test_setup_teardown(salvage_leaves_out, make_place, remove_place),
		cmocka_unit_test_setup_teardown(salvage_keeps_rights, make_place, remove_place),
		cmocka_unit_test_setup_teardown(no_regular_file, make_place, remove_place),
		cmocka_unit_test_setup_teardown(flipped_bits, make_place, remove_place),
		cmocka_unit_test_setup_teardown(held_by_one, make_place, remove_place),
		cmocka_unit_test_setup_teardown(held_until_death, make_place, remove_place),
		cmocka_unit_test_setup_teardown(full, make_place, remove_place),
		cmocka_unit_test_setup_teardown(full_at_once, make_place, remove_place),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
