/* SPDX-License-Identifier: Apache-2.0 */
/* A journal in a folder of its own, for each test. */
#ifndef TEST_JOURNAL_PLACE_H
#define TEST_JOURNAL_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/text.h"
#include "record/journal.h"

typedef struct place { char *folder, *path; } place;

static inline int make_place(void **state)
{
	place *p = memory_get(sizeof(*p));

	p->folder = memory_text("/tmp/evenhand-journal-XXXXXX");
	if (mkdtemp(p->folder) == NULL)
		return -1;
	p->path = path_join(p->folder, "run.journal");
	*state = p;
	return 0;
}

static inline int remove_place(void **state)
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
static inline void first_line(record_line *line)
{
	record_line_init(line, RECORD_LINE_RUN);
	line->run.format = 1;
	line->run.harness.name = RECORD_PROGRAM_EVENHAND;
	text_set(&line->run.protocol.digest,
	         "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
}

static inline void create(const char *path, journal **out)
{
	record_line line;
	eh_error error = ERROR_INIT;

	first_line(&line);
	assert_int_equal(journal_create(path, &line.run, out, &error), EH_OK);
	record_line_clear(&line);
}

/* Lines that follow are numbered from 1. */
static inline eh_status append(journal *j, unsigned number)
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

static inline unsigned number_of(const record_line *line)
{
	return line->kind == RECORD_LINE_RUN ? 0 : (unsigned)strtoul(line->end.ended, NULL, 10);
}

static inline void collect(void *context, int level, const char *message)
{
	(void)level;
	text_add(context, "%s\n", message);
}

/* A journal of a first line and lines 1 to 5; its malloc'd bytes. */
static inline void make_six(const char *path, char **body, size_t *size)
{
	journal *j;

	create(path, &j);
	for (unsigned i = 1; i <= 5; i++)
		assert_int_equal(append(j, i), EH_OK);
	journal_close(j);
	assert_int_equal(file_read(path, body, size, NULL), EH_OK);
}

#endif
