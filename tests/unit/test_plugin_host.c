/* SPDX-License-Identifier: Apache-2.0 */
/* The table lent to backends, the order of the plugin folders, and whose files are trusted. */
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
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

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "base/trust.h"
#include "plugin/cachekey.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "skipping.h"

/* The accounts and the group of the machine that the test is on (tests/module.mk: --wrap). */
static struct { struct passwd accounts[2]; size_t count, next; struct group *group; } machine;

struct passwd *__wrap_getpwuid(uid_t uid);
struct passwd *__wrap_getpwent(void);
void __wrap_setpwent(void);
void __wrap_endpwent(void);
struct group *__wrap_getgrgid(gid_t gid);

struct passwd *__wrap_getpwuid(uid_t uid)
{
	for (size_t i = 0; i < machine.count; i++)
		if (machine.accounts[i].pw_uid == uid)
			return &machine.accounts[i];
	return NULL;
}

struct passwd *__wrap_getpwent(void)
{
	return machine.next < machine.count ? &machine.accounts[machine.next++] : NULL;
}

void __wrap_setpwent(void)
{
	machine.next = 0;
}

void __wrap_endpwent(void)
{
	machine.next = 0;
}

struct group *__wrap_getgrgid(gid_t gid)
{
	return machine.group != NULL && machine.group->gr_gid == gid ? machine.group : NULL;
}

static void refuses_what_is_no_assignment(void **state)
{
	const char *const bad[] = { "", "=", "a=1", "a.=1", ".b=1", "A.b=1", "a.B=1", "a.b", "a b.c=1",
	                            "1a.b=1", "a.b=1\n2", "a-b.c=1", "a..b=1" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		eh_error error = ERROR_INIT;

		assert_int_equal(host_option_set(bad[i], &error), EH_E_USAGE);
		assert_true(error.message[0] != '\0');
	}
	assert_null(host_options()[0]);
}

static void the_last_assignment_of_a_key_counts(void **state)
{
	const eh_host *host = host_table("under_test");

	(void)state;
	assert_ptr_equal(host, host_table("under_test"));
	assert_ptr_not_equal(host, host_table("under_test2"));
	assert_null(host->option(host->ctx, "threads"));
	assert_int_equal(host_option_set("under_test.threads=4", NULL), EH_OK);
	assert_int_equal(host_option_set("under_test2.threads=9", NULL), EH_OK);
	assert_int_equal(host_option_set("under_test.threads=a=b.c", NULL), EH_OK);
	assert_int_equal(host_option_set("under_test.empty-key=", NULL), EH_OK);
	assert_string_equal(host->option(host->ctx, "threads"), "a=b.c");
	assert_string_equal(host->option(host->ctx, "empty-key"), "");
	assert_null(host->option(host->ctx, "thread"));
	assert_null(host->option(host->ctx, "threads="));
	assert_null(host->option(host->ctx, NULL));
	assert_string_equal(host_options()[0], "under_test.threads=4");
}

static void the_cache_is_private(void **state)
{
	char folder[] = "/tmp/evenhand-test-XXXXXX";
	const eh_host *host;
	const char *cache;
	struct stat info;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("EVENHAND_CACHE_DIR", folder, 1), 0);
	host = host_table("cached");
	cache = host->option(host->ctx, "cache-dir");
	assert_non_null(cache);
	assert_int_equal(stat(cache, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0700);
	assert_ptr_equal(cache, host->option(host->ctx, "cache-dir"));
	assert_int_equal(host_option_set("cached.cache-dir=none", NULL), EH_OK);
	assert_null(host->option(host->ctx, "cache-dir"));
	assert_non_null(host->option(host->ctx, "library-dir"));
	rmdir(cache);
	rmdir(folder);
}

/* The cache of another backend, whose name nobody has asked for. */
static const char *cache_of(const char *name)
{
	const eh_host *host = host_table(name);

	return host->option(host->ctx, "cache-dir");
}

static mode_t mode_of(const char *path)
{
	struct stat info;

	assert_int_equal(stat(path, &info), 0);
	return info.st_mode & 07777;
}

static void no_cache_lies_where_others_can_change_it(void **state)
{
	char folder[] = "/tmp/evenhand-test-XXXXXX", setting[200];
	char *victim, *planted, *opened, *inner;

	(void)state;
	assert_non_null(mkdtemp(folder));
	victim = path_join(folder, "victim");
	planted = path_join(folder, "planted");
	opened = path_join(folder, "opened");
	inner = path_join(folder, "opened/inner");
	assert_int_equal(setenv("EVENHAND_CACHE_DIR", folder, 1), 0);
	assert_int_equal(mkdir(victim, 0755), 0);
	assert_int_equal(mkdir(opened, 0700), 0);
	assert_int_equal(chmod(opened, 0777), 0);
	assert_null(cache_of("opened"));
	assert_int_equal(mode_of(opened), 0777);
	snprintf(setting, sizeof(setting), "given.cache-dir=%s", inner);
	assert_int_equal(host_option_set(setting, NULL), EH_OK);
	assert_null(cache_of("given"));
	/* A name that somebody else planted leads nowhere, and what it leads to stays as it is. */
	assert_int_equal(symlink("victim", planted), 0);
	if (geteuid() == 0) {
		assert_int_equal(chmod(folder, 01777), 0);
		assert_int_equal(lchown(planted, 65534, (gid_t)-1), 0);
		assert_null(cache_of("planted"));
		assert_int_equal(mode_of(victim), 0755);
		assert_int_equal(chmod(folder, 0700), 0);
		assert_int_equal(lchown(planted, 0, (gid_t)-1), 0);
	}
	snprintf(setting, sizeof(setting), "planted2.cache-dir=%s", planted);
	assert_int_equal(host_option_set(setting, NULL), EH_OK);
	assert_string_equal(cache_of("planted2"), victim);
	assert_int_equal(mode_of(victim), 0755);
	rmdir(inner);
	rmdir(opened);
	unlink(planted);
	rmdir(victim);
	rmdir(folder);
	free(inner);
	free(opened);
	free(planted);
	free(victim);
}

static void the_digest_is_sha256(void **state)
{
	const eh_host *host = host_table("digest");
	char hex[65];

	(void)state;
	host->sha256(host->ctx, "abc", 3, hex);
	assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_true(host->now_ns(host->ctx) <= host->now_ns(host->ctx));
}

static void folders_come_in_order_and_once(void **state)
{
	char **folders;
	size_t count = 0;

	(void)state;
	assert_int_equal(setenv("EVENHAND_BACKEND_PATH", "/tmp:/nowhere/x::/tmp/:/nowhere/x", 1), 0);
	folders = plugin_folders(PLUGIN_BACKEND);
	assert_string_equal(folders[0], "/tmp");
	assert_string_equal(folders[1], "/nowhere/x");
	while (folders[count] != NULL)
		count++;
	assert_in_range(count, 3, 4); /* the user's folder is missing where there is no home */
	assert_non_null(strstr(folders[count - 1], "backends"));
	plugin_folders_free(folders);
	assert_int_equal(unsetenv("EVENHAND_BACKEND_PATH"), 0);
}

static void a_miss_says_what_there_is(void **state)
{
	eh_error error = ERROR_INIT;

	(void)state;
	assert_null(plugin_find_workload(NULL, "no_such_workload", &error));
	assert_int_equal(error.code, EH_E_NOT_FOUND);
	assert_non_null(strstr(error.message, "no workload is called 'no_such_workload'"));
	assert_non_null(strstr(error.message, "looked in"));
}

/* A file that its group may write is used only if that group is surely the owner's own. */
static void a_group_may_write_when_it_is_the_owners_own(void **state)
{
	static char alice[] = "alice", bob[] = "bob", users[] = "users";
	enum { OTHER_GID = 54321 };
	char *nobody_else[] = { NULL }, *herself[] = { alice, NULL }, *both[] = { alice, bob, NULL };
	const struct { const char *what; char *group, **members; bool primary, shared, good; } cases[] = {
		{ "a private group", alice, nobody_else, true, false, true },
		{ "a group that lists its owner", alice, herself, true, false, true },
		{ "a group that lists another", alice, both, true, false, false },
		{ "another's primary group", alice, nobody_else, true, true, false },
		{ "everybody's primary group", users, nobody_else, true, false, false },
		{ "a group of the owner's name that is not primary", alice, nobody_else, false, false, false },
		{ "a group nobody knows", NULL, nobody_else, true, false, false },
	};
	char folder[] = "/tmp/evenhand-test-XXXXXX";
	gid_t gid = getegid();
	char *path;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = memory_format("%s/x.so", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	if (geteuid() == 0) { /* root's own group may always write */
		gid = 12345;
		assert_int_equal(fchown(fd, (uid_t)-1, gid), 0);
	}
	if (gid == 0) {
		close(fd);
		unlink(path);
		rmdir(folder);
		skip_because("the group of this user is root's, which may always write");
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct group group = { .gr_name = cases[i].group, .gr_gid = gid, .gr_mem = cases[i].members };
		eh_error error = ERROR_INIT;
		eh_status status;

		machine.accounts[0] = (struct passwd){ .pw_name = alice, .pw_uid = geteuid(),
			                               .pw_gid = cases[i].primary ? gid : OTHER_GID };
		machine.accounts[1] = (struct passwd){ .pw_name = bob, .pw_uid = geteuid() + 1,
			                               .pw_gid = cases[i].shared ? gid : OTHER_GID };
		machine.count = 2;
		machine.group = cases[i].group != NULL ? &group : NULL;
		assert_int_equal(fchmod(fd, 0664), 0);
		status = trust_open(path, TRUST_FILE, NULL, NULL, &error);
		if ((status == EH_OK) != cases[i].good)
			fail_msg("%s: %s", cases[i].what, error.message);
		if (!cases[i].good) {
			assert_int_equal(status, EH_E_UNAVAILABLE);
			assert_non_null(strstr(error.message, "run chmod go-w on it"));
			assert_int_equal(fchmod(fd, 0644), 0);
			assert_int_equal(trust_open(path, TRUST_FILE, NULL, NULL, &error), EH_OK);
		}
		assert_int_equal(fchmod(fd, 0666), 0);
		assert_int_equal(trust_open(path, TRUST_FILE, NULL, NULL, &error), EH_E_UNAVAILABLE);
	}
	machine.group = NULL;
	machine.count = 0;
	close(fd);
	unlink(path);
	rmdir(folder);
	free(path);
}

/* ---- caches of compiled kernels -------------------------------------------------------------- */

static void cache_folders(void **state)
{
	static const char *const plain[] = { "HOME=/x", "POCL_CACHE_DIR=/x", "CUDA_HOME=/y", NULL };
	static const char *const a[] = { "LP_NATIVE_VECTOR_WIDTH=128", "POCL_X=1", NULL };
	static const char *const same[] = { "POCL_X=1", "HOME=/x", "LP_NATIVE_VECTOR_WIDTH=128", NULL };
	static const char *const b[] = { "LP_NATIVE_VECTOR_WIDTH=256", "POCL_X=1", NULL };
	char *x = cachekey_folder(a), *y = cachekey_folder(same), *z = cachekey_folder(b);

	(void)state;
	assert_null(cachekey_folder(plain));
	assert_string_equal(x, y);
	assert_string_not_equal(x, z);
	assert_int_equal(strncmp(x, "settings-", 9), 0);
	free(z);
	free(y);
	free(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_what_is_no_assignment),
		cmocka_unit_test(the_last_assignment_of_a_key_counts),
		cmocka_unit_test(the_cache_is_private),
		cmocka_unit_test(no_cache_lies_where_others_can_change_it),
		cmocka_unit_test(the_digest_is_sha256),
		cmocka_unit_test(folders_come_in_order_and_once),
		cmocka_unit_test(a_miss_says_what_there_is),
		cmocka_unit_test(a_group_may_write_when_it_is_the_owners_own),
		cmocka_unit_test(cache_folders),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
