/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL backend on a library that misbehaves on request (tests/opencl/null_opencl.c), so
 * that every way a stack can fail is met on every machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/files.h"
#include "plugin/host.h"
#include "plugin/session.h"

static char *backend_path, *folder;
static char null_path[4200], old_path[4200];
static session s;
static eh_error error = ERROR_INIT;
static long *events, *arguments, *memory;

static void option(const char *key, const char *value)
{
	char text[8300];
	snprintf(text, sizeof(text), "opencl.%s=%s", key, value);
	assert_int_equal(host_option_set(text, &error), EH_OK);
}

static eh_status start_with(const char *words)
{
	assert_int_equal(setenv("NULL_OPENCL", words, 1), 0);
	memset(&error, 0, sizeof(error));
	error.struct_size = sizeof(error);
	return session_start(&s, backend_path, &error);
}

/* Starts and opens device 0 of a library with these words. */
static void open_with(const char *words)
{
	if (start_with(words) != EH_OK || session_open(&s, 0, &error) != EH_OK)
		fail_msg("%s", error.message);
}

static void close_all(void)
{
	session_close(&s);
	assert_int_equal(*events, 0);
	assert_int_equal(*memory, 0);
}

static const char *notes(void)
{
	static char text[4096];
	s.ops->notes(s.self, text, sizeof(text));
	return text;
}

static uint32_t devices(void)
{
	uint32_t count = 99;
	assert_int_equal(s.ops->device_count(s.self, &count, &error), EH_OK);
	return count;
}

static eh_program *program(void)
{
	const eh_source source = { .struct_size = sizeof(source), .name = "test", .prelude = "",
		.body = "", .digest = "" };
	eh_program *p = NULL;
	char log[80] = "?";
	assert_int_equal(s.ops->program_build(s.device, &source, &p, log, sizeof(log), &error), EH_OK);
	assert_string_equal(log, "a warning\n"); /* on success too */
	return p;
}

static eh_kernel *kernel(eh_program *p, const char *name)
{
	eh_kernel *k = NULL;
	assert_int_equal(s.ops->kernel_get(p, name, &k, &error), EH_OK);
	return k;
}

static eh_buffer *buffer(uint32_t kind)
{
	eh_buffer *b = NULL;
	assert_int_equal(s.ops->buffer_alloc(s.device, kind, 256, &b, &error), EH_OK);
	return b;
}

static eh_status launch(eh_kernel *k, const eh_arg *args, uint32_t count)
{
	const eh_launch l = { .struct_size = sizeof(l), .arg_count = count, .groups = { 1, 1, 1 },
		.group_size = { 64, 1, 1 }, .args = args };
	return s.ops->launch(s.queue, k, &l, &error);
}

/* ---- starting --------------------------------------------------------------------------- */

static void test_no_loader(void **state)
{
	(void)state;
	option("library", "libno-such-opencl.so.1");
	assert_int_equal(start_with(""), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "libno-such-opencl.so.1 cannot be opened"));
	assert_non_null(strstr(error.message, "install the package ocl-icd-libopencl1"));
	option("library", null_path);
}

static void test_old_loader(void **state)
{
	(void)state;
	option("library", old_path);
	assert_int_equal(start_with(""), EH_E_INCOMPATIBLE);
	assert_non_null(strstr(error.message, "has no clEnqueueFillBuffer"));
	option("library", null_path);
}

static void test_no_platforms(void **state)
{
	(void)state;
	assert_int_equal(start_with("no-platforms"), EH_OK);
	assert_int_equal(devices(), 0);
	assert_non_null(strstr(notes(), "found no platforms in /etc/OpenCL/vendors: install a driver"));
	session_close(&s);
	assert_int_equal(setenv("OCL_ICD_VENDORS", "/nowhere", 1), 0);
	assert_int_equal(start_with("no-platforms"), EH_OK);
	assert_non_null(strstr(notes(), "OCL_ICD_VENDORS=/nowhere"));
	session_close(&s);
	unsetenv("OCL_ICD_VENDORS");
}

static void test_platform_without_devices(void **state)
{
	(void)state;
	assert_int_equal(start_with("no-devices"), EH_OK);
	assert_int_equal(devices(), 0);
	assert_string_equal(notes(), "Platform Null (TEST) CL (OpenCL 1.2 null) has no devices.\n");
	session_close(&s);
}

static void test_two_platforms_of_one_name(void **state)
{
	eh_device_info info = { .struct_size = sizeof(info) };
	(void)state;
	assert_int_equal(start_with("twins"), EH_OK);
	assert_int_equal(devices(), 2);
	assert_int_equal(s.ops->device_info(s.self, 0, &info, &error), EH_OK);
	assert_string_equal(info.id, "null-test-cl-0");
	assert_int_equal(s.ops->device_info(s.self, 1, &info, &error), EH_OK);
	assert_string_equal(info.id, "null-test-cl-1");
	session_close(&s);
}

static void test_unusable_devices_say_why(void **state)
{
	static const char *const faults[][2] = {
		{ "old", "needs OpenCL 1.2" }, { "not-available", "not available now" },
		{ "no-compiler", "no compiler" }, { "no-profiling", "no profiling queues" },
		{ "no-answer", "unknown is its availability, because clGetDeviceInfo returned "
		  "CL_OUT_OF_RESOURCES (-5)" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		eh_device_info info = { .struct_size = sizeof(info) };
		eh_device *device = NULL;
		assert_int_equal(start_with(faults[i][0]), EH_OK);
		assert_int_equal(s.ops->device_info(s.self, 0, &info, &error), EH_E_UNAVAILABLE);
		assert_string_equal(info.id, "null-test-cl-0");
		assert_string_equal(info.name, "TEST Simulator");
		assert_non_null(strstr(error.message, faults[i][1]));
		assert_non_null(strstr(notes(), faults[i][1]));
		assert_int_equal(s.ops->device_open(s.self, 0, &device, &error), EH_E_UNAVAILABLE);
		assert_null(device);
		session_close(&s);
	}
}

static void test_arithmetic_in_software(void **state)
{
	static const struct { const char *words; uint64_t caps; } stacks[] = {
		{ "", 0 },
		{ "soft", 0 },
		{ "double half", EH_CAP_FP64 | EH_CAP_FP16 },
		{ "double soft", EH_CAP_FP64 | EH_CAP_FP64_SOFT },
		{ "half soft", EH_CAP_FP16 | EH_CAP_FP16_SOFT },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		eh_device_info info = { .struct_size = sizeof(info) };
		assert_int_equal(start_with(stacks[i].words), EH_OK);
		assert_int_equal(s.ops->device_info(s.self, 0, &info, &error), EH_OK);
		assert_int_equal(info.caps & (EH_CAP_FP64 | EH_CAP_FP16 | EH_CAP_FP64_SOFT | EH_CAP_FP16_SOFT),
		                 stacks[i].caps);
		session_close(&s);
	}
}

static void test_context_fails(void **state)
{
	eh_device *device = NULL;
	(void)state;
	assert_int_equal(start_with("no-context"), EH_OK);
	assert_int_equal(s.ops->device_open(s.self, 0, &device, &error), EH_E_UNAVAILABLE);
	assert_string_equal(error.where, "clCreateContext");
	assert_string_equal(error.native_name, "CL_OUT_OF_HOST_MEMORY");
	assert_int_equal(error.native_code, -6);
	session_close(&s);
}

static void test_device_facts(void **state)
{
	(void)state;
	/* The device is of version 3.0 and has shared memory, its platform is of 1.2: the library
	 * aborts when an entry point newer than that is called. */
	open_with("");
	assert_true((s.info.caps & EH_CAP_SHARED) == 0);
	assert_true((s.info.caps & EH_CAP_FP64) == 0); /* cl_khr_fp64_not is another word */
	assert_true((s.info.caps & EH_CAP_SIMULATED) != 0);
	assert_int_equal(s.info.type, EH_DEVICE_OTHER);
	assert_string_equal(s.info.pci, "0000:3b:02.1");
	assert_string_equal(s.info.uuid, "30313233-3435-3637-3839-616263646566");
	close_all();
}

/* What the library does not tell is no fact of the layer, and the layer says why. */
static void test_unknown_facts_say_why(void **state)
{
	eh_layer layer = { .struct_size = sizeof(layer) };
	(void)state;
	open_with("");
	assert_int_equal(s.info.memory_bytes, 0);
	assert_int_equal(s.ops->device_layer(s.device, 0, &layer, &error), EH_OK);
	assert_non_null(strstr(layer.detail, "unknown=fp64, memory-bytes, "));
	assert_non_null(strstr(layer.detail, ", because clGetDeviceInfo returned CL_INVALID_VALUE (-30)"));
	assert_null(strstr(layer.detail, "vendor-id="));
	close_all();
}

static void check_environment(void)
{
	char want[4300];
	snprintf(want, sizeof(want), "%s/pocl", folder);
	unsetenv("POCL_CACHE_DIR");
	unsetenv("POCL_KERNEL_CACHE");
	unsetenv("RUSTICL_ENABLE");
	option("cache-dir", folder);
	assert_int_equal(start_with(""), EH_OK);
	assert_string_equal(getenv("POCL_CACHE_DIR"), want);
	assert_true(file_exists(want));
	assert_string_equal(getenv("RUSTICL_ENABLE"), "llvmpipe");
	assert_null(getenv("POCL_KERNEL_CACHE"));
	session_close(&s);
	/* What the user set stays. */
	assert_int_equal(setenv("POCL_CACHE_DIR", "/mine", 1), 0);
	assert_int_equal(setenv("RUSTICL_ENABLE", "radeonsi", 1), 0);
	assert_int_equal(start_with(""), EH_OK);
	assert_string_equal(getenv("POCL_CACHE_DIR"), "/mine");
	assert_string_equal(getenv("RUSTICL_ENABLE"), "radeonsi");
	session_close(&s);
	unsetenv("POCL_CACHE_DIR");
	unsetenv("RUSTICL_ENABLE");
	option("cache-dir", "none");
	option("rusticl", "off");
	assert_int_equal(start_with(""), EH_OK);
	assert_null(getenv("POCL_CACHE_DIR"));
	assert_null(getenv("RUSTICL_ENABLE"));
	assert_string_equal(getenv("POCL_KERNEL_CACHE"), "0");
	session_close(&s);
}

static void test_environment(void **state)
{
	int status = 0;
	/* A process of its own: the tests after it keep the environment they had. */
	const pid_t child = fork();
	(void)state;
	if (child == 0) {
		check_environment();
		_exit(0);
	}
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- working ---------------------------------------------------------------------------- */

/* Repeated arguments must not cost less than new ones: samples repeat them. */
static void test_arguments_are_set_at_each_launch(void **state)
{
	static uint32_t value = 1;
	eh_program *p;
	eh_kernel *k;
	(void)state;
	open_with("");
	p = program();
	k = kernel(p, "k2");
	const eh_arg args[] = { { .buffer = buffer(EH_MEMORY_DEVICE) }, { .data = &value, .size = 4 } };
	for (size_t i = 0; i < 4; i++) {
		const long before = *arguments;
		value = i < 2 ? 1 : 7;
		assert_int_equal(launch(k, args, 2), EH_OK);
		assert_int_equal(*arguments - before, 2);
	}
	s.ops->program_destroy(p);
	s.ops->buffer_free(args[0].buffer);
	close_all();
}

static void test_success_without_an_object(void **state)
{
	eh_kernel *k = NULL;
	eh_program *p;
	(void)state;
	open_with("no-kernel");
	p = program();
	assert_int_equal(s.ops->kernel_get(p, "k", &k, &error), EH_E_DEVICE);
	assert_string_equal(error.where, "clCreateKernel");
	assert_null(k);
	s.ops->program_destroy(p);
	close_all();
}

static void test_no_memory(void **state)
{
	eh_buffer *b = NULL;
	(void)state;
	open_with("no-memory");
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_DEVICE, 64, &b, &error),
	    EH_E_NO_MEMORY);
	assert_string_equal(error.native_name, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
	assert_null(b);
	close_all();
}

static void test_mapped_memory_that_moves(void **state)
{
	eh_buffer *b;
	(void)state;
	open_with("moves");
	b = buffer(EH_MEMORY_PINNED);
	assert_int_equal(s.ops->fill(s.queue, b, 0, 8, 0, &error), EH_E_UNSUPPORTED);
	assert_non_null(strstr(error.message, "another address"));
	s.ops->buffer_free(b);
	close_all();
}

/* ---- waiting and time ------------------------------------------------------------------- */

static void check_wait(const char *words, eh_status want, const char *sentence)
{
	eh_mark *mark = NULL;
	eh_buffer *b;
	open_with(words);
	b = buffer(EH_MEMORY_DEVICE);
	assert_int_equal(s.ops->mark_create(s.device, EH_TIMED, &mark, &error), EH_OK);
	assert_int_equal(s.ops->fill(s.queue, b, 0, 8, 0, &error), EH_OK);
	assert_int_equal(s.ops->mark_record(s.queue, mark, &error), EH_OK);
	assert_int_equal(s.ops->mark_wait(mark, &error), want);
	assert_non_null(strstr(error.message, sentence));
	error.message[0] = '\0';
	assert_int_equal(s.ops->queue_wait(s.queue, &error), want);
	assert_non_null(strstr(error.message, sentence));
	s.ops->mark_destroy(mark);
	s.ops->buffer_free(b);
	close_all();
}

static void test_a_command_failed(void **state)
{
	(void)state;
	check_wait("failed", EH_E_DEVICE, "CL_OUT_OF_RESOURCES");
}

static void test_the_device_was_lost(void **state)
{
	(void)state;
	check_wait("lost", EH_E_DEVICE_LOST, "CL_CONTEXT_TERMINATED_KHR");
}

static void test_a_wait_that_did_not_wait(void **state)
{
	(void)state;
	check_wait("unfinished", EH_E_DEVICE, "not complete");
}

static void check_elapsed(const char *words, eh_status want, const char *sentence)
{
	eh_mark *from = NULL, *to = NULL;
	eh_buffer *buffer = NULL;
	uint64_t ns = 77;
	open_with(words);
	assert_int_equal(s.ops->buffer_alloc(s.device, EH_MEMORY_DEVICE, 64, &buffer, &error), EH_OK);
	assert_int_equal(s.ops->mark_create(s.device, EH_TIMED, &from, &error), EH_OK);
	assert_int_equal(s.ops->mark_create(s.device, EH_TIMED, &to, &error), EH_OK);
	for (int again = 0; again < 2; again++) {
		assert_int_equal(s.ops->fill(s.queue, buffer, 0, 64, 1, &error), EH_OK);
		assert_int_equal(s.ops->mark_record(s.queue, from, &error), EH_OK);
		assert_int_equal(s.ops->mark_record(s.queue, to, &error), EH_OK);
		assert_int_equal(s.ops->mark_wait(to, &error), EH_OK);
		assert_int_equal(s.ops->mark_elapsed(from, to, &ns, &error), want);
	}
	if (want == EH_OK) {
		assert_int_equal(ns, 200);
	} else {
		assert_int_equal(ns, 77);
		assert_non_null(strstr(error.message, sentence));
	}
	s.ops->mark_destroy(from);
	s.ops->mark_destroy(to);
	s.ops->buffer_free(buffer);
	close_all();
}

static void test_elapsed(void **state)
{
	(void)state;
	check_elapsed("", EH_OK, "");
	check_elapsed("listed", EH_OK, "");
}

static void test_time_runs_backwards(void **state)
{
	(void)state;
	check_elapsed("backwards", EH_E_DEVICE, "its times are void");
}

static void test_time_is_a_constant(void **state)
{
	(void)state;
	check_elapsed("no-clock", EH_E_UNSUPPORTED, "no clock");
}

/* ---- running ---------------------------------------------------------------------------- */

static int compile(const char *flags, const char *to)
{
	const char *cc = getenv("CC"), *source = getenv("SRC");
	char command[9000];
	snprintf(command, sizeof(command), "%s -std=gnu17 -O1 -fPIC -shared -fvisibility=hidden %s "
	    "-o '%s' '%s/tests/opencl/null_opencl.c'", cc != NULL && cc[0] != '\0' ? cc : "cc", flags, to,
	    source != NULL ? source : ".");
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_loader),
		cmocka_unit_test(test_old_loader),
		cmocka_unit_test(test_no_platforms),
		cmocka_unit_test(test_platform_without_devices),
		cmocka_unit_test(test_two_platforms_of_one_name),
		cmocka_unit_test(test_unusable_devices_say_why),
		cmocka_unit_test(test_arithmetic_in_software),
		cmocka_unit_test(test_context_fails),
		cmocka_unit_test(test_device_facts),
		cmocka_unit_test(test_unknown_facts_say_why),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_arguments_are_set_at_each_launch),
		cmocka_unit_test(test_success_without_an_object),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_mapped_memory_that_moves),
		cmocka_unit_test(test_a_command_failed),
		cmocka_unit_test(test_the_device_was_lost),
		cmocka_unit_test(test_a_wait_that_did_not_wait),
		cmocka_unit_test(test_elapsed),
		cmocka_unit_test(test_time_runs_backwards),
		cmocka_unit_test(test_time_is_a_constant),
	};
	const char *build = getenv("BUILD");
	char made[] = "/tmp/evenhand-test-XXXXXX";
	void *library;
	int failed;
	backend_path = path_join(build != NULL ? build : ".", "lib/evenhand/backends/opencl.so");
	if (!file_exists(backend_path)) {
		printf("ok 1 - OpenCL faults # SKIP the OpenCL backend is not built\n1..1\n");
		return 0;
	}
	folder = getenv("T");
	if (folder == NULL)
		folder = mkdtemp(made);
	if (folder == NULL)
		return 1;
	snprintf(null_path, sizeof(null_path), "%s/null.so", folder);
	snprintf(old_path, sizeof(old_path), "%s/old.so", folder);
	if (compile("", null_path) != 0 || compile("-DOLD_LOADER", old_path) != 0) {
		printf("not ok 1 - the null library compiles\n1..1\n");
		return 1;
	}
	library = dlopen(null_path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL) {
		printf("not ok 1 - %s\n1..1\n", dlerror());
		return 1;
	}
	events = dlsym(library, "null_opencl_events");
	arguments = dlsym(library, "null_opencl_arguments");
	memory = dlsym(library, "null_opencl_memory");
	unsetenv("OCL_ICD_VENDORS");
	option("library", null_path);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(backend_path);
	return failed;
}
