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
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/text.h"
#include "base/trust.h"
#include "base/walk.h"

#define PREFIX ".evenhand-"
#define ACL_NAME "system.posix_acl_access"
enum { DIGITS = 16, MOST_TRIES = 16, ACL_MOST = 1 << 16 /* the most that an attribute has */ };

/* 0, or -1 with errno: EAGAIN when somebody else has it, another where the file system has none. */
static int lock(int fd, bool is_folder)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	/* A folder cannot be opened for writing, as the lock of a file asks. */
	return is_folder ? flock(fd, LOCK_EX | LOCK_NB) : fcntl(fd, F_OFD_SETLK, &whole);
}

/* Why fchmod failed: some file systems give all files or folders one mode. */
static bool gives_one_mode(int failure)
{
	return failure == EPERM || failure == ENOTSUP || failure == ENOSYS;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- folders ----------------------------------------------------------------------------------- */

/* NULL when it cannot be read. */
static DIR *list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd >= 0 ? fdopendir(fd) : NULL;

	if (all == NULL && fd >= 0)
		close(fd);
	return all;
}

/* The next name but "." and "..". */
static const char *next_name(DIR *all)
{
	const struct dirent *entry;

	while ((entry = readdir(all)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return entry->d_name;
	return NULL;
}

static bool is_empty(int folder)
{
	DIR *all = list(folder);
	bool empty = all != NULL && next_name(all) == NULL;

	if (all != NULL)
		closedir(all);
	return empty;
}

/* Removes the files in it, and its folders that have no folders.  No link is followed. */
static void empty(int folder, bool with_folders)
{
	DIR *all = list(folder);
	const char *name;

	while (all != NULL && (name = next_name(all)) != NULL) {
		int inner;

		if (unlinkat(folder, name, 0) == 0 || !with_folders)
			continue;
		inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (inner >= 0) {
			empty(inner, false);
			close(inner);
		}
		(void)unlinkat(folder, name, AT_REMOVEDIR);
	}
	if (all != NULL)
		closedir(all);
}

/* ---- what killed processes left ---------------------------------------------------------------- */

static bool is_temporary(const char *name)
{
	const char *digits = name + sizeof(PREFIX) - 1;

	return strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0 && strlen(digits) == DIGITS &&
	       strspn(digits, "0123456789abcdef") == DIGITS;
}

/* Whether nobody else can rename a folder of this user's in it, so that the name says who made it. */
static bool is_guarded(int folder)
{
	struct stat info;

	return fstat(folder, &info) == 0 && (info.st_uid == geteuid() || info.st_uid == 0) &&
	       ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (info.st_mode & S_ISVTX) != 0);
}

static void remove_locked(int folder, const char *name, int fd, bool is_folder)
{
	struct stat own, named;

	/* One that got its final name in the meantime is whole. */
	if (fstat(fd, &own) != 0 || fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !same_file(&own, &named))
		return;
	if (is_folder)
		empty(fd, true);
	(void)unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0);
}

static void remove_dead(int folder, const char *name)
{
	struct stat info;
	bool is_folder;
	int fd;

	if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || info.st_uid != geteuid())
		return;
	is_folder = S_ISDIR(info.st_mode);
	if (is_folder ? !is_guarded(folder) : !S_ISREG(info.st_mode))
		return;
	fd = openat(folder, name, (is_folder ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK |
	            O_CLOEXEC);
	if (fd >= 0 && lock(fd, is_folder) == 0)
		remove_locked(folder, name, fd, is_folder);
	if (fd >= 0)
		close(fd);
}

/* A folder that cannot be read is left as it is. */
static void clean(int folder)
{
	DIR *all = list(folder);
	const char *name;

	while (all != NULL && (name = next_name(all)) != NULL)
		if (is_temporary(name))
			remove_dead(folder, name);
	if (all != NULL)
		closedir(all);
}

/* ---- making ------------------------------------------------------------------------------------ */

/* What messages begin with, before the path. */
static const char *doing(const fresh *f)
{
	if (f->name == NULL)
		return f->is_folder ? "cannot make a temporary folder in" : "cannot make a temporary file in";
	return f->is_folder ? "cannot make the folder" : "cannot write";
}

static eh_status cannot(const fresh *f, int failure, eh_error *error)
{
	return error_system(error, failure, "%s '%s'", doing(f), f->path);
}

/* Opens the folder above and sets the name. */
static eh_status find_folder(fresh *f, eh_error *error)
{
	const char *slash = strrchr(f->path, '/');
	char *folder = slash == NULL ? memory_text(".")
	             : slash == f->path ? memory_text("/")
	                                : memory_format("%.*s", (int)(slash - f->path), f->path);
	char *placing;
	eh_status status;

	f->name = slash != NULL ? slash + 1 : f->path;
	placing = memory_format("cannot write %s into the folder", f->name);
	if (f->name[0] == '\0')
		status = cannot(f, EISDIR, error);
	else
		status = trust_place(folder, placing, f->is_folder ? 0777 : 0, &f->folder, &f->made, error);
	free(placing);
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

/* The mode that a new file gets from the default ACL of its folder, where that has one, instead of the umask.
 * The attribute is a version of 4 bytes, and entries of 2 bytes of tag, 2 of rights, 4 more; little-endian
 * (linux/posix_acl_xattr.h).  The group's bits are the mask where there is one (acl(5)). */
static bool acl_mode(int folder, mode_t *out)
{
	enum { OWNER = 0x01, GROUP = 0x04, MASK = 0x10, OTHERS = 0x20, HEAD = 4, ENTRY = 8 };
	mode_t rights[OTHERS + 1] = { 0 };
	bool masked = false;
	unsigned char acl[ACL_MOST];
	ssize_t size = fgetxattr(folder, "system.posix_acl_default", acl, sizeof(acl));

	for (ssize_t at = HEAD; at + ENTRY <= size; at += ENTRY) {
		const unsigned tag = acl[at] | (unsigned)acl[at + 1] << 8;

		if (tag <= OTHERS)
			rights[tag] = acl[at + 2] & 6;
		masked = masked || tag == MASK;
	}
	*out = rights[OWNER] << 6 | rights[masked ? MASK : GROUP] << 3 | rights[OTHERS];
	return size > HEAD;
}

/* The new file's descriptor, or the folder's; -1 with errno. */
static int make_entry(const fresh *f)
{
	if (!f->is_folder)
		return openat(f->folder, f->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mkdirat(f->folder, f->temporary, 0700) != 0)
		return -1;
	return openat(f->folder, f->temporary, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* 0 when it is taken.  A folder is opened after it was made, and somebody may have put another in its
 * place (EAGAIN).  Its mode is not changed here, since it may be that of such a one.  Some file systems
 * give all folders one mode: nobody else may write into it (EPERM), though others may read. */
static int doubt(fresh *f, const struct stat *info)
{
	if (info->st_nlink == 0 || (f->is_folder && (info->st_uid != geteuid() || !is_empty(f->fd))))
		return EAGAIN;
	if (!f->is_folder || (info->st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return 0;
	f->open_mode = info->st_mode & 0777;
	return EPERM;
}

/* False with errno, which is EAGAIN when it was taken for a dead process's before it was locked. */
static bool make(fresh *f)
{
	uint64_t number;
	struct stat info;
	int why = EAGAIN;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return false;
	snprintf(f->temporary, sizeof(f->temporary), PREFIX "%016" PRIx64, number);
	f->fd = make_entry(f);
	if (f->fd < 0)
		return false;
	if ((lock(f->fd, f->is_folder) == 0 || (errno != EAGAIN && errno != EACCES)) &&
	    fstat(f->fd, &info) == 0 && (why = doubt(f, &info)) == 0)
		return true;
	close(f->fd);
	(void)unlinkat(f->folder, f->temporary, f->is_folder ? AT_REMOVEDIR : 0);
	errno = why;
	return false;
}

mode_t fresh_mode(mode_t most)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return most & ~mask;
}

/* Gives a file the ACL of another, or takes away the one that its folder gave it where the other has none.
 * 0, or -1 with errno.  The bits of the group are the mask of the ACL, so closing them closes the file to
 * all that the ACL names. */
static int copy_acl(int from, int to)
{
	unsigned char acl[ACL_MOST];
	const ssize_t size = fgetxattr(from, ACL_NAME, acl, sizeof(acl));

	if (size >= 0)
		return fsetxattr(to, ACL_NAME, acl, (size_t)size, 0);
	if (errno == ENODATA && fremovexattr(to, ACL_NAME) == 0)
		return 0;
	return errno == ENODATA || errno == ENOTSUP || errno == ENOSYS ? 0 : -1;
}

static bool has_acl(int fd)
{
	return fgetxattr(fd, ACL_NAME, NULL, 0) > 0;
}

/* What is replaced was perhaps closed to others. */
static void choose_mode(fresh *f)
{
	struct stat info;
	int replaced;

	if (!acl_mode(f->folder, &f->mode))
		f->mode = fresh_mode(0666);
	if (fstatat(f->folder, f->name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode) ||
	    info.st_uid != geteuid())
		return;
	f->mode = info.st_mode & 0777;
	replaced = openat(f->folder, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	/* Closed until it has its name. */
	if (replaced < 0 || copy_acl(replaced, f->fd) != 0 || fchmod(f->fd, 0600) != 0)
		f->mode &= 0700;
	if (replaced >= 0)
		close(replaced);
}

/* The mode of a file that cannot have the group of the other one: its members are others now, and those that its
 * ACL names are not told from them. */
static mode_t mode_without_group(int from, mode_t mode)
{
	const mode_t both = has_acl(from) ? 0 : mode >> 3 & mode & 7;

	return (mode & 0700) | both << 3 | both;
}

static eh_status cannot_keep(const fresh *f, const struct stat *replaced, const char *what, eh_error *error)
{
	return error_system(error, errno, "cannot write '%s': its group, %u, would %s it; copy the result into a "
	                    "folder of yours", f->path, (unsigned)replaced->st_gid, what);
}

static eh_status take_over(fresh *f, int from, const struct stat *replaced, bool replaces, eh_error *error)
{
	const mode_t mode = replaced->st_mode & 0777, without = mode_without_group(from, mode);
	struct stat own;
	bool owned;

	if (fstat(f->fd, &own) != 0)
		return cannot(f, errno, error);
	owned = own.st_uid == replaced->st_uid && own.st_gid == replaced->st_gid;
	f->mode = mode;
	/* Closed while it changes hands.  Some file systems give all files one owner and one mode. */
	if (fchmod(f->fd, mode & 0700) != 0)
		return owned && (own.st_mode & 0777) == mode ? EH_OK : cannot(f, errno, error);
	if (!owned && fchown(f->fd, replaced->st_uid, replaced->st_gid) != 0 &&
	    fchown(f->fd, (uid_t)-1, replaced->st_gid) != 0) {
		/* Who may write it is nobody's loss: files are replaced, not written in place. */
		if (replaces && ((mode ^ without) & 044) != 0)
			return cannot_keep(f, replaced, (mode & 040) != 0 ? "lose" : "get", error);
		f->mode = without;
	} else if (copy_acl(from, f->fd) != 0) {
		return cannot(f, errno, error);
	}
	return fchmod(f->fd, f->mode) == 0 ? EH_OK : cannot(f, errno, error);
}

eh_status fresh_keep(fresh *f, int from, const struct stat *replaced, eh_error *error)
{
	return take_over(f, from, replaced, true, error);
}

eh_status fresh_like(fresh *f, int from, const struct stat *other, eh_error *error)
{
	return take_over(f, from, other, false, error);
}

static void forget(fresh *f)
{
	close(f->folder);
	free(f->made);
	free(f->path);
	f->made = f->path = NULL;
}

static void forget_all(fresh *f)
{
	walk_unmake(f->folder, f->made);
	forget(f);
}

static eh_status cannot_make(const fresh *f, int failure, eh_error *error)
{
	if (f->open_mode != 0)
		return error_set(error, EH_E_IO, "%s '%s': others could write into it, since a "
		                 "new folder has the mode %04o there; choose a folder of another file system, or "
		                 "mount this one with umask=022", doing(f), f->path, (unsigned)f->open_mode);
	if (f->is_folder && failure == EAGAIN)
		return error_set(error, EH_E_IO, "%s '%s': a new folder there is not empty, or "
		                 "another user's; choose a folder that only you can write to, of a file system "
		                 "that has owners", doing(f), f->path);
	return cannot(f, failure, error);
}

/* Makes it in the folder that is open. */
static eh_status make_cleanly(fresh *f, eh_error *error)
{
	int tries = 0;
	bool made;

	clean(f->folder);
	while (!(made = make(f)) && (errno == EAGAIN || errno == EEXIST) && ++tries < MOST_TRIES)
		;
	return made ? EH_OK : cannot_make(f, errno, error);
}

static eh_status open_any(fresh *f, eh_error *error)
{
	eh_status status = find_folder(f, error);

	if (status != EH_OK) {
		free(f->path);
		return status;
	}
	if (!f->is_folder)
		status = check_name(f, error);
	if (status == EH_OK)
		status = make_cleanly(f, error);
	if (status == EH_OK && !f->is_folder)
		choose_mode(f);
	if (status != EH_OK)
		forget_all(f);
	return status;
}

eh_status fresh_open(fresh *f, const char *path, eh_error *error)
{
	*f = (fresh){ .fd = -1, .folder = -1, .path = memory_text(path) };
	return open_any(f, error);
}

eh_status fresh_open_folder(fresh *f, const char *path, eh_error *error)
{
	*f = (fresh){ .fd = -1, .folder = -1, .path = memory_text(path), .is_folder = true };
	return open_any(f, error);
}

/* In the folder f->path, which becomes the path of what is made. */
static eh_status make_temporary(fresh *f, eh_error *error)
{
	eh_status status = trust_place(f->path, doing(f), 0, &f->folder, &f->made, error);
	char *path;

	if (status != EH_OK) {
		free(f->path);
		return status;
	}
	status = make_cleanly(f, error);
	if (status != EH_OK) {
		forget_all(f);
		return status;
	}
	path = memory_format("%s/%s", f->path, f->temporary);
	free(f->path);
	f->path = path;
	return EH_OK;
}

eh_status fresh_open_temporary(fresh *f, const char *folder, bool is_folder, eh_error *error)
{
	eh_status status;

	*f = (fresh){ .fd = -1, .folder = -1, .path = memory_text(folder), .is_folder = is_folder };
	status = make_temporary(f, error);
	if (status != EH_OK)
		error_remedy(error, "; set TMPDIR to another folder");
	return status;
}

/* ---- placing ----------------------------------------------------------------------------------- */

/* Where renaming cannot refuse a name that exists: an empty folder takes the name, and is replaced. */
static int rename_folder(const fresh *f)
{
	int failure;

	if (mkdirat(f->folder, f->name, 0700) != 0)
		return -1;
	if (renameat(f->folder, f->temporary, f->folder, f->name) == 0)
		return 0;
	failure = errno;
	(void)unlinkat(f->folder, f->name, AT_REMOVEDIR);
	errno = failure;
	return -1;
}

/* Renames it unless the final name exists; -1 with errno. */
static int rename_new(const fresh *f)
{
	if (renameat2(f->folder, f->temporary, f->folder, f->name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (f->is_folder)
		return rename_folder(f);
	if (linkat(f->folder, f->temporary, f->folder, f->name, 0) != 0)
		return -1;
	return unlinkat(f->folder, f->temporary, 0);
}

/* Gives a folder the rights that a new one has, with the bit that it has from the one above.  Where all
 * folders have one mode, which cannot be changed, it has them. */
static int open_to_others(const fresh *f)
{
	struct stat info;

	if (fstat(f->fd, &info) != 0)
		return -1;
	if (fchmod(f->fd, fresh_mode(0777) | (info.st_mode & S_ISGID)) == 0)
		return 0;
	return gives_one_mode(errno) ? 0 : -1;
}

static int give_name(const fresh *f, bool replaces)
{
	if (f->is_folder && open_to_others(f) != 0)
		return -1;
	if (!f->is_folder && fchmod(f->fd, f->mode) != 0 && !gives_one_mode(errno))
		return -1;
	return replaces ? renameat(f->folder, f->temporary, f->folder, f->name) : rename_new(f);
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
	return same_file(&own, &named) ||
	       (!f->is_folder && S_ISREG(named.st_mode) && named.st_uid == geteuid());
}

eh_status fresh_place(fresh *f, bool replaces, eh_error *error)
{
	int failed = give_name(f, replaces);

	if (failed != 0 && errno == EEXIST)
		return error_set(error, EH_E_USAGE, "'%s' exists already", f->path);
	if (failed != 0)
		return cannot(f, errno, error);
	if (!is_placed(f))
		return error_set(error, EH_E_IO, "cannot write '%s': somebody else exchanges files in its folder; "
		                 "choose a folder that only you can write to", f->path);
	if (!sync_folder(f)) {
		eh_status status = cannot(f, errno, error);

		/* fresh_drop finds it there. */
		if (!replaces)
			(void)renameat(f->folder, f->name, f->folder, f->temporary);
		return status;
	}
	forget(f);
	return EH_OK;
}

void fresh_drop(fresh *f)
{
	if (f->is_folder)
		empty(f->fd, true);
	(void)unlinkat(f->folder, f->temporary, f->is_folder ? AT_REMOVEDIR : 0);
	close(f->fd);
	forget_all(f);
}
