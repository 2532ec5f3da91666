/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of a damaged journal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "chain.h"
#include "golden.h"
#include "journal_place.h"
#include "record/journal_line.h"

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
	assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), EH_OK);
	/* Once more changes nothing. */
	assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), EH_OK);
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
	char *body, *beside;

	make_six(p->path, &body, &size);
	strchr(body, '\n')[20] ^= 1;
	assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
	assert_int_equal(chmod(p->path, 0600), 0);
	log_set_level(EH_LOG_ERROR);
	assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), EH_OK);
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

/* What a line costs that is changed, removed, doubled, exchanged or put in. */
static void salvaged(void **state)
{
	place *p = *state;
	size_t size;
	char *body, *lines[7], *all;
	outcome o;

	make_six(p->path, &body, &size);
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
	assert_int_equal(unlink(p->path), 0);
	make_six(p->path, &body, &size);
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

/* worker 0: as a program wrote it that gave them no number. */
static void add_line(journal *j, enum record_line_kind kind, uint64_t execution, const char *id,
                     uint64_t worker)
{
	record_line line;

	record_line_init(&line, kind);
	if (kind == RECORD_LINE_INSTRUMENT) {
		text_set(&line.instrument.executor, "x");
		line.instrument.execution = line.instrument.record.execution = execution;
		if (worker > 0)
			line.instrument.worker = worker;
	} else if (kind == RECORD_LINE_EXECUTOR) {
		text_set(&line.executor.executor, "x");
		line.executor.execution = execution;
		if (worker > 0)
			line.executor.worker = worker;
	} else if (kind == RECORD_LINE_CASE) {
		record_execution *e = &line.one_case.record;

		text_set(&line.one_case.executor, "x");
		line.one_case.execution = e->execution = execution;
		text_set(&line.one_case.id, id);
		e->status = RECORD_VALID;
		e->samples_ns.items = memory_get(sizeof(*e->samples_ns.items));
		e->samples_ns.count = 1;
		if (worker > 0)
			line.one_case.worker = worker;
	}
	assert_int_equal(journal_append(j, &line, NULL), EH_OK);
	record_line_clear(&line);
}

/* Lines: 1 run, 2 instrument, 3 a, 4 b, 5 instrument of a replacement, 6 c, 7 executor, 8 pilot, and of
 * execution 3: 9 instrument, 10 d, 11 executor.  The first worker was killed. */
static void make_eleven(const char *path, bool numbered)
{
	const uint64_t worker = numbered;
	record_line line;
	journal *j;

	first_line(&line);
	line.run.executions.planned = 2;
	assert_int_equal(journal_create(path, &line.run, &j, NULL), EH_OK);
	record_line_clear(&line);
	add_line(j, RECORD_LINE_INSTRUMENT, 1, NULL, worker);
	add_line(j, RECORD_LINE_CASE, 1, "a", worker);
	add_line(j, RECORD_LINE_CASE, 1, "b", worker);
	add_line(j, RECORD_LINE_INSTRUMENT, 1, NULL, 2 * worker);
	add_line(j, RECORD_LINE_CASE, 1, "c", 2 * worker);
	add_line(j, RECORD_LINE_EXECUTOR, 1, NULL, 2 * worker);
	add_line(j, RECORD_LINE_PILOT, 0, NULL, 0);
	add_line(j, RECORD_LINE_INSTRUMENT, 3, NULL, 3 * worker);
	add_line(j, RECORD_LINE_CASE, 3, "d", 3 * worker);
	add_line(j, RECORD_LINE_EXECUTOR, 3, NULL, 3 * worker);
	add_line(j, RECORD_LINE_NOISE, 0, NULL, 0);
	journal_close(j);
}

typedef struct expected { unsigned line; const char *ids; uint64_t left_out; } expected;

static void salvages(const place *p, const expected *all, size_t count)
{
	char *body, *at;
	size_t size;

	assert_int_equal(file_read(p->path, &body, &size, NULL), EH_OK);
	log_set_level(EH_LOG_ERROR);
	for (size_t i = 0; i < count; i++) {
		cases c = { 0 };
		char *beside;

		at = body;
		for (unsigned n = 1; n < all[i].line; n++)
			at = strchr(at, '\n') + 1;
		at[12] ^= 1;
		assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
		at[12] ^= 1;
		assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), EH_OK);
		assert_int_equal(journal_each(p->path, take_ids, &c, NULL), EH_OK);
		assert_string_equal(text_or_empty(c.ids.data), all[i].ids);
		assert_int_equal(c.left_out, all[i].left_out);
		text_free(&c.ids);
		beside = damaged_copy(p);
		assert_int_equal(unlink(beside), 0);
		free(beside);
	}
	log_set_level(EH_LOG_WARN);
	free(body);
	assert_int_equal(unlink(p->path), 0);
}

/* Samples without the instrument of their worker or the description of their stack, and executions without
 * the pilot that planned them, are not kept. */
static void salvage_leaves_out(void **state)
{
	place *p = *state;
	static const expected numbered[] = {
		{ 2, "c d ", 2 }, { 3, "b c d ", 0 }, { 4, "c d ", 1 }, { 5, "d ", 3 }, { 6, "a b d ", 0 },
		{ 7, "a b d ", 1 }, { 8, "a b c ", 3 }, { 9, "a b c ", 1 }, { 10, "a b c ", 0 }, { 11, "a b c ", 1 },
	};
	/* One worker an execution, as far as its lines tell. */
	static const expected unnumbered[] = {
		{ 2, "c d ", 2 }, { 3, "b c d ", 0 }, { 7, "a b d ", 1 }, { 9, "a b c ", 1 }, { 11, "a b c ", 1 },
	};

	make_eleven(p->path, true);
	salvages(p, numbered, sizeof(numbered) / sizeof(*numbered));
	make_eleven(p->path, false);
	salvages(p, unnumbered, sizeof(unnumbered) / sizeof(*unnumbered));
}

/* Flipped bits of every place of a journal: the line is refused, cut with a warning, or salvaged; whatever is left is as it
 * was written. */
static void flipped_bits(void **state)
{
	place *p = *state;
	size_t size;
	char *body, *second;

	make_six(p->path, &body, &size);
	second = strchr(body, '\n') + 1;
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
			assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), plan ? status : EH_OK);
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

/* ---- forged ------------------------------------------------------------------------------------ */

/* Seconds of the processor that a salvage takes of so many lines, each of an execution of its own by name. */
static double seconds_of(const place *p, unsigned lines)
{
	char chain[65] = "", *beside, *body;
	text all = { 0 };
	record_line line;
	size_t size;
	clock_t begun;

	first_line(&line);
	for (unsigned i = 0; i <= lines; i++) {
		body = journal_line_text(&line, line.kind, chain, &size);
		/* One that is damaged, at the second place. */
		if (i == 1)
			body[12] ^= 1;
		text_add_bytes(&all, body, size);
		free(body);
		record_line_clear(&line);
		record_line_init(&line, RECORD_LINE_EXECUTOR);
		line.executor.executor = memory_format("%0200u", i);
		line.executor.execution = 1;
	}
	record_line_clear(&line);
	assert_int_equal(golden_put(all.data, all.size, p->path), EH_OK);
	text_free(&all);
	begun = clock();
	assert_int_equal(journal_salvage(p->path, NULL, NULL, NULL), EH_OK);
	begun = clock() - begun;
	beside = damaged_copy(p);
	assert_int_equal(unlink(beside), 0);
	free(beside);
	return (double)begun / CLOCKS_PER_SEC;
}

/* Six times the lines take about six times as long, however many executions they are of. */
static void forged_executions_take_no_longer(void **state)
{
	place *p = *state;
	double few, many;

	log_set_level(EH_LOG_ERROR);
	few = seconds_of(p, 4000);
	many = seconds_of(p, 24000);
	log_set_level(EH_LOG_WARN);
	if (many > 12 * few)
		fail_msg("24000 lines take %g times as long as 4000", many / few);
}

/* ---- what is not replaced ---------------------------------------------------------------------- */

static eh_status refuse(void *context, record_line *line, long offset, eh_error *error)
{
	(void)context;
	(void)offset;
	assert_int_equal(line->kind, RECORD_LINE_RUN);
	return error_set(error, EH_E_USAGE, "of another program");
}

/* The folder has the journal alone, with these bytes. */
static void expect_untouched(const place *p, const char *body, size_t size)
{
	char **names = dir_list(p->folder, "", NULL), *found;
	size_t length;

	assert_string_equal(names[0], "run.journal");
	assert_null(names[1]);
	dir_list_free(names);
	assert_int_equal(file_read(p->path, &found, &length, NULL), EH_OK);
	assert_int_equal(length, size);
	assert_memory_equal(found, body, size);
	free(found);
}

/* A program that cannot go on with a run makes nothing of its journal. */
static void salvage_asks(void **state)
{
	place *p = *state;
	eh_error error = ERROR_INIT;
	size_t size;
	char *body;

	make_six(p->path, &body, &size);
	strchr(body, '\n')[20] ^= 1;
	assert_int_equal(file_write(p->path, body, size, NULL), EH_OK);
	assert_int_equal(journal_salvage(p->path, refuse, NULL, &error), EH_E_USAGE);
	assert_string_equal(error.message, "of another program");
	expect_untouched(p, body, size);
	free(body);
}

/* A plan that cannot be read, of another version perhaps, or a first line of another kind. */
static void salvage_needs_the_plan(void **state)
{
	place *p = *state;
	size_t size;
	char *body, *plans[2];

	make_six(p->path, &body, &size);
	plans[0] = memory_format("{\"novelty\":1,%s", body + 1);
	plans[1] = memory_text(strchr(body, '\n') + 1);
	for (size_t i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
		char *all = chained(plans[i]);
		eh_error error = ERROR_INIT;

		strstr(all, "\"ended\":\"3\"")[9] = '4';
		assert_int_equal(file_write(p->path, all, strlen(all), NULL), EH_OK);
		assert_int_equal(journal_salvage(p->path, NULL, NULL, &error), EH_E_FORMAT);
		assert_non_null(strstr(error.message, i == 0 ? "novelty" : "the first line is not the run's"));
		expect_untouched(p, all, strlen(all));
		free(all);
		free(plans[i]);
	}
	free(body);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(salvaged, make_place, remove_place),
		cmocka_unit_test_setup_teardown(salvage_leaves_out, make_place, remove_place),
		cmocka_unit_test_setup_teardown(salvage_keeps_rights, make_place, remove_place),
		cmocka_unit_test_setup_teardown(flipped_bits, make_place, remove_place),
		cmocka_unit_test_setup_teardown(forged_executions_take_no_longer, make_place, remove_place),
		cmocka_unit_test_setup_teardown(salvage_asks, make_place, remove_place),
		cmocka_unit_test_setup_teardown(salvage_needs_the_plan, make_place, remove_place),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
