/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a stack: variables and files that its objects name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/digest.h"
#include "executor/executor.h"
#include "executor/needles.h"
#include "executor/objectdata.h"
#include "executor/unrecorded.h"
#include "golden.h"
#include "record/identity.h"
#include "record/redact.h"
#include "record/setting.h"

/* ---- the search ------------------------------------------------------------------------------ */

typedef struct hits { size_t count, last_tag, last_at; const char *start; } hits;

static void count_hit(void *context, enum needle_edges edges, size_t tag, const char *at,
                      const char *end)
{
	hits *h = context;

	(void)edges;
	(void)end;
	h->count++;
	h->last_tag = tag;
	h->last_at = (size_t)(at - h->start);
}

/* How often the text is found in the bytes. */
static size_t found(const char *what, enum needle_edges edges, const char *bytes, size_t size)
{
	needles *n = needles_new();
	hits h = { .start = bytes };

	needles_add(n, what, edges, 7);
	needles_search(n, bytes, size, count_hit, &h);
	needles_free(n);
	if (h.count > 0)
		assert_int_equal(h.last_tag, 7);
	return h.count;
}

#define IN(what, edges, bytes) found(what, edges, bytes, sizeof(bytes) - 1)

static void words(void **state)
{
	(void)state;
	assert_int_equal(IN("POCL_AFFINITY", NEEDLE_NAME, "x\0POCL_AFFINITY\0y"), 1);
	assert_int_equal(IN("POCL_AFFINITY", NEEDLE_NAME, "POCL_AFFINITY"), 1);
	assert_int_equal(IN("POCL_AFFINITY", NEEDLE_NAME, "set POCL_AFFINITY=1 or POCL_AFFINITY"), 2);
	assert_int_equal(IN("POCL_AFFINITY", NEEDLE_NAME, "POCL_AFFINITY_MASK"), 0);
	assert_int_equal(IN("POCL_AFFINITY", NEEDLE_NAME, "MY_POCL_AFFINITY"), 0);
	assert_int_equal(IN("POCL_AFFINITY", NEEDLE_NAME, "POCL_AFFINIT"), 0);
	/* Rust has no byte between texts. */
	assert_int_equal(IN("RUSTICL_ENABLE", NEEDLE_NAME, "falseRUSTICL_ENABLERUSTICL_DEBUG"), 1);
	assert_int_equal(IN("vblank_mode", NEEDLE_NAME, "\0vblank_mode\0vblank_modes\0"), 1);
	assert_int_equal(IN("Overridename", NEEDLE_NAME, "NoOverridename Overridenames"), 0);
}

static void short_words(void **state)
{
	(void)state;
	assert_int_equal(IN("CPATH", NEEDLE_NAME, "a\0CPATH\0b"), 1);
	assert_int_equal(IN("CPATH", NEEDLE_NAME, "a\0CPATHS\0 CPATH \0b"), 0);
	assert_int_equal(IN("CC", NEEDLE_NAME, "a\0CC\0b"), 0); /* too short to be looked for */
	assert_int_equal(IN("DEBUG", NEEDLE_NAME, "use DEBUG please\0DEBUG\0"), 1);
	assert_int_equal(IN(".drirc", NEEDLE_FILE, "%s/.drirc\0/.drircs\0.drirc\0.drirc"), 2);
	assert_int_equal(IN("icd.d/x.json", NEEDLE_FILE, "icd.d/x.json/icd.d/x.json.old"), 1);
	assert_int_equal(IN("/usr/share/", NEEDLE_START, "\0/usr/share/x:/usr/share/y ../usr/share/"), 2);
}

/* Many texts among random bytes, against a plain search. */
static void as_a_plain_search(void **state)
{
	enum { SIZE = 4000, TEXTS = 40 };
	char bytes[SIZE], texts[TEXTS][16];
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 50; round++) {
		needles *n = needles_new();
		hits h = { .start = bytes };
		size_t plain = 0;

		for (size_t i = 0; i < SIZE; i++)
			bytes[i] = "/ab/"[(seed = seed * 1664525 + 1013904223) >> 30];
		for (size_t i = 0; i < TEXTS; i++) {
			size_t size = 7 + i % 8;

			memcpy(texts[i], bytes + (seed = seed * 1664525 + 1013904223) % (SIZE - 20), size);
			texts[i][0] = '/';
			texts[i][size] = '\0';
			needles_add(n, texts[i], NEEDLE_START, i);
		}
		for (size_t i = 0; i < TEXTS; i++)
			for (size_t at = 0; at + strlen(texts[i]) <= SIZE; at++)
				plain += strncmp(bytes + at, texts[i], strlen(texts[i])) == 0 &&
				         (at == 0 || strchr("ab/", bytes[at - 1]) == NULL);
		needles_search(n, bytes, SIZE, count_hit, &h);
		assert_int_equal(h.count, plain);
		needles_free(n);
	}
}

/* Not a name that only a symbol or the code has. */
static const char in_the_data[] = "EVENHAND_TEST_NAME_IN_DATA";
void EVENHAND_TEST_NAME_OF_A_SYMBOL(void);
void EVENHAND_TEST_NAME_OF_A_SYMBOL(void) {}

static void sections(void **state)
{
	char *symbol = memory_format("EVENHAND_TEST_%s", "NAME_OF_A_SYMBOL");
	needles *n = needles_new();
	hits data = { .start = NULL };

	(void)state;
	needles_add(n, in_the_data, NEEDLE_NAME, 1);
	assert_true(objectdata_search("/proc/self/exe", n, count_hit, &data));
	assert_true(data.count >= 1);
	needles_free(n);
	n = needles_new();
	data.count = 0;
	needles_add(n, symbol, NEEDLE_NAME, 1);
	assert_true(objectdata_search("/proc/self/exe", n, count_hit, &data));
	assert_int_equal(data.count, 0);
	assert_false(objectdata_search("/nonexistent", n, count_hit, &data));
	assert_false(objectdata_search("/", n, count_hit, &data));
	needles_free(n);
	free(symbol);
}

/* ---- a made-up machine ----------------------------------------------------------------------- */

/* Writes below the test's folder; root: of the machine. */
static char *place(const char *path, const void *bytes, size_t size)
{
	char *name = memory_format("machine%s", path), *full = golden_scratch(name);
	char *folder = memory_text(full);

	*strrchr(folder, '/') = '\0';
	assert_int_equal(dir_make(folder, NULL), EH_OK);
	assert_int_equal(file_write(full, bytes, size, NULL), EH_OK);
	free(folder);
	free(name);
	return full;
}

static void put(const char *path, const char *body)
{
	free(place(path, body, strlen(body)));
}

#define OBJECT(path, bytes) place(path, bytes, sizeof(bytes) - 1)

static void add_object(record_executor *e, enum record_layer_kind kind, const char *path)
{
	record_layer *layer = layout_append(record_layer_layout(), &e->layers);

	layer->layer = kind;
	layer->source = RECORD_SOURCE_MEASURED;
	text_set(&layer->name, strrchr(path, '/') + 1);
	text_set(&layer->path, path);
}

typedef struct machine { record_executor *record; char *root; executor_files *files; } machine;

static machine machine_new(void)
{
	char *root = golden_scratch("machine"), *command = memory_format("rm -rf '%s'", root);

	assert_int_equal(system(command), 0);
	free(command);
	return (machine){ layout_new(record_executor_layout()), root, executor_files_new() };
}

static void machine_end(machine *m)
{
	layout_free(record_executor_layout(), m->record);
	executor_files_free(m->files);
	free(m->root);
}

/* Takes the path. */
static void map(machine *m, char *path)
{
	add_object(m->record, RECORD_LAYER_MAPPED_OBJECT, path);
	free(path);
}

static void configure(machine *m, const char *const *environment)
{
	executor_configuration(&m->record->layers, m->root, environment, m->files);
}

/* NULL when it is not recorded. */
static const record_layer *setting(const machine *m, const char *name)
{
	for (size_t i = 0; i < m->record->layers.count; i++)
		if (setting_is(&m->record->layers.items[i]) &&
		    strcmp(m->record->layers.items[i].name, name) == 0)
			return &m->record->layers.items[i];
	return NULL;
}

static const char *field(const record_layer *layer, const char *name)
{
	const record_field *f = layer != NULL ? record_layer_field(layer, name) : NULL;

	return f != NULL ? f->value.text : NULL;
}

static void expect(const machine *m, const char *name, const char *value)
{
	const record_layer *layer = setting(m, name);

	if (layer == NULL)
		fail_msg("%s is not recorded", name);
	assert_string_equal(field(layer, "value"), value);
}

static size_t settings(const machine *m)
{
	size_t count = 0;

	for (size_t i = 0; i < m->record->layers.count; i++)
		count += setting_is(&m->record->layers.items[i]);
	return count;
}

/* ---- variables ------------------------------------------------------------------------------- */

static void variables(void **state)
{
	static const char *const environment[] = {
		"OPENBLAS_CORETYPE=Haswell", "OPENBLAS_CORETYPE=Zen", "NOBODY_READS_IT=1", "HOME=/home/me",
		"OPENBLAS_EMPTY=", "LANG=C", "TERM=xterm", "PATH=/bin", "odd name=1", "no equals sign",
		"OMP_NUM_THREADS=4", "GLIBC_TUNABLES=glibc.cpu.x86=1", NULL };
	machine m = machine_new();

	(void)state;
	put("/proc/self/environ", "OPENBLAS_CORETYPE=Haswell");
	map(&m, OBJECT("/lib/libopenblas.so.0.3",
	               "\0OPENBLAS_CORETYPE\0HOME\0LANG\0TERM\0PATH\0OPENBLAS_EMPTY\0odd name\0"));
	map(&m, OBJECT("/lib/libother.so.1", "..OPENBLAS_CORETYPE.."));
	map(&m, OBJECT("/lib/libgomp.so.1", "\0NUM_THREADS\0"));
	map(&m, OBJECT("/lib/ld-linux-x86-64.so.2", "nothing"));
	configure(&m, environment);
	assert_int_equal(settings(&m), 4);
	expect(&m, "OPENBLAS_CORETYPE", "Haswell");
	assert_string_equal(field(setting(&m, "OPENBLAS_CORETYPE"), "read-by"),
	                    "libopenblas.so.0.3, libother.so.1");
	assert_null(field(setting(&m, "OPENBLAS_CORETYPE"), "set-by"));
	expect(&m, "OPENBLAS_EMPTY", "");
	assert_string_equal(field(setting(&m, "OPENBLAS_EMPTY"), "set-by"), "worker");
	expect(&m, "OMP_NUM_THREADS", "4");
	expect(&m, "GLIBC_TUNABLES", "glibc.cpu.x86=1");
	machine_end(&m);
}

/* A compiler that the worker calls is searched too, but not for what it does not get. */
static void programs(void **state)
{
	static const char *const environment[] = { "GCC_COLORS=never", "CPATH=/y", "COMPILER_PATH=/x", NULL };
	machine m = machine_new();
	char *path = OBJECT("/bin/gcc-12", "\0COMPILER_PATH\0CPATH\0GCC_COLORS\0");

	(void)state;
	add_object(m.record, RECORD_LAYER_COMPILER, path);
	configure(&m, environment);
	assert_int_equal(settings(&m), 1);
	expect(&m, "GCC_COLORS", "never");
	machine_end(&m);
	m = machine_new();
	map(&m, OBJECT("/lib/libclang-cpp.so.15", "\0CPATH\0"));
	configure(&m, environment);
	expect(&m, "CPATH", "/y");
	machine_end(&m);
	free(path);
}

/* Not the program and its plugins, nor files that are no part of the stack. */
static void other_objects(void **state)
{
	static const char *const environment[] = { "SOME_VARIABLE=1", NULL };
	machine m = machine_new();
	record_field *role;
	record_layer *kernel;

	(void)state;
	map(&m, OBJECT("/cache/kernel.so", "\0SOME_VARIABLE\0"));
	kernel = &m.record->layers.items[0];
	role = layout_append(record_field_layout(), &kernel->fields);
	text_set(&role->name, "role");
	role->value = (scalar){ .kind = SCALAR_TEXT, .text = memory_text("kernel") };
	role->source = RECORD_SOURCE_MEASURED;
	map(&m, memory_text("/nonexistent/gone.so"));
	configure(&m, environment);
	assert_int_equal(settings(&m), 0);
	machine_end(&m);
}

static void secrets_and_odd_values(void **state)
{
	size_t large = 100000;
	char *big = memory_get(large + 16), *wanted;
	const char *const environment[] = { "MKL_LICENSE_KEY=hunter2", "LINES_VARIABLE=a\nb",
		"LATIN_VARIABLE=caf\xe9", "UTF8_VARIABLE=caf\xc3\xa9", big, NULL };
	machine m = machine_new();
	char hex[65];

	(void)state;
	strcpy(big, "BIG_VARIABLE=");
	memset(big + 13, 'x', large);
	map(&m, OBJECT("/lib/libmkl.so", "MKL_LICENSE_KEY LINES_VARIABLE LATIN_VARIABLE "
	               "UTF8_VARIABLE BIG_VARIABLE"));
	configure(&m, environment);
	assert_int_equal(settings(&m), 5);
	digest_bytes("hunter2", 7, hex);
	wanted = memory_format("sha256:%s", hex);
	expect(&m, "MKL_LICENSE_KEY", wanted);
	free(wanted);
	digest_bytes("a\nb", 3, hex);
	wanted = memory_format("sha256:%s", hex);
	expect(&m, "LINES_VARIABLE", wanted);
	free(wanted);
	assert_int_equal(strlen(field(setting(&m, "LATIN_VARIABLE"), "value")), 71);
	assert_int_equal(strlen(field(setting(&m, "BIG_VARIABLE"), "value")), 71);
	expect(&m, "UTF8_VARIABLE", "caf\xc3\xa9");
	machine_end(&m);
	free(big);
}

static void exceptions(void **state)
{
	static const char *const names[] = { "HOME", "USER", "SHELL", "PWD", "TERM", "LANG", "LC_ALL", "PATH",
		"DISPLAY", "XDG_SESSION_ID", "LS_COLORS", "MAIL", "TMPDIR", "POCL_CACHE_DIR", "https_proxy" };
	static const char *const kept[] = { "LP_NUM_THREADS", "POCL_WORK_GROUP_METHOD", "OPENBLAS_CORETYPE",
		"LD_PRELOAD", "LD_LIBRARY_PATH", "OCL_ICD_VENDORS", "CUDA_VISIBLE_DEVICES", "RUSTICL_ENABLE",
		"HWLOC_PLUGINS_BLACKLIST", "OMP_NUM_THREADS", "GLIBC_TUNABLES", "MALLOC_ARENA_MAX" };
	const unrecorded_entry *entries;
	size_t count = unrecorded_table(&entries);

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_non_null(unrecorded_reason(UNRECORDED_VARIABLE, names[i]));
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		assert_null(unrecorded_reason(UNRECORDED_VARIABLE, kept[i]));
	for (size_t i = 0; i < count; i++)
		assert_true(strlen(entries[i].reason) > 8);
	assert_non_null(unrecorded_reason(UNRECORDED_FILE, "/etc/passwd"));
	assert_null(unrecorded_reason(UNRECORDED_FILE, "/etc/OpenCL/vendors/pocl.icd"));
}

/* ---- files ----------------------------------------------------------------------------------- */

static void expect_file(const machine *m, const char *name, const char *path, const char *body)
{
	const record_layer *layer = setting(m, name);
	char hex[65];

	if (layer == NULL)
		fail_msg("%s is not recorded", name);
	digest_bytes(body, strlen(body), hex);
	assert_string_equal(layer->path, path);
	assert_string_equal(layer->sha256, hex);
	assert_null(field(layer, "value"));
}

static void system_files(void **state)
{
	static const char *const environment[] = { NULL };
	machine m = machine_new();

	(void)state;
	put("/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
	put("/etc/OpenCL/vendors/.hidden", "x");
	put("/etc/drirc", "<driconf/>");
	put("/etc/unnamed.conf", "x");
	put("/etc/passwd", "root");
	put("/etc/vulkan/explicit_layer.d/a.json", "{}");
	put("/usr/share/drirc.d/00-mesa.conf", "<x/>");
	put("/usr/share/object.so", "\177ELF and so on");
	map(&m, OBJECT("/lib/libOpenCL.so.1", "\0/etc/OpenCL/vendors/\0/etc/passwd\0/etc/nothing\0/etc\0"));
	map(&m, OBJECT("/lib/libmesa.so.1", "\0/etc/drirc\0/usr/share/drirc.d\0/usr/share/object.so\0"
	               "/etc/vulkan/explicit_layer.d/%s\0"));
	configure(&m, environment);
	assert_int_equal(settings(&m), 4);
	expect_file(&m, "/etc/OpenCL/vendors/pocl.icd", "/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
	expect_file(&m, "/etc/drirc", "/etc/drirc", "<driconf/>");
	expect_file(&m, "/usr/share/drirc.d/00-mesa.conf", "/usr/share/drirc.d/00-mesa.conf", "<x/>");
	assert_string_equal(field(setting(&m, "/etc/drirc"), "read-by"), "libmesa.so.1");
	assert_non_null(setting(&m, "/etc/vulkan/explicit_layer.d/a.json"));
	machine_end(&m);
}

static void user_files(void **state)
{
	static const char *const environment[] = { "HOME=/home/me", "XDG_DATA_HOME=/elsewhere", NULL };
	machine m = machine_new();

	(void)state;
	put("/home/me/.drirc", "a");
	put("/home/me/.bashrc", "b");
	put("/home/me/notes.txt", "c");
	put("/home/me/.nv/profiles", "d");
	put("/home/me/.config/pocl/pocl.conf", "e");
	put("/home/me/.config/secret.json", "f");
	put("/elsewhere/vulkan/icd.d/x.json", "g");
	map(&m, OBJECT("/lib/libx.so.1", "\0%s/.drirc\0/.bashrc\0notes.txt\0.nv/profiles\0pocl/pocl.conf\0"
	               "/vulkan/icd.d\0"));
	configure(&m, environment);
	assert_int_equal(settings(&m), 4);
	expect_file(&m, "~/.drirc", "/home/me/.drirc", "a");
	expect_file(&m, "~/.nv/profiles", "/home/me/.nv/profiles", "d");
	expect_file(&m, "~/.config/pocl/pocl.conf", "/home/me/.config/pocl/pocl.conf", "e");
	expect_file(&m, "~/.local/share/vulkan/icd.d/x.json", "/elsewhere/vulkan/icd.d/x.json", "g");
	machine_end(&m);
}

static void named_files(void **state)
{
	static const char *const environment[] = { "VENDOR_CONFIG=/data/a.conf:/data/folder",
		"OTHER_CONFIG=/data/b.conf", NULL };
	machine m = machine_new();
	char *large = memory_get((1 << 20) + 2);

	(void)state;
	put("/data/a.conf", "a");
	put("/data/b.conf", "b");
	put("/data/folder/c.conf", "c");
	memset(large, 'x', (1 << 20) + 1);
	put("/data/folder/large.conf", large);
	free(large);
	map(&m, OBJECT("/lib/libx.so.1", "\0VENDOR_CONFIG\0"));
	configure(&m, environment);
	assert_int_equal(settings(&m), 3);
	expect_file(&m, "/data/a.conf", "/data/a.conf", "a");
	expect_file(&m, "/data/folder/c.conf", "/data/folder/c.conf", "c");
	machine_end(&m);
}

static void crowded_folder(void **state)
{
	static const char *const environment[] = { NULL };
	machine m = machine_new();

	(void)state;
	for (int i = 0; i < 65; i++) {
		char *path = memory_format("/etc/crowd/%d.conf", i);

		put(path, "x");
		free(path);
	}
	map(&m, OBJECT("/lib/libx.so.1", "\0/etc/crowd\0"));
	configure(&m, environment);
	assert_int_equal(settings(&m), 0);
	machine_end(&m);
}

/* ---- the record ------------------------------------------------------------------------------ */

static void identity(void **state)
{
	static const char *const one[] = { "SOME_VARIABLE=1", NULL }, *const two[] = { "SOME_VARIABLE=2", NULL },
		*const none[] = { NULL };
	char digests[4][65];
	const char *const *environments[] = { one, two, none, one };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		machine m = machine_new();

		/* Who set it is not the stack's identity. */
		put("/proc/self/environ", i == 3 ? "SOME_VARIABLE=1" : "");
		map(&m, OBJECT("/lib/libx.so.1", "\0SOME_VARIABLE\0"));
		configure(&m, environments[i]);
		m.record->name = memory_text("x:0");
		(void)identity_digest(m.record, digests[i]);
		machine_end(&m);
	}
	assert_string_not_equal(digests[0], digests[1]);
	assert_string_not_equal(digests[0], digests[2]);
	assert_string_equal(digests[0], digests[3]);
}

static void redaction(void **state)
{
	static const char *const environment[] = { "SOME_VARIABLE=/home/jane", NULL };
	machine m = machine_new();
	record_result *r = layout_new(record_result_layout());

	(void)state;
	map(&m, OBJECT("/lib/libx.so.1", "\0SOME_VARIABLE\0"));
	configure(&m, environment);
	layout_copy(record_executor_layout(), m.record, &r->executor);
	redact_salt(r, "secret", "host:gcc-12");
	assert_non_null(text_map_get(&r->salts, "executor.layers[1].fields.value.value"));
	assert_null(text_map_get(&r->salts, "executor.layers[1].fields.read-by.value"));
	assert_null(redact_bad_salt(r));
	redact_commit(r, &r->salts);
	assert_non_null(strstr(field(&r->executor.layers.items[1], "value"), REDACT_MARK));
	layout_free(record_result_layout(), r);
	machine_end(&m);
}

static void in_words(void **state)
{
	static const char *const environment[] = {
		"LONG_VARIABLE=0123456789012345678901234567890123456789more", "EMPTY_VARIABLE=", NULL };
	machine m = machine_new(), bare = machine_new();
	const record_layer *one;
	char *shown;

	(void)state;
	put("/etc/drirc", "a");
	map(&m, OBJECT("/lib/libx-1.so.1", "LONG_VARIABLE EMPTY_VARIABLE /etc/drirc"));
	configure(&m, environment);
	one = setting(&m, "LONG_VARIABLE");
	shown = setting_words(one, NULL, NULL);
	assert_string_equal(shown, "0123456789012345678901234567890123456789...");
	free(shown);
	shown = setting_words(setting(&m, "EMPTY_VARIABLE"), NULL, NULL);
	assert_string_equal(shown, "(empty)");
	free(shown);
	shown = setting_words(NULL, one, &bare.record->layers);
	assert_string_equal(shown, "(not read)");
	free(shown);
	add_object(bare.record, RECORD_LAYER_MAPPED_OBJECT, "/lib/libx-2.so.2");
	shown = setting_words(NULL, one, &bare.record->layers);
	assert_string_equal(shown, "(not set)");
	free(shown);
	shown = setting_words(NULL, setting(&m, "/etc/drirc"), &bare.record->layers);
	assert_string_equal(shown, "(no file)");
	free(shown);
	machine_end(&bare);
	machine_end(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words), cmocka_unit_test(short_words),
		cmocka_unit_test(as_a_plain_search), cmocka_unit_test(sections),
		cmocka_unit_test(variables), cmocka_unit_test(programs),
		cmocka_unit_test(other_objects), cmocka_unit_test(secrets_and_odd_values),
		cmocka_unit_test(exceptions), cmocka_unit_test(system_files),
		cmocka_unit_test(user_files), cmocka_unit_test(named_files),
		cmocka_unit_test(crowded_folder), cmocka_unit_test(identity),
		cmocka_unit_test(redaction), cmocka_unit_test(in_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
