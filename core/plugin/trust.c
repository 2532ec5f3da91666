/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/trust.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"

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
 * of them may have. */
static bool has_access_list(const char *path)
{
	return getxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* ---- one file or folder ------------------------------------------------------------------------ */

/* The place `at` on the way to `wanted`, or `wanted` itself. */
static eh_status check_owner(const makers *m, const char *wanted, const char *at,
                             const struct stat *info, eh_error *error)
{
	const bool itself = strcmp(wanted, at) == 0;

	if (owner_is_trusted(m, info->st_uid))
		return EH_OK;
	return error_set(error, EH_E_UNAVAILABLE,
	                 "%s is not used because %s%s belongs to user %u: only what root, this user "
	                 "(%u) or the program's owner owns is loaded",
	                 wanted, itself ? "it" : "", itself ? "" : at, (unsigned)info->st_uid,
	                 (unsigned)geteuid());
}

static eh_status check_writers(const makers *m, const char *wanted, const char *at,
                               const struct stat *info, eh_error *error)
{
	const bool itself = strcmp(wanted, at) == 0;
	const bool listed = (info->st_mode & S_IWGRP) != 0 && has_access_list(at);

	if ((info->st_mode & S_IWOTH) == 0 && !listed &&
	    ((info->st_mode & S_IWGRP) == 0 || group_is_trusted(m, info->st_uid, info->st_gid)))
		return EH_OK;
	return error_set(error, EH_E_UNAVAILABLE,
	                 "%s is not used because others can write to %s: run chmod go-w on it", wanted,
	                 itself ? "it" : at);
}

/* ---- the way to it ----------------------------------------------------------------------------- */

enum { MOST_LINKS = 40 }; /* as in Linux */

/* A path on the way from the root. */
typedef struct walk {
	const char *wanted; /* as it was given                                              */
	makers makers;
	char *done;         /* malloc'd: the real path so far, "" = the root                */
	char *rest;         /* malloc'd: what follows, with links resolved so far           */
	unsigned links;
	struct stat info;   /* of done                                                      */
} walk;

/* The next component of rest, malloc'd, NULL at the end; takes it from rest. */
static char *next_component(walk *w)
{
	const char *start = w->rest + strspn(w->rest, "/");
	size_t size = strcspn(start, "/");
	char *name;

	if (size == 0)
		return NULL;
	name = memory_format("%.*s", (int)size, start);
	memmove(w->rest, start + size, strlen(start + size) + 1);
	return name;
}

static eh_status follow_link(walk *w, const char *link, eh_error *error)
{
	char target[PATH_MAX];
	const ssize_t size = readlink(link, target, sizeof(target) - 1);
	char *rest;

	if (size < 0 || ++w->links > MOST_LINKS)
		return error_system(error, size < 0 ? errno : ELOOP, "cannot follow %s", w->wanted);
	target[size] = '\0';
	rest = memory_format("%s/%s", target, w->rest);
	free(w->rest);
	w->rest = rest;
	if (target[0] == '/')
		w->done[0] = '\0';
	return EH_OK;
}

/* Goes to the component `name` of the folder done. */
static eh_status step(walk *w, const char *name, eh_error *error)
{
	char *slash = strrchr(w->done, '/');
	eh_status status;
	char *path;

	if (strcmp(name, ".") == 0)
		return EH_OK;
	if (strcmp(name, "..") == 0) {
		if (slash != NULL)
			*slash = '\0';
		return EH_OK;
	}
	path = memory_format("%s/%s", w->done, name);
	if (lstat(path, &w->info) != 0)
		status = error_system(error, errno, "cannot look at %s", w->wanted);
	else
		status = check_owner(&w->makers, w->wanted, path, &w->info, error);
	if (status == EH_OK && S_ISLNK(w->info.st_mode)) {
		status = follow_link(w, path, error);
		free(path);
		return status;
	}
	free(w->done);
	w->done = path;
	return status;
}

/* Whether others could put something else into the folder done, on the way to what follows.  In a
 * sticky folder they cannot, since root or this user owns every step. */
static eh_status check_folder(walk *w, eh_error *error)
{
	const char *folder = w->done[0] != '\0' ? w->done : "/";

	if (stat(folder, &w->info) != 0)
		return error_system(error, errno, "cannot look at %s", w->wanted);
	if ((w->info.st_mode & S_ISVTX) != 0)
		return check_owner(&w->makers, w->wanted, folder, &w->info, error);
	return check_writers(&w->makers, w->wanted, folder, &w->info, error);
}

/* Walks from the root to the end of w->rest; w->info is then about that. */
static eh_status go(walk *w, eh_error *error)
{
	eh_status status = EH_OK;
	char *name;

	while (status == EH_OK && (name = next_component(w)) != NULL) {
		status = check_folder(w, error);
		if (status == EH_OK)
			status = step(w, name, error);
		free(name);
	}
	if (status == EH_OK && lstat(w->done[0] != '\0' ? w->done : "/", &w->info) != 0)
		status = error_system(error, errno, "cannot look at %s", w->wanted);
	return status;
}

static eh_status trust(const char *path, mode_t kind, char **real, eh_error *error)
{
	char here[PATH_MAX] = "";
	walk w = { .wanted = path, .done = memory_text("") };
	eh_status status;

	if (path[0] != '/' && getcwd(here, sizeof(here)) == NULL) {
		free(w.done);
		return error_system(error, errno, "cannot look at %s", path);
	}
	w.makers = makers_of_program();
	w.rest = memory_format("%s/%s", here, path);
	status = go(&w, error);
	if (status == EH_OK && (w.info.st_mode & S_IFMT) != kind)
		status = kind == S_IFDIR
		         ? error_set(error, EH_E_UNAVAILABLE, "%s is not a folder", path)
		         : error_set(error, EH_E_INCOMPATIBLE, "%s is not a regular file", path);
	if (status == EH_OK)
		status = check_writers(&w.makers, path, path, &w.info, error);
	if (status == EH_OK && real != NULL) {
		*real = w.done;
		w.done = NULL;
	}
	free(w.makers.items);
	free(w.rest);
	free(w.done);
	return status;
}

eh_status trust_folder(const char *path, eh_error *error)
{
	return trust(path, S_IFDIR, NULL, error);
}

eh_status trust_file(const char *path, char **real, eh_error *error)
{
	return trust(path, S_IFREG, real, error);
}
