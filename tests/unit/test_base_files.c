/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/fresh.h"
#include "base/paths.h"
#include "base/spill.h"
#include "base/text.h"
#include "skipping.h"

/* Newer machines have no unlink. */
#ifdef SYS_unlink
#define CALL_UNLINK SYS_unlink
#else
#define CALL_UNLINK SYS_unlinkat
#endif

static char folder[] = "/tmp/evenhand-test-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
	char *command = memory_format("rm -rf '%s'", folder);
	int rc = system(command);

	(void)state;
	free(command);
	return rc;
}

static char *in_folder(const char *name)
{
	return path_join(folder, name);
}

static void expect_content(const char *path, const char *content)
{
	eh_error error = ERROR_INIT;
	char *data;
	size_t size;

	assert_int_equal(file_read(path, &data, &size, &error), EH_OK);
	assert_int_equal(size, strlen(content));
	assert_string_equal(data, content);
	free(data);
}

static void a_file_is_replaced_whole(void **state)
{
	eh_error error = ERROR_INIT;
	char *path = in_folder("f");
	file_writer *w;
	char **names;

	(void)state;
	assert_int_equal(file_write(path, "one", 3, &error), EH_OK);
	expect_content(path, "one");
	assert_int_equal(file_writer_open(path, &w, &error), EH_OK);
	assert_int_equal(file_writer_add(w, "tw", 2, &error), EH_OK);
	expect_content(path, "one");
	assert_int_equal(file_writer_add(w, "o", 1, &error), EH_OK);
	assert_int_equal(file_writer_commit(w, &error), EH_OK);
	expect_content(path, "two");
	assert_int_equal(file_writer_open(path, &w, &error), EH_OK);
	assert_int_equal(file_writer_add(w, "three", 5, &error), EH_OK);
	file_writer_abandon(w);
	file_writer_abandon(NULL);
	expect_content(path, "two");
	names = dir_list(folder, "", NULL);
	assert_string_equal(names[0], "f");
	assert_null(names[1]);
	dir_list_free(names);
	unlink(path);
	free(path);
}

static void what_cannot_be_written_leaves_nothing(void **state)
{
	eh_error error = ERROR_INIT;
	struct rlimit none, before;
	char *path = in_folder("g"), *missing = in_folder("no/such/f");
	char big[4096] = { 1 };
	char **names;

	(void)state;
	assert_int_equal(file_write(path, "old", 3, &error), EH_OK);
	/* A full disk, as far as a process can make one for itself. */
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = before;
	none.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(file_write(path, big, sizeof(big), &error), EH_E_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(error.message, "cannot write"));
	assert_non_null(strstr(error.message, path));
	assert_null(strstr(error.message, "tmp-"));
	expect_content(path, "old");
	names = dir_list(folder, "", NULL);
	assert_string_equal(names[0], "g");
	assert_null(names[1]);
	dir_list_free(names);
	assert_int_equal(file_write(missing, "x", 1, &error), EH_E_IO);
	assert_int_equal(file_write(folder, "x", 1, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "a folder"));
	unlink(path);
	free(missing);
	free(path);
}

/* ---- in a folder where somebody hostile makes names -------------------------------------------- */

#define LEFT ".evenhand-0123456789abcdef"

static void put(const char *path, const char *content, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void planted_links_are_not_written_through(void **state)
{
	eh_error error = ERROR_INIT;
	char *canary = in_folder("canary"), *path = in_folder("out"), *guess;
	struct stat info;

	(void)state;
	guess = memory_format("%s.tmp-%ld", path, (long)getpid());
	put(canary, "alive", 0600);
	assert_int_equal(symlink(canary, path), 0);
	assert_int_equal(symlink(canary, guess), 0);
	assert_int_equal(file_write(path, "new", 3, &error), EH_OK);
	expect_content(path, "new");
	expect_content(canary, "alive");
	assert_int_equal(lstat(path, &info), 0);
	assert_true(S_ISREG(info.st_mode));
	unlink(path);
	/* One that leads nowhere is replaced too; one to a device is not. */
	assert_int_equal(symlink("nowhere", path), 0);
	assert_int_equal(file_write(path, "new", 3, &error), EH_OK);
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(file_write(path, "new", 3, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "not a regular file"));
	unlink(path);
	unlink(guess);
	unlink(canary);
	free(guess);
	free(path);
	free(canary);
}

static void a_replaced_file_keeps_its_mode(void **state)
{
	eh_error error = ERROR_INIT;
	char *path = in_folder("closed");
	struct stat info;

	(void)state;
	put(path, "old", 0600);
	assert_int_equal(file_write(path, "new", 3, &error), EH_OK);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	unlink(path);
	free(path);
}

static void expect_there(const char *path, bool there)
{
	if (file_exists(path) != there)
		fail_msg("%s is %s", path, there ? "gone" : "still there");
}

static void what_a_killed_writer_left_is_removed(void **state)
{
	static const char *const strange[] = { ".evenhand-0123456789abcde", ".evenhand-0123456789abcdeg",
	                                       ".evenhand-", "evenhand-0123456789abcdef" };
	eh_error error = ERROR_INIT;
	char *left = in_folder(LEFT), *path = in_folder("h"), *target = in_folder("target");
	file_writer *w;

	(void)state;
	put(left, "half", 0600);
	for (size_t i = 0; i < 4; i++) {
		char *other = in_folder(strange[i]);

		put(other, "", 0600);
		free(other);
	}
	assert_int_equal(file_write(path, "", 0, &error), EH_OK);
	expect_there(left, false);
	for (size_t i = 0; i < 4; i++) {
		char *other = in_folder(strange[i]);

		expect_there(other, true);
		unlink(other);
		free(other);
	}
	/* A writer that is alive is not disturbed. */
	assert_int_equal(file_writer_open(path, &w, &error), EH_OK);
	assert_int_equal(file_write(target, "", 0, &error), EH_OK);
	assert_int_equal(file_writer_add(w, "whole", 5, &error), EH_OK);
	assert_int_equal(file_writer_commit(w, &error), EH_OK);
	expect_content(path, "whole");
	/* What is no regular file, or another user's, is none of ours. */
	assert_int_equal(symlink(target, left), 0);
	assert_int_equal(file_write(path, "", 0, &error), EH_OK);
	expect_there(left, true);
	expect_there(target, true);
	unlink(left);
	if (geteuid() == 0) {
		put(left, "theirs", 0600);
		assert_int_equal(chown(left, 65534, (gid_t)-1), 0);
		assert_int_equal(file_write(path, "", 0, &error), EH_OK);
		expect_there(left, true);
		unlink(left);
	}
	unlink(target);
	unlink(path);
	free(target);
	free(path);
	free(left);
}

static void links_of_others_lead_nowhere(void **state)
{
	eh_error error = ERROR_INIT;
	char *inner = in_folder("inner"), *link = in_folder("way"), *path = in_folder("way/f");
	char *deep = in_folder("way/a/../b");

	(void)state;
	assert_int_equal(mkdir(inner, 0700), 0);
	assert_int_equal(symlink("inner", link), 0);
	assert_int_equal(file_write(path, "", 0, &error), EH_OK);
	assert_int_equal(dir_make(deep, &error), EH_OK);
	expect_there(path, true);
	unlink(path);
	if (geteuid() != 0)
		skip_because("only root can make another user's link");
	assert_int_equal(lchown(link, 65534, (gid_t)-1), 0);
	assert_int_equal(file_write(path, "", 0, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "way belongs to user 65534"));
	assert_int_equal(dir_make(deep, &error), EH_E_UNAVAILABLE);
	free(deep);
	free(path);
	free(link);
	free(inner);
}

static size_t count_names(const char *where)
{
	char **names = dir_list(where, "", NULL);
	size_t count = 0;

	while (names[count] != NULL)
		count++;
	dir_list_free(names);
	return count;
}

/* ---- folders that are made whole --------------------------------------------------------------- */

/* A file in the folder, and one in a folder in it. */
static void fill(int fd)
{
	int file = openat(fd, "file", O_WRONLY | O_CREAT | O_EXCL, 0666);

	assert_true(file >= 0);
	close(file);
	assert_int_equal(mkdirat(fd, "inner", 0777), 0);
	file = openat(fd, "inner/file", O_WRONLY | O_CREAT | O_EXCL, 0666);
	assert_true(file >= 0);
	close(file);
}

static size_t count_temporary(const char *where)
{
	char **names = dir_list(where, "", NULL);
	size_t count = 0;

	for (char **name = names; *name != NULL; name++)
		count += strncmp(*name, ".evenhand-", 10) == 0;
	dir_list_free(names);
	return count;
}

static void a_folder_is_made_whole(void **state)
{
	char *above = in_folder("above"), *path = in_folder("above/made"), *inner = in_folder("above/made/inner/file");
	eh_error error = ERROR_INIT;
	struct stat info;
	fresh f, again;

	(void)state;
	assert_int_equal(fresh_open_folder(&f, path, &error), EH_OK);
	expect_there(path, false);
	assert_int_equal(fstat(f.fd, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	fill(f.fd);
	/* Another writer leaves it alone. */
	assert_int_equal(fresh_open_folder(&again, path, &error), EH_OK);
	fill(again.fd);
	assert_int_equal(fresh_place(&f, false, &error), EH_OK);
	assert_int_equal(fstat(f.fd, &info), 0);
	assert_int_equal(info.st_mode & 0022, 0);
	assert_int_not_equal(info.st_mode & 0050, 0);
	close(f.fd);
	expect_there(inner, true);
	assert_int_equal(fresh_place(&again, false, &error), EH_E_USAGE);
	fresh_drop(&again);
	expect_there(inner, true);
	assert_int_equal(count_temporary(above), 0);
	free(inner);
	free(path);
	free(above);
}

/* The folders above it that were made for it go with it, unless somebody uses them. */
static void what_is_dropped_leaves_no_folder(void **state)
{
	char *there = in_folder("there"), *a = in_folder("there/a"), *b = in_folder("there/a/b");
	char *path = in_folder("there/a/b/c"), *used = in_folder("there/a/used"), *moved = in_folder("moved");
	char *bad = memory_format("%s/%0300d/d", b, 1);
	eh_error error = ERROR_INIT;
	fresh f;

	(void)state;
	assert_int_equal(mkdir(there, 0700), 0);
	assert_int_equal(fresh_open_folder(&f, path, &error), EH_OK);
	fill(f.fd);
	fresh_drop(&f);
	expect_there(a, false);
	expect_there(there, true);
	assert_int_equal(dir_make(bad, &error), EH_E_IO);
	expect_there(a, false);
	assert_int_equal(fresh_open_folder(&f, path, &error), EH_OK);
	assert_int_equal(file_write(used, "", 0, &error), EH_OK);
	fresh_drop(&f);
	expect_there(b, false);
	expect_there(used, true);
	/* Somebody exchanges one: nothing but what was made is removed. */
	assert_int_equal(fresh_open_folder(&f, path, &error), EH_OK);
	assert_int_equal(rename(b, moved), 0);
	assert_int_equal(mkdir(b, 0700), 0);
	fresh_drop(&f);
	expect_there(b, true);
	free(bad);
	free(moved);
	free(used);
	free(path);
	free(b);
	free(a);
	free(there);
}

/* Of a process that was killed. */
static void leave_folder(const char *path)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		fresh f;

		if (fresh_open_folder(&f, path, NULL) != EH_OK)
			_exit(1);
		fill(f.fd);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void a_folder_that_was_left_is_removed(void **state)
{
	char *above = in_folder("left"), *path = in_folder("left/made"), *file = in_folder("left/file");
	eh_error error = ERROR_INIT;

	(void)state;
	assert_int_equal(dir_make(above, &error), EH_OK);
	leave_folder(path);
	assert_int_equal(count_temporary(above), 1);
	assert_int_equal(file_write(file, "", 0, &error), EH_OK);
	assert_int_equal(count_temporary(above), 0);
	/* Where others can rename, the name does not say whose it is. */
	leave_folder(path);
	assert_int_equal(chmod(above, 0777), 0);
	assert_int_equal(file_write(file, "", 0, &error), EH_OK);
	assert_int_equal(count_temporary(above), 1);
	assert_int_equal(chmod(above, 01777), 0);
	assert_int_equal(file_write(file, "", 0, &error), EH_OK);
	assert_int_equal(count_temporary(above), 0);
	free(file);
	free(path);
	free(above);
}

/* As leave_folder, of what never gets a name. */
static void leave_temporary(const char *place, bool is_folder)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		fresh f;

		if (fresh_open_temporary(&f, place, is_folder, NULL) != EH_OK)
			_exit(1);
		if (is_folder)
			fill(f.fd);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void what_is_temporary_goes_with_its_process(void **state)
{
	char *above = in_folder("temporary"), *gone = in_folder("temporary/gone");
	eh_error error = ERROR_INIT;
	fresh own, next;

	(void)state;
	assert_int_equal(dir_make(above, &error), EH_OK);
	for (int is_folder = 0; is_folder < 2; is_folder++) {
		leave_temporary(above, is_folder);
		assert_int_equal(count_temporary(above), 1);
		assert_int_equal(fresh_open_temporary(&own, above, is_folder, &error), EH_OK);
		assert_int_equal(count_temporary(above), 1);
		expect_there(own.path, true);
		assert_int_equal(fresh_open_temporary(&next, above, !is_folder, &error), EH_OK);
		expect_there(own.path, true);
		fresh_drop(&next);
		fresh_drop(&own);
		assert_int_equal(count_temporary(above), 0);
	}
	/* Folders on the way are not made. */
	assert_int_equal(fresh_open_temporary(&own, gone, true, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "No such file or directory; set TMPDIR to another folder"));
	expect_there(gone, false);
	free(gone);
	free(above);
}

/* This process has no files without a name from now on, and may die of removing one. */
static bool take_nameless_away(bool dies)
{
	const unsigned nameless = O_TMPFILE & ~O_DIRECTORY;
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, nameless, 0, 4),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unlinkat, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CALL_UNLINK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, dies ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(steps) / sizeof(steps[0]), steps };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* The status of a process that spills there. */
static int spill_there(const char *place, bool dies)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		spill s = { 0 };

		setenv("TMPDIR", place, 1);
		if (!take_nameless_away(dies))
			_exit(77);
		_exit(spill_add(&s, "x", 1, NULL) == EH_OK && count_names(place) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* Where files cannot be made without a name, the name of one is removed by the next process after a kill. */
static void a_spill_that_had_a_name_is_removed(void **state)
{
	char *above = in_folder("spill");
	eh_error error = ERROR_INIT;
	int status;

	(void)state;
	assert_int_equal(dir_make(above, &error), EH_OK);
	status = spill_there(above, true);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip_because("a process may not filter its system calls here (seccomp)");
	assert_true(WIFSIGNALED(status));
	assert_int_equal(count_names(above), 1);
	assert_int_equal(spill_there(above, false), 0);
	assert_int_equal(count_names(above), 0);
	free(above);
}

/* Somebody who can rename takes the folder away, and puts a link to another folder of this user's in its
 * place. */
static void an_exchanged_folder_harms_nothing(void **state)
{
	char *victim = in_folder("victim"), *taken = in_folder("taken"), *path = in_folder("exchanged");
	char *canary = in_folder("victim/file"), *rest = in_folder("taken/file");
	eh_error error = ERROR_INIT;
	struct stat info;

	(void)state;
	assert_int_equal(mkdir(victim, 0700), 0);
	put(canary, "alive", 0600);
	for (int named = 0; named < 2; named++) {
		char *temporary;
		fresh f;

		assert_int_equal(fresh_open_folder(&f, path, &error), EH_OK);
		fill(f.fd);
		temporary = in_folder(f.temporary);
		assert_int_equal(rename(temporary, taken), 0);
		assert_int_equal(symlink(victim, temporary), 0);
		if (named)
			assert_int_equal(mkdir(path, 0700), 0);
		assert_int_equal(fresh_place(&f, false, &error), named ? EH_E_USAGE : EH_E_IO);
		assert_non_null(strstr(error.message, named ? "exists already" : "somebody else exchanges"));
		fresh_drop(&f);
		assert_int_equal(stat(victim, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0700);
		expect_content(canary, "alive");
		expect_there(rest, false);
		(void)remove(temporary);
		assert_int_equal(remove(path), 0);
		assert_int_equal(rmdir(taken), 0);
		free(temporary);
	}
	free(rest);
	free(canary);
	free(path);
	free(taken);
	free(victim);
}

enum { WRITERS = 8, ROUNDS = 100 };

/* All write one file and each one of its own, and clean up behind each other. */
static void many_write_at_once(void **state)
{
	char *path = in_folder("many");
	pid_t pids[WRITERS];

	(void)state;
	for (int i = 0; i < WRITERS; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			char *own = memory_format("%s-%d", path, i);
			eh_error error = ERROR_INIT;
			int bad = 0;

			for (int k = 0; k < ROUNDS && bad == 0; k++)
				bad = file_write(path, "same", 4, &error) != EH_OK ||
				      file_write(own, "same", 4, &error) != EH_OK;
			if (bad != 0)
				fprintf(stderr, "%s\n", error.message);
			_exit(bad);
		}
	}
	for (int i = 0; i < WRITERS; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	expect_content(path, "same");
	assert_int_equal(count_temporary(folder), 0);
	free(path);
}

static void only_regular_files_are_read(void **state)
{
	eh_error error = ERROR_INIT;
	char *fifo = in_folder("fifo"), *data, *huge = in_folder("huge");
	size_t size;

	(void)state;
	assert_int_equal(file_read("/no/such/file", &data, &size, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "'/no/such/file': No such file"));
	assert_int_equal(file_read(folder, &data, &size, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "is a folder"));
	assert_int_equal(file_read("/dev/zero", &data, &size, &error), EH_E_IO);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(file_read(fifo, &data, &size, &error), EH_E_IO);
	assert_int_equal(file_write(huge, "", 0, &error), EH_OK);
	assert_int_equal(truncate(huge, ((off_t)1 << 30) + 1), 0);
	assert_int_equal(file_read(huge, &data, &size, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "1 GiB"));
	unlink(huge);
	unlink(fifo);
	free(huge);
	free(fifo);
	/* A file that says it is empty and is not. */
	assert_int_equal(file_read("/proc/self/status", &data, &size, &error), EH_OK);
	assert_true(size > 100);
	free(data);
}

/* A writer waits for somebody who opens the FIFO to read: nobody does, not to look at it either. */
static void what_is_no_file_is_not_opened(void **state)
{
	char *fifo = in_folder("waited"), *link = in_folder("to-waited"), *data, hex[65];
	eh_error error = ERROR_INIT;
	size_t size;
	pid_t child;
	int lock = -1;

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink("waited", link), 0);
	child = fork();
	if (child == 0) {
		int fd = open(fifo, O_WRONLY | O_CLOEXEC);

		_exit(fd >= 0);
	}
	clock_sleep_ns(50000000);
	assert_int_equal(file_read(link, &data, &size, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "not a regular file"));
	assert_int_equal(digest_file(link, hex, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "not a regular file"));
	assert_int_equal(file_lock_take(link, 0, &lock, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "not a regular file"));
	clock_sleep_ns(50000000);
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	unlink(link);
	unlink(fifo);
	free(link);
	free(fifo);
}

static void folders_are_made_and_listed(void **state)
{
	static const char *const files[] = { "b.ini", "a.ini", "c.txt", "a.ini.tmp-1" };
	eh_error error = ERROR_INIT;
	char *deep = in_folder("x/y/z"), *below_file, **names;

	(void)state;
	assert_int_equal(dir_make(deep, &error), EH_OK);
	assert_int_equal(dir_make(deep, &error), EH_OK);
	for (size_t i = 0; i < 4; i++) {
		char *path = path_join(deep, files[i]);

		assert_int_equal(file_write(path, "", 0, &error), EH_OK);
		assert_true(file_exists(path));
		free(path);
	}
	names = dir_list(deep, ".ini", &error);
	assert_string_equal(names[0], "a.ini");
	assert_string_equal(names[1], "b.ini");
	assert_null(names[2]);
	dir_list_free(names);
	names = dir_list("/no/such/folder", "", &error);
	assert_null(names[0]);
	dir_list_free(names);
	below_file = path_join(deep, "a.ini");
	assert_null(dir_list(below_file, "", &error));
	assert_int_equal(error.code, EH_E_IO);
	assert_non_null(strstr(error.message, "cannot open '"));
	assert_non_null(strstr(error.message, "Not a directory"));
	free(below_file);
	if (geteuid() != 0) {
		assert_int_equal(chmod(deep, 0), 0);
		assert_null(dir_list(deep, "", &error));
		assert_non_null(strstr(error.message, "Permission denied"));
		assert_int_equal(chmod(deep, 0700), 0);
	}
	below_file = path_join(deep, "a.ini/q");
	assert_int_equal(dir_make(below_file, &error), EH_E_IO);
	assert_int_equal(dir_make("/proc/no-such-folder", &error), EH_E_IO);
	assert_false(file_exists("/no/such"));
	free(below_file);
	free(deep);
}

static void a_file_has_a_digest(void **state)
{
	eh_error error = ERROR_INIT;
	char *path = in_folder("d");
	char hex[65];

	(void)state;
	assert_int_equal(file_write(path, "abc", 3, &error), EH_OK);
	assert_int_equal(digest_file(path, hex, &error), EH_OK);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	unlink(path);
	assert_int_equal(digest_file(path, hex, &error), EH_E_IO);
	assert_int_equal(digest_file(folder, hex, &error), EH_E_IO);
	free(path);
}

static void expect_path(char *got, const char *want)
{
	if (want == NULL)
		assert_null(got);
	else
		assert_string_equal(got, want);
	free(got);
}

static void paths_follow_the_environment(void **state)
{
	char *program = paths_program();

	(void)state;
	assert_int_equal(program[0], '/');
	assert_true(file_exists(program));
	free(program);
	setenv("HOME", "/h", 1);
	unsetenv("XDG_DATA_HOME");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("EVENHAND_CACHE_DIR");
	expect_path(paths_user_data("protocols"), "/h/.local/share/evenhand/protocols");
	expect_path(paths_cache("host"), "/h/.cache/evenhand/host");
	setenv("XDG_DATA_HOME", "/d", 1);
	setenv("XDG_CACHE_HOME", "relative", 1);
	expect_path(paths_user_data(""), "/d/evenhand");
	expect_path(paths_cache(""), "/h/.cache/evenhand");
	setenv("XDG_CACHE_HOME", "/c", 1);
	expect_path(paths_cache("x"), "/c/evenhand/x");
	setenv("EVENHAND_CACHE_DIR", "/e", 1);
	expect_path(paths_cache("x"), "/e/x");
	unsetenv("HOME");
	unsetenv("XDG_CACHE_HOME");
	unsetenv("EVENHAND_CACHE_DIR");
	expect_path(paths_cache("x"), NULL);
	unsetenv("XDG_DATA_HOME");
	expect_path(paths_user_data("protocols"), NULL);
	setenv("TMPDIR", "/t", 1);
	expect_path(paths_temporary(), "/t");
	setenv("TMPDIR", "relative", 1);
	expect_path(paths_temporary(), "/tmp");
	unsetenv("TMPDIR");
	expect_path(paths_temporary(), "/tmp");
}

static void clocks_tell_time(void **state)
{
	char out[24];
	uint64_t before = clock_now_ns();

	(void)state;
	clock_sleep_ns(2000000);
	assert_true(clock_now_ns() - before >= 1900000);
	assert_true(clock_epoch_sound());
	setenv("SOURCE_DATE_EPOCH", "abc", 1);
	assert_false(clock_epoch_sound());
	setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
	assert_true(clock_epoch_sound());
	clock_wall_text(out);
	assert_string_equal(out, "2023-11-14T22:13:20Z");
	setenv("SOURCE_DATE_EPOCH", "99999999999999999", 1);
	clock_wall_text(out);
	assert_int_equal(strlen(out), 20);
	unsetenv("SOURCE_DATE_EPOCH");
	clock_wall_text(out);
	assert_int_equal(strlen(out), 20);
	assert_string_not_equal(out, "2023-11-14T22:13:20Z");
}

static void times_of_day_are_read(void **state)
{
	static const struct { const char *s; int64_t seconds; } good[] = {
		{ "1970-01-01T00:00:00Z", 0 }, { "2023-11-14T22:13:20Z", 1700000000 }, { "2023-11-14T22", 1699999200 },
		{ "2026-03", 1772323200 }, { "2026", 1767225600 }, { "1969-12-31T23:59:59Z", -1 },
	};
	static const char *const bad[] = { "", "202", "2026-", "2026-1", "2026-13", "2026-02-30", "2026-03-01T", "yesterday",
		                           "2026-03-01T00:00:00Zx", "<b>2" };
	int64_t seconds;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_true(clock_wall_seconds(good[i].s, &seconds));
		assert_int_equal(seconds, good[i].seconds);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(clock_wall_seconds(bad[i], &seconds));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_whole),
		cmocka_unit_test(what_cannot_be_written_leaves_nothing),
		cmocka_unit_test(planted_links_are_not_written_through),
		cmocka_unit_test(a_replaced_file_keeps_its_mode),
		cmocka_unit_test(what_a_killed_writer_left_is_removed),
		cmocka_unit_test(links_of_others_lead_nowhere),
		cmocka_unit_test(only_regular_files_are_read),
		cmocka_unit_test(what_is_no_file_is_not_opened),
		cmocka_unit_test(folders_are_made_and_listed),
		cmocka_unit_test(a_folder_is_made_whole),
		cmocka_unit_test(what_is_dropped_leaves_no_folder),
		cmocka_unit_test(a_folder_that_was_left_is_removed),
		cmocka_unit_test(what_is_temporary_goes_with_its_process),
		cmocka_unit_test(a_spill_that_had_a_name_is_removed),
		cmocka_unit_test(an_exchanged_folder_harms_nothing),
		cmocka_unit_test(many_write_at_once),
		cmocka_unit_test(a_file_has_a_digest),
		cmocka_unit_test(paths_follow_the_environment),
		cmocka_unit_test(clocks_tell_time),
		cmocka_unit_test(times_of_day_are_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
