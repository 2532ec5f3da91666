/* SPDX-License-Identifier: Apache-2.0 */
#include "subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_TEXT = 1 << 20 };

const char *const subprocess_withheld[] = {
	"CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS", "CLANG_NO_DEFAULT_CONFIG",
	"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "GCC_COMPARE_DEBUG",
	"GCC_EXEC_PREFIX", "COMPILER_PATH", "COLLECT_LTO_WRAPPER",
	"LIBRARY_PATH", "LPATH", "LD_RUN_PATH", "GNUTARGET", "LDEMULATION", NULL
};

static bool is_one_of(const char *assignment, const char *const *names)
{
	for (; *names != NULL; names++)
		if (strncmp(assignment, *names, strlen(*names)) == 0 && assignment[strlen(*names)] == '=')
			return true;
	return false;
}

/* The size of the folder's name, 0 when PATH cannot have it: a relative one, or one with a colon. */
static int folder_size(const char *path)
{
	const char *slash = path[0] == '/' ? strrchr(path, '/') : path;

	return memchr(path, ':', (size_t)(slash - path)) == NULL ? (int)(slash - path) : 0;
}

/* malloc'd: the PATH of a program, "PATH=...".  NULL when memory is exhausted. */
static char *make_path(const char *program)
{
	char *real = realpath(program, NULL), *out = NULL;
	const char *own = real != NULL ? real : "";
	const int first = folder_size(own), second = folder_size(program);

	if (asprintf(&out, "PATH=%.*s%s%.*s%s/usr/local/bin:/usr/bin:/bin", first, own, first > 0 ? ":" : "",
	             second, program, second > 0 ? ":" : "") < 0)
		out = NULL;
	free(real);
	return out;
}

/* A malloc'd environment; its strings are environ's own but for ours.  A program in a folder of its own
 * keeps temporary files there, by whatever name others give to the folder. */
static char **make_environment(char *path, bool in_folder)
{
	static const char *const ours[] = { "LC_ALL", "LANGUAGE", "PATH", "TMPDIR", NULL };
	static char locale[] = "LC_ALL=C", temporary[] = "TMPDIR=.";
	size_t n = 0, used = 0;
	char **list;

	while (environ != NULL && environ[n] != NULL)
		n++;
	list = calloc(n + 4, sizeof(*list));
	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!is_one_of(environ[i], ours) && !is_one_of(environ[i], subprocess_withheld))
			list[used++] = environ[i];
	list[used++] = locale;
	list[used++] = path;
	if (in_folder)
		list[used++] = temporary;
	list[used] = NULL;
	return list;
}

/* The first steps of every child: a process group of its own, that signal when the parent dies, default
 * signals. */
static void settle(pid_t parent, int at_death)
{
	static const int restored[] = { SIGINT, SIGTERM, SIGPIPE, SIGHUP, SIGCHLD, SIGALRM };
	sigset_t none;

	for (size_t i = 0; i < sizeof(restored) / sizeof(restored[0]); i++)
		(void)signal(restored[i], SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)prctl(PR_SET_PDEATHSIG, at_death);
	if (getppid() != parent)
		_exit(127);
}

static void end_group(int number)
{
	(void)number;
	(void)kill(0, SIGKILL);
}

/* Ends as that process has ended. */
__attribute__((noreturn))
static void end_like(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			_exit(127);
	if (WIFSIGNALED(status)) {
		(void)prctl(PR_SET_DUMPABLE, 0);
		(void)signal(WTERMSIG(status), SIG_DFL);
		(void)raise(WTERMSIG(status));
	}
	_exit(WEXITSTATUS(status));
}

/* The leader of the group: a signal at the parent's death reaches it alone, not what the program has
 * started, so it ends the whole group.  Returns in the program's process. */
static void lead_group(pid_t parent, int report)
{
	const struct sigaction ends = { .sa_handler = end_group };
	const pid_t self = getpid();
	pid_t pid;
	int problem;

	(void)setpgid(0, 0);
	(void)sigaction(SIGUSR1, &ends, NULL);
	settle(parent, SIGUSR1);
	pid = fork();
	if (pid == 0) {
		(void)signal(SIGUSR1, SIG_DFL);
		settle(self, SIGKILL);
		return;
	}
	if (pid < 0) {
		problem = errno;
		(void)!write(report, &problem, sizeof(problem));
		_exit(127);
	}
	(void)close(report);
	(void)close_range(0, UINT_MAX, 0);
	end_like(pid);
}

/* Only calls that are safe between fork and exec of a process with threads. */
__attribute__((noreturn))
static void become(const char *const argv[], char **environment, int folder, int out,
                   const cpu_set_t *mask, size_t mask_size, pid_t parent, int report)
{
	int null, problem;

	lead_group(parent, report);
	if (mask != NULL)
		(void)sched_setaffinity(0, mask_size, mask);
	null = open("/dev/null", O_RDONLY);
	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0 ||
	    (folder >= 0 && fchdir(folder) != 0))
		goto failed;
	(void)execve(argv[0], (char *const *)(uintptr_t)argv, environment);
failed:
	problem = errno;
	(void)!write(report, &problem, sizeof(problem));
	_exit(127);
}

void subprocess_start(subprocess *p, const char *const argv[], int folder, const cpu_set_t *mask,
                      size_t mask_size)
{
	const pid_t self = getpid();
	int out[2], report[2], problem = 0;
	char **environment, *path = make_path(argv[0]);
	ssize_t got;

	memset(p, 0, sizeof(*p));
	p->out = -1;
	environment = path != NULL ? make_environment(path, folder >= 0) : NULL;
	if (environment == NULL) {
		p->start_errno = ENOMEM;
		goto undo_path;
	}
	if (pipe2(out, O_CLOEXEC) != 0) {
		p->start_errno = errno;
		goto undo_environment;
	}
	if (pipe2(report, O_CLOEXEC) != 0) {
		p->start_errno = errno;
		goto undo_out;
	}
	p->pid = fork();
	if (p->pid == 0)
		become(argv, environment, folder, out[1], mask, mask_size, self, report[1]);
	if (p->pid < 0) {
		p->start_errno = errno;
		p->pid = 0;
		goto undo_report;
	}
	(void)close(report[1]);
	do
		got = read(report[0], &problem, sizeof(problem));
	while (got < 0 && errno == EINTR);
	(void)close(report[0]);
	(void)close(out[1]);
	free(environment);
	free(path);
	if (got == (ssize_t)sizeof(problem)) {
		(void)waitpid(p->pid, NULL, 0);
		(void)close(out[0]);
		p->pid = 0;
		p->start_errno = problem;
		return;
	}
	(void)setpgid(p->pid, p->pid);
	p->out = out[0];
	return;
undo_report:
	(void)close(report[0]);
	(void)close(report[1]);
undo_out:
	(void)close(out[0]);
	(void)close(out[1]);
undo_environment:
	free(environment);
undo_path:
	free(path);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* One read; closes p->out at its end.  Text beyond the limit is read and dropped, so that the
 * writer is not blocked. */
static void take_text(subprocess *p)
{
	char piece[16384];
	const ssize_t got = read(p->out, piece, sizeof(piece));
	size_t n;
	char *grown;

	if (got < 0 && errno == EINTR)
		return;
	if (got <= 0) {
		(void)close(p->out);
		p->out = -1;
		return;
	}
	n = (size_t)got;
	if (n > MOST_TEXT - p->size)
		n = MOST_TEXT - p->size;
	grown = n > 0 ? realloc(p->text, p->size + n + 1) : NULL;
	if (grown == NULL)
		return;
	memcpy(grown + p->size, piece, n);
	p->text = grown;
	p->size += n;
	p->text[p->size] = '\0';
}

/* Waits a little for output of any of them. */
static void take_some(subprocess *const *list, size_t count)
{
	for (size_t first = 0; first < count;) {
		subprocess *owners[16];
		struct pollfd fds[16];
		nfds_t n = 0;

		for (; first < count && n < 16; first++)
			if (list[first]->out >= 0) {
				owners[n] = list[first];
				fds[n++] = (struct pollfd){ .fd = list[first]->out, .events = POLLIN };
			}
		if (n == 0) {
			const struct timespec pause = { .tv_nsec = 200000 };

			(void)nanosleep(&pause, NULL);
		} else if (poll(fds, n, 10) > 0) {
			for (nfds_t i = 0; i < n; i++)
				if (fds[i].revents != 0)
					take_text(owners[i]);
		}
	}
}

void subprocess_wait(subprocess *const *list, size_t count, uint64_t milliseconds)
{
	const uint64_t deadline = now_ms() + milliseconds;

	for (;;) {
		const bool late = now_ms() >= deadline;
		size_t running = 0;

		for (size_t i = 0; i < count; i++) {
			subprocess *p = list[i];
			siginfo_t info = { 0 };

			if (p->pid == 0)
				continue;
			if (late) {
				p->timed_out = true;
				(void)kill(-p->pid, SIGKILL);
			}
			if (waitid(P_PID, (id_t)p->pid, &info,
			           WEXITED | WNOWAIT | (late ? 0 : WNOHANG)) != 0) {
				if (errno == EINTR) {
					running++;
					continue;
				}
				p->start_errno = errno;
			} else if (info.si_pid == 0) {
				running++;
				continue;
			} else {
				/* The rest of its process group must not outlive it.  The group is
				 * killed before the process is reaped, while the group's number is
				 * still its own. */
				(void)kill(-p->pid, SIGKILL);
				(void)waitpid(p->pid, &p->status, 0);
			}
			p->pid = 0;
			while (p->out >= 0) {
				struct pollfd fd = { .fd = p->out, .events = POLLIN };

				if (poll(&fd, 1, 0) <= 0)
					break;
				take_text(p);
			}
			if (p->out >= 0)
				(void)close(p->out);
			p->out = -1;
		}
		if (running == 0)
			return;
		take_some(list, count);
	}
}

bool subprocess_write(int fd, const void *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = write(fd, (const char *)data + done, size - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			return false;
	}
	return true;
}

/* Reads a whole file that nobody writes any more. */
static void take_answer(int fd, void **data, size_t *size)
{
	struct stat about;
	char *bytes;
	size_t done = 0;

	if (fstat(fd, &about) != 0 || about.st_size <= 0)
		return;
	bytes = malloc((size_t)about.st_size + 1);
	if (bytes == NULL)
		return;
	while (done < (size_t)about.st_size) {
		const ssize_t n = pread(fd, bytes + done, (size_t)about.st_size - done, (off_t)done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	bytes[done] = '\0';
	*data = bytes;
	*size = done;
}

void subprocess_call(subprocess *p, int (*work)(void *context, int answer), void *context,
                     uint64_t milliseconds, void **data, size_t *size)
{
	const pid_t self = getpid();
	int out[2], answer;

	memset(p, 0, sizeof(*p));
	p->out = -1;
	*data = NULL;
	*size = 0;
	answer = memfd_create("answer", MFD_CLOEXEC);
	if (answer < 0) {
		p->start_errno = errno;
		return;
	}
	if (pipe2(out, O_CLOEXEC) != 0) {
		p->start_errno = errno;
		goto undo_answer;
	}
	p->pid = fork();
	if (p->pid == 0) {
		(void)setpgid(0, 0);
		settle(self, SIGKILL);
		if (dup2(out[1], 1) < 0 || dup2(out[1], 2) < 0)
			_exit(127);
		_exit(work(context, answer));
	}
	(void)close(out[1]);
	if (p->pid < 0) {
		p->start_errno = errno;
		p->pid = 0;
		(void)close(out[0]);
		goto undo_answer;
	}
	(void)setpgid(p->pid, p->pid);
	p->out = out[0];
	subprocess_wait(&p, 1, milliseconds);
	take_answer(answer, data, size);
undo_answer:
	(void)close(answer);
}

bool subprocess_succeeded(const subprocess *p)
{
	return p->start_errno == 0 && !p->timed_out && p->pid == 0 && WIFEXITED(p->status) &&
	       WEXITSTATUS(p->status) == 0;
}

void subprocess_describe(const subprocess *p, char *out, size_t size)
{
	if (p->start_errno != 0)
		snprintf(out, size, "could not be started: %s", strerror(p->start_errno));
	else if (p->timed_out)
		snprintf(out, size, "did not finish in time and was killed");
	else if (WIFSIGNALED(p->status))
		snprintf(out, size, "was killed by signal %d (%s)", WTERMSIG(p->status),
		            strsignal(WTERMSIG(p->status)));
	else
		snprintf(out, size, "ended with status %d", WEXITSTATUS(p->status));
}

void subprocess_free(subprocess *p)
{
	free(p->text);
	memset(p, 0, sizeof(*p));
	p->out = -1;
}
