/* SPDX-License-Identifier: Apache-2.0 */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/interrupt.h"
#include "base/lastwords.h"
#include "base/survivors.h"
#include "base/text.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
/* How long a child may take to read what it is told. */
#define SAY_SECONDS 10
/* The longest single wait.  After it two events are checked that do not end poll: the child ended
 * while another process holds its pipes open, or a signal came just before the wait. */
#define NAP_MS 200
/* How long the kernel may take to end a killed process.  A driver can hold it forever. */
#define DEATH_NS (UINT64_C(10) * 1000000000)

struct child {
	child *next;             /* of this process                                             */
	pid_t pid;
	int in;                  /* its stdin is the other end; -1 when there is nothing to say  */
	int out, err;            /* read ends of its stdout and stderr; -1 at end of file       */
	text lines;              /* stdout read so far; not yet returned from `start` on        */
	size_t start, searched;  /* [start, searched) has no newline                            */
	bool overlong;           /* a line was longer than the limit; reading has stopped       */
	bool told;               /* the interrupt was reported                                  */
	last_words words;        /* of its stderr                                               */
};

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* The children of this process: those that were started here and not finished, and those that it had
 * when there was none of these.  Others are what one of the former left behind. */
static child *all;
static struct { pid_t *pids; size_t count; } strangers;

static bool is_known(pid_t pid)
{
	for (size_t i = 0; i < strangers.count; i++)
		if (strangers.pids[i] == pid)
			return true;
	for (const child *c = all; c != NULL; c = c->next)
		if (c->pid == pid)
			return true;
	return false;
}

static void adopt(void)
{
	survivors_adopt();
	if (all != NULL)
		return;
	free(strangers.pids);
	strangers.pids = survivors_children(&strangers.count);
}

static void forget(const child *gone)
{
	child **at = &all;

	while (*at != gone)
		at = &(*at)->next;
	*at = gone->next;
}

/* Runs in the child and never returns.  Makes only async-signal-safe calls: another thread of the
 * parent may have held a lock at the fork. */
__attribute__((noreturn))
static void become(const char *const argv[], pid_t parent, int in, int out, int err, int report)
{
	sigset_t none;
	int failure;

	setsid();
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL); /* fails for SIGKILL and SIGSTOP, which is fine */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	survivors_adopt();
	if (getppid() != parent) /* the parent died before prctl */
		_exit(127);
	if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2 && descriptors_seal())
		execv(argv[0], (char *const *)(uintptr_t)argv);
	failure = errno;
	while (write(report, &failure, sizeof(failure)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Moves a descriptor above 2.  Where descriptors 0 to 2 are closed in this process, a pipe may get
 * one of these numbers, and dup2 in the child would overwrite it. */
static int above_standard(int fd)
{
	int moved;

	if (fd < 0 || fd > 2)
		return fd;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	close(fd);
	return moved;
}

static bool make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0) {
		ends[0] = ends[1] = -1;
		return false;
	}
	ends[0] = above_standard(ends[0]);
	ends[1] = above_standard(ends[1]);
	return ends[0] >= 0 && ends[1] >= 0;
}

/* A socket as the child's stdin: unlike a pipe, writing to it raises no signal when the child is
 * dead.  Silent: /dev/null, and ends[1] is -1. */
static bool make_input(bool talks, int ends[2])
{
	const struct timeval limit = { .tv_sec = SAY_SECONDS };

	ends[0] = ends[1] = -1;
	if (!talks) {
		ends[0] = above_standard(open("/dev/null", O_RDONLY | O_CLOEXEC));
		return ends[0] >= 0;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
		ends[0] = ends[1] = -1;
		return false;
	}
	ends[0] = above_standard(ends[0]);
	ends[1] = above_standard(ends[1]);
	return ends[0] >= 0 && ends[1] >= 0 &&
	       setsockopt(ends[1], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0;
}

/* Stops ignoring SIGCHLD, which some parents pass on as ignored.  The kernel would reap children
 * itself: exit statuses would be lost, and a process number could be reused before we signal it. */
static void keep_exit_statuses(void)
{
	struct sigaction now;

	if (sigaction(SIGCHLD, NULL, &now) == 0 &&
	    (now.sa_handler == SIG_IGN || (now.sa_flags & SA_NOCLDWAIT) != 0))
		signal(SIGCHLD, SIG_DFL);
}

eh_status child_start(const char *const argv[], bool talks, child **out, eh_error *error)
{
	int in[2], stdout_pipe[2] = { -1, -1 }, stderr_pipe[2] = { -1, -1 }, report[2] = { -1, -1 };
	pid_t parent = getpid(), pid;
	int failure = 0;
	ssize_t got;
	child *c;

	if (argv[0][0] != '/')
		return error_set(error, EH_E_UNAVAILABLE, "evenhand cannot start itself again: without /proc it "
		                 "knows its own file only when it is started by its whole path; mount /proc");
	keep_exit_statuses();
	adopt();
	if (!make_input(talks, in) || !make_pipe(stdout_pipe) || !make_pipe(stderr_pipe) || !make_pipe(report)) {
		failure = errno;
		error_system(error, failure, "cannot make a pipe to '%s'", argv[0]);
		goto undo_pipes;
	}
	pid = fork();
	if (pid < 0) {
		failure = errno;
		error_system(error, failure, "cannot start '%s'", argv[0]);
		goto undo_pipes;
	}
	if (pid == 0)
		become(argv, parent, in[0], stdout_pipe[1], stderr_pipe[1], report[1]);

	close(in[0]);
	close(stdout_pipe[1]);
	close(stderr_pipe[1]);
	close(report[1]);
	/* A successful exec closes the pipe; a failed one writes errno to it. */
	do
		got = read(report[0], &failure, sizeof(failure));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got == (ssize_t)sizeof(failure)) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		close_if(in[1]);
		close(stdout_pipe[0]);
		close(stderr_pipe[0]);
		return error_system(error, failure, "cannot start '%s'", argv[0]);
	}

	c = memory_get(sizeof(*c));
	c->pid = pid;
	c->next = all;
	all = c;
	c->in = in[1];
	c->out = stdout_pipe[0];
	c->err = stderr_pipe[0];
	fcntl(c->out, F_SETFL, O_NONBLOCK);
	fcntl(c->err, F_SETFL, O_NONBLOCK);
	*out = c;
	return EH_OK;

undo_pipes:
	for (int i = 0; i < 2; i++) {
		close_if(in[i]);
		close_if(stdout_pipe[i]);
		close_if(stderr_pipe[i]);
		close_if(report[i]);
	}
	return failure == ENOMEM ? EH_E_NO_MEMORY : EH_E_IO;
}

bool child_say(child *c, const char *line)
{
	size_t size = strlen(line), done = 0;
	bool ended = false;

	while (c->in >= 0 && !ended) {
		struct iovec parts[2] = { { (char *)(uintptr_t)line + done, size - done },
			                  { (char *)(uintptr_t)"\n", 1 } };
		struct msghdr whole = { .msg_iov = parts, .msg_iovlen = 2 };
		ssize_t put = sendmsg(c->in, &whole, MSG_NOSIGNAL);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0) {
			child_hush(c);
			return false;
		}
		ended = (size_t)put == size - done + 1;
		done += ended ? 0 : (size_t)put;
	}
	return ended;
}

void child_hush(child *c)
{
	close_if(c->in);
	c->in = -1;
}

/* Reads the available bytes; true while more may be available. */
static bool drain(child *c, int *fd, char *chunk, size_t size)
{
	ssize_t got;

	if (*fd < 0)
		return false;
	got = read(*fd, chunk, size);
	if (got < 0 && errno == EINTR)
		return true;
	if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return false;
	if (got <= 0) {
		close(*fd);
		*fd = -1;
		return false;
	}
	if (fd == &c->err)
		last_words_add(&c->words, chunk, (size_t)got);
	else if (!c->overlong)
		text_add_bytes(&c->lines, chunk, (size_t)got);
	return true;
}

static bool has_ended(const child *c)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == c->pid;
}

/* Waits at most timeout_ms for output and reads it.  When the child has ended, reads the rest and
 * treats its pipes as closed even if another process holds them. */
static void serve(child *c, int timeout_ms)
{
	char chunk[1 << 14];
	struct pollfd fds[2] = {
		{ .fd = c->out, .events = POLLIN }, { .fd = c->err, .events = POLLIN },
	};
	int ready = poll(fds, 2, timeout_ms);
	bool ended = false;

	if (ready <= 0)
		ended = has_ended(c);
	if (ready > 0 || ended) {
		/* Bounded, so that endless output does not delay the caller's deadline. */
		for (int i = 0; i < 64 && drain(c, &c->err, chunk, sizeof(chunk)); i++)
			;
		for (int i = 0; i < 64 && drain(c, &c->out, chunk, sizeof(chunk)); i++)
			;
	}
	fds[0].fd = c->out;
	fds[1].fd = c->err;
	if (ended && poll(fds, 2, 0) <= 0) {
		close_if(c->out);
		close_if(c->err);
		c->out = c->err = -1;
	}
}

/* The next whole line of the text read so far, or NULL. */
static const char *take_line(child *c)
{
	char *from, *newline;

	if (c->lines.data == NULL)
		return NULL;
	from = c->lines.data + c->searched;
	newline = memchr(from, '\n', c->lines.size - c->searched);
	if (newline != NULL) {
		char *line = c->lines.data + c->start;

		*newline = '\0';
		c->start = c->searched = (size_t)(newline - c->lines.data) + 1;
		return line;
	}
	/* No returned line is in use any more: drop them. */
	if (c->start > 0) {
		memmove(c->lines.data, c->lines.data + c->start, c->lines.size - c->start);
		c->lines.size -= c->start;
		c->start = 0;
	}
	c->searched = c->lines.size;
	if (c->lines.size > LINE_MAX_BYTES) {
		c->overlong = true;
		text_free(&c->lines);
		c->searched = 0;
	}
	return NULL;
}

eh_status child_line(child *c, uint64_t deadline_ns, const char **line, eh_error *error)
{
	for (;;) {
		uint64_t now, left_ms;
		const char *found = take_line(c);

		if (found != NULL) {
			*line = found;
			return EH_OK;
		}
		if (c->overlong)
			return error_set(error, EH_E_FORMAT,
			                 "process %ld printed a line longer than 64 MiB", (long)c->pid);
		if (c->out < 0)
			return error_set(error, EH_E_NOT_FOUND, "process %ld has no more output",
			                 (long)c->pid);
		if (interrupt_pending() && !c->told) {
			c->told = true;
			return error_set(error, EH_E_INTERRUPTED, "interrupted");
		}
		now = clock_now_ns();
		if (now >= deadline_ns) {
			serve(c, 0); /* output that came while the caller was busy is not late */
			found = take_line(c);
			if (found != NULL) {
				*line = found;
				return EH_OK;
			}
			if (c->out >= 0 && !c->overlong)
				return error_set(error, EH_E_TIMEOUT, "process %ld did not answer in time",
				                 (long)c->pid);
			continue;
		}
		left_ms = (deadline_ns - now) / 1000000 + 1;
		serve(c, left_ms < NAP_MS ? (int)left_ms : NAP_MS);
	}
}

long child_pid(const child *c)
{
	return (long)c->pid;
}

void child_signal(child *c, int number)
{
	kill(-c->pid, number);
}

/* Waits for a killed child; false when the kernel does not end it in time. */
static bool await_death(const child *c)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint64_t start = clock_now_ns();

	while (!has_ended(c)) {
		if (clock_now_ns() - start >= DEATH_NS)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* What was started under a child that the kernel does not end stays under it. */
static void end_survivors(const child *c, child_end *end)
{
	const survivors of = { end->stuck ? c->pid : getpid(), is_known };

	survivors_end(&of, end->survivors, sizeof(end->survivors));
}

/* Before reaping, so that the group's number cannot have been reused.  The group of a child that ended
 * by itself is killed last, so that its survivors are named. */
static void end_all(const child *c, child_end *end)
{
	const bool by_itself = has_ended(c);

	end->stuck = false;
	if (by_itself)
		end_survivors(c, end);
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	if (by_itself)
		return;
	end->stuck = !await_death(c);
	end_survivors(c, end);
}

/* Keeps reading: a child that blocks on a full pipe would never end. */
static void read_on(child *c, uint64_t grace_ns)
{
	uint64_t start = clock_now_ns();

	while (!has_ended(c) && clock_now_ns() - start < grace_ns) {
		uint64_t left_ms = (grace_ns - (clock_now_ns() - start)) / 1000000 + 1;

		if (left_ms > grace_ns / 1000000 + 1)
			break;
		/* With both pipes closed poll only sleeps, and the child ends soon: sleep
		 * briefly. */
		serve(c, c->out < 0 && c->err < 0 ? 1 : left_ms < 20 ? (int)left_ms : 20);
		if (c->overlong)
			text_free(&c->lines);
		else if (c->lines.size > LINE_MAX_BYTES)
			c->overlong = true;
	}
}

void child_finish(child *c, uint64_t grace_ns, child_end *end)
{
	child_end unwanted;
	int status = 0;
	pid_t got = 0;

	if (end == NULL)
		end = &unwanted;
	read_on(c, grace_ns);
	end_all(c, end);
	serve(c, 0);
	if (!end->stuck)
		do
			got = waitpid(c->pid, &status, 0);
		while (got < 0 && errno == EINTR);
	end->signalled = got == c->pid && WIFSIGNALED(status);
	end->code = got != c->pid ? -1 : end->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
	last_words_tell(&c->words, end->last_words, sizeof(end->last_words));
	forget(c);
	close_if(c->in);
	close_if(c->out);
	close_if(c->err);
	text_free(&c->lines);
	free(c);
}
