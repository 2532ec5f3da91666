/* SPDX-License-Identifier: Apache-2.0 */
#include "base/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/walk.h"

/* Whether the group is the owner's private group: it has the owner's name, is the owner's primary
 * group, lists no other member, and is not the primary group of another account.  The name is
 * compared because accounts are not listed as members of their primary group, and some directory
 * services do not enumerate accounts. */
static bool group_is_private(uid_t owner, gid_t gid)
{
	const struct passwd *account = getpwuid(owner);
	const struct group *group = getgrgid(gid);
	char *name;
	bool alone;

	if (account == NULL || group == NULL || account->pw_gid != gid ||
	    strcmp(account->pw_name, group->gr_name) != 0)
		return false;
	name = memory_text(account->pw_name); /* the next call overwrites the account */
	alone = true;
	for (char **member = group->gr_mem; alone && *member != NULL; member++)
		alone = strcmp(*member, name) == 0;
	setpwent();
	while (alone && (account = getpwent()) != NULL)
		alone = account->pw_gid != gid || account->pw_uid == owner;
	endpwent();
	free(name);
	return alone;
}

/* ---- who made the program ---------------------------------------------------------------------- */

/* The program's file and the folders above it: who can write to one of them could replace the
 * program, and is trusted as much as it is. */
typedef struct makers {
	struct stat *items;
	size_t count;
} makers;

static makers makers_of_program(void)
{
	makers m = { 0 };
	char *path = paths_program();
	struct stat info;

	for (size_t i = 1; path[0] == '/'; i++) {
		const char end = path[i];

		if (end != '/' && end != '\0' && i > 1)
			continue;
		if (i > 1)
			path[i] = '\0';
		m.items = memory_grow(m.items, (m.count + 1) * sizeof(*m.items));
		if (stat(i > 1 ? path : "/", &info) == 0)
			m.items[m.count++] = info;
		path[i] = end;
		if (end == '\0')
			break;
	}
	free(path);
	return m;
}

static bool owner_is_trusted(const makers *m, uid_t owner)
{
	if (owner == 0 || owner == geteuid())
		return true;
	for (size_t i = 0; i < m->count; i++)
		if (m->items[i].st_uid == owner)
			return true;
	return false;
}

/* In a sticky folder the members of its group cannot replace what others own. */
static bool group_is_trusted(const makers *m, uid_t owner, gid_t gid)
{
	if (gid == 0)
		return true;
	for (size_t i = 0; i < m->count; i++)
		if (m->items[i].st_gid == gid && (m->items[i].st_mode & S_IWGRP) != 0 &&
		    (m->items[i].st_mode & S_ISVTX) == 0)
			return true;
	return group_is_private(owner, gid);
}

/* An access list names users and groups besides; the group's bits of the mode are then those that any
 * of them may have.  `fd` may be of O_PATH, which fgetxattr does not take.  Without /proc nobody can
 * say, which counts as yes. */
static bool has_access_list(int fd)
{
	char path[40];
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	size = getxattr(path, "system.posix_acl_access", NULL, 0);
	return size > 0 || (size < 0 && errno == ENOENT);
}

/* ---- the way to it ----------------------------------------------------------------------------- */

/* `at` is a place on the way. */
static eh_status check_owner(const walk *w, const char *at, const struct stat *info, eh_error *error)
{
	const bool itself = strcmp(w->wanted, at) == 0;

	if (owner_is_trusted(w->context, info->st_uid))
		return EH_OK;
	return error_set(error, EH_E_UNAVAILABLE,
	                 "%s is not used because %s%s belongs to user %u: only what root, this user "
	                 "(%u) or the program's owner owns is trusted",
	                 w->wanted, itself ? "it" : "", itself ? "" : at, (unsigned)info->st_uid,
	                 (unsigned)geteuid());
}

/* Of the place where the walk is. */
static eh_status check_writers(const walk *w, const char *name, eh_error *error)
{
	const mode_t mode = w->info.st_mode;

	if ((mode & S_IWOTH) == 0 &&
	    ((mode & S_IWGRP) == 0 ||
	     (!has_access_list(w->fd) &&
	      group_is_trusted(w->context, w->info.st_uid, w->info.st_gid))))
		return EH_OK;
	return error_set(error, EH_E_UNAVAILABLE,
	                 "%s is not used because others can write to %s: run chmod go-w on it", w->wanted,
	                 name);
}

/* Whether others could put something else into this folder, on the way to what follows.  In a
 * sticky folder they cannot, since root or this user owns every step. */
static eh_status check_folder(const walk *w, eh_error *error)
{
	const char *place = walk_place(w);

	if ((w->info.st_mode & S_ISVTX) != 0)
		return check_owner(w, place, &w->info, error);
	return check_writers(w, strcmp(w->wanted, place) == 0 ? "it" : place, error);
}

/* Somebody else's link could lead into any folder of this user's. */
static eh_status check_link(const walk *w, const char *at, const struct stat *info, eh_error *error)
{
	if (!S_ISLNK(info->st_mode) || owner_is_trusted(w->context, info->st_uid))
		return EH_OK;
	return error_set(error, EH_E_UNAVAILABLE,
	                 "%s '%s': the link %s belongs to user %u, and links of others are not followed "
	                 "to write; name the folder that it leads to", w->rules->doing, w->wanted, at,
	                 (unsigned)info->st_uid);
}

/* ---- what is there ----------------------------------------------------------------------------- */

static eh_status check_end(const walk *w, enum trust_kind kind, eh_error *error)
{
	const bool secret = kind == TRUST_SECRET;

	if (kind == TRUST_FOLDER && !S_ISDIR(w->info.st_mode))
		return error_set(error, EH_E_UNAVAILABLE, "%s is not a folder", w->wanted);
	if (kind != TRUST_FOLDER && !S_ISREG(w->info.st_mode))
		return error_set(error, EH_E_INCOMPATIBLE, "%s is not a regular file", w->wanted);
	if (secret && (w->info.st_mode & 077) != 0)
		return error_set(error, EH_E_UNAVAILABLE, "%s is not used because others can read it; if "
		                 "it is still a secret, chmod 600 it", w->wanted);
	return check_writers(w, "it", error);
}

/* Opens what the walk arrived at.  The descriptor of O_PATH keeps its inode's number from being
 * given to another file. */
static eh_status open_end(const walk *w, enum trust_kind kind, int *out, eh_error *error)
{
	const char *slash = strrchr(w->done, '/');
	struct stat info;
	int fd;

	if (kind == TRUST_FOLDER)
		fd = openat(w->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else
		fd = openat(w->folder, slash + 1, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &info) != 0) {
		(void)error_system(error, errno, "cannot open '%s'", w->wanted);
		goto undo;
	}
	if (info.st_dev != w->info.st_dev || info.st_ino != w->info.st_ino) {
		(void)error_set(error, EH_E_IO, "%s was exchanged while it was opened; try again",
		                w->wanted);
		goto undo;
	}
	*out = fd;
	return EH_OK;
undo:
	if (fd >= 0)
		close(fd);
	return EH_E_IO;
}

eh_status trust_open(const char *path, enum trust_kind kind, int *fd, char **real, eh_error *error)
{
	static const walk_rules rules = { "cannot look at", check_owner, check_folder };
	makers program = makers_of_program();
	walk w = { .wanted = path, .rules = &rules, .context = &program };
	eh_status status = walk_go(&w, error);

	if (status == EH_OK)
		status = check_end(&w, kind, error);
	if (status == EH_OK && fd != NULL)
		status = open_end(&w, kind, fd, error);
	if (status == EH_OK && real != NULL)
		*real = memory_text(walk_place(&w));
	walk_end(&w);
	free(program.items);
	return status;
}

eh_status trust_place(const char *path, const char *doing, mode_t makes, int *fd, char **made,
                      eh_error *error)
{
	const walk_rules rules = { doing, check_link, NULL };
	makers program = makers_of_program();
	walk w = { .wanted = path, .rules = &rules, .context = &program, .makes = makes };
	eh_status status = walk_go(&w, error);
	char *names;

	if (status == EH_OK && !S_ISDIR(w.info.st_mode))
		status = error_set(error, EH_E_IO, "%s '%s': it is not a folder", doing, path);
	if (status == EH_OK && fd != NULL) {
		*fd = openat(w.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		/* One that may be written but not listed. */
		if (*fd < 0)
			*fd = openat(w.fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (*fd < 0)
			status = error_system(error, errno, "%s '%s'", doing, path);
	}
	names = walk_made(&w);
	if (status != EH_OK)
		walk_unmake(w.fd, names);
	if (status == EH_OK && made != NULL)
		*made = names;
	else
		free(names);
	walk_end(&w);
	free(program.items);
	return status;
}

eh_status trust_read(const char *path, enum trust_kind kind, char **data, size_t *size, char **real,
                     eh_error *error)
{
	char *place = NULL;
	int fd;
	eh_status status = trust_open(path, kind, &fd, &place, error);

	if (status != EH_OK)
		return status;
	status = file_read_open(fd, path, data, size, error);
	close(fd);
	if (status == EH_OK && real != NULL) {
		*real = place;
		place = NULL;
	}
	free(place);
	return status;
}
