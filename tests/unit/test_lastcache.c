/* SPDX-License-Identifier: Apache-2.0 */
/* Last-level caches: of GPUs (backends/shared/lastcache.h) on machines in tests/replay, of processors
 * (backends/shared/processors.h) on one that is written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "shared/lastcache.h"
#include "shared/pcinode.h"
#include "shared/processors.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)

static char *replay(const char *machine)
{
	const char *source = getenv("SRC");

	return memory_format("%s/tests/replay/%s", source != NULL ? source : ".", machine);
}

static void expect(const char *machine, const char *pci, const char *name, uint64_t reported,
                   uint64_t bytes, const char *source)
{
	char *root = replay(machine);
	const lastcache_query query = { root, false, pci, name, reported, 192 * GIB };
	const lastcache found = lastcache_find(&query);

	assert_int_equal(found.bytes, bytes);
	assert_string_equal(found.source, source);
	free(root);
}

static void test_the_kernels_list(void **state)
{
	(void)state;
	/* The L2 that HIP reports is not the last level. */
	expect("mi300x", "0000:60:00.0", "AMD Instinct MI300X", 0, 256 * MIB, "kfd");
	expect("mi250", "0000:29:00.0", "AMD Instinct MI250X", 0, 8 * MIB, "kfd");
	expect("mi250", "0000:2c:00.0", "AMD Instinct MI250X", 0, 8 * MIB, "kfd");
	expect("rdna3", "0000:03:00.0", "AMD Radeon RX 7900 XTX", 0, 96 * MIB, "kfd");
	expect("rdna3", "0000:0e:00.0", "AMD Radeon Graphics", 0, 256 * KIB, "kfd");
	/* It goes before what an API reports. */
	expect("mi300x", "0000:60:00.0", "gfx942", 4 * MIB, 256 * MIB, "kfd");
}

static void test_a_part_of_a_gpu(void **state)
{
	(void)state;
	expect("mi300x", "0000:80:00.0", "AMD Instinct MI300X", 0, 64 * MIB, "kfd");
	expect("mi300x", "0000:80:00.3", "AMD Instinct MI300X", 0, 64 * MIB, "kfd");
}

static void test_gpus_that_are_not_listed(void **state)
{
	(void)state;
	expect("mi300x", "0000:61:00.0", "AMD Instinct MI300X", 0, 256 * MIB, "table");
	expect("mi300x", "0001:60:00.0", "TEST device", 0, 0, "");
	expect("guest", "0000:60:00.0", "AMD Instinct MI300X VF", 0, 256 * MIB, "table");
	expect("arm", "0000:60:00.0", "TEST device", 0, 0, "");
	/* A processor's node has no address. */
	expect("mi300x", "0000:00:00.0", "TEST device", 0, 0, "");
	expect("mi300x", "", "TEST device", 0, 0, "");
}

static void test_the_table(void **state)
{
	(void)state;
	expect("arm", "", "NVIDIA H100 80GB HBM3", 0, 50 * MIB, "table");
	expect("arm", "", "NVIDIA A100-SXM4-40GB", 0, 40 * MIB, "table");
	expect("arm", "", "Tesla V100-PCIE-16GB", 0, 6 * MIB, "table");
	expect("arm", "", "NVIDIA B200", 0, 126 * MIB, "table");
	expect("arm", "", "AMD Radeon RX 7900 XT", 0, 80 * MIB, "table");
	expect("arm", "", "AMD Radeon RX 7900 XTX", 0, 96 * MIB, "table");
	/* An instance has a share; a longer word is another product. */
	expect("arm", "", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", 0, 0, "");
	expect("arm", "", "NVIDIA GB200", 0, 0, "");
	expect("arm", "", "NVIDIA T400", 0, 0, "");
}

static void test_implausible_is_unknown(void **state)
{
	const lastcache_query larger = { "", false, "", "TEST device", 2 * GIB, 1 * GIB };

	(void)state;
	expect("arm", "", "TEST device", 16 * MIB, 16 * MIB, "driver");
	/* An L1. */
	expect("arm", "", "TEST device", 72 * KIB, 0, "");
	expect("arm", "", "NVIDIA A100-SXM4-40GB", 72 * KIB, 40 * MIB, "table");
	assert_int_equal(lastcache_find(&larger).bytes, 0);
}

/* Processor `number` has an instruction cache of 64 KiB, an L2 of 1 MiB and an L3 of `last`. */
static void write_caches(const char *root, int number, const char *last, const char *sharers)
{
	const char *const facts[3][3] = { { "1", "Instruction", "64K" }, { "2", "Unified", "1024K" },
	                                  { "3", "Unified", last } };

	for (int i = 0; i < 3; i++) {
		char *line = memory_format("d=%s/sys/devices/system/cpu/cpu%d/cache/index%d; mkdir -p $d && cd $d && "
		                           "echo %s >level; echo %s >type; echo %s >size; echo %s >shared_cpu_list",
		                           root, number, i, facts[i][0], facts[i][1], facts[i][2], sharers);

		assert_int_equal(system(line), 0);
		free(line);
	}
}

static uint64_t caches_of(const char *root, int first, unsigned count)
{
	int numbers[] = { 0, 1, 2, 3 };
	const processors some = { .numbers = numbers + first, .count = count };

	return processors_cache_bytes(&some, root);
}

static void test_processors(void **state)
{
	const char *place = getenv("T");
	char *root = memory_format("%s/processors-XXXXXX", place != NULL ? place : "/tmp");
	lastcache_query query = { .root = root, .is_processor = true, .name = "", .pci = "", .reported = MIB };
	processors mine;

	(void)state;
	assert_non_null(mkdtemp(root));
	for (int i = 0; i < 4; i++)
		write_caches(root, i, "32M", i < 2 ? "0-1" : "2-3");
	/* Each cache once, also where its first processor is not ours. */
	assert_int_equal(caches_of(root, 0, 4), 64 * MIB);
	assert_int_equal(caches_of(root, 0, 2), 32 * MIB);
	assert_int_equal(caches_of(root, 1, 2), 64 * MIB);
	assert_int_equal(caches_of("/none", 0, 4), 0);
	/* Two of the 256 processors of a machine, which show the cache of all; one with two caches. */
	for (int i = 0; i < 4; i++)
		write_caches(root, i, "491520K", i < 2 ? "0-1" : "2,3,8-15");
	assert_int_equal(caches_of(root, 0, 2), 128 * MIB);
	assert_int_equal(caches_of(root, 2, 1), 480 * MIB);
	for (int i = 0; i < 4; i++)
		write_caches(root, i, "32M", i < 2 ? "0-1" : "2-3");

	/* What the kernel lists goes before what an API of a processor reports, and only there. */
	assert_true(processors_read(&mine) && mine.count > 0);
	write_caches(root, mine.numbers[0], "32M", "0-4095");
	processors_free(&mine);
	assert_int_equal(lastcache_find(&query).bytes % (32 * MIB), 0);
	assert_string_equal(lastcache_find(&query).source, "sysfs");
	query.is_processor = false;
	assert_int_equal(lastcache_find(&query).bytes, MIB);
	query = (lastcache_query){ .root = "/none", .is_processor = true, .name = "", .pci = "", .reported = MIB };
	assert_string_equal(lastcache_find(&query).source, "driver");
	free(root);
}

static void test_detail(void **state)
{
	eh_layer layer;

	(void)state;
	memset(&layer, 0, sizeof(layer));
	lastcache_detail(&layer, 0, "");
	assert_string_equal(layer.detail, "");
	lastcache_detail(&layer, 256 * MIB, "kfd");
	assert_string_equal(layer.detail,
	                    "last-level-cache-bytes=268435456; last-level-cache-source=kfd");
}

static void test_memory_node(void **state)
{
	char *server = replay("server"), *arm = replay("arm"), *h100 = replay("h100");

	(void)state;
	assert_int_equal(pcinode_of(server, "0000:3b:00.0"), 0);
	assert_int_equal(pcinode_of(server, "0000:3c:00.0"), -1);
	assert_int_equal(pcinode_of(arm, ""), -1);
	assert_int_equal(pcinode_of(h100, "0000:00:06.0"), -1); /* "-1", as a guest without nodes has it */
	free(h100);
	free(server);
	free(arm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_kernels_list),
		cmocka_unit_test(test_a_part_of_a_gpu),
		cmocka_unit_test(test_gpus_that_are_not_listed),
		cmocka_unit_test(test_the_table),
		cmocka_unit_test(test_implausible_is_unknown),
		cmocka_unit_test(test_processors),
		cmocka_unit_test(test_detail),
		cmocka_unit_test(test_memory_node),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
