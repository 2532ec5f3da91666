/* SPDX-License-Identifier: Apache-2.0 */
/* What may be relied upon, and that what is read is what was checked. */
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "base/trust.h"
#include "skipping.h"

enum { STRANGER = 65534, RACE_MS = 1500 };

static char folder[] = "/tmp/evenhand-test-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	umask(022);
	return mkdtemp(folder) == NULL || chmod(folder, 0755) != 0;
}

static int remove_folder(void **state)
{
	char *command = memory_format("rm -rf '%s'", folder);
	int rc = system(command);

	(void)state;
	free(command);
	return rc;
}

static char *put(const char *name, const char *content, mode_t mode)
{
	char *path = path_join(folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), (ssize_t)strlen(content));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
	return path;
}

static char *put_folder(const char *name, mode_t mode)
{
	char *path = path_join(folder, name);

	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void a_secret_is_read_by_its_owner_only(void **state)
{
	static const mode_t open_modes[] = { 0640, 0604, 0620, 0610, 0644 };
	char *path = put("secret", "word", 0600), *data;
	eh_error error = ERROR_INIT;
	size_t size;

	(void)state;
	assert_int_equal(trust_read(path, TRUST_SECRET, &data, &size, NULL, &error), EH_OK);
	assert_string_equal(data, "word");
	free(data);
	for (size_t i = 0; i < sizeof(open_modes) / sizeof(open_modes[0]); i++) {
		assert_int_equal(chmod(path, open_modes[i]), 0);
		assert_int_equal(trust_read(path, TRUST_SECRET, &data, &size, NULL, &error),
		                 EH_E_UNAVAILABLE);
		assert_non_null(strstr(error.message, "chmod 600 it"));
	}
	assert_int_equal(trust_open(path, TRUST_FILE, NULL, NULL, &error), EH_OK);
	free(path);
}

static void what_is_checked_is_what_is_handed_back(void **state)
{
	char *file = put("plain", "text", 0644), *inner = put_folder("inner", 0755);
	char *link = path_join(folder, "link"), *way = path_join(folder, "inner/.././link"), *real, *data;
	eh_error error = ERROR_INIT;
	struct stat wanted, got;
	size_t size;
	int fd;

	(void)state;
	assert_int_equal(symlink("inner/../plain", link), 0);
	assert_int_equal(trust_open(way, TRUST_FILE, &fd, &real, &error), EH_OK);
	assert_int_equal(stat(file, &wanted), 0);
	assert_int_equal(fstat(fd, &got), 0);
	assert_true(wanted.st_ino == got.st_ino && wanted.st_dev == got.st_dev);
	assert_string_equal(real, file);
	close(fd);
	free(real);
	assert_int_equal(trust_read(way, TRUST_FILE, &data, &size, &real, &error), EH_OK);
	assert_string_equal(data, "text");
	free(data);
	free(real);
	assert_int_equal(trust_open(inner, TRUST_FOLDER, &fd, NULL, &error), EH_OK);
	assert_int_equal(stat(inner, &wanted), 0);
	assert_int_equal(fstat(fd, &got), 0);
	assert_true(wanted.st_ino == got.st_ino);
	close(fd);
	free(way);
	free(link);
	free(inner);
	free(file);
}

static void what_is_something_else_is_refused(void **state)
{
	char *file = put("file", "", 0644), *pipe = path_join(folder, "pipe"), *sticky = put_folder("shared", 01777);
	char *below = path_join(folder, "file/x"), *missing = path_join(folder, "missing");
	eh_error error = ERROR_INIT;
	int fd;

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(trust_open(pipe, TRUST_FILE, &fd, NULL, &error), EH_E_INCOMPATIBLE);
	assert_int_equal(trust_open(folder, TRUST_FILE, &fd, NULL, &error), EH_E_INCOMPATIBLE);
	assert_int_equal(trust_open("/dev/null", TRUST_FILE, &fd, NULL, &error), EH_E_INCOMPATIBLE);
	assert_int_equal(trust_open(file, TRUST_FOLDER, &fd, NULL, &error), EH_E_UNAVAILABLE);
	assert_int_equal(trust_open(sticky, TRUST_FOLDER, &fd, NULL, &error), EH_E_UNAVAILABLE);
	assert_int_equal(trust_open(below, TRUST_FILE, &fd, NULL, &error), EH_E_IO);
	assert_int_equal(trust_open(missing, TRUST_FILE, &fd, NULL, &error), EH_E_IO);
	assert_non_null(strstr(error.message, "No such file"));
	free(missing);
	free(below);
	free(sticky);
	free(pipe);
	free(file);
}

/* ---- somebody who exchanges files all the time ----------------------------------------------- */

/* Never returns.  In the open folder the stranger may exchange what is root's; in the sticky one they
 * have a link, and try to put theirs in the place of root's. */
__attribute__((noreturn))
static void exchange(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chdir(folder) != 0 || setgroups(0, NULL) != 0 || setgid(STRANGER) != 0 ||
	    setuid(STRANGER) != 0)
		_exit(1);
	for (unsigned i = 0;; i++) {
		(void)renameat2(AT_FDCWD, "open/good", AT_FDCWD, "open/evil", RENAME_EXCHANGE);
		(void)renameat2(AT_FDCWD, "open/x", AT_FDCWD, "open/y", RENAME_EXCHANGE);
		(void)symlink(i % 2 == 0 ? "../good" : "../evil", "sticky/new");
		(void)rename("sticky/new", "sticky/link");
		(void)renameat2(AT_FDCWD, "sticky/good", AT_FDCWD, "evil", RENAME_EXCHANGE);
		(void)renameat2(AT_FDCWD, "sticky/good", AT_FDCWD, "sticky/link", RENAME_EXCHANGE);
		(void)rename("sticky/theirs", "sticky/good/x");
	}
}

/* *good counts how often the file was handed out; its content is never the stranger's. */
static void try(const char *name, size_t *good)
{
	char *path = path_join(folder, name), *data;
	eh_error error = ERROR_INIT;
	size_t size;

	if (trust_read(path, TRUST_FILE, &data, &size, NULL, &error) == EH_OK) {
		assert_string_equal(data, "good");
		free(data);
		(*good)++;
	}
	free(path);
}

static void give_away(const char *name)
{
	char *path = path_join(folder, name);

	assert_int_equal(lchown(path, STRANGER, STRANGER), 0);
	free(path);
}

static void nobody_exchanges_what_is_checked(void **state)
{
	static const char *const folders[] = { "open", "sticky", "open/good", "open/evil", "sticky/good",
	                                       "good", "evil" };
	static const char *const good[] = { "open/good/x", "open/x", "good/x", "sticky/good/x" };
	static const char *const evil[] = { "open/evil/x", "open/y", "evil/x", "sticky/theirs",
	                                    "open/evil", "evil" };
	size_t refused = 0, given = 0;
	uint64_t end;
	pid_t pid;

	(void)state;
	if (geteuid() != 0)
		skip_because("only root can be two users");
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		free(put_folder(folders[i], i == 0 ? 0777 : i == 1 ? 01777 : 0755));
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		free(put(good[i], "good", 0644));
	for (size_t i = 0; i < sizeof(evil) / sizeof(evil[0]); i++) {
		if (i < 4)
			free(put(evil[i], "evil", 0644));
		give_away(evil[i]);
	}
	pid = fork();
	if (pid == 0)
		exchange();
	end = clock_now_ns() + (uint64_t)RACE_MS * 1000000;
	while (clock_now_ns() < end) {
		size_t never = 0;

		try("open/good/x", &never);
		try("open/x", &never);
		try("sticky/link/x", &never);
		try("sticky/good/../link/x", &never);
		assert_int_equal(never, 0);
		refused += 4;
		try("sticky/good/x", &given);
	}
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	printf("# refused %zu times, handed out %zu times\n", refused, given);
	assert_int_equal(given, refused / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_secret_is_read_by_its_owner_only),
		cmocka_unit_test(what_is_checked_is_what_is_handed_back),
		cmocka_unit_test(what_is_something_else_is_refused),
		cmocka_unit_test(nobody_exchanges_what_is_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
