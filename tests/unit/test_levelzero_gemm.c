/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 of the Level Zero backend by oneDNN: the test library of products on the test driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BACKEND "levelzero"
#define API "ze"
#include "onednn_library.h"

#define IN_ORDER "api=107 tiles=0"

static char *driver;

static int begin(void **state)
{
	const char *build = getenv("BUILD");
	void *loader;

	(void)state;
	(void)unsetenv("EVENHAND_TEST_FAULT");
	driver = memory_format("%s/tests/drivers/levelzero/libze_test.so", build != NULL ? build : ".");
	(void)setenv("ZE_ENABLE_ALT_DRIVERS", driver, 1);
	(void)setenv("OCL_ICD_VENDORS", "/etc/OpenCL/vendors/pocl.icd", 1);
	if (getenv("EVENHAND_TEST_ZE") == NULL)
		(void)setenv("EVENHAND_TEST_ZE", IN_ORDER, 1);
	loader = dlopen("libze_loader.so.1", RTLD_NOW);
	if (loader == NULL || access(driver, R_OK) != 0)
		return 0;
	dnnl = test_library();
	set("onednn", dnnl);
	open_session();
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (dnnl != NULL) {
		session_close(&s);
		nothing_is_left();
	}
	free(dnnl);
	free(driver);
	return 0;
}

#define NEEDS_DRIVER \
	do { \
		(void)state; \
		if (dnnl == NULL) \
			skip_because("the test driver needs level_zero/ze_api.h, CL/cl.h (package libze-dev) and the loader " \
			             "(package libze1)"); \
	} while (0)

static void test_not_before_the_first_product(void **state)
{
	eh_layer layer;

	NEEDS_DRIVER;
	assert_false(device_has_it(&layer));
	assert_false(loaded(dnnl));
}

static void test_right_numbers(void **state)
{
	eh_layer layer, of_device;

	NEEDS_DRIVER;
	right(&trial_shapes[TRIAL_PLAIN], 1, "f32", "f32", "f32", &layer);
	assert_string_equal(layer.name, "oneDNN");
	assert_string_equal(layer.version, "3.12.7");
	assert_string_equal(layer.path, dnnl);
	assert_string_equal(layer.detail, "picked=dnnl_query_impl_info_str; kernel=jit:gemm:test; interface=matmul");
	assert_true(device_has_it(&of_device));
	assert_string_equal(of_device.detail, "picked=dnnl_query_impl_info_str; kernel=jit:gemm:test");
	all_types(trial_shapes, TRIAL_SHAPES);
}

static void test_queues(void **state)
{
	NEEDS_DRIVER;
	several_queues();
}

static void test_operands(void **state)
{
	NEEDS_DRIVER;
	operands_are_checked();
}

static void test_refusals(void **state)
{
	NEEDS_DRIVER;
	refused(&trial_shapes[TRIAL_PLAIN], "tf32", "tf32", "f32", "f32", EH_E_UNSUPPORTED,
	        "oneDNN has no product of tf32 into f32.");
	refused(&trial_shapes[TRIAL_PLAIN], "e4m3z", "e4m3z", "f32", "f32", EH_E_UNSUPPORTED, "oneDNN has no product");
}

static void test_libraries_that_fail(void **state)
{
	static const struct { const char *variable, *value, *rest, *words; } all[] = {
		{ "EVENHAND_TEST_FAULT", "", "", "ok: oneDNN picked=dnnl_query_impl_info_str; kernel=jit:gemm:test; " },
		{ "EVENHAND_TEST_ZE", "api=104", "", "unsupported: oneDNN takes only immediate command lists that keep "
		  "order themselves" },
		{ "EVENHAND_TEST_FAULT", "", "lists=regular", "oneDNN takes only immediate command lists" },
		{ "EVENHAND_TEST_FAULT", "", "order=barriers", "oneDNN takes only immediate command lists" },
		{ "EVENHAND_TEST_FAULT", "dnnl_version=cpu", "", "was built without Level Zero: build oneDNN 3 with Level "
		  "Zero for its GPU and name the library by --set levelzero.onednn=FILE.\n" },
		{ "EVENHAND_TEST_FAULT", "dnnl_ze_interop_engine_create=invalid", "", "unsupported: " VERSION " does not "
		  "know TEST" },
		{ "EVENHAND_TEST_FAULT", "dnnl_ze_interop_engine_create=oom", "", "no-memory: No memory is left on TEST" },
		{ "EVENHAND_TEST_FAULT", "dnnl_ze_interop_stream_create=5", "", "dnnl_ze_interop_stream_create returned 5." },
		{ "EVENHAND_TEST_FAULT", "dnnl_memory_set_data_handle@3=5", "", "dnnl_memory_set_data_handle returned 5." },
		{ "EVENHAND_TEST_FAULT", "dnnl_matmul_primitive_desc_create=unsupported", "", "unsupported: " VERSION
		  " has no product of f32 on TEST" },
		{ "EVENHAND_TEST_FAULT", "dnnl_primitive_execute=5", "", "dnnl_primitive_execute returned 5." },
		{ "EVENHAND_TEST_FAULT", "", "onednn=/none/libdnnl.so.3", "unavailable: oneDNN /none/libdnnl.so.3 cannot be "
		  "opened (no such file); build oneDNN 3 with Level Zero" },
	};

	NEEDS_DRIVER;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *rest = memory_format("onednn=%s %s", dnnl, all[i].rest);

		product_says(all[i].variable, all[i].value, "child", rest, all[i].words);
		free(rest);
	}
}

int main(int count, char **words)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not_before_the_first_product),
		cmocka_unit_test(test_right_numbers),
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_libraries_that_fail),
	};

	if (count > 1 && strcmp(words[1], "child") == 0) {
		child(count - 2, words + 2);
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
