/* SPDX-License-Identifier: Apache-2.0 */
/* What is available to a process, from trees of both versions of control groups, and what happens to one
 * that takes more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/files.h"
#include "base/memory_bound.h"
#include "base/text.h"
#include "golden.h"
#include "skipping.h"

static void put(const char *root, const char *path, const char *content)
{
	char *full = path_join(root, path), *folder = memory_text(full);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(dir_make(folder, NULL), EH_OK);
	assert_int_equal(file_write(full, content, strlen(content), NULL), EH_OK);
	free(full);
	free(folder);
}

static void the_least_limit_counts(void **state)
{
	char *root = golden_scratch("two");

	(void)state;
	assert_true(memory_available("/nowhere") == UINT64_MAX);
	put(root, "proc/meminfo", "MemTotal:  9000 kB\nMemFree:  1 kB\nMemAvailable:   8000 kB\n");
	assert_int_equal(memory_available(root), 8000 * 1024);
	put(root, "proc/self/cgroup", "0::/jobs.slice/job.scope\n");
	put(root, "sys/fs/cgroup/jobs.slice/job.scope/memory.max", "max\n");
	assert_int_equal(memory_available(root), 8000 * 1024);
	put(root, "sys/fs/cgroup/jobs.slice/job.scope/memory.max", "3000000\n");
	assert_int_equal(memory_available(root), 3000000);
	put(root, "sys/fs/cgroup/jobs.slice/memory.max", "2000000\n");
	assert_int_equal(memory_available(root), 2000000);
	/* As a container sees its own group. */
	put(root, "sys/fs/cgroup/memory.max", "1000000\n");
	assert_int_equal(memory_available(root), 1000000);
	put(root, "proc/self/cgroup", "0::/\n");
	assert_int_equal(memory_available(root), 1000000);
	free(root);
}

static void version_one(void **state)
{
	char *root = golden_scratch("one");

	(void)state;
	put(root, "proc/meminfo", "MemAvailable: 8000 kB\n");
	put(root, "proc/self/cgroup", "9:cpu,cpuacct:/docker/x\n5:memory:/docker/x\n0::/docker/x\n");
	put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(memory_available(root), 8000 * 1024);
	put(root, "sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "4000000\n");
	assert_int_equal(memory_available(root), 4000000);
	free(root);
}

/* What a group has already is not there to be had, but for the cached files that the kernel gives back. */
static void what_is_used_is_taken_off(void **state)
{
	char *root = golden_scratch("used");

	(void)state;
	put(root, "proc/self/cgroup", "0::/a/b\n");
	put(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
	put(root, "sys/fs/cgroup/a/b/memory.current", "900000\n");
	put(root, "sys/fs/cgroup/a/memory.max", "3000000\n");
	assert_int_equal(memory_available(root), 3000000);
	put(root, "sys/fs/cgroup/a/memory.current", "2500000\n");
	assert_int_equal(memory_available(root), 500000);
	put(root, "sys/fs/cgroup/a/memory.stat", "anon 7\nfile 600000\nworkingset_inactive_file 1\n"
	    "inactive_file 400000\nactive_file 200000\n");
	assert_int_equal(memory_available(root), 1100000);
	/* More than it may have, for a moment; and a cache that is counted late. */
	put(root, "sys/fs/cgroup/a/memory.current", "3600001\n");
	assert_int_equal(memory_available(root), 0);
	put(root, "sys/fs/cgroup/a/memory.current", "300000\n");
	assert_int_equal(memory_available(root), 3000000);
	/* Version 1: the total is that of the groups below, as its use is. */
	put(root, "proc/self/cgroup", "5:memory:/c\n");
	put(root, "sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4000000\n");
	put(root, "sys/fs/cgroup/memory/c/memory.usage_in_bytes", "3000000\n");
	assert_int_equal(memory_available(root), 1000000);
	put(root, "sys/fs/cgroup/memory/c/memory.stat", "inactive_file 5\ntotal_inactive_file 500000\n");
	assert_int_equal(memory_available(root), 1500000);
	free(root);
}

/* Takes so many MB within the bound of a machine that has 400 MB available, in a process of its own. */
static int take(const char *root, size_t megabytes)
{
	pid_t child = fork();
	int status = -1;

	if (child == 0) {
		const struct rlimit before = memory_bind(root);
		char *taken = memory_get(megabytes * 1000 * 1000);

		memory_unbind(&before);
		free(taken);
		free(memory_get((size_t)500 * 1000 * 1000));
		_exit(0);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void who_takes_more_ends(void **state)
{
	const char *sanitize = getenv("SANITIZE");
	char *root;

	(void)state;
	if (sanitize != NULL && sanitize[0] != '\0')
		skip_because("a sanitizer ends the process itself");
	root = golden_scratch("bound");
	put(root, "proc/meminfo", "MemAvailable: 400000 kB\n");
	assert_int_equal(take(root, 200), 0);
	assert_int_equal(take(root, 350), EXIT_CODE_ENVIRONMENT);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_limit_counts),
		cmocka_unit_test(version_one),
		cmocka_unit_test(what_is_used_is_taken_off),
		cmocka_unit_test(who_takes_more_ends),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
