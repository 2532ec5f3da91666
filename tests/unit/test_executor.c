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
#include "base/limits.h"
#include "json_tree.h"
#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"
#include "golden.h"
#include "record/disclosure.h"
#include "record/identity.h"

static char *replay(const char *machine)
{
	const char *source = getenv("SRC");

	return memory_format("%s/tests/replay/%s", source != NULL ? source : ".", machine);
}

static const record_layer *layer_of(const record_layer_list *layers, enum record_layer_kind kind,
                                    const char *name)
{
	for (size_t i = 0; i < layers->count; i++)
		if (layers->items[i].layer == kind &&
		    (name == NULL || strcmp(layers->items[i].name, name) == 0))
			return &layers->items[i];
	fail_msg("no layer %s %s", record_layer_kind_word(kind), name != NULL ? name : "");
	return NULL;
}

static const record_field *field_of(const record_layer *layer, const char *key)
{
	const record_field *field = record_layer_field(layer, key);

	if (field == NULL)
		fail_msg("no field %s", key);
	return field;
}

static void expect(const record_layer *layer, const char *key, const char *value)
{
	assert_int_equal(field_of(layer, key)->value.kind, SCALAR_TEXT);
	assert_string_equal(field_of(layer, key)->value.text, value);
	assert_int_not_equal(field_of(layer, key)->source, RECORD_SOURCE_UNAVAILABLE);
}

static void expect_unavailable(const record_layer *layer, const char *key)
{
	assert_int_equal(field_of(layer, key)->source, RECORD_SOURCE_UNAVAILABLE);
	assert_string_equal(field_of(layer, key)->value.text, "");
}

/* A record that holds the layers of a test. */
static record_executor *blank(void)
{
	return layout_new(record_executor_layout());
}

static void drop(record_executor *record)
{
	layout_free(record_executor_layout(), record);
}

static record_executor *system_of(const char *machine)
{
	record_executor *record = blank();
	char *root = replay(machine);

	executor_system(&record->layers, root);
	free(root);
	return record;
}

static void guest(void **state)
{
	record_executor *record = system_of("guest");
	const record_layer_list *layers = &record->layers;
	const record_layer *cpu = layer_of(layers, RECORD_LAYER_HARDWARE,
	                                   "Intel(R) Xeon(R) Processor");
	const record_layer *host = layer_of(layers, RECORD_LAYER_HOST, NULL);
	const record_layer *kernel = layer_of(layers, RECORD_LAYER_OPERATING_SYSTEM,
	                                      "Linux kernel");
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
	assert_string_equal(kernel->version, "6.1.0-18-cloud-amd64");
	assert_string_equal(layer_of(layers, RECORD_LAYER_OPERATING_SYSTEM,
	                             "Debian GNU/Linux")->version,
	                    "12 (bookworm)");
	assert_int_equal(layer_of(layers, RECORD_LAYER_FIRMWARE, NULL)->source,
	                 RECORD_SOURCE_UNAVAILABLE);
	drop(record);
}

static void server(void **state)
{
	record_executor *record = system_of("server");
	const record_layer_list *layers = &record->layers;
	const record_layer *host = layer_of(layers, RECORD_LAYER_HOST, NULL);
	const record_layer *firmware = layer_of(layers, RECORD_LAYER_FIRMWARE, NULL);

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
	assert_string_equal(firmware->version, "1.8");
	expect(firmware, "system-vendor", "Supermicro");
	layer_of(layers, RECORD_LAYER_OPERATING_SYSTEM, "Rocky Linux"); /* from /usr/lib */
	drop(record);
}

/* A real machine: its layers are those that its own result recorded. */
static void h100(void **state)
{
	record_executor *record = system_of("h100");
	const record_layer_list *layers = &record->layers;
	const record_layer *cpu = layer_of(layers, RECORD_LAYER_HARDWARE,
	                                   "Intel(R) Xeon(R) Processor");
	const record_layer *host = layer_of(layers, RECORD_LAYER_HOST, NULL);
	const record_layer *kernel = layer_of(layers, RECORD_LAYER_OPERATING_SYSTEM,
	                                      "Linux kernel");
	const record_layer *firmware = layer_of(layers, RECORD_LAYER_FIRMWARE, NULL);
	const record_layer *ubuntu = layer_of(layers, RECORD_LAYER_OPERATING_SYSTEM, "Ubuntu");

	(void)state;
	expect(cpu, "model", "207");
	expect(cpu, "flags-sha256",
	       "597739b0b7aedd11938dd245c95acb0b6753293ffcbfb1289476c13b1fce3ec6");
	expect(host, "virtualization", "virtual machine"); /* without firmware tables */
	expect(host, "container", "docker");
	expect(host, "clock-source", "tsc");
	expect(host, "transparent-huge-pages", "madvise");
	expect(host, "isolated-cpus", "");
	expect(host, "mitigations", "auto,no_guest_host,no_guest_guest");
	expect_unavailable(host, "frequency-governor");
	expect_unavailable(host, "cpu-limit");
	assert_string_equal(ubuntu->version, "24.04.3 LTS (Noble Numbat)");
	expect(ubuntu, "debian-version", "trixie/sid");
	assert_string_equal(kernel->version, "6.18.44-guest");
	assert_int_equal(firmware->source, RECORD_SOURCE_UNAVAILABLE);
	expect_unavailable(firmware, "system-vendor");
	drop(record);
}

static void arm(void **state)
{
	record_executor *record = system_of("arm");
	const record_layer_list *layers = &record->layers;
	const record_layer *cpu = layer_of(layers, RECORD_LAYER_HARDWARE, "0xd40");

	(void)state;
	expect(cpu, "vendor", "0x41");
	expect(cpu, "stepping", "1");
	expect_unavailable(cpu, "microcode");
	drop(record);
}

static void nothing_there(void **state)
{
	record_executor *record = blank();

	(void)state;
	executor_system(&record->layers, "/nonexistent");
	assert_true(record->layers.count > 3);
	for (size_t i = 0; i < record->layers.count; i++) {
		const record_layer *layer = &record->layers.items[i];

		for (size_t k = 0; k < layer->fields.count; k++)
			if (strcmp(layer->fields.items[k].name, "container") != 0)
				assert_int_equal(layer->fields.items[k].source,
				                 RECORD_SOURCE_UNAVAILABLE);
	}
	drop(record);
}

static void link_of_device(void **state)
{
	record_executor *record = blank(), *absent = blank(), *none = blank();
	const record_layer_list *layers = &record->layers;
	char *root = replay("server");
	const record_layer *link;

	(void)state;
	executor_link(&record->layers, root, "0000:3b:00.0");
	link = layer_of(layers, RECORD_LAYER_INTERCONNECT, "PCI 0000:3b:00.0");
	expect(link, "max-link-speed", "32.0 GT/s PCIe");
	expect(link, "now-link-width", "8");
	expect(link, "numa-node", "0");
	assert_string_equal(layer_of(layers, RECORD_LAYER_DRIVER, "testgpu")->version,
	                    "535.129.03");
	drop(record);

	executor_link(&absent->layers, root, "0000:99:00.0");
	assert_int_equal(layer_of(&absent->layers, RECORD_LAYER_INTERCONNECT, NULL)->source,
	                 RECORD_SOURCE_UNAVAILABLE);
	drop(absent);
	executor_link(&none->layers, root, "");
	executor_link(&none->layers, root, NULL);
	executor_link(&none->layers, root, "../../../../etc");
	assert_int_equal(none->layers.count, 0);
	drop(none);
	free(root);
}

static void link_of_the_h100(void **state)
{
	record_executor *record = blank();
	const record_layer_list *layers = &record->layers;
	char *root = replay("h100");
	const record_layer *link, *module;

	(void)state;
	executor_link(&record->layers, root, "0000:00:06.0");
	link = layer_of(layers, RECORD_LAYER_INTERCONNECT, "PCI 0000:00:06.0");
	expect(link, "vendor-id", "0x10de");
	expect(link, "device-id", "0x2330");
	expect(link, "class", "0x030200");
	expect(link, "max-link-speed", "32.0 GT/s PCIe");
	expect(link, "max-link-width", "16");
	expect(link, "now-link-speed", "32.0 GT/s PCIe");
	expect(link, "now-link-width", "16");
	expect(link, "numa-node", "-1");
	module = layer_of(layers, RECORD_LAYER_DRIVER, "nvidia");
	assert_string_equal(module->version, "580.159.04");
	expect(module, "source-version", "06B987C9B8B712FF4E7FB47");
	drop(record);
	free(root);
}

static void topology(void **state)
{
	record_executor *record = blank();
	const record_layer_list *layers = &record->layers;

	(void)state;
	executor_hardware(&record->layers);
	assert_true(field_of(layer_of(layers, RECORD_LAYER_HARDWARE, "topology"),
	                     "processing-units")->value.number >= 1);
	assert_true(field_of(layer_of(layers, RECORD_LAYER_HARDWARE, "memory"),
	                     "now-bytes")->value.number > 1e6);
	drop(record);
}

/* Our own process: libc is mapped, once, with the digest of its file. */
static void mapped_here(void **state)
{
	executor_files *files = executor_files_new();
	record_executor *record = blank();
	size_t libc = 0;
	char hex[65];

	(void)state;
	executor_mapped(&record->layers, "/proc/self/maps", files);
	for (size_t i = 0; i < record->layers.count; i++) {
		const record_layer *layer = &record->layers.items[i];

		if (strcmp(layer->name, "libc.so.6") == 0) {
			libc++;
			assert_int_equal(digest_file(layer->path, hex, NULL), EH_OK);
			assert_string_equal(layer->sha256, hex);
			assert_string_equal(layer->version, "6");
			expect(layer, "role", "stack");
		}
		assert_null(layer->path != NULL ? strstr(layer->path, "locale-archive")
		            : NULL); /* data */
	}
	assert_int_equal(libc, 1);
	drop(record);
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
	record_executor *record = blank();
	const record_layer_list *layers = &record->layers;
	const record_layer *odd, *gone;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, maps, sizeof(maps) - 1), sizeof(maps) - 1);
	close(fd);
	executor_mapped(&record->layers, path, files);
	assert_int_equal(layers->count, 3);
	odd = layer_of(layers, RECORD_LAYER_MAPPED_OBJECT, "libodd-1.5.so");
	assert_string_equal(odd->version, "1.5");
	assert_string_equal(odd->path, "/opt/two words/libodd-1.5.so");
	assert_null(odd->sha256); /* no such file here */
	gone = layer_of(layers, RECORD_LAYER_MAPPED_OBJECT, "gone.so.3");
	assert_null(gone->sha256);
	expect(layer_of(layers, RECORD_LAYER_MAPPED_OBJECT, "k.so"), "role", "kernel");
	drop(record);
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

/* Floors above the runtime: one with a maker, and a setting. */
static eh_status upper_layer(uint32_t index, eh_layer *layer)
{
	static const struct { uint32_t kind; const char *name, *version, *maker; } layers[] = {
		{ EH_LAYER_FRAMEWORK, "PyTorch", "2.5.1", "somebody" },
		{ EH_LAYER_SERVING, "vLLM", "0.6", "" }, { EH_LAYER_MODEL, "m", "7", "" },
		{ EH_LAYER_CONFIGURATION, "batch", "64", "" }, { EH_LAYER_DEMAND, "chat", "", "" },
	};

	if (index > sizeof(layers) / sizeof(*layers))
		return EH_E_INVALID_ARGUMENT;
	layer->kind = layers[index - 1].kind;
	layer->source = EH_SOURCE_DECLARED;
	snprintf(layer->name, sizeof(layer->name), "%s", layers[index - 1].name);
	snprintf(layer->version, sizeof(layer->version), "%s", layers[index - 1].version);
	snprintf(layer->maker, sizeof(layer->maker), "%s", layers[index - 1].maker);
	return EH_OK;
}

static eh_status fake_layer(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error)
{
	(void)device;
	(void)error;
	if (index > 0)
		return upper_layer(index, layer);
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

static record_executor *describe_fake(executor_files *files, uint64_t caps)
{
	eh_device_info info = { .struct_size = sizeof(info), .type = EH_DEVICE_CPU, .caps = caps,
		                .memory_bytes = UINT64_C(1) << 60, .compute_units = 2,
		                .numa_node = -1, .id = "gcc-12", .name = "Fake CPU" };
	executor_subject subject = { .backend = &fake, .plugin_path = "/bin/sh", .ops = &fake_ops,
		                     .info = &info, .device = (eh_device *)&info, .files = files };
	record_executor *record = blank();

	executor_describe(&subject, record);
	return record;
}

static void described(void **state)
{
	executor_files *files = executor_files_new();
	record_executor *record = describe_fake(files, EH_CAP_SIMULATED | EH_CAP_FP64);
	const record_layer_list *layers = &record->layers;
	const record_layer *compiler = layer_of(layers, RECORD_LAYER_COMPILER, "gcc");

	(void)state;
	assert_string_equal(record->name, "fake:gcc-12");
	assert_true(record->simulated);
	assert_int_equal(strlen(record->digest), 64);
	expect(compiler, "flags", "-O3 -g");
	expect(compiler, "thread-count ", " 4");
	expect(compiler, "detail", "loose");
	assert_int_equal(strlen(compiler->sha256), 64);
	assert_null(compiler->maker);
	assert_string_equal(layer_of(layers, RECORD_LAYER_FRAMEWORK, "PyTorch")->version, "2.5.1");
	assert_string_equal(layer_of(layers, RECORD_LAYER_FRAMEWORK, "PyTorch")->maker, "somebody");
	assert_null(layer_of(layers, RECORD_LAYER_SERVING, "vLLM")->maker);
	assert_int_equal(layer_of(layers, RECORD_LAYER_MODEL, "m")->source, RECORD_SOURCE_DECLARED);
	expect(layer_of(layers, RECORD_LAYER_CONFIGURATION, "batch"), "value", "64");
	layer_of(layers, RECORD_LAYER_DEMAND, "chat");
	layer_of(layers, RECORD_LAYER_HARNESS, "evenhand");
	layer_of(layers, RECORD_LAYER_HARNESS, "backend fake");
	layer_of(layers, RECORD_LAYER_MAPPED_OBJECT, "libc.so.6");
	drop(record);
	executor_files_free(files);
}

/* One field more, or another value of it. */
static void set_text(record_layer *layer, const char *name, const char *value)
{
	record_field *field = (record_field *)(uintptr_t)record_layer_field(layer, name);

	if (field == NULL) {
		field = layout_append(record_field_layout(), &layer->fields);
		text_set(&field->name, name);
	}
	text_set(&field->value.text, value);
	field->value.kind = SCALAR_TEXT;
	field->source = RECORD_SOURCE_MEASURED;
}

static void expect_digest(const record_executor *record, const char *wanted, bool same)
{
	char hex[65];

	assert_true(identity_digest(record, hex));
	if (same)
		assert_string_equal(hex, wanted);
	else
		assert_string_not_equal(hex, wanted);
}

static void digest_follows_stack(void **state)
{
	executor_files *files = executor_files_new();
	record_executor *a, *b, *c;
	record_layer *kernel;

	(void)state;
	compiler_version = "12.2";
	a = describe_fake(files, 0);
	b = describe_fake(files, 0);
	compiler_version = "13.1";
	c = describe_fake(files, 0);
	compiler_version = "12.2";
	assert_string_equal(a->digest, b->digest);
	assert_string_not_equal(a->digest, c->digest);
	expect_digest(a, a->digest, true);

	set_text((record_layer *)(uintptr_t)layer_of(&a->layers, RECORD_LAYER_HOST, NULL),
	         "now-load",
	         "99");
	a->device.memory_bytes++;
	text_set(&a->layers.items[0].owner, "somebody");
	text_set(&a->layers.items[0].maker, "somebody");
	expect_digest(a, a->digest, true);
	text_set(&((record_layer *)(uintptr_t)layer_of(&a->layers, RECORD_LAYER_MODEL, "m"))->version, "8");
	expect_digest(a, a->digest, false);
	text_set(&((record_layer *)(uintptr_t)layer_of(&a->layers, RECORD_LAYER_MODEL, "m"))->version, "7");
	kernel = layout_append(record_layer_layout(), &a->layers);
	kernel->layer = RECORD_LAYER_MAPPED_OBJECT;
	kernel->source = RECORD_SOURCE_MEASURED;
	text_set(&kernel->name, "k.so");
	set_text(kernel, "role", "kernel");
	expect_digest(a, a->digest, true);
	set_text(kernel, "role", "stack");
	expect_digest(a, a->digest, false);
	drop(a);
	drop(b);
	drop(c);
	executor_files_free(files);
}

static record_layer *add_library(record_executor *to, const char *version, const char *kernels)
{
	record_layer *layer = layout_append(record_layer_layout(), &to->layers);

	layer->layer = RECORD_LAYER_LIBRARY;
	layer->source = RECORD_SOURCE_QUERIED;
	text_set(&layer->name, "libproduct");
	text_set(&layer->version, version);
	set_text(layer, "kernel", kernels);
	return layer;
}

/* An execution in which fewer cases ran may have used less of a stack, and nothing else. */
static void fewer_cases_use_less(void **state)
{
	static const struct { const char *version, *kernels; bool within; } trials[] = {
		{ "1.2", "one, two b", true },  { "1.2", "two b", true },    { "1.2", "one", true },
		{ "1.2", "two", false },        { "1.2", "one, x", false },  { "1.2", "one, two b, x", false },
		{ "1.3", "one, two b", false }, { "1.2", "two b, one", true },
	};
	executor_files *files = executor_files_new();
	record_executor *whole = describe_fake(files, 0);
	record_executor *part = describe_fake(files, 0);

	(void)state;
	assert_true(identity_within(whole, part));
	add_library(whole, "1.2", "one, two b");
	assert_true(identity_within(whole, part));
	/* What was not there before is another stack. */
	assert_false(identity_within(part, whole));
	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		record_executor *late = describe_fake(files, 0);

		add_library(late, trials[i].version, trials[i].kernels);
		assert_int_equal(identity_within(whole, late), trials[i].within);
		drop(late);
	}
	/* Other layers are there from the beginning. */
	text_set(&((record_layer *)(uintptr_t)layer_of(&part->layers, RECORD_LAYER_MODEL, "m"))->version, "8");
	assert_false(identity_within(whole, part));
	text_set(&((record_layer *)(uintptr_t)layer_of(&part->layers, RECORD_LAYER_MODEL, "m"))->version, "7");
	assert_true(identity_within(whole, part));
	set_text((record_layer *)(uintptr_t)layer_of(&part->layers, RECORD_LAYER_MODEL, "m"), "size", "8");
	assert_false(identity_within(whole, part));
	drop(part);
	part = describe_fake(files, 0);
	text_set(&part->device.pci, "0000:01:00.0");
	assert_false(identity_within(whole, part));
	drop(part);
	/* Nor may a layer be missing that no case brings. */
	part = describe_fake(files, 0);
	layout_append(record_layer_layout(), &whole->layers);
	whole->layers.items[whole->layers.count - 1].layer = RECORD_LAYER_DRIVER;
	whole->layers.items[whole->layers.count - 1].source = RECORD_SOURCE_MEASURED;
	text_set(&whole->layers.items[whole->layers.count - 1].name, "d");
	assert_false(identity_within(whole, part));
	drop(part);
	drop(whole);
	executor_files_free(files);
}

/* The rule of the digest stays: these were made by another program. */
static void digest_of_records(void **state)
{
	static const char *const records[][2] = {
		{ "host-gcc-12",
		 "9e523149d42b0c389e5768e90bb1519f5c8facd05aa746a784d34ed894c4bc3a" },
		{ "opencl-pocl-0",
		 "a2347d72ac9439ecded568c5ef8ff3e75c7aac243c6a8593a43cef70aad3affa" },
	};
	const char *source = getenv("SRC");

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *path = memory_format("%s/tests/golden/%s.json", source != NULL ? source : ".",
		                           records[i][0]);
		cJSON *root = NULL;
		record_executor *record = blank();

		assert_int_equal(json_read(path, &root, NULL), EH_OK);
		assert_int_equal(tree_decode(record_executor_layout(),
		                               cJSON_GetObjectItem(root, "executor"), record, NULL), EH_OK);
		expect_digest(record, records[i][1], true);
		drop(record);
		cJSON_Delete(root);
		free(path);
	}
}

static void device_in_words(void **state)
{
	eh_device_info info = { .struct_size = sizeof(info), .type = EH_DEVICE_GPU,
		                .caps = EH_CAP_ASYNC | EH_CAP_ATOMIC64 | EH_CAP_SIMULATED,
		                .memory_bytes = UINT64_C(0xfedcba9876543210), .max_alloc_bytes = 7,
		                .compute_units = 132, .clock_mhz = 1980, .numa_node = 1, .id =
			"gpu-0",
		                .name = "A \"GPU\"", .pci = "0000:3b:00.0", .uuid = "GPU-1" };
	record_device device;
	char *body;

	(void)state;
	layout_init(record_device_layout(), &device);
	executor_device(&info, &device);
	body = layout_text(record_device_layout(), &device, false);
	assert_string_equal(body, "{\"id\":\"gpu-0\",\"name\":\"A \\\"GPU\\\"\",\"vendor\":\"\","
	                    "\"platform\":\"\",\"type\":\"gpu\",\"pci\":\"0000:3b:00.0\","
	                    "\"uuid\":\"GPU-1\",\"memory_bytes\":\"18364758544493064720\","
	                    "\"max_alloc_bytes\":7,\"last_level_cache_bytes\":0,\"compute_units\":132,"
	                    "\"max_group_items\":0,\"local_memory_bytes\":0,\"clock_mhz\":1980,"
	                    "\"numa_node\":1,\"timer_resolution_ns\":0,"
	                    "\"caps\":[\"async\",\"atomic64\",\"simulated\"]}");
	assert_true(executor_is_simulated(&device));
	free(body);
	layout_clear(record_device_layout(), &device);
}

/* A reader would refuse a layer with more. */
static void fields_have_a_limit(void **state)
{
	record_layer_list layers = { NULL, 0 };
	record_layer *layer = layer_add(&layers, RECORD_LAYER_HOST, "host", "", RECORD_SOURCE_QUERIED);

	(void)state;
	for (size_t i = 0; i < 2 * LIMIT_FIELDS; i++) {
		char *key = memory_format("f%zu", i);

		layer_text(layer, key, "x", RECORD_SOURCE_QUERIED);
		free(key);
	}
	layer_text(layer, "f0", "y", RECORD_SOURCE_QUERIED);
	assert_int_equal(layer->fields.count, LIMIT_FIELDS);
	assert_string_equal(layer->fields.items[0].value.text, "y");
	layout_list_clear(record_layer_layout(), &layers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_have_a_limit), cmocka_unit_test(guest), cmocka_unit_test(server), cmocka_unit_test(arm),
		cmocka_unit_test(h100), cmocka_unit_test(link_of_the_h100),
		cmocka_unit_test(nothing_there), cmocka_unit_test(link_of_device),
		cmocka_unit_test(topology), cmocka_unit_test(mapped_here),
		cmocka_unit_test(mapped_lines), cmocka_unit_test(files_cached),
		cmocka_unit_test(described), cmocka_unit_test(digest_follows_stack),
		cmocka_unit_test(fewer_cases_use_less),
		cmocka_unit_test(digest_of_records), cmocka_unit_test(device_in_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
