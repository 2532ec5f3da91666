/* SPDX-License-Identifier: Apache-2.0 */
/* Folders on file systems that give all of them one mode, as vfat and some mounts of CIFS and FUSE do, and
 * folders that somebody puts in the place of one that was just made. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/fresh.h"
#include "base/text.h"
#include "golden.h"

/* The mode that the file system gives to all folders; 0: it keeps modes. */
static mode_t fixed;
/* The name of what somebody puts in the place of each new folder; "": nothing. */
static char placed[64];
static unsigned changed_modes;

int __real_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_mkdirat(int folder, const char *name, mode_t mode);
int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);

int __wrap_mkdirat(int folder, const char *name, mode_t mode)
{
	if (__real_mkdirat(folder, name, mode) != 0)
		return -1;
	if (fixed != 0)
		assert_int_equal(fchmodat(folder, name, fixed, 0), 0);
	if (placed[0] != '\0') {
		assert_int_equal(unlinkat(folder, name, AT_REMOVEDIR), 0);
		assert_int_equal(renameat(folder, placed, folder, name), 0);
		snprintf(placed, sizeof(placed), "%s", name);
	}
	return 0;
}

int __wrap_fchmod(int fd, mode_t mode)
{
	changed_modes++;
	if (fixed == 0)
		return __real_fchmod(fd, mode);
	errno = EPERM;
	return -1;
}

static char *place(const char *name)
{
	char *folder = golden_scratch(name);

	assert_int_equal(mkdir(folder, 0755), 0);
	return folder;
}

static size_t entries_of(const char *folder)
{
	char **names = dir_list(folder, "", NULL);
	size_t count = 0;

	while (names[count] != NULL)
		count++;
	dir_list_free(names);
	return count;
}

static void a_mode_that_only_reads_will_do(void **state)
{
	static const mode_t modes[] = { 0755, 0700, 0555 };
	char *folder = place("reads"), *path = path_join(folder, "made");

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		eh_error error = ERROR_INIT;
		struct stat info;
		fresh f;

		fixed = modes[i];
		assert_int_equal(fresh_open_folder(&f, path, &error), EH_OK);
		assert_int_equal(fresh_place(&f, false, &error), EH_OK);
		fixed = 0;
		close(f.fd);
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_mode & 0777, modes[i]);
		assert_int_equal(rmdir(path), 0);
	}
	free(path);
	free(folder);
}

static void a_mode_that_others_write_with_will_not(void **state)
{
	static const mode_t modes[] = { 0777, 0775, 0757 };
	char *folder = place("writes"), *path = path_join(folder, "made");

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		eh_error error = ERROR_INIT;
		char *said = memory_format("the mode %04o", (unsigned)modes[i]);
		fresh f;

		fixed = modes[i];
		assert_int_equal(fresh_open_folder(&f, path, &error), EH_E_IO);
		fixed = 0;
		assert_non_null(strstr(error.message, path));
		assert_non_null(strstr(error.message, said));
		assert_non_null(strstr(error.message, "umask=022"));
		assert_int_equal(entries_of(folder), 0);
		free(said);
	}
	free(path);
	free(folder);
}

/* What somebody who can rename puts there: its mode is not changed, and nothing is put into it. */
static void expect_refused(mode_t mode, uid_t owner, bool empty, const char *words)
{
	char *folder = place(words), *path = path_join(folder, "made"), *mine = path_join(folder, "mine");
	char *file = path_join(mine, "file");
	eh_error error = ERROR_INIT;
	struct stat info;
	fresh f;
	int fd;

	assert_int_equal(mkdir(mine, 0700), 0);
	if (!empty)
		assert_int_equal(golden_put("alive", 5, file), EH_OK);
	fd = open(mine, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0 && fchown(fd, owner, (gid_t)-1) == 0 && __real_fchmod(fd, mode) == 0);
	snprintf(placed, sizeof(placed), "mine");
	changed_modes = 0;
	assert_int_equal(fresh_open_folder(&f, path, &error), EH_E_IO);
	assert_int_equal(changed_modes, 0);
	assert_non_null(strstr(error.message, "cannot make the folder"));
	assert_non_null(strstr(error.message, words));
	assert_int_equal(fstat(fd, &info), 0);
	assert_int_equal(info.st_mode & 0777, mode);
	assert_true(empty || faccessat(fd, "file", F_OK, 0) == 0);
	placed[0] = '\0';
	close(fd);
	free(file);
	free(mine);
	free(path);
	free(folder);
}

static void what_somebody_places_is_refused(void **state)
{
	(void)state;
	expect_refused(0700, geteuid(), false, "is not empty");
	expect_refused(0755, geteuid(), false, "not empty, or");
	expect_refused(0777, geteuid(), true, "the mode 0777");
	if (geteuid() == 0)
		expect_refused(0755, 65534, false, "another user's");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mode_that_only_reads_will_do),
		cmocka_unit_test(a_mode_that_others_write_with_will_not),
		cmocka_unit_test(what_somebody_places_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
