/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run/discover.h"

#define DEVICE(number, full, short_id, called, of) \
	{ .index = number, .status = EH_OK, .executor = full, \
	  .info = { .id = short_id, .name = called, .platform = of } }

static char gcc[] = "host:gcc", gcc12[] = "host:gcc-12", pocl[] = "opencl:pocl-0";
static char gpu[] = "opencl:gpu-0", busy[] = "it is used by somebody else";
static char cuda[] = "cuda", opencl[] = "opencl", host[] = "host", absent[] = "no libcuda.so.1";
static char shadowed[] = "shadowed by PATH";

static found_device host_devices[] = {
	DEVICE(0, gcc, "gcc", "Some CPU", "gcc 9"), DEVICE(1, gcc12, "gcc-12", "Some CPU", "gcc 12"),
};
static found_device opencl_devices[] = {
	DEVICE(0, pocl, "pocl-0", "Some CPU", "Portable Computing Language"),
	{ .index = 1, .status = EH_E_UNAVAILABLE, .reason = busy, .executor = gpu,
	  .info = { .id = "gpu-0", .name = "A GPU" } },
};
static const found_backend backends[] = {
	{ .name = cuda, .status = EH_E_UNAVAILABLE, .reason = absent },
	{ .name = host, .status = EH_OK, .devices = host_devices, .device_count = 2 },
	{ .name = opencl, .status = EH_OK, .devices = opencl_devices, .device_count = 2 },
	{ .name = host, .status = EH_E_INVALID_ARGUMENT, .reason = shadowed },
};

/* The executors selected, joined by blanks; or the status and the message. */
static eh_status choose(const char *selectors, char *names, eh_error *error)
{
	selected *out = NULL;
	size_t count = 0;
	eh_status status = discover_select(backends, 4, selectors, &out, &count, error);

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
	selected *out = NULL;
	size_t count = 0;
	eh_error error = ERROR_INIT;

	(void)state;
	assert_int_equal(discover_select(backends, 1, "all", &out, &count, &error), EH_E_UNAVAILABLE);
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
