/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "record/journal_line.h"
#include "record/journal_scan.h"

/* Checks a line and hands it over. */
static eh_status take_line(const journal_lines *l, const char *path, journal_cursor *at,
                           journal_visit visit, void *context, eh_error *error)
{
	record_line decoded;
	char chain[65];
	eh_status status;

	if (!journal_line_follows(l->body, l->size, at->chain, chain))
		return error_set(error, EH_E_ALTERED, "%s, line at byte %ld: its chain does not fit: this line or "
		                 "one before it was changed after it was written; evenhand run --resume with "
		                 "--salvage keeps the sound lines", path, l->offset);
	status = journal_line_read(l->body, l->size, path, l->offset, &decoded, error);
	if (status != EH_OK)
		return status;
	status = visit(context, &decoded, l->offset, error);
	record_line_clear(&decoded);
	memcpy(at->chain, chain, sizeof(chain));
	at->offset = l->next;
	return status;
}

/* Closes l. */
static eh_status take_lines(journal_lines *l, const char *path, journal_cursor *cursor, journal_visit visit,
                            void *context, eh_error *error)
{
	eh_status status = EH_OK;

	while (status == EH_OK && journal_lines_next(l) && l->whole)
		status = take_line(l, path, cursor, visit, context, error);
	return journal_lines_close(l, path, status, error);
}

eh_status journal_each_from(const char *path, journal_cursor *cursor, journal_visit visit,
                            void *context, eh_error *error)
{
	journal_lines l;
	eh_status status = journal_lines_open(&l, path, cursor->offset, error);

	return status == EH_OK ? take_lines(&l, path, cursor, visit, context, error) : status;
}

eh_status journal_each(const char *path, journal_visit visit, void *context, eh_error *error)
{
	journal_cursor start = { 0 };

	return journal_each_from(path, &start, visit, context, error);
}

eh_status journal_each_of(const source_bytes *from, journal_visit visit, void *context, eh_error *error)
{
	journal_cursor start = { 0 };
	journal_lines l;
	eh_status status = journal_lines_in(&l, from, error);

	return status == EH_OK ? take_lines(&l, from->name, &start, visit, context, error) : status;
}

/* Reads the next line, asks for its chain where `before` is not NULL, and closes l. */
static eh_status read_one(journal_lines *l, const char *path, const char *before, record_line *line,
                          eh_error *error)
{
	const long offset = l->next;
	char chain[65];
	eh_status status;

	if (!journal_lines_next(l) || !l->whole)
		status = error_set(error, EH_E_FORMAT, "%s: no whole line at byte %ld", path, offset);
	else if (before != NULL && !journal_line_follows(l->body, l->size, before, chain))
		status = error_set(error, EH_E_ALTERED, "%s, line at byte %ld: it was changed while it was read",
		                   path, offset);
	else
		status = journal_line_read(l->body, l->size, path, offset, line, error);
	return journal_lines_close(l, path, status, error);
}

eh_status journal_line_at(const char *path, long offset, record_line *line, eh_error *error)
{
	journal_lines l;
	eh_status status = journal_lines_open(&l, path, offset, error);

	memset(line, 0, sizeof(*line));
	return status == EH_OK ? read_one(&l, path, NULL, line, error) : status;
}

eh_status journal_line_again(const char *path, const journal_cursor *at, record_line *line,
                             eh_error *error)
{
	journal_lines l;
	eh_status status = journal_lines_open(&l, path, at->offset, error);

	memset(line, 0, sizeof(*line));
	return status == EH_OK ? read_one(&l, path, at->chain, line, error) : status;
}

eh_status journal_first_of(const source_bytes *from, record_line *line, eh_error *error)
{
	journal_lines l;
	eh_status status = journal_lines_in(&l, from, error);

	memset(line, 0, sizeof(*line));
	return status == EH_OK ? read_one(&l, from->name, NULL, line, error) : status;
}
