/* SPDX-License-Identifier: Apache-2.0 */
#include "base/fresh.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/trust.h"

#define PREFIX ".evenhand-"
enum { DIGITS = 16, MOST_TRIES = 16 };

/* 0, or -1 with errno: EAGAIN when somebody else has it, another where the file system has none. */
static int lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &whole);
}

/* ---- what killed processes left ---------------------------------------------------------------- */

static bool is_temporary(const char *name)
{
	const char *digits = name + sizeof(PREFIX) - 1;

	return strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0 && strlen(digits) == DIGITS &&
	       strspn(digits, "0123456789abcdef") == DIGITS;
}

static void remove_dead(int folder, const char *name)
{
	struct stat info;
	int fd;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode) ||
	    info.st_uid != geteuid())
		return;
	fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0 && lock(fd) == 0)
		(void)unlinkat(folder, name, 0);
	if (fd >= 0)
		close(fd);
}

/* A folder that cannot be read is left as it is. */
static void clean(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	while (all != NULL && (entry = readdir(all)) != NULL)
		if (is_temporary(entry->d_name))
			remove_dead(folder, entry->d_name);
	if (all != NULL)
		closedir(all);
	else if (fd >= 0)
		close(fd);
}

/* ---- making ------------------------------------------------------------------------------------ */

static eh_status cannot(const fresh *f, int failure, eh_error *error)
{
	return error_system(error, failure, "cannot write '%s'", f->path);
}

/* Opens the folder and sets the name. */
static eh_status find_folder(fresh *f, eh_error *error)
{
	const char *slash = strrchr(f->path, '/');
	char *folder = slash == NULL ? memory_text(".")
	             : slash == f->path ? memory_text("/")
	                                : memory_format("%.*s", (int)(slash - f->path), f->path);
	char *doing;
	eh_status status;

	f->name = slash != NULL ? slash + 1 : f->path;
	doing = memory_format("cannot write %s into the folder", f->name);
	if (f->name[0] == '\0')
		status = cannot(f, EISDIR, error);
	else
		status = trust_place(folder, doing, 0, &f->folder, error);
	free(doing);
	free(folder);
	return status;
}

/* A link to a device or a pipe is kept: /dev/stdout is one. */
static eh_status check_name(const fresh *f, eh_error *error)
{
	struct stat info;

	if (fstatat(f->folder, f->name, &info, 0) != 0 || S_ISREG(info.st_mode))
		return EH_OK;
	return error_set(error, EH_E_IO, "cannot write '%s': it is %s", f->path,
	                 S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
}

/* False with errno, which is EAGAIN when the file was taken for a dead process's before it was locked. */
static bool make(fresh *f)
{
	uint64_t number;
	struct stat info;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return false;
	snprintf(f->temporary, sizeof(f->temporary), PREFIX "%016" PRIx64, number);
	f->fd = openat(f->folder, f->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (f->fd < 0)
		return false;
	if ((lock(f->fd) == 0 || (errno != EAGAIN && errno != EACCES)) &&
	    fstat(f->fd, &info) == 0 && info.st_nlink > 0)
		return true;
	close(f->fd);
	(void)unlinkat(f->folder, f->temporary, 0);
	errno = EAGAIN;
	return false;
}

/* What is replaced was perhaps closed to others. */
static void keep_mode(const fresh *f)
{
	struct stat info;

	if (fstatat(f->folder, f->name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode) &&
	    info.st_uid == geteuid())
		(void)fchmod(f->fd, info.st_mode & 0777);
}

static void forget(fresh *f)
{
	close(f->folder);
	free(f->path);
	f->path = NULL;
}

eh_status fresh_open(fresh *f, const char *path, eh_error *error)
{
	eh_status status;
	int tries = 0;
	bool made;

	*f = (fresh){ .fd = -1, .folder = -1, .path = memory_text(path) };
	status = find_folder(f, error);
	if (status != EH_OK) {
		free(f->path);
		return status;
	}
	status = check_name(f, error);
	if (status == EH_OK) {
		clean(f->folder);
		while (!(made = make(f)) && (errno == EAGAIN || errno == EEXIST) && ++tries < MOST_TRIES)
			;
		if (!made)
			status = cannot(f, errno, error);
	}
	if (status == EH_OK)
		keep_mode(f);
	else
		forget(f);
	return status;
}

/* ---- placing ----------------------------------------------------------------------------------- */

/* Renames the file unless the final name exists; -1 with errno. */
static int rename_new(const fresh *f)
{
	if (renameat2(f->folder, f->temporary, f->folder, f->name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (linkat(f->folder, f->temporary, f->folder, f->name, 0) != 0)
		return -1;
	return unlinkat(f->folder, f->temporary, 0);
}

/* Some file systems cannot sync a folder, and one that cannot be read is open without that right; the
 * file itself is safe. */
static bool sync_folder(const fresh *f)
{
	return fsync(f->folder) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ||
	       errno == EBADF;
}

/* In a folder that is open to others, and not sticky, they can put another file in its place.  A file of
 * this user is one that was written there right after it. */
static bool is_placed(const fresh *f)
{
	struct stat own, named;

	if (fstat(f->fd, &own) != 0 || fstatat(f->folder, f->name, &named, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	return (own.st_dev == named.st_dev && own.st_ino == named.st_ino) ||
	       (S_ISREG(named.st_mode) && named.st_uid == geteuid());
}

eh_status fresh_place(fresh *f, bool replaces, eh_error *error)
{
	int failed = replaces ? renameat(f->folder, f->temporary, f->folder, f->name) : rename_new(f);

	if (failed != 0 && errno == EEXIST)
		return error_set(error, EH_E_USAGE, "'%s' exists already", f->path);
	if (failed != 0)
		return cannot(f, errno, error);
	if (!is_placed(f))
		return error_set(error, EH_E_IO, "cannot write '%s': somebody else exchanges files in its folder; "
		                 "choose a folder that only you can write to", f->path);
	if (!sync_folder(f)) {
		eh_status status = cannot(f, errno, error);

		if (!replaces)
			(void)unlinkat(f->folder, f->name, 0);
		return status;
	}
	forget(f);
	return EH_OK;
}

void fresh_drop(fresh *f)
{
	(void)unlinkat(f->folder, f->temporary, 0);
	close(f->fd);
	forget(f);
}
