/* SPDX-License-Identifier: Apache-2.0 */
#include "record/journal_scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"
#include "record/journal_line.h"

/* ---- lines ----------------------------------------------------------------------------------- */

/* The descriptor is closed with l, on failure too; -1: errno says why. */
static eh_status begin(journal_lines *l, int fd, const char *path, long offset, eh_error *error)
{
	struct stat info;
	eh_status status;

	*l = (journal_lines){ .next = offset };
	if (fd < 0)
		return error_system(error, errno, "cannot read %s", path);
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
		close(fd);
		return error_set(error, EH_E_IO, "cannot read %s: it is not a regular file", path);
	}
	if (info.st_size > (off_t)LIMIT_JOURNAL) {
		close(fd);
		return error_set(error, EH_E_NO_MEMORY, "%s is larger than %zu GiB, the most that is read", path,
		                 LIMIT_JOURNAL / LIMIT_GIB);
	}
	l->in = fdopen(fd, "r");
	if (l->in != NULL && fseek(l->in, offset, SEEK_SET) == 0)
		return EH_OK;
	status = error_system(error, errno, "cannot read %s", path);
	if (l->in == NULL)
		close(fd);
	return journal_lines_close(l, path, status, error);
}

eh_status journal_lines_open(journal_lines *l, const char *path, long offset, eh_error *error)
{
	int fd = file_open_at(AT_FDCWD, path, O_RDONLY);

	if (fd < 0 && errno == ENOENT) {
		*l = (journal_lines){ 0 };
		return error_set(error, EH_E_NOT_FOUND, "there is no journal %s", path);
	}
	return begin(l, fd, path, offset, error);
}

eh_status journal_lines_of(journal_lines *l, int fd, const char *path, eh_error *error)
{
	return begin(l, fcntl(fd, F_DUPFD_CLOEXEC, 0), path, 0, error);
}

eh_status journal_lines_in(journal_lines *l, const source_bytes *from, eh_error *error)
{
	/* No stream has no bytes. */
	static char none[] = "";
	bool empty = from->size == 0;

	*l = (journal_lines){ .in = fmemopen(empty ? none : (char *)(uintptr_t)from->bytes, empty ? 1 : from->size, "r") };
	if (l->in == NULL)
		return error_system(error, errno, "cannot read %s", from->name);
	return EH_OK;
}

/* What is beyond the limit is counted and not kept: no such line is written. */
static void line_add(journal_lines *l, size_t at, char byte)
{
	if (at >= LIMIT_LINE)
		return;
	if (at + 1 >= l->room) {
		l->room = l->room > 0 ? 2 * l->room : 4096;
		l->body = memory_grow(l->body, l->room);
	}
	l->body[at] = byte;
	l->body[at + 1] = '\0';
}

bool journal_lines_next(journal_lines *l)
{
	size_t size = 0;
	int byte;

	l->whole = false;
	while (!l->whole && (byte = getc_unlocked(l->in)) != EOF) {
		l->whole = byte == '\n';
		line_add(l, size++, (char)byte);
	}
	if (size == 0)
		return false;
	l->offset = l->next;
	l->next += (long)size;
	l->number++;
	size -= l->whole;
	l->size = size < LIMIT_LINE ? size : LIMIT_LINE;
	return true;
}

eh_status journal_lines_close(journal_lines *l, const char *path, eh_status status, eh_error *error)
{
	if (l->in == NULL)
		return status;
	if (status == EH_OK && ferror(l->in))
		status = error_system(error, errno, "cannot read %s", path);
	free(l->body);
	fclose(l->in);
	*l = (journal_lines){ 0 };
	return status;
}

/* ---- the first break ------------------------------------------------------------------------- */

static void look(const journal_lines *l, journal_scan *found)
{
	char chain[65];

	if (found->line > 0) {
		found->followed = found->followed || (l->whole && journal_line_complete(l->body, l->size));
	} else if (l->whole && journal_line_follows(l->body, l->size, found->chain, chain)) {
		memcpy(found->chain, chain, sizeof(chain));
	} else {
		found->line = l->number;
		found->offset = l->offset;
		found->held = journal_line_guess(l->body, l->size);
	}
}

eh_status journal_scan_file(int fd, const char *path, journal_scan *found, eh_error *error)
{
	journal_lines l;
	eh_status status;

	*found = (journal_scan){ 0 };
	status = journal_lines_of(&l, fd, path, error);
	if (status != EH_OK)
		return status;
	while (journal_lines_next(&l))
		look(&l, found);
	found->size = l.next;
	if (l.next == 0)
		*found = (journal_scan){ .line = 1, .held = memory_text("the file is empty") };
	return journal_lines_close(&l, path, EH_OK, error);
}

void journal_scan_clear(journal_scan *found)
{
	free(found->held);
	found->held = NULL;
}

eh_status journal_scan_plan(int fd, const char *path, journal_visit visit, void *context, eh_error *error)
{
	journal_lines l;
	record_line line = { 0 };
	eh_status status = journal_lines_of(&l, fd, path, error);

	if (status != EH_OK)
		return status;
	if (journal_lines_next(&l) && l.whole)
		status = journal_line_read(l.body, l.size, path, 0, &line, error);
	if (line.kind != record_line_kind_absent && line.kind != RECORD_LINE_RUN)
		status = error_set(error, EH_E_FORMAT, "%s: the first line is not the run's", path);
	if (status == EH_OK && visit != NULL)
		status = visit(context, &line, 0, error);
	record_line_clear(&line);
	return journal_lines_close(&l, path, status, error);
}

/* Of the first line: what is malformed in it, else that it does not have its chain. */
static eh_status refuse_plan(int fd, const char *path, eh_error *error)
{
	eh_status status = journal_scan_plan(fd, path, NULL, NULL, error);

	return status != EH_OK ? status :
	       error_set(error, EH_E_ALTERED, "%s, line 1 at byte 0: the plan of the run does not have its "
	                 "chain: it was damaged or changed, and nothing can be kept without it, not with "
	                 "--salvage either; start a new run in a new folder", path);
}

eh_status journal_scan_refuse(int fd, const char *path, const journal_scan *found, eh_error *error)
{
	const char *slash = strrchr(path, '/');
	char *folder, *word;

	if (found->line == 1)
		return refuse_plan(fd, path, error);
	folder = slash != NULL ? memory_format("%.*s", (int)(slash - path), path) : memory_text(".");
	word = text_shell_word(folder);
	(void)error_set(error, EH_E_ALTERED, "%s, line %zu at byte %ld: its chain does not fit: this line was "
	                "damaged, changed, inserted, or one before it removed; evenhand run --resume %s "
	                "--salvage keeps the sound lines and measures the others again", path, found->line,
	                found->offset, word);
	free(word);
	free(folder);
	return EH_E_ALTERED;
}
