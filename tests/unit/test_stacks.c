/* SPDX-License-Identifier: Apache-2.0 */
/* Which differences of two stacks are one change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/stacks.h"
#include "base/text.h"

/* A layer: kind, name, version, maker, file (path and digest), a field.  Of a variable the version is its
 * value, the key who reads it, and the value who set it. */
typedef struct layer_words { const char *kind, *name, *version, *maker, *file, *key, *value; } layer_words;

static int layer_kind(const char *word)
{
	return layout_word_value(record_layer_kind_words(), word, strlen(word));
}

static void add_field(record_layer *layer, const char *name, const char *value)
{
	record_field *field = layout_append(record_field_layout(), &layer->fields);

	text_set(&field->name, name);
	field->value = (scalar){ .kind = SCALAR_TEXT, .text = memory_text(value) };
	field->source = RECORD_SOURCE_QUERIED;
}

static void add_setting(record_layer *layer, const layer_words *words)
{
	text_set(&layer->version, "");
	if (words->file == NULL)
		add_field(layer, "value", words->version);
	add_field(layer, "read-by", words->key);
	if (words->value != NULL)
		add_field(layer, "set-by", words->value);
}

static void add_layer(record_executor *e, const layer_words *words)
{
	record_layer *layer = layout_append(record_layer_layout(), &e->layers);

	layer->layer = (enum record_layer_kind)layer_kind(words->kind);
	text_set(&layer->name, words->name);
	text_set(&layer->version, words->version);
	text_set(&layer->maker, words->maker);
	layer->source = RECORD_SOURCE_QUERIED;
	text_set(&layer->path, words->file);
	text_set(&layer->sha256, words->file);
	if (layer->layer == RECORD_LAYER_CONFIGURATION)
		add_setting(layer, words);
	else if (words->key != NULL)
		add_field(layer, words->key, words->value);
}

static record_executor *record_of(const char *name, const char *type, const layer_words *layers)
{
	record_executor *e = layout_new(record_executor_layout());

	text_set(&e->name, name);
	text_set(&e->device.type, type);
	text_set(&e->device.name, "a device");
	for (; layers->kind != NULL; layers++)
		add_layer(e, layers);
	return e;
}

/* How many changes it is; title: of the first, may be NULL. */
static size_t groups(const char *type, const char *name_a, const layer_words *a, const char *name_b,
                     const layer_words *b, const char *title, const char *maker)
{
	record_executor *x = record_of(name_a, type, a), *y = record_of(name_b, type, b);
	attribution_step *step = layout_new(attribution_step_layout());
	size_t count;

	(void)stacks_compare(x, y, false, &step->groups);
	count = step->groups.count;
	assert_int_equal(stacks_changes(y, x, false), count);
	if (title != NULL) {
		assert_true(count > 0);
		assert_non_null(strstr(step->groups.items[0].title, title));
		assert_string_equal(step->groups.items[0].maker, maker);
	}
	for (size_t i = 0; i < count; i++)
		assert_true(step->groups.items[i].changes.count > 0);
	layout_free(attribution_step_layout(), step);
	layout_free(record_executor_layout(), y);
	layout_free(record_executor_layout(), x);
	return count;
}

#define SAME(type, a, b, title, maker) groups(type, "x:0", a, "x:0", b, title, maker)
#define LAST { 0 }
#define CPU { "hardware", "Xeon", "", "Intel", NULL, "stepping", "8" }
#define HOST { "host", "host", "", "site", NULL, "now-load", "1" }
#define HOST_LATER { "host", "host", "", "site", NULL, "now-load", "7" }

static void one_compiler(void **state)
{
	static const layer_words a[] = { CPU, HOST, { "compiler", "gcc", "12", "GCC", "/gcc", "flags", "-O2" }, LAST };
	static const layer_words b[] = { CPU, HOST_LATER, { "compiler", "clang", "14", "LLVM", "/clang", "flags", "-O2" }, LAST };
	static const layer_words flags[] = { CPU, HOST, { "compiler", "gcc", "12", "GCC", "/gcc", "flags", "-O3" }, LAST };

	(void)state;
	assert_int_equal(SAME("cpu", a, a, NULL, NULL), 0);
	assert_int_equal(SAME("cpu", a, b, "compiler gcc 12 -> clang 14", "LLVM"), 1);
	assert_int_equal(SAME("cpu", a, flags, "compiler gcc 12 changed", "GCC"), 1);
}

/* The driver, the runtime and the compiler are one library. */
static void one_file(void **state)
{
	static const layer_words a[] = { { "driver", "pocl driver", "3.1", "PoCL", "/pocl3", NULL, NULL },
		{ "runtime", "PoCL", "OpenCL 3.0 3.1", "PoCL", "/pocl3", NULL, NULL },
		{ "compiler", "pocl", "3.1 (LLVM 15)", "PoCL", "/pocl3", NULL, NULL },
		{ "mapped-object", "libpocl.so.2.10", "", "PoCL", "/pocl3", NULL, NULL }, LAST };
	static const layer_words b[] = { { "driver", "pocl driver", "4.0", "PoCL", "/pocl4", NULL, NULL },
		{ "runtime", "PoCL", "OpenCL 3.0 4.0", "PoCL", "/pocl4", NULL, NULL },
		{ "compiler", "pocl", "4.0 (LLVM 16)", "PoCL", "/pocl4", NULL, NULL },
		{ "mapped-object", "libpocl.so.2.11", "", "PoCL", "/pocl4", NULL, NULL },
		{ "mapped-object", "libnew.so.1", "", "x", "/new", NULL, NULL }, LAST };
	static const layer_words more[] = { { "driver", "pocl driver", "4.0", "PoCL", "/pocl4", NULL, NULL },
		{ "runtime", "PoCL", "OpenCL 3.0 4.0", "PoCL", "/pocl4", NULL, NULL },
		{ "compiler", "pocl", "4.0 (LLVM 16)", "PoCL", "/pocl4", NULL, NULL },
		{ "mapped-object", "libpocl.so.2.11", "", "PoCL", "/pocl4", NULL, NULL },
		{ "operating-system", "Linux kernel", "7", "Linux", NULL, NULL, NULL }, LAST };

	(void)state;
	assert_int_equal(SAME("cpu", a, b, "driver pocl driver 3.1 -> 4.0, LLVM 15 -> 16", "PoCL"), 1);
	assert_int_equal(SAME("cpu", a, more, NULL, NULL), 2);
}

/* The kernel module, the library and the firmware of one release. */
static void one_release(void **state)
{
	static const layer_words a[] = { { "driver", "nvidia", "535", "NVIDIA", "/nv.ko", NULL, NULL },
		{ "runtime", "libcuda", "535", "NVIDIA", "/libcuda5", NULL, NULL },
		{ "compiler", "nvrtc", "12.2", "NVIDIA", "/nvrtc", NULL, NULL }, LAST };
	static const layer_words b[] = { { "driver", "nvidia", "550", "NVIDIA", "/nv2.ko", NULL, NULL },
		{ "runtime", "libcuda", "550", "NVIDIA", "/libcuda6", NULL, NULL },
		{ "compiler", "nvrtc", "12.2", "NVIDIA", "/nvrtc", NULL, NULL }, LAST };
	static const layer_words both[] = { { "driver", "nvidia", "550", "NVIDIA", "/nv2.ko", NULL, NULL },
		{ "runtime", "libcuda", "550", "NVIDIA", "/libcuda6", NULL, NULL },
		{ "compiler", "nvrtc", "12.4", "NVIDIA", "/nvrtc4", NULL, NULL }, LAST };

	(void)state;
	assert_int_equal(SAME("gpu", a, b, "driver nvidia 535 -> 550", "NVIDIA"), 1);
	assert_int_equal(SAME("gpu", a, both, NULL, NULL), 2);
}

static void one_machine(void **state)
{
	static const layer_words a[] = { { "hardware", "device", "", "maker", NULL, "uuid", "1" },
		{ "interconnect", "PCI 3b", "", "maker", NULL, NULL, NULL },
		{ "firmware", "device firmware", "1", "maker", NULL, NULL, NULL }, LAST };
	static const layer_words b[] = { { "hardware", "device", "", "maker", NULL, "uuid", "2" },
		{ "interconnect", "PCI 5e", "", "maker", NULL, NULL, NULL },
		{ "firmware", "device firmware", "2", "maker", NULL, NULL, NULL }, LAST };

	(void)state;
	assert_int_equal(SAME("gpu", a, b, "hardware device changed", "maker"), 1);
}

/* A library that both map is a change; one that only one maps follows from another change. */
static void libraries(void **state)
{
	static const layer_words a[] = { { "compiler", "gcc", "12", "GCC", "/gcc", NULL, NULL },
		{ "mapped-object", "libm.so.6", "", "glibc", "/m1", NULL, NULL },
		{ "mapped-object", "libc.so.6", "", "glibc", "/c1", NULL, NULL }, LAST };
	static const layer_words libc[] = { { "compiler", "gcc", "12", "GCC", "/gcc", NULL, NULL },
		{ "mapped-object", "libm.so.6", "", "glibc", "/m2", NULL, NULL },
		{ "mapped-object", "libc.so.6", "", "glibc", "/c2", NULL, NULL }, LAST };
	static const layer_words preload[] = { { "compiler", "gcc", "12", "GCC", "/gcc", NULL, NULL },
		{ "mapped-object", "libm.so.6", "", "glibc", "/m1", NULL, NULL },
		{ "mapped-object", "libc.so.6", "", "glibc", "/c1", NULL, NULL },
		{ "mapped-object", "libfast.so", "", "", "/fast", NULL, NULL }, LAST };
	static const layer_words clang[] = { { "compiler", "clang", "14", "LLVM", "/clang", NULL, NULL },
		{ "mapped-object", "libm.so.6", "", "glibc", "/m1", NULL, NULL },
		{ "mapped-object", "libc.so.6", "", "glibc", "/c1", NULL, NULL },
		{ "mapped-object", "libomp.so", "", "LLVM", "/omp", NULL, NULL }, LAST };

	(void)state;
	assert_int_equal(SAME("cpu", a, libc, "file libm.so.6 changed", "glibc"), 1);
	assert_int_equal(SAME("cpu", a, preload, "file libfast.so added", ""), 1);
	assert_int_equal(SAME("cpu", a, clang, "compiler gcc 12 -> clang 14", "LLVM"), 1);
}

#define BACKEND(x) { "harness", "backend " x, "1", "evenhand", "/" x ".so", NULL, NULL }
#define POCL CPU, HOST, { "hardware", "a device", "", "x", NULL, NULL, NULL }, \
	{ "runtime", "PoCL", "LLVM 15.0.6", "PoCL", "/pocl", NULL, NULL }, \
	{ "compiler", "pocl", "3.1 (LLVM 15.0.6, SLEEF)", "PoCL", "/pocl", NULL, NULL }, BACKEND("opencl")
#define THREADS { "runtime", "evenhand host threads", "", "evenhand", NULL, NULL, NULL }

/* Another interface is one change; what generates the code can be held apart from it. */
static void interfaces(void **state)
{
	static const layer_words gcc[] = { CPU, HOST, THREADS, { "compiler", "gcc", "12", "GCC", "/gcc", NULL, NULL }, BACKEND("host"), LAST };
	static const layer_words clang[] = { CPU, HOST, THREADS, { "compiler", "clang", "15.0.6", "LLVM", "/clang", NULL, NULL }, BACKEND("host"), LAST };
	static const layer_words older[] = { CPU, HOST, THREADS, { "compiler", "clang", "14.0.6", "LLVM", "/clang", NULL, NULL }, BACKEND("host"), LAST };
	static const layer_words pocl[] = { POCL, LAST };

	(void)state;
	assert_int_equal(groups("cpu", "host:gcc", gcc, "opencl:pocl", pocl, NULL, NULL), 2);
	assert_int_equal(groups("cpu", "host:clang", older, "opencl:pocl", pocl, NULL, NULL), 2);
	assert_int_equal(groups("cpu", "host:clang", clang, "opencl:pocl", pocl,
	                        "programming interface host -> opencl", "PoCL"), 1);
}

static void site_facts(void **state)
{
	static const layer_words a[] = { { "site", "site", "", "op", NULL, "notes", "x" }, LAST };
	static const layer_words b[] = { { "site", "site", "", "op", NULL, "notes", "y" }, LAST };
	static const layer_words air[] = { { "site", "site", "", "op", NULL, "cooling", "air" }, LAST };
	static const layer_words water[] = { { "site", "site", "", "op", NULL, "cooling", "water" }, LAST };

	(void)state;
	assert_int_equal(SAME("cpu", a, b, NULL, NULL), 0);
	assert_int_equal(SAME("cpu", air, water, "site site changed", "op"), 1);
}

#define DECLARED(kind, name, version) { kind, name, version, "", NULL, NULL, NULL }

/* The floors above the device's stack are changes of their own; what was bought is one with its
 * hardware. */
static void declared(void **state)
{
	static const layer_words a[] = { { "hardware", "device", "", "maker", NULL, "uuid", "1" },
		DECLARED("framework", "PyTorch", "2.4"), DECLARED("model", "m", "1"),
		DECLARED("procurement", "small", ""), { "configuration", "batch", "32", "", NULL, "", NULL }, LAST };
	static const layer_words model[] = { { "hardware", "device", "", "maker", NULL, "uuid", "1" },
		DECLARED("framework", "PyTorch", "2.4"), DECLARED("model", "m", "2"),
		DECLARED("procurement", "small", ""), { "configuration", "batch", "32", "", NULL, "", NULL }, LAST };
	static const layer_words more[] = { { "hardware", "device", "", "maker", NULL, "uuid", "1" },
		DECLARED("framework", "PyTorch", "2.5"), DECLARED("model", "m", "1"), DECLARED("demand", "chat", ""),
		DECLARED("procurement", "small", ""), { "configuration", "batch", "32", "", NULL, "", NULL }, LAST };
	static const layer_words bought[] = { { "hardware", "device", "", "maker", NULL, "uuid", "2" },
		DECLARED("framework", "PyTorch", "2.4"), DECLARED("model", "m", "1"),
		DECLARED("procurement", "large", ""), { "configuration", "batch", "32", "", NULL, "", NULL }, LAST };
	static const layer_words batch[] = { { "hardware", "device", "", "maker", NULL, "uuid", "1" },
		DECLARED("framework", "PyTorch", "2.4"), DECLARED("model", "m", "1"),
		DECLARED("procurement", "small", ""), { "configuration", "batch", "64", "", NULL, "", NULL }, LAST };
	static const layer_words unset[] = { { "hardware", "device", "", "maker", NULL, "uuid", "1" },
		DECLARED("framework", "PyTorch", "2.5"), DECLARED("model", "m", "1"),
		DECLARED("procurement", "small", ""), LAST };

	(void)state;
	assert_int_equal(SAME("gpu", a, model, "model m 1 -> 2", ""), 1);
	assert_int_equal(SAME("gpu", a, more, NULL, NULL), 2);
	assert_int_equal(SAME("gpu", a, bought, "hardware device changed", "maker"), 1);
	assert_int_equal(SAME("gpu", a, batch, "configuration batch: 32 -> 64", ""), 1);
	/* A declared setting that one side lacks does not follow from something else. */
	assert_int_equal(SAME("gpu", a, unset, NULL, NULL), 2);
}

#define LIB(version) { "mapped-object", "libx.so." version, "", "X", "/x" version, NULL, NULL }
#define SET(name, value, by) { "configuration", name, value, "X", NULL, by, NULL }

/* A variable that both sides would read is a change of its own; one that only one side reads follows
 * from its object, and one that the worker set from whoever set it. */
static void settings(void **state)
{
	static const layer_words none[] = { HOST, LIB("1"), LAST };
	static const layer_words one[] = { HOST, LIB("1"), SET("X_THREADS", "1", "libx.so.1"), LAST };
	static const layer_words two[] = { HOST, LIB("1"), SET("X_THREADS", "2", "liby.so.1, libx.so.1"), LAST };
	static const layer_words others[] = { HOST, LIB("1"), SET("X_THREADS", "1", "libx.so.1"),
		SET("X_MODE", "fast", "libx.so.1"), LAST };
	static const layer_words newer[] = { HOST, LIB("2"), SET("X_THREADS", "1", "libx.so.2"), LAST };
	static const layer_words unread[] = { HOST, { "compiler", "gcc", "12", "GCC", "/gcc", NULL, NULL }, LAST };
	static const layer_words read[] = { HOST, { "compiler", "clang", "14", "LLVM", "/clang", NULL, NULL },
		{ "mapped-object", "libz.so.1", "", "Z", "/z", NULL, NULL }, SET("Z_MODE", "1", "libz.so.1"), LAST };
	static const layer_words made[] = { HOST, { "compiler", "clang", "14", "LLVM", "/clang", NULL, NULL }, LIB("1"),
		{ "configuration", "X_PATH", "/dev/null", "X", NULL, "libx.so.1", "worker" }, LAST };
	static const layer_words unmade[] = { HOST, { "compiler", "gcc", "12", "GCC", "/gcc", NULL, NULL }, LIB("1"), LAST };

	(void)state;
	assert_int_equal(SAME("cpu", one, one, NULL, NULL), 0);
	assert_int_equal(SAME("cpu", none, one, "configuration X_THREADS: (not set) -> 1", "X"), 1);
	assert_int_equal(SAME("cpu", one, none, "configuration X_THREADS: 1 -> (not set)", "X"), 1);
	assert_int_equal(SAME("cpu", one, two, "configuration X_THREADS: 1 -> 2", "X"), 1);
	assert_int_equal(SAME("cpu", none, others, NULL, NULL), 2);
	assert_int_equal(SAME("cpu", one, newer, "file libx.so.1 -> libx.so.2", "X"), 1);
	assert_int_equal(SAME("cpu", none, newer, NULL, NULL), 2);
	assert_int_equal(SAME("cpu", unread, read, "compiler gcc 12 -> clang 14", "LLVM"), 1);
	assert_int_equal(SAME("cpu", unmade, made, "compiler gcc 12 -> clang 14", "LLVM"), 1);
}

static record_executor *with_blas(const char *kernel, const char *by, const char *threads, const char *core)
{
	const layer_words layers[] = { LIB("1"), { "library", "x", "1", "X", "/x1", "kernel", kernel },
		core != NULL ? (layer_words)SET("X_CORE", core, "libx.so.1") : (layer_words)LAST, LAST };
	record_executor *e = record_of("x:0", "cpu", layers);

	add_field(&e->layers.items[1], "picked", by);
	add_field(&e->layers.items[1], "threads", threads);
	return e;
}

/* Takes both.  How many changes; title: of the first, exactly. */
static size_t choices(record_executor *x, record_executor *y, const char *title)
{
	attribution_step *step = layout_new(attribution_step_layout());
	size_t count;

	(void)stacks_compare(x, y, false, &step->groups);
	count = step->groups.count;
	assert_int_equal(stacks_changes(y, x, false), count);
	if (title != NULL)
		assert_string_equal(step->groups.items[0].title, title);
	layout_free(attribution_step_layout(), step);
	layout_free(record_executor_layout(), y);
	layout_free(record_executor_layout(), x);
	return count;
}

/* A library says which variable picked its kernel: both are one change, unless more of it differs. */
static void choice(void **state)
{
	const char *by_itself = "get_core (cpuid)", *told = "get_core (X_CORE)";

	(void)state;
	assert_int_equal(choices(with_blas("new", by_itself, "2", NULL), with_blas("old", told, "2", "old"),
	                         "configuration X_CORE: (not set) -> old, x kernel: new -> old"), 1);
	assert_int_equal(choices(with_blas("old", told, "2", "old"), with_blas("new", told, "2", "new"),
	                         "configuration X_CORE: old -> new, x kernel: old -> new"), 1);
	assert_int_equal(choices(with_blas("new", by_itself, "2", NULL), with_blas("new", told, "2", "new"),
	                         "configuration X_CORE: (not set) -> new"), 1);
	assert_int_equal(choices(with_blas("new", by_itself, "2", NULL), with_blas("old", told, "4", "old"), NULL), 2);
	assert_int_equal(choices(with_blas("new", by_itself, "2", NULL),
	                         with_blas("old", "get_core (MY_X_CORE)", "2", "old"), NULL), 2);
	assert_int_equal(choices(with_blas("new", by_itself, "2", NULL),
	                         with_blas("old", "get_core (X_CORE2)", "2", "old"), NULL), 2);
}

/* The same variable does not explain another file. */
static void choice_of_another_file(void **state)
{
#define BLAS(file) { "library", "x", "1", "X", file, "picked", "get_core (X_CORE)" }
	static const layer_words one[] = { HOST, LIB("1"), BLAS("/x1"), SET("X_CORE", "old", "libx.so.1"), LAST };
	static const layer_words other[] = { HOST, LIB("1"), BLAS("/x2"), SET("X_CORE", "new", "libx.so.1"), LAST };

	(void)state;
	assert_int_equal(SAME("cpu", one, other, NULL, NULL), 2);
}

/* A package brings its files below /usr/share; those of /etc are edited by people. */
static void setting_files(void **state)
{
	static const layer_words a[] = { HOST, LIB("1"),
		{ "configuration", "/usr/share/x/x.conf", "", "X", "/c1", "libx.so.1", NULL }, LAST };
	static const layer_words b[] = { HOST, LIB("2"),
		{ "configuration", "/usr/share/x/x.conf", "", "X", "/c2", "libx.so.2", NULL }, LAST };
	static const layer_words edited[] = { HOST, LIB("1"),
		{ "configuration", "/usr/share/x/x.conf", "", "X", "/c2", "libx.so.1", NULL }, LAST };
	static const layer_words c[] = { HOST, LIB("1"),
		{ "configuration", "/etc/x.conf", "", "X", "/c1", "libx.so.1", NULL }, LAST };
	static const layer_words d[] = { HOST, LIB("2"),
		{ "configuration", "/etc/x.conf", "", "X", "/c2", "libx.so.2", NULL }, LAST };

	(void)state;
	assert_int_equal(SAME("cpu", a, b, "file libx.so.1 -> libx.so.2", "X"), 1);
	assert_int_equal(SAME("cpu", a, edited, "configuration /usr/share/x/x.conf: sha256 /c1 -> sha256 /c2", "X"), 1);
	assert_int_equal(SAME("cpu", c, d, NULL, NULL), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_compiler), cmocka_unit_test(one_file),
		cmocka_unit_test(one_release), cmocka_unit_test(one_machine),
		cmocka_unit_test(libraries), cmocka_unit_test(interfaces),
		cmocka_unit_test(site_facts), cmocka_unit_test(declared), cmocka_unit_test(settings),
		cmocka_unit_test(choice), cmocka_unit_test(choice_of_another_file), cmocka_unit_test(setting_files),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
