/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"

enum { TRY_AGAIN_NS = 5000000 };

/* ---- who has it ------------------------------------------------------------------------------ */

/* The process that the kernel lists as the holder of a lock of the open file; 0: none is listed, as of
 * another machine. */
static long holder_of(int fd)
{
	FILE *list = fopen("/proc/locks", "re");
	unsigned major_number, minor_number;
	unsigned long inode;
	struct stat info;
	char line[256];
	long found = 0, pid;

	if (list == NULL || fstat(fd, &info) != 0)
		info.st_ino = 0;
	while (list != NULL && found == 0 && fgets(line, sizeof(line), list) != NULL)
		if (sscanf(line, "%*d: FLOCK %*s %*s %ld %x:%x:%lu", &pid, &major_number, &minor_number,
		           &inode) == 4 && inode == info.st_ino &&
		    makedev(major_number, minor_number) == info.st_dev)
			found = pid;
	if (list != NULL)
		(void)fclose(list);
	return found;
}

/* malloc'd "process 123 (evenhand) of jane". */
static char *holder_text(int fd)
{
	long pid = holder_of(fd);
	char *place = memory_format("/proc/%ld", pid), *comm = memory_format("/proc/%ld/comm", pid);
	FILE *file = pid > 0 ? fopen(comm, "re") : NULL;
	const struct passwd *owner;
	struct stat info;
	char name[64] = "", *out;

	if (file != NULL) {
		if (fscanf(file, "%63[^\n]", name) != 1)
			name[0] = '\0';
		(void)fclose(file);
	}
	text_clean(name);
	owner = pid > 0 && stat(place, &info) == 0 ? getpwuid(info.st_uid) : NULL;
	if (pid <= 0)
		out = memory_text("a process that this machine does not list");
	else
		out = memory_format("process %ld%s%s%s%s%s", pid, name[0] != '\0' ? " (" : "", name,
		                    name[0] != '\0' ? ")" : "", owner != NULL ? " of " : "",
		                    owner != NULL ? owner->pw_name : "");
	free(comm);
	free(place);
	return out;
}

static eh_status say_held(const char *path, int fd, uint64_t waited_ns, eh_error *error)
{
	char *who = holder_text(fd);
	eh_status status;

	status = error_set(error, EH_E_UNAVAILABLE, "%s is locked by %s, for more than %.3g seconds: "
	                   "repeat the command when that has ended", path, who,
	                   (double)waited_ns / 1e9);
	free(who);
	return status;
}

static eh_status no_locks(const char *path, eh_error *error)
{
	return error_system(error, errno, "cannot lock '%s'; choose a folder whose file system has locks", path);
}

/* ---- taking it ------------------------------------------------------------------------------- */

/* What is locked. */
typedef struct place { int folder; const char *name, *path; bool to_write; } place;

/* For writing where that is allowed: of NFS only such a file can be locked for one process alone. */
static int open_to_lock(const place *p)
{
	int fd = file_open_at(p->folder, p->name, O_RDWR | (p->to_write ? O_NOFOLLOW : 0));

	if (fd < 0 && !p->to_write && (errno == EACCES || errno == EPERM || errno == EROFS || errno == ETXTBSY))
		fd = file_open_at(p->folder, p->name, O_RDONLY);
	return fd;
}

/* Whether the name still is that of the open file. */
static bool is_at(const place *p, int fd)
{
	struct stat there, here;

	return fstatat(p->folder, p->name, &there, p->to_write ? AT_SYMLINK_NOFOLLOW : 0) == 0 &&
	       fstat(fd, &here) == 0 && there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

/* Of a byte far beyond the content.  Who can only read the file cannot take it; only by a lock of readers, which
 * no evenhand takes, could they hold it up. */
static eh_status lock_to_write(int fd, const char *path, eh_error *error)
{
	struct flock far = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)1 << 62, .l_len = 1 };

	if (fcntl(fd, F_OFD_SETLK, &far) == 0)
		return EH_OK;
	if (errno != EAGAIN && errno != EACCES)
		return no_locks(path, error);
	if (fcntl(fd, F_OFD_GETLK, &far) == 0 && far.l_type == F_RDLCK)
		return error_set(error, EH_E_UNAVAILABLE, "a process that reads %s has locked it, as no evenhand does; end "
		                 "it, or copy the folder", path);
	return error_set(error, EH_E_UNAVAILABLE, "another evenhand is working with %s; wait until it has ended", path);
}

static eh_status wait_for(const char *path, int fd, uint64_t begun, uint64_t wait_ns, eh_error *error)
{
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return no_locks(path, error);
		if (clock_now_ns() - begun >= wait_ns)
			return say_held(path, fd, wait_ns, error);
		clock_sleep_ns(TRY_AGAIN_NS);
	}
	return EH_OK;
}

static eh_status take(const place *p, uint64_t wait_ns, int *lock, eh_error *error)
{
	uint64_t begun = clock_now_ns();

	for (;;) {
		int fd = open_to_lock(p);
		eh_status status;

		if (fd < 0)
			return error_system(error, errno, "cannot open '%s'", p->path);
		status = file_check(fd, p->path, SIZE_MAX, error);
		if (status == EH_OK)
			status = p->to_write ? lock_to_write(fd, p->path, error) :
			         wait_for(p->path, fd, begun, wait_ns, error);
		if (status == EH_OK && is_at(p, fd)) {
			*lock = fd;
			return EH_OK;
		}
		close(fd);
		if (status != EH_OK)
			return status;
	}
}

eh_status file_lock_take(const char *path, uint64_t wait_ns, int *lock, eh_error *error)
{
	return take(&(place){ AT_FDCWD, path, path, false }, wait_ns, lock, error);
}

eh_status file_lock_to_write(int folder, const char *name, const char *path, int *lock, eh_error *error)
{
	return take(&(place){ folder, name, path, true }, 0, lock, error);
}

eh_status file_lock_new(int fd, const char *path, eh_error *error)
{
	return lock_to_write(fd, path, error);
}

void file_lock_release(int lock)
{
	if (lock >= 0)
		close(lock);
}
