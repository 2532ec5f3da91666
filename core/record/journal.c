/* SPDX-License-Identifier: Apache-2.0 */
#include "record/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_scan.h"
#include "base/text.h"

/* Locks are on single bytes far beyond the content: one for appending, one for each role. */
#define LOCK_BASE ((off_t)1 << 62)
#define LOCK_APPEND 0

#define HOLD_STEP_NS UINT64_C(20000000)

struct journal {
	int fd;
	char *path;
};

/* Uses open file description locks: they belong to this descriptor and end with the process. */
static int lock_byte(int fd, int byte, short type, bool wait)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = LOCK_BASE + byte,
		              .l_len = 1 };
	int rc;

	do
		rc = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
	while (rc != 0 && errno == EINTR);
	return rc;
}

/* The offset behind the last whole line, or -1 with errno. */
static off_t whole_end(int fd, off_t size)
{
	char block[4096];

	while (size > 0) {
		size_t want = size < (off_t)sizeof(block) ? (size_t)size : sizeof(block);
		ssize_t got = pread(fd, block, want, size - (off_t)want);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if ((size_t)got != want) {
			errno = EIO;
			return -1;
		}
		for (size_t i = want; i > 0; i--)
			if (block[i - 1] == '\n')
				return size - (off_t)(want - i);
		size -= (off_t)want;
	}
	return 0;
}

/* Cuts an incomplete last line; *end is the end of the file.  The caller holds the append lock. */
static int cut_torn(int fd, off_t *end)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	*end = whole_end(fd, st.st_size);
	if (*end < 0)
		return -1;
	return *end < st.st_size ? ftruncate(fd, *end) : 0;
}

static int write_all(int fd, const char *data, size_t size, off_t at)
{
	while (size > 0) {
		ssize_t put = pwrite(fd, data, size, at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		if (put == 0) {
			errno = ENOSPC;
			return -1;
		}
		data += put;
		size -= (size_t)put;
		at += put;
	}
	return 0;
}

static eh_status append_text(int fd, const char *path, const char *data, size_t size,
                             eh_error *error)
{
	off_t end = 0;
	eh_status status = EH_OK;

	if (lock_byte(fd, LOCK_APPEND, F_WRLCK, true) != 0)
		return error_system(error, errno, "cannot lock %s; choose a folder whose file "
		                    "system has locks", path);
	if (cut_torn(fd, &end) != 0) {
		status = error_system(error, errno, "cannot append to %s", path);
		goto undo_lock;
	}
	if (write_all(fd, data, size, end) != 0 || fdatasync(fd) != 0) {
		int why = errno;
		/* If this fails too, the line has no newline and counts as incomplete. */
		if (ftruncate(fd, end) != 0)
			why = why != 0 ? why : errno;
		status = error_system(error, why, "cannot append to %s", path);
	}
undo_lock:
	(void)lock_byte(fd, LOCK_APPEND, F_UNLCK, false);
	return status;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const layout *layout_of(enum record_line_kind kind)
{
	switch (kind) {
	case RECORD_LINE_RUN: return record_line_run_layout();
	case RECORD_LINE_EXECUTOR: return record_line_executor_layout();
	case RECORD_LINE_INSTRUMENT: return record_line_instrument_layout();
	case RECORD_LINE_CASE: return record_line_case_layout();
	case RECORD_LINE_PILOT: return record_line_pilot_layout();
	case RECORD_LINE_NOISE: return record_line_noise_layout();
	case RECORD_LINE_END: return record_line_end_layout();
	case record_line_kind_absent: break;
	}
	return NULL;
}

void record_line_init(record_line *line, enum record_line_kind kind)
{
	memset(line, 0, sizeof(*line));
	layout_init(layout_of(kind), line);
	line->kind = kind;
}

void record_line_clear(record_line *line)
{
	if (line->kind != record_line_kind_absent)
		layout_clear(layout_of(line->kind), line);
}

static char *line_text(const void *line, enum record_line_kind kind, size_t *size)
{
	char *body = layout_text(layout_of(kind), line, false);

	*size = strlen(body) + 1;
	body = memory_grow(body, *size + 1);
	body[*size - 1] = '\n';
	body[*size] = '\0';
	return body;
}

/* ---- opening and appending ------------------------------------------------------------------- */

static journal *journal_new(int fd, const char *path)
{
	journal *j = memory_get(sizeof(*j));

	j->fd = fd;
	j->path = memory_text(path);
	return j;
}

/* Renames the file unless the final name exists. */
static int rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (link(from, to) != 0)
		return -1;
	return unlink(from);
}

static int sync_folder(const char *path)
{
	char *folder = memory_text(path);
	char *slash = strrchr(folder, '/');
	int fd, rc;

	if (slash != NULL)
		slash[slash == folder ? 1 : 0] = '\0';
	fd = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	/* Some file systems cannot sync a folder; the file itself is safe. */
	if (rc != 0 && (errno == EINVAL || errno == ENOTSUP))
		rc = 0;
	close(fd);
	return rc;
}

eh_status journal_create(const char *path, const record_line_run *first, journal **out, eh_error *error)
{
	char *temporary = memory_format("%s.tmp-%ld", path, (long)getpid());
	size_t size;
	char *body = NULL;
	eh_status status;
	int fd;

	fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		status = error_system(error, errno, "cannot write %s", path);
		goto undo_name;
	}
	body = line_text(first, RECORD_LINE_RUN, &size);
	status = append_text(fd, path, body, size, error);
	if (status != EH_OK)
		goto undo_file;
	if (lock_byte(fd, JOURNAL_COORDINATOR, F_WRLCK, false) != 0) {
		status = error_system(error, errno, "cannot lock %s", path);
		goto undo_file;
	}
	if (rename_new(temporary, path) != 0) {
		if (errno == EEXIST)
			status = error_set(error, EH_E_USAGE, "%s exists: this folder already holds a "
			                   "run; complete it with --resume or name another folder "
			                   "with -o", path);
		else
			status = error_system(error, errno, "cannot write %s", path);
		goto undo_file;
	}
	if (sync_folder(path) != 0) {
		status = error_system(error, errno, "cannot write the folder of %s", path);
		(void)unlink(path);
		goto undo_fd;
	}
	*out = journal_new(fd, path);
	free(body);
	free(temporary);
	return EH_OK;

undo_file:
	(void)unlink(temporary);
undo_fd:
	free(body);
	close(fd);
undo_name:
	free(temporary);
	return status;
}

eh_status journal_open(const char *path, journal **out, eh_error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	eh_status status;

	if (fd < 0 && errno == ENOENT)
		return error_set(error, EH_E_NOT_FOUND, "there is no journal %s", path);
	if (fd < 0)
		return error_system(error, errno, "cannot open %s", path);
	status = append_text(fd, path, "", 0, error);
	if (status != EH_OK) {
		close(fd);
		return status;
	}
	*out = journal_new(fd, path);
	return EH_OK;
}

eh_status journal_append(journal *j, const record_line *line, eh_error *error)
{
	size_t size;
	char *body = line_text(line, line->kind, &size);
	eh_status status = append_text(j->fd, j->path, body, size, error);

	free(body);
	return status;
}

void journal_close(journal *j)
{
	if (j == NULL)
		return;
	close(j->fd);
	free(j->path);
	free(j);
}

eh_status journal_hold(journal *j, enum journal_role role, uint64_t wait_ns, eh_error *error)
{
	uint64_t until = clock_now_ns() + wait_ns;

	while (lock_byte(j->fd, role, F_WRLCK, false) != 0) {
		if (errno != EAGAIN && errno != EACCES)
			return error_system(error, errno, "cannot lock %s", j->path);
		if (clock_now_ns() >= until)
			return error_set(error, EH_E_UNAVAILABLE, "another evenhand is working in the "
			                 "folder of %s; wait until it has ended", j->path);
		clock_sleep_ns(HOLD_STEP_NS);
	}
	return EH_OK;
}

void journal_release(journal *j, enum journal_role role)
{
	(void)lock_byte(j->fd, role, F_UNLCK, false);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Absent for a text that is no line of a journal. */
static enum record_line_kind kind_of(json_scan s)
{
	json_quoted word;
	bool found;

	s.error = NULL;
	if (json_scan_find(&s, "kind", &found) != EH_OK || !found || json_scan_peek(&s) != '"' ||
	    json_scan_string(&s, &word) != EH_OK)
		return record_line_kind_absent;
	return (enum record_line_kind)layout_word_value(record_line_kind_words(), word.bytes, word.size);
}

static eh_status decode_line(const char *body, size_t size, const char *path, long offset,
                             record_line *line, eh_error *error)
{
	char *name = memory_format("%s, line at byte %ld", path, offset);
	json_scan s = json_scan_of(body, (json_span){ 0, size }, 0, name, error);
	enum record_line_kind kind = kind_of(s);
	eh_status status;

	memset(line, 0, sizeof(*line));
	if (kind != record_line_kind_absent) {
		record_line_init(line, kind);
		status = layout_scan(layout_of(kind), s, "", line);
	} else {
		status = json_scan_skip(&s);
		if (status == EH_OK)
			status = error_set(error, EH_E_FORMAT, "%s: is not a line of a journal: the file is "
			                   "damaged or something else; run into a new folder", name);
	}
	free(name);
	return status;
}

static FILE *open_at(const char *path, long offset, eh_status *status, eh_error *error)
{
	FILE *in = fopen(path, "re");

	if (in == NULL && errno == ENOENT)
		*status = error_set(error, EH_E_NOT_FOUND, "there is no journal %s", path);
	else if (in == NULL)
		*status = error_system(error, errno, "cannot read %s", path);
	if (in != NULL && fseek(in, offset, SEEK_SET) != 0) {
		*status = error_system(error, errno, "cannot read %s", path);
		fclose(in);
		in = NULL;
	}
	return in;
}

eh_status journal_each_from(const char *path, long *offset, journal_visit visit, void *context,
                            eh_error *error)
{
	eh_status status = EH_OK;
	FILE *in = open_at(path, *offset, &status, error);
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	if (in == NULL)
		return status;
	while (status == EH_OK && (size = getline(&line, &room, in)) > 0 && line[size - 1] == '\n') {
		record_line decoded;

		status = decode_line(line, (size_t)size - 1, path, *offset, &decoded, error);
		if (status != EH_OK)
			break;
		status = visit(context, &decoded, *offset, error);
		record_line_clear(&decoded);
		*offset += (long)size;
	}
	if (status == EH_OK && ferror(in))
		status = error_system(error, errno, "cannot read %s", path);
	free(line);
	fclose(in);
	return status;
}

eh_status journal_each(const char *path, journal_visit visit, void *context, eh_error *error)
{
	long offset = 0;

	return journal_each_from(path, &offset, visit, context, error);
}

eh_status journal_line_at(const char *path, long offset, record_line *line, eh_error *error)
{
	eh_status status = EH_OK;
	FILE *in = open_at(path, offset, &status, error);
	char *body = NULL;
	size_t room = 0;
	ssize_t size;

	memset(line, 0, sizeof(*line));
	if (in == NULL)
		return status;
	size = getline(&body, &room, in);
	if (size > 0 && body[size - 1] == '\n')
		status = decode_line(body, (size_t)size - 1, path, offset, line, error);
	else
		status = error_set(error, EH_E_FORMAT, "%s: no whole line at byte %ld", path, offset);
	free(body);
	fclose(in);
	return status;
}
