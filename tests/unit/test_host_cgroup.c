/* SPDX-License-Identifier: Apache-2.0 */
/* What the host backend reads of control groups, from recorded trees of both versions.  The
 * functions are taken in as source: a backend shows nothing but its entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../backends/host/cgroup.c"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

static char *make_root(const char *name)
{
	const char *given = getenv("T");
	char pattern[] = "/tmp/evenhand-test-XXXXXX";
	const char *top = given != NULL && given[0] != '\0' ? given : mkdtemp(pattern);

	return path_join(top, name);
}

static void put(const char *root, const char *path, const char *content)
{
	char *full = path_join(root, path), *folder = memory_text(full);
	eh_error error = ERROR_INIT;

	*strrchr(folder, '/') = '\0';
	if (dir_make(folder, &error) != EH_OK ||
	    file_write(full, content, strlen(content), &error) != EH_OK)
		fail_msg("%s", error.message);
	free(full);
	free(folder);
}

static void version_two_is_read_up_to_the_top(void **state)
{
	char *root = make_root("two");

	(void)state;
	put(root, "proc/self/cgroup", "0::/system.slice/job.scope\n");
	put(root, "sys/fs/cgroup/system.slice/job.scope/cpu.max", "max 100000\n");
	put(root, "sys/fs/cgroup/system.slice/job.scope/memory.max", "max\n");
	assert_int_equal(cgroup_cpu_millis(root), 0);
	assert_int_equal(cgroup_memory_bytes(root), 0);
	assert_true(cgroup_memory_free(root) == UINT64_MAX);
	/* The parent's limit binds too; the smaller of two counts. */
	put(root, "sys/fs/cgroup/system.slice/cpu.max", "250000 100000\n");
	put(root, "sys/fs/cgroup/system.slice/memory.max", "1000000\n");
	put(root, "sys/fs/cgroup/system.slice/memory.current", "700000\n");
	assert_int_equal(cgroup_cpu_millis(root), 2500);
	assert_int_equal(cgroup_memory_bytes(root), 1000000);
	assert_int_equal(cgroup_memory_free(root), 300000);
	put(root, "sys/fs/cgroup/system.slice/job.scope/cpu.max", "50000 100000\n");
	assert_int_equal(cgroup_cpu_millis(root), 500);
	/* Page cache is given up on demand. */
	put(root, "sys/fs/cgroup/system.slice/memory.stat",
	    "anon 1\ninactive_file 100000\nactive_file 50000\nunevictable 7\n");
	assert_int_equal(cgroup_memory_free(root), 450000);
	free(root);
}

static void inside_a_container_the_mount_is_the_group(void **state)
{
	char *root = make_root("container");

	(void)state;
	put(root, "proc/self/cgroup", "0::/\n");
	put(root, "sys/fs/cgroup/cpu.max", "400000 100000\n");
	assert_int_equal(cgroup_cpu_millis(root), 4000);
	put(root, "proc/self/cgroup", "0::/named/on/the/machine\n");
	assert_int_equal(cgroup_cpu_millis(root), 4000);
	free(root);
}

static void version_one_is_read_by_controller(void **state)
{
	char *root = make_root("one");

	(void)state;
	put(root, "proc/self/cgroup", "4:memory:/job\n2:cpu,cpuacct:/job\n1:cpuset:/job\n0::/\n");
	put(root, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
	put(root, "sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	put(root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal(cgroup_cpu_millis(root), 0);
	assert_int_equal(cgroup_memory_bytes(root), 0);
	put(root, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
	put(root, "sys/fs/cgroup/memory/job/memory.limit_in_bytes", "5000\n");
	put(root, "sys/fs/cgroup/memory/job/memory.usage_in_bytes", "6000\n");
	assert_int_equal(cgroup_cpu_millis(root), 1500);
	assert_int_equal(cgroup_memory_bytes(root), 5000);
	assert_int_equal(cgroup_memory_free(root), 0);
	/* A controller whose name only begins like ours is another. */
	put(root, "proc/self/cgroup", "2:cpuset:/job\n");
	assert_int_equal(cgroup_cpu_millis(root), 0);
	free(root);
}

static void no_groups_are_no_limit(void **state)
{
	char *root = make_root("nothing");

	(void)state;
	assert_int_equal(cgroup_cpu_millis(root), 0);
	assert_int_equal(cgroup_memory_bytes(root), 0);
	put(root, "proc/self/cgroup", "nonsense\n\n::\n0:\n");
	put(root, "sys/fs/cgroup/cpu.max", "many few\n");
	assert_int_equal(cgroup_cpu_millis(root), 0);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_two_is_read_up_to_the_top),
		cmocka_unit_test(inside_a_container_the_mount_is_the_group),
		cmocka_unit_test(version_one_is_read_by_controller),
		cmocka_unit_test(no_groups_are_no_limit),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("host cgroup", tests, NULL, NULL);
}
