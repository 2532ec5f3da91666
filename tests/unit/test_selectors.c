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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found), cmocka_unit_test(not_found), cmocka_unit_test(nothing_here),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
