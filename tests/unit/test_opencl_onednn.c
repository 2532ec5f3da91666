/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 of the OpenCL backend by oneDNN: the test library of products on PoCL. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BACKEND "opencl"
#define API "ocl"
#include "onednn_library.h"

#define POCL "/etc/OpenCL/vendors/pocl.icd"

static int begin(void **state)
{
	(void)state;
	(void)unsetenv("EVENHAND_TEST_FAULT");
	(void)setenv("OCL_ICD_VENDORS", POCL, 1);
	if (access(POCL, R_OK) != 0)
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
	return 0;
}

#define NEEDS_POCL \
	do { \
		(void)state; \
		if (dnnl == NULL) \
			skip_because("there is no " POCL " (package pocl-opencl-icd)"); \
	} while (0)

static void test_not_before_the_first_product(void **state)
{
	eh_layer layer;

	NEEDS_POCL;
	assert_false(device_has_it(&layer));
	assert_false(loaded(dnnl));
}

/* Its matrices begin where a buffer can. */
static const trial_shape shapes[] = {
	{ 1, 1, 1, 0, 0, 1, 0, 0, 1, 0 },
	{ 17, 23, 31, 0, 0, 1, 0, 0, 1, 0 },
	{ 33, 9, 65, EH_GEMM_TRANSPOSE_A, 3, 1, 0, 4096, 1, 0 },
	{ 12, 45, 7, EH_GEMM_TRANSPOSE_B, 5, 1, 0, 0, 2, 0 },
	{ 31, 30, 29, EH_GEMM_TRANSPOSE_A | EH_GEMM_TRANSPOSE_B, 1, 1, 0, 8192, 1, 1 },
	{ 19, 21, 40, 0, 2, 5, 8, 0, -1, 2 },
	{ 16, 5, 11, EH_GEMM_TRANSPOSE_B, 0, 3, 0, 0, 1, 0 },
	{ 1, 33, 70, 0, 0, 1, 0, 0, 1, 0 },
	{ 70, 1, 9, EH_GEMM_TRANSPOSE_B, 0, 1, 0, 0, 1, 0 },
};

static void test_right_numbers(void **state)
{
	eh_layer layer, of_device;

	NEEDS_POCL;
	right(&shapes[1], 1, "f32", "f32", "f32", &layer);
	assert_string_equal(layer.name, "oneDNN");
	assert_string_equal(layer.version, "3.12.7");
	assert_string_equal(layer.path, dnnl);
	assert_string_equal(layer.detail, "picked=dnnl_query_impl_info_str; kernel=jit:gemm:test; interface=matmul");
	assert_true(device_has_it(&of_device));
	assert_string_equal(of_device.detail, "picked=dnnl_query_impl_info_str; kernel=jit:gemm:test");
	all_types(shapes, sizeof(shapes) / sizeof(shapes[0]));
}

static void test_queues(void **state)
{
	NEEDS_POCL;
	several_queues();
}

static void test_operands(void **state)
{
	trial_shape behind = shapes[1];
	eh_error error = ERROR_INIT;
	trial t;

	NEEDS_POCL;
	operands_are_checked();
	behind.offset = 16;
	t = trial_begin(&behind);
	assert_int_equal(ops->enqueue(s.plain, t.plan, &t.o, &error), EH_E_UNSUPPORTED);
	assert_non_null(strstr(error.message, "gives oneDNN no matrix that begins 16 bytes behind a buffer's start: "
	                       "clCreateSubBuffer returned CL_MISALIGNED_SUB_BUFFER_OFFSET (-13)."));
	trial_end(&t);
}

static void test_which_library(void **state)
{
	NEEDS_POCL;
	refused(&shapes[1], "tf32", "tf32", "f32", "f32", EH_E_UNSUPPORTED,
	        "oneDNN has no product of tf32 into f32. CLBlast has no product of tf32 into f32.");
	set("gemm", "onednn");
	refused(&shapes[1], "tf32", "tf32", "f32", "f32", EH_E_UNSUPPORTED, "oneDNN has no product of tf32 into f32.");
	set("gemm", "clblas");
	refused(&shapes[1], "f32", "f32", "f32", "f32", EH_E_INVALID_ARGUMENT,
	        "opencl.gemm=clblas is neither clblast nor onednn.");
	set("gemm", "onednn");
}

static void test_libraries_that_fail(void **state)
{
	static const struct { const char *fault, *rest, *words; } all[] = {
		{ "", "gemm=onednn", "ok: oneDNN picked=dnnl_query_impl_info_str (opencl.gemm); kernel=jit:gemm:test; " },
		{ "dnnl_version=cpu", "gemm=onednn", "/libdnnl.so.3 was built without OpenCL: build oneDNN 3 with OpenCL "
		  "for its GPU and name the library by --set opencl.onednn=FILE.\n" },
		{ "dnnl_version=four", "", "incompatible: " },
		{ "dnnl_version=old", "gemm=onednn e4m3", "unsupported: oneDNN 3.2.7 has no product of e4m3 into f32 on "
		  "pocl-0.\n" },
		{ "dnnl_ocl_interop_engine_create=invalid", "gemm=onednn", "unsupported: oneDNN 3.12.7 does not know "
		  "pocl-0.\n" },
		{ "dnnl_ocl_interop_engine_create=oom", "", "no-memory: No memory is left on pocl-0 for a product of "
		  "oneDNN.\n" },
		{ "dnnl_ocl_interop_stream_create=5", "", VERSION " did not make the product of f32 on pocl-0: "
		  "dnnl_ocl_interop_stream_create returned 5.\n" },
		{ "dnnl_ocl_interop_memory_set_mem_object@2=5", "", "dnnl_ocl_interop_memory_set_mem_object returned 5." },
		{ "dnnl_memory_desc_create_with_strides@2=invalid", "gemm=onednn", "dnnl_memory_desc_create_with_strides "
		  "returned 2." },
		{ "dnnl_matmul_primitive_desc_create=unsupported", "gemm=onednn", "unsupported: " VERSION " has no product "
		  "of f32 on pocl-0.\n" },
		{ "dnnl_primitive_desc_query=5", "gemm=onednn", "device: " VERSION " did not make the product" },
		{ "dnnl_primitive_create=oom", "gemm=onednn", "no-memory: " },
		{ "dnnl_primitive_execute=5", "", "dnnl_primitive_execute returned 5." },
		{ "", "onednn=/none/libdnnl.so.3", "unavailable: oneDNN /none/libdnnl.so.3 cannot be opened (no such "
		  "file); build oneDNN 3 with OpenCL" },
		{ "", "onednn=libm.so.6", "libm.so.6 has no dnnl_" },
	};

	NEEDS_POCL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *rest = memory_format("onednn=%s %s", dnnl, all[i].rest);

		product_says("EVENHAND_TEST_FAULT", all[i].fault, "child", rest, all[i].words);
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
		cmocka_unit_test(test_which_library),
		cmocka_unit_test(test_libraries_that_fail),
	};

	if (count > 1 && strcmp(words[1], "child") == 0) {
		child(count - 2, words + 2);
		return 0;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, end);
}
