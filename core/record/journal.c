/* SPDX-License-Identifier: Apache-2.0 */
#include "record/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_lock.h"
#include "base/files.h"
#include "base/fresh.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/text.h"
#include "base/trust.h"
#include "record/journal_line.h"
#include "record/journal_scan.h"

struct journal {
	int fd;
	char *path;
	char chain[65];   /* of the last line                                                     */
	bool unsure;      /* a line that failed may stand behind it                               */
};

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

/* Cuts an incomplete last line; *end is the end of the file. */
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

/* *stays: what was written of it could not be taken away again. */
static eh_status append_text(int fd, const char *path, const char *data, size_t size, bool *stays,
                             eh_error *error)
{
	off_t end = 0;

	if (cut_torn(fd, &end) != 0)
		return error_system(error, errno, "cannot append to %s", path);
	if (file_write_at(fd, data, size, end) != 0 || fdatasync(fd) != 0) {
		const int why = errno;

		*stays = ftruncate(fd, end) != 0;
		return error_system(error, why, "cannot append to %s", path);
	}
	return EH_OK;
}

/* ---- opening and appending ------------------------------------------------------------------- */

static journal *journal_new(int fd, const char *path, const char chain[65])
{
	journal *j = memory_get(sizeof(*j));

	j->fd = fd;
	j->path = memory_text(path);
	memcpy(j->chain, chain, sizeof(j->chain));
	return j;
}

eh_status journal_create(const char *path, const record_line_run *first, journal **out, eh_error *error)
{
	char chain[65] = "";
	size_t size;
	bool stays = false;
	char *body;
	fresh file;
	eh_status status = fresh_open(&file, path, error);
	const int fd = file.fd;

	if (status != EH_OK)
		return status;
	body = journal_line_text(first, RECORD_LINE_RUN, chain, &size);
	status = append_text(fd, path, body, size, &stays, error);
	free(body);
	if (status == EH_OK)
		status = file_lock_new(fd, path, error);
	if (status == EH_OK) {
		status = fresh_place(&file, false, error);
		if (status == EH_E_USAGE)
			(void)error_set(error, EH_E_USAGE, "%s exists: this folder already holds a run; complete it with "
			                "--resume or name another folder with -o", path);
	}
	if (status == EH_OK)
		*out = journal_new(fd, path, chain);
	else
		fresh_drop(&file);
	return status;
}

static eh_status check_name(int folder, const char *name, const char *path, eh_error *error)
{
	struct stat info;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? error_set(error, EH_E_NOT_FOUND, "there is no journal %s", path) :
		       error_system(error, errno, "cannot open %s", path);
	if (S_ISLNK(info.st_mode))
		return error_set(error, EH_E_IO, "cannot open %s: it is a link, and a run writes into its own "
		                 "folder only; name the folder that holds the journal itself", path);
	return EH_OK;
}

eh_status journal_lock(const char *path, int *out, eh_error *error)
{
	const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
	char *above = slash != NULL ? memory_format("%.*s", (int)(slash - path + 1), path) : memory_text(".");
	int folder = -1;
	eh_status status = trust_place(above, "cannot open the journal in the folder", 0, &folder, NULL, error);

	free(above);
	if (status != EH_OK)
		return status;
	status = check_name(folder, name, path, error);
	if (status == EH_OK)
		status = file_lock_to_write(folder, name, path, out, error);
	close(folder);
	return status;
}

/* Cuts what is damaged at the end, and says so. */
static eh_status cut_end(int fd, const char *path, const journal_scan *found, eh_error *error)
{
	if (found->line == 0)
		return EH_OK;
	if (ftruncate(fd, (off_t)found->offset) != 0 || fdatasync(fd) != 0)
		return error_system(error, errno, "cannot cut the damaged end of %s", path);
	log_write(EH_LOG_WARN, "%s ends in a damaged line: line %zu, the %ld bytes from byte %ld on, is cut "
	          "off (%s); the run measures again what it held", path, found->line,
	          found->size - found->offset, found->offset, found->held);
	return EH_OK;
}

eh_status journal_open(const char *path, journal **out, eh_error *error)
{
	journal_scan found = { 0 };
	int fd = -1;
	eh_status status = journal_lock(path, &fd, error);

	if (status != EH_OK)
		return status;
	status = journal_scan_file(fd, path, &found, error);
	if (status == EH_OK && found.line > 0 && (found.line == 1 || found.followed))
		status = journal_scan_refuse(fd, path, &found, error);
	if (status == EH_OK)
		status = cut_end(fd, path, &found, error);
	if (status == EH_OK)
		*out = journal_new(fd, path, found.chain);
	else
		close(fd);
	journal_scan_clear(&found);
	return status;
}

/* What is written can be read. */
static eh_status check_size(const journal *j, size_t more, eh_error *error)
{
	struct stat info;

	return fstat(j->fd, &info) != 0 || info.st_size <= (off_t)(LIMIT_JOURNAL - more) ? EH_OK :
	       error_set(error, EH_E_IO, "%s has as much as is read of a journal, %zu GiB; split the protocol into "
	                 "several", j->path, LIMIT_JOURNAL / LIMIT_GIB);
}

eh_status journal_append(journal *j, const record_line *line, eh_error *error)
{
	char chain[65];
	char *body;
	size_t size;
	eh_status status;

	/* What stays may be the whole line: then it is read as any other, and nothing that follows from the
	 * line before it may stand behind it. */
	if (j->unsure)
		return error_set(error, EH_E_IO, "nothing more is appended to %s, because the line before could "
		                 "neither be written nor removed", j->path);
	memcpy(chain, j->chain, sizeof(chain));
	body = journal_line_text(line, line->kind, chain, &size);
	status = check_size(j, size, error);
	if (status == EH_OK)
		status = append_text(j->fd, j->path, body, size, &j->unsure, error);
	if (status == EH_OK)
		memcpy(j->chain, chain, sizeof(chain));
	free(body);
	return status;
}

enum journal_place journal_where(const journal *j)
{
	struct stat own, named;

	if (fstat(j->fd, &own) != 0 || own.st_nlink == 0)
		return JOURNAL_REMOVED;
	return stat(j->path, &named) == 0 && named.st_dev == own.st_dev && named.st_ino == own.st_ino ?
	       JOURNAL_THERE : JOURNAL_MOVED;
}

const char *journal_path(const journal *j)
{
	return j->path;
}

void journal_close(journal *j)
{
	if (j == NULL)
		return;
	close(j->fd);
	free(j->path);
	free(j);
}
