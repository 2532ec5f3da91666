/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a damaged journal usable again.  A line is sound when its chain follows from that of the last
 * sound line, or from the line before it: what that line states, or what follows from its text.  So
 * the digest in a sound line covers all of its bytes, whatever happened to those around it.
 *
 * A sound line can rely on a lost one.  Samples rely on the instrument of their worker, which is before
 * them, and on its executor's line behind them, which describes the stack that they were taken on.
 * Executions that a pilot planned rely on the pilot's line.  Lines that rely on what may have been lost
 * are left out, and measured again.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "record/journal_line.h"
#include "record/journal_scan.h"

#define MOST_WARNINGS 20

/* A worker; one without a number is all workers of an execution. */
typedef struct measurer {
	char *executor;
	uint64_t execution, worker;
	bool instrument;            /* its line was there so far                               */
	bool described;             /* it has a line of its executor                           */
	size_t behind;              /* lines lost behind the last instrument of the execution  */
} measurer;

typedef struct line_entry {
	long offset;
	enum record_line_kind kind; /* absent: lost                                          */
	measurer *by;               /* whose line it is; NULL = of none                      */
	measurer *execution;        /* all workers of its execution                          */
	bool samples;               /* a case with samples                                   */
	bool unmeasured;            /* the line of its instrument is not before it           */
	bool undescribed;           /* the line that describes its stack may be lost         */
	bool kept;
} line_entry;

typedef struct salvage {
	const char *path;
	int fd;               /* of the journal as it was found, locked                       */
	line_entry *entries;
	size_t count, room;
	void *measurers;      /* of tsearch, since a forged journal may have one a line       */
	uint64_t planned;     /* executions that the first line plans                         */
	bool pilot;
	char last[65], stated[65], computed[65]; /* chains that the next line may follow      */
	size_t lost, left_out, kept;
} salvage;

static void measurer_free(void *p)
{
	free(((measurer *)p)->executor);
	free(p);
}

static void salvage_clear(salvage *s)
{
	tdestroy(s->measurers, measurer_free);
	free(s->entries);
}

/* ---- which lines are sound ------------------------------------------------------------------- */

static int measurer_compare(const void *a, const void *b)
{
	const measurer *x = a, *y = b;

	if (x->execution != y->execution)
		return x->execution < y->execution ? -1 : 1;
	if (x->worker != y->worker)
		return x->worker < y->worker ? -1 : 1;
	return strcmp(x->executor, y->executor);
}

static measurer *measurer_of(salvage *s, const char *executor, uint64_t execution, uint64_t worker)
{
	measurer *own = memory_get(sizeof(*own)), *found;

	*own = (measurer){ .executor = memory_text(executor), .execution = execution, .worker = worker };
	found = *(measurer **)memory_insist(tsearch(own, &s->measurers, measurer_compare));
	if (found != own)
		measurer_free(own);
	return found;
}

static void set_measurer(salvage *s, line_entry *e, const char *executor, uint64_t execution, uint64_t worker)
{
	e->by = measurer_of(s, executor, execution, worker);
	e->execution = measurer_of(s, executor, execution, LAYOUT_NO_UINT);
}

static void take_case(salvage *s, const record_line_case *line, line_entry *e)
{
	set_measurer(s, e, line->executor, line->execution, line->worker);
	e->samples = line->record.samples_ns.count > 0;
	e->unmeasured = !e->by->instrument;
}

static void take_sound(salvage *s, const record_line *line, line_entry *e)
{
	e->kind = line->kind;
	switch (line->kind) {
	case RECORD_LINE_RUN:
		s->planned = line->run.executions.planned;
		break;
	case RECORD_LINE_EXECUTOR:
		set_measurer(s, e, line->executor.executor, line->executor.execution, line->executor.worker);
		e->by->described = true;
		break;
	case RECORD_LINE_INSTRUMENT:
		set_measurer(s, e, line->instrument.executor, line->instrument.execution, line->instrument.worker);
		e->by->instrument = true;
		break;
	case RECORD_LINE_CASE:
		take_case(s, &line->one_case, e);
		break;
	case RECORD_LINE_PILOT:
		s->pilot = true;
		break;
	default:
		break;
	}
}

/* Whether a line with that chain before it is sound; *chain becomes its own. */
static bool follows_any(const salvage *s, const journal_lines *l, char chain[65])
{
	return l->whole && (journal_line_follows(l->body, l->size, s->last, chain) ||
	                    (s->stated[0] != '\0' && journal_line_follows(l->body, l->size, s->stated, chain)) ||
	                    (s->computed[0] != '\0' &&
	                     journal_line_follows(l->body, l->size, s->computed, chain)));
}

static void warn_lost(salvage *s, const journal_lines *l)
{
	char *held;

	if (++s->lost > MOST_WARNINGS)
		return;
	held = journal_line_guess(l->body, l->size);
	log_write(EH_LOG_WARN, "%s, line %zu at byte %ld: lost, %zu bytes: %s", s->path, l->number, l->offset,
	          l->size, held);
	free(held);
}

static void take_line(salvage *s, journal_lines *l)
{
	line_entry *e;
	record_line line = { 0 };
	char chain[65];

	if (s->count == s->room) {
		s->room = s->room == 0 ? 256 : 2 * s->room;
		s->entries = memory_grow(s->entries, s->room * sizeof(*s->entries));
	}
	e = &s->entries[s->count++];
	*e = (line_entry){ .offset = l->offset };
	if (!follows_any(s, l, chain)) {
		/* What follows from its text, if that is what it has to follow. */
		(void)journal_line_follows(l->body, l->size, s->last, s->computed);
		if (!journal_line_states(l->body, l->size, s->stated))
			s->stated[0] = '\0';
		warn_lost(s, l);
		return;
	}
	memcpy(s->last, chain, sizeof(chain));
	s->stated[0] = s->computed[0] = '\0';
	if (journal_line_read(l->body, l->size, s->path, l->offset, &line, NULL) == EH_OK)
		take_sound(s, &line, e);
	else
		warn_lost(s, l);
	record_line_clear(&line);
}

/* ---- which of them are kept ------------------------------------------------------------------ */

static const char *why_left_out(const salvage *s, const line_entry *e)
{
	const measurer *p = e->by;

	if (p == NULL)
		return NULL;
	if (!s->pilot && p->execution > s->planned)
		return "the pilot that planned its execution is lost";
	if (e->kind != RECORD_LINE_CASE || !e->samples)
		return NULL;
	if (e->unmeasured)
		return "the instrument of its worker is lost";
	return e->undescribed ? "the line that describes its executor may be lost" : NULL;
}

/* A worker describes its stack when it has measured.  One that was killed did not, if no line was lost between
 * its cases and the instrument of the next one. */
static void find_undescribed(salvage *s)
{
	size_t lost = 0;

	for (size_t i = s->count; i > 0; i--) {
		line_entry *e = &s->entries[i - 1];

		lost += e->kind == record_line_kind_absent;
		if (e->by == NULL)
			continue;
		if (e->kind == RECORD_LINE_INSTRUMENT)
			e->execution->behind = lost;
		e->undescribed = !e->by->described && lost > e->execution->behind;
	}
}

static void leave_out(salvage *s, const line_entry *e, size_t number, const char *why)
{
	if (++s->left_out <= MOST_WARNINGS)
		log_write(EH_LOG_WARN, "%s, line %zu at byte %ld: left out: %s", s->path, number, e->offset, why);
}

static void decide(salvage *s)
{
	find_undescribed(s);
	for (size_t i = 0; i < s->count; i++) {
		line_entry *e = &s->entries[i];
		const char *why;

		if (e->kind == record_line_kind_absent)
			continue;
		why = why_left_out(s, e);
		e->kept = why == NULL;
		if (e->kept)
			s->kept++;
		else
			leave_out(s, e, i + 1, why);
	}
}

/* ---- the new journal ------------------------------------------------------------------------- */

static eh_status add_fact(const salvage *s, const char *damaged, file_writer *out, char chain[65],
                          eh_error *error)
{
	record_line line;
	char time[24], *body;
	size_t size;
	eh_status status;

	clock_wall_text(time);
	record_line_init(&line, RECORD_LINE_SALVAGE);
	text_set(&line.salvage.time, time);
	text_set(&line.salvage.damaged, damaged);
	line.salvage.lost = s->lost;
	line.salvage.left_out = s->left_out;
	line.salvage.kept = s->kept;
	body = journal_line_text(&line, RECORD_LINE_SALVAGE, chain, &size);
	status = file_writer_add(out, body, size, error);
	free(body);
	record_line_clear(&line);
	return status;
}

static eh_status add_lines(const salvage *s, journal_lines *l, const char *damaged, file_writer *out,
                           eh_error *error)
{
	char chain[65] = "";
	eh_status status = EH_OK;

	for (size_t i = 0; i < s->count && status == EH_OK && journal_lines_next(l); i++) {
		char *body;
		size_t size;

		if (!s->entries[i].kept)
			continue;
		body = journal_line_seal(l->body, journal_line_cut_chain(l->body, l->size), chain, &size);
		status = file_writer_add(out, body, size, error);
		free(body);
		if (i == 0 && status == EH_OK)
			status = add_fact(s, damaged, out, chain, error);
	}
	return status;
}

/* Whoever may not read the damaged journal, which holds a secret, may not read what is made of it, and
 * whoever may keeps it. */
static eh_status open_alike(const salvage *s, const char *path, file_writer **out, eh_error *error)
{
	struct stat info;
	eh_status status = fstat(s->fd, &info) == 0 ? file_writer_open(path, out, error) :
	                   error_system(error, errno, "cannot examine %s", s->path);

	return status == EH_OK ? file_writer_keep(*out, s->fd, &info, error) : status;
}

static eh_status write_new(const salvage *s, const char *damaged, eh_error *error)
{
	file_writer *out = NULL;
	journal_lines l;
	eh_status status = journal_lines_of(&l, s->fd, s->path, error);

	if (status != EH_OK)
		return status;
	status = open_alike(s, s->path, &out, error);
	if (status == EH_OK)
		status = add_lines(s, &l, damaged, out, error);
	status = journal_lines_close(&l, s->path, status, error);
	if (status == EH_OK)
		return file_writer_commit(out, error);
	file_writer_abandon(out);
	return status;
}

/* The bytes of the journal, into a digest or a file. */
static eh_status pass_bytes(const salvage *s, digest *d, file_writer *out, eh_error *error)
{
	char block[65536];
	eh_status status = EH_OK;
	off_t at = 0;
	ssize_t got;

	while (status == EH_OK && (got = pread(s->fd, block, sizeof(block), at)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_system(error, errno, "cannot read %s", s->path);
		if (d != NULL)
			digest_add(d, block, (size_t)got);
		if (out != NULL)
			status = file_writer_add(out, block, (size_t)got, error);
		at += got;
	}
	return status;
}

static eh_status keep_damaged(const salvage *s, const char *name, eh_error *error)
{
	file_writer *out = NULL;
	eh_status status = open_alike(s, name, &out, error);

	if (status == EH_OK)
		status = pass_bytes(s, NULL, out, error);
	if (status == EH_OK)
		return file_writer_commit(out, error);
	file_writer_abandon(out);
	return status;
}

static eh_status replace(const salvage *s, eh_error *error)
{
	digest *d = digest_new();
	eh_status status = pass_bytes(s, d, NULL, error);
	char hex[65], *beside;

	digest_end(d, hex);
	/* The same bytes have the same name, so that a salvage that is repeated leaves one copy. */
	beside = memory_format("%s.damaged-%.12s", s->path, hex);
	if (status == EH_OK)
		status = keep_damaged(s, beside, error);
	if (status == EH_OK)
		status = write_new(s, hex, error);
	if (status == EH_OK)
		log_write(EH_LOG_WARN, "%s was salvaged: %zu lines kept, %zu lost, %zu left out because they rely "
		          "on these; the run measures again what is missing, and the results say so; the "
		          "journal as it was is %s", s->path, s->kept, s->lost, s->left_out, beside);
	free(beside);
	return status;
}

static eh_status salvage_file(const char *path, int fd, eh_error *error)
{
	salvage s = { .path = path, .fd = fd };
	journal_lines l;
	eh_status status = journal_lines_of(&l, fd, path, error);

	if (status != EH_OK)
		return status;
	while (journal_lines_next(&l))
		take_line(&s, &l);
	status = journal_lines_close(&l, path, EH_OK, error);
	if (status == EH_OK) {
		decide(&s);
		status = replace(&s, error);
	}
	salvage_clear(&s);
	return status;
}

eh_status journal_salvage(const char *path, journal_visit accept, void *context, eh_error *error)
{
	journal_scan found = { 0 };
	int fd = -1;
	eh_status status = journal_lock(path, &fd, error);

	if (status != EH_OK)
		return status;
	status = journal_scan_file(fd, path, &found, error);
	if (status == EH_OK && found.line == 1)
		status = journal_scan_refuse(fd, path, &found, error);
	else if (status == EH_OK && found.followed)
		status = journal_scan_plan(fd, path, accept, context, error);
	if (status == EH_OK && found.followed)
		status = salvage_file(path, fd, error);
	journal_scan_clear(&found);
	close(fd);
	return status;
}
