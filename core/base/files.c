/* SPDX-License-Identifier: Apache-2.0 */
#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fresh.h"
#include "base/limits.h"
#include "base/source.h"
#include "base/text.h"
#include "base/trust.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Where /proc is not mounted: the same file by its name. */
static int open_again(int folder, const char *name, int flags, const struct stat *seen)
{
	int fd = openat(folder, name, flags);
	struct stat info;

	if (fd < 0 || (fstat(fd, &info) == 0 && info.st_dev == seen->st_dev && info.st_ino == seen->st_ino))
		return fd;
	close(fd);
	errno = ESTALE;
	return -1;
}

/* The file that `seen`, of O_PATH, is open for. */
static int open_seen(int seen, int folder, const char *name, int flags, const struct stat *info)
{
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", seen);
	fd = open(path, flags & ~O_NOFOLLOW);
	return fd >= 0 || errno != ENOENT ? fd : open_again(folder, name, flags, info);
}

int file_open_at(int folder, const char *name, int flags)
{
	int seen = openat(folder, name, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW)), fd = -1, failure;
	struct stat info;

	if (seen < 0 || fstat(seen, &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)))
		return seen;
	if (S_ISREG(info.st_mode))
		fd = open_seen(seen, folder, name, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, &info);
	failure = S_ISREG(info.st_mode) ? errno : ELOOP;
	close(seen);
	errno = failure;
	return fd;
}

static eh_status too_large(const char *path, size_t most, eh_error *error)
{
	const bool large = most % LIMIT_GIB == 0;

	return error_set(error, EH_E_IO, "'%s' is larger than %zu %s, the most that is read", path,
	                 most / (large ? LIMIT_GIB : LIMIT_MIB), large ? "GiB" : "MiB");
}

eh_status file_check(int fd, const char *path, size_t most, eh_error *error)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return error_system(error, errno, "cannot examine '%s'", path);
	if (S_ISDIR(info.st_mode))
		return error_set(error, EH_E_IO, "'%s' is a folder, not a file", path);
	if (!S_ISREG(info.st_mode))
		return error_set(error, EH_E_IO, "'%s' is not a regular file", path);
	return (size_t)info.st_size > most ? too_large(path, most, error) : EH_OK;
}

eh_status file_open(const char *path, size_t most, int *out, eh_error *error)
{
	int fd = file_open_at(AT_FDCWD, path, O_RDONLY);
	eh_status status;

	if (fd < 0)
		return error_system(error, errno, "cannot open '%s'", path);
	status = file_check(fd, path, most, error);
	if (status == EH_OK)
		*out = fd;
	else
		close(fd);
	return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static eh_status read_open(int fd, const char *path, size_t most, char **data, size_t *size,
                           eh_error *error)
{
	text content = { 0 };
	char *chunk;
	ssize_t got;

	/* The size is only a hint: files of /proc report 0, and a file may grow while it is
	 * read. */
	chunk = memory_get(1 << 16);
	text_add_bytes(&content, "", 0);
	while ((got = read(fd, chunk, 1 << 16)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			break;
		text_add_bytes(&content, chunk, (size_t)got);
		if (content.size > most)
			break;
	}
	int failure = errno;

	free(chunk);
	if (got != 0) {
		text_free(&content);
		return got > 0 ? too_large(path, most, error) :
		       error_system(error, failure, "cannot read '%s'", path);
	}
	*data = content.data;
	*size = content.size;
	return EH_OK;
}

eh_status file_read_open(int fd, const char *path, char **data, size_t *size, eh_error *error)
{
	eh_status status = file_check(fd, path, LIMIT_FILE, error);

	return status == EH_OK ? read_open(fd, path, LIMIT_FILE, data, size, error) : status;
}

eh_status file_read_most(const char *path, size_t most, char **data, size_t *size, eh_error *error)
{
	int fd;
	eh_status status = file_open(path, most, &fd, error);

	if (status != EH_OK)
		return status;
	status = read_open(fd, path, most, data, size, error);
	close(fd);
	return status;
}

eh_status file_read(const char *path, char **data, size_t *size, eh_error *error)
{
	return file_read_most(path, LIMIT_FILE, data, size, error);
}

/* ---- writing --------------------------------------------------------------------------------- */

int file_write_at(int fd, const void *data, size_t size, off_t at)
{
	for (const char *p = data; size > 0;) {
		ssize_t done = pwrite(fd, p, size, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done == 0)
			errno = ENOSPC;
		if (done <= 0)
			return -1;
		p += done;
		at += done;
		size -= (size_t)done;
	}
	return 0;
}

struct file_writer {
	fresh file;
	off_t size;
};

eh_status file_writer_open(const char *path, file_writer **out, eh_error *error)
{
	file_writer *w = memory_get(sizeof(*w));
	eh_status status = fresh_open(&w->file, path, error);

	if (status == EH_OK)
		*out = w;
	else
		free(w);
	return status;
}

eh_status file_writer_keep(file_writer *w, int from, const struct stat *replaced, eh_error *error)
{
	return fresh_keep(&w->file, from, replaced, error);
}

eh_status file_writer_like(file_writer *w, int from, const struct stat *other, eh_error *error)
{
	return fresh_like(&w->file, from, other, error);
}

eh_status file_writer_add(file_writer *w, const void *data, size_t size, eh_error *error)
{
	if (file_write_at(w->file.fd, data, size, w->size) != 0)
		return error_system(error, errno, "cannot write '%s'", w->file.path);
	w->size += (off_t)size;
	return EH_OK;
}

eh_status file_writer_source(const file_writer *w, source_bytes *out, eh_error *error)
{
	int fd = fcntl(w->file.fd, F_DUPFD_CLOEXEC, 3);

	return fd >= 0 ? source_of_file(fd, w->file.path, out, error) :
	       error_system(error, errno, "cannot read '%s'", w->file.path);
}

eh_status file_writer_commit(file_writer *w, eh_error *error)
{
	eh_status status = EH_OK;
	int fd = w->file.fd, copy;

	/* EINVAL: the file system does not support syncing. */
	if (fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
		status = error_system(error, errno, "cannot write '%s'", w->file.path);
	/* Some file systems report a full disk or quota only when a descriptor is closed.  The file's own
	 * keeps the lock until it has its name. */
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if ((copy < 0 || (close(copy) != 0 && errno != EINTR)) && status == EH_OK)
		status = error_system(error, errno, "cannot write '%s'", w->file.path);
	if (status == EH_OK)
		status = fresh_place(&w->file, true, error);
	if (status == EH_OK)
		close(fd);
	else
		fresh_drop(&w->file);
	free(w);
	return status;
}

void file_writer_abandon(file_writer *w)
{
	if (w == NULL)
		return;
	fresh_drop(&w->file);
	free(w);
}

eh_status file_write(const char *path, const void *data, size_t size, eh_error *error)
{
	file_writer *w = NULL;
	eh_status status = file_writer_open(path, &w, error);

	if (w == NULL)
		return status;
	status = file_writer_add(w, data, size, error);
	if (status != EH_OK) {
		file_writer_abandon(w);
		return status;
	}
	return file_writer_commit(w, error);
}

/* ---- folders and names ----------------------------------------------------------------------- */

bool file_exists(const char *path)
{
	struct stat info;

	return lstat(path, &info) == 0;
}

eh_status dir_make(const char *path, eh_error *error)
{
	return trust_place(path, "cannot make the folder", 0777, NULL, NULL, error);
}

char *path_join(const char *a, const char *b)
{
	size_t size = strlen(a);

	return memory_format("%s%s%s", a, size > 0 && a[size - 1] == '/' ? "" : "/", b);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ENOTDIR counts as missing too: a part of the path is a file. */
static bool is_missing(const char *path, int failure)
{
	return failure == ENOENT || (failure == ENOTDIR && !file_exists(path));
}

char **dir_list(const char *path, const char *suffix, eh_error *error)
{
	size_t count = 0, room = 8, tail = strlen(suffix);
	char **names;
	DIR *folder = opendir(path);
	struct dirent *entry;
	int failure;

	if (folder == NULL && !is_missing(path, errno)) {
		error_system(error, errno, "cannot open '%s'", path);
		return NULL;
	}
	names = memory_get(room * sizeof(*names));
	while (errno = 0, folder != NULL && (entry = readdir(folder)) != NULL) {
		size_t size = strlen(entry->d_name);

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (size < tail || strcmp(entry->d_name + size - tail, suffix) != 0)
			continue;
		if (count + 2 > room) {
			room *= 2;
			names = memory_grow(names, room * sizeof(*names));
		}
		names[count++] = memory_text(entry->d_name);
	}
	failure = errno;
	if (folder != NULL)
		closedir(folder);
	names[count] = NULL;
	if (failure != 0) {
		dir_list_free(names);
		error_system(error, failure, "cannot read '%s'", path);
		return NULL;
	}
	qsort(names, count, sizeof(*names), by_name);
	return names;
}

void dir_list_free(char **names)
{
	if (names == NULL)
		return;
	for (char **name = names; *name != NULL; name++)
		free(*name);
	free(names);
}

bool file_has(const char *path, const void *bytes, size_t size)
{
	char *there;
	size_t there_size;
	bool same;

	if (file_read(path, &there, &there_size, NULL) != EH_OK)
		return false;
	same = there_size == size && memcmp(there, bytes, size) == 0;
	free(there);
	return same;
}
