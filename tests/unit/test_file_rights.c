/* SPDX-License-Identifier: Apache-2.0 */
/* Who may read a file that is written: mode, group and ACL, of new files and of those that are replaced. */
#include <errno.h>
#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/text.h"
#include "skipping.h"

#define OF_FILE "system.posix_acl_access"
#define OF_FOLDER "system.posix_acl_default"

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

/* Version 2; an entry has tag, rights and id: the owner reads and writes, user 65534 reads, the owner's group
 * and others do not; the mask lets reading pass. */
static const unsigned char named[] = {
	2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 254, 255, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255,
	16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255
};

static void need_acls(void)
{
	char *path = in_folder("probe");
	bool can;

	assert_int_equal(file_write(path, "x", 1, NULL), EH_OK);
	can = setxattr(path, OF_FILE, named, sizeof(named), 0) == 0;
	(void)unlink(path);
	free(path);
	if (!can)
		skip_because("the file system of /tmp has no ACLs");
}

static bool has_named(const char *path)
{
	unsigned char found[256];

	return getxattr(path, OF_FILE, found, sizeof(found)) == (ssize_t)sizeof(named) &&
	       memcmp(found, named, sizeof(named)) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	return info.st_mode & 0777;
}

/* Writes path as one that takes over from `from`, with at most that mode. */
static eh_status write_over(const char *path, const char *from, mode_t most, bool replaces, eh_error *error)
{
	file_writer *w;
	struct stat info;
	const int fd = open(from, O_RDONLY | O_CLOEXEC);
	eh_status status = file_writer_open(path, &w, error);

	if (status != EH_OK || fd < 0 || fstat(fd, &info) != 0)
		return EH_E_INTERNAL;
	info.st_mode &= most | ~(mode_t)0777;
	status = replaces ? file_writer_keep(w, fd, &info, error) : file_writer_like(w, fd, &info, error);
	close(fd);
	if (status == EH_OK)
		return file_writer_commit(w, error);
	file_writer_abandon(w);
	return status;
}

/* The bits of the group are the mask of an ACL: taken alone they would open the file to the group. */
static void an_acl_is_kept(void **state)
{
	char *path = in_folder("kept"), *beside = in_folder("beside");
	eh_error error = ERROR_INIT;

	(void)state;
	need_acls();
	assert_int_equal(file_write(path, "x", 1, &error), EH_OK);
	assert_int_equal(setxattr(path, OF_FILE, named, sizeof(named), 0), 0);
	assert_int_equal(mode_of(path), 0640);
	assert_int_equal(file_write(path, "y", 1, &error), EH_OK);
	assert_true(has_named(path));
	assert_int_equal(write_over(path, path, 0777, true, &error), EH_OK);
	assert_true(has_named(path));
	assert_int_equal(write_over(beside, path, 0777, false, &error), EH_OK);
	assert_true(has_named(beside));
	/* A smaller mode closes it to those whom the ACL names, too. */
	assert_int_equal(write_over(beside, path, 0600, true, &error), EH_OK);
	assert_int_equal(mode_of(beside), 0600);
	assert_false(has_named(beside));
	free(beside);
	free(path);
}

/* The ACL that a folder gives to new files does not open one that replaces a file without any. */
static void no_acl_is_kept_too(void **state)
{
	char *place = in_folder("default"), *path = in_folder("default/f"), *first = in_folder("plain");
	eh_error error = ERROR_INIT;

	(void)state;
	need_acls();
	assert_int_equal(mkdir(place, 0755), 0);
	assert_int_equal(file_write(first, "x", 1, &error), EH_OK);
	assert_int_equal(chmod(first, 0640), 0);
	assert_int_equal(rename(first, path), 0);
	assert_int_equal(setxattr(place, OF_FOLDER, named, sizeof(named), 0), 0);
	assert_int_equal(file_write(path, "y", 1, &error), EH_OK);
	assert_int_equal(mode_of(path), 0640);
	assert_true(getxattr(path, OF_FILE, NULL, 0) < 0 && errno == ENODATA);
	assert_int_equal(write_over(path, path, 0777, true, &error), EH_OK);
	assert_int_equal(mode_of(path), 0640);
	assert_true(getxattr(path, OF_FILE, NULL, 0) < 0 && errno == ENODATA);
	free(first);
	free(path);
	free(place);
}

/* The rights of a file that is made in a folder with a default ACL: the system's, not the umask's. */
static void a_default_acl_decides(void **state)
{
	/* Version 2; an entry has tag, rights and id: the owner reads and writes, its group reads, others do not. */
	static const unsigned char acl[] = {
		2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 4, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255
	};
	char *place = in_folder("acl"), *path = in_folder("acl/f");
	eh_error error = ERROR_INIT;
	mode_t mask = umask(022);
	struct stat info;

	(void)state;
	assert_int_equal(mkdir(place, 0755), 0);
	if (setxattr(place, OF_FOLDER, acl, sizeof(acl), 0) == 0) {
		assert_int_equal(file_write(path, "x", 1, &error), EH_OK);
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0640);
		assert_int_equal(chmod(path, 0600), 0);
		assert_int_equal(file_write(path, "y", 1, &error), EH_OK);
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0600);
	} else {
		print_message("# no ACLs here: %s\n", strerror(errno));
	}
	(void)umask(mask);
	free(path);
	free(place);
}

/* Whether another user may. */
static bool as_nobody(const char *path, const char *from, bool replaces)
{
	const pid_t child = fork();
	eh_error error = ERROR_INIT;
	int ended = 0;

	if (child == 0) {
		if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0)
			_exit(100);
		_exit((int)(write_over(path, from, 0777, replaces, &error) == EH_OK));
	}
	assert_int_equal(waitpid(child, &ended, 0), child);
	assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) != 100);
	return WEXITSTATUS(ended) == 1;
}

/* The mode of what that user writes beside a file of his, and whether he may replace it. */
static void expect_mode(mode_t mode, bool acl, mode_t beside, bool may_replace)
{
	char *path = in_folder("grouped"), *to = in_folder("of-another");

	(void)unlink(path);
	(void)unlink(to);
	assert_int_equal(file_write(path, "x", 1, NULL), EH_OK);
	assert_int_equal(chmod(path, mode), 0);
	if (acl)
		assert_int_equal(setxattr(path, OF_FILE, named, sizeof(named), 0), 0);
	assert_int_equal(chown(path, 65534, 1234), 0);
	assert_true(as_nobody(to, path, false));
	assert_int_equal(mode_of(to), beside);
	(void)unlink(to);
	assert_int_equal(as_nobody(path, path, true), may_replace);
	free(to);
	free(path);
}

/* A file of a group that this user cannot give: its members are others then, and nobody loses or gets it. */
static void a_group_that_cannot_be_given(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip_because("only root can become another user");
	assert_int_equal(chmod(folder, 0777), 0);
	expect_mode(0640, false, 0600, false);
	expect_mode(0604, false, 0600, false);
	expect_mode(0644, false, 0644, true);
	expect_mode(0664, false, 0644, true);
	expect_mode(0600, false, 0600, true);
}

static void an_acl_whose_group_cannot_be_given(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip_because("only root can become another user");
	need_acls();
	assert_int_equal(chmod(folder, 0777), 0);
	expect_mode(0640, true, 0600, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_default_acl_decides),
		cmocka_unit_test(an_acl_is_kept),
		cmocka_unit_test(no_acl_is_kept_too),
		cmocka_unit_test(a_group_that_cannot_be_given),
		cmocka_unit_test(an_acl_whose_group_cannot_be_given),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
