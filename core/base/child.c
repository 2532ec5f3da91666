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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/text.h"

#define LINE_MAX_BYTES ((size_t)16 << 20)
/* How long a wait lasts at most before it is looked whether the child has ended while another
 * process holds its pipes open, or a signal came just before the wait. */
#define NAP_MS 200
/* How long the kernel may take to end what was killed.  A driver can hold it for ever. */
#define DEATH_NS (UINT64_C(10) * 1000000000)
/* How often what is left of a session is looked for: what is killed may have split off another
 * process a moment before. */
#define SWEEPS 16

struct child {
	pid_t pid;
	int out, err;            /* our ends of its stdout and stderr, -1 once at the end       */
	text lines;              /* read and not yet handed out, from `start` on                */
	size_t start, searched;  /* no newline before `searched`                                */
	bool overlong;           /* a line passed the limit: nothing more is read               */
	bool told;               /* the interrupt was reported                                  */
	char words[512];         /* the end of its stderr                                       */
	size_t words_size;
};

static void close_if(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* A file in memory needs no writer that would have to be served while the child runs. */
static int open_input(const char *input, eh_error *error)
{
	size_t left = input != NULL ? strlen(input) : 0;
	int fd;

	if (input == NULL) {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			error_system(error, errno, "cannot open /dev/null");
		return fd;
	}
	fd = memfd_create("evenhand-input", MFD_CLOEXEC);
	if (fd < 0) {
		error_system(error, errno, "cannot make the input of a child process");
		return -1;
	}
	while (left > 0) {
		ssize_t done = write(fd, input, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			error_system(error, errno, "cannot write the input of a child process");
			close(fd);
			return -1;
		}
		input += done;
		left -= (size_t)done;
	}
	if (lseek(fd, 0, SEEK_SET) != 0) {
		error_system(error, errno, "cannot rewind the input of a child process");
		close(fd);
		return -1;
	}
	return fd;
}

/* In the child: never returns.  Only async-signal-safe calls, as another thread of the parent
 * may have held a lock when it was split off. */
__attribute__((noreturn))
static void become(const char *const argv[], pid_t parent, int in, int out, int err, int report)
{
	sigset_t none;
	int failure;

	setsid();
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL); /* SIGKILL and SIGSTOP refuse, which is fine */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* it died before it could be asked for */
		_exit(127);
	if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(err, 2) == 2)
		execv(argv[0], (char *const *)(uintptr_t)argv);
	failure = errno;
	while (write(report, &failure, sizeof(failure)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* Descriptors 0 to 2 may be closed in this process; pipes must not land there, or dup2 in the
 * child would overwrite one with another. */
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

/* With SIGCHLD ignored, as some programs start others, the kernel reaps children itself: how they
 * ended would be lost, and their numbers could be somebody else's before we signal them. */
static void keep_exit_statuses(void)
{
	struct sigaction now;

	if (sigaction(SIGCHLD, NULL, &now) == 0 &&
	    (now.sa_handler == SIG_IGN || (now.sa_flags & SA_NOCLDWAIT) != 0))
		signal(SIGCHLD, SIG_DFL);
}

eh_status child_start(const char *const argv[], const char *input, child **out, eh_error *error)
{
	int in, stdout_pipe[2] = { -1, -1 }, stderr_pipe[2] = { -1, -1 }, report[2] = { -1, -1 };
	pid_t parent = getpid(), pid;
	int failure = 0;
	ssize_t got;
	child *c;

	keep_exit_statuses();
	in = above_standard(open_input(input, error));
	if (in < 0)
		return EH_E_IO;
	if (!make_pipe(stdout_pipe) || !make_pipe(stderr_pipe) || !make_pipe(report)) {
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
		become(argv, parent, in, stdout_pipe[1], stderr_pipe[1], report[1]);

	close(in);
	close(stdout_pipe[1]);
	close(stderr_pipe[1]);
	close(report[1]);
	/* Closed by a successful exec; otherwise it carries the reason. */
	do
		got = read(report[0], &failure, sizeof(failure));
	while (got < 0 && errno == EINTR);
	close(report[0]);
	if (got == (ssize_t)sizeof(failure)) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		close(stdout_pipe[0]);
		close(stderr_pipe[0]);
		return error_system(error, failure, "cannot start '%s'", argv[0]);
	}

	c = memory_get(sizeof(*c));
	c->pid = pid;
	c->out = stdout_pipe[0];
	c->err = stderr_pipe[0];
	fcntl(c->out, F_SETFL, O_NONBLOCK);
	fcntl(c->err, F_SETFL, O_NONBLOCK);
	*out = c;
	return EH_OK;

undo_pipes:
	close(in);
	for (int i = 0; i < 2; i++) {
		close_if(stdout_pipe[i]);
		close_if(stderr_pipe[i]);
		close_if(report[i]);
	}
	return failure == ENOMEM ? EH_E_NO_MEMORY : EH_E_IO;
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

/* Reads what is there; true while more may come at once. */
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

/* Waits for output at most timeout_ms and takes it.  When the child has ended, what is left is
 * taken and its pipes count as closed, whoever else may hold them. */
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
		/* Bounded, so that a flood on one pipe does not keep the caller's deadline waiting. */
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

/* The next whole line that was already read, or NULL. */
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
	/* Nothing handed out is in use any more: make room. */
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
			                 "process %ld printed a line longer than 16 MiB", (long)c->pid);
		if (c->out < 0)
			return error_set(error, EH_E_NOT_FOUND, "process %ld has no more output",
			                 (long)c->pid);
		if (interrupt_pending() && !c->told) {
			c->told = true;
			return error_set(error, EH_E_INTERRUPTED, "interrupted");
		}
		now = clock_now_ns();
		if (now >= deadline_ns) {
			serve(c, 0); /* what came while the caller was busy is not late */
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

/* The kept end of stderr as one line, from the start of a line or word where it was cut. */
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

/* Whether that process lives and belongs to the session.  Its stat is "PID (NAME) STATE PARENT
 * GROUP SESSION ...", and NAME may hold blanks and brackets. */
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

/* Kills what the child started in groups of its own, as compilers are.  Only while the child is
 * not reaped, so that the number of the session is still ours. */
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

/* false when the kernel does not end it. */
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

	/* It must be able to print until its end, or it would wait for us as we for it. */
	while (!has_ended(c) && clock_now_ns() - start < grace_ns) {
		uint64_t left_ms = (grace_ns - (clock_now_ns() - start)) / 1000000 + 1;

		if (left_ms > grace_ns / 1000000 + 1)
			break;
		/* Closed pipes make poll return by its time alone, and the end comes soon after. */
		serve(c, c->out < 0 && c->err < 0 ? 1 : left_ms < 20 ? (int)left_ms : 20);
		if (c->overlong)
			text_free(&c->lines);
		else if (c->lines.size > LINE_MAX_BYTES)
			c->overlong = true;
	}
	/* Before it is reaped, so that the number of the group is still ours.  Also when it has ended:
	 * what it started goes with it. */
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
	close_if(c->out);
	close_if(c->err);
	text_free(&c->lines);
	free(c);
}
