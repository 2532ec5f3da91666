/* SPDX-License-Identifier: Apache-2.0 */
#include "base/child.h"

#include <ctype.h>
#include <dirent.h>
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
#include "base/interrupt.h"
#include "base/text.h"

#define LINE_MAX_BYTES ((size_t)64 << 20)
/* How long a child may take to read what it is told. */
#define SAY_SECONDS 10
/* The longest single wait.  After it two events are checked that do not end poll: the child ended
 * while another process holds its pipes open, or a signal came just before the wait. */
#define NAP_MS 200
/* How long the kernel may take to end a killed process.  A driver can hold it forever. */
#define DEATH_NS (UINT64_C(10) * 1000000000)
/* How often a session is searched for processes that are left: one may fork just before it is
 * killed. */
#define SWEEPS 16

struct child {
	pid_t pid;
	int in;                  /* its stdin is the other end; -1 when there is nothing to say  */
	int out, err;            /* read ends of its stdout and stderr; -1 at end of file       */
	text lines;              /* stdout read so far; not yet returned from `start` on        */
	size_t start, searched;  /* [start, searched) has no newline                            */
	bool overlong;           /* a line was longer than the limit; reading has stopped       */
	bool told;               /* the interrupt was reported                                  */
	char words[512];         /* the end of its stderr                                       */
	size_t words_size;
};

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
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
	if (getppid() != parent) /* the parent died before prctl */
		_exit(127);
	if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
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

	keep_exit_statuses();
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

static void keep_words(child *c, const char *data, size_t size)
{
	size_t room = sizeof(c->words) - 1;

	if (size >= room) {
		memcpy(c->words, data + size - room, room);
		c->words_size = room;
		return;
	}
	if (c->words_size + size > room) {
		size_t drop = c->words_size + size - room;

		memmove(c->words, c->words + drop, c->words_size - drop);
		c->words_size -= drop;
	}
	memcpy(c->words + c->words_size, data, size);
	c->words_size += size;
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
		keep_words(c, chunk, (size_t)got);
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

/* The end of stderr as one line.  If text was cut off, it starts at a line or a word. */
static void tell_words(const child *c, char *out, size_t size)
{
	size_t from = 0, n = 0;

	if (c->words_size == sizeof(c->words) - 1) {
		while (from < c->words_size && c->words[from] != '\n' && from < 128)
			from++;
		if (from == 128)
			for (from = 0; from < c->words_size && ((unsigned char)c->words[from] & 0xc0) == 0x80;)
				from++;
	}
	for (; from < c->words_size && n + 1 < size; from++) {
		unsigned char letter = (unsigned char)c->words[from];

		if (letter < 0x20 || letter == 0x7f)
			letter = ' ';
		if (letter == ' ' && (n == 0 || out[n - 1] == ' '))
			continue;
		out[n++] = (char)letter;
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
}

/* Whether that process is alive and in the session.  Its stat is "PID (NAME) STATE PARENT GROUP
 * SESSION ..."; NAME may contain blanks and brackets. */
static bool lives_in_session(const char *pid, pid_t session)
{
	char path[64], body[512], state = 0;
	const char *after;
	long belongs = 0;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	got = read(fd, body, sizeof(body) - 1);
	close(fd);
	if (got <= 0)
		return false;
	body[got] = '\0';
	after = strrchr(body, ')');
	return after != NULL && sscanf(after + 1, " %c %*d %*d %ld", &state, &belongs) == 2 &&
	       belongs == (long)session && state != 'Z' && state != 'X';
}

/* Kills the child's descendants that have their own process groups, such as compilers.  Call it
 * before the child is reaped: until then the session's number cannot be reused. */
static void kill_session(pid_t session)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	bool found = true;

	for (int i = 0; i < SWEEPS && found; i++) {
		DIR *all = opendir("/proc");
		const struct dirent *at;

		found = false;
		while (all != NULL && (at = readdir(all)) != NULL) {
			if (!isdigit((unsigned char)at->d_name[0]) ||
			    !lives_in_session(at->d_name, session))
				continue;
			found = true;
			kill((pid_t)strtol(at->d_name, NULL, 10), SIGKILL);
		}
		if (all != NULL)
			closedir(all);
		if (found)
			nanosleep(&pause, NULL);
	}
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

void child_finish(child *c, uint64_t grace_ns, child_end *end)
{
	uint64_t start = clock_now_ns();
	int status = 0;
	pid_t got = 0;
	bool dead;

	/* Keep reading: a child that blocks on a full pipe would never end. */
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
	/* Before reaping, so that the group's number cannot have been reused.  Also for a child
	 * that has ended: its descendants are killed with it. */
	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL);
	kill_session(c->pid);
	dead = await_death(c);
	serve(c, 0);
	if (dead)
		do
			got = waitpid(c->pid, &status, 0);
		while (got < 0 && errno == EINTR);
	if (end != NULL) {
		end->stuck = !dead;
		end->signalled = got == c->pid && WIFSIGNALED(status);
		end->code = got != c->pid ? -1 : end->signalled ? WTERMSIG(status) : WEXITSTATUS(status);
		tell_words(c, end->last_words, sizeof(end->last_words));
	}
	close_if(c->in);
	close_if(c->out);
	close_if(c->err);
	text_free(&c->lines);
	free(c);
}
