/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "evenhand-cc-"
enum { DIGITS = 16, MOST_TRIES = 16 };

const char *scratch_top(void)
{
	const char *top = getenv("TMPDIR");

	return top != NULL && top[0] == '/' ? top : "/tmp";
}

/* Removes the files and empty folders in it. */
static void empty(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	while (all != NULL && (e = readdir(all)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    unlinkat(folder, e->d_name, 0) != 0)
			(void)unlinkat(folder, e->d_name, AT_REMOVEDIR);
	if (all != NULL)
		(void)closedir(all);
	else if (fd >= 0)
		(void)close(fd);
}

/* Opens a folder of this user that nobody else can use, and locks it; -1 with errno, which is EAGAIN
 * when another process has the lock. */
static int open_own(int top, const char *name)
{
	const int fd = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat about;

	if (fd < 0)
		return -1;
	if (fstat(fd, &about) != 0 || about.st_uid != geteuid() || (about.st_mode & 077) != 0)
		errno = EPERM;
	else if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	(void)close(fd);
	return -1;
}

static bool is_scratch(const char *name)
{
	const char *digits = name + sizeof(PREFIX) - 1;

	return strncmp(name, PREFIX, sizeof(PREFIX) - 1) == 0 && strlen(digits) == DIGITS &&
	       strspn(digits, "0123456789abcdef") == DIGITS;
}

static void remove_dead(int top)
{
	int fd = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *all = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	while (all != NULL && (e = readdir(all)) != NULL) {
		const int dead = is_scratch(e->d_name) ? open_own(top, e->d_name) : -1;

		if (dead < 0)
			continue;
		empty(dead);
		(void)unlinkat(top, e->d_name, AT_REMOVEDIR);
		(void)close(dead);
	}
	if (all != NULL)
		(void)closedir(all);
	else if (fd >= 0)
		(void)close(fd);
}

/* 0, EAGAIN when it was taken for a dead process's before it was locked, or another errno. */
static int make(scratch *s)
{
	struct stat about;
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return errno;
	snprintf(s->name, sizeof(s->name), PREFIX "%016llx", (unsigned long long)number);
	if (mkdirat(s->top, s->name, 0700) != 0)
		return errno;
	s->fd = open_own(s->top, s->name);
	if (s->fd < 0) {
		const int problem = errno;

		(void)unlinkat(s->top, s->name, AT_REMOVEDIR);
		return problem == ENOENT ? EAGAIN : problem;
	}
	if (fstatat(s->top, s->name, &about, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	(void)close(s->fd);
	s->fd = -1;
	return EAGAIN;
}

int scratch_make(scratch *s)
{
	int problem = EAGAIN;

	*s = (scratch){ .fd = -1 };
	s->top = open(scratch_top(), O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->top < 0)
		return errno;
	remove_dead(s->top);
	for (int i = 0; i < MOST_TRIES && (problem == EAGAIN || problem == EEXIST); i++)
		problem = make(s);
	if (problem != 0)
		(void)close(s->top);
	return problem;
}

void scratch_remove(scratch *s)
{
	if (s->fd < 0)
		return;
	empty(s->fd);
	(void)unlinkat(s->top, s->name, AT_REMOVEDIR);
	(void)close(s->fd);
	(void)close(s->top);
	s->fd = -1;
}
