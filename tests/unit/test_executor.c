/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "executor/executor.h"

static char *replay(const char *machine)
{
	const char *source = getenv("SRC");

	return memory_format("%s/tests/replay/%s", source != NULL ? source : ".", machine);
}

static const cJSON *layer_of(const cJSON *layers, const char *kind, const char *name)
{
	const cJSON *layer;

	cJSON_ArrayForEach(layer, layers)
		if (strcmp(json_string(layer, "layer", ""), kind) == 0 &&
		    (name == NULL || strcmp(json_string(layer, "name", ""), name) == 0))
			return layer;
	fail_msg("no layer %s %s", kind, name != NULL ? name : "");
	return NULL;
}

static const cJSON *field_of(const cJSON *layer, const char *key)
{
	const cJSON *field =
		cJSON_GetObjectItemCaseSensitive(json_path(layer, "fields"), key);

	if (field == NULL)
		fail_msg("no field %s", key);
	return field;
}

static void expect(const cJSON *layer, const char *key, const char *value)
{
	assert_string_equal(json_string(field_of(layer, key), "value", "(other type)"), value);
	assert_string_not_equal(json_string(field_of(layer, key), "source", ""), "unavailable");
}

static void expect_unavailable(const cJSON *layer, const char *key)
{
	assert_string_equal(json_string(field_of(layer, key), "source", ""), "unavailable");
	assert_string_equal(json_string(field_of(layer, key), "value", "(other type)"), "");
}

static cJSON *system_of(const char *machine)
{
	char *root = replay(machine);
	cJSON *layers = executor_system(root);

	free(root);
	return layers;
}

static void guest(void **state)
{
	cJSON *layers = system_of("guest");
	const cJSON *cpu = layer_of(layers, "hardware", "Intel(R) Xeon(R) Processor");
	const cJSON *host = layer_of(layers, "host", NULL);
	const cJSON *kernel = layer_of(layers, "operating-system", "Linux kernel");
	const char *flags = "fpu vme sse sse2 hypervisor avx2 avx512f";
	char hex[65];

	(void)state;
	expect(cpu, "microcode", "0x1"); /* the first processor's */
	expect(cpu, "model", "143");
	digest_bytes(flags, strlen(flags), hex);
	expect(cpu, "flags-sha256", hex);
	expect(host, "virtualization", "virtual machine");
	expect(host, "container", "docker");
	expect_unavailable(host, "hypervisor");
	expect(host, "cpu-limit", "200000 100000");
	expect(host, "memory-limit", "8589934592");
	expect(host, "transparent-huge-pages", "madvise");
	expect(host, "isolated-cpus", ""); /* the file is there and empty: none */
	expect(host, "mitigations", "auto,nosmt");
	expect(host, "clock-source", "kvm-clock");
	expect(host, "now-load", "0.83 0.44 0.32");
	expect_unavailable(host, "frequency-governor");
	expect_unavailable(host, "turbo");
	assert_string_equal(json_string(kernel, "version", ""), "6.1.0-18-cloud-amd64");
	assert_string_equal(json_string(layer_of(layers, "operating-system", "Debian GNU/Linux"),
	                                "version", ""), "12 (bookworm)");
	assert_string_equal(json_string(layer_of(layers, "firmware", NULL), "source", ""),
	                    "unavailable");
	cJSON_Delete(layers);
}

static void server(void **state)
{
	cJSON *layers = system_of("server");
	const cJSON *host = layer_of(layers, "host", NULL);
	const cJSON *firmware = layer_of(layers, "firmware", NULL);

	(void)state;
	expect(host, "virtualization", "none");
	expect(host, "container", "none");
	expect(host, "frequency-governor", "performance");
	expect(host, "frequency-max-khz", "mixed");
	expect_unavailable(host, "frequency-min-khz");
	expect(host, "turbo", "on");
	expect(host, "smt", "on");
	expect(host, "address-randomisation", "0");
	expect(host, "isolated-cpus", "4-7");
	expect(host, "mitigations", "default");
	assert_string_equal(json_string(firmware, "version", ""), "1.8");
	expect(firmware, "system-vendor", "Supermicro");
	layer_of(layers, "operating-system", "Rocky Linux"); /* from /usr/lib */
	cJSON_Delete(layers);
}

static void arm(void **state)
{
	cJSON *layers = system_of("arm");
	const cJSON *cpu = layer_of(layers, "hardware", "0xd40");

	(void)state;
	expect(cpu, "vendor", "0x41");
	expect(cpu, "stepping", "1");
	expect_unavailable(cpu, "microcode");
	cJSON_Delete(layers);
}

static void nothing_there(void **state)
{
	cJSON *layers = executor_system("/nonexistent");
	const cJSON *layer, *field;

	(void)state;
	cJSON_ArrayForEach(layer, layers)
		cJSON_ArrayForEach(field, json_path(layer, "fields"))
			if (strcmp(field->string, "container") != 0)
				assert_string_equal(json_string(field, "source", ""), "unavailable");
	cJSON_Delete(layers);
}

static void link_of_device(void **state)
{
	char *root = replay("server");
	cJSON *layers = executor_link(root, "0000:3b:00.0");
	const cJSON *link = layer_of(layers, "interconnect", "PCI 0000:3b:00.0");

	(void)state;
	expect(link, "max-link-speed", "32.0 GT/s PCIe");
	expect(link, "now-link-width", "8");
	expect(link, "numa-node", "0");
	assert_string_equal(json_string(layer_of(layers, "driver", "testgpu"), "version", ""),
	                    "535.129.03");
	cJSON_Delete(layers);

	layers = executor_link(root, "0000:99:00.0");
	assert_string_equal(json_string(layer_of(layers, "interconnect", NULL), "source", ""),
	                    "unavailable");
	cJSON_Delete(layers);
	layers = executor_link(root, "");
	assert_int_equal(cJSON_GetArraySize(layers), 0);
	cJSON_Delete(layers);
	layers = executor_link(root, "../../../../etc");
	assert_int_equal(cJSON_GetArraySize(layers), 0);
	cJSON_Delete(layers);
	free(root);
}

static void topology(void **state)
{
	cJSON *layers = executor_hardware();
	double units = 0, bytes = 0;

	(void)state;
	assert_true(json_double(field_of(layer_of(layers, "hardware", "topology"),
	                                 "processing-units"), "value", &units));
	assert_true(units >= 1);
	assert_true(json_double(field_of(layer_of(layers, "hardware", "memory"), "now-bytes"), "value",
	                        &bytes));
	assert_true(bytes > 1e6);
	cJSON_Delete(layers);
}

/* Our own process: libc is mapped, once, with the digest of its file. */
static void mapped_here(void **state)
{
	executor_files *files = executor_files_new();
	cJSON *layers = executor_mapped("/proc/self/maps", files);
	const cJSON *layer;
	size_t libc = 0;
	char hex[65];

	(void)state;
	cJSON_ArrayForEach(layer, layers) {
		const char *path = json_string(layer, "path", "");

		if (strcmp(json_string(layer, "name", ""), "libc.so.6") == 0) {
			libc++;
			assert_int_equal(digest_file(path, hex, NULL), EH_OK);
			assert_string_equal(json_string(layer, "sha256", ""), hex);
			assert_string_equal(json_string(layer, "version", ""), "6");
			expect(layer, "role", "stack");
		}
		assert_null(strstr(path, "locale-archive")); /* data, not code */
	}
	assert_int_equal(libc, 1);
	cJSON_Delete(layers);
	executor_files_free(files);
}

static void mapped_lines(void **state)
{
	static const char maps[] =
		"55d0c0a00000-55d0c0a01000 r--p 00000000 fe:00 11   /opt/two words/libodd-1.5.so\n"
		"55d0c0a01000-55d0c0a02000 r-xp 00001000 fe:00 11   /opt/two words/libodd-1.5.so\n"
		"55d0c0a02000-55d0c0a03000 r-xp 00001000 fe:00 11   /opt/two words/libodd-1.5.so\n"
		"7f0000000000-7f0000001000 r--p 00000000 fe:00 12   /usr/share/data.bin\n"
		"7f0000001000-7f0000002000 r-xp 00000000 fe:00 13   /usr/lib/gone.so.3 (deleted)\n"
		"7f0000002000-7f0000003000 rwxp 00000000 00:00 0 \n"
		"7f0000003000-7f0000004000 r-xp 00000000 00:00 0    [vdso]\n"
		"7f0000004000-7f0000005000 r-xp 00000000 fe:00 14   /home/x/.cache/pocl/k/k.so\n";
	char path[] = "/tmp/evenhand-maps-XXXXXX";
	int fd = mkstemp(path);
	executor_files *files = executor_files_new();
	cJSON *layers;
	const cJSON *odd, *gone;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, maps, sizeof(maps) - 1), sizeof(maps) - 1);
	close(fd);
	layers = executor_mapped(path, files);
	assert_int_equal(cJSON_GetArraySize(layers), 3);
	odd = layer_of(layers, "mapped-object", "libodd-1.5.so");
	assert_string_equal(json_string(odd, "version", ""), "1.5");
	assert_string_equal(json_string(odd, "path", ""), "/opt/two words/libodd-1.5.so");
	assert_null(json_string(odd, "sha256", NULL)); /* no such file here */
	gone = layer_of(layers, "mapped-object", "gone.so.3");
	assert_null(json_string(gone, "sha256", NULL));
	expect(layer_of(layers, "mapped-object", "k.so"), "role", "kernel");
	cJSON_Delete(layers);
	executor_files_free(files);
	unlink(path);
}

static void files_cached(void **state)
{
	char path[] = "/tmp/evenhand-file-XXXXXX";
	int fd = mkstemp(path);
	executor_files *files = executor_files_new();
	const char *first, *second;
	char hex[65];

	(void)state;
	assert_int_equal(write(fd, "one", 3), 3);
	first = executor_files_digest(files, path);
	assert_non_null(first);
	assert_ptr_equal(executor_files_digest(files, path), first); /* not read again */
	assert_int_equal(write(fd, "two", 3), 3);
	close(fd);
	second = executor_files_digest(files, path);
	digest_bytes("onetwo", 6, hex);
	assert_string_equal(second, hex);
	assert_null(executor_files_digest(files, "/nonexistent"));
	assert_null(executor_files_digest(files, "/"));
	executor_files_free(files);
	unlink(path);
}

/* ---- a backend without anything behind it --------------------------------------------------- */

static const char *compiler_version = "12.2";

static eh_status fake_layer(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error)
{
	(void)device;
	(void)error;
	if (index > 0)
		return EH_E_INVALID_ARGUMENT;
	layer->kind = EH_LAYER_COMPILER;
	layer->source = EH_SOURCE_QUERIED;
	snprintf(layer->name, sizeof(layer->name), "gcc");
	snprintf(layer->version, sizeof(layer->version), "%s", compiler_version);
	snprintf(layer->path, sizeof(layer->path), "/bin/sh");
	snprintf(layer->detail, sizeof(layer->detail), "flags=-O3 -g; ; thread-count = 4; loose");
	return EH_OK;
}

static const eh_backend_ops fake_ops = { .struct_size = sizeof(fake_ops),
	                                 .device_layer = fake_layer };
static const eh_backend fake = { .name = "fake", .title = "Fake", .version = "1",
	                         .license = "Apache-2.0", .abi_major = 1, .ops = &fake_ops };

static cJSON *describe_fake(executor_files *files, uint64_t caps)
{
	eh_device_info info = { .struct_size = sizeof(info), .type = EH_DEVICE_CPU, .caps = caps,
		                .memory_bytes = UINT64_C(1) << 60, .compute_units = 2,
		                .numa_node = -1, .id = "gcc-12", .name = "Fake CPU" };
	executor_subject subject = { .backend = &fake, .plugin_path = "/bin/sh", .ops = &fake_ops,
		                     .info = &info, .device = (eh_device *)&info, .files = files };

	return executor_describe(&subject);
}

static void described(void **state)
{
	executor_files *files = executor_files_new();
	cJSON *record = describe_fake(files, EH_CAP_SIMULATED | EH_CAP_FP64);
	const cJSON *layers = json_path(record, "layers");
	const cJSON *compiler = layer_of(layers, "compiler", "gcc");

	(void)state;
	assert_string_equal(json_string(record, "name", ""), "fake:gcc-12");
	assert_true(json_bool(record, "simulated", false));
	assert_int_equal(strlen(json_string(record, "digest", "")), 64);
	expect(compiler, "flags", "-O3 -g");
	expect(compiler, "detail", "loose");
	assert_int_equal(strlen(json_string(compiler, "sha256", "")), 64);
	layer_of(layers, "harness", "evenhand");
	layer_of(layers, "harness", "backend fake");
	layer_of(layers, "mapped-object", "libc.so.6");
	cJSON_Delete(record);
	executor_files_free(files);
}

static void digest_follows_stack(void **state)
{
	executor_files *files = executor_files_new();
	cJSON *a, *b, *c, *layer, *fields;
	char same[65], moment[65], kernel[65];

	(void)state;
	compiler_version = "12.2";
	a = describe_fake(files, 0);
	b = describe_fake(files, 0);
	compiler_version = "13.1";
	c = describe_fake(files, 0);
	compiler_version = "12.2";
	assert_string_equal(json_string(a, "digest", ""), json_string(b, "digest", ""));
	assert_string_not_equal(json_string(a, "digest", ""), json_string(c, "digest", ""));

	executor_digest(a, same);
	assert_string_equal(same, json_string(a, "digest", ""));
	fields = cJSON_GetObjectItemCaseSensitive(
		(cJSON *)(uintptr_t)layer_of(json_path(a, "layers"), "host", NULL), "fields");
	json_set(json_set(fields, "now-load", cJSON_CreateObject()), "value",
	         cJSON_CreateString("99"));
	executor_digest(a, moment);
	assert_string_equal(moment, same);

	layer = cJSON_Parse("{\"layer\":\"mapped-object\",\"name\":\"k.so\",\"fields\":"
	                    "{\"role\":{\"value\":\"kernel\",\"source\":\"measured\"}}}");
	cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(a, "layers"), layer);
	executor_digest(a, kernel);
	assert_string_equal(kernel, same);
	json_set(cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(layer, "fields"),
	                                          "role"), "value", cJSON_CreateString("stack"));
	executor_digest(a, kernel);
	assert_string_not_equal(kernel, same);
	cJSON_Delete(a);
	cJSON_Delete(b);
	cJSON_Delete(c);
	executor_files_free(files);
}

static void device_round_trip(void **state)
{
	eh_device_info in = { .struct_size = sizeof(in), .type = EH_DEVICE_GPU,
		              .caps = EH_CAP_ASYNC | EH_CAP_ATOMIC64 | EH_CAP_SIMULATED,
		              .memory_bytes = UINT64_C(0xfedcba9876543210), .max_alloc_bytes = 7,
		              .compute_units = 132, .clock_mhz = 1980, .numa_node = 1, .id = "gpu-0",
		              .name = "A \"GPU\"", .pci = "0000:3b:00.0", .uuid = "GPU-1" };
	eh_device_info out;
	cJSON *json = executor_device(&in);

	(void)state;
	executor_device_read(json, &out);
	assert_memory_equal(&in, &out, sizeof(in));
	cJSON_Delete(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(guest), cmocka_unit_test(server), cmocka_unit_test(arm),
		cmocka_unit_test(nothing_there), cmocka_unit_test(link_of_device),
		cmocka_unit_test(topology), cmocka_unit_test(mapped_here),
		cmocka_unit_test(mapped_lines), cmocka_unit_test(files_cached),
		cmocka_unit_test(described), cmocka_unit_test(digest_follows_stack),
		cmocka_unit_test(device_round_trip),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
