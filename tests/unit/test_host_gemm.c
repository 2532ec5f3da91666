/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 of the host backend: each library of the CPU that is installed, and libraries that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/files.h"
#include "gemm_trial.h"
#include "plugin/host.h"
#include "skipping.h"

static const struct { const char *setting, *title, *skip; } libraries[] = {
	{ "openblas", "OpenBLAS", "OpenBLAS is not here (package libopenblas0-pthread)" },
	{ "blis", "BLIS", "BLIS is not here (package libblis4-pthread)" },
	{ "onednn", "oneDNN", "oneDNN is not here (package libdnnl2)" },
};
enum { OPENBLAS, BLIS, ONEDNN, LIBRARIES };

static void set(const char *key, const char *value)
{
	char *setting = memory_format("host.%s=%s", key, value);
	eh_error error = ERROR_INIT;

	if (host_option_set(setting, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(setting);
}

static const eh_gemm_ops *open_host(session *s)
{
	const char *build = getenv("BUILD");
	char *path = memory_format("%s/lib/evenhand/backends/host.so", build != NULL ? build : ".");
	eh_error error = ERROR_INIT;
	const eh_gemm_ops *ops;

	if (session_start(s, path, &error) != EH_OK || session_open(s, 0, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(path);
	ops = s->ops->extension(s->self, EH_GEMM_NAME);
	assert_true(EH_HAS(ops, eh_gemm_ops, destroy));
	return ops;
}

/* The layers of libraries that the device names besides the C library's. */
static unsigned libraries_of(const session *s, eh_layer *last)
{
	unsigned count = 0;

	for (uint32_t i = 0;; i++) {
		eh_layer layer = { .struct_size = sizeof(layer) };

		if (s->ops->device_layer(s->device, i, &layer, NULL) != EH_OK)
			return count;
		if (layer.kind == EH_LAYER_LIBRARY && strcmp(layer.name, "glibc") != 0) {
			*last = layer;
			count++;
		}
	}
}

/* Every shape in one library and one set of types.  EH_OK, or why there is no such product. */
static eh_status all_shapes(int which, const char *in, const char *out, const char *accumulate,
                            eh_layer *layer, eh_error *error)
{
	eh_status status = EH_OK;
	session s;
	const eh_gemm_ops *ops;

	set("gemm", libraries[which].setting);
	ops = open_host(&s);
	for (size_t i = 0; i < TRIAL_SHAPES && status == EH_OK; i++)
		status = trial_run(&s, ops, &trial_shapes[i], in, out, accumulate, layer, error);
	session_close(&s);
	return status;
}

static void right_numbers(int which, const char *in, const char *out, const char *accumulate)
{
	eh_layer layer = { .struct_size = sizeof(layer) };
	eh_error error = ERROR_INIT;
	const eh_status status = all_shapes(which, in, out, accumulate, &layer, &error);

	if (status == EH_E_UNAVAILABLE)
		skip_because(libraries[which].skip);
	if (status != EH_OK)
		fail_msg("%s", error.message);
	print_message("%s %s: %s\n", layer.name, layer.version, layer.detail);
	assert_string_equal(layer.name, libraries[which].title);
	assert_true(layer.version[0] >= '0' && layer.version[0] <= '9');
	assert_int_equal(layer.path[0], '/');
	assert_non_null(strstr(layer.detail, "threads="));
	assert_non_null(strstr(layer.detail, "interface="));
	assert_null(strstr(layer.detail, "kernel=unknown"));
}

static void openblas_f32(void **state) { (void)state; right_numbers(OPENBLAS, "f32", "f32", "f32"); }
static void openblas_f64(void **state) { (void)state; right_numbers(OPENBLAS, "f64", "f64", "f64"); }
static void blis_f32(void **state) { (void)state; right_numbers(BLIS, "f32", "f32", "f32"); }
static void blis_f64(void **state) { (void)state; right_numbers(BLIS, "f64", "f64", "f64"); }
static void onednn_f32(void **state) { (void)state; right_numbers(ONEDNN, "f32", "f32", "f32"); }
static void onednn_i8(void **state) { (void)state; right_numbers(ONEDNN, "i8", "i32", "i32"); }

/* Only some CPUs have these: what is made is right, and what is not made has a reason. */
static void onednn_halves(void **state)
{
	static const char *const types[][2] = { { "bf16", "f32" }, { "bf16", "bf16" }, { "f16", "f32" },
	                                         { "e4m3", "bf16" }, { "e5m2", "f32" } };

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		eh_layer layer = { .struct_size = sizeof(layer) };
		eh_error error = ERROR_INIT;
		const eh_status status = all_shapes(ONEDNN, types[i][0], types[i][1], "f32", &layer, &error);

		if (status == EH_E_UNAVAILABLE)
			skip_because(libraries[ONEDNN].skip);
		if (status != EH_OK) {
			assert_int_equal(status, EH_E_UNSUPPORTED);
			assert_non_null(strstr(error.message, "on this CPU"));
		}
	}
}

/* ---- threads, and when a library is opened ----------------------------------------------------- */

static bool mapped(const char *name)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[1024];
	bool found = false;

	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps) != NULL)
		found = strstr(line, name) != NULL;
	fclose(maps);
	return found;
}

/* Runs first: no other test has opened a library yet. */
static void opened_by_the_first_product(void **state)
{
	cpu_set_t before, after;
	eh_layer layer = { .struct_size = sizeof(layer) };
	eh_error error = ERROR_INIT;
	eh_status status;
	session s;
	const eh_gemm_ops *ops;

	(void)state;
	set("gemm", "openblas");
	ops = open_host(&s);
	assert_false(mapped("openblas"));
	assert_int_equal(libraries_of(&s, &layer), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	status = trial_run(&s, ops, &trial_shapes[TRIAL_PLAIN], "f32", "f32", "f32", &layer, &error);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	if (status == EH_OK) {
		eh_layer of_device = { .struct_size = sizeof(of_device) };

		assert_true(mapped("openblas"));
		assert_true(mapped(layer.path));
		assert_int_equal(libraries_of(&s, &of_device), 1);
		assert_string_equal(of_device.path, layer.path);
		assert_string_equal(of_device.detail, layer.detail);
	}
	session_close(&s);
	if (status == EH_E_UNAVAILABLE)
		skip_because(libraries[OPENBLAS].skip);
	assert_int_equal(status, EH_OK);
}

/* The threads of this process that may run on `count` CPUs or more. */
static unsigned threads_on(int count)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *entry;
	unsigned found = 0;

	assert_non_null(tasks);
	while ((entry = readdir(tasks)) != NULL) {
		cpu_set_t mask;

		if (entry->d_name[0] != '.' &&
		    sched_getaffinity((pid_t)atoi(entry->d_name), sizeof(mask), &mask) == 0 &&
		    CPU_COUNT(&mask) >= count)
			found++;
	}
	closedir(tasks);
	return found;
}

/* The caller is pinned to a CPU of its own, and what it starts would be so too. */
static void its_threads_have_all_cpus(void **state)
{
	eh_layer layer = { .struct_size = sizeof(layer) };
	eh_error error = ERROR_INIT;
	eh_status status;
	session s;
	const eh_gemm_ops *ops;
	unsigned threads, wide;

	(void)state;
	set("gemm", "openblas");
	ops = open_host(&s);
	threads = s.info.compute_units;
	status = trial_run(&s, ops, &trial_shapes[TRIAL_LARGE], "f32", "f32", "f32", &layer, &error);
	wide = threads_on((int)threads);
	session_close(&s);
	if (status == EH_E_UNAVAILABLE)
		skip_because(libraries[OPENBLAS].skip);
	assert_int_equal(status, EH_OK);
	if (threads < 2)
		skip_because("this test needs two CPUs");
	assert_true(wide >= threads - 1);
}

/* ---- what cannot be made ----------------------------------------------------------------------- */

static eh_status prepare_only(const char *in, const char *out, const char *accumulate, eh_error *error)
{
	const eh_gemm g = trial_gemm(&trial_shapes[TRIAL_PLAIN], in, out, accumulate);
	eh_gemm_plan *plan = NULL;
	uint64_t workspace = 0;
	session s;
	const eh_gemm_ops *ops = open_host(&s);
	const eh_status status = ops->prepare(s.device, &g, &plan, &workspace, error);

	if (status == EH_OK)
		ops->destroy(plan);
	session_close(&s);
	return status;
}

static void no_types_are_replaced(void **state)
{
	eh_error error = ERROR_INIT;

	(void)state;
	set("gemm", "openblas");
	assert_int_equal(prepare_only("f16", "f16", "f16", &error), EH_E_UNSUPPORTED);
	assert_non_null(strstr(error.message, "OpenBLAS"));
	assert_non_null(strstr(error.message, "has no product of f16"));
	assert_int_equal(prepare_only("f32", "f32", "f64", &error), EH_E_UNSUPPORTED);
	assert_non_null(strstr(error.message, "f32 added up in f64"));
	assert_int_equal(prepare_only("tf32", "f32", "f32", &error), EH_E_UNSUPPORTED);
	assert_int_equal(prepare_only("f23", "f32", "f32", &error), EH_E_INVALID_ARGUMENT);
}

/* A library that this test compiles from `body`. */
static char *plant(const char *name, const char *body)
{
	const char *folder = getenv("T"), *compiler = getenv("CC");
	char *source = memory_format("%s/%s.c", folder != NULL ? folder : "/tmp", name);
	char *library = memory_format("%s/%s.so.0", folder != NULL ? folder : "/tmp", name);
	char *command = memory_format("%s -shared -fPIC -w -o '%s' '%s'", compiler != NULL ? compiler : "cc",
	                              library, source);
	eh_error error = ERROR_INIT;

	if (file_write(source, body, strlen(body), &error) != EH_OK)
		fail_msg("%s", error.message);
	assert_int_equal(system(command), 0);
	free(source);
	free(command);
	return library;
}

#define PRODUCTS "void cblas_sgemm(void) {} void cblas_dgemm(void) {} "
#define NUMBERS "int openblas_get_num_threads(void) { return 1; } int openblas_get_parallel(void) { return 0; } " \
	"void openblas_set_num_threads(int n) {} "
#define CONFIG(text) "char *openblas_get_config(void) { return \"" text "\"; } " \
	"char *openblas_get_corename(void) { return \"Zen\"; } "

static void libraries_that_lie(void **state)
{
	static const struct { const char *name, *text, *says; eh_status status; } all[] = {
		{ "half", "void cblas_sgemm(void) {} " NUMBERS CONFIG("OpenBLAS 0.3"), "has no cblas_dgemm",
		  EH_E_INCOMPATIBLE },
		{ "other", PRODUCTS NUMBERS CONFIG("GotoBLAS 2"), "says that it is \"GotoBLAS 2\"",
		  EH_E_INCOMPATIBLE },
		{ "wide", PRODUCTS NUMBERS CONFIG("OpenBLAS 0.3 USE64BITINT"), "sizes in 64 bits",
		  EH_E_INCOMPATIBLE },
		{ "serial", PRODUCTS NUMBERS CONFIG("OpenBLAS 0.3"), "works with 1 of the 2 threads",
		  EH_E_UNSUPPORTED },
	};
	cpu_set_t mask;

	(void)state;
	/* Neither by a setting nor by name is another library taken for a file that the user named. */
	set("gemm", "openblas");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		eh_error error = ERROR_INIT;
		char *path = plant(all[i].name, all[i].text);

		if (all[i].status == EH_E_UNSUPPORTED &&
		    (sched_getaffinity(0, sizeof(mask), &mask) != 0 || CPU_COUNT(&mask) < 2))
			break;
		if (all[i].status == EH_E_UNSUPPORTED)
			set("threads", "2");
		set("openblas", path);
		assert_int_equal(prepare_only("f32", "f32", "f32", &error), all[i].status);
		if (strstr(error.message, all[i].says) == NULL || strstr(error.message, path) == NULL)
			fail_msg("%s", error.message);
		free(path);
	}
}

static void no_such_file(void **state)
{
	eh_error error = ERROR_INIT;

	(void)state;
	set("openblas", "/nonexistent/libopenblas.so.0");
	assert_int_equal(prepare_only("f32", "f32", "f32", &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "/nonexistent/libopenblas.so.0"));
	assert_non_null(strstr(error.message, "libopenblas0-pthread"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opened_by_the_first_product),
		cmocka_unit_test(its_threads_have_all_cpus),
		cmocka_unit_test(openblas_f32),
		cmocka_unit_test(openblas_f64),
		cmocka_unit_test(blis_f32),
		cmocka_unit_test(blis_f64),
		cmocka_unit_test(onednn_f32),
		cmocka_unit_test(onednn_i8),
		cmocka_unit_test(onednn_halves),
		cmocka_unit_test(no_types_are_replaced),
		cmocka_unit_test(no_such_file),
		/* Last: settings stay. */
		cmocka_unit_test(libraries_that_lie),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
