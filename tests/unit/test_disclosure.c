/* SPDX-License-Identifier: Apache-2.0 */
/* Site files, owners, what a record discloses, and what a certified protocol refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "base/text.h"
#include "record/disclosure.h"
#include "record/nameplate.h"
#include "executor/executor.h"
#include "run/certify.h"

static char *scratch(const char *name, const char *body)
{
	const char *folder = getenv("T");
	char *path = memory_format("%s/%s", folder != NULL ? folder : "/tmp", name);

	assert_int_equal(file_write(path, body, strlen(body), NULL), EH_OK);
	return path;
}

static site *read_site(const char *body)
{
	char *path = scratch("site.ini", body);
	eh_error error = ERROR_INIT;
	site *s = NULL;

	if (site_read(path, &s, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	return s;
}

static void refused(const char *body, const char *words)
{
	char *path = scratch("site.ini", body);
	eh_error error = ERROR_INIT;
	site *s = NULL;

	assert_int_equal(site_read(path, &s, &error), EH_E_USAGE);
	if (strstr(error.message, words) == NULL)
		fail_msg("'%s' lacks '%s'", error.message, words);
	free(path);
}

static void strict(void **state)
{
	(void)state;
	refused("[site]\ncoling = air\n", "site.ini:2: there is no key 'coling' in [site]; did you mean 'cooling'?");
	refused("[sit]\n", "there is no section [sit]");
	refused("[site]\nparty = me\n", "party is vendor, buyer or third-party");
	refused("[device gpu]\ncooling = air\n", "[device gpu] lacks the key 'match'");
	refused("[device gpu]\nmatch = *\ntester = me\n", "belongs into [site]");
	refused("[owner x]\ndriver = *\n", "lacks the key 'name'");
	refused("[owner x]\nname = X\ndrivr = *\n", "did you mean 'driver'?");
	refused("[teams]\ndrivr = us\n", "site.ini:2: there is no key 'drivr' in [teams]; did you mean 'driver'?");
	refused("[team]\n", "[teams], [owner NAME] or [maker NAME]");
	refused("[maker x]\nmodel = *\n", "lacks the key 'name'");
	refused("[site]\nmodl = x\n", "did you mean 'model'?");
	refused("[site]\n\nmodel = x, @2\n", "site.ini:3: 'x, @2' is not NAME@VERSION or NAME");
	refused("[device d]\nmatch = *\nconfiguration = batch\n", "site.ini:3: 'batch' is not NAME@VALUE");
	refused("[site]\nhost = x\n", "there is no key 'host'");
	refused("[site]\ncooling = air\ncooling = water\n", "twice");
	refused("[site]\ncooling =\n", "has no value");
	refused("[site]\nspec-flops-bf17 = 1e12 source x\n",
	        "site.ini:2: there is no key 'spec-flops-bf17' in [site]; did you mean 'spec-flops-bf16'?");
	refused("[site]\nspec-bandwidth = 3.35e12\n",
	        "site.ini:2: spec-bandwidth is a positive number per second and where it is stated, such as "
	        "'989e12 source NVIDIA H100 data sheet', not '3.35e12'");
	refused("[site]\nspec-bandwidth = 3.35e12 source\n", "where it is stated");
	refused("[site]\nspec-bandwidth = 3.35e12 sourced from x\n", "where it is stated");
	refused("[site]\nspec-bandwidth = -1 source x\n", "a positive number");
	refused("[site]\nspec-bandwidth = 0 source x\n", "a positive number");
	refused("[site]\nspec-bandwidth = 3.35 TB/s source x\n", "a positive number");
	refused("[site]\nspec-bandwidth = nan source x\n", "a positive number");
}

static void device_before_site(void **state)
{
	site *s = read_site("[site]\ncooling = air\nhardware-power-cap = 100 W\n"
	                    "[device gpus]\nmatch = hip:*, CUDA:*\nhardware-power-cap = 350 W\n");
	record_executor *record = layout_new(record_executor_layout());
	const record_layer *layer;

	(void)state;
	assert_true(site_add(s, "cuda:0", &record->layers));
	layer = &record->layers.items[0];
	assert_string_equal(site_value(s, "cuda:0", "hardware-power-cap"), "350 W");
	assert_string_equal(site_value(s, "host:gcc-12", "hardware-power-cap"), "100 W");
	assert_string_equal(site_value(s, "cuda:0", "cooling"), "air");
	assert_null(site_value(s, "cuda:0", "price"));
	assert_int_equal(record_layer_field(layer, "cooling")->source, RECORD_SOURCE_DECLARED);
	assert_int_equal(layer->layer, RECORD_LAYER_SITE);
	site_free(s);
	s = read_site("; nothing\n");
	assert_false(site_add(s, "cuda:0", &record->layers));
	assert_int_equal(record->layers.count, 1);
	layout_free(record_executor_layout(), record);
	site_free(s);
}

/* What the maker says is a fact of the site, and of no other executor. */
static void nameplates(void **state)
{
	site *s = read_site("[device gpus]\nmatch = cuda:*\n"
	                    "spec-flops-bf16 = 989e12 source NVIDIA H100 data sheet\n"
	                    "spec-bandwidth = 3.35e12 \t source  the same\n");
	record_executor *record = layout_new(record_executor_layout());
	nameplate n;

	(void)state;
	assert_false(site_add(s, "host:gcc-12", &record->layers));
	assert_true(site_add(s, "cuda:0", &record->layers));
	assert_int_equal(record->layers.items[0].layer, RECORD_LAYER_SITE);
	assert_true(nameplate_compute(record, "bf16/f32/bf16", &n));
	assert_float_equal(n.rate, 989e12, 1);
	assert_string_equal(n.source, "NVIDIA H100 data sheet");
	assert_true(nameplate_compute(record, "bf16", &n));
	assert_false(nameplate_compute(record, "f16", &n));
	assert_false(nameplate_compute(record, "", &n));
	assert_true(nameplate_bandwidth(record, &n));
	assert_float_equal(n.rate, 3.35e12, 1);
	assert_string_equal(n.source, "the same");
	/* A field of that name that nobody declared is none. */
	record->layers.items[0].layer = RECORD_LAYER_HARDWARE;
	assert_false(nameplate_bandwidth(record, &n));
	layout_free(record_executor_layout(), record);
	site_free(s);
}

/* Each area has a team, and each kind that a site file may declare a layer. */
static void template_has_all(const site *s)
{
	record_layer_list layers = { 0 };

	assert_int_equal(record_area_words()->count, 11);
	for (size_t i = 0; i < record_area_words()->count; i++) {
		const char *word = record_area_words()->items[i].word;

		assert_non_null(site_team(s, (enum record_area)record_area_words()->items[i].value));
		assert_int_equal(strncmp(site_team(s, (enum record_area)record_area_words()->items[i].value),
		                         word, strlen(word)), 0);
	}
	assert_true(site_add(s, "cuda:0", &layers));
	for (size_t k = 1; k <= record_layer_kind_words()->count; k++) {
		bool wanted = record_layer_traits_of((enum record_layer_kind)k)->example[0] != '\0', found = false;

		for (size_t i = 0; i < layers.count; i++)
			found = found || layers.items[i].layer == (enum record_layer_kind)k;
		assert_true(found == (wanted || k == RECORD_LAYER_SITE));
	}
	layout_list_clear(record_layer_layout(), &layers);
}

/* The template is sound, and so is it with every line taken out of its comment. */
static void template_is_sound(void **state)
{
	char *body = site_template(), *bare = memory_text(body), *to = bare;
	site *s = read_site(body);

	(void)state;
	for (const char *line = body; *line != '\0';) {
		size_t size = strcspn(line, "\n") + 1;
		bool setting = strncmp(line, "; ", 2) == 0 &&
		               (line[2] == '[' || (memchr(line, '=', size) != NULL &&
		                                   strcspn(line + 2, " ") + 2 ==
		                                   (size_t)((char *)memchr(line, '=', size) - line) - 1));
		const char *from = setting ? line + 2 : line;

		memcpy(to, from, (size_t)(line + size - from));
		to += line + size - from;
		line += size;
	}
	*to = '\0';
	site_free(s);
	s = read_site(bare);
	assert_string_equal(site_value(s, "cuda:0", "hardware-power-cap"), "350 W");
	assert_string_equal(site_owner(s, "compiler", "GCC", NULL), "our toolchain team");
	template_has_all(s);
	site_free(s);
	free(bare);
	free(body);
}

static void makers(void **state)
{
	const char *src = getenv("SRC");
	char *path = memory_format("%s/core/executor/makers.ini", src != NULL ? src : "."), *body = NULL;
	size_t size;
	site *s;

	(void)state;
	assert_int_equal(file_read(path, &body, &size, NULL), EH_OK);
	s = read_site(body);
	assert_string_equal(site_maker(s, "driver", "nvidia", NULL), "NVIDIA");
	assert_string_equal(site_maker(s, "driver", "amdgpu", NULL), "AMD");
	assert_string_equal(site_maker(s, "driver", "xe", NULL), "Intel");
	assert_string_equal(site_maker(s, "driver", "pocl driver", NULL), "PoCL project");
	assert_string_equal(site_maker(s, "compiler", "gcc", NULL), "GCC project");
	assert_string_equal(site_maker(s, "compiler", "clang", NULL), "LLVM project");
	assert_string_equal(site_maker(s, "compiler", "nvrtc", NULL), "NVIDIA");
	assert_string_equal(site_maker(s, "runtime", "rusticl", NULL), "Mesa project");
	assert_string_equal(site_maker(s, "mapped-object", "libLLVM-15.so.1", NULL), "LLVM project");
	assert_string_equal(site_maker(s, "mapped-object", "libc.so.6", NULL), "GNU C Library");
	assert_string_equal(site_maker(s, "mapped-object", "libz.so.1", "/usr/lib/libz.so.1"),
	                    "distributor of the operating system");
	assert_null(site_maker(s, "mapped-object", "libz.so.1", "/usr/local/lib/libz.so.1"));
	assert_string_equal(site_maker(s, "harness", "backend cuda", NULL), "evenhand project");
	assert_null(site_maker(s, "harness", "backend mine", NULL));
	assert_string_equal(site_maker(s, "framework", "PyTorch", NULL), "PyTorch Foundation");
	assert_null(site_maker(s, "host", "host", NULL));
	assert_string_equal(site_maker(s, "operating-system", "Linux kernel", NULL), "Linux kernel");
	assert_null(site_maker(s, "compiler", "unheard-of", NULL));
	assert_null(site_maker(s, "no-kind", "gcc", NULL));
	site_free(s);
	free(body);
	free(path);
}

/* ---- layers that are declared, and who owns layers ------------------------------------------- */

static const record_layer *named_layer(const record_layer_list *layers, const char *name)
{
	for (size_t i = 0; i < layers->count; i++)
		if (strcmp(layers->items[i].name, name) == 0)
			return &layers->items[i];
	fail_msg("no layer %s", name);
	return NULL;
}

static void layers_are_declared(void **state)
{
	site *s = read_site("[site]\nframework = PyTorch@2.5.1 ,Triton@3.1\nmodel = me@lab/m@7\n"
	                    "configuration = batch@64\ndemand = chat\n"
	                    "[device gpus]\nmatch = cuda:*\nmodel = other@8\n");
	record_layer_list here = { 0 }, there = { 0 };

	(void)state;
	assert_true(site_add(s, "host:gcc", &here));
	assert_true(site_add(s, "cuda:0", &there));
	assert_int_equal(here.count, 5);
	assert_int_equal(named_layer(&here, "PyTorch")->layer, RECORD_LAYER_FRAMEWORK);
	assert_int_equal(named_layer(&here, "PyTorch")->source, RECORD_SOURCE_DECLARED);
	assert_string_equal(named_layer(&here, "PyTorch")->version, "2.5.1");
	assert_string_equal(named_layer(&here, "Triton")->version, "3.1");
	assert_string_equal(named_layer(&here, "me@lab/m")->version, "7");
	assert_string_equal(named_layer(&here, "chat")->version, "");
	assert_string_equal(record_layer_field(named_layer(&here, "batch"), "value")->value.text, "64");
	assert_string_equal(named_layer(&here, "batch")->version, "");
	assert_string_equal(named_layer(&there, "other")->version, "8");
	layout_list_clear(record_layer_layout(), &there);
	layout_list_clear(record_layer_layout(), &here);
	site_free(s);
}

static void expect_who(const record_layer_list *layers, const char *name, const char *maker,
                       const char *owner)
{
	const record_layer *layer = named_layer(layers, name);

	if (strcmp(text_or_empty(layer->maker), maker) != 0 ||
	    strcmp(text_or_empty(layer->owner), owner) != 0)
		fail_msg("%s: '%s', '%s'", name, text_or_empty(layer->maker), text_or_empty(layer->owner));
}

/* The team of a layer is that of its kind; a file has the team of its layer, a setting that of the
 * object that reads it; a pattern comes before all. */
static void teams(void **state)
{
	static const char body[] = "{\"name\":\"cuda:0\",\"digest\":\"\",\"simulated\":false,\"device\":{},\"layers\":["
		"{\"layer\":\"driver\",\"name\":\"nvidia\",\"source\":\"queried\",\"path\":\"/d.so\",\"maker\":\"unheard\"},"
		"{\"layer\":\"driver\",\"name\":\"odd\",\"source\":\"queried\",\"maker\":\"its own word\"},"
		"{\"layer\":\"compiler\",\"name\":\"gcc\",\"source\":\"queried\"},"
		"{\"layer\":\"compiler\",\"name\":\"clang\",\"source\":\"queried\"},"
		"{\"layer\":\"library\",\"name\":\"l\",\"source\":\"queried\",\"sha256\":\"\"},"
		"{\"layer\":\"host\",\"name\":\"host\",\"source\":\"queried\"},"
		"{\"layer\":\"harness\",\"name\":\"evenhand\",\"source\":\"declared\"},"
		"{\"layer\":\"mapped-object\",\"name\":\"d.so\",\"source\":\"measured\",\"path\":\"/d.so\"},"
		"{\"layer\":\"mapped-object\",\"name\":\"x.so\",\"source\":\"measured\",\"path\":\"/x.so\",\"sha256\":\"\"},"
		"{\"layer\":\"configuration\",\"name\":\"D_MODE\",\"source\":\"measured\",\"fields\":{"
		"\"value\":{\"value\":\"1\",\"source\":\"measured\"},\"read-by\":{\"value\":\"d.so, x.so\",\"source\":\"measured\"}}},"
		"{\"layer\":\"configuration\",\"name\":\"X_MODE\",\"source\":\"measured\",\"fields\":{"
		"\"value\":{\"value\":\"1\",\"source\":\"measured\"},\"read-by\":{\"value\":\"x.so\",\"source\":\"measured\"}}},"
		"{\"layer\":\"configuration\",\"name\":\"batch\",\"source\":\"declared\",\"fields\":{"
		"\"value\":{\"value\":\"64\",\"source\":\"declared\"}}}]}";
	site *s = read_site("[teams]\ndriver = GPU team\ncompiler = toolchain\nkernel-libraries = kernels\n"
	                    "facilities = hall\nserving = inference\n"
	                    "[owner gcc]\nname = the gcc people\ncompiler = gcc*\n"
	                    "[maker ours]\nname = Example Corp.\ndriver = nvidia\n");
	record_executor *record = layout_new(record_executor_layout());
	eh_error error = ERROR_INIT;

	(void)state;
	if (layout_read(record_executor_layout(), body, strlen(body), "record", record, &error) != EH_OK)
		fail_msg("%s", error.message);
	site_own(s, &record->layers);
	expect_who(&record->layers, "nvidia", "Example Corp.", "GPU team");
	expect_who(&record->layers, "odd", "its own word", "GPU team");
	assert_string_equal(named_layer(&record->layers, "gcc")->owner, "the gcc people");
	assert_string_equal(named_layer(&record->layers, "clang")->owner, "toolchain");
	assert_string_equal(named_layer(&record->layers, "l")->owner, "kernels");
	assert_string_equal(named_layer(&record->layers, "host")->owner, "hall");
	assert_null(named_layer(&record->layers, "evenhand")->owner);
	assert_string_equal(named_layer(&record->layers, "d.so")->owner, "GPU team");
	assert_null(named_layer(&record->layers, "x.so")->owner);
	assert_string_equal(named_layer(&record->layers, "D_MODE")->owner, "GPU team");
	assert_null(named_layer(&record->layers, "X_MODE")->owner);
	expect_who(&record->layers, "batch", "", "inference");
	layout_free(record_executor_layout(), record);
	site_free(s);
}

static record_executor *gpu_record(const char *extra)
{
	char *body = memory_format("{\"name\":\"cuda:0\",\"digest\":\"\",\"simulated\":false,"
	                           "\"device\":{\"type\":\"gpu\",\"name\":\"H\",\"memory_bytes\":5},"
	                           "\"layers\":[%s]}", extra);
	record_executor *record = layout_new(record_executor_layout());

	assert_int_equal(layout_read(record_executor_layout(), body, strlen(body), "record", record,
	                             NULL), EH_OK);
	free(body);
	return record;
}

static void sources(void **state)
{
	record_executor *record = gpu_record(
		"{\"layer\":\"hardware\",\"name\":\"device\",\"source\":\"queried\",\"fields\":"
		"{\"ecc\":{\"value\":\"\",\"source\":\"unavailable\"}}},"
		"{\"layer\":\"driver\",\"name\":\"d\",\"version\":\"5\",\"source\":\"queried\",\"fields\":{}},"
		"{\"layer\":\"site\",\"name\":\"site\",\"source\":\"declared\",\"fields\":"
		"{\"hardware-ecc\":{\"value\":\"on\",\"source\":\"declared\"}}}");
	disclosure found;

	(void)state;
	assert_true(disclosure_find(record, NULL, disclosure_field_find("hardware.ecc"), &found));
	assert_int_equal(found.source, RECORD_SOURCE_DECLARED);
	assert_string_equal(found.value, "on");
	assert_true(disclosure_find(record, NULL, disclosure_field_find("driver.version"), &found));
	assert_int_equal(found.source, RECORD_SOURCE_QUERIED);
	assert_false(disclosure_find(record, NULL, disclosure_field_find("hardware.power-cap"), &found));
	assert_int_equal(found.source, RECORD_SOURCE_UNAVAILABLE);
	assert_false(disclosure_find(record, NULL, disclosure_field_find("device.uuid"), &found));
	assert_true(disclosure_find(record, NULL, disclosure_field_find("device.memory"), &found));
	assert_null(disclosure_field_find("hardware.eec"));
	assert_string_equal(disclosure_field_near("hardware.eec"), "hardware.ecc");
	layout_free(record_executor_layout(), record);
}

/* Every field that can be declared is declared by its key. */
static void declarable(void **state)
{
	const disclosure_field *all;
	size_t count = disclosure_fields(&all), declared = 0;

	(void)state;
	for (size_t i = 0; i < count; i++) {
		char *body;
		site *s;

		if (all[i].site_key == NULL)
			continue;
		body = memory_format("[site]\n%s = vendor\n", all[i].site_key);
		s = read_site(body);
		assert_string_equal(site_value(s, "x:0", all[i].site_key), "vendor");
		declared++;
		site_free(s);
		free(body);
	}
	assert_true(declared > 15);
}

static protocol certified_protocol(void)
{
	static char none[] = "";

	return (protocol){ .level = RECORD_LEVEL_CERTIFIED, .requires = none };
}

/* A record with every certified field, in the plainest form. */
static record_executor *full_record(const char *maker)
{
	char *layers = memory_format(
		"{\"layer\":\"hardware\",\"name\":\"device\",\"source\":\"queried\",\"fields\":{}},"
		"{\"layer\":\"firmware\",\"name\":\"f\",\"version\":\"1\",\"source\":\"queried\",\"fields\":{}},"
		"{\"layer\":\"driver\",\"name\":\"d\",\"version\":\"5\",\"maker\":\"%s\",\"source\":\"queried\",\"fields\":{}},"
		"{\"layer\":\"runtime\",\"name\":\"r\",\"version\":\"5\",\"owner\":\"x\",\"source\":\"queried\",\"fields\":{}},"
		"{\"layer\":\"compiler\",\"name\":\"c\",\"version\":\"5\",\"maker\":\"x\",\"source\":\"queried\",\"fields\":{\"flags\":{\"value\":\"-O3\",\"source\":\"queried\"}}},"
		"{\"layer\":\"operating-system\",\"name\":\"o\",\"version\":\"1\",\"source\":\"queried\",\"fields\":{}},"
		"{\"layer\":\"host\",\"name\":\"host\",\"source\":\"queried\",\"fields\":{\"virtualization\":{\"value\":\"none\",\"source\":\"measured\"},"
		"\"container\":{\"value\":\"none\",\"source\":\"measured\"}}},"
		"{\"layer\":\"harness\",\"name\":\"evenhand\",\"source\":\"declared\",\"fields\":{\"commit\":{\"value\":\"abc\",\"source\":\"declared\"}}}", maker);
	record_executor *record = gpu_record(layers);
	site *s = read_site("[site]\ncooling = air\npower-policy = p\ntester = t\nparty = buyer\n"
	                    "hardware-ecc = on\nhardware-clocks = 1\nhardware-power-cap = 1\n"
	                    "host-governor = g\nhost-microcode = m\n");

	assert_true(site_add(s, "cuda:0", &record->layers));
	site_free(s);
	free(layers);
	return record;
}

static void certified(void **state)
{
	static const record_harness clean = { .dirty = false }, dirty = { .dirty = true };
	protocol p = certified_protocol();
	record_executor *record = full_record("x"), *unnamed = full_record(""), *bare =
		gpu_record("");
	text out = { 0 };

	(void)state;
	assert_int_equal(certify_record(&p, record, NULL, &clean, &out), 0);
	assert_int_equal(certify_record(&p, record, NULL, &dirty, &out), 1);
	assert_non_null(strstr(out.data, "changed or unknown tree"));
	text_free(&out);
	assert_int_equal(certify_record(&p, unnamed, NULL, &clean, &out), 1);
	assert_non_null(strstr(out.data, "nobody is named for the layer driver d"));
	text_free(&out);
	record->simulated = true;
	assert_int_equal(certify_record(&p, record, NULL, &clean, &out), 1);
	assert_non_null(strstr(out.data, "simulated"));
	text_free(&out);
	assert_true(certify_record(&p, bare, NULL, &clean, &out) > 15);
	assert_non_null(strstr(out.data, "cuda:0: hardware.ecc is not disclosed"));
	assert_non_null(strstr(out.data, "hardware-ecc = ... in the site file"));
	text_free(&out);
	layout_free(record_executor_layout(), bare);
	layout_free(record_executor_layout(), unnamed);
	layout_free(record_executor_layout(), record);
}

static void required_only(void **state)
{
	static const record_harness dirty = { .dirty = true };
	char asked[] = "device.uuid, driver.version";
	protocol p = { .level = RECORD_LEVEL_STANDARD, .requires = asked };
	record_executor *record = full_record("");
	text out = { 0 };

	(void)state;
	assert_int_equal(certify_record(&p, record, NULL, &dirty, &out), 1);
	assert_non_null(strstr(out.data, "device.uuid is not disclosed"));
	text_free(&out);
	layout_free(record_executor_layout(), record);
}

static const record_field *device_field(const record_executor *record, const char *key)
{
	const record_field *field = record_layer_field(&record->layers.items[0], key);

	assert_int_equal(record->layers.items[0].layer, RECORD_LAYER_HARDWARE);
	assert_non_null(field);
	return field;
}

static record_executor *facts_of(const char *root, const eh_device_info *info)
{
	record_executor *record = layout_new(record_executor_layout());

	executor_device(info, &record->device);
	executor_device_facts(&record->layers, root, &record->device);
	return record;
}

static void expect_number(const record_executor *record, const char *key, double wanted)
{
	double value = device_field(record, key)->value.number;

	assert_true(value > wanted - 1 && value < wanted + 1);
}

static void facts_of_devices(void **state)
{
	const char *src = getenv("SRC");
	char *root = memory_format("%s/tests/replay/server", src != NULL ? src : ".");
	eh_device_info gpu = { .struct_size = sizeof(gpu), .type = EH_DEVICE_GPU, .clock_mhz = 1500,
		               .numa_node = -1, .name = "G", .uuid = "u", .pci = "0000:3b:00.0" };
	eh_device_info cpu = { .struct_size = sizeof(cpu), .type = EH_DEVICE_CPU, .numa_node = -1 };
	record_executor *record = facts_of(root, &gpu);

	(void)state;
	expect_number(record, "clock-max-mhz", 1500);
	expect_number(record, "power-cap-watts", 300);
	assert_string_equal(device_field(record, "partition")->value.text, "SPX");
	assert_int_equal(device_field(record, "ecc")->source, RECORD_SOURCE_UNAVAILABLE);
	assert_string_equal(record->layers.items[1].version, "113-TEST");
	layout_free(record_executor_layout(), record);
	record = facts_of(root, &cpu);
	assert_string_equal(device_field(record, "ecc")->value.text, "on");
	expect_number(record, "power-cap-watts", 270);
	layout_free(record_executor_layout(), record);
	free(root);
}

/* The firmware's version comes from NVIDIA's kernel module where no file of the bus has it. */
static void facts_of_the_h100(void **state)
{
	const char *src = getenv("SRC");
	char *root = memory_format("%s/tests/replay/h100", src != NULL ? src : ".");
	eh_device_info gpu = { .struct_size = sizeof(gpu), .type = EH_DEVICE_GPU, .clock_mhz = 1980,
		               .numa_node = -1, .name = "NVIDIA H100 80GB HBM3", .pci = "0000:00:06.0" };
	record_executor *record = facts_of(root, &gpu);

	(void)state;
	assert_string_equal(record->layers.items[1].name, "device firmware");
	assert_string_equal(record->layers.items[1].version, "96.00.a5.00.01");
	assert_int_equal(device_field(record, "power-cap-watts")->source, RECORD_SOURCE_UNAVAILABLE);
	layout_free(record_executor_layout(), record);
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(strict), cmocka_unit_test(device_before_site), cmocka_unit_test(nameplates),
		cmocka_unit_test(template_is_sound), cmocka_unit_test(makers),
		cmocka_unit_test(layers_are_declared), cmocka_unit_test(teams),
		cmocka_unit_test(sources), cmocka_unit_test(declarable),
		cmocka_unit_test(certified), cmocka_unit_test(required_only),
		cmocka_unit_test(facts_of_devices), cmocka_unit_test(facts_of_the_h100),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
