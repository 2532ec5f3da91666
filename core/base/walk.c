/* SPDX-License-Identifier: Apache-2.0 */
#include "base/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { MOST_LINKS = 40 }; /* as in Linux */

const char *walk_place(const walk *w)
{
	return w->done[0] != '\0' ? w->done : "/";
}

static eh_status cannot(const walk *w, int failure, eh_error *error)
{
	return error_system(error, failure, "%s '%s'", w->rules->doing, w->wanted);
}

static void leave(walk *w)
{
	if (w->folder >= 0)
		close(w->folder);
	if (w->fd >= 0)
		close(w->fd);
	w->folder = w->fd = -1;
}

static eh_status start_at(walk *w, const char *place, eh_error *error)
{
	leave(w);
	free(w->done);
	w->done = memory_text(place[0] == '/' ? place + 1 : place);
	w->made = 0;
	w->fd = open(place, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->fd >= 0 && fstat(w->fd, &w->info) == 0 ? EH_OK : cannot(w, errno, error);
}

/* Puts a path before what follows. */
static void go_first(walk *w, const char *path)
{
	char *rest = memory_format("%s/%s", path, w->rest);

	free(w->rest);
	w->rest = rest;
}

static eh_status follow_link(walk *w, int link, eh_error *error)
{
	char target[PATH_MAX];
	const ssize_t size = readlinkat(link, "", target, sizeof(target) - 1);

	if (size < 0 || ++w->links > MOST_LINKS)
		return cannot(w, size < 0 ? errno : ELOOP, error);
	target[size] = '\0';
	go_first(w, target);
	return target[0] == '/' ? start_at(w, "/", error) : EH_OK;
}

/* Goes to `fd`, which it takes, or follows it when it is a link. */
static eh_status enter(walk *w, const char *name, int fd, eh_error *error)
{
	char *path = memory_format("%s/%s", w->done, name);
	struct stat info;
	eh_status status;

	if (fstat(fd, &info) != 0)
		status = cannot(w, errno, error);
	else
		status = w->rules->step(w, path, &info, error);
	if (status != EH_OK || S_ISLNK(info.st_mode)) {
		if (status == EH_OK)
			status = follow_link(w, fd, error);
		close(fd);
		free(path);
		return status;
	}
	if (w->folder >= 0)
		close(w->folder);
	w->folder = w->fd;
	w->fd = fd;
	w->info = info;
	free(w->done);
	w->done = path;
	return EH_OK;
}

static eh_status step(walk *w, const char *name, eh_error *error)
{
	bool made = false;
	eh_status status;
	int fd;

	if (!S_ISDIR(w->info.st_mode))
		return error_set(error, EH_E_IO, "%s '%s': '%s' is not a folder", w->rules->doing,
		                 w->wanted, walk_place(w));
	fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	/* Somebody else may make it at the same time. */
	if (fd < 0 && errno == ENOENT && w->makes != 0 &&
	    ((made = mkdirat(w->fd, name, w->makes) == 0) || errno == EEXIST))
		fd = openat(w->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	status = fd >= 0 ? enter(w, name, fd, error) : cannot(w, errno, error);
	if (status == EH_OK)
		w->made = made ? w->made + 1 : 0;
	else if (made)
		(void)unlinkat(w->fd, name, AT_REMOVEDIR);
	return status;
}

/* To the folder above, from the root. */
static eh_status go_up(walk *w, eh_error *error)
{
	char *slash = strrchr(w->done, '/');

	if (slash != NULL)
		*slash = '\0';
	go_first(w, w->done);
	return start_at(w, "/", error);
}

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

static eh_status go_on(walk *w, const char *name, eh_error *error)
{
	eh_status status = w->rules->through != NULL ? w->rules->through(w, error) : EH_OK;

	if (status != EH_OK || strcmp(name, ".") == 0)
		return status;
	if (w->rules->through != NULL && strcmp(name, "..") == 0)
		return go_up(w, error);
	return step(w, name, error);
}

eh_status walk_go(walk *w, eh_error *error)
{
	const bool relative = w->wanted[0] != '/';
	char current[PATH_MAX] = "";
	eh_status status;
	char *name;

	w->folder = w->fd = -1;
	w->done = memory_text("");
	w->rest = memory_text("");
	if (relative && w->rules->through != NULL && getcwd(current, sizeof(current)) == NULL)
		return cannot(w, errno, error);
	go_first(w, w->wanted);
	go_first(w, current);
	status = start_at(w, relative && w->rules->through == NULL ? "." : "/", error);
	while (status == EH_OK && (name = next_component(w)) != NULL) {
		status = go_on(w, name, error);
		free(name);
	}
	return status;
}

void walk_end(walk *w)
{
	leave(w);
	free(w->rest);
	free(w->done);
}

char *walk_made(const walk *w)
{
	const char *at = w->done + strlen(w->done);

	for (size_t left = w->made; left > 0; left--)
		while (*--at != '/')
			;
	return memory_text(w->made > 0 ? at + 1 : "");
}

/* Whether the name in the folder is that of the open one. */
static bool is_named(int folder, const char *name, int fd)
{
	struct stat named, own;

	return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &own) == 0 &&
	       named.st_dev == own.st_dev && named.st_ino == own.st_ino;
}

void walk_unmake(int fd, char *made)
{
	int at = made[0] != '\0' ? openat(fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	while (at >= 0 && made[0] != '\0') {
		char *slash = strrchr(made, '/');
		const char *name = slash != NULL ? slash + 1 : made;
		int above = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (above < 0 || !is_named(above, name, at) || unlinkat(above, name, AT_REMOVEDIR) != 0)
			slash = NULL;
		close(at);
		at = above;
		*(slash != NULL ? slash : made) = '\0';
	}
	if (at >= 0)
		close(at);
}
