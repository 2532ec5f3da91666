/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"
#include "skipping.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "base/text.h"

#define SECOND UINT64_C(1000000000)

static child *start_shell(const char *script, const char *input)
{
	const char *const argv[] = { "/bin/sh", "-c", script, NULL };
	eh_error error = ERROR_INIT;
	child *c = NULL;

	if (child_start(argv, input != NULL, &c, &error) != EH_OK)
		fail_msg("%s", error.message);
	if (input != NULL) {
		assert_true(child_say(c, input));
		child_hush(c);
	}
	return c;
}

static eh_status next(child *c, double seconds, const char **line)
{
	eh_error error = ERROR_INIT;

	return child_line(c, clock_now_ns() + (uint64_t)(seconds * 1e9), line, &error);
}

static void expect_line(child *c, const char *want)
{
	const char *line;

	assert_int_equal(next(c, 10, &line), EH_OK);
	assert_string_equal(line, want);
}

static void expect_end(child *c, const char *last_words, int code)
{
	child_end end;
	const char *line;

	assert_int_equal(next(c, 10, &line), EH_E_NOT_FOUND);
	child_finish(c, 10 * SECOND, &end);
	assert_false(end.signalled);
	assert_int_equal(end.code, code);
	assert_string_equal(end.last_words, last_words);
}

static void lines_come_one_by_one(void **state)
{
	child *c = start_shell("printf 'one\\ntw'; sleep 0.1; printf 'o\\n\\nthree\\ntorn'; "
	                       "echo 'some  trouble' >&2; echo here >&2; exit 3", NULL);

	(void)state;
	expect_line(c, "one");
	expect_line(c, "two");
	expect_line(c, "");
	expect_line(c, "three");
	expect_end(c, "some trouble here", 3);
}

static void input_arrives_whole(void **state)
{
	/* Larger than any pipe. */
	size_t size = 3 << 20;
	char *input = malloc(size + 1);
	const char *line;
	size_t lines = 0;
	child *c;

	(void)state;
	memset(input, 'x', size);
	input[size] = '\0';
	c = start_shell("wc -c; yes 1234567890 | head -n 20000", input);
	expect_line(c, "3145729");
	while (next(c, 20, &line) == EH_OK && strcmp(line, "1234567890") == 0)
		lines++;
	assert_int_equal(lines, 20000);
	child_finish(c, 5 * SECOND, NULL);
	c = start_shell("wc -c", NULL);
	expect_line(c, "0");
	child_finish(c, 5 * SECOND, NULL);
	free(input);
}

static void a_deadline_holds(void **state)
{
	uint64_t before = clock_now_ns();
	const char *line;
	child_end end;
	child *c = start_shell("sleep 100", NULL);

	(void)state;
	assert_int_equal(next(c, 0.1, &line), EH_E_TIMEOUT);
	child_finish(c, SECOND / 10, &end);
	assert_true(end.signalled);
	assert_int_equal(end.code, SIGKILL);
	assert_true(clock_now_ns() - before < 5 * SECOND);
}

static void a_crash_is_told(void **state)
{
	child_end end;
	const char *line;
	child *c = start_shell("echo a; echo last words >&2; kill -SEGV $$", NULL);

	(void)state;
	expect_line(c, "a");
	assert_int_equal(next(c, 10, &line), EH_E_NOT_FOUND);
	child_finish(c, 5 * SECOND, &end);
	assert_true(end.signalled);
	assert_int_equal(end.code, SIGSEGV);
	assert_string_equal(end.last_words, "last words");
}

static void a_grandchild_does_not_keep_the_pipe_open(void **state)
{
	uint64_t before = clock_now_ns();
	const char *line;
	child_end end;
	long orphan;
	child *c = start_shell("sleep 50 & echo $!; exit 0", NULL);

	(void)state;
	assert_int_equal(next(c, 10, &line), EH_OK);
	orphan = strtol(line, NULL, 10);
	assert_int_equal(next(c, 30, &line), EH_E_NOT_FOUND);
	child_finish(c, 5 * SECOND, &end);
	assert_int_equal(end.code, 0);
	assert_true(clock_now_ns() - before < 10 * SECOND);
	/* And it went with the group. */
	for (int i = 0; i < 200; i++) {
		char *path = memory_format("/proc/%ld/stat", orphan);
		int gone = access(path, F_OK);

		free(path);
		if (gone != 0)
			return;
		if (i > 20) {
			/* A zombie that nobody reaps has ended, too. */
			char *command = memory_format("grep -q ' Z ' /proc/%ld/stat", orphan);
			int zombie = system(command);

			free(command);
			if (zombie == 0)
				return;
		}
		clock_sleep_ns(10000000);
	}
	fail_msg("process %ld is still there", orphan);
}

static void a_flood_on_stderr_keeps_its_end(void **state)
{
	child_end end;
	child *c = start_shell("yes 'noise noise' | head -n 50000 >&2; echo the end >&2", NULL);

	(void)state;
	child_finish(c, 20 * SECOND, &end);
	assert_int_equal(end.code, 0);
	assert_int_equal(end.signalled, false);
	assert_true(strlen(end.last_words) > 100);
	assert_string_equal(end.last_words + strlen(end.last_words) - 7, "the end");
}

static void lines_are_answered_in_turn(void **state)
{
	child *c = NULL;
	const char *const argv[] = { "/bin/sh", "-c", "while read word; do echo got $word; done", NULL };

	(void)state;
	assert_int_equal(child_start(argv, true, &c, NULL), EH_OK);
	for (int i = 0; i < 3; i++) {
		assert_true(child_say(c, "one"));
		expect_line(c, "got one");
	}
	child_hush(c);
	assert_false(child_say(c, "two"));
	expect_end(c, "", 0);
}

static void a_dead_child_hears_nothing(void **state)
{
	child *c = NULL;
	const char *const argv[] = { "/bin/true", NULL };
	const char *line;

	(void)state;
	assert_int_equal(child_start(argv, true, &c, NULL), EH_OK);
	assert_int_equal(next(c, 10, &line), EH_E_NOT_FOUND);
	/* The program closes its stdout a moment before it ends. */
	for (int i = 0; i < 1000 && child_say(c, "one"); i++)
		clock_sleep_ns(1000000);
	assert_false(child_say(c, "one"));
	child_finish(c, 0, NULL);
}

static void a_line_without_end_is_refused(void **state)
{
	eh_error error = ERROR_INIT;
	const char *line;
	child *c = start_shell("head -c 70000000 /dev/zero | tr '\\0' x; echo; echo next", NULL);

	(void)state;
	assert_int_equal(child_line(c, clock_now_ns() + 30 * SECOND, &line, &error), EH_E_FORMAT);
	assert_non_null(strstr(error.message, "64 MiB"));
	assert_int_equal(next(c, 1, &line), EH_E_FORMAT);
	child_finish(c, 20 * SECOND, NULL);
}

static void a_long_line_is_taken(void **state)
{
	const char *line;
	child *c = start_shell("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo next", NULL);

	(void)state;
	assert_int_equal(next(c, 30, &line), EH_OK);
	assert_int_equal(strlen(line), 1000000);
	expect_line(c, "next");
	expect_end(c, "", 0);
}

static void what_does_not_start_says_why(void **state)
{
	const char *const argv[] = { "/no/such/program", NULL };
	eh_error error = ERROR_INIT;
	child *c = NULL;

	(void)state;
	assert_int_equal(child_start(argv, false, &c, &error), EH_E_IO);
	assert_string_equal(error.message, "cannot start '/no/such/program': No such file or directory");
	assert_null(c);
}

static void a_signal_reaches_the_group(void **state)
{
	child_end end;
	child *c = start_shell("trap 'echo caught; exit 9' TERM; echo ready; "
	                       "while :; do sleep 0.05; done", NULL);

	(void)state;
	expect_line(c, "ready");
	assert_int_equal(kill((pid_t)child_pid(c), 0), 0);
	child_signal(c, SIGTERM);
	expect_line(c, "caught");
	child_finish(c, 5 * SECOND, &end);
	assert_false(end.signalled);
	assert_int_equal(end.code, 9);
}

static void signals_of_the_parent_do_not_reach_it_blocked(void **state)
{
	/* A child must not inherit what the parent blocks or ignores.  Signals 32 and 33 are the C
	 * library's own: some makes ignore them, and no program may change that. */
	child *c;
	sigset_t set;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	c = start_shell("grep -E '^Sig(Blk|Ign):' /proc/self/status | tr -d '\\t'"
	                " | sed s/180000000/000000000/", NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
	expect_line(c, "SigBlk:0000000000000000");
	expect_line(c, "SigIgn:0000000000000000");
	expect_end(c, "", 0);
}

static void an_exit_status_is_kept_with_sigchld_ignored(void **state)
{
	child *c;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	c = start_shell("exit 3", NULL);
	expect_end(c, "", 3);
	signal(SIGCHLD, SIG_DFL);
}

/* Makes a system call fail with ENOSYS in this process and those that it starts, as an older kernel
 * does. */
static bool take_call_away(unsigned number)
{
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(steps) / sizeof(steps[0]), steps };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Starts a child while descriptors are open that exec keeps. */
static void expect_nothing_inherited(void)
{
	int low = dup(0), high = fcntl(0, F_DUPFD, 500);
	child *c;

	assert_true(low > 2 && high >= 500);
	c = start_shell("ls /proc/$$/fd", NULL);
	for (int fd = 0; fd < 3; fd++) {
		char want[2] = { (char)('0' + fd), '\0' };

		expect_line(c, want);
	}
	expect_end(c, "", 0);
	close(low);
	close(high);
}

static void it_inherits_three_descriptors(void **state)
{
	(void)state;
	expect_nothing_inherited();
}

static void an_older_kernel_closes_them_too(void **state)
{
	pid_t pid = fork();
	int status = 0;

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		if (!take_call_away(SYS_close_range))
			_exit(77);
		if (close_range(1000, 1000, 0) == 0 || errno != ENOSYS)
			_exit(1);
		expect_nothing_inherited();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip_because("a process may not filter its system calls here (seccomp)");
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_daemon_is_named_and_ended(void **state)
{
	child *c = start_shell("setsid sh -c 'echo $$; exec sleep 100' & wait", NULL);
	child_end end;
	const char *line;
	char *pid;

	(void)state;
	assert_int_equal(next(c, 10, &line), EH_OK);
	pid = memory_text(line);
	kill((pid_t)child_pid(c), SIGKILL);
	child_finish(c, 0, &end);
	assert_memory_equal(end.survivors, pid, strlen(pid));
	assert_string_equal(end.survivors + strlen(pid), " sleep (sleep 100)");
	assert_int_equal(kill((pid_t)strtol(pid, NULL, 10), 0), -1);
	free(pid);
}

static void a_child_keeps_its_daemon_while_another_ends(void **state)
{
	child *first = start_shell("(setsid sh -c 'echo $$; exec sleep 100' &); exec sleep 100", NULL);
	child *second = start_shell("exit 0", NULL);
	child_end end;
	const char *line;
	pid_t pid;

	(void)state;
	assert_int_equal(next(first, 10, &line), EH_OK);
	pid = (pid_t)strtol(line, NULL, 10);
	child_finish(second, SECOND, &end);
	assert_string_equal(end.survivors, "");
	assert_int_equal(kill(pid, 0), 0);
	child_finish(first, 0, &end);
	assert_int_equal(kill(pid, 0), -1);
}

static void who_is_about_to_end_is_no_survivor(void **state)
{
	child *c = start_shell("setsid sh -c 'sleep 0.03' & exit 0", NULL);
	child_end end;

	(void)state;
	child_finish(c, SECOND, &end);
	assert_string_equal(end.survivors, "");
	assert_int_equal(end.code, 0);
}

/* The state of a process, 0 when there is none. */
static char state_of(long pid)
{
	char path[64], state = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	in = fopen(path, "re");
	if (in == NULL)
		return 0;
	if (fscanf(in, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(in);
	return state;
}

static void other_groups_of_its_session_end_with_it(void **state)
{
	/* timeout moves into a group of its own. */
	child *c = start_shell("timeout 100 sleep 100 & echo $!; wait", NULL);
	const struct timespec pause = { .tv_nsec = 10000000 };
	const char *line;
	child_end end;
	long pid;
	char now = 0;

	(void)state;
	assert_int_equal(next(c, 10, &line), EH_OK);
	pid = strtol(line, NULL, 10);
	assert_true(pid > 1);
	for (int i = 0; i < 200 && getpgid((pid_t)pid) != (pid_t)pid; i++)
		nanosleep(&pause, NULL);
	assert_true(getpgid((pid_t)pid) == (pid_t)pid);
	child_finish(c, 0, &end);
	assert_true(end.signalled);
	assert_false(end.stuck);
	for (int i = 0; i < 200; i++) {
		now = state_of(pid);
		if (now == 0 || now == 'Z')
			break;
		nanosleep(&pause, NULL);
	}
	assert_true(now == 0 || now == 'Z');
}

/* A tracer that does not let go of a process that was killed hides its end, as a driver does that
 * holds it in the kernel. */
static void what_does_not_die_is_given_up(void **state)
{
	child *c = start_shell("echo up; sleep 100", NULL);
	pid_t held = (pid_t)child_pid(c), tracer;
	int ready[2];
	char traced = 0;
	child_end end;
	uint64_t began;

	(void)state;
	expect_line(c, "up");
	assert_int_equal(pipe(ready), 0);
	tracer = fork();
	if (tracer == 0) {
		char word = ptrace(PTRACE_SEIZE, held, NULL, NULL) == 0;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(ready[1], &word, 1) == 1)
			pause();
		_exit(0);
	}
	assert_true(tracer > 0);
	assert_int_equal(read(ready[0], &traced, 1), 1);
	close(ready[0]);
	close(ready[1]);
	began = clock_now_ns();
	child_finish(c, 0, &end);
	kill(tracer, SIGKILL);
	assert_int_equal(waitpid(tracer, NULL, 0), tracer);
	if (!traced)
		skip_because("a process may not trace another here (ptrace)");
	assert_true(end.stuck);
	assert_true(clock_now_ns() - began < 15 * SECOND);
	assert_int_equal(waitpid(held, NULL, 0), held);
}

/* Last: the flag stays. */
static void an_interrupt_is_told_once(void **state)
{
	const char *line;
	child *c = start_shell("echo a; sleep 0.3; echo b", NULL);

	(void)state;
	interrupt_install();
	assert_false(interrupt_pending());
	expect_line(c, "a");
	raise(SIGINT);
	assert_true(interrupt_pending());
	assert_int_equal(next(c, 10, &line), EH_E_INTERRUPTED);
	expect_line(c, "b");
	expect_end(c, "", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_one_by_one),
		cmocka_unit_test(input_arrives_whole),
		cmocka_unit_test(lines_are_answered_in_turn),
		cmocka_unit_test(a_dead_child_hears_nothing),
		cmocka_unit_test(a_deadline_holds),
		cmocka_unit_test(a_crash_is_told),
		cmocka_unit_test(a_grandchild_does_not_keep_the_pipe_open),
		cmocka_unit_test(a_flood_on_stderr_keeps_its_end),
		cmocka_unit_test(a_line_without_end_is_refused),
		cmocka_unit_test(a_long_line_is_taken),
		cmocka_unit_test(what_does_not_start_says_why),
		cmocka_unit_test(a_signal_reaches_the_group),
		cmocka_unit_test(signals_of_the_parent_do_not_reach_it_blocked),
		cmocka_unit_test(an_exit_status_is_kept_with_sigchld_ignored),
		cmocka_unit_test(it_inherits_three_descriptors),
		cmocka_unit_test(an_older_kernel_closes_them_too),
		cmocka_unit_test(a_daemon_is_named_and_ended),
		cmocka_unit_test(a_child_keeps_its_daemon_while_another_ends),
		cmocka_unit_test(who_is_about_to_end_is_no_survivor),
		cmocka_unit_test(other_groups_of_its_session_end_with_it),
		cmocka_unit_test(what_does_not_die_is_given_up),
		cmocka_unit_test(an_interrupt_is_told_once),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
