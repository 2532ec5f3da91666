/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/discover.h"

static char ok[] = "ok", unavailable[] = "unavailable", invalid[] = "invalid-argument";
static char gcc[] = "host:gcc", gcc12[] = "host:gcc-12", pocl[] = "opencl:pocl-0";
static char gpu[] = "opencl:gpu-0", busy[] = "it is used by somebody else";
static char cuda[] = "cuda", opencl[] = "opencl", host[] = "host", absent[] = "no libcuda.so.1";
static char shadowed[] = "shadowed by PATH";
static char gcc_id[] = "gcc", gcc12_id[] = "gcc-12", pocl_id[] = "pocl-0", gpu_id[] = "gpu-0";
static char cpu_name[] = "Some CPU", gpu_name[] = "A GPU", gcc_9[] = "gcc 9", gcc_12[] = "gcc 12";
static char portable[] = "Portable Computing Language";

static discover_device host_devices[] = {
	{ 0, gcc, ok, NULL, { .id = gcc_id, .name = cpu_name, .platform = gcc_9 } },
	{ 1, gcc12, ok, NULL, { .id = gcc12_id, .name = cpu_name, .platform = gcc_12 } },
};
static discover_device opencl_devices[] = {
	{ 0, pocl, ok, NULL, { .id = pocl_id, .name = cpu_name, .platform = portable } },
	{ 1, gpu, unavailable, busy, { .id = gpu_id, .name = gpu_name } },
};
static discover_backend backends[] = {
	{ .name = cuda, .status = unavailable, .reason = absent },
	{ .name = host, .status = ok, .devices = { host_devices, 2 } },
	{ .name = opencl, .status = ok, .devices = { opencl_devices, 2 } },
	{ .name = host, .status = invalid, .reason = shadowed },
};

/* The executors selected, joined by blanks; or the status and the message. */
static eh_status choose(const char *selectors, char *names, eh_error *error)
{
	selected *out = NULL;
	size_t count = 0;
	const discover_report here = { .backends = { backends, 4 } };
	eh_status status = discover_select(&here, selectors, &out, &count, error);

	names[0] = '\0';
	for (size_t i = 0; status == EH_OK && i < count; i++) {
		strcat(names, out[i].device->executor);
		strcat(names, " ");
	}
	free(out);
	return status;
}

static void expect(const char *selectors, const char *wanted)
{
	char names[256];
	eh_error error = ERROR_INIT;

	assert_int_equal(choose(selectors, names, &error), EH_OK);
	assert_string_equal(names, wanted);
}

static void refuse(const char *selectors, eh_status status, const char *says)
{
	char names[256];
	eh_error error = ERROR_INIT;

	assert_int_equal(choose(selectors, names, &error), status);
	assert_non_null(strstr(error.message, says));
}

static void found(void **state)
{
	(void)state;
	expect("all", "host:gcc host:gcc-12 opencl:pocl-0 ");
	expect(NULL, "host:gcc host:gcc-12 opencl:pocl-0 ");
	expect("host", "host:gcc host:gcc-12 ");
	expect("host:1", "host:gcc-12 ");
	expect("host:gcc", "host:gcc "); /* an id in full is that device alone */
	expect("host:GCC 12", "host:gcc-12 ");
	expect("opencl:portable", "opencl:pocl-0 ");
	expect(" opencl:0 , host:0 ", "opencl:pocl-0 host:gcc ");
	expect("host:gcc-12,all", "host:gcc-12 host:gcc opencl:pocl-0 "); /* each once */
}

static void not_found(void **state)
{
	(void)state;
	refuse("vulkan", EH_E_USAGE, "host:gcc, host:gcc-12, opencl:pocl-0");
	refuse("host:clang", EH_E_USAGE, "host:gcc");
	refuse("host:2", EH_E_USAGE, "host:gcc");
	refuse("host:", EH_E_USAGE, "host:");
	refuse("host,,opencl", EH_E_USAGE, "empty");
	refuse("", EH_E_USAGE, "empty");
	refuse("cuda:0", EH_E_UNAVAILABLE, "no libcuda.so.1");
	refuse("opencl:1", EH_E_UNAVAILABLE, "used by somebody else");
	refuse("opencl:gpu", EH_E_UNAVAILABLE, "opencl:gpu-0");
}

static void nothing_here(void **state)
{
	const discover_report here = { .backends = { backends, 1 } };
	selected *out = NULL;
	size_t count = 0;
	eh_error error = ERROR_INIT;

	(void)state;
	assert_int_equal(discover_select(&here, "all", &out, &count, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "evenhand devices"));
}

/* No compiler works here; what was compiled elsewhere stands for the processor. */
static char broken_id[] = "gcc-12", prebuilt_id[] = "prebuilt", prebuilt[] = "host:prebuilt";
static char no_space[] = "no space left on device", by_gcc[] = "kernels that gcc 12 made";
static char refused[] = "/bin/gcc was asked for its version and did not finish in time: it is not used.";
static char *told[] = { refused };

static eh_status choose_here(discover_device *devices, size_t count, const char *selectors, eh_error *error)
{
	discover_backend one = { .name = host, .status = ok, .notes = { told, 1 },
		                 .devices = { devices, count } };
	const discover_report here = { .backends = { &one, 1 } };
	selected *out = NULL;
	size_t chosen = 0;
	eh_status status = discover_select(&here, selectors, &out, &chosen, error);

	free(out);
	return status;
}

static void not_replaced(void **state)
{
	discover_device devices[] = {
		{ 0, gcc12, unavailable, no_space, { .id = broken_id, .name = cpu_name, .platform = gcc_12 } },
		{ 1, prebuilt, ok, NULL, { .id = prebuilt_id, .name = cpu_name, .platform = by_gcc } },
	};
	eh_error error = ERROR_INIT;

	(void)state;
	assert_int_equal(choose_here(devices, 2, "host:gcc", &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "host:gcc-12"));
	assert_non_null(strstr(error.message, no_space));
	/* Each of several must be there. */
	assert_int_equal(choose_here(devices, 2, "host:prebuilt,host:gcc", &error), EH_E_UNAVAILABLE);
	assert_int_equal(choose_here(devices, 2, "host:gcc-12", &error), EH_E_UNAVAILABLE);
	assert_int_equal(choose_here(devices, 2, "host:0", &error), EH_E_UNAVAILABLE);
	assert_int_equal(choose_here(devices, 2, "host", &error), EH_OK);
}

static void says_what_was_refused(void **state)
{
	discover_device devices[] = {
		{ 0, prebuilt, ok, NULL, { .id = prebuilt_id, .name = cpu_name } },
	};
	eh_error error = ERROR_INIT;

	(void)state;
	assert_int_equal(choose_here(devices, 1, "host:gcc", &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "usable here: host:prebuilt"));
	assert_non_null(strstr(error.message, refused));
}

/* A name that comes from a file is that executor, never a pattern. */
static void by_name_alone(void **state)
{
	static const char *const others[] = { "all", "host", "host:gcc-1", "host:gcc,host:gcc-12", "host:0",
		                              "HOST:gcc", "host:GCC", "" };
	const discover_report here = { .backends = { backends, 4 } };
	eh_error error = ERROR_INIT;
	selected *out = NULL;
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(discover_named(&here, others[i], &out, &count, &error), EH_E_USAGE);
	assert_int_equal(discover_named(&here, "opencl:gpu-0", &out, &count, &error), EH_E_UNAVAILABLE);
	assert_int_equal(discover_named(&here, "host:gcc", &out, &count, &error), EH_OK);
	assert_int_equal(count, 1);
	assert_string_equal(out[0].device->executor, "host:gcc");
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found), cmocka_unit_test(not_found), cmocka_unit_test(nothing_here),
		cmocka_unit_test(not_replaced), cmocka_unit_test(says_what_was_refused),
		cmocka_unit_test(by_name_alone),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
