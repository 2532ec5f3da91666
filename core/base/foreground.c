/* SPDX-License-Identifier: Apache-2.0 */
#include "base/foreground.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/survivors.h"
#include "base/text.h"

static bool is_program(const char *path)
{
	struct stat about;

	return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

char *foreground_find(const char *name, eh_error *error)
{
	const char *rest = getenv("PATH");

	if (strchr(name, '/') != NULL) {
		if (is_program(name))
			return memory_text(name);
		(void)error_set(error, EH_E_USAGE, "%.200s is not a program that this user may start", name);
		return NULL;
	}
	while (rest != NULL) {
		size_t size = strcspn(rest, ":");
		/* An empty folder in PATH is this one. */
		char *path = memory_format("%.*s/%s", size > 0 ? (int)size : 1, size > 0 ? rest : ".", name);

		if (is_program(path))
			return path;
		free(path);
		rest = rest[size] == ':' ? rest + size + 1 : NULL;
	}
	(void)error_set(error, EH_E_USAGE, "there is no program '%.200s' in PATH", name);
	return NULL;
}

/* Gives an errno. */
static int start(const char *path, const char *const argv[], bool to_stderr, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t ignored;
	int failure;

	/* exec resets what this process handles, but not what it ignores. */
	sigemptyset(&ignored);
	sigaddset(&ignored, SIGXFSZ);
	posix_spawnattr_init(&how);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&how, &ignored);
	posix_spawn_file_actions_init(&files);
	if (to_stderr)
		posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
	failure = posix_spawn(pid, path, &files, &how, (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return failure;
}

eh_status foreground_run(const char *path, const char *const argv[], bool to_stderr, foreground_end *end,
                         eh_error *error)
{
	pid_t pid = -1;
	int status = 0, failure;

	(void)fflush(NULL);
	/* Some parents pass it on as ignored: then no exit status would come. */
	signal(SIGCHLD, SIG_DFL);
	survivors_release();
	failure = start(path, argv, to_stderr, &pid);
	if (failure != 0)
		return error_system(error, failure, "cannot start %s", path);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_system(error, errno, "cannot wait for the command");
	end->signalled = WIFSIGNALED(status);
	end->code = end->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
	return EH_OK;
}
